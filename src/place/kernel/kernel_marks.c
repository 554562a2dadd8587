/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the context of a kernel stack. The stack is read from the innermost frame outward, and the
 * first marked frame decides. A stack without one runs on behalf of its task.
 *
 *   a timer interrupt of a task           ... sysvec_apic_timer_interrupt <- (task)      hardirq
 *   softirqs at the end of an interrupt   ... handle_softirqs <- irq_exit <- sysvec_...   softirq
 *   an interrupt that hits a softirq      ... common_interrupt <- ... <- handle_softirqs  hardirq
 *   softirqs run by local_bh_enable       ... handle_softirqs <- do_softirq <- tcp_...    softirq
 *   ksoftirqd at work                     ... handle_softirqs <- run_ksoftirqd            softirq
 *   preemption by a timer interrupt       __schedule <- preempt_schedule_irq <-
 *                                         irqentry_exit <- sysvec_...                     task
 *   signals, task work, rescheduling on   ... exit_to_user_mode_loop <-
 *   the way from an interrupt to a task   irqentry_exit_to_user_mode <- sysvec_...        task
 *   a page fault, also within a softirq   ... exc_page_fault <- asm_exc_page_fault        outer
 *   a threaded interrupt handler          ... irq_thread_fn <- irq_thread <- kthread      task
 *   NAPI in a thread of its own           ... napi_threaded_poll <- kthread               task
 *
 * That is what in_hardirq() and in_serving_softirq() would have returned at that moment. ksoftirqd
 * and local_bh_enable count as softirq for the same reason: something else raised the work, so the
 * current task must not be charged. A threaded handler is a task with its own name, and is charged
 * under that name.
 *
 * The names are those of x86 and arm64, kernels 5.10 to 6.18.
 */
#include "place/kernel/kernel_marks.h"

#include <stdbool.h>
#include <string.h>

struct pattern {
	char name[48]; /* a star after the fourth character or later: any name with this prefix */
	enum kernel_mark mark;
};

#define IDLE	KERNEL_MARK_IDLE
#define SOFTIRQ KERNEL_MARK_SOFTIRQ
#define HARDIRQ KERNEL_MARK_HARDIRQ
#define TASK	KERNEL_MARK_TASK
#define EXEC	KERNEL_MARK_EXEC

/* clang-format off */
static const struct pattern patterns[] = {
	/* The loop: on some hardware the interrupt that ends the wait is taken only here. */
	{ "do_idle", IDLE }, { "cpu_startup_entry", IDLE }, { "cpuidle_idle_call", IDLE },
	{ "call_cpuidle", IDLE }, { "cpuidle_enter", IDLE }, { "cpuidle_enter_*", IDLE },
	{ "default_idle_call", IDLE }, { "arch_cpu_idle", IDLE },
	/* The waits. */
	{ "default_idle", IDLE }, { "cpu_idle_poll", IDLE }, { "poll_idle", IDLE },
	{ "native_safe_halt", IDLE }, { "pv_native_safe_halt", IDLE }, { "xen_safe_halt", IDLE },
	{ "tdx_safe_halt", IDLE }, { "default_enter_idle", IDLE }, /* haltpoll */
	{ "mwait_idle*", IDLE }, { "amd_e400_idle", IDLE }, { "intel_idle", IDLE },
	{ "intel_idle_ibrs", IDLE }, { "intel_idle_irq", IDLE }, { "intel_idle_s2idle", IDLE },
	{ "intel_idle_xstate", IDLE }, { "acpi_idle_enter", IDLE }, { "acpi_idle_enter_*", IDLE },
	{ "acpi_idle_do_entry", IDLE }, { "acpi_idle_lpi_enter", IDLE },
	{ "acpi_safe_halt", IDLE }, { "io_idle", IDLE },
	{ "acpi_processor_ffh_cstate_enter", IDLE }, { "acpi_processor_ffh_lpi_enter", IDLE },
	{ "cpu_do_idle", IDLE }, { "psci_enter_*", IDLE }, { "__psci_enter_*", IDLE },
	{ "psci_cpu_suspend_enter", IDLE }, { "arm_enter_idle_state", IDLE },

	{ "__do_softirq", SOFTIRQ }, { "handle_softirqs", SOFTIRQ },
	{ "__softirqentry_text_start", SOFTIRQ }, /* __do_softirq under its section's name */

	/* x86: the entry in assembly, the handler in C, and both under FRED and Xen. */
	{ "asm_common_interrupt", HARDIRQ }, { "common_interrupt", HARDIRQ },
	{ "__common_interrupt", HARDIRQ }, { "irq_entries_start", HARDIRQ },
	{ "asm_spurious_interrupt", HARDIRQ }, { "spurious_interrupt", HARDIRQ },
	{ "spurious_entries_start", HARDIRQ },
	{ "asm_sysvec_*", HARDIRQ }, { "sysvec_*", HARDIRQ }, { "__sysvec_*", HARDIRQ },
	{ "fred_sysvec_*", HARDIRQ }, { "fred_extint", HARDIRQ },
	{ "asm_call_irq_on_stack", HARDIRQ }, { "asm_call_sysvec_on_stack", HARDIRQ },
	{ "asm_exc_xen_hypervisor_callback", HARDIRQ }, { "exc_xen_hypervisor_callback", HARDIRQ },
	{ "xen_pv_evtchn_do_upcall", HARDIRQ }, { "__xen_evtchn_do_upcall", HARDIRQ },
	/* arm64: vectors, their handlers, the interrupt controller; el1_irq until 5.11. */
	{ "el1h_64_irq*", HARDIRQ }, { "el1h_64_fiq*", HARDIRQ }, { "el1t_64_irq*", HARDIRQ },
	{ "el0t_64_irq*", HARDIRQ }, { "el0t_64_fiq*", HARDIRQ }, { "el0t_32_irq*", HARDIRQ },
	{ "el0t_32_fiq*", HARDIRQ }, { "el1_irq", HARDIRQ }, { "el0_irq*", HARDIRQ },
	{ "el1_fiq", HARDIRQ }, { "el1_interrupt", HARDIRQ }, { "el0_interrupt", HARDIRQ },
	{ "__el1_irq", HARDIRQ }, { "do_interrupt_handler", HARDIRQ },
	{ "call_on_irq_stack", HARDIRQ }, { "gic_handle_irq", HARDIRQ },
	{ "__gic_handle_*", HARDIRQ }, { "handle_domain_irq", HARDIRQ },
	{ "__handle_domain_irq", HARDIRQ },
	/* Dispatch, in case the unwinder does not reach the entry. */
	{ "generic_handle_*", HARDIRQ }, { "handle_irq_event*", HARDIRQ },
	{ "handle_irq_desc", HARDIRQ }, { "__handle_irq_event_percpu", HARDIRQ },

	{ "irqentry_exit", TASK }, { "irqentry_exit_to_user_mode", TASK },
	{ "irqentry_exit_cond_resched", TASK }, { "raw_irqentry_exit_cond_resched", TASK },
	{ "dynamic_irqentry_exit_cond_resched", TASK },
	{ "preempt_schedule_irq", TASK }, { "arm64_preempt_schedule_irq", TASK },
	{ "exit_to_user_mode", TASK }, { "exit_to_user_mode_loop", TASK },
	{ "exit_to_user_mode_prepare", TASK }, { "prepare_exit_to_user_mode", TASK },
	{ "asm_exit_to_user_mode", TASK }, { "do_notify_resume", TASK },
	{ "exit_to_kernel_mode", TASK }, { "__exit_to_kernel_mode", TASK },
	{ "arm64_exit_to_user_mode", TASK }, { "arm64_exit_to_kernel_mode", TASK },
	{ "swapgs_restore_regs_and_return_to_usermode", TASK }, { "common_interrupt_return", TASK },
	{ "ret_to_user", TASK }, { "ret_to_kernel", TASK },

	{ "begin_new_exec", EXEC }, { "flush_old_exec", EXEC }, { "setup_new_exec", EXEC },
	{ "load_elf_binary", EXEC }, { "compat_load_elf_binary", EXEC },
};
/* clang-format on */

static bool matches(const char *pattern, const char *name)
{
	size_t wanted = strlen(pattern);

	if (pattern[wanted - 1] == '*')
		return strncmp(pattern, name, wanted - 1) == 0;
	return strncmp(pattern, name, wanted) == 0 && (!name[wanted] || name[wanted] == '.');
}

enum kernel_mark kernel_marks_by_name(const char *name)
{
	char first[4] = { 0 };

	/* Called for 120,000 names: these four characters rule most of them out. */
	for (size_t i = 0; i < sizeof(first) && name[i]; i++)
		first[i] = name[i];
	if (memcmp(first, "__pf", sizeof(first)) == 0)
		return KERNEL_MARK_NONE; /* padding before a function, never executed */
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (memcmp(patterns[i].name, first, sizeof(first)) == 0 &&
		    matches(patterns[i].name, name))
			return patterns[i].mark;
	}
	return KERNEL_MARK_NONE;
}

void kernel_marks_add(struct kernel_marks *marks, uint64_t start, uint64_t end,
		      enum kernel_mark mark)
{
	struct kernel_marked *last = NULL;

	if (mark == KERNEL_MARK_NONE || start >= end)
		return;
	if (marks->ranges.count)
		last = &marks->ranges.items[marks->ranges.count - 1];
	if (last && last->end == start && last->mark == mark)
		last->end = end;
	else
		*vec_push(&marks->ranges) = (struct kernel_marked){ start, end, mark };
}

enum kernel_mark kernel_marks_at(const struct kernel_marks *marks, uint64_t address)
{
	size_t low = 0, high = marks->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct kernel_marked *range = &marks->ranges.items[middle];

		if (address < range->start)
			high = middle;
		else if (address >= range->end)
			low = middle + 1;
		else
			return range->mark;
	}
	return KERNEL_MARK_NONE;
}

enum context kernel_marks_context(const struct kernel_marks *marks, const uint64_t *addresses,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		/* All but the innermost are return addresses, and the call may be the last
		 * instruction. */
		switch (kernel_marks_at(marks, addresses[i] - (i > 0))) {
		case KERNEL_MARK_SOFTIRQ:
			return CONTEXT_SOFTIRQ;
		case KERNEL_MARK_HARDIRQ:
			return CONTEXT_HARDIRQ;
		case KERNEL_MARK_TASK:
			return CONTEXT_TASK;
		case KERNEL_MARK_EXEC:
		case KERNEL_MARK_IDLE:
		case KERNEL_MARK_NONE:
			break;
		}
	}
	return CONTEXT_TASK;
}

void kernel_marks_done(struct kernel_marks *marks)
{
	vec_free(&marks->ranges);
}
