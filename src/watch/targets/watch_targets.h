/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves what a user types to places that can be watched:
 *
 *   vfs_read  tcp_*  kernel:vfs_read        functions of the kernel and its modules
 *   nf_tables:nft_do_chain                  of one module, same as --module nf_tables nft_do_chain
 *   libc.so.6:malloc  libc:malloc           of a library: as --pid has mapped it, else as ld.so
 *                                           would find it
 *   ./server:handle  /usr/bin/python3:Py_*  of a file; for server:handle, PATH is searched
 *   ./server:Cache::get  ./server:'get(int)'  C++ and Rust, demangled: the whole name or its last
 *                                           parts, with or without parameters
 *   handle                                  without a file: of the kernel, or of the program of the
 *                                           process or the command
 *   ./server:0x1234  kernel:0xffffffff81...  an address as in objdump, or as in kallsyms
 *   NAME+0x1c                               one instruction; --at +0x1c for all functions
 *   FILE.c:123                              with --at-line: each stretch of code of that line
 */
#ifndef WATCH_TARGETS_WATCH_TARGETS_H
#define WATCH_TARGETS_WATCH_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "names/lines/line_service.h"
#include "watch/probes/probes.h"

struct watch_targets;

/* All texts are borrowed while the targets live. */
struct watch_target_options {
	const char *const *words; /* see above */
	size_t word_count;
	const char *module;    /* --module: where to look for words without a file; without words,
				  all of it. NULL: none */
	const char *const *at; /* --at: +0x1c, for each function; one target for each */
	size_t at_count;
	const char *const *at_lines; /* --at-line: FILE:LINE, in programs given by words
					("./server"), --module, @command or @pid */
	size_t at_line_count;
	bool each_block;     /* --each-block: basic blocks instead of functions */
	int32_t pid;	     /* search its mapped files, in its view; 0: none */
	bool alone;	     /* it is the only watched process */
	const char *command; /* argv[0] of the command; NULL: none */
	bool all;	     /* if a name matches several functions, take all */
	bool exits;	     /* also find the ends of calls (metric_set.exits) */
	bool returns;	     /* also find return types: for errors, retval, values */
	struct line_options lines;
	struct foreign *foreign; /* see struct watch_view_of; borrowed */
	/* Called with the progress on a word's functions, like probe_options.tell. May be NULL. */
	void (*tell)(void *context, const char *act, size_t done, size_t count);
	void *context;
};

/* Finds the targets. -EINVAL: an invalid word; -ENOTUNIQ: a name matches several functions, which
 * the reason lists; -ENOENT: no match, with similar names; else a file or its symbols cannot be
 * read. */
int watch_targets_new(const struct watch_target_options *options,
		      struct watch_targets **ret_targets, struct err *err);
void watch_targets_free(struct watch_targets *targets); /* NULL is fine */
DEFINE_CLEANUP(struct watch_targets *, watch_targets_free);

/* Sets the targets of @probes, at least one, and the places where their calls end. Borrowed from
 * @targets. */
void watch_targets_give(const struct watch_targets *targets, struct probe_options *probes);
/* A sentence for the user about the choice of targets, borrowed; NULL after the last. Examples:
 * functions left out because they cannot be probed, the implementation of an indirect function. */
const char *watch_targets_note(const struct watch_targets *targets, size_t index);

#endif
