/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/section_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint32_t image_of(struct profile *profile, enum image_kind kind)
{
	return profile_image(profile,
			     &(struct image){ .kind = kind,
					      .path = strpool_intern(&profile->strings,
								     image_kind_name(kind)) });
}

/* Appends a frame of a function; its start is the length of its name. */
static uint32_t call(struct profile *profile, uint32_t caller, enum image_kind kind,
		     const char *name, enum frame_kind how)
{
	struct symbol symbol = { .image = image_of(profile, kind),
				 .name = strpool_intern(&profile->strings, name),
				 .start = strlen(name) * 0x100,
				 .kind = SYMBOL_NAMED };
	struct frame frame = { .image = symbol.image,
			       .offset = symbol.start + 0x10,
			       .address = symbol.start + 0x10,
			       .kind = how,
			       .symbol = profile_symbol(profile, &symbol) };

	return profile_stack(profile, caller, profile_frame(profile, &frame));
}

static const struct symbol *symbol_at(const struct profile *profile, uint32_t stack)
{
	uint32_t frame = profile->stacks.items[stack].frame;

	return &profile->symbols.items[profile->frames.items[frame].symbol];
}

/* The stack of these kernel functions, outermost first, where the last one enables interrupts. */
static uint32_t stack_of(struct profile *profile, const char *const *names, size_t count)
{
	uint32_t stack = call(profile, 0, IMAGE_FILE, "main", FRAME_RETURN);

	for (size_t i = 0; i < count; i++)
		stack = call(profile, stack, IMAGE_KERNEL, names[i],
			     i + 1 < count ? FRAME_RETURN : FRAME_ENABLES);
	return stack;
}

static void the_caller_whose_section_ended(void **state)
{
	static const struct {
		const char *names[4];
		size_t count;
		const char *expected;
	} cases[] = {
		{ { "sys_write", "wake_up", "_raw_spin_unlock_irqrestore" },
		  3,
		  "_raw_spin_unlock_irqrestore (end of interrupts-off section in wake_up)" },
		{ { "schedule", "__schedule", "finish_task_switch.isra.0", "pv_native_irq_enable" },
		  4,
		  "pv_native_irq_enable (end of interrupts-off section in __schedule)" },
		{ { "entry_SYSCALL_64_after_hwframe", "do_syscall_64" },
		  2,
		  "do_syscall_64 (end of interrupts-off section in "
		  "entry_SYSCALL_64_after_hwframe)" },
		{ { "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault" },
		  3,
		  "do_user_addr_fault (end of interrupts-off section in asm_exc_page_fault)" },
		{ { "sysvec_call_function", "irq_exit_rcu", "handle_softirqs" },
		  3,
		  "handle_softirqs (end of interrupts-off section in sysvec_call_function)" },
		{ { "do_softirq", "__do_softirq" },
		  2,
		  "__do_softirq (end of interrupts-off section in do_softirq)" },
		/* The system call that returns has turned them off, and it was not entered so. */
		{ { "entry_SYSCALL_64_after_hwframe", "do_syscall_64", "exit_to_user_mode_loop" },
		  3,
		  "exit_to_user_mode_loop (end of interrupts-off section in do_syscall_64)" },
		/* It turned them off itself. */
		{ { "sys_read", "charge" }, 2, "charge (end of interrupts-off section)" },
		/* The program is not the kernel's caller. */
		{ { "do_syscall_64" }, 1, "do_syscall_64 (end of interrupts-off section)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *profile = profile_new();
		uint32_t stack = stack_of(profile, cases[i].names, cases[i].count);
		struct symbol before = *symbol_at(profile, stack);
		const struct symbol *after;

		section_names_add(profile);
		after = symbol_at(profile, stack);
		assert_string_equal(profile_text(profile, after->name), cases[i].expected);
		assert_int_equal(after->start, before.start);
		assert_int_equal(after->image, before.image);
		profile_free(profile);
	}
}

/* One place, two callers: two names, and the place stays as it is. */
static void callers_are_told_apart(void **state)
{
	struct profile *profile = profile_new();
	uint32_t one, two, plain;

	(void)state;
	one = call(profile, 0, IMAGE_KERNEL, "one", FRAME_RETURN);
	two = call(profile, 0, IMAGE_KERNEL, "other", FRAME_RETURN);
	one = call(profile, one, IMAGE_KERNEL, "_raw_spin_unlock_irq", FRAME_ENABLES);
	plain = call(profile, two, IMAGE_KERNEL, "_raw_spin_unlock_irq", FRAME_EXACT);
	two = call(profile, two, IMAGE_KERNEL, "_raw_spin_unlock_irq", FRAME_ENABLES);
	section_names_add(profile);
	assert_string_equal(profile_text(profile, symbol_at(profile, one)->name),
			    "_raw_spin_unlock_irq (end of interrupts-off section in one)");
	assert_string_equal(profile_text(profile, symbol_at(profile, two)->name),
			    "_raw_spin_unlock_irq (end of interrupts-off section in other)");
	assert_string_equal(profile_text(profile, symbol_at(profile, plain)->name),
			    "_raw_spin_unlock_irq");
	assert_int_equal(profile->frames.items[profile->stacks.items[one].frame].address,
			 profile->frames.items[profile->stacks.items[plain].frame].address);
	profile_free(profile);
}

/* A caller without a name is not passed over for its own caller. */
static void an_unknown_caller_stays_unknown(void **state)
{
	struct profile *profile = profile_new();
	uint32_t stack = call(profile, 0, IMAGE_KERNEL, "outer", FRAME_RETURN);

	(void)state;
	stack = call(profile, stack, IMAGE_MODULE, "[module]", FRAME_RETURN);
	profile->symbols.items[profile->symbols.count - 1].kind = SYMBOL_NONE;
	stack = call(profile, stack, IMAGE_KERNEL, "_raw_spin_unlock_irq", FRAME_ENABLES);
	section_names_add(profile);
	assert_string_equal(profile_text(profile, symbol_at(profile, stack)->name),
			    "_raw_spin_unlock_irq (end of interrupts-off section)");
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_caller_whose_section_ended),
		cmocka_unit_test(callers_are_told_apart),
		cmocka_unit_test(an_unknown_caller_stays_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
