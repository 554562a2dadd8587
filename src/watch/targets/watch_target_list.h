/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places a watch will be put on, in the order they were named, each once: with labels that tell
 * them apart, and where the calls of functions end. Private to watch_targets.c.
 */
#ifndef WATCH_TARGETS_WATCH_TARGET_LIST_H
#define WATCH_TARGETS_WATCH_TARGET_LIST_H

#include <stdbool.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/probe.h"
#include "watch/targets/watch_go.h"
#include "watch/targets/watch_sources.h"

/* The first three are set by the owner, the rest is zero. */
struct watch_target_list {
	struct watch_sources *sources; /* borrowed */
	bool exits;		       /* are looked for */
	bool returns;		       /* what functions return is looked for */
	VEC(struct probe_target) list;
	VEC(struct watch_target_source) made_of; /* by the same index */
	struct hashidx index;			 /* of places */
	struct strpool texts;			 /* labels and notes */
	VEC(void *) blocks;			 /* arrays of exits, owned */
	VEC(str_id) notes;
	struct watch_goes goes;
	size_t repeated; /* what was there already, by another name */
};

/* What a target was made of. */
struct watch_target_source {
	struct watch_candidate candidate;
	str_id label;
};

/* Adds a function, or @wanted's instruction at its displacement, unless it is there already.
 * @behind: appended to its label. */
int watch_target_list_add(struct watch_target_list *targets,
			  const struct watch_candidate *candidate,
			  const struct probe_target *wanted, const char *behind, struct err *err);
int watch_target_list_add_function(struct watch_target_list *targets,
				   const struct watch_candidate *candidate, struct err *err);
/* Keeps a sentence for the user; @note is given up. */
void watch_target_list_note(struct watch_target_list *targets, struct buf *note);
/* Functions that are called the same get their parameters into their labels, and where that does
 * not tell them apart, where they are. When all have been added. */
void watch_target_list_tell_apart(struct watch_target_list *targets);
void watch_target_list_done(struct watch_target_list *targets);

#endif
