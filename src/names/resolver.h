/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names frames: every frame of the profile without a symbol gets one, and frames of files get their
 * ELF address. Runs at each flush and at the end, while the files are still held.
 */
#ifndef NAMES_RESOLVER_H
#define NAMES_RESOLVER_H

#include <stddef.h>

#include "names/symbol_source.h"

struct resolver;

/* Asks sources in the order of SYMBOL_SOURCES. */
struct resolver *resolver_new(const struct symbol_parts *parts);
/* The same with other sources, best first; the sources are borrowed, the list is not. */
struct resolver *resolver_new_of(const struct symbol_parts *parts,
				 const struct symbol_source *const *sources, size_t count);
void resolver_free(struct resolver *resolver); /* NULL is fine */

/* Resolves all frames that have no symbol, and asks the sources that answered SYMBOL_LATER again.
 * If no source answers, the frame stays as it is. Updates image states. Takes a pause before it
 * reads another image's symbols; frames added in a pause wait for the next run. */
void resolver_run(struct resolver *resolver);

#endif
