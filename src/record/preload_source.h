/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of preloaded processes as a source for attribution: in order of time, with what they lack
 * of those of the kernel. A process's first words (fork, exec, mappings) may repeat what is known, and
 * its end is seen from outside.
 */
#ifndef RECORD_PRELOAD_SOURCE_H
#define RECORD_PRELOAD_SOURCE_H

#include <stdint.h>
#include <sys/types.h>

#include "attribute/attribute.h"
#include "model/machine.h"
#include "model/profile.h"
#include "record/preload_memory.h"

struct foreign;
struct preload_source;

/* Adds the event to the profile, as its first. All is borrowed. @command: the process that was launched;
 * those whose parent is not known are taken for its children. */
struct preload_source *preload_source_new(struct profile *profile, struct machine *machine,
					  struct preload_memory *memory, double rate_hz,
					  enum preload_clock clock, pid_t command,
					  struct foreign *foreign);
void preload_source_free(struct preload_source *source); /* NULL is fine */

/* The command is about to execute the program @path. */
void preload_source_note_command(struct preload_source *source, const char *path,
				 enum preload_refusal refusal);

/* For struct attribution_parts; borrows @source. */
struct record_source preload_source_records(struct preload_source *source);

/* Takes what the memory has, and passes on what is older than @cutoff_ns. */
void preload_source_drain(struct preload_source *source, uint64_t cutoff_ns,
			  struct attribution *attribution);

/* After the last drain: losses into the profile, and what was not profiled into run.not_visible. */
void preload_source_settle(struct preload_source *source);

#endif
