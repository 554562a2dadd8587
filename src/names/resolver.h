/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for frames: every frame of the profile that has no symbol yet gets one, and frames of files
 * get their ELF address. Runs at each flush and at the end, while the files are still held.
 */
#ifndef NAMES_RESOLVER_H
#define NAMES_RESOLVER_H

#include "base/pause.h"
#include "model/profile.h"

struct resolver;
struct debug_files;
struct image_files;
struct jit;
struct kernel_symbols;

/* Everything is borrowed and must outlive the resolver. @kernel may be NULL: kernel frames are then
 * named "[kernel]". */
struct resolver *resolver_new(struct profile *profile, struct image_files *files,
			      struct kernel_symbols *kernel);
void resolver_free(struct resolver *resolver);

/* Where symbols of stripped files are looked for, in place of what is usual here; borrowed, must
 * outlive the resolver. */
void resolver_set_debug_files(struct resolver *resolver, struct debug_files *debug_files);

/* Frames of code that programs make while they run get names too; those without one are asked about
 * again at each run, for it may be told later. Borrowed, must outlive the resolver. */
void resolver_set_jit(struct resolver *resolver, struct jit *jit);

/* Calls @pause before another image's symbols are read: reading them may take a while. It may add
 * frames, which wait for the next run. */
void resolver_set_pause(struct resolver *resolver, struct pause pause);
/* Resolves all frames that have no symbol. Image states are brought up to date. Symbol tables of
 * files are kept in a cache of bounded size. */
void resolver_run(struct resolver *resolver);

#endif
