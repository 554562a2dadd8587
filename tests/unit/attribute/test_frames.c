/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/frames.h"

#include "attribute/fixture.h"
#include "place/jit/jit.h"

enum { PROCESS = 1, OTHER = 2 };

struct world {
	struct profile *profile;
	struct address_space *mappings;
	struct machine_space space;
	struct frames frames;
};

static void map(struct world *world, uint64_t start, uint64_t end, uint64_t offset, uint32_t image)
{
	const struct mapping mapping = {
		.start = start, .end = end, .offset = offset, .image = image
	};

	address_space_map(&world->mappings, &mapping);
	world->space.mappings = world->mappings;
}

static int begin(void **state)
{
	static struct world world;

	world = (struct world){ .profile = profile_new() };
	world.space = (struct machine_space){ .process = PROCESS, .pid = 100 };
	world.frames = (struct frames){ .profile = world.profile };
	map(&world, 0x10000, 0x20000, 0x3000, made_image(world.profile, IMAGE_FILE, "/lib/a"));
	map(&world, 0x20000, 0x30000, 0, made_image(world.profile, IMAGE_FILE, "/lib/b"));
	map(&world, 0x50000, 0x60000, 0, made_image(world.profile, IMAGE_ANON, "//anon"));
	map(&world, 0x70000, 0x80000, 0, made_image(world.profile, IMAGE_BUCKET, "[heap]"));
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	jit_free(world->frames.jit);
	address_space_unref(world->mappings);
	profile_free(world->profile);
	return 0;
}

static void expect(struct world *world, uint64_t address, enum frame_kind kind,
		   const char *expected)
{
	assert_frame(world->profile, frames_user(&world->frames, &world->space, address, kind),
		     expected);
}

/* Addresses of files are offsets in the file. */
static void files_have_offsets(void **state)
{
	struct world *world = *state;

	expect(world, 0x10000, FRAME_EXACT, "/lib/a+3000");
	expect(world, 0x1ffff, FRAME_EXACT, "/lib/a+12fff");
	expect(world, 0x20010, FRAME_SIGNAL, "/lib/b+10!");
}

/* The call may be the last instruction of its mapping. */
static void return_addresses_belong_to_the_code_before(void **state)
{
	struct world *world = *state;

	expect(world, 0x20000, FRAME_EXACT, "/lib/b+0");
	expect(world, 0x20000, FRAME_RETURN, "/lib/a+13000<");
	expect(world, 0x30000, FRAME_RETURN, "/lib/b+10000<");
	expect(world, 0x30000, FRAME_EXACT, "[unmapped]+30000");
	expect(world, 0x10000, FRAME_RETURN, "[unmapped]+10000");
}

static void extreme_addresses(void **state)
{
	struct world *world = *state;

	expect(world, 0, FRAME_EXACT, "[unmapped]+0");
	expect(world, 0, FRAME_RETURN, "[unmapped]+0");
	expect(world, UINT64_MAX, FRAME_EXACT, "[unmapped]+ffffffffffffffff");
	expect(world, UINT64_MAX, FRAME_RETURN, "[unmapped]+ffffffffffffffff");
}

/* What the program before exec left behind is not taken for unmapped code of the new one. */
static void in_exec(void **state)
{
	struct world *world = *state;

	world->space.in_exec = true;
	expect(world, 0x90000, FRAME_EXACT, "[exec]+90000");
	expect(world, 0x10000, FRAME_EXACT, "/lib/a+3000");
}

static void an_unknown_process_has_nothing_mapped(void **state)
{
	struct world *world = *state;

	world->space = (struct machine_space){ 0 };
	expect(world, 0x10000, FRAME_EXACT, "[unmapped]+10000");
}

/* Memory without a file: the address says where, and processes do not mix. */
static void memory_without_a_file(void **state)
{
	struct world *world = *state;
	uint32_t ours, theirs;

	expect(world, 0x50010, FRAME_EXACT, "//anon+50010");
	expect(world, 0x70010, FRAME_EXACT, "[heap]+70010");
	world->frames.jit = jit_new(world->profile);
	for (int i = 0; i <= OTHER; i++)
		profile_add_process(world->profile, &(struct process){ .pid = 0x3ffffff0 + i });
	ours = frames_user(&world->frames, &world->space, 0x50010, FRAME_EXACT);
	world->space.process = OTHER;
	theirs = frames_user(&world->frames, &world->space, 0x50010, FRAME_EXACT);
	assert_int_not_equal(ours, theirs);
	assert_int_equal(world->profile->frames.items[ours].address, 0x50010);
	assert_int_equal(world->profile->frames.items[theirs].address, 0x50010);
	expect(world, 0x70010, FRAME_EXACT, "[heap]+70010");
}

/* Neither ran code of the process's mappings. */
static void leaves_outside_the_process(void **state)
{
	static const struct {
		uint8_t mode;
		const char *expected;
	} cases[] = {
		{ PERF_RECORD_MISC_USER, "/lib/a+3010" },
		{ PERF_RECORD_MISC_KERNEL, "[kernel]+10010" },
		{ PERF_RECORD_MISC_GUEST_KERNEL, "[guest]+10010" },
		{ PERF_RECORD_MISC_GUEST_USER, "[guest]+10010" },
		{ PERF_RECORD_MISC_HYPERVISOR, "[hypervisor]+10010" },
		{ PERF_RECORD_MISC_CPUMODE_UNKNOWN, "[hypervisor]+10010" },
	};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perf_record record = { .type = PERF_RECORD_SAMPLE,
						    .cpu_mode = cases[i].mode,
						    .sample = { .ip = 0x10010 } };

		assert_frame(world->profile, frames_leaf(&world->frames, &world->space, &record),
			     cases[i].expected);
	}
}

/* Nothing was made where other code was: a stack stays what it is. */
static void stacks_are_renewed_only_where_code_changed(void **state)
{
	struct world *world = *state;
	uint32_t frame = frames_user(&world->frames, &world->space, 0x50010, FRAME_EXACT);
	uint32_t stack = profile_stack(world->profile, 0, frame);

	assert_int_equal(frames_renew(&world->frames, &world->space, stack), stack);
	world->frames.jit = jit_new(world->profile);
	assert_int_equal(frames_renew(&world->frames, &world->space, stack), stack);
	assert_int_equal(frames_renew(&world->frames, &world->space, 0), 0);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(files_have_offsets),
		IN_WORLD(return_addresses_belong_to_the_code_before),
		IN_WORLD(extreme_addresses),
		IN_WORLD(in_exec),
		IN_WORLD(an_unknown_process_has_nothing_mapped),
		IN_WORLD(memory_without_a_file),
		IN_WORLD(leaves_outside_the_process),
		IN_WORLD(stacks_are_renewed_only_where_code_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
