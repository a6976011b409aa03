// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Large buffers for fast connections. Fewer and larger calls take a third less CPU time, but on
 * slow links the data of one send() goes to one subflow in one burst, while the others idle. Each
 * thread has a few large buffers; a direction borrows one while it has unsent bytes.
 */
#include "relay-pump.h"

/*
 * At this rate, a burst of a large buffer takes about as long as one of a small buffer over four
 * links of 10 Mbit/s.
 */
#define FAST ((uint64_t)32 << 20) /* bytes per second */
#define SPARES 8 /* large buffers per thread */

int relay_spare_allocate(struct worker *w)
{
	for (int i = 0; i < SPARES; i++) {
		struct spare *spare = calloc(1, sizeof(*spare));

		if (!spare)
			return -ENOMEM;
		spare->next = w->spares;
		w->spares = spare;
	}
	return 0;
}

void relay_spare_free(struct worker *w)
{
	while (w->spares) {
		struct spare *spare = w->spares;

		w->spares = spare->next;
		free(spare);
	}
}

void relay_spare_borrow(struct worker *w, struct flow *f)
{
	if (!f->is_fast || f->spare || !w->spares)
		return;
	f->spare = w->spares;
	w->spares = f->spare->next;
}

void relay_spare_return(struct worker *w, struct flow *f)
{
	if (!f->spare)
		return;
	f->spare->next = w->spares;
	w->spares = f->spare;
	f->spare = NULL;
}

void relay_spare_update(struct relay_conn *c)
{
	for (int i = 0; i < 2; i++) {
		struct flow *f = &c->flow[i];
		const uint64_t moved = c->moved[i];

		f->is_fast = moved - f->judged >= FAST;
		f->judged = moved;
	}
}

char *relay_spare_bytes(struct flow *f)
{
	return f->spare ? f->spare->bytes : f->buffer;
}

size_t relay_spare_size(const struct flow *f)
{
	return f->spare ? sizeof(f->spare->bytes) : sizeof(f->buffer);
}
