/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs put in place: a link is a descriptor, and what it attached is gone when that is closed,
 * whoever closes it. uprobe.multi is younger than the libbpf and the headers we build with.
 */
#ifndef WATCH_PROBES_PROBE_LINKS_H
#define WATCH_PROBES_PROBE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All return a descriptor, or a negative errno. */

/* Functions of the kernel: @symbols, or @addresses where that is NULL. One that cannot be had fails
 * them all. Linux 5.18 with CONFIG_FPROBE; -EOPNOTSUPP elsewhere. */
int probe_link_kprobe_multi(int program, const char *const *symbols, const unsigned long *addresses,
			    const uint64_t *cookies, size_t count, bool at_return);

/* Offsets in a file. @pid: only that process; 0: all. Linux 6.6; -EINVAL elsewhere. */
int probe_link_uprobe_multi(int program, const char *path, const unsigned long *offsets,
			    const uint64_t *cookies, size_t count, bool at_return, pid_t pid);

/* One place of the kernel: @symbol ("function" or "module:function") + @offset, or the address
 * @offset where that is NULL. */
int probe_link_kprobe(int program, const char *symbol, uint64_t offset, uint64_t cookie,
		      bool at_return);

/* One place of a file. */
int probe_link_uprobe(int program, const char *path, uint64_t offset, uint64_t cookie,
		      bool at_return, pid_t pid);

/* What a program of the tracing kind was loaded for. @at_return: it is of the fexit kind. */
int probe_link_tracing(int program, uint64_t cookie, bool at_return);

/* Does this kernel have it? Tried with what cannot succeed. @program: loaded for it. */
bool probe_link_has_kprobe_multi(int program);
bool probe_link_has_uprobe_multi(int program);
/* Does it have single ones? */
bool probe_link_has_kprobe(void);
bool probe_link_has_uprobe(void);

/* The types that programs are loaded with for the multi links (enum bpf_attach_type). */
enum { PROBE_LINK_KPROBE_MULTI = 42, PROBE_LINK_UPROBE_MULTI = 48 };

#endif
