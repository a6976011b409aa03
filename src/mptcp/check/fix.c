// SPDX-License-Identifier: LGPL-2.1-or-later
/* Commands that several rules print, as specific as a snapshot allows. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "rules.h"
#include "shared/text.h"

static void delete_endpoint(struct check *c, struct nvme_mptcp_finding *f,
			    const struct nvme_mptcp_endpoint *ep)
{
	finding_fix(c, f, check_side(c), "ip mptcp endpoint delete id %u", ep->id);
}

void fix_add(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	     int64_t flags, const char *dev)
{
	char text[ENDPOINT_SPEC_TEXT];
	struct endpoint_spec spec;

	endpoint_spec_of(c->snap, ep, &spec);
	spec.flags = flags;
	/* Only announced addresses can have a port. */
	if (endpoint_conflict(flags, spec.port) == ENDPOINT_CONFLICT_PORT)
		spec.port = 0;
	/* With a new identifier, a late removal of the announced one cannot affect it. */
	if (endpoint_announces(ep))
		spec.id = 0;
	/* "" removes the device. */
	if (dev)
		str_copy(spec.device, sizeof(spec.device), dev, strlen(dev));
	endpoint_spec_text(&spec, text);
	finding_fix(c, f, check_side(c), "ip mptcp endpoint add %s", text);
	finding_fix_is(f, FIX_ADD);
}

bool fix_delete(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep)
{
	if (!fix_gate_endpoint(c, f, ep, GATE_REDUNDANT, NULL))
		return false;
	delete_endpoint(c, f, ep);
	return true;
}

bool fix_delete_announced(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_endpoint *ep)
{
	if (!fix_gate_endpoint(c, f, ep, GATE_ANNOUNCED, NULL))
		return false;
	delete_endpoint(c, f, ep);
	return true;
}

/* Deleting the endpoint also ends initial subflows. Their replacements count against the limit. */
static void make_room_for_initial(struct check *c, struct nvme_mptcp_finding *f,
				  const struct nvme_mptcp_endpoint *ep)
{
	for (size_t i = 0; i < c->n_conns && !c->trial && !(c->role & ON_TARGET); i++) {
		if (!endpoint_is_initial(ep, c->conns[i]) || !connection_is_full(c->conns[i]))
			continue;
		fix_limits(c, f, NVME_MPTCP_ROLE_HOST, (size_t)c->snap->limit_subflows + 1);
		return;
	}
}

/* Do not bind to a loopback or dummy: nothing would leave. Let routes choose the link. */
static const char *device_for(const struct check *c, const char *dev)
{
	const struct nvme_mptcp_link *link = plan_link_by_name(c->snap, dev);

	return link && link_is_loopback_like(link) ? "" : dev;
}

bool fix_replace(struct check *c, struct nvme_mptcp_finding *f,
		 const struct nvme_mptcp_endpoint *ep, int64_t flags, const char *dev)
{
	dev = device_for(c, dev);
	if (!fix_gate_endpoint(c, f, ep, GATE_REJOIN, dev))
		return false;
	make_room_for_initial(c, f, ep);
	delete_endpoint(c, f, ep);
	fix_add(c, f, ep, flags, dev);
	return true;
}

/* Add the path of a subsystem in a directory of configfs as the next word. */
static void put_subsystem(FILE *to, const char *directory, const char *name)
{
	char path[64 + NAME_MAX], word[SHELL_WORD(sizeof(path))];

	snprintf(path, sizeof(path), " /sys/kernel/config/nvmet/%s/%s", directory, name);
	fprintf(to, " %s", shell_word(path + 1, word, sizeof(word)));
}

/* One command for all subsystems: while only some are linked, hosts of the others stop retrying. */
static void put_offers(struct check *c, struct nvme_mptcp_finding *f,
		       const struct target_port *port, const char *tool,
		       const char *const *subsystems, size_t n)
{
	const bool adds = !strcmp(tool, "ln -s");
	_cleanup_(text_wipe) struct text text = { 0 };
	char offered[40];

	snprintf(offered, sizeof(offered), "ports/%.16s/subsystems", port->name);
	if (text_open(&text)) {
		fputs(tool, text.stream);
		for (size_t i = 0; i < n; i++)
			put_subsystem(text.stream, adds ? "subsystems" : offered, subsystems[i]);
		if (adds)
			fprintf(text.stream, " /sys/kernel/config/nvmet/%s/", offered);
	}
	if (text_close(&text)) {
		c->err = -ENOMEM;
		return;
	}
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "%s", text.bytes);
	finding_fix_is(f, FIX_OF_PORT);
}

void fix_offer(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	       const char *subsystem)
{
	put_offers(c, f, port, "ln -s", &subsystem, 1);
}

/* configfs refuses to change an enabled port (EACCES). */
void fix_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	      const char *attribute, const char *value)
{
	const char *const *offered = (const char *const *)port->subsystems;

	if (!fix_gate_port(c, f, port))
		return;
	if (port->n_subsystems)
		put_offers(c, f, port, "rm", offered, port->n_subsystems);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    "echo %s > /sys/kernel/config/nvmet/ports/%.16s/%s", value, port->name,
		    attribute);
	finding_fix_is(f, FIX_OF_PORT);
	if (port->n_subsystems)
		put_offers(c, f, port, "ln -s", offered, port->n_subsystems);
}

void fix_plain_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port)
{
	if (c->has_relay || c->snap->relay)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
			    NVME_MPTCP_COMMAND " setup --role target --relay --apply");
	else
		fix_port(c, f, port, "addr_trtype", "mptcp");
}

void fix_reset_ctrl(struct check *c, struct nvme_mptcp_finding *f,
		    const struct nvme_mptcp_ctrl *ctrl)
{
	if (fix_gate_reset(c, ctrl))
		fix_reset_whole(c, f, ctrl);
}

void fix_reset_whole(struct check *c, struct nvme_mptcp_finding *f,
		     const struct nvme_mptcp_ctrl *ctrl)
{
	char word[SHELL_WORD(NAME_MAX)];

	if (!fix_gate_reconnect(c, f, ctrl))
		return;
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, NVME_COMMAND " reset /dev/%s",
		    shell_word(ctrl->name, word, sizeof(word)));
	finding_fix_is(f, FIX_NOTICE);
}

/* Let a shell write settings of links whose names sysctl cannot have in a key. */
struct link_setting {
	const char *name;
	int value;
};

static void fix_links(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		      const char *const *links, size_t n_links, const struct link_setting *settings,
		      size_t n_settings)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	bool any = false;

	if (text_open(&text))
		for (size_t i = 0; i < n_links * n_settings; i++) {
			const struct link_setting *s = &settings[i % n_settings];
			const char *link = links[i / n_settings];

			if (snapshot_is_sysctl_key(link)) {
				snapshot_put_setting(text.stream, link, s->name, s->value);
				any = true;
			} else {
				finding_fix(
					c, f, side,
					"sh -c 'echo %d > \"$0\"' /proc/sys/net/ipv4/conf/%s/%s",
					s->value, LINK_WORD(link), s->name);
			}
		}
	if (text_close(&text))
		c->err = -ENOMEM;
	else if (any)
		finding_fix(c, f, side, "sysctl -w%s", text.bytes);
}

void fix_rp_filter(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		   const char *link)
{
	const struct link_setting loose = { "rp_filter", 2 };

	fix_links(c, f, side, &link, 1, &loose, 1);
}

void fix_arp(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
	     const struct nvme_mptcp_link *const *links, size_t n)
{
	static const struct link_setting own[] = { { "arp_ignore", 1 }, { "arp_announce", 2 } };
	_cleanup_(free) const char **names = calloc(n + 1, sizeof(*names));

	if (!names) {
		c->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++)
		names[i] = links[i]->name;
	fix_links(c, f, side, names, n, own, sizeof(own) / sizeof(*own));
}

const char *fix_rule_tool(const struct in6_addr *ip)
{
	return address_is_v4(ip) ? "ip rule" : "ip -6 rule";
}

void fix_reset(struct check *c, struct nvme_mptcp_finding *f,
	       bool (*is_such)(const struct check *c, const struct nvme_mptcp_connection *conn))
{
	const struct nvme_mptcp_ctrl *last = NULL;

	/* Connections of a controller are adjacent. */
	FOR_EACH_CONN(c, conn) {
		const struct nvme_mptcp_ctrl *ctrl = conn->ctrl;

		if (!ctrl || ctrl == last || !is_such(c, conn))
			continue;
		fix_reset_ctrl(c, f, ctrl);
		last = ctrl;
	}
}

/* Return number @i of tcp_rmem on @side, or @usual where it is unknown. */
static int64_t rmem_number(struct check *c, enum nvme_mptcp_role side, size_t i, int64_t usual)
{
	int64_t number = side == check_side(c) && c->ops->setting_number
				 ? c->ops->setting_number(c, "net/ipv4/tcp_rmem", i)
				 : NVME_MPTCP_UNKNOWN;

	return number > 0 ? number : usual;
}

/* Keep the minimum and the initial size: measurements show that large initial buffers are slow. */
void fix_buffer(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		int64_t most)
{
	finding_fix(c, f, side, "sysctl -w net.ipv4.tcp_rmem=\"%lld %lld %lld\"",
		    (long long)rmem_number(c, side, 0, 4096),
		    (long long)rmem_number(c, side, 1, 131072),
		    (long long)(most < FIX_BUFFER / 2 ? FIX_BUFFER : 2 * most));
}
