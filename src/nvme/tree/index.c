/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Index of a subsystem's controllers by transport and address, to avoid searching all of them. Only
 * subsystems with many controllers have it. Each controller is in two buckets: one for its portal,
 * and one for its portal and the host's side of the connection. Keys are coarser than a match, so
 * results are compared in full. Buckets are in list order.
 */
#include "private.h"

#define INDEX_FROM 16
#define KEY_SIZE 1024

struct index_bucket {
	char *key;
	struct nvme_ctrl *first, *last;
};

/* Selects one of a controller's links. */
typedef struct index_link *(*link_of)(struct nvme_ctrl *c);

static struct index_link *portal_link(struct nvme_ctrl *c)
{
	return &c->by_portal;
}

static struct index_link *host_side_link(struct nvme_ctrl *c)
{
	return &c->by_host_side;
}

struct key {
	char text[KEY_SIZE];
	size_t len;
};

static void key_add(struct key *key, const char *text, size_t len)
{
	for (size_t i = 0; i < len && key->len < KEY_SIZE - 1; i++)
		key->text[key->len++] = (char)tolower((unsigned char)text[i]);
	key->text[key->len] = '\0';
}

static void key_add_ip(struct key *key, const struct ip_addr *ip)
{
	static const char hex[] = "0123456789abcdef";
	char digits[2 * sizeof(ip->in6)];

	for (size_t i = 0; i < sizeof(ip->in6); i++) {
		digits[2 * i] = hex[ip->in6.s6_addr[i] >> 4];
		digits[2 * i + 1] = hex[ip->in6.s6_addr[i] & 0xf];
	}
	key_add(key, ",", 1);
	key_add(key, digits, sizeof(digits));
}

/* Append a separator and the canonical address. Overlong texts may share a key: harmless. */
static void key_add_address(struct key *key, const struct transport *transport, const char *text)
{
	struct ip_addr ip;

	if (transport->match != MATCH_STRINGS && !address_parse(text, &ip)) {
		key_add_ip(key, &ip);
		return;
	}
	key_add(key, ",", 1);
	key_add(key, text, strlen(text));
}

/* An unset @traddr is the key of controllers without address. */
static void key_portal(struct key *key, const struct transport *transport, const char *name,
		       const char *traddr, const char *trsvcid)
{
	key->len = 0;
	key_add(key, name, strlen(name));
	key_add_address(key, transport, str_is_unset(traddr) ? "" : traddr);
	key_add(key, ",", 1);
	if (transport->match == MATCH_IP_STRICT && !str_is_unset(trsvcid))
		key_add(key, trsvcid, strlen(trsvcid));
}

/*
 * Append the source of a controller's connection, as match.c compares it, if it is known. Reading
 * it here would query the socket of every controller.
 */
static void key_own_host_side(struct key *key, const struct nvme_ctrl *c)
{
	const char *asked =
		str_is_unset(c->options.cfg.host_traddr) ? "" : c->options.cfg.host_traddr;
	struct ip_addr source;

	if (c->transport->match == MATCH_IP_STRICT && ctrl_known_source(c, &source))
		key_add_ip(key, &source);
	else
		key_add_address(key, c->transport, asked);
}

static struct index_bucket *bucket_get(struct nvme_subsystem *s, const char *key)
{
	struct index_bucket *bucket = map_get(s->index, key);

	if (bucket)
		return bucket;
	bucket = calloc(1, sizeof(*bucket));
	if (!bucket)
		return NULL;
	bucket->key = strdup(key);
	if (!bucket->key || map_put(s->index, key, bucket)) {
		free(bucket->key);
		free(bucket);
		return NULL;
	}
	return bucket;
}

static int bucket_add(struct nvme_subsystem *s, const struct key *key, struct nvme_ctrl *c,
		      link_of link)
{
	struct index_bucket *bucket = bucket_get(s, key->text);
	struct nvme_ctrl *after;

	if (!bucket)
		return -ENOMEM;
	for (after = bucket->last; after && after->serial_number > c->serial_number;)
		after = link(after)->prev;
	link(c)->bucket = bucket;
	link(c)->prev = after;
	link(c)->next = after ? link(after)->next : bucket->first;
	if (link(c)->next)
		link(link(c)->next)->prev = c;
	else
		bucket->last = c;
	if (after)
		link(after)->next = c;
	else
		bucket->first = c;
	return 0;
}

static void bucket_del(struct nvme_subsystem *s, struct nvme_ctrl *c, link_of link)
{
	struct index_link own = *link(c);

	if (!own.bucket)
		return;
	*link(c) = (struct index_link){ 0 };
	if (own.prev)
		link(own.prev)->next = own.next;
	else
		own.bucket->first = own.next;
	if (own.next)
		link(own.next)->prev = own.prev;
	else
		own.bucket->last = own.prev;
	if (own.bucket->first)
		return;
	map_del(s->index, own.bucket->key);
	free(own.bucket->key);
	free(own.bucket);
}

void index_del(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	bucket_del(s, c, portal_link);
	bucket_del(s, c, host_side_link);
}

void index_clear(struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;

	TAILQ_FOREACH(c, &s->ctrls, entry)
		index_del(s, c);
	map_free(s->index);
	s->index = NULL;
}

static int insert(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	struct key key;
	int err;

	key_portal(&key, c->transport, c->transport_name, c->traddr, c->trsvcid);
	err = bucket_add(s, &key, c, portal_link);
	if (err)
		return err;
	key_own_host_side(&key, c);
	return bucket_add(s, &key, c, host_side_link);
}

/* If out of memory, drop the index: searching the list is slower but correct. */
void index_add(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	struct nvme_ctrl *each;

	if (s->index) {
		if (insert(s, c))
			index_clear(s);
		return;
	}
	if (s->n_ctrls < INDEX_FROM)
		return;
	s->index = map_new(4 * INDEX_FROM);
	if (!s->index)
		return;
	TAILQ_FOREACH(each, &s->ctrls, entry)
		if (insert(s, each)) {
			index_clear(s);
			return;
		}
}

static bool fits(struct nvme_ctrl *c, const struct ctrl_query *query, const struct nvme_ctrl *after,
		 bool (*accept)(const struct nvme_ctrl *c))
{
	return (!after || c->serial_number > after->serial_number) && (!accept || accept(c)) &&
	       ctrl_matches(c, query);
}

struct search {
	struct nvme_subsystem *s;
	const struct ctrl_query *query;
	const struct nvme_ctrl *after;
	bool (*accept)(const struct nvme_ctrl *c);
	struct nvme_ctrl *best;
};

static void search_bucket(struct search *search, const struct key *key, link_of link)
{
	struct index_bucket *bucket = map_get(search->s->index, key->text);
	struct nvme_ctrl *c = bucket ? bucket->first : NULL;

	for (; c; c = link(c)->next) {
		if (search->best && c->serial_number > search->best->serial_number)
			return;
		if (fits(c, search->query, search->after, search->accept)) {
			search->best = c;
			return;
		}
	}
}

/* Also search controllers without host_traddr: their source may be the requested address. */
static void search_portal(struct search *search, const char *traddr)
{
	const struct ctrl_query *query = search->query;
	struct key key;
	size_t len;

	key_portal(&key, query->transport, query->transport_name, traddr, query->trsvcid);
	if (str_is_unset(query->host_traddr)) {
		search_bucket(search, &key, portal_link);
		return;
	}
	len = key.len;
	key_add_address(&key, query->transport, query->host_traddr);
	search_bucket(search, &key, host_side_link);
	key.len = len;
	key_add_address(&key, query->transport, "");
	search_bucket(search, &key, host_side_link);
}

struct nvme_ctrl *index_find(struct nvme_subsystem *s, const struct ctrl_query *query,
			     const struct nvme_ctrl *after,
			     bool (*accept)(const struct nvme_ctrl *c))
{
	struct search search = { s, query, after, accept, NULL };
	struct nvme_ctrl *c;

	/* Without an address, loose comparison matches any: the index does not apply. */
	if (s && s->index && query->transport_name &&
	    (query->transport->match == MATCH_IP_STRICT || !str_is_unset(query->traddr))) {
		search_portal(&search, query->traddr);
		if (query->transport->match != MATCH_IP_STRICT)
			search_portal(&search, NULL);
		return search.best;
	}
	for (c = nvme_subsystem_first_ctrl(s); c; c = nvme_subsystem_next_ctrl(s, c))
		if (fits(c, query, after, accept))
			return c;
	return NULL;
}
