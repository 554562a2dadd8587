/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_marks.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

enum { MAX_DEPTH = 12, SPACING = 0x100 };

/* Stacks as kernels 5.10 to 6.18 show them, innermost first (perf script, and the sources). */
static const struct {
	enum context context;
	const char *stack[MAX_DEPTH];
} stacks[] = {
	{ CONTEXT_TASK,
	  { "vfs_read", "ksys_read", "do_syscall_64", "entry_SYSCALL_64_after_hwframe" } },
	{ CONTEXT_HARDIRQ,
	  { "hrtimer_interrupt", "__sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt",
	    "asm_sysvec_apic_timer_interrupt", "vfs_read" } },
	{ CONTEXT_HARDIRQ, { "native_apic_mem_eoi", "common_interrupt", "asm_common_interrupt" } },
	{ CONTEXT_SOFTIRQ,
	  { "net_rx_action", "handle_softirqs", "__irq_exit_rcu", "sysvec_apic_timer_interrupt",
	    "asm_sysvec_apic_timer_interrupt", "vfs_read" } },
	{ CONTEXT_SOFTIRQ,
	  { "tcp_ack", "__do_softirq", "do_softirq.part.0", "__local_bh_enable_ip" } },
	{ CONTEXT_SOFTIRQ, { "run_timer_softirq", "handle_softirqs", "run_ksoftirqd", "kthread" } },
	{ CONTEXT_SOFTIRQ,
	  { "do_user_addr_fault", "exc_page_fault", "asm_exc_page_fault", "bpf_prog_1_f",
	    "handle_softirqs.cold", "do_softirq" } },
	{ CONTEXT_HARDIRQ,
	  { "virtnet_poll_tx", "__handle_irq_event_percpu", "handle_irq_event", "handle_edge_irq",
	    "common_interrupt", "handle_softirqs" } },
	{ CONTEXT_TASK,
	  { "finish_task_switch.isra.0", "__schedule", "preempt_schedule_irq",
	    "raw_irqentry_exit_cond_resched", "irqentry_exit", "sysvec_apic_timer_interrupt",
	    "asm_sysvec_apic_timer_interrupt" } },
	{ CONTEXT_TASK,
	  { "get_signal", "exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
	    "sysvec_reschedule_ipi", "asm_sysvec_reschedule_ipi" } },
	{ CONTEXT_TASK, { "nvme_irq", "irq_thread_fn", "irq_thread", "kthread" } },
	{ CONTEXT_TASK, { "virtnet_poll", "__napi_poll", "napi_threaded_poll", "kthread" } },
	{ CONTEXT_TASK, { "clear_page_erms", "exc_page_fault", "asm_exc_page_fault" } },
	{ CONTEXT_SOFTIRQ,
	  { "net_rx_action", "handle_softirqs", "__irq_exit_rcu", "common_interrupt",
	    "pv_native_safe_halt", "default_idle", "do_idle" } },
	{ CONTEXT_TASK,
	  { "pv_native_safe_halt", "default_idle", "cpuidle_enter_state", "do_idle" } },
	/* arm64: 6.x, then 5.10 */
	{ CONTEXT_HARDIRQ,
	  { "arch_timer_handler_virt", "generic_handle_domain_irq", "gic_handle_irq",
	    "call_on_irq_stack", "do_interrupt_handler", "el1_interrupt", "el1h_64_irq_handler",
	    "el1h_64_irq", "vfs_read" } },
	{ CONTEXT_SOFTIRQ,
	  { "net_rx_action", "handle_softirqs", "__do_softirq", "____do_softirq",
	    "call_on_irq_stack", "do_softirq_own_stack", "irq_exit_rcu", "el0_interrupt",
	    "el0t_64_irq_handler", "el0t_64_irq" } },
	{ CONTEXT_TASK, { "schedule", "do_notify_resume", "el0_interrupt", "el0t_64_irq" } },
	{ CONTEXT_TASK, { "__schedule", "arm64_preempt_schedule_irq", "el1_interrupt" } },
	{ CONTEXT_HARDIRQ, { "arch_timer_handler_phys", "gic_handle_irq", "el1_irq", "vfs_read" } },
	{ CONTEXT_TASK, { "vfs_read", "el0_svc", "el0t_64_sync_handler", "el0t_64_sync" } },
};

struct marked_stack {
	struct kernel_marks marks;
	uint64_t addresses[MAX_DEPTH];
	size_t count;
};

/* Gives each frame of a stack a place of its own, as the caller's return addresses. */
static struct marked_stack marked_stack(const char *const *names)
{
	struct marked_stack stack = { 0 };

	for (; stack.count < MAX_DEPTH && names[stack.count]; stack.count++) {
		uint64_t start = (stack.count + 1) * SPACING;

		kernel_marks_add(&stack.marks, start, start + SPACING,
				 kernel_marks_by_name(names[stack.count]));
		/* A call may be the last instruction: its return address is the next function's. */
		stack.addresses[stack.count] = stack.count ? start + SPACING : start;
	}
	return stack;
}

static enum context context_of(const char *const *names)
{
	struct marked_stack stack = marked_stack(names);
	enum context context = kernel_marks_context(&stack.marks, stack.addresses, stack.count);

	kernel_marks_done(&stack.marks);
	return context;
}

static void test_stacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		if (context_of(stacks[i].stack) != stacks[i].context)
			fail_msg("stack of %s in row %zu", stacks[i].stack[0], i);
	}
}

/* What enables interrupts says nothing about the context; similar names mean something else. */
static void test_interrupts(void **state)
{
	static const struct {
		const char *name;
		enum kernel_mark mark;
	} names[] = {
		{ "pv_native_irq_enable", KERNEL_MARK_ENABLES },
		{ "pvm_irq_enable", KERNEL_MARK_ENABLES },
		{ "xen_irq_enable_direct", KERNEL_MARK_ENABLES },
		{ "_raw_spin_unlock_irqrestore", KERNEL_MARK_UNLOCKS },
		{ "_raw_write_unlock_irq", KERNEL_MARK_UNLOCKS },
		{ "finish_task_switch.isra.0", KERNEL_MARK_NONE },
		{ "exc_xen_hypervisor_callback", KERNEL_MARK_HARDIRQ },
		{ "irq_enable", KERNEL_MARK_NONE },
		{ "_raw_spin_unlock", KERNEL_MARK_NONE },
		{ "_raw_spin_lock_irqsave", KERNEL_MARK_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(kernel_marks_by_name(names[i].name), names[i].mark);
}

/* Functions that are entered with interrupts off, and others. */
static void test_sections(void **state)
{
	static const struct {
		const char *name;
		enum kernel_section whose;
	} names[] = {
		{ "_raw_spin_unlock_irqrestore", KERNEL_SECTION_OUTER },
		{ "pvm_irq_enable", KERNEL_SECTION_OUTER },
		{ "finish_task_switch.isra.0", KERNEL_SECTION_OUTER },
		{ "exc_page_fault", KERNEL_SECTION_OUTER },
		{ "irq_exit_rcu", KERNEL_SECTION_OUTER },
		{ "exit_to_user_mode_loop", KERNEL_SECTION_CALLER },
		{ "do_softirq", KERNEL_SECTION_OWN },
		{ "schedule_tail_of_others", KERNEL_SECTION_OWN },
		{ "__schedule", KERNEL_SECTION_OWN },
		{ "asm_exc_page_fault", KERNEL_SECTION_OWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(kernel_marks_section(names[i].name), names[i].whose);
}

static void test_idle(void **state)
{
	static const char *const waits[] = { "default_idle",	     "pv_native_safe_halt",
					     "intel_idle_ibrs",	     "acpi_idle_do_entry",
					     "mwait_idle",	     "poll_idle",
					     "cpuidle_enter_state",  "do_idle",
					     "cpu_idle_poll.isra.0", "cpu_do_idle",
					     "psci_enter_idle_state" };
	static const char *const works[] = { "schedule_idle", "nohz_run_idle_balance",
					     "flush_smp_call_function_queue",
					     "__flush_smp_call_function_queue" };
	static const char *const others[] = { "menu_select",	     "tick_nohz_idle_enter",
					      "arch_cpu_idle_enter", "worker_enter_idle",
					      "native_halt_poll",    "intel_idle_init" };

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		assert_int_equal(kernel_marks_by_name(waits[i]), KERNEL_MARK_IDLE);
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		assert_int_equal(kernel_marks_by_name(works[i]), KERNEL_MARK_RESUMED);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(kernel_marks_by_name(others[i]), KERNEL_MARK_NONE);
}

/* Stacks of the idle task that no interrupt took, innermost frame first. */
static void test_waits(void **state)
{
	static const struct {
		bool waits;
		const char *stack[MAX_DEPTH + 1];
	} cases[] = {
		{ true, { "pv_native_safe_halt", "default_idle", "do_idle", "cpu_startup_entry" } },
		/* Ways to wait that no list has. */
		{ true, { "hv_rest_hc", "hv_rest", "default_idle_call", "do_idle" } },
		{ true, { "vendor_sleep", "cpuidle_enter_state", "cpuidle_enter", "do_idle" } },
		{ true, { "hv_irq_enable", "do_idle", "cpu_startup_entry", "start_secondary" } },
		{ true, { "hv_rest", "some_loop", "start_secondary" } },
		{ true, { "do_idle" } },
		{ true, { "default_idle" } },
		{ false, { "hv_rest" } }, /* no stack, and no known name */
		{ false,
		  { "hv_irq_enable", "finish_task_switch", "__schedule", "schedule_idle", "do_idle",
		    "cpu_startup_entry" } },
		{ false,
		  { "try_to_wake_up", "__flush_smp_call_function_queue",
		    "flush_smp_call_function_queue", "do_idle" } },
		{ false, { "load_balance", "nohz_run_idle_balance", "do_idle" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct marked_stack stack = marked_stack(cases[i].stack);

		if (kernel_marks_waits(&stack.marks, stack.addresses, stack.count) !=
		    cases[i].waits)
			fail_msg("stack of %s in row %zu", cases[i].stack[0], i);
		kernel_marks_done(&stack.marks);
	}
}

static void test_names(void **state)
{
	static const char *const none[] = { "",
					    "a",
					    "do",
					    "__pfx_common_interrupt",
					    "asm_exc_page_fault",
					    "common_interrupt_x",
					    "sysvec",
					    "handle_softirq",
					    "handle_nested_irq",
					    "raise_softirq" };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(kernel_marks_by_name(none[i]), KERNEL_MARK_NONE);
	assert_int_equal(kernel_marks_by_name("sysvec_"), KERNEL_MARK_HARDIRQ);
	assert_int_equal(kernel_marks_by_name("sysvec_x.cold"), KERNEL_MARK_HARDIRQ);
	assert_int_equal(kernel_marks_by_name("__common_interrupt.cold"), KERNEL_MARK_HARDIRQ);
}

static void test_ranges(void **state)
{
	struct kernel_marks marks = { 0 };

	(void)state;
	assert_int_equal(kernel_marks_at(&marks, 5), KERNEL_MARK_NONE);
	kernel_marks_add(&marks, 10, 20, KERNEL_MARK_IDLE);
	kernel_marks_add(&marks, 20, 30, KERNEL_MARK_IDLE);
	kernel_marks_add(&marks, 30, 40, KERNEL_MARK_NONE);
	kernel_marks_add(&marks, 40, 40, KERNEL_MARK_TASK);
	kernel_marks_add(&marks, 40, 50, KERNEL_MARK_HARDIRQ);
	assert_int_equal(marks.ranges.count, 2);
	for (uint64_t address = 0; address < 60; address++) {
		enum kernel_mark expected = KERNEL_MARK_NONE;

		if (address >= 10 && address < 30)
			expected = KERNEL_MARK_IDLE;
		if (address >= 40 && address < 50)
			expected = KERNEL_MARK_HARDIRQ;
		assert_int_equal(kernel_marks_at(&marks, address), expected);
	}
	assert_int_equal(kernel_marks_context(&marks, NULL, 0), CONTEXT_TASK);
	kernel_marks_done(&marks);
}

/* Waits: stacks of other kernels as written here, and those of the running one as /proc/PID/stack
 * shows them of children that wait for something known. */
enum { MAX_LOOKS = 5000 };

static const struct {
	enum wait wait;
	const char *stack[MAX_DEPTH];
} wait_stacks[] = {
	{ WAIT_LOCK,
	  { "__schedule", "schedule", "futex_wait_queue_me", "futex_wait", "do_futex" } },
	{ WAIT_LOCK,
	  { "__schedule", "schedule", "schedule_preempt_disabled", "__mutex_lock.constprop.0",
	    "pipe_read", "vfs_read" } },
	{ WAIT_DISK,
	  { "__schedule", "schedule", "io_schedule", "folio_wait_bit_common", "filemap_fault" } },
	{ WAIT_DISK,
	  { "__schedule", "schedule", "jbd2_log_wait_commit", "ext4_sync_file", "do_fsync" } },
	{ WAIT_POLL,
	  { "__schedule", "schedule", "schedule_hrtimeout_range_clock", "ep_poll",
	    "do_epoll_wait" } },
	{ WAIT_NETWORK,
	  { "__schedule", "schedule", "schedule_timeout", "wait_woken", "sk_wait_data",
	    "tcp_recvmsg_locked" } },
	{ WAIT_WORK, { "__schedule", "schedule", "worker_thread", "kthread", "ret_from_fork" } },
	{ WAIT_WORK, { "__schedule", "schedule", "rcu_gp_fqs_loop", "rcu_gp_kthread", "kthread" } },
	{ WAIT_CHILD, { "__schedule", "schedule", "do_wait", "kernel_wait4" } },
	{ WAIT_OTHER, { "__schedule", "schedule", "schedule_timeout", "vfs_ioctl" } },
	{ WAIT_OTHER, { NULL } },
};

static void test_wait_stacks(void **state)
{
	for (size_t i = 0; i < sizeof(wait_stacks) / sizeof(wait_stacks[0]); i++) {
		enum wait found = WAIT_OTHER;

		for (int j = 0; j < MAX_DEPTH && wait_stacks[i].stack[j] && found == WAIT_OTHER;
		     j++)
			found = kernel_marks_wait(wait_stacks[i].stack[j]);
		assert_string_equal(wait_name(found), wait_name(wait_stacks[i].wait));
	}
}

static void test_wait_names(void **state)
{
	assert_int_equal(kernel_marks_wait("do_nanosleep"), WAIT_SLEEP);
	assert_int_equal(kernel_marks_wait("do_nanosleep.isra.0"), WAIT_SLEEP);
	assert_int_equal(kernel_marks_wait("do_nanosleeping"), WAIT_OTHER);
	assert_int_equal(kernel_marks_wait("schedule"), WAIT_OTHER);
	assert_int_equal(kernel_marks_wait(""), WAIT_OTHER);
}

/* ---- the running kernel ---- */

static void wait_asleep(void)
{
	struct timespec time = { .tv_sec = 60 };

	nanosleep(&time, NULL);
}

static void wait_on_pipe(void)
{
	int ends[2];
	char byte;

	if (pipe(ends) == 0 && read(ends[0], &byte, 1) < 0)
		abort();
}

static void wait_on_socket(void)
{
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && read(ends[0], &byte, 1) < 0)
		abort();
}

static void wait_on_futex(void)
{
	uint32_t word = 1;

	syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
}

static void wait_on_poll(void)
{
	poll(NULL, 0, -1);
}

static void wait_on_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll_create1(0), &event, 1, -1);
}

static void wait_on_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		wait_asleep();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void wait_on_signal(void)
{
	pause();
}

static void wait_stopped(void)
{
	raise(SIGSTOP);
}

static const struct {
	enum wait wait;
	char state;
	void (*enter)(void);
} waits[] = {
	{ WAIT_SLEEP, 'S', wait_asleep },      { WAIT_PIPE, 'S', wait_on_pipe },
	{ WAIT_NETWORK, 'S', wait_on_socket }, { WAIT_LOCK, 'S', wait_on_futex },
	{ WAIT_POLL, 'S', wait_on_poll },      { WAIT_POLL, 'S', wait_on_epoll },
	{ WAIT_CHILD, 'S', wait_on_child },    { WAIT_SIGNAL, 'S', wait_on_signal },
	{ WAIT_STOPPED, 'T', wait_stopped },
};

static char state_of(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		return 0;
	return state;
}

static bool may_read_stacks(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/stack", "re");

	return file && fgetc(file) == '[';
}

/* The first routine of a thread's kernel stack that says something. */
static enum wait read_stack(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	enum wait found = WAIT_OTHER;
	char path[64], name[128];

	snprintf(path, sizeof(path), "/proc/%d/stack", (int)pid);
	file = fopen(path, "re");
	while (file && fscanf(file, " [<%*[^>]>] %127[^+]+%*[^\n]", name) == 1) {
		found = found == WAIT_OTHER ? kernel_marks_wait(name) : found;
	}
	return found;
}

/* Looks until the child waits where it was sent: before, it may wait for its own start. */
static void check_wait(size_t i)
{
	const struct timespec pause_time = { .tv_nsec = 1000000 };
	enum wait found = WAIT_OTHER;
	pid_t child = fork();

	if (child == 0) {
		setpgid(0, 0);
		waits[i].enter();
		_exit(0);
	}
	setpgid(child, child); /* the child does the same: either may run first */
	for (int look = 0; look < MAX_LOOKS && found != waits[i].wait; look++) {
		nanosleep(&pause_time, NULL);
		if (state_of(child) == waits[i].state)
			found = read_stack(child);
	}
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_string_equal(wait_name(found), wait_name(waits[i].wait));
}

static void test_running_kernel(void **state)
{
	if (!may_read_stacks()) {
		print_message("/proc/PID/stack is not to be read\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		check_wait(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),	       cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_idle),	       cmocka_unit_test(test_waits),
		cmocka_unit_test(test_names),	       cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_wait_stacks),    cmocka_unit_test(test_wait_names),
		cmocka_unit_test(test_running_kernel), cmocka_unit_test(test_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
