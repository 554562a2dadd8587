/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples where interrupts had just been enabled, in a kernel whose code is a few bytes of this
 * file. */
#include "attribute/interrupts_on.h"

#include "attribute/fixture.h"
#include "place/kernel/kernel_files.h"

enum {
	WORK = 0x100,
	ENABLE = 0x400,
	UNLOCK = 0x500,
	PVM = 0x600,
	OUTER = 0x700,
	MODULE = 0x2000, /* where odd.ko is loaded, with odd_work at its beginning */
	SIZE = 0x3000,
};

#define KALLSYMS                                           \
	"ffffffff90000000 T _stext\n"                      \
	"ffffffff90000000 T _text\n"                       \
	"ffffffff90000100 T work\n"                        \
	"ffffffff90000400 t native_enable\n"               \
	"ffffffff90000500 T _raw_spin_unlock_irqrestore\n" \
	"ffffffff90000600 t pvm_irq_enable\n"              \
	"ffffffff90000700 T outer\n"                       \
	"ffffffff90001000 T _etext\n"                      \
	"ffffffff90002000 t odd_work\t[odd]\n"

#define ODD_NOTES "module/odd/notes/.note.gnu.build-id"
#define ODD	  "odd 4096 0 - Live 0xffffffff90002000\n"

struct world {
	struct kernel *kernel;
	struct fixture in;
	struct interrupts_on *on;
	uint8_t code[SIZE];
	bool unreadable;
};

static int read_code(void *context, uint64_t address, void *bytes, size_t size)
{
	const struct world *world = context;

	if (world->unreadable || address < TEXT || size > SIZE || address - TEXT > SIZE - size)
		return -1;
	memcpy(bytes, world->code + (address - TEXT), size);
	return 0;
}

static int begin(void **state)
{
	static struct world world;
	const struct kernel_bytes bytes = { read_code, &world };

	world = (struct world){ 0 };
	new_kernel((void **)&world.kernel);
	write_file(world.kernel->kallsyms, KALLSYMS);
	write_file(world.kernel->modules, ODD);
	write_build_id(world.kernel, ODD_NOTES, "odd's first build id");
	start(world.kernel);
	world.in = fixture_new(world.kernel->profile);
	world.in.frames.kernel = world.kernel->symbols;
	world.on = interrupts_on_new(&world.in.frames, &bytes);
	memset(world.code, 0x90, sizeof(world.code)); /* nop */
	*state = &world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	interrupts_on_free(world->on);
	fixture_done(&world->in);
	free_kernel((void **)&world->kernel);
	return 0;
}

/* True if a sample at this offset, called by outer, is taken for the end of a section. */
static bool ends_section(struct world *world, uint32_t offset)
{
	struct profile *profile = world->in.profile;
	uint32_t outer, place, stack, stored, ended;

	outer = frames_kernel(&world->in.frames, TEXT + OUTER + 8, FRAME_RETURN);
	place = frames_kernel(&world->in.frames, TEXT + offset, FRAME_EXACT);
	stack = profile_stack(profile, profile_stack(profile, 0, outer), place);
	stored = interrupts_on_stack(world->on, stack);
	assert_int_equal(interrupts_on_stack(world->on, stack), stored); /* as remembered */
	if (stored == stack)
		return false;
	assert_int_equal(profile->stacks.items[stored].parent, profile->stacks.items[stack].parent);
	ended = profile->stacks.items[stored].frame;
	assert_int_equal(profile->frames.items[ended].kind, FRAME_ENABLES);
	assert_int_equal(profile->frames.items[ended].image, profile->frames.items[place].image);
	assert_int_equal(profile->frames.items[ended].offset, profile->frames.items[place].offset);
	return true;
}

static void put(struct world *world, uint32_t offset, const void *code, size_t size)
{
	memcpy(world->code + offset, code, size);
}

/* Returns the offset after the code, which is put into work. */
static uint32_t in_work(struct world *world, uint32_t at, const char *code, size_t size)
{
	put(world, WORK + at, code, size);
	return WORK + at + (uint32_t)size;
}
#define IN_WORK(at, code) in_work(world, at, code, sizeof(code) - 1)

#if defined(__x86_64__)
static void after_the_instruction_that_follows_sti(void **state)
{
	struct world *world = *state;
	uint32_t filled = IN_WORK(0x10, "\xfb\x0f\x1f\x44\x00\x00"); /* sti; nopl */
	uint32_t moved = IN_WORK(0x40, "\xfb\x48\x8b\x43\x08");	     /* sti; mov 8(%rbx),%rax */

	assert_true(ends_section(world, filled));
	assert_false(ends_section(world, filled - 5)); /* interrupts wait one instruction more */
	assert_false(ends_section(world, filled + 1)); /* a later nop */
	assert_true(ends_section(world, moved));
}

/* The bytes of sti within other instructions. */
static void other_instructions_have_the_same_bytes(void **state)
{
	struct world *world = *state;
	uint32_t number = IN_WORK(0x10, "\xb8\x00\x00\x00\xfb\x90");	   /* mov $..., %eax; nop */
	uint32_t last = IN_WORK(0x40, "\xb8\x00\x00\x00\x9d");		   /* mov $..., %eax */
	uint32_t distance = IN_WORK(0x80, "\x8b\x83\xfb\x00\x00\x00\x90"); /* mov 0xfb(%rbx) */

	assert_false(ends_section(world, number));
	assert_false(ends_section(world, last));
	assert_false(ends_section(world, distance));
}

/* When a sample is looked at, its module may be gone and another one have its place. */
static void the_code_must_be_of_the_module(void **state)
{
	struct world *world = *state;
	const char *notes = ODD_NOTES;

	for (uint32_t at = 0x10; at < 0x60; at += 0x10)
		put(world, MODULE + at, "\x57\x9d", 2); /* push %rdi; popf */
	assert_true(ends_section(world, MODULE + 0x12));
	write_file(world->kernel->modules, "other 4096 0 - Live 0xffffffff90002000\n");
	assert_false(ends_section(world, MODULE + 0x22));
	write_file(world->kernel->modules, "odd 4096 0 - Live 0xffffffff90005000\n");
	assert_false(ends_section(world, MODULE + 0x32));
	write_file(world->kernel->modules, ODD);
	write_build_id(world->kernel, notes, "odd was built again..");
	assert_false(ends_section(world, MODULE + 0x42));
	write_build_id(world->kernel, notes, "odd's first build id");
	assert_true(ends_section(world, MODULE + 0x52));
	assert_true(ends_section(world, MODULE + 0x12)); /* as remembered */
}

static void after_popf(void **state)
{
	struct world *world = *state;
	uint32_t restored = IN_WORK(0x10, "\x57\x9d"); /* push %rdi; popf */

	assert_true(ends_section(world, restored));
}

/* ... which is nothing but sti and ret: the interrupt comes after the return. */
static void after_a_call_of_a_function_that_enables(void **state)
{
	struct world *world = *state;
	uint32_t called = IN_WORK(0x10, "\xe8\xeb\x02\x00\x00"); /* call native_enable */
	uint32_t other = IN_WORK(0x40, "\xe8\xbb\x05\x00\x00");	 /* call outer */

	put(world, ENABLE, "\xf3\x0f\x1e\xfa\xfb\xc3", 6);
	assert_true(ends_section(world, called));
	assert_false(ends_section(world, other));
}
#elif defined(__aarch64__)
static void after_a_write_to_the_mask(void **state)
{
	struct world *world = *state;
	uint32_t cleared = IN_WORK(0x10, "\xff\x43\x03\xd5");  /* msr daifclr, #3 */
	uint32_t restored = IN_WORK(0x20, "\x20\x42\x1b\xd5"); /* msr daif, x0 */
	uint32_t debug = IN_WORK(0x30, "\xff\x48\x03\xd5");    /* msr daifclr, #8 */

	assert_true(ends_section(world, cleared));
	assert_true(ends_section(world, restored));
	assert_false(ends_section(world, debug));
}
#endif

static void a_hypervisor_keeps_the_flag_in_memory(void **state)
{
	struct world *world = *state;

	assert_true(ends_section(world, PVM + 0x10));
}

static void names_decide_where_code_is_not_readable(void **state)
{
	struct world *world = *state;

	assert_false(ends_section(world, UNLOCK + 0x10)); /* readable: no sti there */
	world->unreadable = true;
	assert_true(ends_section(world, UNLOCK + 0x20));
	assert_false(ends_section(world, WORK + 0x20));
}

static void other_frames_stay(void **state)
{
	struct world *world = *state;
	struct profile *profile = world->in.profile;
	uint32_t frame = frames_kernel(&world->in.frames, TEXT + PVM + 0x10, FRAME_RETURN);
	uint32_t stack = profile_stack(profile, 0, frame);
	uint32_t unmapped = profile_stack(
		profile, 0, frames_kernel(&world->in.frames, 0xffffffffffff0000, FRAME_EXACT));

	assert_int_equal(interrupts_on_stack(world->on, stack), stack);
	assert_int_equal(interrupts_on_stack(world->on, unmapped), unmapped);
	assert_int_equal(interrupts_on_stack(world->on, 0), 0);
	world->in.frames.kernel = NULL;
	assert_false(ends_section(world, PVM + 0x20));
}

static void only_clocks_that_are_interrupts_wait(void **state)
{
	(void)state;
	for (int clock = 0; clock < CLOCK_KIND_COUNT; clock++)
		assert_int_equal(interrupts_on_delay((enum clock_kind)clock),
				 clock == CLOCK_TIMER || clock == CLOCK_PMU_IRQ);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		TEST(after_the_instruction_that_follows_sti),
		TEST(other_instructions_have_the_same_bytes),
		TEST(after_popf),
		TEST(the_code_must_be_of_the_module),
		TEST(after_a_call_of_a_function_that_enables),
#elif defined(__aarch64__)
		TEST(after_a_write_to_the_mask),
#endif
		TEST(a_hypervisor_keeps_the_flag_in_memory),
		TEST(names_decide_where_code_is_not_readable),
		TEST(other_frames_stay),
		cmocka_unit_test(only_clocks_that_are_interrupts_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
