// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stands in for libFuzzer: runs a target over each file of a directory, which is named before. */
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define SHARES 8

/* In memory of just its size, so that a sanitizer sees what is read beyond it. */
static void replay(const char *path)
{
	FILE *file = fopen(path, "r");
	uint8_t *data;
	struct stat st;

	if (!file || fstat(fileno(file), &st))
		err(2, "%s", path);
	data = malloc(st.st_size);
	if (st.st_size && (!data || fread(data, st.st_size, 1, file) != 1))
		err(2, "%s", path);
	fclose(file);
	LLVMFuzzerTestOneInput(data, st.st_size);
	free(data);
}

/* One of so many shares at a time: much of what commands take is waiting. */
static void replay_share(const char *directory, struct dirent **entries, int count, int share)
{
	char *path;

	for (int i = share; i < count; i += SHARES) {
		if (entries[i]->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0)
			err(2, "%s", directory);
		printf("%d: %s\n", share, path);
		fflush(stdout);
		replay(path);
		free(path);
	}
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count, status, failed = 0;
	pid_t pids[SHARES];

	if (argc != 2)
		errx(2, "usage: %s DIRECTORY", argv[0]);
	count = scandir(argv[1], &entries, NULL, alphasort);
	if (count <= 2)
		errx(2, "%s: no inputs", argv[1]);
	for (int share = 0; share < SHARES; share++) {
		pids[share] = fork();
		if (pids[share] < 0)
			err(2, "fork");
		if (pids[share] == 0) {
			replay_share(argv[1], entries, count, share);
			exit(0);
		}
	}
	for (int share = 0; share < SHARES; share++) {
		if (waitpid(pids[share], &status, 0) < 0 || status) {
			printf("%d: failed at the last of its inputs above\n", share);
			failed = 1;
		}
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return failed;
}
