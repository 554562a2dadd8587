/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where calls end that leave their function by a jump. */
#include "watch/targets/watch_places.h"

#include "watch/targets/watched_program.h"

/* How many call sites within 256 bytes of @name are places of the function "PROGRAM" + @rest. */
static size_t count_sites(const char *rest, const char *name)
{
	struct watch_target_options options = { .word_count = 1,
						.exits = true,
						.lines.no_cache = true };
	struct probe_options probes = { .target_count = 0 };
	struct watch_targets *targets;
	struct buf word = { 0 };
	const char *words[1];
	uint64_t start = nm(name);
	size_t count = 0;
	struct err err;

	buf_printf(&word, "%s%s", program, rest);
	words[0] = buf_text(&word);
	options.words = words;
	if (watch_targets_new(&options, &targets, &err) < 0)
		fail_msg("%s", err.text);
	watch_targets_give(targets, &probes);
	for (size_t i = 0; i < probes.place_count; i++) {
		const struct probe_place *place = &probes.places[i];

		count += place->kind == PROBE_PLACE_SITE && place->offset > start &&
			 place->offset < start + 0x100;
		if (place->kind == PROBE_PLACE_SITE)
			assert_true(
				probes.may_probe(probes.may_probe_context, program, place->offset));
	}
	assert_false(probes.place_count &&
		     probes.may_probe(probes.may_probe_context, program, start + 1));
	watch_targets_free(targets);
	buf_done(&word);
	return count;
}

/* other() jumps to twin(); rounds() calls other() at one place. */
static void test_a_call_of_what_jumps_has_a_site(void **state)
{
	(void)state;
	assert_int_equal(count_sites(":other", "rounds"), 1);
}

static void test_a_call_of_what_returns_has_none(void **state)
{
	(void)state;
	assert_int_equal(count_sites(":original", "main"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_of_what_jumps_has_a_site),
		cmocka_unit_test(test_a_call_of_what_returns_has_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
