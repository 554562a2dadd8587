/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/mark_list.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/json_add.h"
#include "base/vec.h"
#include "present/figures.h"
#include "present/safe.h"

enum {
	SHOWN = 5,	  /* of a line */
	TEXT_WIDTH = 40,  /* of a mark: some are sentences */
	DATE_LENGTH = 10, /* "2026-11-29" */
	REAL_DIGITS = 12,
};

struct list {
	VEC(struct mark) marks;
};

DEFINE_ORDER(by_time, struct mark, COMPARE(a->time_ns, b->time_ns))

/* Those of the time that was chosen. A mark that waited for its recorder may be before its profile. */
static struct list collect(const struct view *view)
{
	const struct profile *profile = view->labels->profile;
	struct list list = { 0 };

	for (size_t i = 0; i < profile->marks.count; i++) {
		const struct mark *mark = &profile->marks.items[i];

		if (view_is_of_part(view) &&
		    (mark->time_ns < view->from_ns || mark->time_ns >= view->to_ns))
			continue;
		*vec_push(&list.marks) = *mark;
	}
	if (list.marks.count)
		qsort(list.marks.items, list.marks.count, sizeof(*list.marks.items), by_time);
	return list;
}

static double since_start(const struct profile *profile, const struct mark *mark)
{
	return ((double)mark->time_ns - (double)profile->run.start_ns) / (double)NS_PER_S;
}

/* @dates: with the date. */
static void add_time(const struct profile *profile, const struct mark *mark, bool dates,
		     struct buf *buf)
{
	uint64_t real_ns = account_real_ns(profile, mark->time_ns);
	struct buf time = { 0 };

	if (!real_ns) {
		buf_printf(buf, "%+.1f s", since_start(profile, mark));
		return;
	}
	figures_time(&time, real_ns);
	buf_add_str(buf,
		    buf_text(&time) + (dates || time.size <= DATE_LENGTH ? 0 : DATE_LENGTH + 1));
	buf_done(&time);
}

static bool are_of_one_day(const struct profile *profile, const struct mark *first,
			   const struct mark *last)
{
	struct buf from = { 0 }, to = { 0 };
	bool same;

	figures_time(&from, account_real_ns(profile, first->time_ns));
	figures_time(&to, account_real_ns(profile, last->time_ns));
	same = strncmp(buf_text(&from), buf_text(&to), DATE_LENGTH) == 0;
	buf_done(&from);
	buf_done(&to);
	return same;
}

void mark_list_add(const struct view *view, struct buf *buf)
{
	const struct profile *profile = view->labels->profile;
	struct list list = collect(view);
	size_t count = list.marks.count, first = count > SHOWN ? count - SHOWN : 0;
	bool dates = count && !are_of_one_day(profile, &list.marks.items[first],
					      &list.marks.items[count - 1]);

	for (size_t i = first; i < count; i++) {
		const struct mark *mark = &list.marks.items[i];

		buf_add_str(buf, i > first ? ", " : "");
		safe_text_middle(buf, profile_text(profile, mark->text), TEXT_WIDTH);
		buf_add_char(buf, ' ');
		add_time(profile, mark, dates, buf);
	}
	if (first)
		buf_printf(buf, " (%zu earlier)", first);
	vec_free(&list.marks);
}

static void add_utc(uint64_t real_ns, struct buf *json)
{
	time_t seconds = (time_t)(real_ns / NS_PER_S);
	char text[32];
	struct tm tm;

	if (!real_ns || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_add_null(json, "utc");
	else
		json_add_text(json, "utc", text);
}

void mark_list_add_json(const struct view *view, struct buf *json)
{
	const struct profile *profile = view->labels->profile;
	struct list list = collect(view);

	if (list.marks.count)
		json_add_begin(json, "marks", '[');
	for (size_t i = 0; i < list.marks.count; i++) {
		const struct mark *mark = &list.marks.items[i];

		json_add_begin(json, NULL, '{');
		json_add_text(json, "text", profile_text(profile, mark->text));
		json_add_real(json, "time_s", since_start(profile, mark), REAL_DIGITS);
		add_utc(account_real_ns(profile, mark->time_ns), json);
		json_add_end(json, '}');
	}
	if (list.marks.count)
		json_add_end(json, ']');
	vec_free(&list.marks);
}
