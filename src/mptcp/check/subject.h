/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subject of a finding: a kind and its objects. The printed text is derived from these. */
#pragma once

#include <netinet/in.h>

#include <nvme/mptcp/check.h>

#define SUBJECT_OBJECTS 2

struct subject {
	enum nvme_mptcp_subject kind;
	const char *name[SUBJECT_OBJECTS]; /* names of objects, if they have names; borrowed */
	struct in6_addr ip[SUBJECT_OBJECTS]; /* one address, or both ends of a path */
	size_t number; /* limit, endpoint identifier, count of connections or further controllers */
};

#define SUBJECT_OF_NAME(kind_, KIND) \
	static inline struct subject subject_##kind_(const char *name) \
	{ \
		return (struct subject){ .kind = NVME_MPTCP_SUBJECT_##KIND, .name = { name } }; \
	}

SUBJECT_OF_NAME(kernel, KERNEL)
SUBJECT_OF_NAME(module, MODULE)
SUBJECT_OF_NAME(part, PART)
SUBJECT_OF_NAME(service, SERVICE)
SUBJECT_OF_NAME(setting, SETTING)
SUBJECT_OF_NAME(link, LINK)
SUBJECT_OF_NAME(portal, PORTAL)
SUBJECT_OF_NAME(ctrl, CONTROLLER)
SUBJECT_OF_NAME(subsystem, SUBSYSTEM)
SUBJECT_OF_NAME(packet, PACKET)
SUBJECT_OF_NAME(port, PORT)

enum subject_limit {
	LIMIT_SUBFLOWS,
	LIMIT_ADD_ADDR_ACCEPTED,
};

static inline struct subject subject_limit(enum subject_limit limit)
{
	return (struct subject){ .kind = NVME_MPTCP_SUBJECT_LIMIT, .number = limit };
}

/* All objects of a kind: "endpoints". */
static inline struct subject subject_all(enum nvme_mptcp_subject kind)
{
	return (struct subject){ .kind = kind };
}

/* @address: in text form. */
static inline struct subject subject_endpoint(unsigned int id, const char *address)
{
	return (struct subject){
		.kind = NVME_MPTCP_SUBJECT_ENDPOINT,
		.name = { NULL, address },
		.number = id,
	};
}

/* Two links of one machine. subject_network(): a link of each side that one network connects. */
static inline struct subject subject_links(const char *one, const char *other)
{
	return (struct subject){ .kind = NVME_MPTCP_SUBJECT_LINK, .name = { one, other } };
}

static inline struct subject subject_network(const char *host_link, const char *target_link)
{
	return (struct subject){
		.kind = NVME_MPTCP_SUBJECT_NETWORK,
		.name = { host_link, target_link },
	};
}

static inline struct subject subject_address(const struct in6_addr *ip)
{
	return (struct subject){ .kind = NVME_MPTCP_SUBJECT_ADDRESS, .ip = { *ip } };
}

static inline struct subject subject_path(const struct in6_addr *local,
					  const struct in6_addr *remote)
{
	return (struct subject){ .kind = NVME_MPTCP_SUBJECT_PATH, .ip = { *local, *remote } };
}

/* A controller and @more others that share its connections or are in the same situation. */
static inline struct subject subject_ctrls(const char *name, size_t more)
{
	return (struct subject){
		.kind = NVME_MPTCP_SUBJECT_CONTROLLER,
		.name = { name },
		.number = more,
	};
}

static inline struct subject subject_connections(size_t number)
{
	return (struct subject){ .kind = NVME_MPTCP_SUBJECT_CONNECTION, .number = number };
}

/* Write objects and text to strings that the caller frees. Returns 0 or -ENOMEM. */
int subject_write(const struct subject *subject, char *object[static SUBJECT_OBJECTS], char **text);

/* Return the start of a sentence, "Endpoint 2 (10.1.2.2)", to be freed; NULL if out of memory. */
char *subject_begin_sentence(const struct subject *subject,
			     char *const object[static SUBJECT_OBJECTS]);

bool subject_is_path(const struct subject *subject, const struct in6_addr *local,
		     const struct in6_addr *remote);
