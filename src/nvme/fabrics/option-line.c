/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The line for /dev/nvme-fabrics: options separated by commas, in the order of libnvme 1.16. The
 * kernel splits it at commas and newlines without quoting, so a value that contains one would
 * inject options. option_check_values() must run first.
 */
#include "private.h"

static int append(struct connect *connect, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int append(struct connect *connect, const char *fmt, ...)
{
	size_t room = sizeof(connect->line) - connect->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(connect->line + connect->len, room, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room)
		return connect_fail(connect, ENVME_CONNECT_INVAL,
				    "the options together exceed the kernel's limit of %d bytes",
				    CONNECT_STRING_SIZE - 1);
	connect->len += (size_t)n;
	return 0;
}

/* Skip an option that the kernel does not know, but fail if it protects the connection. */
static int skip_unknown_option(struct connect *connect, enum fabrics_option id)
{
	const struct nvme_ctrl *c = connect->c;
	const unsigned int rules = option_rows[id].rules;

	if (rules & NVMF_OPTION_GUARDS)
		return option_check_known(connect, id);
	log_msg(root_log(c->r), rules & NVMF_OPTION_TUNES ? LOG_DEBUG : LOG_NOTICE,
		"option \"%s\" ignored", option_name(id));
	return 0;
}

static int append_secret(struct connect *connect, const char *value)
{
	int err = append(connect, "=%s", value);

	if (!err) {
		connect->secrets[connect->n_secrets].at = connect->len - strlen(value);
		connect->secrets[connect->n_secrets++].len = strlen(value);
	}
	return err;
}

static int append_value(struct connect *connect, enum fabrics_option id,
			const struct option_value *value)
{
	switch (option_rows[id].type) {
	case OPTION_TYPE_TEXT:
		if (option_rows[id].rules & NVMF_OPTION_SECRET)
			return append_secret(connect, value->text);
		return append(connect, "=%s", value->text);
	case OPTION_TYPE_KEY:
		return append(connect, "=0x%08" PRIx32, (uint32_t)value->number);
	case OPTION_TYPE_NAMED:
	case OPTION_TYPE_NUMBER:
		return append(connect, "=%ld", value->number);
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		break;
	}
	return 0;
}

static int append_option(struct connect *connect, enum fabrics_option id)
{
	struct option_value value;

	if (!option_value(connect, id, &value))
		return 0;
	if (!option_is_known(connect->options, id))
		return skip_unknown_option(connect, id);
	return append(connect, "%s%s", connect->len ? "," : "", option_name(id))
		       ?: append_value(connect, id, &value);
}

int connect_string_build(struct connect *connect)
{
	int err = 0;

	connect->len = 0;
	connect->n_secrets = 0;
	for (int id = 0; !err && id < N_OPTIONS; id++)
		err = append_option(connect, (enum fabrics_option)id);
	return err;
}

char *connect_string_shown(const struct connect *connect)
{
	char *line = strndup(connect->line, connect->len);

	for (unsigned int i = 0; line && i < connect->n_secrets; i++)
		memset(line + connect->secrets[i].at, '*', connect->secrets[i].len);
	return line;
}
