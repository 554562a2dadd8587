/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_execs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/compare.h"
#include "base/hashidx.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "preload/preload_wire.h"

enum {
	MOST_EXECUTIONS = 1 << 16, /* that are not known to be profiled */
	MOST_ENDS = 1 << 17,	   /* in two drains */
	MOST_NAMED = 8,		   /* programs in the sentence, */
	MOST_PATH = 256,	   /* and bytes of the path of one */
};

/* A program that a process was about to execute. */
struct execution {
	int32_t pid;
	uint64_t time_ns;
	enum preload_refusal refusal;
	char *path;
};

/* What makes earlier executions of a process void. */
struct end {
	int32_t pid;
	uint64_t time_ns;
};

struct ends {
	VEC(struct end) items;
	size_t before; /* the first ones are from the drain before */
};

struct preload_execs {
	VEC(struct execution) executed;
	struct ends loaded; /* the library was there */
	struct ends failed; /* the program was not executed */
	uint64_t not_noted; /* executions beyond MOST_EXECUTIONS */
};

struct preload_execs *preload_execs_new(void)
{
	return xcalloc(1, sizeof(struct preload_execs));
}

void preload_execs_free(struct preload_execs *execs)
{
	if (!execs)
		return;
	for (size_t i = 0; i < execs->executed.count; i++)
		free(execs->executed.items[i].path);
	vec_free(&execs->executed);
	vec_free(&execs->loaded.items);
	vec_free(&execs->failed.items);
	free(execs);
}

static void add_end(struct ends *ends, int32_t pid, uint64_t time_ns)
{
	if (ends->items.count < MOST_ENDS)
		*vec_push(&ends->items) = (struct end){ pid, time_ns };
}

/* As much of it as is shown, without what a terminal would obey. */
static char *printable(const char *path)
{
	char *copy = xstrndup(path, MOST_PATH);

	for (char *at = copy; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return copy;
}

void preload_execs_note(struct preload_execs *execs, int32_t pid, uint64_t time_ns,
			enum preload_refusal refusal, const char *path)
{
	if (execs->executed.count >= MOST_EXECUTIONS) {
		execs->not_noted++;
		return;
	}
	*vec_push(&execs->executed) = (struct execution){
		.pid = pid, .time_ns = time_ns, .refusal = refusal, .path = printable(path)
	};
}

bool preload_execs_add(struct preload_execs *execs, const void *record, size_t size)
{
	struct preload_exec head;
	const char *path = (const char *)record + sizeof(head);
	enum preload_refusal refusal;

	if (size <= sizeof(head) || !memchr(path, '\0', size - sizeof(head)))
		return false;
	memcpy(&head, record, sizeof(head));
	refusal = head.refusal < PRELOAD_REFUSAL_COUNT ? (enum preload_refusal)head.refusal
						       : PRELOAD_REFUSAL_NONE;
	if (*path)
		preload_execs_note(execs, head.pid, head.time_ns, refusal, path);
	else
		add_end(&execs->failed, head.pid, head.time_ns);
	return true;
}

void preload_execs_loaded(struct preload_execs *execs, int32_t pid, uint64_t time_ns)
{
	add_end(&execs->loaded, pid, time_ns);
}

/* ---- which were profiled ---- */

DEFINE_ORDER(by_process, struct end, COMPARE(a->pid, b->pid) ?: COMPARE(a->time_ns, b->time_ns))

/* True if one of @sorted is of the same process, at that time or later. */
static bool has_ended(const struct end *sorted, size_t count, const struct execution *execution)
{
	size_t after = search_before(sorted, count, end, end->pid <= execution->pid);

	return after > 0 && sorted[after - 1].pid == execution->pid &&
	       sorted[after - 1].time_ns >= execution->time_ns;
}

/* Sorted copies of both lists. */
struct sorted_ends {
	struct end *loaded, *failed;
};

static struct end *sort(const struct ends *ends)
{
	struct end *sorted = xcalloc(ends->items.count + 1, sizeof(*sorted));

	if (ends->items.count) {
		memcpy(sorted, ends->items.items, ends->items.count * sizeof(*sorted));
		qsort(sorted, ends->items.count, sizeof(*sorted), by_process);
	}
	return sorted;
}

static bool is_over(const struct preload_execs *execs, const struct sorted_ends *sorted,
		    const struct execution *execution)
{
	/* These were loaded, and then no longer profiled. */
	if (execution->refusal == PRELOAD_REFUSAL_FILTER ||
	    execution->refusal == PRELOAD_REFUSAL_SIGNAL)
		return false;
	return has_ended(sorted->loaded, execs->loaded.items.count, execution) ||
	       has_ended(sorted->failed, execs->failed.items.count, execution);
}

static void forget_old(struct ends *ends)
{
	ends->items.count -= ends->before;
	if (ends->items.count)
		memmove(ends->items.items, ends->items.items + ends->before,
			ends->items.count * sizeof(*ends->items.items));
	ends->before = ends->items.count;
}

void preload_execs_match(struct preload_execs *execs)
{
	struct sorted_ends sorted = { sort(&execs->loaded), sort(&execs->failed) };
	size_t kept = 0;

	for (size_t i = 0; i < execs->executed.count; i++) {
		struct execution *execution = &execs->executed.items[i];

		if (is_over(execs, &sorted, execution))
			free(execution->path);
		else
			execs->executed.items[kept++] = *execution;
	}
	execs->executed.count = kept;
	free(sorted.loaded);
	free(sorted.failed);
	forget_old(&execs->loaded);
	forget_old(&execs->failed);
}

/* ---- those that were not ---- */

DEFINE_EQUAL(has_path, struct preload_execs, executed.items, char, strcmp(a->path, b) == 0)

char *preload_execs_sentence(const struct preload_execs *execs, bool records_dropped)
{
#define REFUSAL_TEXT(id, text) [PRELOAD_REFUSAL_##id] = text,
	static const char *const texts[] = { PRELOAD_REFUSALS(REFUSAL_TEXT) };
	_cleanup_(buf_done) struct buf sentence = { 0 };
	struct hashidx seen = { 0 };
	uint64_t more = execs->not_noted;
	size_t named = 0;

	for (size_t i = 0; i < execs->executed.count; i++) {
		const struct execution *execution = &execs->executed.items[i];
		uint64_t hash = hash_bytes(execution->path, strlen(execution->path));
		uint32_t id;

		if (hashidx_find(&seen, hash, has_path, execs, execution->path, &id))
			continue;
		hashidx_add(&seen, hash, (uint32_t)i);
		if (named == MOST_NAMED) {
			more++;
			continue;
		}
		buf_printf(&sentence, "%s%s (%s)",
			   named ? ", " : "programs that were not profiled: ", execution->path,
			   execution->refusal == PRELOAD_REFUSAL_NONE && records_dropped
				   ? "it did not load the library, or what it wrote was dropped"
				   : texts[execution->refusal]);
		named++;
	}
	hashidx_done(&seen);
	if (more)
		buf_printf(&sentence, " and %" PRIu64 " more", more);
	return named ? xstrdup(buf_text(&sentence)) : NULL;
}
