/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration: each key counts, mistakes have line and path, what is read is written. */
#include <dirent.h>
#include <fcntl.h>
#include <json.h>
#include <locale.h>
#include <sys/stat.h>
#include <libnvme.h>
#include <nvme/mptcp.h>

#include "config_everything.h"
#include "config_file.h"

#define HOST(members) "[{\"hostnqn\":\"" HOSTNQN "\"," members "}]"
#define PORTS(ports) HOST("\"subsystems\":[{\"nqn\":\"" NQN "\",\"ports\":[" ports "]}]")
#define PORT(members) PORTS("{\"transport\":\"mptcp\",\"traddr\":\"192.0.2.1\"," members "}")
#define IN_PORT ":1: $[0].subsystems[0].ports[0]"
#define WOULD_CHANGE \
	": must not contain commas, spaces or control characters, which would change the " \
	"kernel's options"

static nvme_root_t r;

static int begin(void **state)
{
	make_file();
	r = nvme_create_root(NULL, -1);
	return r ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(r);
	unlink(path);
	return 0;
}

static int read_text(const char *text, size_t len)
{
	write_text(text, len);
	errno = EBUSY;
	return nvme_read_config(r, path);
}

static void take(const char *text)
{
	if (read_text(text, strlen(text)))
		fail_msg("%s", nvme_config_error(r));
	assert_int_equal(errno, 0);
	assert_null(nvme_config_error(r));
}

/* The names of transports follow from their table. */
#define KNOWN "known are "

static bool has_ctrl(void)
{
	nvme_subsystem_t s;
	nvme_host_t h;

	nvme_for_each_host(r, h)
		nvme_for_each_subsystem(h, s)
			if (nvme_subsystem_first_ctrl(s))
				return true;
	return false;
}

/* @reason: what follows the name of the file. */
static void refuse(const char *text, const char *reason)
{
	const size_t length = strlen(reason), end = strlen(KNOWN);
	const bool names = length > end && !strcmp(&reason[length - end], KNOWN);
	char want[512];

	ASSERT_FAILS(read_text(text, strlen(text)), EPROTO);
	snprintf(want, sizeof(want), "%s%s%s", path, reason, names ? nvmf_transport_names() : "");
	assert_string_equal(nvme_config_error(r), want);
	assert_false(has_ctrl());
}

static nvme_ctrl_t only_ctrl(void)
{
	nvme_subsystem_t s = nvme_first_subsystem(nvme_first_host(r));
	nvme_ctrl_t c = nvme_subsystem_first_ctrl(s);

	assert_non_null(c);
	assert_null(nvme_subsystem_next_ctrl(s, c));
	return c;
}

TEST(every_key_counts)
{
	const struct nvme_fabrics_config *cfg;
	nvme_host_t h;
	nvme_ctrl_t c;

	take(everything);
	h = nvme_first_host(r);
	assert_string_equal(nvme_host_get_hostid(h), HOSTID);
	assert_string_equal(nvme_host_get_dhchap_key(h), "DHHC-1:00:host:");
	assert_string_equal(nvme_host_get_hostsymname(h), "a host");
	assert_false(nvme_host_is_pdc_enabled(h, true));
	assert_string_equal(nvme_host_get_mptcp_config(h),
			    "{\"limits\":{\"subflows\":8,\"add_addr_accepted\":0},\"endpoints\":[{"
			    "\"address\":\"10.1.2.2\",\"dev\":\"eth2\",\"flags\":[\"subflow\","
			    "\"backup\"],\"id\":3}]}");
	c = only_ctrl();
	assert_string_equal(nvme_subsystem_get_application(nvme_ctrl_get_subsystem(c)), "app");
	assert_string_equal(nvme_ctrl_get_transport(c), "tcp");
	assert_string_equal(nvme_ctrl_get_traddr(c), "192.0.2.1");
	assert_string_equal(nvme_ctrl_get_host_traddr(c), "192.0.2.9");
	assert_string_equal(nvme_ctrl_get_host_iface(c), "eth0");
	assert_string_equal(nvme_ctrl_get_trsvcid(c), "4420");
	assert_string_equal(nvme_ctrl_get_dhchap_host_key(c), "DHHC-1:00:one:");
	assert_string_equal(nvme_ctrl_get_dhchap_key(c), "DHHC-1:00:two:");
	assert_string_equal(nvme_ctrl_get_keyring(c), ".nvme");
	assert_string_equal(nvme_ctrl_get_tls_key_identity(c), "NVMe0R01 a b");
	assert_string_equal(nvme_ctrl_get_tls_key(c), "NVMeTLSkey-1:01:x:");
	cfg = nvme_ctrl_get_config(c);
	assert_int_equal(cfg->nr_io_queues, 1);
	assert_int_equal(cfg->nr_write_queues, 2);
	assert_int_equal(cfg->nr_poll_queues, 3);
	assert_int_equal(cfg->queue_size, 128);
	assert_int_equal(cfg->keep_alive_tmo, 5);
	assert_int_equal(cfg->reconnect_delay, 6);
	assert_int_equal(cfg->ctrl_loss_tmo, -1);
	assert_int_equal(cfg->fast_io_fail_tmo, 7);
	assert_int_equal(cfg->tos, 0);
	assert_true(cfg->duplicate_connect && cfg->disable_sqflow && cfg->hdr_digest);
	assert_true(cfg->data_digest && cfg->tls && !cfg->concat);
	assert_true(nvme_ctrl_is_persistent(c) && nvme_ctrl_is_discovery_ctrl(c));
}

TEST(both_forms_are_read)
{
	take("{\"hosts\":" PORT("\"trsvcid\":\"4420\"") "}");
	assert_string_equal(nvme_ctrl_get_transport(only_ctrl()), "mptcp");
	take(PORT("\"trsvcid\":\"4420\",\"nr_io_queues\":9"));
	assert_int_equal(nvme_ctrl_get_config(only_ctrl())->nr_io_queues, 9);
	take("[]");
	take(" [ ] \n");
	take("{\"hosts\":[]}");
	take(HOST("\"subsystems\":[]"));
	take(HOST("\"_comment\":\"later versions may know more\""));
	/* What it means, libnvme-mptcp knows. */
	take(HOST("\"mptcp\":{\"endpoints\":5,\"x\":null}"));
	assert_string_equal(nvme_host_get_mptcp_config(nvme_first_host(r)),
			    "{\"endpoints\":5,\"x\":null}");
	assert_null(nvme_host_get_mptcp_ignored(nvme_first_host(r), 0));
}

TEST(mistakes_are_named)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		/* Syntax. */
		{ "", ":1: expected a value, but the file ends" },
		{ "[", ":1: $[0]: expected a value, but the file ends" },
		{ "[\n\n{]", ":3: $[0]: expected a key in quotes, not ']'" },
		{ "[]\n[]", ":2: unexpected text after the end of the value" },
		{ "// no\n[]", ":1: expected a value, not '/'" },
		{ "[\n\"a\" \"b\"]", ":2: expected ',' or ']', not '\"'" },
		{ "[nul]", ":1: $[0]: expected a value, not 'n'" },
		{ "[NaN]", ":1: $[0]: expected a value, not 'N'" },
		{ "['a']", ":1: $[0]: expected a value, not '''" },
		{ "[1,]", ":1: $[1]: expected a value, not ']'" },
		{ "[{\"a\":1,}]", ":1: $[0]: expected a key in quotes, not '}'" },
		{ "[{\"a\" 1}]", ":1: $[0].a: expected ':', not '1'" },
		{ "[{\"a\":1,\n\"a\":2}]", ":2: $[0].a: the key is given twice" },
		{ "[01]", ":1: $[0]: numbers do not start with 0" },
		{ "[-]", ":1: $[0]: expected a digit, not ']'" },
		{ "[1.]", ":1: $[0]: expected a digit, not ']'" },
		{ "[1e]", ":1: $[0]: expected a digit, not ']'" },
		{ "[9223372036854775808]", ":1: $[0]: 9223372036854775808 is out of range" },
		{ "[\"\n\"]", ":1: $[0]: control character 0x0a in a string" },
		{ "[\"", ":1: $[0]: the string does not end" },
		{ "[\"\\", ":1: $[0]: the string does not end" },
		{ "[\"\\\"]", ":1: $[0]: the string does not end" },
		{ "[\"\\x\"]", ":1: $[0]: unknown escape in a string" },
		{ "[\"\\u12\"]", ":1: $[0]: \\u needs four hexadecimal digits" },
		{ "[\"\\u0000\"]", ":1: $[0]: a string cannot hold \\u0000" },
		{ "[\"\\ud800\"]", ":1: $[0]: half of a surrogate pair" },
		{ "[\"\\udc00\"]", ":1: $[0]: half of a surrogate pair" },
		{ "[\"\xff\"]", ":1: $[0]: the string is not UTF-8" },
		{ "[\"\xc0\x80\"]", ":1: $[0]: the string is not UTF-8" },
		{ "[\"\xed\xa0\x80\"]", ":1: $[0]: the string is not UTF-8" },
		{ "[\"\xf4\x90\x80\x80\"]", ":1: $[0]: the string is not UTF-8" },
		{ "\xef\xbb\xbf[]", ":1: expected a value, not '\\xef'" },
		/* Shape. */
		{ "5", ":1: the document must be an array of hosts, not int" },
		{ "null", ":1: the document must be an array of hosts, not null" },
		{ "{}", ":1: \"hosts\" is missing" },
		{ "\n null", ":2: the document must be an array of hosts, not null" },
		{ "{\"hosts\":null}", ":1: \"hosts\" must be an array of hosts, not null" },
		{ "{\"hosts\":5}", ":1: \"hosts\" must be an array of hosts, not int" },
		{ "[5]", ":1: $[0]: must be an object, not int" },
		{ "[\n\nnull]", ":3: $[0]: must be an object, not null" },
		{ "[{}]", ":1: $[0]: \"hostnqn\" is missing" },
		{ "[{\"hostnqn\":null}]", ":1: $[0]: \"hostnqn\" is missing" },
		{ HOST("\"subsystems\":{}"), ":1: $[0].subsystems: must be an array, not object" },
		{ HOST("\n\"subsystems\":[\n{}]"), ":3: $[0].subsystems[0]: \"nqn\" is missing" },
		{ PORTS("[]"), IN_PORT ": must be an object, not array" },
		{ PORTS("{}"), IN_PORT ": \"transport\" is missing" },
		{ PORTS("{\"transport\":\"mptcp\"}"), IN_PORT ": \"traddr\" is missing" },
		{ HOST("\"dhchap_ctrl_key\":\"x\""),
		  ":1: $[0].dhchap_ctrl_key: belongs in a port, not in a host" },
		/* Values. */
		{ "[{\"hostnqn\":\"\"}]",
		  ":1: $[0].hostnqn: \"\": an NQN has 1 to 223 characters" },
		{ HOST("\"hostid\":\"1234\""), ":1: $[0].hostid: \"1234\": is not a UUID" },
		{ HOST("\"hostid\":\"\\u001b[31m\""),
		  ":1: $[0].hostid: \"\\x1b[31m\": is not a UUID" },
		{ HOST("\"persistent_discovery_ctrl\":\"maybe\""),
		  ":1: $[0].persistent_discovery_ctrl: \"maybe\": must be true or false" },
		{ PORTS("{\"transport\":\"bogus\",\"traddr\":\"192.0.2.1\"}"),
		  IN_PORT ".transport: \"bogus\": no such transport; " KNOWN },
		{ PORT("\n\"tos\":256"),
		  ":2: $[0].subsystems[0].ports[0].tos: must be from -1 to 255, not 256" },
		{ PORT("\"ctrl_loss_tmo\":-2"),
		  IN_PORT ".ctrl_loss_tmo: must be from -1 to 2147483647, not -2" },
		{ PORT("\"ctrl_loss_tmo\":\"600s\""),
		  IN_PORT ".ctrl_loss_tmo: \"600s\": must be a whole number" },
		{ PORT("\"nr_io_queues\":1.5"),
		  IN_PORT ".nr_io_queues: must be a whole number, not double" },
		{ PORT("\"queue_size\":4294967296"),
		  IN_PORT ".queue_size: must be from 0 to 65536, not 4294967296" },
		{ PORT("\"queue_size\":2000000000"),
		  IN_PORT ".queue_size: must be from 0 to 65536, not 2000000000" },
		{ PORT("\"nr_io_queues\":70000"),
		  IN_PORT ".nr_io_queues: must be from 0 to 65535, not 70000" },
		{ PORT("\"host_iface\":\"interface-name-1\""),
		  IN_PORT ".host_iface: is longer than 15 characters" },
		{ PORT("\"trsvcid\":true"),
		  IN_PORT ".trsvcid: must be a string or a whole number, not boolean" },
		{ PORT("\"host_iface\":\"eth0,tls\""), IN_PORT ".host_iface" WOULD_CHANGE },
		/* Secrets stay out of it. */
		{ PORT("\"dhchap_key\":\"DHHC-1:00:very,secret:\""),
		  IN_PORT ".dhchap_key" WOULD_CHANGE },
		{ PORT("\"tls\":true,\"concat\":true"),
		  IN_PORT ": \"tls\" and \"concat\" exclude each other" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refuse(rows[i].text, rows[i].reason);
}

TEST(nesting_and_length_are_bounded)
{
	char *text = malloc(20001);

	memset(text, '[', 20000);
	text[20000] = '\0';
	refuse(text, ":1: $[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested more than 16 "
		     "deep");
	memset(text, '1', 20000);
	refuse(text, ":1: a number is too long: 20000 characters");
	memset(text, 'a', 20000);
	memcpy(text, "[{\"hostnqn\":\"", 13);
	memcpy(text + 20000 - 3, "\"}]", 3);
	assert_int_equal(read_text(text, 20000), -1);
	assert_non_null(strstr(nvme_config_error(r), "...: an NQN has 1 to 223 characters"));
	free(text);
	/* A NUL byte ends nothing. */
	assert_int_equal(read_text("[]\0", 3), -1);
	assert_int_equal(read_text("[\"a\0b\"]", 7), -1);
	assert_non_null(strstr(nvme_config_error(r), "control character 0x00"));
}

TEST(escapes_are_decoded)
{
	take(HOST(
		"\"hostsymname\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20ac\\ud83d\\ude00\xc3\xa4\""));
	assert_string_equal(nvme_host_get_hostsymname(nvme_first_host(r)),
			    "\"\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4");
}

TEST(a_mistake_leaves_the_entry_as_it_was)
{
	static const char wrong[] = PORT("\"nr_io_queues\":2,\"tos\":1000");
	nvme_ctrl_t c;

	take(PORT("\"nr_io_queues\":1"));
	c = only_ctrl();
	assert_int_equal(read_text(wrong, strlen(wrong)), -1);
	assert_ptr_equal(only_ctrl(), c);
	assert_int_equal(nvme_ctrl_get_config(c)->nr_io_queues, 1);
	take(PORT("\"nr_io_queues\":3"));
	assert_ptr_equal(only_ctrl(), c);
	assert_int_equal(nvme_ctrl_get_config(c)->nr_io_queues, 3);
}

TEST(missing_files_are_told_by_errno)
{
	errno = 0;
	assert_int_equal(nvme_read_config(r, "/nonexistent/config.json"), 0);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(nvme_config_error(r),
			    "/nonexistent/config.json: No such file or directory");
	assert_int_equal(nvme_read_config(r, "/tmp"), 0);
	assert_int_equal(errno, EISDIR);
	ASSERT_FAILS(nvme_read_config(NULL, path), ENODEV);
	ASSERT_FAILS(nvme_read_config(r, NULL), ENODEV);
}

static void begin_again(void)
{
	nvme_free_tree(r);
	r = nvme_create_root(NULL, -1);
}

/* What dump_config prints, to be freed. */
static char *dump(void)
{
	char *text = calloc(1, 65536);
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	assert_int_equal(nvme_dump_config(r), 0);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

TEST(what_is_read_is_what_is_written)
{
	struct json_object *json, *want, *port;
	char *text;

	take(everything);
	text = dump();
	json = json_tokener_parse(text);
	want = json_tokener_parse(everything);
	/* Strings stay strings, false is not written. */
	port = json_object_array_get_idx(want, 0);
	json_object_object_get_ex(port, "subsystems", &port);
	json_object_object_get_ex(json_object_array_get_idx(port, 0), "ports", &port);
	port = json_object_array_get_idx(port, 0);
	json_object_object_add(port, "trsvcid", json_object_new_string("4420"));
	json_object_object_del(port, "concat");
	assert_true(json_object_equal(json, want));
	json_object_put(json);
	json_object_put(want);

	begin_again();
	take(text);
	free(text);
}

TEST(dumps_hold_what_differs_from_defaults)
{
	nvme_subsystem_t s;
	char *text;

	take(PORT("\"ctrl_loss_tmo\":600,\"tos\":-1,\"nr_io_queues\":0"));
	text = dump();
	assert_string_equal(text, "[\n  {\n    \"hostnqn\":\"" HOSTNQN "\",\n    \"subsystems\":[\n"
				  "      {\n        \"nqn\":\"" NQN "\",\n        \"ports\":[\n"
				  "          {\n            \"transport\":\"mptcp\",\n"
				  "            \"traddr\":\"192.0.2.1\"\n          }\n"
				  "        ]\n      }\n    ]\n  }\n]\n");
	free(text);
	begin_again();
	take(HOST("\"subsystems\":[{\"nqn\":\"" NVME_DISC_SUBSYS_NAME
		  "\",\"ports\":[{\"transport\":\"tcp\",\"traddr\":\"192.0.2.1\"}]}]"));
	text = dump();
	assert_non_null(strstr(text, "\"traddr\":\"192.0.2.1\""));
	free(text);
	/* Found, not configured. */
	begin_again();
	s = nvme_lookup_subsystem(nvme_lookup_host(r, HOSTNQN, NULL), NULL, NVME_DISC_SUBSYS_NAME);
	assert_non_null(nvme_lookup_ctrl(s, "tcp", "192.0.2.1", NULL, NULL, NULL, NULL));
	text = dump();
	assert_int_equal(strspn(text, "[] \n"), strlen(text));
	free(text);
}

/* What is wrong with a host's MPTCP alone, libnvme keeps as it is. */
static void read_sample(const char *file, int want)
{
	nvme_mptcp_config_t config = nvme_mptcp_config_new();
	int ret = nvme_read_config(r, file);
	const char *why = nvme_config_error(r);

	assert_non_null(config);
	assert_true(!ret || !has_ctrl());
	if (!ret && strstr(file, "/mptcp-")) {
		ret = nvme_mptcp_config_read(config, file);
		why = nvme_mptcp_config_error(config);
	}
	if (ret != want)
		fail_msg("%s: %s", file, why);
	assert_int_equal(errno, want ? EPROTO : 0);
	assert_int_equal(!!why, !!want);
	nvme_mptcp_config_free(config);
}

/* The same samples are held against the schema in test/cli/test_config_schema.py. */
static void read_samples(const char *kind, int want, size_t at_least)
{
	const char *data = getenv("TEST_DATA");
	char dir[512], file[1024];
	struct dirent *entry;
	size_t count = 0;
	DIR *samples;

	assert_non_null(data);
	snprintf(dir, sizeof(dir), "%s/config/%s", data, kind);
	samples = opendir(dir);
	assert_non_null(samples);
	while ((entry = readdir(samples))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", dir, entry->d_name);
		begin_again();
		errno = 0;
		read_sample(file, want);
		count++;
	}
	closedir(samples);
	assert_true(count >= at_least);
}

TEST(samples_are_read_as_the_schema_says)
{
	read_samples("good", 0, 6);
	read_samples("lenient", 0, 4);
	read_samples("bad", -1, 30);
}

/* Programs with a locale of their own use the library. */
TEST(numbers_have_a_point_in_every_locale)
{
	char dir[] = "/tmp/config-locale-XXXXXX", command[128];
	char *text;
	bool known;

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir, dir);
	known = system(command) >= 0 && !setenv("LOCPATH", dir, 1) &&
		setlocale(LC_NUMERIC, "de_DE.UTF-8");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	unsetenv("LOCPATH");
	if (!known)
		skip(); /* the sources of locales are not installed */
	take(PORT("\"ctrl_loss_tmo\":1800.0,\"tos\":\"3.0\",\"x\":0.5"));
	assert_int_equal(nvme_ctrl_get_config(only_ctrl())->ctrl_loss_tmo, 1800);
	assert_int_equal(nvme_ctrl_get_config(only_ctrl())->tos, 3);
	text = dump();
	setlocale(LC_NUMERIC, "C");
	assert_non_null(strstr(text, "\"x\":0.5"));
	free(text);
}

EACH_TEST(begin, end)
