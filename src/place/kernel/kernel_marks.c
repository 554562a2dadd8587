/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both what a stack runs as and what it waits for is found by the names of its functions. The names
 * are those of x86 and arm64, kernels 5.10 to 6.18.
 *
 * The context. The stack is read from the innermost frame outward, and the first marked frame
 * decides. A stack without one runs on behalf of its task.
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
 * Idleness. The routines in which a processor waits for work differ by processor, hypervisor and
 * driver, so no name is needed for them: the idle task waits wherever nothing interrupted it, unless
 * its loop has called the scheduler or what other processors sent. Only where the kernel gave no
 * stack does the innermost function have to be a known one.
 *
 *   any way to wait                ... default_idle_call <- do_idle                         waits
 *   interrupts on after the wait   ... cpuidle_idle_call <- do_idle                         waits
 *   an interrupt ends the wait     ... sysvec_... <- asm_sysvec_... <- ... <- do_idle       hardirq
 *   the next task is chosen        ... schedule_idle <- do_idle                             work
 *   a wakeup from another CPU      ... flush_smp_call_function_queue <- do_idle             work
 *
 * The wait. The innermost marked function decides, so the actual wait outranks the requested
 * operation.
 *
 *   a read that waits for a lock of the file  schedule <- rwsem_down_read_slowpath <- ext4_... lock
 *   a page fault that reads from the disk     io_schedule <- folio_wait_bit_common <- ...      disk
 *   poll with a socket in it                  schedule_hrtimeout_range <- do_poll <- ...       poll
 *   a timer alone                             do_nanosleep <- hrtimer_nanosleep <- ...        sleep
 *
 * So the list has only functions that wait, or that serve one purpose. schedule and its helpers
 * (schedule_timeout, wait_for_completion, wait_woken ...) are left out.
 *
 * Interrupts. A clock that is an interrupt samples code with interrupts off only where that code
 * enables them. The section belongs to the innermost function that did not find interrupts off when
 * it was entered: see section_patterns.
 *
 *   _raw_spin_unlock_irqrestore <- try_to_wake_up               try_to_wake_up
 *   pv_native_irq_enable <- finish_task_switch <- __schedule    __schedule
 *   do_syscall_64 <- entry_SYSCALL_64_after_hwframe             entry_SYSCALL_64_after_hwframe
 *   handle_softirqs <- __irq_exit_rcu <- sysvec_reschedule_ipi  sysvec_reschedule_ipi
 *   exit_to_user_mode_loop <- syscall_exit_to_user_mode         syscall_exit_to_user_mode
 */
#include "place/kernel/kernel_marks.h"

#include <stdbool.h>
#include <string.h>

#include "base/search.h"

struct pattern {
	char name[48]; /* a star after the fourth character or later: any name with this prefix */
	enum kernel_mark mark;
};

struct wait_pattern {
	const char *name; /* a star at its end: any name with this prefix */
	enum wait wait;
};

#define IDLE	KERNEL_MARK_IDLE
#define RESUMED KERNEL_MARK_RESUMED
#define SOFTIRQ KERNEL_MARK_SOFTIRQ
#define HARDIRQ KERNEL_MARK_HARDIRQ
#define TASK	KERNEL_MARK_TASK
#define EXEC	KERNEL_MARK_EXEC
#define ENABLES KERNEL_MARK_ENABLES
#define UNLOCKS KERNEL_MARK_UNLOCKS

/* clang-format off */
static const struct pattern patterns[] = {
	/* The loop, and what it calls to work. */
	{ "do_idle", IDLE }, { "cpu_startup_entry", IDLE }, { "cpuidle_idle_call", IDLE },
	{ "call_cpuidle", IDLE }, { "cpuidle_enter", IDLE }, { "cpuidle_enter_*", IDLE },
	{ "default_idle_call", IDLE }, { "arch_cpu_idle", IDLE },
	{ "schedule_idle", RESUMED }, { "flush_smp_call_function_*", RESUMED },
	{ "__flush_smp_call_function_*", RESUMED }, { "nohz_run_idle_balance", RESUMED },
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

	{ "native_irq_enable", ENABLES }, { "pv_native_irq_enable", ENABLES },
	{ "native_restore_fl", ENABLES }, { "arch_local_irq_enable", ENABLES },
	{ "arch_local_irq_restore", ENABLES },
	/* The hypervisor keeps the flag in memory: no instruction shows it. */
	{ "xen_irq_enable*", ENABLES }, { "xen_restore_fl*", ENABLES },
	{ "__raw_callee_save_xen_irq_enable*", ENABLES },
	{ "pvm_irq_enable*", ENABLES }, { "pvm_restore_fl*", ENABLES },
	{ "__raw_callee_save_pvm_irq_enable*", ENABLES },
	{ "_raw_spin_unlock_irq*", UNLOCKS }, { "_raw_read_unlock_irq*", UNLOCKS },
	{ "_raw_write_unlock_irq*", UNLOCKS }, { "raw_spin_rq_unlock_irq*", UNLOCKS },
};
/* clang-format on */

/* A function that enables interrupts which something else turned off. */
struct section_pattern {
	const char *name; /* as in struct wait_pattern */
	enum kernel_section whose;
	const char *why; /* who turned them off; for readers */
};

#define CALLER KERNEL_SECTION_CALLER
#define OUTER  KERNEL_SECTION_OUTER

/*
 * No instruction of such a function says that interrupts were off when it was entered, and only the
 * running kernel has the code of its callers; but a profile has their names. A function that is
 * missing here passes for one that turned them off itself, which names no one else.
 */
/* clang-format off */
static const struct section_pattern section_patterns[] = {
	{ "finish_task_switch", OUTER, "__schedule, of the task that ran before" },
	{ "finish_lock_switch", OUTER, "the same" },
	{ "schedule_tail", OUTER, "the same, in a new task" },

	{ "do_syscall_64", OUTER, "the processor, at the system call" },
	{ "do_int80_*", OUTER, "the same" },
	{ "do_fast_syscall_32", OUTER, "the same" },
	{ "__do_fast_syscall_32", OUTER, "the same" },
	{ "do_SYSENTER_32", OUTER, "the same" },
	{ "syscall_enter_from_user_mode*", OUTER, "the same" },
	{ "exc_*", OUTER, "the processor, at the exception" },
	{ "do_user_addr_fault", OUTER, "the same: called by exc_page_fault" },
	{ "handle_page_fault", OUTER, "the same" },
	{ "do_error_trap", OUTER, "the same, for other exceptions" },
	{ "math_error", OUTER, "the same" },
	{ "el0_*", OUTER, "the processor, arm64: exceptions and system calls of programs" },
	{ "el1_*", OUTER, "the same, of the kernel" },

	{ "__do_softirq", OUTER, "the interrupt that raised them, or do_softirq" },
	{ "handle_softirqs", OUTER, "the same, since Linux 6.9" },
	{ "do_softirq_own_stack", OUTER, "the same" },
	{ "invoke_softirq", OUTER, "the interrupt" },
	{ "irq_exit*", OUTER, "the same" },
	{ "__irq_exit_rcu", OUTER, "the same" },

	{ "irqentry_exit", OUTER, "the interrupt or exception that returns" },
	{ "irqentry_exit_cond_resched", OUTER, "the same" },
	{ "raw_irqentry_exit_cond_resched", OUTER, "the same" },
	{ "dynamic_irqentry_exit_cond_resched", OUTER, "the same" },
	{ "preempt_schedule_irq", OUTER, "the same" },
	{ "arm64_preempt_schedule_irq", OUTER, "the same" },
	{ "exit_to_user_mode_loop", CALLER, "the return from a system call, or the interrupt" },
	{ "exit_to_user_mode_prepare", CALLER, "the same" },
};
/* clang-format on */

/* clang-format off */
static const struct wait_pattern wait_patterns[] = {
	/* Block devices and file systems. */
	{ "io_schedule*", WAIT_DISK }, { "bit_wait_io*", WAIT_DISK },
	{ "folio_wait_*", WAIT_DISK }, { "wait_on_page_*", WAIT_DISK },
	{ "__folio_lock*", WAIT_DISK }, { "__lock_page*", WAIT_DISK },
	{ "__wait_on_buffer", WAIT_DISK }, { "submit_bio_wait", WAIT_DISK },
	{ "blk_mq_get_tag", WAIT_DISK }, { "blk_execute_rq", WAIT_DISK },
	{ "rq_qos_wait", WAIT_DISK }, { "wbt_wait", WAIT_DISK },
	{ "blkdev_issue_*", WAIT_DISK }, { "balance_dirty_pages*", WAIT_DISK },
	{ "wait_for_completion_io*", WAIT_DISK }, { "__iomap_dio_rw", WAIT_DISK },
	{ "iomap_dio_*", WAIT_DISK }, { "__blkdev_direct_IO*", WAIT_DISK },
	{ "jbd2_log_wait_commit", WAIT_DISK }, { "wait_transaction_locked", WAIT_DISK },
	{ "add_transaction_credits", WAIT_DISK }, { "xlog_*", WAIT_DISK },
	{ "xfs_log_force*", WAIT_DISK }, { "xfs_buf_*", WAIT_DISK },
	{ "btrfs_*", WAIT_DISK }, { "wait_current_trans*", WAIT_DISK },
	{ "wb_wait_for_completion", WAIT_DISK }, { "sync_inodes_sb", WAIT_DISK },
	{ "__sync_dirty_buffer", WAIT_DISK }, { "read_events", WAIT_DISK }, /* io_getevents */
	{ "fuse_*", WAIT_DISK }, { "request_wait_answer", WAIT_DISK },

	/* Network, and file systems over it. */
	{ "sk_wait_data", WAIT_NETWORK }, { "sk_stream_wait_*", WAIT_NETWORK },
	{ "sock_alloc_send_pskb", WAIT_NETWORK }, { "inet_csk_accept", WAIT_NETWORK },
	{ "inet_csk_wait_for_connect", WAIT_NETWORK }, { "inet_wait_for_connect", WAIT_NETWORK },
	{ "__inet_stream_connect", WAIT_NETWORK }, { "inet_accept", WAIT_NETWORK },
	{ "__skb_wait_for_more_packets", WAIT_NETWORK }, { "__skb_recv_*", WAIT_NETWORK },
	{ "tcp_recvmsg*", WAIT_NETWORK }, { "tcp_sendmsg*", WAIT_NETWORK },
	{ "udp_recvmsg", WAIT_NETWORK }, { "__lock_sock", WAIT_NETWORK },
	{ "unix_stream_*", WAIT_NETWORK }, { "unix_wait_for_peer", WAIT_NETWORK },
	{ "unix_dgram_*", WAIT_NETWORK }, { "unix_accept", WAIT_NETWORK },
	{ "netlink_recvmsg", WAIT_NETWORK }, { "packet_recvmsg", WAIT_NETWORK },
	{ "vsock_*", WAIT_NETWORK }, { "rpc_wait_*", WAIT_NETWORK },
	{ "nfs_wait_*", WAIT_NETWORK }, { "p9_client_rpc*", WAIT_NETWORK },
	{ "cifs_*", WAIT_NETWORK },

	/* Locks. */
	{ "futex_*", WAIT_LOCK }, { "__futex_*", WAIT_LOCK }, { "do_futex", WAIT_LOCK },
	{ "mutex_lock*", WAIT_LOCK }, { "__mutex_lock*", WAIT_LOCK },
	{ "__ww_mutex_lock*", WAIT_LOCK }, { "rt_mutex_*", WAIT_LOCK },
	{ "__rt_mutex_*", WAIT_LOCK }, { "rwsem_*", WAIT_LOCK }, { "down_read*", WAIT_LOCK },
	{ "down_write*", WAIT_LOCK }, { "__down*", WAIT_LOCK }, { "down_interruptible", WAIT_LOCK },
	{ "percpu_rwsem_wait", WAIT_LOCK }, { "__percpu_down_read*", WAIT_LOCK },
	{ "locks_lock_inode_wait", WAIT_LOCK }, { "flock_lock_inode_wait", WAIT_LOCK },
	{ "fcntl_setlk*", WAIT_LOCK }, { "do_lock_file_wait", WAIT_LOCK },
	{ "do_semtimedop", WAIT_LOCK }, { "__do_semtimedop", WAIT_LOCK },
	{ "__wait_on_freeing_inode", WAIT_LOCK }, { "inode_wait_for_*", WAIT_LOCK },

	/* Pipes and message queues. */
	{ "pipe_*", WAIT_PIPE }, { "anon_pipe_*", WAIT_PIPE }, { "fifo_open", WAIT_PIPE },
	{ "wait_for_partner", WAIT_PIPE }, { "splice_*", WAIT_PIPE },
	{ "do_msgrcv", WAIT_PIPE }, { "do_msgsnd", WAIT_PIPE }, { "wq_sleep*", WAIT_PIPE },
	{ "eventfd_read", WAIT_PIPE }, { "inotify_read", WAIT_PIPE },
	{ "fanotify_read", WAIT_PIPE },

	{ "n_tty_*", WAIT_TERMINAL }, { "tty_*", WAIT_TERMINAL }, { "job_control", WAIT_TERMINAL },

	/* Any of several files. */
	{ "do_poll*", WAIT_POLL }, { "do_sys_poll", WAIT_POLL }, { "do_select", WAIT_POLL },
	{ "poll_schedule_timeout*", WAIT_POLL }, { "ep_poll", WAIT_POLL },
	{ "do_epoll_wait", WAIT_POLL }, { "io_cqring_*", WAIT_POLL },

	/* Timers. */
	{ "do_nanosleep", WAIT_SLEEP }, { "hrtimer_nanosleep*", WAIT_SLEEP },
	{ "alarm_timer_nsleep", WAIT_SLEEP }, { "timerfd_read*", WAIT_SLEEP },
	{ "msleep*", WAIT_SLEEP }, { "usleep_range*", WAIT_SLEEP },

	{ "do_wait", WAIT_CHILD }, { "__do_wait", WAIT_CHILD }, { "kernel_wait*", WAIT_CHILD },
	{ "wait_for_vfork_done", WAIT_CHILD },

	{ "sigsuspend", WAIT_SIGNAL }, { "do_sigtimedwait", WAIT_SIGNAL },
	{ "__do_sys_pause", WAIT_SIGNAL }, { "signalfd_*", WAIT_SIGNAL },
	{ "__x64_sys_pause", WAIT_SIGNAL }, { "__arm64_sys_pause", WAIT_SIGNAL },

	{ "ptrace_stop", WAIT_STOPPED }, { "do_signal_stop", WAIT_STOPPED },
	{ "do_jobctl_trap", WAIT_STOPPED }, { "__refrigerator", WAIT_STOPPED },
	{ "do_freezer_trap", WAIT_STOPPED },

	/* Memory. */
	{ "throttle_direct_reclaim", WAIT_MEMORY }, { "reclaim_throttle", WAIT_MEMORY },
	{ "handle_userfault", WAIT_MEMORY }, { "mem_cgroup_*", WAIT_MEMORY },
	{ "migration_entry_wait*", WAIT_MEMORY }, { "do_swap_page", WAIT_MEMORY },
	{ "out_of_memory", WAIT_MEMORY },

	/* Kernel threads without work. */
	{ "worker_thread", WAIT_WORK }, { "kthread", WAIT_WORK },
	{ "smpboot_thread_fn", WAIT_WORK }, { "kthread_worker_fn", WAIT_WORK },
	{ "io_wq_worker", WAIT_WORK }, { "io_sq_thread", WAIT_WORK },
	{ "vhost_task_fn", WAIT_WORK },
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

enum wait kernel_marks_wait(const char *name)
{
	for (size_t i = 0; i < sizeof(wait_patterns) / sizeof(wait_patterns[0]); i++) {
		if (matches(wait_patterns[i].name, name))
			return wait_patterns[i].wait;
	}
	return WAIT_OTHER;
}

enum kernel_section kernel_marks_section(const char *name)
{
	enum kernel_mark mark = kernel_marks_by_name(name);

	if (mark == KERNEL_MARK_ENABLES || mark == KERNEL_MARK_UNLOCKS)
		return KERNEL_SECTION_OUTER;
	for (size_t i = 0; i < sizeof(section_patterns) / sizeof(section_patterns[0]); i++) {
		if (matches(section_patterns[i].name, name))
			return section_patterns[i].whose;
	}
	return KERNEL_SECTION_OWN;
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
	size_t before = search_before(marks->ranges.items, marks->ranges.count, range,
				      range->start <= address);
	const struct kernel_marked *last = before ? &marks->ranges.items[before - 1] : NULL;

	return last && address < last->end ? last->mark : KERNEL_MARK_NONE;
}

/* The mark of a frame. All but the innermost are return addresses, and the call may be the last
 * instruction. */
static enum kernel_mark frame_mark(const struct kernel_marks *marks, const uint64_t *addresses,
				   size_t number)
{
	return kernel_marks_at(marks, addresses[number] - (number > 0));
}

enum context kernel_marks_context(const struct kernel_marks *marks, const uint64_t *addresses,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		switch (frame_mark(marks, addresses, i)) {
		case KERNEL_MARK_SOFTIRQ:
			return CONTEXT_SOFTIRQ;
		case KERNEL_MARK_HARDIRQ:
			return CONTEXT_HARDIRQ;
		case KERNEL_MARK_TASK:
			return CONTEXT_TASK;
		case KERNEL_MARK_EXEC:
		case KERNEL_MARK_ENABLES:
		case KERNEL_MARK_UNLOCKS:
		case KERNEL_MARK_IDLE:
		case KERNEL_MARK_RESUMED:
		case KERNEL_MARK_NONE:
			break;
		}
	}
	return CONTEXT_TASK;
}

bool kernel_marks_waits(const struct kernel_marks *marks, const uint64_t *addresses, size_t count)
{
	if (count == 1)
		return kernel_marks_at(marks, addresses[0]) == KERNEL_MARK_IDLE;
	for (size_t i = 0; i < count; i++) {
		if (frame_mark(marks, addresses, i) == KERNEL_MARK_RESUMED)
			return false;
	}
	return true;
}

void kernel_marks_done(struct kernel_marks *marks)
{
	vec_free(&marks->ranges);
}
