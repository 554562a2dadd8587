/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets of a watch in the order of their names, each once, with unambiguous labels, the ends
 * of calls and, for Go code, how to find the goroutine.
 */
#ifndef WATCH_TARGETS_WATCH_TARGET_LIST_H
#define WATCH_TARGETS_WATCH_TARGET_LIST_H

#include <stdbool.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/probe.h"
#include "watch/targets/watch_image.h"
#include "watch/targets/watch_sources.h"

/* The owner sets the first three members; the others start as zero. */
struct watch_target_list {
	struct watch_sources *sources; /* borrowed */
	bool exits;		       /* find the ends of calls */
	bool returns;		       /* find return types */
	VEC(struct probe_target) list;
	VEC(struct watch_target_source) made_of; /* same index as list */
	struct hashidx index;			 /* of list, by place */
	struct strpool texts;			 /* labels and notes */
	VEC(void *) blocks;			 /* arrays of offsets, owned */
	VEC(str_id) notes;
	VEC(struct probe_go) goes; /* goroutine layouts, each once; the first stands for unknown */
	VEC(struct watch_go_text) go_texts;
	size_t repeated; /* targets that were already in the list */
};

/* The Go code of an image: [start, end), which excludes C code linked into it. */
struct watch_go_text {
	const struct watch_image *image;
	uint64_t start, end; /* ELF addresses; 0, 0: no Go code */
	uint8_t go;	     /* 1 + an index of goes */
	bool in_assembly;    /* assembly functions can find g, too */
};

/* The origin of a target. */
struct watch_target_source {
	struct watch_candidate candidate;
	str_id label;
};

/* Adds a function, or @wanted's instruction at its displacement, unless it is already in the list.
 * @suffix: appended to the label. */
int watch_target_list_add(struct watch_target_list *targets,
			  const struct watch_candidate *candidate,
			  const struct probe_target *wanted, const char *suffix, struct err *err);
int watch_target_list_add_function(struct watch_target_list *targets,
				   const struct watch_candidate *candidate, struct err *err);
/* 1 + the index of the goroutine layout for the function at an ELF address; 0: it is not Go
 * code. */
uint8_t watch_target_list_go(struct watch_target_list *targets, struct watch_image *image,
			     uint64_t address);
/* Keeps a sentence for the user; frees @note. */
void watch_target_list_note(struct watch_target_list *targets, struct buf *note);
/* Adds parameters to labels that are not unique and, if that is not enough, addresses. Call it
 * after all targets have been added. */
void watch_target_list_tell_apart(struct watch_target_list *targets);
void watch_target_list_done(struct watch_target_list *targets);

#endif
