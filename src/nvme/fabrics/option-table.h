/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of NVMF_OPTIONS inside the library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../options.h"

#define OPTION_ID(id, ...) OPTION_##id,

/* All options, in the order of the line for the kernel. */
enum fabrics_option {
	NVMF_OPTIONS(OPTION_ID, OPTION_ID, OPTION_ID, OPTION_ID, OPTION_ID, OPTION_ID) N_OPTIONS,
};

enum option_type {
	OPTION_TYPE_NAMED, /* no field; only the name is known */
	OPTION_TYPE_TEXT, /* char * */
	OPTION_TYPE_KEY, /* char *, and a long for the serial number */
	OPTION_TYPE_NUMBER, /* int */
	OPTION_TYPE_FLAG, /* bool */
	OPTION_TYPE_MARK, /* bool */
};

struct option_row {
	const char *name; /* name for the kernel and in Python */
	const char *json; /* key of a port, or NULL */
	enum option_type type;
	bool of_host; /* @offset is into struct nvme_host */
	bool of_options; /* the value is in struct nvmf_options */
	size_t offset; /* into struct nvme_ctrl */
	size_t serial; /* OPTION_TYPE_KEY: offset of the serial number in struct nvme_ctrl */
	long least, most; /* range of a number; maximum length of a text is @most */
	long standard; /* default of a number */
	long unset; /* not written if the number is not above this */
	unsigned int traits; /* enum nvmf_transport_trait that a transport needs for it */
	unsigned int rules; /* enum nvmf_option_rule */
};

extern const struct option_row option_rows[N_OPTIONS];

/* Return the name for the kernel, up to "=". */
const char *option_name(enum fabrics_option id);

/* Return the row with this JSON key, or NULL. */
const struct option_row *option_by_json(const char *key);

/* option-fault.c: like nvmf_check_text() and nvmf_check_number() for a row. */
enum nvmf_option_fault option_check_text(const struct option_row *row, const char *transport,
					 const char *value);
enum nvmf_option_fault option_check_number(const struct option_row *row, long value);

/* Return the field of an option; not for of_host rows. */
static inline void *option_field(const struct option_row *row, struct nvme_ctrl *c)
{
	return (char *)c + row->offset;
}

static inline const void *option_const_field(const struct option_row *row,
					     const struct nvme_ctrl *c)
{
	return (const char *)c + row->offset;
}

/* Bit mask of the options that the running kernel supports. Allocated as one block. */
struct fabrics_options {
	uint64_t known;
};

_Static_assert(N_OPTIONS <= 64, "struct fabrics_options has a bit for each option");

static inline bool option_is_known(const struct fabrics_options *options, enum fabrics_option id)
{
	return options->known & (UINT64_C(1) << id);
}
