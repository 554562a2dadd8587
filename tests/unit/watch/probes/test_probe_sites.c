/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes at places besides the targets: how many there are, and that calls pass them. */
#include "watch/probes/probe_sites.h"

#include <sys/stat.h>

#include "watch/probes/watched.h"

enum { PLACES = 3 };

static struct probe_place place_at(uint64_t offset, enum probe_place_kind kind)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	return (struct probe_place){ .path = "/proc/self/exe",
				     .device = st.st_dev,
				     .inode = st.st_ino,
				     .offset = offset,
				     .kind = kind };
}

/* One of two adjacent places that the kernel refuses does no harm to the other. */
static void test_places_that_are_refused_are_left_out(void **state)
{
	const struct probe_place places[PLACES] = {
		place_at(TARGET(leaf).offset, PROBE_PLACE_SITE),
		place_at(1ULL << 40, PROBE_PLACE_SITE),
		place_at(TARGET(spin_ms).offset, PROBE_PLACE_CATCH),
	};
	struct watch watch = watch_of(PROBE_EXITS);
	struct probe_counts counts;

	(void)state;
	watch.options.places = places;
	watch.options.place_count = PLACES;
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_true(probes_event_fd(watch.probes) >= 0);
	assert_int_equal(probes_cost(watch.probes).sites, PLACES - 1);
	for (int i = 0; i < CALLS; i++)
		leaf(i);
	spin_ms(1);
	probes_serve(watch.probes);
	end(&watch);
	counts = counts_of(&watch, 0);
	assert_whole(&counts, CALLS);
	done(&watch);
}

static void test_there_are_none_for_entries(void **state)
{
	const struct probe_place place = place_at(TARGET(leaf).offset, PROBE_PLACE_SITE);
	struct watch watch = watch_of(0);

	(void)state;
	watch.options.places = &place;
	watch.options.place_count = 1;
	add(&watch, TARGET(leaf));
	begin(&watch);
	assert_int_equal(probes_event_fd(watch.probes), -1);
	assert_int_equal(probes_cost(watch.probes).sites, 0);
	done(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_that_are_refused_are_left_out),
		cmocka_unit_test(test_there_are_none_for_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
