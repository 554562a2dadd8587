/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common parts of loading BPF programs: a quiet libbpf, and explanations when the kernel refuses.
 */
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

/* Keeps libbpf from writing to stderr until the end of the block. */
#define BPF_LOAD_QUIETLY \
	_cleanup_(bpf_load_speak) libbpf_print_fn_t bpf_load_print = libbpf_set_print(NULL)

/* Restricts an open object to the types of the kernel proper. libbpf searches those of all modules
 * for a type or variable that is missing. That is slow, and before libbpf 1.3 it fails without
 * CAP_SYS_ADMIN. libbpf searches once per object, so this triggers the search without that
 * capability, and ignores its failure. */
void bpf_load_without_modules(struct bpf_object *object);

/* The same for programs that may be attached to functions of modules, for their __open_opts. The
 * kernel's types are read a second time. NULL: the kernel has none. */
const struct bpf_object_open_opts *bpf_load_options(void);

/* The parts of an error message about programs that could not be loaded. */
struct bpf_load_words {
	const char *doing;    /* what needs permission: "loading a BPF program" */
	const char *try;      /* a command that has the permission; NULL: name none */
	const char *programs; /* what the kernel refused: "the BPF program" */
	const char *release;  /* the first Linux that accepts them: "5.15" */
	bool types;	      /* the programs need the kernel's BTF */
};

/* Writes to @err why loading or attaching failed with @rc, a negative errno. Returns @rc. */
int bpf_load_explain(const struct bpf_load_words *words, int rc, struct err *err);

/* A buffer for the verifier's log. */
struct bpf_load_log;

/* Never NULL. Pages of the buffer take memory only when they are written. */
struct bpf_load_log *bpf_load_log_new(void);
void bpf_load_log_free(struct bpf_load_log *log); /* NULL is fine */
DEFINE_CLEANUP(struct bpf_load_log *, bpf_load_log_free);
/* Before the object is loaded: collects the log of whichever of its programs fails. @log must
 * outlive @object. */
void bpf_load_log_listen(struct bpf_load_log *log, struct bpf_object *object);
/* Like bpf_load_explain, and quotes the verifier if it refused the program. */
int bpf_load_log_explain(const struct bpf_load_log *log, const struct bpf_load_words *words, int rc,
			 struct err *err);
/* The verifier's reason: the last line of the log @text that is not empty and not one of its
 * statistics. Borrowed from @text, *ret_length bytes of it; 0 if there is no such line. */
const char *bpf_load_last_words(const char *text, size_t *ret_length);

/* True if perf event programs may call bpf_loop (Linux 5.17) on this kernel. */
bool bpf_load_has_loop(void);
/* True if this kernel has no symbol @name (shorter than BPF_LOAD_SYMBOL). It then refuses programs
 * that use such a variable. False if it has one, or does not say: before Linux 5.16, or without
 * CAP_SYSLOG. */
enum { BPF_LOAD_SYMBOL = 16 };
bool bpf_load_lacks_symbol(const char *name);

#endif
