// SPDX-License-Identifier: LGPL-2.1-or-later
/* The send buffer of a relay's connection, on links that are calculated. */
#include <stdbool.h>

#include "unit.h"
#include "relay-window.h"

#define LEAST ((size_t)256 * 1024)
#define MB 1000000.0
/* Seconds after which the kernel forgets a round trip. */
#define MEMORY 300

/* Links of equal rate and length that one connection fills, as far as its buffer lets it. */
struct world {
	unsigned int links;
	double rate; /* bytes a second of each */
	double rtt; /* s */
	struct relay_window window;
	struct window_path paths[WINDOW_PATHS];
	size_t size;
	int second;
};

/* What is not in flight stands in the queues of the network, and packets take longer. */
static void pass_second(struct world *w)
{
	const double flight = 2.0 * (double)w->size, all = w->rate * w->links;
	const double carried = flight / w->rtt < all ? flight / w->rtt : all;
	const double queued = flight / all > w->rtt ? flight / all : w->rtt;

	for (unsigned int i = 0; i < w->links; i++) {
		w->paths[i].acked += (uint64_t)(carried / w->links);
		w->paths[i].rate = (uint64_t)(carried / w->links);
		w->paths[i].min_rtt = (uint32_t)((w->second < MEMORY ? w->rtt : queued) * 1000000);
	}
	w->second++;
	w->size = relay_window_size(&w->window, w->paths, w->links, w->size, LEAST);
}

static size_t size_after(struct world *w, int seconds)
{
	for (int i = 0; i < seconds; i++)
		pass_second(w);
	return w->size;
}

static void assert_near(size_t size, double product)
{
	/* The kernel doubles it: half of the product would carry everything, without a reserve. */
	assert_true((double)size >= product * 0.75);
	assert_true((double)size <= product * 1.5);
}

TEST(long_links_are_filled)
{
	static const struct {
		double rate, rtt;
	} links[] = {
		{ 1250 * MB, 0.001 },
		{ 125 * MB, 0.02 },
		{ 1250 * MB, 0.01 },
		{ 12.5 * MB, 0.3 },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		for (unsigned int n = 1; n <= 4; n *= 2) {
			struct world w = { .links = n,
					   .rate = links[i].rate / n,
					   .rtt = links[i].rtt,
					   .size = LEAST };

			assert_near(size_after(&w, 10), links[i].rate * links[i].rtt);
		}
}

TEST(full_queues_do_not_make_it_grow)
{
	struct world w = { .links = 4, .rate = 125 * MB, .rtt = 0.01, .size = LEAST };
	const size_t size = size_after(&w, 10);

	assert_near(size, 5 * MB);
	assert_int_equal(size_after(&w, 4 * MEMORY), size);
}

TEST(short_links_keep_the_least)
{
	struct world w = { .links = 4, .rate = 1250 * MB, .rtt = 0.00005, .size = LEAST };

	assert_int_equal(size_after(&w, 4 * MEMORY), LEAST);
	w = (struct world){ .links = 4, .rate = 12.5 * MB, .rtt = 0.004, .size = LEAST };
	assert_int_equal(size_after(&w, 20), LEAST);
}

/* What they deliver in a part of a second: as on the wire of the lab. */
TEST(slow_links_queue_little)
{
	struct world w = { .links = 4, .rate = 1.25 * MB, .rtt = 0.004, .size = LEAST };

	assert_int_equal(size_after(&w, 20), 5 * MB / 32);
	assert_int_equal(size_after(&w, 4 * MEMORY), 5 * MB / 32);
	/* Half of them, and then only the slowest are left. */
	w = (struct world){ .links = 2, .rate = 1.25 * MB, .rtt = 0.004, .size = LEAST };
	assert_int_equal(size_after(&w, 20), 2.5 * MB / 32);
	w = (struct world){ .links = 1, .rate = 0.1 * MB, .rtt = 0.004, .size = LEAST };
	assert_int_equal(size_after(&w, 20), 65536);
	/* Faster ones get it back. */
	w.rate = 125 * MB;
	w.rtt = 0.001;
	assert_int_equal(size_after(&w, 20), LEAST);
	/* Distant ones hold more on the way. */
	w = (struct world){ .links = 4, .rate = 1.25 * MB, .rtt = 0.2, .size = LEAST };
	assert_near(size_after(&w, 20), MB);
}

TEST(there_is_a_limit)
{
	struct world w = { .links = 2, .rate = 12500 * MB, .rtt = 0.02, .size = LEAST };

	/* The last step to it may be too small to be taken. */
	assert_in_range(size_after(&w, 20), WINDOW_MAX / 5 * 4, WINDOW_MAX);
	/* Unless more was asked for. */
	assert_int_equal(relay_window_size(&w.window, w.paths, 2, WINDOW_MAX, 2 * WINDOW_MAX),
			 2 * WINDOW_MAX);
}

TEST(it_shrinks_with_the_links)
{
	struct world w = { .links = 1, .rate = 1250 * MB, .rtt = 0.01, .size = LEAST };

	assert_near(size_after(&w, 20), 12.5 * MB);
	w.rate = 125 * MB;
	assert_near(size_after(&w, 2), 1.25 * MB);
	/* Less than a third less is no reason. */
	w.rate = 100 * MB;
	assert_near(size_after(&w, 2), 1.25 * MB);
}

/* A short and a long path: what the short one delivers waits for the long one. */
TEST(the_longest_path_counts)
{
	struct relay_window window = {};
	struct window_path paths[2] = { { 0, 100000000, 1000 }, { 0, 25000000, 20000 } };
	size_t size = LEAST;

	for (int i = 0; i < 2; i++) {
		paths[0].acked += 100000000;
		paths[1].acked += 25000000;
		size = relay_window_size(&window, paths, 2, size, LEAST);
	}
	assert_int_equal(size, 2500000);
}

TEST(a_path_that_carries_nothing_is_no_measure)
{
	struct relay_window window = {};
	struct window_path paths[2] = { { 0, 1000000000, 1000 }, { 0, 50000000, 500000 } };
	size_t size = LEAST;

	for (int i = 0; i < 3; i++) {
		paths[0].acked += 1000000000;
		paths[1].acked += 1000;
		size = relay_window_size(&window, paths, 2, size, LEAST);
	}
	assert_int_equal(size, 1000000);
	/* Nothing has moved: nothing is known. */
	assert_int_equal(relay_window_size(&window, paths, 2, size, LEAST), size);
}

TEST(another_subflow_has_its_own_round_trip)
{
	struct relay_window window = {};
	struct window_path path = { 1000, 100000000, 1000 };

	relay_window_size(&window, &path, 1, LEAST, LEAST);
	path.acked += 100000000;
	assert_int_equal(relay_window_size(&window, &path, 1, LEAST, LEAST), LEAST);
	/* It has acknowledged less: it is a new one, on a longer path. */
	path = (struct window_path){ 50000, 100000000, 20000 };
	assert_int_equal(relay_window_size(&window, &path, 1, LEAST, LEAST), LEAST);
	path.acked += 100000000;
	assert_int_equal(relay_window_size(&window, &path, 1, LEAST, LEAST), 2000000);
}
