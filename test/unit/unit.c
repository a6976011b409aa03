// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runs the tests of a program, which have told of themselves before main(). */
#include "unit.h"

CMFixtureFunction unit_each_setup, unit_each_teardown, unit_all_setup, unit_all_teardown;

/* cmocka passes over those without a name. */
static struct CMUnitTest tests[64];
static int lines[64];

void unit_add(int line, const char *name, CMUnitTestFunction test)
{
	size_t i = sizeof(tests) / sizeof(*tests) - 1;

	if (tests[i].name)
		abort();
	for (; i && (!tests[i - 1].name || lines[i - 1] > line); i--) {
		tests[i] = tests[i - 1];
		lines[i] = lines[i - 1];
	}
	tests[i] = (struct CMUnitTest){ .name = name, .test_func = test };
	lines[i] = line;
}

int main(void)
{
	for (size_t i = 0; tests[i].name; i++) {
		tests[i].setup_func = unit_each_setup;
		tests[i].teardown_func = unit_each_teardown;
	}
	return cmocka_run_group_tests(tests, unit_all_setup, unit_all_teardown);
}
