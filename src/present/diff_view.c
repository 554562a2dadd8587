/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/diff_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/compare.h"
#include "base/xalloc.h"

const char *diff_view_order_name(enum diff_order order)
{
	static const char *const names[DIFF_ORDERS] = { "effect", "ratio", "old", "new", "name" };

	return names[order];
}

/* The share on the side where it is larger. */
static double percent_of(const struct diff_row *row)
{
	const struct change *share = &row->by[DIFF_SHARE];

	return 100 * fmax(share->before, share->after);
}

struct sorted {
	const struct diff_row *row;
	bool noise;
	double rank; /* larger ranks come first */
	char *name;  /* NULL unless sorted by it */
};

DEFINE_ORDER(earlier, struct sorted,
	     COMPARE(a->noise, b->noise) ?: (a->name ? strcmp(a->name, b->name) : 0) ?:
	     COMPARE(b->rank, a->rank) ?: COMPARE(a->row, b->row))

static double rank(const struct diff_view *view, const struct diff_row *row)
{
	const struct change *change = &row->by[view->diff->measure];

	switch (view->order) {
	case DIFF_BY_RATIO:
		if (!(change->before > 0) || !(change->after > 0))
			return INFINITY;
		return fabs(log(change->after / change->before));
	case DIFF_BY_OLD:
		return change->before;
	case DIFF_BY_NEW:
		return change->after;
	default:
		return fabs(change->after - change->before);
	}
}

static char *name_of(const struct diff_view *view, const struct diff_row *row)
{
	struct buf name = { 0 };

	for (size_t key = 0; key < view->diff->keys.count; key++) {
		diff_text(view->diff, row, key, &name);
		buf_add_char(&name, '\n');
	}
	return name.bytes;
}

static bool is_shown(const struct diff_view *view, const struct diff_row *row)
{
	return view->all || row->verdict != DIFF_WITHIN_NOISE;
}

const struct diff_row **diff_view_rows(const struct diff_view *view, uint8_t event,
				       size_t *ret_count, size_t *ret_hidden)
{
	const struct diff *diff = view->diff;
	struct sorted *sorted = xcalloc(diff->rows.count, sizeof(*sorted));
	const struct diff_row **rows = xcalloc(diff->rows.count, sizeof(*rows));
	size_t count = 0;

	*ret_hidden = 0;
	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.items[i];

		if (row->event != event || !is_shown(view, row))
			continue;
		if (percent_of(row) < view->threshold)
			(*ret_hidden)++;
		else
			sorted[count++] = (struct sorted){
				row, row->verdict == DIFF_WITHIN_NOISE, rank(view, row),
				view->order == DIFF_BY_NAME ? name_of(view, row) : NULL
			};
	}
	if (count)
		qsort(sorted, count, sizeof(*sorted), earlier);
	for (size_t i = 0; i < count; i++) {
		rows[i] = sorted[i].row;
		free(sorted[i].name);
	}
	free(sorted);
	*ret_count = view->limit && count > view->limit ? view->limit : count;
	*ret_hidden += count - *ret_count;
	return rows;
}

static void add_rate(const struct profile *profile, struct buf *buf)
{
	const struct event *event = &profile->events[account_main_event(profile)];

	if (event->rate_hz > 0)
		buf_printf(buf, "%g Hz", event->rate_hz);
	else if (event->period)
		buf_printf(buf, "every %" PRIu64, event->period);
	else
		buf_add_str(buf, "unknown");
}

static void add_cpus(const struct profile *profile, struct buf *buf)
{
	if (profile->run.cpus)
		buf_printf(buf, "%" PRIu64 " CPUs", profile->run.cpus);
	else
		buf_add_str(buf, "unknown number of CPUs");
}

#define ADD_TEXT(name, text)                                                   \
	static void add_##name(const struct profile *profile, struct buf *buf) \
	{                                                                      \
		buf_add_str(buf, (text) && *(text) ? (text) : "unknown");      \
	}
ADD_TEXT(command, profile->run.command)
ADD_TEXT(scope, profile->run.scope)
ADD_TEXT(host, profile->run.hostname)
ADD_TEXT(kernel, profile->run.kernel_release)
ADD_TEXT(machine, profile->run.machine)
#undef ADD_TEXT

static void add_clock(const struct profile *profile, struct buf *buf)
{
	buf_add_str(buf, clock_kind_name(profile->events[account_main_event(profile)].clock));
}

void diff_view_differences(const struct diff_view *view, struct buf *buf)
{
	static const struct {
		const char *name;
		void (*add)(const struct profile *profile, struct buf *buf);
	} facts[] = {
		{ "command", add_command }, { "recording scope", add_scope },
		{ "rate", add_rate },	    { "clock", add_clock },
		{ "machine", add_host },    { "architecture", add_machine },
		{ "kernel", add_kernel },   { "processors", add_cpus },
	};
	struct buf first = { 0 }, other = { 0 };

	for (size_t fact = 0; fact < sizeof(facts) / sizeof(facts[0]); fact++) {
		buf_clear(&first);
		facts[fact].add(view->sources[0].profile, &first);
		for (size_t i = 1; i < view->source_count; i++) {
			buf_clear(&other);
			facts[fact].add(view->sources[i].profile, &other);
			if (strcmp(buf_text(&first), buf_text(&other)) == 0)
				continue;
			buf_printf(buf, "%s%s (%s, then %s)", buf->size ? "; " : "",
				   facts[fact].name, buf_text(&first), buf_text(&other));
			break;
		}
	}
	buf_done(&first);
	buf_done(&other);
}
