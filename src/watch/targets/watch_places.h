/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places besides the watched functions that show where calls end: call sites, for functions that
 * may end by a jump, as far as they can be found in advance, and the functions that unwind stacks.
 */
#ifndef WATCH_TARGETS_WATCH_PLACES_H
#define WATCH_TARGETS_WATCH_PLACES_H

#include "watch/probes/probes.h"
#include "watch/targets/watch_target_list.h"
#include "watch/targets/watch_targets.h"

struct watch_places;

/* Searches the files of the targets, of the command or the process, and the libraries they need.
 * Never fails: a file that cannot be read has no places. @targets is borrowed for its life. */
struct watch_places *watch_places_new(struct watch_target_list *targets,
				      const struct watch_target_options *options);
void watch_places_free(struct watch_places *places); /* NULL is fine */

/* Sets the places of @probes; borrows @places. */
void watch_places_give(const struct watch_places *places, struct probe_options *probes);

#endif
