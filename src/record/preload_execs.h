/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that preloaded processes execute, and which of them were not profiled: the library says what is
 * executed before, and speaks again from the new program. Both may come in any order, and with two drains.
 */
#ifndef RECORD_PRELOAD_EXECS_H
#define RECORD_PRELOAD_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/preload_wire.h"

struct preload_execs;

struct preload_execs *preload_execs_new(void);
void preload_execs_free(struct preload_execs *execs); /* NULL is fine */

/* Process @pid is about to execute @path. */
void preload_execs_note(struct preload_execs *execs, int32_t pid, uint64_t time_ns,
			enum preload_refusal refusal, const char *path);
/* A struct preload_exec of @size bytes. False: it is none. */
bool preload_execs_add(struct preload_execs *execs, const void *record, size_t size);
/* The library speaks from a program that process @pid has executed. */
void preload_execs_loaded(struct preload_execs *execs, int32_t pid, uint64_t time_ns);
/* After each drain. */
void preload_execs_match(struct preload_execs *execs);

/* One sentence about those that were not profiled; the caller frees it. NULL: there are none.
 * @records_dropped: what the library wrote may be missing. */
char *preload_execs_sentence(const struct preload_execs *execs, bool records_dropped);

#endif
