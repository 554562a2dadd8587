/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that identify code across rebuilds. Compilers number unnamed things and split functions
 * into parts; linkers and installers put versions into file names.
 */
#ifndef AGGREGATE_DIFF_REBUILT_NAME_H
#define AGGREGATE_DIFF_REBUILT_NAME_H

#include "base/buf.h"

/*
 * Appends the name of a function without everything that another build may change:
 * - parts and clones of GCC: .cold, .isra.N, .constprop.N, .part.N, .lto_priv.N ..., and of LLVM:
 *   .llvm.N, .__uniq.N; also as " [clone .cold]"
 * - the numbers of lambdas, closures and unnamed types
 * - the hashes in Rust names
 * - the spelling of an anonymous namespace
 * All parts of one source function get one name.
 */
void rebuilt_name_of_function(const char *name, struct buf *buf);

/* The same for a stack's text: names joined by ';'. */
void rebuilt_name_of_stack(const char *names, struct buf *buf);

/* Appends the name of a file without its folder and version: "/usr/lib/libfoo-1.2.so.3.4" is
 * "libfoo.so", "/opt/llvm-15/bin/clang-15" is "clang". Names in brackets stay as they are. */
void rebuilt_name_of_image(const char *path, struct buf *buf);

/* Appends "/src/old/parse.c:12" as "parse.c:12"; names in brackets stay as they are. */
void rebuilt_name_of_line(const char *line, struct buf *buf);

#endif
