/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a BPF program of the kind "iter": once for each thread of the machine. */
#ifndef PERF_BPF_ITERATE_H
#define PERF_BPF_ITERATE_H

struct bpf_program;
struct buf;

/* Appends what it writes to @output; NULL: it writes nothing. 0 or a negative errno. */
int bpf_iterate(struct bpf_program *program, struct buf *output);

#endif
