// SPDX-License-Identifier: GPL-2.0-or-later
#include "log-page.h"

#define MAX_LOG_SIZE (UINT32_C(1) << 30)

int log_page_read(struct command *cmd, enum nvme_cmd_get_log_lid lid, uint64_t offset, void *to,
		  uint32_t length)
{
	const struct log_page_args *args = cmd->args;
	struct nvme_get_log_args command = {
		.lpo = offset,
		.log = to,
		.args_size = sizeof(command),
		.fd = cmd->device->fd,
		.timeout = cmd->common.timeout,
		.lid = lid,
		.len = length,
		.nsid = args->nsid,
		.csi = (enum nvme_csi)args->csi,
		.lsi = args->lsi,
		.lsp = (uint8_t)(args->lsp | args->lsp_bit),
		.rae = args->rae,
	};

	return nvme_get_log_page(cmd->device->fd, NVME_LOG_PAGE_PDU_SIZE, &command);
}

bool log_page_holds(const struct log_bytes *log, uint64_t offset, uint64_t n, size_t size)
{
	return offset <= log->size && n <= (log->size - offset) / size;
}

int log_page_ends(struct command *cmd, const char *element, uint64_t index, uint64_t count,
		  const struct log_bytes *log)
{
	return command_fail(cmd, 0,
			    "%s: %s %" PRIu64 " of %" PRIu64 " goes beyond the log's %zu bytes",
			    cmd->name, element, index + 1, count, log->size);
}

/* Print the first @n elements of @list. Return 1 if the page ends before them. */
static int show_list(struct command *cmd, const struct log_list *list, const struct log_bytes *log,
		     uint64_t n)
{
	struct out *out = cmd->out;

	out_array(out, list->key);
	for (uint64_t i = 0; i < n; i++) {
		if (!log_page_holds(log, list->offset, i + 1, list->size))
			return log_page_ends(cmd, list->element, i, n, log);
		out_listing(out, NULL, OUT_PAD_COLON, 0);
		if (list->label)
			out_uint(out_text_only(out), list->label, i);
		out_fields(out, list->fields, NULL, log->at + list->offset + i * list->size);
		out_end(out);
	}
	out_end(out);
	return 0;
}

/* Return the offset of the entry after the one at @offset, or 0 if this one is truncated. */
static uint64_t next_entry(const struct log_entries *entries, const struct log_bytes *log,
			   uint64_t offset)
{
	const unsigned char *at = log->at + offset;
	uint64_t length;

	if (!log_page_holds(log, offset, 1, entries->size))
		return 0;
	length = field_get_le(at + entries->length_at, 4);
	if (length < (entries->needs ? entries->needs(at) : entries->size))
		return 0;
	return log_page_holds(log, offset, length, 1) ? offset + length : 0;
}

/* Print @n elements. Return 1 if the page ends before them, or one is too short for its counts. */
static int show_entries(struct command *cmd, const struct log_entries *entries,
			const struct log_bytes *log, uint64_t n)
{
	uint64_t offset = entries->offset, next;
	struct out *out = cmd->out;

	out_array(out, entries->key);
	for (uint64_t i = 0; i < n; i++, offset = next) {
		next = next_entry(entries, log, offset);
		if (!next)
			return log_page_ends(cmd, entries->element, i, n, log);
		out_text(out, "%s %" PRIu64 "\n", entries->label, i);
		out_listing(out, NULL, OUT_PAD_COLON, 0);
		out_fields(out, entries->fields, NULL, log->at + offset);
		if (entries->show)
			entries->show(out, log->at + offset);
		out_end(out);
	}
	out_end(out);
	return 0;
}

static uint64_t count_of(const struct log_page *page, const void *head)
{
	return field_get_le((const unsigned char *)head + page->count_at, page->count_size);
}

static uint64_t length_of(const struct log_page *page, const void *head,
			  const struct log_page_args *args)
{
	if (page->length_size)
		return field_get_le((const unsigned char *)head + page->length_at,
				    page->length_size);
	if (page->list)
		return page->size + count_of(page, head) * page->list->size;
	return page->length ? page->length(head, args) : page->size;
}

/* Read the rest of the page into *@log; its first part contains the total length. */
static int read_rest(struct command *cmd, unsigned char **log, struct log_bytes *read)
{
	const struct log_page *page = cmd->spec->row;
	uint64_t length = length_of(page, *log, cmd->args);
	uint64_t start = page->resume ? page->size : 0;
	unsigned char *whole;
	int ret;

	if (length > MAX_LOG_SIZE)
		return command_fail(cmd, 0,
				    "%s: a length of %" PRIu64 " bytes exceeds the maximum of %u",
				    page->what, length, MAX_LOG_SIZE);
	if (length <= page->size)
		return 0;
	length = (length + 3) & ~UINT64_C(3);
	whole = realloc(*log, length);
	if (!whole)
		return command_fail(cmd, ENOMEM, "%s", page->what);
	*log = whole;
	memset(whole + page->size, 0, length - page->size);
	ret = log_page_read(cmd, page->lid, start, whole + start, (uint32_t)(length - start));
	*read = (struct log_bytes){ .at = whole, .size = length };
	return device_result(cmd, ret, page->what);
}

static int show_fields(struct command *cmd, const struct log_page *page,
		       const struct log_bytes *log)
{
	const struct log_page_args *args = cmd->args;
	struct out *out = cmd->out;

	if (page->title)
		out_text(out, "%s%s", page->title, out_safe(out, cmd->device->name));
	if (page->title_lsi && page->hex_lsi)
		out_text(out, "%s%x", page->title_lsi, args->lsi);
	else if (page->title_lsi)
		out_text(out, "%s%u", page->title_lsi, args->lsi);
	if (page->title)
		out_text(out, "\n");
	if (page->named)
		out_object(out, NULL);
	out_listing(out, cmd->device->name, OUT_PAD_COLON, page->width);
	if (page->key_lsi)
		out_uint(out_json_only(out), page->key_lsi, args->lsi);
	out_fields(out, page->fields, NULL, log->at);
	if (page->list && show_list(cmd, page->list, log, count_of(page, log->at)))
		return 1;
	if (page->entries && show_entries(cmd, page->entries, log, count_of(page, log->at)))
		return 1;
	if (page->named)
		out_end(out);
	return out_end(out);
}

static int show_page(struct command *cmd, const struct log_bytes *log)
{
	const struct log_page *page = cmd->spec->row;
	const struct log_page_args *args = cmd->args;
	bool explain = args->human || cmd->common.verbose;

	if (page->save && page->save(cmd, log))
		return 1;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log->at, log->size);
	if (page->show_bytes)
		return page->show_bytes(cmd, log, explain);
	if (page->show)
		return page->show(cmd, log->at, explain);
	return show_fields(cmd, page, log);
}

int log_page_run(struct command *cmd)
{
	const struct log_page *page = cmd->spec->row;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) unsigned char *log = calloc(1, page->size);
	struct log_bytes read = { .at = log, .size = page->size };
	struct log_page_args *args = cmd->args;
	bool rae;
	int ret;

	if (!log)
		return command_fail(cmd, ENOMEM, "%s", page->what);
	if (device_open(cmd, &dev))
		return 1;
	rae = args->rae;
	args->rae = rae || page->retain;
	ret = log_page_read(cmd, page->lid, 0, log, page->size);
	if (ret)
		return device_result(cmd, ret, page->what);
	args->rae = rae;
	if (read_rest(cmd, &log, &read))
		return 1;
	return show_page(cmd, &read);
}
