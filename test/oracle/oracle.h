/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the calls of the oracle are made of: arguments drawn from the number of a round, and a
 * recording of everything that reaches the kernel. The same program runs over two libraries.
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <libnvme.h>

#define ORACLE_ROUNDS 96

/* Large enough for every length that is drawn, filled with a pattern before each call. */
#define ORACLE_BUFFER (4U << 20)

struct oracle_call {
	const char *name;
	void (*call)(void);
};

/* Generated from test/data/abi, and written by hand; each list ends with an empty entry. */
extern const struct oracle_call oracle_generated[];
extern const struct oracle_call oracle_device[];

extern unsigned char oracle_buffer[ORACLE_BUFFER];
extern unsigned char oracle_metadata[ORACLE_BUFFER];
extern unsigned int oracle_round;

/* The next argument: a value of that many bits, noted in the recording under @name. */
uint64_t oracle_draw(const char *name, unsigned int bits);
/* ... a length in bytes, which may be zero, odd or larger than a page */
uint32_t oracle_draw_length(const char *name);
uint32_t oracle_draw_dwords(const char *name);
/* ... what chooses among a few forms of a command: mostly 0, 1, 2 or 3 */
uint64_t oracle_draw_choice(const char *name, unsigned int bits);
/* ... one of the numbers below @count */
unsigned int oracle_draw_below(const char *name, unsigned int count);
/* ... the buffer, or NULL in some rounds */
void *oracle_draw_pointer(const char *name, void *pointer);
/* ... what a structure's args_size may be: nearly always @size */
int oracle_draw_size(int size);

/* Notes that all arguments are drawn and the call begins; its descriptor. */
int oracle_begin(void);
/* Notes what the call returned, with errno if that is negative. */
void oracle_end(long ret);
/* Notes a number or the bytes that a call left behind. */
void oracle_note(const char *name, uint64_t value);
void oracle_note_bytes(const char *name, const void *bytes, size_t size);

/*
 * What the device answers to a command in place of success without data: returns the ioctl's
 * result. Reset after every call.
 */
typedef int (*oracle_answer_t)(struct nvme_passthru_cmd64 *cmd, void *data);
extern oracle_answer_t oracle_answer;

#endif /* TEST_ORACLE_H */
