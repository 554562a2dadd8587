/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the place of libbpf's header where a BPF program is compiled for this machine: the words that
 * its source is written in, and the kernel's helpers as functions of tests/bpf/kernel.c.
 */
#ifndef TESTS_BPF_BPF_HELPERS_H
#define TESTS_BPF_BPF_HELPERS_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#define __uint(name, number) int(*name)[number]
#define __type(name, of)     typeof(of) *name
#define __array(name, of)    typeof(of) *name[]

#define SEC(name)
#define __ksym
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline	__attribute__((noinline))
#define __weak		__attribute__((weak))

#define barrier()	      __asm__ volatile("" ::: "memory")
#define barrier_var(variable) __asm__ volatile("" : "+r"(variable))

/* ---- maps ---- */

void *bpf_map_lookup_elem(const void *map, const void *key);
long bpf_map_update_elem(const void *map, const void *key, const void *value, __u64 flags);
long bpf_map_delete_elem(const void *map, const void *key);
long bpf_for_each_map_elem(const void *map, void *callback, void *context, __u64 flags);
void *bpf_task_storage_get(const void *map, const void *task, const void *value, __u64 flags);

/* ---- who runs, where and when ---- */

__u64 bpf_ktime_get_ns(void);
__u32 bpf_get_smp_processor_id(void);
__u64 bpf_get_current_pid_tgid(void);
__u64 bpf_get_current_uid_gid(void);
long bpf_get_current_comm(void *to, __u32 size);
__u64 bpf_get_current_task(void);
void *kernel_current_task(void);
#define bpf_get_current_task_btf() ((struct task_struct *)kernel_current_task())
long bpf_task_pt_regs(const void *task);
#define bpf_this_cpu_ptr(variable) ((void *)(uintptr_t)(variable))

/* ---- memory and stacks ---- */

long bpf_probe_read_user(void *to, __u32 size, const void *from);
long bpf_probe_read_kernel(void *to, __u32 size, const void *from);
long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from);
long bpf_get_stack(const void *context, void *to, __u32 size, __u64 flags);
long bpf_get_task_stack(const void *task, void *to, __u32 size, __u64 flags);
long bpf_find_vma(const void *task, __u64 address, void *callback, void *context, __u64 flags);

/* ---- what is counted, and what user space gets ---- */

long bpf_perf_event_read_value(const void *map, __u64 flags, struct bpf_perf_event_value *to,
			       __u32 size);
long bpf_perf_event_output(const void *context, const void *map, __u64 flags, const void *data,
			   __u64 size);
void *bpf_ringbuf_reserve(const void *map, __u64 size, __u64 flags);
void bpf_ringbuf_submit(void *data, __u64 flags);
long bpf_seq_write(void *seq, const void *data, __u32 size);

/* ---- the rest ---- */

long bpf_loop(__u32 count, void *callback, void *context, __u64 flags);
__u32 bpf_get_prandom_u32(void);
__u64 bpf_get_attach_cookie(const void *context);
long bpf_get_func_arg(const void *context, __u32 number, __u64 *to);
long bpf_get_func_ret(const void *context, __u64 *to);

#endif
