/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The context of a program of SEC("iter/task") (kernel/bpf/task_iter.c): it is called once for each
 * thread, and at the end without one. The includer defines struct task_struct with the fields that
 * it needs.
 */
#ifndef BPF_TASK_ITERATOR_BPF_H
#define BPF_TASK_ITERATOR_BPF_H

struct seq_file;
struct task_struct;

struct bpf_iter_meta {
	struct seq_file *seq; /* for bpf_seq_write: the output of the iterator */
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: after the last one */
} __attribute__((preserve_access_index));

#endif
