/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a user types to places that can be watched:
 *
 *   vfs_read  tcp_*  kernel:vfs_read        functions of the kernel and its modules
 *   nf_tables:nft_do_chain                  of one module, as --module nf_tables nft_do_chain
 *   libc.so.6:malloc  libc:malloc           of a library: in what --pid has mapped, else as ld.so
 *                                           would find it
 *   ./server:handle  /usr/bin/python3:Py_*  of a file; server:handle is looked for in PATH
 *   ./server:Cache::get  ./server:'get(int)'  C++ and Rust as they are read, all of the name or its
 *                                           last parts, with or without parameters
 *   handle                                  without a file: the kernel's, else of the command's or
 *                                           the process's program
 *   ./server:0x1234  kernel:0xffffffff81...  an address: as objdump, as kallsyms shows it
 *   NAME+0x1c                               an instruction of it; --at +0x1c for all
 *   FILE.c:123                              with --at-line: each stretch of code of that line
 */
#ifndef WATCH_TARGETS_WATCH_TARGETS_H
#define WATCH_TARGETS_WATCH_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "model/probe.h"
#include "names/lines/line_service.h"

struct watch_places;
struct watch_targets;

/* All texts are borrowed for the life of what is made with them. */
struct watch_target_options {
	const char *const *words; /* see above */
	size_t word_count;
	const char *module;    /* --module: words without a file are looked for there; without
				  any word all of it is meant. NULL: none */
	const char *const *at; /* --at: +0x1c, of each function; several: each of them */
	size_t at_count;
	const char *const *at_lines; /* --at-line: FILE:LINE, of the programs that are named by
					words ("./server"), --module, @command or @pid */
	size_t at_line_count;
	bool each_block;     /* --each-block: the basic blocks of the functions instead */
	int32_t pid;	     /* what it has mapped, in its own view of files; 0: none */
	bool alone;	     /* it is the only process that is watched */
	const char *command; /* argv[0] of the command; NULL: none */
	bool all;	     /* of several functions of a name take all, do not refuse */
	bool exits;	     /* where calls end is wanted too (struct metric_set.exits) */
	bool returns;	     /* what functions return is wanted too: errors, retval, values */
	struct line_options lines;
	struct foreign *foreign; /* as in struct watch_view_of; borrowed */
	/* Told how far looking at the functions of a word is, as probe_options.tell. NULL: nobody
	 * is. */
	void (*tell)(void *context, const char *act, size_t done, size_t count);
	void *context;
};

/* Finds them. -EINVAL: words that make no sense; -ENOTUNIQ: a name that several functions have, the
 * reason lists them; -ENOENT: none has it, with what is near; else why files or symbols cannot be
 * read. */
int watch_targets_new(const struct watch_target_options *options,
		      struct watch_targets **ret_targets, struct err *err);
void watch_targets_free(struct watch_targets *targets); /* NULL is fine */
DEFINE_CLEANUP(struct watch_targets *, watch_targets_free);

/* Borrowed from @targets. At least one. */
const struct probe_target *watch_targets_list(const struct watch_targets *targets,
					      size_t *ret_count);
/* Where ends of calls are seen beside the targets; borrowed. NULL: they are not wanted. */
const struct watch_places *watch_targets_places(const struct watch_targets *targets);
/* What the user should know of the choice, a sentence each, borrowed; NULL behind the last: what
 * was left out as it cannot be probed, which implementation an indirect function stands for. */
const char *watch_targets_note(const struct watch_targets *targets, size_t index);

#endif
