/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loading any BPF program takes: libbpf's silence, and words for a kernel that refuses. */
#ifndef PERF_BPF_LOAD_H
#define PERF_BPF_LOAD_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

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

/* Room for what the kernel's verifier says of programs that it refuses. */
struct bpf_load_log;

/* Never NULL; takes no memory that is not written to. */
struct bpf_load_log *bpf_load_log_new(void);
void bpf_load_log_free(struct bpf_load_log *log); /* NULL is fine */
DEFINE_CLEANUP(struct bpf_load_log *, bpf_load_log_free);
/* Of the programs of an object that is not loaded yet, the one that fails; @log outlives it. */
void bpf_load_log_listen(struct bpf_load_log *log, struct bpf_object *object);
/* bpf_load_explain, with the verifier's own words where it was the one who refused. */
int bpf_load_log_explain(const struct bpf_load_log *log, const struct bpf_load_words *words, int rc,
			 struct err *err);
/* The verifier's last words in the text of a log, of its lines the last that is none of its
 * statistics: borrowed, *ret_length bytes of it; 0: there are none. */
const char *bpf_load_last_words(const char *text, size_t *ret_length);

/* Does this kernel have bpf_loop (Linux 5.17) for programs of perf events? */
bool bpf_load_has_loop(void);

#endif
