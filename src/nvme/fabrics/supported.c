/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options that the running kernel supports: newer kernels list them in /dev/nvme-fabrics. */
#include "private.h"

#define BIT(id) (UINT64_C(1) << OPTION_##id)

/* Options assumed for a kernel that does not list them. */
#define DEFAULT_OPTIONS \
	(BIT(CTRL_LOSS_TMO) | BIT(DATA_DIGEST) | BIT(DISABLE_SQFLOW) | BIT(DISCOVERY) | \
	 BIT(DUPLICATE_CONNECT) | BIT(FAST_IO_FAIL_TMO) | BIT(HDR_DIGEST) | BIT(HOST_IFACE) | \
	 BIT(HOST_TRADDR) | BIT(HOSTID) | BIT(HOSTNQN) | BIT(KEEP_ALIVE_TMO) | BIT(NQN) | \
	 BIT(NR_IO_QUEUES) | BIT(NR_POLL_QUEUES) | BIT(NR_WRITE_QUEUES) | BIT(QUEUE_SIZE) | \
	 BIT(RECONNECT_DELAY) | BIT(TOS) | BIT(TRADDR) | BIT(TRANSPORT) | BIT(TRSVCID))

static void add_name(const char *name, size_t n, struct fabrics_options *options)
{
	for (unsigned int id = 0; id < N_OPTIONS; id++) {
		if (strlen(option_name(id)) == n && !memcmp(option_name(id), name, n)) {
			options->known |= UINT64_C(1) << id;
			return;
		}
	}
}

/* Parse the text of the device: names separated by commas, with or without "=%s". */
static void fabrics_options_parse(const char *text, size_t n, struct fabrics_options *ret)
{
	const char *end = text + n;

	ret->known = 0;
	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *stop = comma ? comma : end;
		size_t len = 0;

		while (text + len < stop && text[len] != '=' && text[len] != '\n')
			len++;
		if (len)
			add_name(text, len, ret);
		text = stop + 1;
	}
}

static int read_options(struct nvme_root *r, struct fabrics_options *options)
{
	_cleanup_(close) int fd = open(NVMF_DEVICE, O_RDONLY | O_CLOEXEC);
	char text[4 * CONNECT_STRING_SIZE];
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -ENVME_CONNECT_OPEN;
	do {
		n = read(fd, text + len, sizeof(text) - len);
		if (n > 0)
			len += (size_t)n;
	} while ((n > 0 && len < sizeof(text)) || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EINVAL)
		log_notice(r, "%s does not list its options: %s", NVMF_DEVICE, strerror(errno));

	fabrics_options_parse(text, n < 0 ? 0 : len, options);
	if (!option_is_known(options, OPTION_NQN))
		options->known = DEFAULT_OPTIONS;
	return 0;
}

int fabrics_options_get(struct nvme_root *r, const struct fabrics_options **ret)
{
	if (!r->options) {
		_cleanup_(free) struct fabrics_options *options = malloc(sizeof(*options));
		int err;

		if (!options)
			return -ENOMEM;
		err = read_options(r, options);
		if (err)
			return err;
		r->options = steal_ptr(&options);
	}
	*ret = r->options;
	return 0;
}

bool nvmf_needs_relay(const char *transport, bool tls)
{
	const struct transport *row = transport_by_name(transport);

	return row->relayed_as &&
	       (sysfs_has_module(row->module) <= 0 || (tls && !fabrics_has_tls(row)));
}

int nvmf_ctrl_set_relayed(nvme_ctrl_t c, bool relayed)
{
	int err = ctrl_set_relayed(c, relayed);

	errno = -err;
	return err ? -1 : 0;
}

/* The parameter exists only with CONFIG_NVME_TCP_TLS (drivers/nvme/host/tcp.c). */
bool fabrics_has_tls(const struct transport *transport)
{
	return transport_has(transport, NVMF_TRANSPORT_TLS) ||
	       (transport->tls_by_module &&
		sysfs_module_has(transport->module, "parameters/tls_handshake_timeout"));
}
