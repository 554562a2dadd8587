/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "present/figures.h"
#include "watch/show/watch_parts.h"

static const struct {
	const char *word, *sentence; /* NULL: needs no words */
} reasons[] = {
	[WATCH_GOES_ON] = { "going-on", NULL },
	[WATCH_DURATION] = { "duration", NULL },
	[WATCH_COMMAND] = { "command-ended", NULL },
	[WATCH_STOPPED] = { "stopped", NULL },
	[WATCH_BUDGET] = { "budget", "the cost exceeded the budget, so the probes were detached; "
				     "--budget PERCENT raises it" },
	[WATCH_GONE] = { "processes-ended", "the watched processes have ended" },
	[WATCH_NOT_SHOWN] = { "output-closed", NULL },
};

const char *watch_account_reason(enum watch_end end)
{
	return reasons[end].word;
}

/* Reasons why exits or durations are missing from the numbers. */
static const struct {
	size_t offset; /* in struct probe_counts */
	const char *what;
} lost_calls[] = {
	{ offsetof(struct probe_counts, too_deep),
	  "nested more than 64 deep in their thread or goroutine: entries without durations" },
	{ offsetof(struct probe_counts, abandoned),
	  "abandoned by a longjmp or an exception: entries without exits" },
	{ offsetof(struct probe_counts, unseen),
	  "that left by a jump and whose end was not seen: no duration, no return value" },
	{ offsetof(struct probe_counts, switched),
	  "during which the thread switched to another stack: no duration" },
	{ offsetof(struct probe_counts, died),
	  "open when their thread ended or executed another program" },
	{ offsetof(struct probe_counts, unmatched), "whose exit was seen, but not the entry" },
	{ offsetof(struct probe_counts, inside), "still open at the end" },
};

static const struct {
	size_t offset; /* in struct probe_cost */
	const char *what;
} lost_hits[] = {
	{ offsetof(struct probe_cost, missed),
	  "missed by the kernel, which was already in a probe" },
	{ offsetof(struct probe_cost, keys_lost), "lost because the table of keys was full" },
	{ offsetof(struct probe_cost, threads_lost),
	  "lost because there was no memory for their thread" },
	{ offsetof(struct probe_cost, sites_lost),
	  "at call sites for which there was no room: the ends of such calls may be missed" },
};

static void add_lost(struct buf *text, uint64_t count, const char *one, const char *many,
		     const char *what)
{
	if (!count)
		return;
	figures_count(text, count);
	buf_printf(text, " %s %s\n", count == 1 ? one : many, what);
}

static void add_losses(const struct watch_totals *totals, struct buf *text)
{
	for (size_t i = 0; i < sizeof(lost_calls) / sizeof(*lost_calls); i++) {
		uint64_t sum = 0;

		for (size_t row = 0; row < totals->all.row_count; row++)
			sum += *(
				const uint64_t *)(const void *)((const char *)&totals->all.rows[row]
									.counts +
								lost_calls[i].offset);
		add_lost(text, sum, "call", "calls", lost_calls[i].what);
	}
	for (size_t i = 0; i < sizeof(lost_hits) / sizeof(*lost_hits); i++)
		add_lost(text,
			 *(const uint64_t *)(const void *)((const char *)&totals->all.cost +
							   lost_hits[i].offset),
			 "hit", "hits", lost_hits[i].what);
}

static void add_ns(struct buf *text, double ns)
{
	figures_si(text, ns / 1e9);
	buf_add_str(text, ns > 0 ? "s" : "");
}

static void add_cost(const struct watch_show *show, const struct watch_totals *totals,
		     struct buf *text)
{
	const struct probe_cost *cost = &totals->all.cost;
	double wall = (double)(totals->all.to_ns - totals->all.from_ns);
	double took = (double)(cost->program_ns + cost->trap_ns);

	buf_printf(text, "%.2f s, ", wall / (double)NS_PER_S);
	figures_count(text, cost->hits);
	buf_add_str(text, cost->hits == 1 ? " probe hit" : " probe hits");
	if (cost->hits) {
		buf_add_str(text, " of ");
		add_ns(text, took / (double)cost->hits);
		buf_add_str(text, " (programs ");
		add_ns(text, (double)cost->program_ns / (double)cost->hits);
		buf_add_str(text, ")");
	}
	if (wall > 0) {
		buf_add_str(text, ": ");
		watch_percent_text(text, 100 * took / wall);
		buf_add_str(text, " % of a CPU");
	}
	buf_add_str(text, ";\nattached in ");
	add_ns(text, (double)show->setting.attach_ns);
	buf_add_str(text, ", detached in ");
	add_ns(text, (double)totals->detach_ns);
	buf_add_char(text, '\n');
}

void watch_account_add(const struct watch_show *show, const struct watch_totals *totals,
		       struct buf *text)
{
	const char *sentence = reasons[totals->all.end].sentence;

	add_losses(totals, text);
	add_cost(show, totals, text);
	if (sentence)
		buf_printf(text, "%s\n", sentence);
}
