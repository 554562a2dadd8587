/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int new_profile(void **state)
{
	*state = profile_new();
	return 0;
}

static int free_profile(void **state)
{
	profile_free(*state);
	return 0;
}

static void test_zero_is_none(void **state)
{
	struct profile *profile = *state;

	assert_int_equal(profile->images.count, 1);
	assert_int_equal(profile->processes.count, 1);
	assert_int_equal(profile->tasks.count, 1);
	assert_int_equal(profile->symbols.count, 1);
	assert_int_equal(profile->frames.count, 1);
	assert_int_equal(profile->stacks.count, 1);
	assert_string_equal(profile_text(profile, 0), "");
	assert_string_equal(profile_text(profile, 12345), "");
	profile_free(NULL);
}

/* A change in any field of the identity makes another image; in any other field, none. */
static void test_identity_of_images(void **state)
{
	struct profile *profile = *state;
	struct image base = { .kind = IMAGE_FILE,
			      .path = strpool_intern(&profile->strings, "/bin/x"),
			      .build_id = { 1, 2, 3 },
			      .build_id_size = 3,
			      .dev = 5,
			      .inode = 6,
			      .size = 7,
			      .mtime_ns = 8 };
	struct image others[8];
	uint32_t id = profile_image(profile, &base);

	for (size_t i = 0; i < 8; i++)
		others[i] = base;
	others[0].kind = IMAGE_VDSO;
	others[1].path = strpool_intern(&profile->strings, "/bin/y");
	others[2].build_id[2] = 9;
	others[3].build_id_size = 2;
	others[4].dev++;
	others[5].inode++;
	others[6].size++;
	others[7].mtime_ns++;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(profile_image(profile, &others[i]), id + 1 + i);
	base.state = IMAGE_STATE_GONE;
	base.dirty = true;
	assert_int_equal(profile_image(profile, &base), id);
}

static void test_identity_of_the_rest(void **state)
{
	struct profile *profile = *state;
	struct task task = { .process = 1, .tid = 2, .comm = 3 };
	struct symbol symbol = { .image = 1, .name = 2, .start = 3, .size = 4, .kind = 0 };
	struct frame frame = { .image = 1, .offset = 2, .kind = FRAME_EXACT };
	uint32_t id;

	id = profile_task(profile, &task);
	assert_int_equal(profile_task(profile, &task), id);
	task.comm++;
	assert_int_equal(profile_task(profile, &task), id + 1);
	id = profile_symbol(profile, &symbol);
	symbol.size = 99;
	assert_int_equal(profile_symbol(profile, &symbol), id);
	symbol.start = 99; /* equal static names are told apart */
	assert_int_equal(profile_symbol(profile, &symbol), id + 1);
	id = profile_frame(profile, &frame);
	frame.symbol = 7;
	assert_int_equal(profile_frame(profile, &frame), id);
	frame.kind = FRAME_RETURN;
	assert_int_equal(profile_frame(profile, &frame), id + 1);
}

/* Random stacks: the same frames give the same node, and a walk up gives the frames back. */
static void test_stacks_are_a_trie(void **state)
{
	struct profile *profile = *state;
	unsigned seed = 3;

	for (int round = 0; round < 3000; round++) {
		uint32_t frames[12], first = 0, second = 0;
		uint32_t depth = 1 + (uint32_t)rand_r(&seed) % 12;

		for (uint32_t i = 0; i < depth; i++)
			frames[i] = 1 + (uint32_t)rand_r(&seed) % 4;
		for (uint32_t i = 0; i < depth; i++)
			first = profile_stack(profile, first, frames[i]);
		for (uint32_t i = 0; i < depth; i++)
			second = profile_stack(profile, second, frames[i]);
		assert_int_equal(first, second);
		for (uint32_t node = first, i = depth; i > 0; i--) {
			assert_int_equal(profile->stacks.items[node].frame, frames[i - 1]);
			assert_int_equal(profile->stacks.items[node].depth, i);
			assert_true(profile->stacks.items[node].parent < node);
			node = profile->stacks.items[node].parent;
		}
	}
}

static void test_buckets(void **state)
{
	struct profile *profile = *state;
	uint32_t id = profile_bucket(profile, "[unmapped]");

	assert_int_equal(profile_bucket(profile, "[unmapped]"), id);
	assert_int_not_equal(profile_bucket(profile, "[exec]"), id);
	assert_int_equal(profile->images.items[id].kind, IMAGE_BUCKET);
	assert_string_equal(profile_text(profile, profile->images.items[id].path), "[unmapped]");
}

static void test_processes_are_not_shared(void **state)
{
	struct profile *profile = *state;
	struct process process = { .pid = 1 };

	assert_int_equal(profile_add_process(profile, &process), 1);
	assert_int_equal(profile_add_process(profile, &process), 2);
}

static void test_facts_and_losses(void **state)
{
	struct profile *profile = *state;
	char text[] = "make -j2";

	profile_set_text(&profile->run.command, text);
	text[0] = 'b';
	assert_string_equal(profile->run.command, "make -j2");
	profile_set_text(&profile->run.command, NULL);
	assert_null(profile->run.command);
	profile_set_text(&profile->run.hostname, "leak sanitizer sees this one");
	profile->event_count = 2;
	profile->events[0].loss[LOSS_LATE] = (struct loss){ 3, 30 };
	profile->events[1].loss[LOSS_LATE] = (struct loss){ 4, 40 };
	profile->events[1].loss[LOSS_THROTTLED] = (struct loss){ 5, 50 };
	assert_int_equal(profile_loss(profile, LOSS_LATE).count, 7);
	assert_int_equal(profile_loss(profile, LOSS_LATE).weight, 70);
	assert_int_equal(profile_loss(profile, LOSS_RING_FULL).count, 0);
}

#define WITH_PROFILE(test) cmocka_unit_test_setup_teardown(test, new_profile, free_profile)

/* What did not fit into a ring was lost when cpu_times say; of others it is not known. */
static void test_losses_of_a_part(void **state)
{
	struct profile *profile = profile_new();
	const struct cpu_time times[] = {
		{ .from_ns = 100, .to_ns = 200, .capacity_ns = 100, .lost_ns = 30 },
		{ .from_ns = 200, .to_ns = 300, .capacity_ns = 100 },
		{ .from_ns = 300, .to_ns = 400, .capacity_ns = 100, .lost_ns = 10 },
	};
	struct loss *clock = profile->events[0].loss, *other = profile->events[1].loss;

	(void)state;
	profile->event_count = 2;
	clock[LOSS_RING_FULL] = other[LOSS_RING_FULL] = (struct loss){ 8, 40 };
	clock[LOSS_LATE] = (struct loss){ 7, 0 };
	assert_false(profile_loss_has_times(profile, 0, LOSS_RING_FULL));
	profile_clip_losses(profile, 0, 1);
	assert_int_equal(clock[LOSS_RING_FULL].count, 8);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		profile_add_cpu_time(profile, &times[i]);
	assert_true(profile_loss_has_times(profile, 0, LOSS_RING_FULL));
	assert_false(profile_loss_has_times(profile, 1, LOSS_RING_FULL));
	assert_false(profile_loss_has_times(profile, 0, LOSS_LATE));
	profile_clip_losses(profile, 0, UINT64_MAX);
	assert_int_equal(clock[LOSS_RING_FULL].count, 8);
	profile_clip_losses(profile, 100, 300);
	assert_int_equal(clock[LOSS_RING_FULL].count, 6);
	assert_int_equal(clock[LOSS_RING_FULL].weight, 30);
	assert_int_equal(clock[LOSS_LATE].count, 7);
	assert_int_equal(other[LOSS_RING_FULL].count, 8);
	/* A profile that becomes one of that part has no others. */
	profile->run.start_ns = 100;
	profile->run.end_ns = 400;
	clock[LOSS_RING_FULL] = (struct loss){ 8, 40 };
	profile_clip(profile, 300, 400);
	assert_int_equal(clock[LOSS_RING_FULL].count, 2);
	assert_int_equal(clock[LOSS_LATE].count, 7);
	profile_clip_losses(profile, 200, 300);
	assert_int_equal(clock[LOSS_RING_FULL].count, 0);
	profile_free(profile);
}

/* A stack that is not complete says why at its root, whatever is above it. */
static void test_stack_ends(void **state)
{
	struct profile *profile = profile_new();
	struct image image = { .kind = IMAGE_FILE, .path = 0 };
	struct frame frame = { .image = profile_image(profile, &image), .offset = 16 };
	uint32_t code = profile_frame(profile, &frame);

	(void)state;
	assert_int_equal(profile_cut(profile, STACK_COMPLETE), 0);
	assert_int_equal(profile_stack_end(profile, profile_stack(profile, 0, code)),
			 STACK_COMPLETE);
	for (int end = STACK_COMPLETE + 1; end < STACK_END_COUNT; end++) {
		uint32_t cut = profile_cut(profile, (enum stack_end)end);
		uint32_t root = profile_stack(profile, 0, cut);

		assert_int_equal(cut, profile_cut(profile, (enum stack_end)end));
		assert_int_equal(profile_stack_end(profile, root), end);
		assert_int_equal(profile_stack_end(profile, profile_stack(profile, root, code)),
				 end);
	}
	profile_free(profile);
}

/* Rows that a reader appended are found once they are indexed, the first of two that are equal. */
static void test_symbols_that_were_loaded(void **state)
{
	struct profile *profile = *state;
	struct symbol symbol = { .image = 3, .name = 0, .start = 7, .kind = SYMBOL_NAMED };

	*vec_push(&profile->symbols) = symbol;
	*vec_push(&profile->symbols) = symbol;
	profile_index_symbols(profile);
	profile_index_symbols(profile);
	assert_int_equal(profile_symbol(profile, &symbol), 1);
	symbol.start = 8;
	assert_int_equal(profile_symbol(profile, &symbol), 3);
	assert_int_equal(profile->symbols.count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses_of_a_part),
		cmocka_unit_test(test_stack_ends),
		WITH_PROFILE(test_zero_is_none),
		WITH_PROFILE(test_symbols_that_were_loaded),
		WITH_PROFILE(test_identity_of_images),
		WITH_PROFILE(test_identity_of_the_rest),
		WITH_PROFILE(test_stacks_are_a_trie),
		WITH_PROFILE(test_buckets),
		WITH_PROFILE(test_processes_are_not_shared),
		WITH_PROFILE(test_facts_and_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
