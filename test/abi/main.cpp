/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The assertions run while compiling; getting here means that they hold. */
int main()
{
	return 0;
}
