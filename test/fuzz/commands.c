/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole commands over what they cannot trust: data of devices, attributes in /sys, configurations,
 * discovery logs, discovery.conf, NBFT tables, reports of the other side, answers over netlink.
 *
 * The first byte chooses the command, the second how it prints; the rest is what the command reads,
 * in its order. Besides crashes, these end the run: an exit status that no command has, text with
 * bytes that a terminal would obey, a document that is not JSON or not UTF-8, a line to
 * /dev/nvme-fabrics with an option that nobody gave.
 */
/* open() and open64() are two symbols here. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../unit/fake_sysfs.h"
#include "../unit/mptcp_standin.h"
#include "fuzz.h"
#include "printed.h"

int nvme_main(int argc, char **argv);
#define main nvme_main
#include "../../nvme-cli/main.c"
#undef main

#define MAX_WORDS 12
#define MAX_TEXT 512 /* of an attribute */

/* What of a command's surroundings the input is. */
enum feed {
	DATA, /* of log pages and identify structures */
	TREE, /* attributes in /sys */
	FABRICS, /* the discovery log, behind the connect line's answer */
	DOCUMENT, /* the file that the command names */
	NETLINK, /* changes to the kernel's answers */
};

struct scenario {
	enum feed feed;
	const char *words[MAX_WORDS];
};

#define DEVICE "/dev/null"
#define PLACE "." /* replaced by the directory of the document */
#define DOCUMENT_NAME "document" /* by its path */
#define PORTAL "-t", "tcp", "-a", "10.1.1.1"

/* New ones come last: the corpus names them by their number. */
static const struct scenario scenarios[] = {
	{ DATA, { "id-ctrl", DEVICE } },
	{ DATA, { "id-ctrl", DEVICE, "-H" } },
	{ DATA, { "id-ns", DEVICE, "-n", "1" } },
	{ DATA, { "id-ns", DEVICE, "-n", "1", "-H" } },
	{ DATA, { "ns-descs", DEVICE, "-n", "1" } },
	{ DATA, { "list-ns", DEVICE } },
	{ DATA, { "list-ctrl", DEVICE } },
	{ DATA, { "smart-log", DEVICE, "-H" } },
	{ DATA, { "error-log", DEVICE, "-e", "3" } },
	{ DATA, { "ana-log", DEVICE } },
	{ DATA, { "supported-log-pages", DEVICE } },
	{ DATA, { "get-log", DEVICE, "-i", "2", "-l", "96" } },
	{ DATA, { "get-feature", DEVICE, "-f", "1", "-H" } },
	{ DATA, { "get-feature", DEVICE, "-f", "0x0c", "-H" } },
	{ DATA, { "get-feature", DEVICE, "-f", "0x0e", "-H" } },
	{ DATA, { "show-regs", DEVICE, "-H" } },
	{ DATA, { "get-property", DEVICE, "-O", "0", "-H" } },
	{ TREE, { "list" } },
	{ TREE, { "list", "-v" } },
	{ TREE, { "list-subsys" } },
	{ TREE, { "list-subsys", "-v" } },
	{ TREE, { "show-topology" } },
	{ TREE, { "show-topology", "-v" } },
	{ TREE, { "config", "--scan", "--dump" } },
	{ FABRICS, { "discover", PORTAL, "-J", "none" } },
	{ FABRICS, { "connect-all", PORTAL, "-J", "none" } },
	{ FABRICS, { "connect", PORTAL, "-n", "nqn.2024-01.org.example:a", "-J", "none" } },
	{ DOCUMENT, { "connect-all", "-J", DOCUMENT_NAME } },
	{ DOCUMENT, { "config", "--dump", "-J", DOCUMENT_NAME } },
	{ DOCUMENT, { "config", "--scan", "--dump", "-J", DOCUMENT_NAME } },
	{ DOCUMENT, { "nbft", "show", "--nbft-path", PLACE } },
	{ DOCUMENT, { "mptcp", "check", "--no-trial", "--peer", DOCUMENT_NAME } },
	{ DOCUMENT, { "mptcp", "check", "--no-trial", "--brief", "--peer", DOCUMENT_NAME } },
	{ DOCUMENT, { "check-tls-key", "-d", DOCUMENT_NAME } },
	{ NETLINK, { "mptcp", "show-subflows" } },
	{ NETLINK, { "mptcp", "show-subflows", "-v" } },
	{ NETLINK, { "mptcp", "show-endpoints" } },
	{ NETLINK, { "mptcp", "check", "--no-trial", "--role", "host" } },
	{ NETLINK, { "mptcp", "setup", "--role", "host", "--traddr", "10.1.1.1" } },
	{ NETLINK, { "mptcp", "repair" } },
	{ DATA, { "get-feature", DEVICE, "-o", "json" } },
	{ DATA, { "get-feature", DEVICE, "-f", "0x03", "-H" } },
	{ DATA, { "get-feature", DEVICE, "-f", "0x1e", "-H" } },
	{ DATA, { "get-feature", DEVICE, "-f", "0x7e", "-H" } },
	{ DATA, { "supported-log-pages", DEVICE, "-v" } },
	{ DATA, { "sanitize-log", DEVICE, "-H" } },
	{ DATA, { "self-test-log", DEVICE, "-v" } },
	{ DATA, { "changed-ns-list-log", DEVICE } },
	{ DATA, { "effects-log", DEVICE, "-H" } },
	{ DATA, { "lba-status-log", DEVICE } },
	{ DATA, { "media-unit-stat-log", DEVICE } },
	{ DATA, { "supported-cap-config-log", DEVICE } },
	{ DATA, { "mgmt-addr-list-log", DEVICE } },
	{ DATA, { "dispersed-ns-participating-nss-log", DEVICE } },
	{ DATA, { "reachability-groups-log", DEVICE } },
	{ DATA, { "host-discovery-log", DEVICE } },
	{ DATA, { "ave-discovery-log", DEVICE } },
	{ DATA, { "pull-model-ddc-req-log", DEVICE } },
	{ DATA, { "phy-rx-eom-log", DEVICE } },
	{ DATA, { "persistent-event-log", DEVICE } },
	{ DATA, { "endurance-event-agg-log", DEVICE } },
	{ DATA, { "zns", "id-ns", DEVICE, "-n", "1", "-H" } },
	{ DATA, { "zns", "report-zones", DEVICE, "-n", "1", "-v", "-e" } },
	{ DATA, { "zns", "changed-zone-list", DEVICE, "-n", "1" } },
	{ DATA, { "zns", "zone-append", DEVICE, "-n", "1", "-s", "0", "-z", "512", "-d", DEVICE } },
	{ DATA, { "fdp", "configs", DEVICE, "-e", "1", "-H" } },
	{ DATA, { "fdp", "usage", DEVICE, "-e", "1" } },
	{ DATA, { "fdp", "events", DEVICE, "-e", "1" } },
	{ DATA, { "fdp", "status", DEVICE, "-n", "1" } },
	{ DATA, { "get-lba-status", DEVICE, "-n", "1", "-a", "0x10", "-m", "63" } },
	{ DATA, { "dir-receive", DEVICE, "-n", "1", "-O", "1", "-H" } },
	{ DATA, { "dir-receive", DEVICE, "-n", "1", "-D", "1", "-O", "2", "-H" } },
	{ DATA, { "security-recv", DEVICE, "-x", "67", "-t", "67" } },
	{ DATA, { "nvme-mi-recv", DEVICE, "-O", "0", "-l", "64" } },
	{ DATA, { "rpmb", DEVICE, "-c", "read-config" } },
};

#define SCENARIOS (sizeof(scenarios) / sizeof(*scenarios))

/* Options that those connect lines may have: what the command lines above give, and identities. */
static const char *const given[] = {
	"nqn",	     "transport",      "traddr",     "trsvcid",	       "hostnqn",
	"hostid",    "host_traddr",    "host_iface", "keep_alive_tmo", "ctrl_loss_tmo",
	"discovery", "disable_sqflow",
};

static const char *root; /* of the made-up /sys, which is the document's directory as well */
static char document[128];

static const uint8_t *input;
static size_t left;
static size_t answered; /* bytes of devices */
static enum feed feed;

static size_t take(void *to, size_t n)
{
	const size_t have = n < left ? n : left;

	if (!n)
		return 0;
	memset(to, 0, n);
	memcpy(to, input, have);
	input += have;
	left -= have;
	return have;
}

static uint8_t take_byte(void)
{
	uint8_t byte;

	take(&byte, 1);
	return byte;
}

/* A device has no more: the text of a log is ten times as long as the log says it is. */
#define MOST_ANSWERED (2 << 20)
#define NO_MORE 0x4002 /* Invalid Field in Command, Do Not Retry */

static int answer(void *buffer, size_t n)
{
	take(buffer, buffer ? n : 0);
	answered += n;
	if (answered > MOST_ANSWERED)
		return NO_MORE;
	/* One in eight commands fails, with a status of the input. */
	return left && !(take_byte() & 7) ? take_byte() << 8 | take_byte() : 0;
}

/* The number of records of a discovery log is small, so that most inputs reach the records. */
static void bound_records(void *buffer, size_t n)
{
	if (feed == FABRICS && n >= 16 && n <= 1024)
		memset((char *)buffer + 9, 0, 7);
}

static int answer_32(struct nvme_passthru_cmd *cmd)
{
	void *buffer = (void *)(uintptr_t)cmd->addr;
	int status = answer(buffer, cmd->data_len);

	cmd->result = take_byte();
	if (buffer)
		bound_records(buffer, cmd->data_len);
	return status;
}

static int answer_64(struct nvme_passthru_cmd64 *cmd)
{
	int status = answer((void *)(uintptr_t)cmd->addr, cmd->data_len);

	cmd->result = take_byte();
	return status;
}

/* Between two looks nothing changes here: a check would wait a second for each input. */
int nanosleep(const struct timespec *wanted, struct timespec *remaining)
{
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	switch (request) {
	case NVME_IOCTL_ADMIN_CMD:
	case NVME_IOCTL_IO_CMD:
		return answer_32(arg);
	case NVME_IOCTL_ADMIN64_CMD:
	case NVME_IOCTL_IO64_CMD:
		return answer_64(arg);
	case NVME_IOCTL_ID:
		return take_byte();
	default:
		return (int)syscall(SYS_ioctl, fd, request, arg);
	}
}

/* /dev/nvme-fabrics: the first connection comes into being as nvme0, later ones fail. */
static int fabrics = -1;
static unsigned int connects;

static const char fabrics_options[] =
	"instance=%d,cntlid=%d,transport=%s,traddr=%s,trsvcid=%s,nqn=%s,queue_size=%d,"
	"nr_io_queues=%d,reconnect_delay=%d,ctrl_loss_tmo=%d,keep_alive_tmo=%d,hostnqn=%s,"
	"host_traddr=%s,host_iface=%s,hostid=%s,duplicate_connect,disable_sqflow,hdr_digest,"
	"data_digest,nr_write_queues=%d,nr_poll_queues=%d,tos=%d,keyring=%d,tls_key=%d,"
	"fast_io_fail_tmo=%d,discovery,dhchap_secret=%s,dhchap_ctrl_secret=%s,tls\n";

static int real_open(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int open_fabrics(const char *text)
{
	fabrics = memfd_create("fabrics", MFD_CLOEXEC);
	if (fabrics < 0 || syscall(SYS_write, fabrics, text, strlen(text)) < 0)
		abort();
	lseek(fabrics, 0, SEEK_SET);
	return fabrics;
}

/* No device of this machine is ever opened. */
static int open_path(const char *path, int flags, mode_t mode)
{
	if (!strcmp(path, "/dev/nvme-fabrics"))
		return open_fabrics(fabrics_options);
	if (!strncmp(path, "/dev/nvme", 9))
		path = DEVICE;
	return real_open(path, flags, mode);
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode; \
\
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		return open_path(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

static bool is_given(const char *key, size_t length)
{
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (strlen(given[i]) == length && !memcmp(given[i], key, length))
			return true;
	return false;
}

static void check_line(const char *line, size_t n)
{
	for (const char *at = line, *end = line + n; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const size_t length = (size_t)((comma ? comma : end) - at);

		if (!is_given(at, strcspn(at, "=,\n") < length ? strcspn(at, "=,\n") : length))
			printed_refuse("an option that nobody gave", line, n);
		at += length + 1;
	}
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < 0x20 && line[i] != '\n')
			printed_refuse("control bytes for the kernel", line, n);
}

ssize_t write(int fd, const void *buffer, size_t n)
{
	static const char reply[] = "instance=0,cntlid=1\n";

	if (fd < 0 || fd != fabrics)
		return syscall(SYS_write, fd, buffer, n);
	if (feed == FABRICS)
		check_line(buffer, n);
	if (connects++) {
		errno = connects % 2 ? ECONNREFUSED : EALREADY;
		return -1;
	}
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ||
	    syscall(SYS_write, fd, reply, sizeof(reply) - 1) < 0)
		abort();
	lseek(fd, 0, SEEK_SET);
	return (ssize_t)n;
}

/* A line of the input, which may hold anything but what ends it in /sys. */
static const char *take_text(char text[MAX_TEXT])
{
	size_t n = take_byte();

	n = take(text, n < MAX_TEXT ? n : MAX_TEXT - 1);
	text[n] = '\0';
	return text;
}

#define CTRL_DIR "sys/devices/virtual/nvme-fabrics/ctl/nvme0/"
#define SUBSYSTEM_DIR "sys/devices/virtual/nvme-subsystem/nvme-subsys0/"

static const char *const attributes[] = {
	CTRL_DIR "address",
	CTRL_DIR "state",
	CTRL_DIR "model",
	CTRL_DIR "serial",
	CTRL_DIR "firmware_rev",
	CTRL_DIR "cntrltype",
	CTRL_DIR "dctype",
	CTRL_DIR "hostnqn",
	CTRL_DIR "dhchap_secret",
	CTRL_DIR "transport",
	SUBSYSTEM_DIR "subsysnqn",
	SUBSYSTEM_DIR "model",
	SUBSYSTEM_DIR "iopolicy",
	SUBSYSTEM_DIR "nvme0n1/nguid",
	SUBSYSTEM_DIR "nvme0n1/size",
	SUBSYSTEM_DIR "nvme0n1/wwid",
	SUBSYSTEM_DIR "nvme0n1/uuid",
	CTRL_DIR "nvme0c0n1/ana_state",
	CTRL_DIR "nvme0c0n1/ana_grpid",
};

#define ATTRIBUTES (sizeof(attributes) / sizeof(*attributes))

static char *originals[ATTRIBUTES]; /* NULL: it is not there */
static bool changed[ATTRIBUTES];

static void keep_originals(void)
{
	char text[MAX_TEXT];

	for (size_t i = 0; i < ATTRIBUTES; i++) {
		char path[256];
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "%s/%s", root, attributes[i]);
		fd = real_open(path, O_RDONLY | O_CLOEXEC, 0);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text));
		originals[i] = n < 0 ? NULL : strndup(text, (size_t)n);
		if (fd >= 0)
			close(fd);
	}
}

static void change_tree(void)
{
	char text[MAX_TEXT];

	for (size_t i = 0; i < ATTRIBUTES; i++) {
		const uint8_t choice = take_byte();

		changed[i] = choice >= 0x80 || (choice >= 0x60 && originals[i]);
		if (choice >= 0x80)
			fake_attr(take_text(text), "%s", attributes[i]);
		else if (changed[i])
			fake_remove("%s", attributes[i]);
	}
}

static void restore_tree(void)
{
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		if (changed[i] && originals[i])
			fake_attr(originals[i], "%s", attributes[i]);
		else if (changed[i])
			fake_remove("%s", attributes[i]);
		changed[i] = false;
	}
}

static void garble(void *data, size_t length)
{
	for (unsigned int n = take_byte() & 7; n && left; n--) {
		const size_t at = take_byte() | (size_t)take_byte() << 8;

		((uint8_t *)data)[at % length] = take_byte();
	}
}

static void write_document(const char *name)
{
	int fd;

	snprintf(document, sizeof(document), "%s/%s", root, name);
	fd = real_open(document, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || syscall(SYS_write, fd, input, left) != (ssize_t)left)
		abort();
	close(fd);
}

static void prepare(const struct scenario *scenario)
{
	feed = scenario->feed;
	connects = 0;
	fabrics = -1;
	standin_garble = feed == NETLINK ? garble : NULL;
	if (feed == TREE)
		change_tree();
	else if (feed == DOCUMENT)
		write_document(strcmp(scenario->words[0], "nbft") ? DOCUMENT_NAME : "NBFT");
}

/* What a command printed, and its own streams behind it. */
struct printed {
	FILE *stream, *saved;
	char *text;
	size_t size;
};

static void catch (struct printed *p, FILE **stream)
{
	p->saved = *stream;
	p->stream = open_memstream(&p->text, &p->size);
	if (!p->stream)
		abort();
	*stream = p->stream;
}

static void release(struct printed *p, FILE **stream)
{
	*stream = p->saved;
	if (fclose(p->stream))
		abort();
}

static char *copy_word(const char *word)
{
	char *copy = strdup(!strcmp(word, PLACE)	   ? root
			    : !strcmp(word, DOCUMENT_NAME) ? document
							   : word);

	if (!copy)
		abort();
	return copy;
}

static void run(const struct scenario *scenario, bool json)
{
	char *words[MAX_WORDS + 4] = { copy_word("nvme") }, *given_words[MAX_WORDS + 4];
	struct printed out, err;
	int n = 1, status;

	while (n - 1 < MAX_WORDS && scenario->words[n - 1]) {
		words[n] = copy_word(scenario->words[n - 1]);
		n++;
	}
	if (json) {
		words[n++] = copy_word("-o");
		words[n++] = copy_word("json");
	}
	/* The program shortens and replaces them. */
	memcpy(given_words, words, sizeof(words));
	catch (&out, &stdout);
	catch (&err, &stderr);
	status = nvme_main(n, words);
	release(&out, &stdout);
	release(&err, &stderr);
	if (status < 0 || status > 3)
		printed_refuse("no exit status of a command", err.text, err.size);
	printed_check_text(err.text, err.size);
	/* What config prints is a document in any case. */
	if (json || !strcmp(scenario->words[0], "config"))
		printed_check_json(out.text, out.size);
	else
		printed_check_text(out.text, out.size);
	free(out.text);
	free(err.text);
	for (int i = 0; i < n; i++)
		free(given_words[i]);
}

static void begin(void)
{
	root = fake_sysfs_begin();
	fake_multipath();
	atexit(fake_sysfs_end);
	setenv("LC_ALL", "C", 1);
	keep_originals();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;

	if (size < 2)
		return 0;
	if (!begun)
		begin();
	begun = true;
	input = data + 2;
	left = size - 2;
	answered = 0;
	prepare(&scenarios[data[0] % SCENARIOS]);
	run(&scenarios[data[0] % SCENARIOS], data[1] & 1);
	restore_tree();
	return 0;
}
