// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "original.h"

static bool stands_for_it;

void original_setup(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
	const char *name = slash ? slash + 1 : argv0;

	stands_for_it = NVME_BESIDE && name && !strcmp(name, "nvme");
}

const char *original_path(void)
{
	return stands_for_it ? NVME_ORIGINAL : NULL;
}

bool original_is_there(void)
{
	struct stat theirs, own;

	if (!stands_for_it || stat(NVME_ORIGINAL, &theirs))
		return false;
	/* A link back to this program would be followed without end. */
	return stat("/proc/self/exe", &own) || own.st_dev != theirs.st_dev ||
	       own.st_ino != theirs.st_ino;
}

int original_take_over(char **argv)
{
	if (!original_is_there())
		return 0;
	execv(NVME_ORIGINAL, argv);
	return -errno;
}
