// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fw-download: NVM Express Base Specification 2.1, section 5.1.9 */
#include "device/in-use.h"

#define FW_UNIT 4096U /* bytes: unit of --xfer, and of the granularity that controllers report */
#define FW_ANY 0xff
#define FW_TRIES 3
#define FW_OVERLAP 0x114 /* status code: Overlapping Range */
#define FW_MAX (1U << 30)

struct fw_args {
	const char *file;
	uint32_t xfer, offset;
	bool progress, ignore_overlap;
};
#define ARGS struct fw_args

struct image {
	unsigned char *bytes;
	uint32_t size;
};

static void image_free_cleanup(struct image *image)
{
	free(image->bytes);
}

static int load(struct command *cmd, const char *path, struct image *image)
{
	_cleanup_(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;

	if (!path)
		return command_fail(cmd, 0, "Failed to open firmware file: --fw=FILE is required");
	if (fd < 0 || fstat(fd, &st))
		return command_fail(cmd, errno, "Failed to open firmware file %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size & 3 || st.st_size > FW_MAX)
		return command_fail(
			cmd, 0,
			"Invalid size:%lld for f/w image (%s: must be a file of a multiple of 4 "
			"bytes, up to 1 GiB)",
			(long long)st.st_size, path);
	image->size = (uint32_t)st.st_size;
	image->bytes = malloc(image->size);
	if (!image->bytes)
		return command_fail(cmd, ENOMEM, "%s", path);
	return bytes_read(cmd, path, image->bytes, image->size);
}

static int find_transfer(struct command *cmd, const struct image *image, uint32_t *xfer)
{
	const struct fw_args *args = cmd->args;
	struct nvme_id_ctrl ctrl = { 0 };

	*xfer = args->xfer && args->xfer % FW_UNIT == 0 ? args->xfer : FW_UNIT;
	if (args->xfer && args->xfer != *xfer)
		command_warn(
			cmd, 0,
			"WARNING: --xfer %u is not a multiple of %u; using transfers of %u bytes",
			args->xfer, FW_UNIT, *xfer);
	if (args->xfer)
		return 0;
	if (device_identify_ctrl(cmd, &ctrl))
		return 1;
	if (ctrl.fwug && ctrl.fwug != FW_ANY)
		*xfer = ctrl.fwug * FW_UNIT;
	if (ctrl.fwug && ctrl.fwug != FW_ANY && image->size % *xfer)
		command_warn(cmd, 0,
			     "WARNING: firmware file size %u not conform to FWUG alignment %u",
			     image->size, *xfer);
	return 0;
}

static void show_progress(struct command *cmd, uint32_t offset, const struct image *image,
			  uint32_t at)
{
	const struct fw_args *args = cmd->args;

	if (!command_has_text(cmd) || (!args->progress && !isatty(STDOUT_FILENO)))
		return;
	out_text(cmd->out, "%sFirmware download: transferring 0x%08x/0x%08x bytes: %03u%%",
		 at ? "\r" : "", offset * 4 + at, image->size,
		 (unsigned int)((uint64_t)at * 100 / image->size));
	out_flush(cmd->out);
}

static int send_part(struct command *cmd, int fd, const struct image *image, uint32_t at,
		     uint32_t size)
{
	const struct fw_args *args = cmd->args;
	struct nvme_fw_download_args command = {
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.offset = args->offset * 4 + at,
		.data_len = size,
		.data = (void *)(image->bytes + at),
	};
	int ret = 0;

	for (int tries = 0; tries < FW_TRIES; tries++) {
		ret = nvme_fw_download(&command);
		if (!ret || ret < 0)
			return ret;
		if ((ret & 0x7ff) == FW_OVERLAP && args->ignore_overlap)
			return 0;
		if (ret & NVME_SC_DNR) /* a retry would fail as well */
			return ret;
		if (tries + 1 < FW_TRIES)
			command_warn(
				cmd, 0,
				"fw-download: error on offset 0x%08x/0x%08x (%s), try %d of %d", at,
				image->size, nvme_status_to_string(ret, false), tries + 2,
				FW_TRIES);
	}
	return ret;
}

static int fw_download(struct command *cmd)
{
	const struct fw_args *args = cmd->args;
	_cleanup_(image_free) struct image image = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	uint32_t xfer;
	int ret;

	if (load(cmd, args->file, &image) || device_open(cmd, &dev) ||
	    in_use_require_nvme(cmd, &dev) || find_transfer(cmd, &image, &xfer))
		return 1;
	for (uint32_t at = 0; at < image.size; at += xfer) {
		show_progress(cmd, args->offset, &image, at);
		ret = send_part(cmd, dev.fd, &image, at,
				image.size - at < xfer ? image.size - at : xfer);
		if (ret < 0 && cmd->common.dry_run && errno == ECANCELED)
			continue;
		if (ret)
			return device_result(cmd, ret, "fw-download");
	}
	if (cmd->common.dry_run)
		return 0;
	if (command_has_text(cmd) && (args->progress || isatty(STDOUT_FILENO)))
		out_text(cmd->out, "\n");
	return command_succeed(cmd, "Firmware download success");
}

DEVICE_COMMAND(fw_download_command, "fw-download", "Copy a firmware image to a controller",
	       GENERIC(OPT(STR, "fw", 'f', ARGS, file, "FILE", "firmware image (required)"),
		       OPT(UINT, "xfer", 'x', ARGS, xfer, "N",
			   "bytes of each transfer, a multiple of 4096 (default: the controller's "
			   "granularity)"),
		       OPT(UINT, "offset", 'O', ARGS, offset, "N",
			   "position of the file in the image, in units of 4 bytes"),
		       OPT_FLAG("progress", 'p', ARGS, progress,
				"show the progress; a terminal always shows it"),
		       OPT_FLAG("ignore-ovr", 'i', ARGS, ignore_overlap,
				"continue if a part overlaps an earlier one")),
	       ARGS, .run = fw_download);
