// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme rpmb: NVM Express Base Specification 2.1, section 8.1.21 */
#include "device/identify/identify.h"
#include "rpmb-frame.h"

#define RPMBS_UNITS(rpmbs) ((rpmbs)&NVME_CTRL_RPMBS_NR_UNITS)
#define RPMBS_METHOD(rpmbs) (((rpmbs)&NVME_CTRL_RPMBS_AUTH_METHOD) >> 3)
#define RPMBS_TOTAL(rpmbs) ((rpmbs) >> 16 & 0xff) /* in units of 128 KiB, 0's based */
#define RPMBS_ACCESS(rpmbs) ((rpmbs) >> 24) /* in sectors, 0's based */

/* Device Configuration Block: a sector, of which these bytes are defined. */
#define CONFIG_PROTECTION 0 /* bit 0: boot partition protection is enabled */
#define CONFIG_LOCKED 1 /* bit n: boot partition n is locked */

struct rpmb_args {
	const char *operation, *file, *key_file, *key, *message;
	uint32_t address, blocks;
	uint8_t target;
};
#define ARGS struct rpmb_args

/* Data from a file or from the command line. */
struct message {
	const char *bytes;
	size_t length;
	char *from_file; /* NULL, or @bytes, which must be freed */
};

static inline void message_free_cleanup(struct message *message)
{
	free(message->from_file);
}

static int read_message_file(struct command *cmd, const char *path, struct message *message)
{
	struct stat st;

	if (stat(path, &st))
		return command_fail(cmd, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return command_fail(cmd, 0, "%s: not a regular file", path);
	message->length = (size_t)st.st_size;
	message->bytes = message->from_file = malloc(message->length + 1);
	if (!message->bytes)
		return command_fail(cmd, ENOMEM, "%s", path);
	return bytes_read(cmd, path, message->from_file, message->length);
}

static int read_message(struct command *cmd, struct message *message)
{
	const struct rpmb_args *args = cmd->args;

	if (!args->file == !args->message)
		return command_fail(cmd, 0, "%s: one of --msgfile and --msg is required",
				    args->operation);
	if (args->file)
		return read_message_file(cmd, args->file, message);
	message->bytes = args->message;
	message->length = strlen(args->message);
	return 0;
}

static int show_info(struct command *cmd, uint32_t rpmbs)
{
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_bits_text(out, id_ctrl_bits, offsetof(struct nvme_id_ctrl, rpmbs), rpmbs);
	out_uint(out_json_only(out), "access_size", RPMBS_ACCESS(rpmbs));
	out_uint(out, "total_size", RPMBS_TOTAL(rpmbs));
	out_uint(out, "authentication_method", RPMBS_METHOD(rpmbs));
	out_uint(out, "units", RPMBS_UNITS(rpmbs));
	return out_end(out);
}

static int program_key(const struct rpmb_target *target, uint32_t rpmbs)
{
	if (rpmb_program_key(target))
		return 1;
	return out_is_json(target->cmd->out) ? command_succeed(target->cmd, "program-key: success")
					     : 0;
}

static int read_counter(const struct rpmb_target *target, uint32_t rpmbs)
{
	struct out *out = target->cmd->out;
	uint32_t counter;

	if (rpmb_read_counter(target, &counter))
		return 1;
	out_text(out, "Write Counter is: %u\n", counter);
	out_object(out, NULL);
	out_uint(out, "write_counter", counter);
	return out_end(out);
}

/* Return the number of sectors in the next frame; @left remain to be transferred. */
static uint32_t next_sectors(uint32_t rpmbs, uint32_t left)
{
	const uint32_t most = RPMBS_ACCESS(rpmbs) + 1;

	return left < most ? left : most;
}

static int check_blocks(struct command *cmd, uint32_t rpmbs)
{
	const uint32_t sectors = (RPMBS_TOTAL(rpmbs) + 1) << 8; /* units of 128 KiB */
	const struct rpmb_args *args = cmd->args;

	if (!args->blocks)
		return command_fail(cmd, 0, "invalid transfer size 0 (--blocks)");
	if (args->address >= sectors || args->blocks > sectors - args->address)
		return command_fail(cmd, 0,
				    "invalid --address %u, --blocks %u: the target has %u sectors",
				    args->address, args->blocks, sectors);
	return 0;
}

static int show_data(struct command *cmd, const void *data, size_t length)
{
	const struct rpmb_args *args = cmd->args;
	struct out *out = cmd->out;

	if (!args->file) {
		out_object(out, NULL);
		out_dump(out, "data", data, length);
		return out_end(out);
	}
	if (bytes_save(cmd, args->file, data, length))
		return 1;
	return command_succeed(cmd, "Writing %zu bytes to file %s", length, args->file);
}

static int read_data(const struct rpmb_target *target, uint32_t rpmbs)
{
	_cleanup_(free) struct rpmb_frame *answer = NULL;
	const struct rpmb_args *args = target->cmd->args;
	_cleanup_(free) char *data = NULL;

	if (check_blocks(target->cmd, rpmbs) || bytes_may_save(target->cmd, args->file))
		return 1;
	data = malloc((size_t)args->blocks * RPMB_SECTOR_SIZE);
	answer = rpmb_frame_new(target->cmd, next_sectors(rpmbs, args->blocks));
	if (!answer)
		return 1;
	if (!data)
		return command_fail(target->cmd, ENOMEM, "%u sectors", args->blocks);
	for (uint32_t done = 0, n; done < args->blocks; done += n) {
		n = next_sectors(rpmbs, args->blocks - done);
		if (rpmb_read(target, RPMB_READ_DATA, args->address + done, answer, n))
			return 1;
		memcpy(data + (size_t)done * RPMB_SECTOR_SIZE, answer->data,
		       (size_t)n * RPMB_SECTOR_SIZE);
	}
	return show_data(target->cmd, data, (size_t)args->blocks * RPMB_SECTOR_SIZE);
}

static int write_sectors(const struct rpmb_target *target, uint32_t rpmbs, const char *data)
{
	const struct rpmb_args *args = target->cmd->args;
	_cleanup_(free) struct rpmb_frame *request =
		rpmb_frame_new(target->cmd, next_sectors(rpmbs, args->blocks));

	if (!request)
		return 1;
	for (uint32_t done = 0, n; done < args->blocks; done += n) {
		n = next_sectors(rpmbs, args->blocks - done);
		memset(request, 0, sizeof(*request));
		memcpy(request->data, data + (size_t)done * RPMB_SECTOR_SIZE,
		       (size_t)n * RPMB_SECTOR_SIZE);
		if (!rpmb_write(target, RPMB_WRITE_DATA, args->address + done, request, n))
			continue;
		if (done)
			command_warn(target->cmd, 0, "wrote only %u of %u sectors", done,
				     args->blocks);
		return 1;
	}
	return 0;
}

static int write_data(const struct rpmb_target *target, uint32_t rpmbs)
{
	_cleanup_(message_free) struct message message = { 0 };
	const struct rpmb_args *args = target->cmd->args;

	if (check_blocks(target->cmd, rpmbs) || read_message(target->cmd, &message))
		return 1;
	if (message.length < (size_t)args->blocks * RPMB_SECTOR_SIZE)
		return command_fail(target->cmd, 0,
				    "invalid transfer size %zu: the data has %zu bytes",
				    (size_t)args->blocks * RPMB_SECTOR_SIZE, message.length);
	if (write_sectors(target, rpmbs, message.bytes))
		return 1;
	return command_succeed(target->cmd, "Written %u sectors out of %u @target(%u):0x%x",
			       args->blocks, args->blocks, target->number, args->address);
}

static void show_lock(struct out *out, unsigned int number, bool locked)
{
	char key[32];

	snprintf(key, sizeof(key), "boot_partition_%u_locked", number);
	out_text(out, "Boot Partition %u is %s\n", number, locked ? "Locked" : "Unlocked");
	out_bool(out, key, locked);
}

static int show_config(struct out *out, const __u8 *config)
{
	const bool enabled = config[CONFIG_PROTECTION] & 1;

	out_text(out, "Boot Partition Protection is %s\n", enabled ? "Enabled" : "Disabled");
	out_object(out, NULL);
	out_bool(out, "boot_partition_protection", enabled);
	show_lock(out, 1, config[CONFIG_LOCKED] & 2);
	show_lock(out, 0, config[CONFIG_LOCKED] & 1);
	return out_end(out);
}

static int read_config(const struct rpmb_target *target, uint32_t rpmbs)
{
	_cleanup_(free) struct rpmb_frame *answer = rpmb_frame_new(target->cmd, 1);
	const struct rpmb_args *args = target->cmd->args;

	if (!answer || bytes_may_save(target->cmd, args->file) ||
	    rpmb_read(target, RPMB_READ_CONFIG, 0, answer, 1))
		return 1;
	if (!args->file)
		return show_config(target->cmd->out, answer->data);
	if (bytes_save(target->cmd, args->file, answer->data, RPMB_SECTOR_SIZE))
		return 1;
	return command_succeed(target->cmd, "Saving received config data to %s file", args->file);
}

/* Data that is shorter than the block is padded with zeros. */
static int write_config(const struct rpmb_target *target, uint32_t rpmbs)
{
	_cleanup_(message_free) struct message message = { 0 };
	_cleanup_(free) struct rpmb_frame *request = rpmb_frame_new(target->cmd, 1);

	if (!request || read_message(target->cmd, &message))
		return 1;
	if (!message.length || message.length > RPMB_SECTOR_SIZE)
		return command_fail(target->cmd, 0, "invalid config data: %zu bytes (1 to %d)",
				    message.length, RPMB_SECTOR_SIZE);
	memcpy(request->data, message.bytes, message.length);
	if (rpmb_write(target, RPMB_WRITE_CONFIG, 0, request, 1))
		return 1;
	return out_is_json(target->cmd->out) ? command_succeed(target->cmd, "write-config: success")
					     : 0;
}

struct operation {
	const char *name;
	int (*run)(const struct rpmb_target *target, uint32_t rpmbs); /* NULL: needs no target */
	bool needs_key;
};

static const struct operation operations[] = {
	{ "info", NULL, false },
	{ "program-key", program_key, true },
	{ "read-counter", read_counter, false },
	{ "read-data", read_data, false },
	{ "write-data", write_data, true },
	{ "read-config", read_config, false },
	{ "write-config", write_config, true },
};

static const struct operation *find_operation(struct command *cmd)
{
	const struct rpmb_args *args = cmd->args;

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i].name, args->operation))
			return &operations[i];
	command_fail(cmd, 0, "Invalid option %s for rpmb command (see --cmd in --help)",
		     args->operation);
	return NULL;
}

static int refuse_key(struct command *cmd, const char *where, size_t length)
{
	return command_fail(cmd, 0, "Failed to read key: %s has %zu bytes instead of %d", where,
			    length, RPMB_KEY_SIZE);
}

/* The whole file is the key, including a line end. */
static int read_key_file(struct command *cmd, const char *path, struct rpmb_target *target)
{
	_cleanup_(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char more;
	size_t done = 0;
	ssize_t n = 1;

	if (fd < 0)
		return command_fail(cmd, errno, "Failed to read key: %s", path);
	while (n > 0 && done < RPMB_KEY_SIZE) {
		n = read(fd, target->key + done, RPMB_KEY_SIZE - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (n > 0)
		n = read(fd, &more, sizeof(more));
	if (n < 0)
		return command_fail(cmd, errno, "Failed to read key: %s", path);
	if (n > 0)
		return command_fail(cmd, 0, "Failed to read key: %s has more than %d bytes", path,
				    RPMB_KEY_SIZE);
	return done == RPMB_KEY_SIZE ? 0 : refuse_key(cmd, path, done);
}

static int read_key(struct command *cmd, const struct operation *operation,
		    struct rpmb_target *target)
{
	const struct rpmb_args *args = cmd->args;

	target->has_key = args->key || args->key_file;
	if (args->key && args->key_file)
		return command_fail(cmd, 0, "--key and --keyfile exclude each other");
	if (args->key_file)
		return read_key_file(cmd, args->key_file, target);
	if (!args->key)
		return operation->needs_key
			       ? command_fail(cmd, 0,
					      "Failed to read key: %s requires --keyfile or --key",
					      operation->name)
			       : 0;
	if (strlen(args->key) != RPMB_KEY_SIZE)
		return refuse_key(cmd, "--key", strlen(args->key));
	memcpy(target->key, args->key, RPMB_KEY_SIZE);
	return 0;
}

static int check_target(struct command *cmd, const struct rpmb_target *target, uint32_t rpmbs)
{
	if (target->number >= RPMBS_UNITS(rpmbs))
		return command_fail(
			cmd, 0,
			"invalid --target %u: the controller has %u target(s), numbered from 0",
			target->number, RPMBS_UNITS(rpmbs));
	if (RPMBS_METHOD(rpmbs))
		return command_fail(
			cmd, 0,
			"RPMB authentication method %u of the controller is not supported, only 0 "
			"(HMAC SHA-256)",
			RPMBS_METHOD(rpmbs));
	return 0;
}

static int run_operation(struct command *cmd, const struct operation *operation,
			 const struct rpmb_target *target)
{
	struct nvme_id_ctrl ctrl = { 0 };
	int ret = nvme_identify_ctrl(target->dev->fd, &ctrl);
	uint32_t rpmbs;

	if (ret)
		return device_result(cmd, ret, "identify controller");
	rpmbs = le32toh(ctrl.rpmbs);
	if (!RPMBS_UNITS(rpmbs))
		return command_fail(cmd, 0, "No RPMB targets are supported by the drive");
	if (!operation->run)
		return show_info(cmd, rpmbs);
	return check_target(cmd, target, rpmbs) ? 1 : operation->run(target, rpmbs);
}

static int rpmb(struct command *cmd)
{
	const struct rpmb_args *args = cmd->args;
	const struct operation *operation = find_operation(cmd);
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(rpmb_target_wipe) struct rpmb_target target = {
		.cmd = cmd,
		.dev = &dev,
		.number = args->target,
	};

	if (!operation || read_key(cmd, operation, &target) || device_open(cmd, &dev) ||
	    in_use_require_nvme(cmd, &dev))
		return 1;
	return run_operation(cmd, operation, &target);
}

DEVICE_COMMAND(rpmb_command, "rpmb", "Replay Protected Memory Blocks: read, write, program the key",
	       OPTIONS(OPT(STR, "cmd", 'c', ARGS, operation, "NAME",
			   "info, program-key, read-counter, read-data, write-data, read-config or "
			   "write-config"),
		       OPT(STR, "msgfile", 'f', ARGS, file, "FILE",
			   "file with the data to write, or for the data read"),
		       OPT(STR, "keyfile", 'g', ARGS, key_file, "FILE",
			   "file with the 32 bytes of the key"),
		       OPT(STR, "key", 'k', ARGS, key, "KEY",
			   "the key, 32 characters; visible to other users, unlike --keyfile"),
		       OPT(STR, "msg", 'd', ARGS, message, "TEXT", "data to write"),
		       OPT(UINT, "address", 'o', ARGS, address, "N", "first sector"),
		       OPT(UINT, "blocks", 'b', ARGS, blocks, "N", "sectors of 512 bytes"),
		       OPT(BYTE, "target", 't', ARGS, target, "N", "RPMB target, 0 to 6"),
		       OPT_COMMON(STR, "output-format", 0, format, "FMT", "normal or json"),
		       OPT_VERBOSE, OPT_TIMEOUT(0), OPT_SENDING),
	       ARGS, .defaults = &(const struct rpmb_args){ .operation = "info" },
	       .takes_keys = true, .run = rpmb);
