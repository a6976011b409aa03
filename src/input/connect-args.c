/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "connect-args.h"
#include "fail.h"

struct string_rule {
	const char *name, *option; /* for the kernel; on the command line */
	size_t offset;
	size_t max; /* bytes */
	bool secret; /* never shown in messages */
};

/* clang-format off */
#define TEXT_RULE(id, name, json, owner, member, longest, traits, rules, argument, ...) \
	{ #name, argument, offsetof(struct fabrics_args, name), longest, (rules) & NVMF_OPTION_SECRET },
#define KEY_RULE(id, name, longest, traits, rules, argument, ...) \
	{ #name, argument, offsetof(struct fabrics_args, name), longest, (rules) & NVMF_OPTION_SECRET },

static const struct string_rule string_rules[] = {
	NVMF_OPTIONS(NVMF_NO_ROW, TEXT_RULE, KEY_RULE, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
};

struct int_rule {
	const char *name, *option;
	size_t offset;
	int min, max;
};

#define NUMBER_RULE(id, name, owner, least, most, standard, unset, traits, rules, argument, ...) \
	{ #name, argument, offsetof(struct fabrics_args, options.NVMF_OPTION_MEMBER(owner, name)), least, \
	  most },

static const struct int_rule int_rules[] = {
	NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NUMBER_RULE, NVMF_NO_ROW, NVMF_NO_ROW)
};
/* clang-format on */

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_SHOWN_BYTES 64 /* bytes shown of an overlong value */

static unsigned int first_control_character(const char *value)
{
	while ((unsigned char)*value >= 0x20 && *value != 0x7f)
		value++;
	return (unsigned char)*value;
}

static int check_string(char **why, const struct string_rule *rule, const char *transport,
			const char *value)
{
	size_t length = strlen(value);
	const char *shown = rule->secret ? "<secret>" : value;
	const char *cut = !rule->secret && length > MAX_SHOWN_BYTES ? "..." : "";

	switch (nvmf_check_text(rule->name, transport, value)) {
	case NVMF_FAULT_EMPTY:
		return input_fail(why, EINVAL, "Invalid --%s '': leave the option out instead",
				  rule->option);
	case NVMF_FAULT_LONG:
		return input_fail(why, EINVAL,
				  "Invalid --%s '%.*s%s': %zu bytes exceed the maximum of %zu",
				  rule->option, MAX_SHOWN_BYTES, shown, cut, length, rule->max);
	case NVMF_FAULT_COMMA:
		return input_fail(
			why, EINVAL,
			"Invalid --%s '%.*s%s': commas are not allowed, because they separate the "
			"kernel's options",
			rule->option, MAX_SHOWN_BYTES, shown, cut);
	case NVMF_FAULT_CONTROL:
		return input_fail(why, EINVAL, "Invalid --%s '%.*s%s': control character 0x%02x",
				  rule->option, MAX_SHOWN_BYTES, shown, cut,
				  first_control_character(value));
	case NVMF_FAULT_PORT:
		return input_fail(why, EINVAL, "Invalid --%s '%.*s%s': use a port from 1 to 65535",
				  rule->option, MAX_SHOWN_BYTES, shown, cut);
	case NVMF_FAULT_UUID:
		return input_fail(why, EINVAL, "Invalid --%s '%s': use a UUID", rule->option,
				  value);
	default: /* text that is not printable is refused where it would be sent to the kernel */
		return 0;
	}
}

static int check_number(char **why, const struct int_rule *rule, int value)
{
	if (!nvmf_check_number(rule->name, value))
		return 0;
	return input_fail(why, EINVAL, "Invalid --%s %d: use a number from %d to %d", rule->option,
			  value, rule->min, rule->max);
}

static int check_transport(char **why, const char *transport)
{
	switch (nvmf_check_transport(transport)) {
	case NVMF_FAULT_NONE:
		return 0;
	case NVMF_FAULT_NO_FABRIC:
		return input_fail(why, EINVAL,
				  "Transport '%s' is not a fabrics transport: use one of %s",
				  transport, nvmf_transport_names());
	default:
		return input_fail(why, EINVAL, "Unknown transport '%.*s': use one of %s",
				  MAX_SHOWN_BYTES, transport, nvmf_transport_names());
	}
}

bool input_is_none(const char *value)
{
	return value && !strcasecmp(value, "none");
}

void input_drop_none(struct fabrics_args *args)
{
	const char **values[] = { &args->trsvcid, &args->host_traddr, &args->host_iface };

	for (size_t i = 0; i < N_ELEMENTS(values); i++)
		if (input_is_none(*values[i]))
			*values[i] = NULL;
}

int input_check(const struct fabrics_args *args, char **why)
{
	if (args->transport && check_transport(why, args->transport))
		return -EINVAL;
	for (size_t i = 0; i < N_ELEMENTS(string_rules); i++) {
		const char *const *value =
			(const void *)((const char *)args + string_rules[i].offset);

		if (*value && check_string(why, &string_rules[i], args->transport, *value))
			return -EINVAL;
	}
	for (size_t i = 0; i < N_ELEMENTS(int_rules); i++) {
		const char *at = (const char *)args + int_rules[i].offset;

		if (check_number(why, &int_rules[i], *(const int *)(const void *)at))
			return -EINVAL;
	}
	if (nvmf_check_options(&args->options))
		return input_fail(why, EINVAL, "cannot specify --tls and --concat together");
	return 0;
}

int input_check_address(const struct fabrics_args *args, char **why)
{
	if (!args->transport)
		return input_fail(why, EINVAL,
				  "required argument [--transport | -t] not specified");
	if (nvmf_check_traddr(args->transport, args->traddr))
		return input_fail(
			why, EINVAL,
			"required argument [--traddr | -a] not specified for transport %s",
			args->transport);
	return 0;
}

/* clang-format off */
#define GUARD_TEXT(id, name, json, owner, member, longest, traits, rules, argument, ...) \
	if (((rules) & NVMF_OPTION_GUARDS) && args->name) \
		return argument;
#define GUARD_KEY(id, name, longest, traits, rules, argument, ...) \
	if (((rules) & NVMF_OPTION_GUARDS) && args->name) \
		return argument;
#define GUARD_FLAG(id, name, owner, traits, rules, argument, ...) \
	if (((rules) & NVMF_OPTION_GUARDS) && args->options.NVMF_OPTION_MEMBER(owner, name)) \
		return argument;

const char *input_security_option(const struct fabrics_args *args)
{
	NVMF_OPTIONS(NVMF_NO_ROW, GUARD_TEXT, GUARD_KEY, NVMF_NO_ROW, GUARD_FLAG, NVMF_NO_ROW)
	if (args->tls_key_identity)
		return "tls-key-identity";
	return args->options.cfg.tls_key ? "tls_key" : NULL;
}
/* clang-format on */

bool input_is_serial(const char *text, long *serial)
{
	char *end;

	if (!text)
		return false;
	errno = 0;
	*serial = strtol(text, &end, 0);
	return !errno && end != text && !*end && *serial > 0;
}

struct nvmf_options input_options(const struct fabrics_args *args)
{
#define TAKE_TEXT(id, name, json, owner, member, ...) TAKE_##owner(name, member)
#define TAKE_HOST(name, member)
#define TAKE_CTRL(name, member)
#define TAKE_PEER(name, member)
#define TAKE_CFG(name, member) options.cfg.member = (char *)args->name;
#define TAKE_OWN(name, member) options.member = (char *)args->name;
	struct nvmf_options options = args->options;
	long serial;

	NVMF_OPTIONS(NVMF_NO_ROW, TAKE_TEXT, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
	if (input_is_serial(args->keyring, &serial))
		options.cfg.keyring = serial;
	if (input_is_serial(args->tls_key, &serial))
		options.cfg.tls_key = serial;
	return options;
}
