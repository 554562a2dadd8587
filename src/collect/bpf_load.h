/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loading any BPF program takes: libbpf's silence, and words for a kernel that refuses. */
#ifndef COLLECT_BPF_LOAD_H
#define COLLECT_BPF_LOAD_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

static inline void bpf_load_speak(const libbpf_print_fn_t *print)
{
	libbpf_set_print(*print);
}

/* Until the block is left libbpf says nothing on stderr, where it would be a second voice. */
#define BPF_LOAD_QUIETLY \
	_cleanup_(bpf_load_speak) libbpf_print_fn_t bpf_load_print = libbpf_set_print(NULL)

/* What a reader is told of programs that could not be loaded. */
struct bpf_load_words {
	const char *doing;    /* what needs permission: "loading a BPF program" */
	const char *try;      /* a command that has the permission; NULL: none is named */
	const char *programs; /* what the kernel does not take: "the BPF program" */
	const char *release;  /* of Linux that takes them: "5.15" */
	bool types;	      /* they need the kernel's description of its types */
};

/* Sets the reason why loading or attaching failed with @rc, a negative errno, which it returns. */
int bpf_load_explain(const struct bpf_load_words *words, int rc, struct err *err);

/* Does this kernel have bpf_loop (Linux 5.17) for programs of perf events? */
bool bpf_load_has_loop(void);

#endif
