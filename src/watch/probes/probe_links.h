/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches programs. A link is a descriptor: when it is closed, also by the end of the process, the
 * kernel detaches. uprobe.multi is newer than the libbpf and the headers that we build with.
 */
#ifndef WATCH_PROBES_PROBE_LINKS_H
#define WATCH_PROBES_PROBE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "watch/probes/probes.h"

/* All functions return a descriptor, or a negative errno. */

/* Kernel functions: @symbols or, if that is NULL, @addresses. One that cannot be probed makes all
 * fail. Linux 5.18 with CONFIG_FPROBE; else -EOPNOTSUPP. */
int probe_link_kprobe_multi(int program, const char *const *symbols, const unsigned long *addresses,
			    const uint64_t *cookies, size_t count, bool at_return);

/* Offsets in a file. @pid: only that process; 0: all. Linux 6.6; else -EINVAL. */
int probe_link_uprobe_multi(int program, const char *path, const unsigned long *offsets,
			    const uint64_t *cookies, size_t count, bool at_return, pid_t pid);

/* One place in the kernel: @symbol ("function" or "module:function") + @offset or, if @symbol is
 * NULL, the address @offset. */
int probe_link_kprobe(int program, const char *symbol, uint64_t offset, uint64_t cookie,
		      bool at_return);

/* One place in a file. */
int probe_link_uprobe(int program, const char *path, uint64_t offset, uint64_t cookie,
		      bool at_return, pid_t pid);

/* The function for which a tracing program was loaded. @at_return: it is an fexit program. */
int probe_link_tracing(int program, uint64_t cookie, bool at_return);

/* True if a negative errno is about the kernel or our rights, not about the place. */
bool probe_link_is_general(int rc);

/* What to pass as @pid: the only watched process, if its children are not watched; its probes need
 * not stop other processes. 0: none. */
pid_t probe_link_only_pid(const struct probe_options *options);

/* True if the kernel has single probes: @device is "kprobe" or "uprobe". */
bool probe_link_has_device(const char *device);

/* The attach types (enum bpf_attach_type) of programs for multi links. */
enum { PROBE_LINK_KPROBE_MULTI = 42, PROBE_LINK_UPROBE_MULTI = 48 };

#endif
