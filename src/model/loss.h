/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every way a sample, or the knowledge that names it, can be lost. Each reason is one row here. It
 * is counted where it happens, kept in the profile and shown in every report.
 */
#ifndef MODEL_LOSS_H
#define MODEL_LOSS_H

#include <stdint.h>

/* id, name (in JSON, CSV and the profile file), what a person reads */
#define LOSS_REASONS(X)                                                                    \
	X(RING_FULL, "ring_full", "samples dropped because a buffer was full")             \
	X(THROTTLED, "throttled", "time during which the kernel throttled sampling")       \
	X(MISSED_TICKS, "missed_ticks", "ticks a late timer skipped")                      \
	X(TRACKING, "tracking", "process and mapping records that were dropped")           \
	X(LATE, "late", "records that arrived too late to be put in order")                \
	X(UNKNOWN_TASK, "unknown_task", "samples of an unknown task")                      \
	X(MALFORMED, "malformed", "records that could not be read")                        \
	X(TABLE_FULL, "table_full", "threads for which a table in the kernel had no room") \
	X(NOT_STORED, "not_stored", "samples that could not be written to the profile")    \
	X(NOT_READ, "not_read", "images and processes that could not be read in time")     \
	X(DAMAGED, "damaged", "samples of a damaged profile that could not be recovered")

#define LOSS_ENUM(id, ...) LOSS_##id,
enum loss_reason { LOSS_REASONS(LOSS_ENUM) LOSS_COUNT };

struct loss {
	uint64_t count;	 /* samples, ticks or records; 0 for a pure loss of time */
	uint64_t weight; /* in the event's unit (ns for a clock); 0 if it has none */
};

/* The words of the table. @reason < LOSS_COUNT. */
const char *loss_name(enum loss_reason reason);
const char *loss_text(enum loss_reason reason);
/* LOSS_COUNT when no reason has this name. */
enum loss_reason loss_by_name(const char *name);

#endif
