// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme device-self-test: NVM Express Base Specification 2.1, section 5.1.5 */
#include "device/in-use.h"

#define POLL_SECONDS 1
#define MARGIN 10 /* minutes added to the duration that the controller reports */

struct self_test_args {
	uint32_t nsid;
	uint8_t code;
	bool wait;
};

static const struct name started[] = {
	{ NVME_DST_STC_SHORT, "Short Device self-test started" },
	{ NVME_DST_STC_LONG, "Extended Device self-test started" },
	{ NVME_DST_STC_HOST_INIT, "Host-Initiated Refresh started" },
	{ NVME_DST_STC_ABORT, "Aborting device self-test operation" },
	{ 0, NULL, NULL },
};

static int read_log(struct command *cmd, int fd, struct nvme_self_test_log *log)
{
	int ret = nvme_get_log_device_self_test(fd, log);

	return ret ? device_result(cmd, ret, "self test log") || 1 : 0;
}

static int show_progress(struct command *cmd, int fd)
{
	struct nvme_self_test_log log = { 0 };

	if (read_log(cmd, fd, &log))
		return 1;
	return log.current_operation || log.completion
		       ? command_succeed(cmd, "progress %u%%", log.completion)
		       : command_succeed(cmd, "no self test running");
}

/* Get a limit for any self-test: the reported duration of an extended one, plus a margin. */
static int find_limit(struct command *cmd, unsigned int *seconds)
{
	struct nvme_id_ctrl ctrl = { 0 };

	if (device_identify_ctrl(cmd, &ctrl))
		return 1;
	*seconds = (le16toh(ctrl.edstt) + MARGIN) * 60U;
	return 0;
}

static int wait_for_end(struct command *cmd, int fd)
{
	const bool counts = command_has_text(cmd) && isatty(STDOUT_FILENO);
	struct nvme_self_test_log log = { 0 };
	unsigned int limit;

	if (find_limit(cmd, &limit))
		return 1;
	out_text(cmd->out, "Waiting for self test completion...\n");
	for (unsigned int passed = 0; passed <= limit; passed += POLL_SECONDS) {
		out_flush(cmd->out);
		sleep(POLL_SECONDS);
		if (read_log(cmd, fd, &log))
			return 1;
		if (counts)
			out_text(cmd->out, "\r%3u%%",
				 log.current_operation ? log.completion : 100U);
		if (!(log.current_operation & 0xf)) {
			out_text(cmd->out, counts ? "\n" : "");
			return 0;
		}
	}
	return command_fail(cmd, 0,
			    "device-self-test: not finished after %u minutes (" NVME_COMMAND
			    " self-test-log shows the progress)",
			    limit / 60);
}

static int self_test(struct command *cmd)
{
	const struct self_test_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_passthru_cmd c = {
		.opcode = nvme_admin_dev_self_test,
		.nsid = args->nsid,
		.cdw10 = args->code,
	};
	const char *text = name_or(started, args->code, "");
	int ret;

	if (args->code > NVME_DST_STC_ABORT)
		return command_fail(cmd, 0, "invalid self-test-code:%#x (up to 0xf)", args->code);
	if (device_open(cmd, &dev))
		return 1;
	if (!args->code)
		return show_progress(cmd, dev.fd);
	if (in_use_require_nvme(cmd, &dev))
		return 1;
	ret = nvme_submit_passthru(dev.fd, NVME_IOCTL_ADMIN_CMD, &c, NULL);
	if (ret)
		return device_result(cmd, ret, "device-self-test");
	if (*text)
		out_text(cmd->out, "%s\n", text);
	if (args->wait && args->code != NVME_DST_STC_ABORT && wait_for_end(cmd, dev.fd))
		return 1;
	out_object(cmd->out, NULL);
	out_str(cmd->out, "result", text);
	return out_end(cmd->out);
}

DEVICE_COMMAND(
	device_self_test_command, "device-self-test",
	"Start, watch or abort a self-test of a device",
	GENERIC(OPT(UINT, "namespace-id", 'n', struct self_test_args, nsid, "N",
		    "namespace to test, 0 for none, 0xffffffff for all"),
		OPT(BYTE, "self-test-code", 's', struct self_test_args, code, "N",
		    "0 shows the progress of a test, 1 starts a short one, 2 an extended one, 3 a "
		    "host-initiated refresh, 0xe a vendor's own, 0xf aborts"),
		OPT_FLAG("wait", 'w', struct self_test_args, wait, "wait for the end of the test")),
	struct self_test_args, .defaults = &(const struct self_test_args){ .nsid = NVME_NSID_ALL },
	.run = self_test);
