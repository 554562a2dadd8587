/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/image_readers.h"

#include "tools.h"

struct world {
	struct profile *profile;
	VEC(struct total) totals;
};

static uint32_t image_of(struct world *world, enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind,
			       .path = strpool_intern(&world->profile->strings, path) };

	return profile_image(world->profile, &image);
}

/* A process of the user has this stack, the image of its root first; 0 ends it. */
static void sampled(struct world *world, uint32_t uid, const uint32_t *images)
{
	uint32_t process = profile_add_process(world->profile, &(struct process){ .uid = uid });
	uint32_t task = profile_task(world->profile, &(struct task){ .process = process });
	uint32_t stack = 0;

	for (; *images; images++)
		stack = profile_stack(
			world->profile, stack,
			profile_frame(world->profile, &(struct frame){ .image = *images }));
	*vec_push(&world->totals) = (struct total){ .task = task, .stack = stack, .samples = 1 };
}

static void assert_readers(const struct image_readers *readers, uint32_t image, uint32_t count,
			   const uint32_t *uids, bool anybody)
{
	const struct readers *found = image_readers_of(readers, image);

	assert_int_equal(found->count, count);
	assert_int_equal(found->anybody, anybody);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(found->uids[i], uids[i]);
}

static void who_ran_what(void **state)
{
	struct world world = { .profile = profile_new() };
	struct image_readers readers = { .all = { .uids = { 7 }, .count = 1 } };
	uint32_t libc = image_of(&world, IMAGE_FILE, "/libc"),
		 tool = image_of(&world, IMAGE_FILE, "/tool"),
		 code = image_of(&world, IMAGE_ANON, "//anon"),
		 unseen = image_of(&world, IMAGE_FILE, "/unseen"),
		 kernel = image_of(&world, IMAGE_KERNEL, "[kernel]");

	(void)state;
	sampled(&world, 1000, (uint32_t[]){ tool, libc, kernel, 0 });
	sampled(&world, 1001, (uint32_t[]){ code, libc, 0 });
	sampled(&world, 1000, (uint32_t[]){ tool, 0 });
	image_readers_add_users(&readers, world.profile, world.totals.items, world.totals.count);
	assert_readers(&readers, tool, 2, (uint32_t[]){ 7, 1000 }, false);
	assert_readers(&readers, libc, 3, (uint32_t[]){ 7, 1000, 1001 }, false);
	assert_readers(&readers, code, 2, (uint32_t[]){ 7, 1001 }, false);
	assert_readers(&readers, unseen, 1, (uint32_t[]){ 7 }, true);
	assert_readers(&readers, kernel, 1, (uint32_t[]){ 7 }, false);
	assert_readers(NULL, tool, 0, NULL, false);
	image_readers_done(&readers);
	vec_free(&world.totals);
	profile_free(world.profile);
}

/* More users than are tracked one by one: every user must be allowed to read. */
static void very_many_users(void **state)
{
	struct world world = { .profile = profile_new() };
	struct image_readers readers = { 0 };
	uint32_t libc = image_of(&world, IMAGE_FILE, "/libc"),
		 tool = image_of(&world, IMAGE_FILE, "/tool");

	(void)state;
	for (uint32_t uid = 1; uid < 100; uid++)
		sampled(&world, uid, (uint32_t[]){ libc, 0 });
	sampled(&world, 99, (uint32_t[]){ tool, 0 });
	image_readers_add_users(&readers, world.profile, world.totals.items, world.totals.count);
	assert_true(image_readers_of(&readers, libc)->anybody);
	assert_true(image_readers_of(&readers, tool)->anybody);
	image_readers_done(&readers);
	vec_free(&world.totals);
	profile_free(world.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_ran_what),
		cmocka_unit_test(very_many_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
