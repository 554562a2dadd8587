/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What a thread waits for, from the system call that it is in: no stack is read. A call on a file
 * says it by the kind of the file, and some by their arguments.
 */
#ifndef BPF_COMMAND_WAIT_CALLS_BPF_H
#define BPF_COMMAND_WAIT_CALLS_BPF_H

#include <asm/unistd.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/command_wait_wire.h"
#include "bpf/task_states.bpf.h"

#define BY_NAME __attribute__((preserve_access_index))

struct super_block {
	unsigned long s_magic;
} BY_NAME;

struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	struct super_block *i_sb;
} BY_NAME;

struct file {
	struct inode *f_inode;
} BY_NAME;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} BY_NAME;

struct files_struct {
	struct fdtable *fdt;
} BY_NAME;

struct task_struct {
	int pid, tgid;
	unsigned int __state;
	unsigned int in_iowait : 1;
	void *mm;
	struct files_struct *files;
} BY_NAME;

/* ---- the system call ---- */

/* The arguments that are looked at. */
struct call {
	__u64 number; /* NO_CALL: none, or one of another table */
	__u64 first, second, third, fourth, fifth;
};

#define NO_CALL (~0ULL)

#if defined(__TARGET_ARCH_x86)

enum {
	USER_CS_32 = 0x23,
	X32_CALL = 0x40000000,
};

struct pt_regs___kernel {
	unsigned long orig_ax, di, si, dx, r10, r8, cs;
} BY_NAME;

/* A thread that is not in a call has the number -1. */
static __always_inline void read_call(struct task_struct *task, struct call *call)
{
	const struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	call->number = NO_CALL;
	if ((regs->cs & 0xffff) == USER_CS_32)
		return;
	call->number = (__u64)regs->orig_ax & ~(__u64)X32_CALL;
	call->first = regs->di;
	call->second = regs->si;
	call->third = regs->dx;
	call->fourth = regs->r10;
	call->fifth = regs->r8;
}

#else

enum { PSTATE_32 = 0x10 };

struct pt_regs___kernel {
	__u64 regs[31];
	__u64 pstate;
	__u64 orig_x0;
	int syscallno;
} BY_NAME;

static __always_inline void read_call(struct task_struct *task, struct call *call)
{
	const struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	call->number = NO_CALL;
	if (regs->pstate & PSTATE_32)
		return;
	call->number = (__u64)(__s64)regs->syscallno;
	call->first = regs->orig_x0;
	call->second = regs->regs[1];
	call->third = regs->regs[2];
	call->fourth = regs->regs[3];
	call->fifth = regs->regs[4];
}

#endif

/* How a call is understood. */
enum call_kind {
	CALL_OTHER,
	CALL_FILE, /* its first argument says what it waits for */
	CALL_OPEN, /* of a FIFO, or of a file on a slow file system */
	CALL_DISK,
	CALL_SLEEP,
	CALL_FUTEX,
	CALL_LOCK,
	CALL_PIPE,
	CALL_NETWORK,
	CALL_POLL,
	CALL_CHILD,
	CALL_SIGNAL,
};

enum { CALLS = 512 };

static const __u8 call_kinds[CALLS] = {
	[__NR_read] = CALL_FILE,
	[__NR_readv] = CALL_FILE,
	[__NR_pread64] = CALL_FILE,
	[__NR_preadv] = CALL_FILE,
	[__NR_preadv2] = CALL_FILE,
	[__NR_write] = CALL_FILE,
	[__NR_writev] = CALL_FILE,
	[__NR_pwrite64] = CALL_FILE,
	[__NR_pwritev] = CALL_FILE,
	[__NR_pwritev2] = CALL_FILE,
	[__NR_sendfile] = CALL_FILE,
	[__NR_ioctl] = CALL_FILE,
	[__NR_getdents64] = CALL_FILE,
	[__NR_openat] = CALL_OPEN,
	[__NR_openat2] = CALL_OPEN,
	[__NR_fsync] = CALL_DISK,
	[__NR_fdatasync] = CALL_DISK,
	[__NR_sync] = CALL_DISK,
	[__NR_syncfs] = CALL_DISK,
	[__NR_sync_file_range] = CALL_DISK,
	[__NR_msync] = CALL_DISK,
	[__NR_copy_file_range] = CALL_DISK,
	[__NR_fallocate] = CALL_DISK,
	[__NR_ftruncate] = CALL_DISK,
	[__NR_statx] = CALL_DISK,
	[__NR_newfstatat] = CALL_DISK,
	[__NR_unlinkat] = CALL_DISK,
	[__NR_renameat2] = CALL_DISK,
	[__NR_mkdirat] = CALL_DISK,
	[__NR_io_getevents] = CALL_DISK,
	[__NR_io_pgetevents] = CALL_DISK,
	[__NR_nanosleep] = CALL_SLEEP,
	[__NR_clock_nanosleep] = CALL_SLEEP,
	[__NR_restart_syscall] = CALL_SLEEP, /* after a stop: of a call with a limit */
	[__NR_futex] = CALL_FUTEX,
	[__NR_futex_waitv] = CALL_LOCK,
	[__NR_flock] = CALL_LOCK,
	[__NR_fcntl] = CALL_LOCK,
	[__NR_semop] = CALL_LOCK,
	[__NR_semtimedop] = CALL_LOCK,
	[__NR_splice] = CALL_PIPE,
	[__NR_vmsplice] = CALL_PIPE,
	[__NR_tee] = CALL_PIPE,
	[__NR_mq_timedsend] = CALL_PIPE,
	[__NR_mq_timedreceive] = CALL_PIPE,
	[__NR_msgsnd] = CALL_PIPE,
	[__NR_msgrcv] = CALL_PIPE,
	[__NR_connect] = CALL_NETWORK,
	[__NR_accept] = CALL_NETWORK,
	[__NR_accept4] = CALL_NETWORK,
	[__NR_sendto] = CALL_NETWORK,
	[__NR_sendmsg] = CALL_NETWORK,
	[__NR_sendmmsg] = CALL_NETWORK,
	[__NR_recvfrom] = CALL_NETWORK,
	[__NR_recvmsg] = CALL_NETWORK,
	[__NR_recvmmsg] = CALL_NETWORK,
	[__NR_ppoll] = CALL_POLL,
	[__NR_pselect6] = CALL_POLL,
	[__NR_epoll_pwait] = CALL_POLL,
	[__NR_epoll_pwait2] = CALL_POLL,
	[__NR_wait4] = CALL_CHILD,
	[__NR_waitid] = CALL_CHILD,
	[__NR_clone] = CALL_CHILD, /* with CLONE_VFORK */
	[__NR_clone3] = CALL_CHILD,
	[__NR_rt_sigsuspend] = CALL_SIGNAL,
	[__NR_rt_sigtimedwait] = CALL_SIGNAL,
#if defined(__TARGET_ARCH_x86)
	[__NR_getdents] = CALL_FILE,
	[__NR_open] = CALL_OPEN,
	[__NR_stat] = CALL_DISK,
	[__NR_lstat] = CALL_DISK,
	[__NR_unlink] = CALL_DISK,
	[__NR_rename] = CALL_DISK,
	[__NR_mkdir] = CALL_DISK,
	[__NR_poll] = CALL_POLL,
	[__NR_select] = CALL_POLL,
	[__NR_epoll_wait] = CALL_POLL,
	[__NR_vfork] = CALL_CHILD,
	[__NR_pause] = CALL_SIGNAL,
#endif
};

static __always_inline enum call_kind kind_of(const struct call *call)
{
	return call->number < CALLS ? call_kinds[call->number % CALLS] : CALL_OTHER;
}

/* ---- files ---- */

enum {
	DEVICE_MINOR_BITS = 20,
	TTY_MAJOR = 4,
	TTYAUX_MAJOR = 5,
	FIRST_PTY_MAJOR = 136,
	LAST_PTY_MAJOR = 143,
	ACM_MAJOR = 166,
	USB_SERIAL_MAJOR = 188,
	LOW_SERIAL_MAJOR = 204,
};

static __always_inline bool is_terminal(unsigned int device)
{
	unsigned int major = device >> DEVICE_MINOR_BITS;

	return major == TTY_MAJOR || major == TTYAUX_MAJOR ||
	       (major >= FIRST_PTY_MAJOR && major <= LAST_PTY_MAJOR) || major == ACM_MAJOR ||
	       major == USB_SERIAL_MAJOR || major == LOW_SERIAL_MAJOR;
}

/* NULL: it is not open any more. */
static __always_inline struct inode *inode_of(struct task_struct *task, __u64 fd)
{
	struct files_struct *files = task->files;
	struct fdtable *table;
	struct file *file = NULL, **files_open;

	if (!files)
		return NULL;
	table = files->fdt;
	if (!table || fd >= table->max_fds)
		return NULL;
	files_open = table->fd;
	if (bpf_probe_read_kernel(&file, sizeof(file), files_open + fd) < 0 || !file)
		return NULL;
	return BPF_CORE_READ(file, f_inode);
}

/* Event, timer and signal descriptors may look like regular files of a file system of their own. */
static __always_inline bool is_anonymous(const struct inode *inode)
{
	const struct super_block *block = BPF_CORE_READ(inode, i_sb);

	return block && BPF_CORE_READ(block, s_magic) == ANON_INODE_FS_MAGIC;
}

static __always_inline enum command_wait_reason wait_for_file(struct task_struct *task, __u64 fd)
{
	const struct inode *inode = inode_of(task, (__u32)fd);

	if (!inode)
		return COMMAND_WAIT_OTHER;
	switch (BPF_CORE_READ(inode, i_mode) & S_IFMT) {
	case S_IFIFO:
		return COMMAND_WAIT_PIPE;
	case S_IFSOCK:
		return COMMAND_WAIT_NETWORK;
	case S_IFCHR:
		return is_terminal(BPF_CORE_READ(inode, i_rdev)) ? COMMAND_WAIT_TERMINAL
								 : COMMAND_WAIT_OTHER;
	case S_IFREG:
		return is_anonymous(inode) ? COMMAND_WAIT_OTHER : COMMAND_WAIT_DISK;
	case S_IFBLK:
	case S_IFDIR:
		return COMMAND_WAIT_DISK;
	default:
		return COMMAND_WAIT_OTHER;
	}
}

/* ---- futexes ---- */

enum {
	LOCKED_AND_AWAITED = 2, /* what glibc, Rust, Go and others write into a lock's word */
	FUTEX_LOCK_PI_2 = 13,	/* FUTEX_LOCK_PI2, since Linux 5.14 */
};

/* Locks and conditions are both futexes. A thread waits for a lock as long as its word says "locked,
 * and others wait": 2, or FUTEX_WAITERS beside the owner. */
static __always_inline bool is_lock(const struct call *call)
{
	__u32 operation = (__u32)call->second & FUTEX_CMD_MASK, word = (__u32)call->third;

	if (operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI_2)
		return true;
	return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
	       (word == LOCKED_AND_AWAITED || word & FUTEX_WAITERS);
}

/* Only its own process can end such a wait; while that does not run, the limit does. */
static __always_inline void wait_for_futex(struct command_wait_thread *thread,
					   const struct call *call)
{
	thread->is_lock = is_lock(call);
	thread->reason = COMMAND_WAIT_LOCK;
	if (!thread->is_lock && call->fourth && call->second & FUTEX_PRIVATE_FLAG)
		thread->limit_ns = 1;
}

/* ---- several files ---- */

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* @value: an int. Negative: no limit. */
static __always_inline __u64 limit_in_ms(__u64 value)
{
	return (__s32)value > 0 ? (value & 0x7fffffff) * NS_PER_MS : 0;
}

/* A limit in the thread's memory, which only the thread itself can read. */
static __always_inline __u64 limit_at(__u64 address, __u64 unit_ns)
{
	struct {
		__u64 seconds, parts;
	} limit;

	if (!address || bpf_probe_read_user(&limit, sizeof(limit), (const void *)address) < 0)
		return 0;
	return limit.seconds * NS_PER_S + limit.parts * unit_ns;
}

/* Without files it is a sleep. */
static __always_inline void wait_for_files(struct command_wait_thread *thread,
					   const struct call *call, bool own)
{
	__u64 files = 1, address = 0, unit_ns = 1;

	switch (call->number) {
	case __NR_epoll_pwait:
		thread->limit_ns = limit_in_ms(call->fourth);
		break;
	case __NR_epoll_pwait2:
		address = call->fourth;
		break;
	case __NR_ppoll:
		files = call->second;
		address = call->third;
		break;
	case __NR_pselect6:
		files = (__u32)call->first;
		address = call->fifth;
		break;
#if defined(__TARGET_ARCH_x86)
	case __NR_epoll_wait:
		thread->limit_ns = limit_in_ms(call->fourth);
		break;
	case __NR_poll:
		files = (__u32)call->second;
		thread->limit_ns = limit_in_ms(call->third);
		break;
	case __NR_select:
		files = (__u32)call->first;
		address = call->fifth;
		unit_ns = NS_PER_US;
		break;
#endif
	default:
		break;
	}
	if (own)
		thread->limit_ns += limit_at(address, unit_ns);
	thread->reason = files ? COMMAND_WAIT_POLL : COMMAND_WAIT_SLEEP;
}

/* ---- the wait ---- */

static __always_inline __u32 reason_of(const struct call *call, __u32 state)
{
	switch (kind_of(call)) {
	case CALL_FILE:
		return COMMAND_WAIT_FILE;
	case CALL_OPEN:
		return state & TASK_INTERRUPTIBLE ? COMMAND_WAIT_PIPE : COMMAND_WAIT_DISK;
	case CALL_DISK:
		return COMMAND_WAIT_DISK;
	case CALL_SLEEP:
		return COMMAND_WAIT_SLEEP;
	case CALL_PIPE:
		return COMMAND_WAIT_PIPE;
	case CALL_NETWORK:
		return COMMAND_WAIT_NETWORK;
	case CALL_CHILD:
		return COMMAND_WAIT_CHILD;
	case CALL_SIGNAL:
		return COMMAND_WAIT_SIGNAL;
	default:
		return COMMAND_WAIT_OTHER;
	}
}

/* Looking at a file costs as much as the rest, and most waits never ask for their reason. So it is
 * looked at when the wait ends, where the thread still is in its call. */
static __always_inline __u32 reason_with_file(const struct command_wait_thread *thread,
					      struct task_struct *task)
{
	struct call call = { 0 };

	if (thread->reason != COMMAND_WAIT_FILE)
		return thread->reason;
	read_call(task, &call);
	return wait_for_file(task, call.first);
}

/* Writes what the thread waits for. @state: of the task; @own: it is the one that runs, and leaves
 * its CPU. */
static __always_inline void describe_wait(struct command_wait_thread *thread,
					  struct task_struct *task, __u32 state, bool own)
{
	struct call call = { 0 };

	thread->limit_ns = 0;
	thread->is_lock = 0;
	read_call(task, &call);
	if (state & (TASK_STOPPED_OR_TRACED | TASK_FROZEN)) {
		thread->reason = COMMAND_WAIT_STOPPED;
	} else if (BPF_CORE_READ_BITFIELD(task, in_iowait) && call.number != __NR_io_uring_enter) {
		/* a ring may be waited for with any requests in it */
		thread->reason = COMMAND_WAIT_DISK;
	} else if (kind_of(&call) == CALL_FUTEX) {
		wait_for_futex(thread, &call);
	} else if (kind_of(&call) == CALL_POLL) {
		wait_for_files(thread, &call, own);
	} else {
		thread->reason = reason_of(&call, state);
		thread->is_lock = kind_of(&call) == CALL_LOCK;
		if (thread->is_lock)
			thread->reason = COMMAND_WAIT_LOCK;
	}
}

#endif
