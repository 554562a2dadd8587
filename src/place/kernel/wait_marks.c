/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The innermost marked function decides, so the actual wait outranks the requested operation:
 *
 *   a read that waits for a lock of the file  schedule <- rwsem_down_read_slowpath <- ext4_... lock
 *   a page fault that reads from the disk     io_schedule <- folio_wait_bit_common <- ...      disk
 *   poll with a socket in it                  schedule_hrtimeout_range <- do_poll <- ...       poll
 *   a timer alone                             do_nanosleep <- hrtimer_nanosleep <- ...        sleep
 *
 * So the list has only functions that wait, or that serve one purpose. schedule and its helpers
 * (schedule_timeout, wait_for_completion, wait_woken ...) are left out. The names are those of
 * kernels 5.10 to 6.18.
 */
#include "place/kernel/wait_marks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct pattern {
	const char *name; /* a star at its end: any name with this prefix */
	enum wait wait;
};

/* clang-format off */
static const struct pattern patterns[] = {
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

enum wait wait_marks_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (matches(patterns[i].name, name))
			return patterns[i].wait;
	}
	return WAIT_OTHER;
}
