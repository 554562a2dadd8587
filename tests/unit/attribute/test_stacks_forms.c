/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of a sample, in each form it may come in, from the bytes the stack program writes. */
#include "attribute/fixture.h"
#include "attribute/stacks.h"
#include "place/files/image_files.h"
#include "sampling/stack_tables.h"

enum { SHELL = 100, SPACE = 7, DEPTH = 4, RBP = 6, RSP = 7 };

/* ---- the kernel side, played by the test ---- */

struct stack_tables {
	uint64_t generation, learned;
};

bool stack_tables_has_image(const struct stack_tables *tables, uint32_t image)
{
	(void)tables;
	(void)image;
	return true;
}

int stack_tables_add_image(struct stack_tables *tables, uint32_t image,
			   const struct unwind_table *rows)
{
	(void)tables;
	(void)image;
	(void)rows;
	return 0;
}

int stack_tables_set_space(struct stack_tables *tables, uint64_t space,
			   const struct stack_space_table *table)
{
	(void)space;
	tables->generation = table->generation;
	return 0;
}

void stack_tables_drop_space(struct stack_tables *tables, uint64_t space)
{
	(void)tables;
	(void)space;
}

void stack_tables_learn(struct stack_tables *tables, uint64_t hash)
{
	tables->learned = hash;
}

void stack_tables_settle(struct stack_tables *tables)
{
	(void)tables;
}

/* ---- the world ---- */

struct world {
	struct fixture in;
	struct stack_tables tables;
	uint32_t stack; /* of the last sample */
	bool known;	/* it was reported before */
};

static void map(struct world *world, uint64_t start, enum image_kind kind, const char *path)
{
	const struct mapping mapping = { .start = start,
					 .end = start + 0x1000,
					 .image = made_image(world->in.profile, kind, path) };

	machine_map(world->in.machine, 10, SHELL, &mapping);
}

static int begin(void **state)
{
	static struct world world;
	const struct machine_process shell = { .pid = SHELL,
					       .comm = "sh",
					       .executable = "/bin/sh" };

	world = (struct world){ .in = fixture_new(profile_new()) };
	fixture_make_stacks(&world.in, DEPTH, &world.tables);
	machine_add_process(world.in.machine, &shell);
	map(&world, 0x1000, IMAGE_FILE, "/bin/sh");
	map(&world, 0x2000, IMAGE_FILE, "/lib/a");
	map(&world, 0x5000, IMAGE_ANON, "//anon");
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	fixture_done(&world->in);
	profile_free(world->in.profile);
	return 0;
}

/* As attribution does it, with the kernel's part as it is. */
static void take(void *context, const struct perf_record *record)
{
	struct world *world = context;
	struct perf_record sample = converted(record);
	struct machine_space space = machine_space(world->in.machine, sample.pid);
	const struct known_stack *known = NULL;

	world->known = false;
	if (sample.sample.user_stack.form == USER_STACK_KNOWN) {
		known = stacks_known(world->in.stacks, &space, &sample);
		world->known = known;
		world->stack =
			known ? known->stack : stacks_unknown(world->in.stacks, &space, &sample);
		return;
	}
	world->stack = stacks_make(world->in.stacks, &space, &sample, sample.sample.chain,
				   sample.sample.chain_length);
	stacks_remember(world->in.stacks, &space, &sample,
			&(struct known_stack){ .stack = world->stack });
}

static void sample_of(struct world *world, int32_t pid, uint16_t misc, const struct raw_stack *raw)
{
	const struct stamp stamp = { .time_ns = 50, .pid = pid, .tid = pid, .id = 1 };

	stream_stack(world->in.stream, &stamp, misc, raw);
	stream_drain(world->in.stream, take, world);
}

static void user_sample(struct world *world, const struct raw_stack *raw)
{
	sample_of(world, SHELL, PERF_RECORD_MISC_USER, raw);
}

/* Three frames: in /lib/a, called from there, called from /bin/sh. */
static struct raw_stack three_frames(void)
{
	return (struct raw_stack){ .fixed = { .form = STACK_FORM_ADDRESSES,
					      .context = STACK_CONTEXT_TASK,
					      .end = UNWIND_END_COMPLETE,
					      .hash = 77,
					      .space = SPACE,
					      .user_count = 3 },
				   .user = { 0x2010, 0x2020, 0x1030 } };
}

/* The space gets a table. */
static void publish(struct world *world)
{
	struct raw_stack raw = { .fixed = { .form = STACK_FORM_DUMP,
					    .context = STACK_CONTEXT_TASK,
					    .end = UNWIND_END_STALE,
					    .space = SPACE },
				 .stack = "" };

	raw.registers.pc = 0x2010;
	user_sample(world, &raw);
	assert_true(stacks_settle(world->in.stacks));
	assert_false(stacks_settle(world->in.stacks));
	assert_int_not_equal(world->tables.generation, 0);
}

/* ---- tests ---- */

/* Root first; only the innermost address is where it ran, but for those a signal interrupted. */
static void walked_in_the_interrupt(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "/bin/sh+30< /lib/a+20< /lib/a+10");
	raw.user[1] |= UNWIND_EXACT;
	raw.fixed.hash = 78;
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "/bin/sh+30< /lib/a+20! /lib/a+10");
}

static void the_kernel_is_innermost(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	raw.fixed.kernel_count = 2;
	raw.kernel[0] = 0xffffffff81000010;
	raw.kernel[1] = 0xffffffff81000020;
	sample_of(world, SHELL, PERF_RECORD_MISC_KERNEL, &raw);
	assert_stack(world->in.profile, world->stack,
		     "/bin/sh+30< /lib/a+20< /lib/a+10 [kernel]+ffffffff81000020 "
		     "[kernel]+ffffffff81000010");
}

/* Why a walk stopped is its root. */
static void cuts_tell_why(void **state)
{
	static const struct {
		enum unwind_end end;
		const char *expected;
	} cases[] = {
		{ UNWIND_END_NO_ROWS, "[cut:no rows]+1 /bin/sh+30< /lib/a+20< /lib/a+10" },
		{ UNWIND_END_NO_MEMORY, "[cut:no memory]+2 /bin/sh+30< /lib/a+20< /lib/a+10" },
		{ UNWIND_END_TOO_DEEP, "[cut:too deep]+4 /bin/sh+30< /lib/a+20< /lib/a+10" },
	};
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		raw.fixed.end = cases[i].end;
		user_sample(world, &raw);
		assert_stack(world->in.profile, world->stack, cases[i].expected);
	}
}

/* A kernel thread has no user part to miss; of an exiting thread it is gone. */
static void without_a_user_part(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = { .fixed = { .form = STACK_FORM_NONE,
					    .context = STACK_CONTEXT_TASK,
					    .end = UNWIND_END_COMPLETE,
					    .kernel_count = 1 },
				 .kernel = { 0xffffffff81000010 } };

	sample_of(world, SHELL, PERF_RECORD_MISC_KERNEL, &raw);
	assert_stack(world->in.profile, world->stack, "[kernel]+ffffffff81000010");
	raw.fixed.end = UNWIND_END_GONE;
	sample_of(world, SHELL, PERF_RECORD_MISC_KERNEL, &raw);
	assert_stack(world->in.profile, world->stack,
		     "[cut:process gone]+7 [kernel]+ffffffff81000010");
}

/* A process that is not known any more: its addresses lead nowhere. */
static void of_a_process_that_is_gone(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	machine_exit(world->in.machine, 20, SHELL, SHELL);
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "[cut:process gone]+7 [unmapped]+2010");
}

static void during_exec(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	machine_comm(world->in.machine, 20, SHELL, SHELL, "cat", true);
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "[cut:in exec]+6 [exec]+2010");
}

/* Of stacks found with tables only those are believed that lead through nothing that changed. */
static void what_changed_is_not_believed(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	publish(world);
	raw.fixed.generation = world->tables.generation;
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "/bin/sh+30< /lib/a+20< /lib/a+10");
	map(world, 0x9000, IMAGE_FILE, "/lib/other");
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "/bin/sh+30< /lib/a+20< /lib/a+10");
	map(world, 0x2000, IMAGE_FILE, "/lib/b");
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "[cut:mappings changed]+8 /lib/b+10");
	raw.fixed.generation = 12345;
	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack, "[cut:mappings changed]+8 /lib/b+10");
}

static void hashes_stand_for_what_was_sent(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();
	uint32_t made;

	publish(world);
	raw.fixed.generation = world->tables.generation;
	user_sample(world, &raw);
	made = world->stack;
	raw.fixed.form = STACK_FORM_KNOWN;
	raw.fixed.user_count = 0;
	user_sample(world, &raw);
	assert_true(world->known);
	assert_int_equal(world->stack, made);
	/* Another hash was never sent with its stack: the record was lost. */
	raw.fixed.hash = 99;
	user_sample(world, &raw);
	assert_false(world->known);
	assert_stack(world->in.profile, world->stack, "[cut:lost]+9 /lib/a+10");
	/* What it led through is mapped anew. */
	raw.fixed.hash = 77;
	map(world, 0x1000, IMAGE_FILE, "/bin/cat");
	user_sample(world, &raw);
	assert_false(world->known);
	assert_stack(world->in.profile, world->stack, "[cut:mappings changed]+8 /lib/a+10");
}

/* A stack without a hash is not remembered. */
static void without_a_hash(void **state)
{
	struct world *world = *state;
	struct raw_stack raw = three_frames();

	raw.fixed.hash = 0;
	user_sample(world, &raw);
	raw.fixed.form = STACK_FORM_KNOWN;
	raw.fixed.user_count = 0;
	user_sample(world, &raw);
	assert_false(world->known);
	assert_stack(world->in.profile, world->stack, "[cut:lost]+9 /lib/a+10");
}

#if defined(__x86_64__)
/* Frames of code made at run time, which have a frame pointer each: @count below the first. */
static struct raw_stack copied_stack(uint64_t *stack, size_t count)
{
	const uint64_t bottom = 0x7ff000000000;
	struct raw_stack raw = { .fixed = { .form = STACK_FORM_DUMP,
					    .context = STACK_CONTEXT_TASK,
					    .end = UNWIND_END_NO_ROWS,
					    .space = SPACE,
					    .stack_address = bottom,
					    .stack_size = (uint32_t)(2 * count * sizeof(*stack)) },
				 .user = { 0x5010 },
				 .stack = stack };

	for (size_t i = 0; i < count; i++) {
		stack[2 * i] = i + 1 < count ? bottom + (2 * i + 2) * sizeof(*stack) : 0;
		stack[2 * i + 1] = 0x5020 + 0x10 * i;
	}
	raw.registers.pc = 0x5010;
	raw.registers.values[RBP] = raw.registers.values[RSP] = bottom;
	raw.registers.known = 1 << RBP | 1 << RSP;
	return raw;
}

/* Two calls by construction; a frame pointer of 0 is the outermost. Code that cannot be read does not
 * show that the innermost function has set up its frame pointer. */
static void copies_are_walked(void **state)
{
	struct world *world = *state;
	uint64_t stack[4];
	struct raw_stack raw = copied_stack(stack, 2);

	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack,
		     "[cut:frame pointers]+a //anon+5030< //anon+5020< //anon+5010");
}

/* Not more frames than were asked for. */
static void deep_copies_are_cut(void **state)
{
	struct world *world = *state;
	uint64_t stack[40];
	struct raw_stack raw = copied_stack(stack, 20);

	user_sample(world, &raw);
	assert_stack(world->in.profile, world->stack,
		     "[cut:too deep]+4 //anon+5040< //anon+5030< //anon+5020< //anon+5010");
}

/* A frame pointer that leads out of the copy, into itself, or backwards. */
static void hostile_copies_end(void **state)
{
	static const uint64_t pointers[] = { 1,		 0x7ff000000000, 0x6ff000000000,
					     UINT64_MAX, UINT64_MAX - 7, 0x7ff000000018 };
	struct world *world = *state;
	uint64_t stack[4];

	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		struct raw_stack raw = copied_stack(stack, 2);
		const struct stack_node *node;

		stack[0] = pointers[i];
		user_sample(world, &raw);
		node = &world->in.profile->stacks.items[world->stack];
		assert_in_range(node->depth, 1, DEPTH + 1);
		assert_int_not_equal(profile_stack_end(world->in.profile, world->stack),
				     STACK_COMPLETE);
		assert_frame(world->in.profile, node->frame, "//anon+5010");
	}
}
#endif

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(walked_in_the_interrupt),
		IN_WORLD(the_kernel_is_innermost),
		IN_WORLD(cuts_tell_why),
		IN_WORLD(without_a_user_part),
		IN_WORLD(of_a_process_that_is_gone),
		IN_WORLD(during_exec),
		IN_WORLD(what_changed_is_not_believed),
		IN_WORLD(hashes_stand_for_what_was_sent),
		IN_WORLD(without_a_hash),
#if defined(__x86_64__)
		IN_WORLD(copies_are_walked),
		IN_WORLD(deep_copies_are_cut),
		IN_WORLD(hostile_copies_end),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
