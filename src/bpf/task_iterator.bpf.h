/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What a program of SEC("iter/task") is called with (kernel/bpf/task_iter.c): once for each thread,
 * and at the end with none. struct task_struct is the includer's, with the fields that it needs.
 */
#ifndef BPF_TASK_ITERATOR_BPF_H
#define BPF_TASK_ITERATOR_BPF_H

struct seq_file;
struct task_struct;

struct bpf_iter_meta {
	struct seq_file *seq; /* for bpf_seq_write: what reads the iterator gets it */
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: all were there */
} __attribute__((preserve_access_index));

#endif
