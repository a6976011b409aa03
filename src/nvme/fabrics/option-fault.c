/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Validation of a value against its option's row. All callers use it: the command line,
 * config.json, discovery.conf, Python, and nvmf_add_ctrl() for values from anywhere else.
 */
#include "base/str.h"
#include "../util.h"
#include "option-table.h"
#include "shared/text.h"

static const struct option_row *by_name(const char *name)
{
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (!strcmp(option_rows[i].name, name))
			return &option_rows[i];
	return NULL;
}

static bool has_control(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < 0x20 || *value == 0x7f)
			return true;
	return false;
}

/* Parse a port like the kernel (inet_pton_with_scope(), net/core/utils.c), which accepts 0x1144. */
static bool is_port(const char *value)
{
	int64_t port;

	return !str_parse_int(value, 1, UINT16_MAX, &port);
}

/* Length and commas are checked before anything specific to the option. */
enum nvmf_option_fault option_check_text(const struct option_row *row, const char *transport,
					 const char *value)
{
	const bool port = row->rules & NVMF_OPTION_PORT && transport &&
			  nvmf_transport_has(transport, row->traits);
	unsigned char uuid[NVME_UUID_LEN];

	if (!*value)
		return NVMF_FAULT_EMPTY;
	if (!port && strlen(value) > (size_t)row->most)
		return NVMF_FAULT_LONG;
	if (strchr(value, ','))
		return NVMF_FAULT_COMMA;
	if (has_control(value))
		return NVMF_FAULT_CONTROL;
	if (!text_is_printable(value))
		return NVMF_FAULT_UNPRINTABLE;
	if (port && !is_port(value))
		return NVMF_FAULT_PORT;
	if (row->rules & NVMF_OPTION_UUID && nvme_uuid_from_string(value, uuid))
		return NVMF_FAULT_UUID;
	return NVMF_FAULT_NONE;
}

enum nvmf_option_fault option_check_number(const struct option_row *row, long value)
{
	if (value < row->least)
		return NVMF_FAULT_BELOW;
	return value > row->most ? NVMF_FAULT_ABOVE : NVMF_FAULT_NONE;
}

enum nvmf_option_fault nvmf_check_text(const char *option, const char *transport, const char *value)
{
	const struct option_row *row = by_name(option);

	return row ? option_check_text(row, transport, value) : NVMF_FAULT_UNKNOWN;
}

enum nvmf_option_fault nvmf_check_number(const char *option, long value)
{
	const struct option_row *row = by_name(option);

	return row ? option_check_number(row, value) : NVMF_FAULT_UNKNOWN;
}

enum nvmf_option_fault nvmf_check_transport(const char *transport)
{
	if (str_is_unset(transport))
		return NVMF_FAULT_MISSING;
	if (!nvmf_transport_is_known(transport))
		return NVMF_FAULT_UNKNOWN;
	return nvmf_transport_has(transport, NVMF_TRANSPORT_FABRICS) ? NVMF_FAULT_NONE
								     : NVMF_FAULT_NO_FABRIC;
}

enum nvmf_option_fault nvmf_check_traddr(const char *transport, const char *traddr)
{
	return nvmf_transport_has(transport, NVMF_TRANSPORT_TRADDR) && str_is_unset(traddr)
		       ? NVMF_FAULT_MISSING
		       : NVMF_FAULT_NONE;
}

enum nvmf_option_fault nvmf_check_options(const struct nvmf_options *options)
{
	return options->cfg.tls && options->cfg.concat ? NVMF_FAULT_EXCLUDES : NVMF_FAULT_NONE;
}
