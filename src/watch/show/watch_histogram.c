/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "present/figures.h"
#include "present/safe.h"
#include "watch/show/watch_parts.h"

enum {
	BAR_WIDTH = 40,
	MOST_BARS = 24,	 /* neighbouring buckets are merged until no more are left */
	MOST_EMPTY = 2,	 /* empty pieces shown in a row; more become one line */
	MOST_SHOWN = 16, /* histograms; more would bury the table */
	MOST_ERRNO = 4095,
};

/* A piece of a histogram: buckets [first, end). */
struct piece {
	size_t first, end;
	uint64_t count;
};

struct pieces {
	VEC(struct piece) list;
	uint64_t most;
};

/* The range of buckets that are not empty. False: all are. */
static bool find_span(const uint64_t *histogram, size_t count, size_t *ret_first, size_t *ret_end)
{
	size_t first = 0, end = count;

	while (first < count && !histogram[first])
		first++;
	while (end > first && !histogram[end - 1])
		end--;
	*ret_first = first;
	*ret_end = end;
	return first < end;
}

static void push_piece(const uint64_t *histogram, size_t first, size_t end, struct pieces *pieces)
{
	struct piece piece = { first, end, 0 };

	for (size_t i = first; i < end; i++)
		piece.count += histogram[i];
	if (piece.count > pieces->most)
		pieces->most = piece.count;
	*vec_push(&pieces->list) = piece;
}

static size_t width_for(size_t buckets)
{
	return (buckets + MOST_BARS - 1) / MOST_BARS;
}

static void make_pieces(const uint64_t *histogram, size_t first, size_t end, struct pieces *pieces)
{
	size_t width = width_for(end - first);

	for (size_t at = first; at < end; at += width)
		push_piece(histogram, at, at + width < end ? at + width : end, pieces);
}

static const char *error_name(int64_t value)
{
	return value < 0 && value >= -MOST_ERRNO ? strerrorname_np((int)-value) : NULL;
}

/* True if the bucket holds only 0, or only one error with a name: each gets its own bar. */
static bool is_outcome(const struct probe_scale *scale, size_t bucket)
{
	int64_t value = scale->lowest[bucket];
	bool alone = bucket + 1 < scale->count && scale->lowest[bucket + 1] == value + 1;

	return alone && (value == 0 || error_name(value));
}

/* Pushes the buckets without the empty ones at both ends. */
static void push_values(const uint64_t *histogram, size_t first, size_t end, struct pieces *pieces)
{
	size_t least, most;

	if (find_span(histogram + first, end - first, &least, &most))
		push_piece(histogram, first + least, first + most, pieces);
}

/* Like make_pieces, for return values: never merges success and errors. */
static void make_value_pieces(const uint64_t *histogram, const struct probe_scale *scale,
			      size_t first, size_t end, struct pieces *pieces)
{
	size_t others = 0, width, next;

	for (size_t i = first; i < end; i++)
		others += !is_outcome(scale, i);
	width = width_for(others);
	for (size_t at = first; at < end; at = next) {
		next = at + 1;
		while (next < end && next - at < width && !is_outcome(scale, at) &&
		       !is_outcome(scale, next))
			next++;
		push_values(histogram, at, next, pieces);
	}
}

static void add_time(struct buf *text, int64_t ns)
{
	figures_si(text, (double)ns / 1e9);
	buf_add_str(text, ns ? "s" : "");
}

static void add_value(struct buf *text, int64_t value)
{
	const char *name = error_name(value);

	buf_printf(text, "%" PRId64, value);
	if (name)
		buf_printf(text, " %s", name);
}

static void add_bound(struct buf *text, const struct probe_scale *scale, size_t bucket, bool times)
{
	if (times)
		add_time(text, scale->lowest[bucket]);
	else
		add_value(text, scale->lowest[bucket]);
}

static void add_range(struct buf *text, const struct piece *piece, const struct probe_scale *scale,
		      bool times)
{
	bool last = piece->end >= scale->count;

	add_bound(text, scale, piece->first, times);
	if (!last && !times && scale->lowest[piece->end] == scale->lowest[piece->first] + 1)
		return;
	buf_add_str(text, last ? " and more" : " to ");
	if (last)
		return;
	if (times)
		add_time(text, scale->lowest[piece->end]);
	else
		add_value(text, scale->lowest[piece->end] - 1);
}

static void add_bar(struct buf *text, uint64_t count, uint64_t most)
{
	size_t stars = most ? (size_t)((double)count * BAR_WIDTH / (double)most + 0.5) : 0;

	if (!stars && count)
		stars = 1;
	for (size_t i = 0; i < stars; i++)
		buf_add_char(text, '*');
}

/* How many pieces from @from on are empty. */
static size_t count_empty(const struct pieces *pieces, size_t from)
{
	size_t at = from;

	while (at < pieces->list.count && !pieces->list.items[at].count)
		at++;
	return at - from;
}

static void add_pieces(struct buf *text, const struct pieces *pieces,
		       const struct probe_scale *scale, bool times)
{
	struct buf words = { 0 };

	for (size_t i = 0; i < pieces->list.count; i++) {
		const struct piece *piece = &pieces->list.items[i];
		size_t empty = count_empty(pieces, i);

		if (empty > MOST_EMPTY) {
			buf_add_str(text, "  ...\n");
			i += empty - 1;
			continue;
		}
		buf_clear(&words);
		add_range(&words, piece, scale, times);
		buf_printf(text, "  %-32s ", buf_text(&words));
		buf_clear(&words);
		figures_count(&words, piece->count);
		buf_printf(text, "%12s", buf_text(&words));
		buf_add_str(text, piece->count ? " " : "");
		add_bar(text, piece->count, pieces->most);
		buf_add_char(text, '\n');
	}
	buf_done(&words);
}

static void add_quantiles(struct buf *text, const struct watch_line *line,
			  const struct probe_scale *scale)
{
	static const struct {
		const char *name;
		double part;
	} quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double ns = metric_quantile(line->latency, scale, quantiles[i].part);

		if (line->counts.longest_ns && ns > (double)line->counts.longest_ns)
			ns = (double)line->counts.longest_ns;
		buf_printf(text, "%s%s ", i ? ", " : "", quantiles[i].name);
		add_time(text, (int64_t)ns);
	}
	buf_add_str(text, ", max ");
	add_time(text, (int64_t)line->counts.longest_ns);
	buf_add_char(text, '\n');
}

static void add_latency(struct watch_show *show, const struct watch_line *line)
{
	const struct probe_scale *scale = &show->setting.latency;
	struct pieces pieces = { .most = 0 };
	size_t first, end;

	if (!line->latency || !find_span(line->latency, scale->count, &first, &end))
		return;
	buf_add_str(&show->text, "\nlatency of ");
	safe_text(&show->text, show->setting.targets[line->target].label);
	buf_add_str(&show->text, ": ");
	add_quantiles(&show->text, line, scale);
	make_pieces(line->latency, first, end, &pieces);
	add_pieces(&show->text, &pieces, scale, true);
	vec_free(&pieces.list);
}

static void add_values(struct watch_show *show, const struct watch_line *line)
{
	const struct probe_scale *scale = &show->setting.values;
	struct pieces pieces = { .most = 0 };
	size_t first, end;

	if (!line->values)
		return;
	buf_add_str(&show->text, "\nreturned by ");
	safe_text(&show->text, show->setting.targets[line->target].label);
	if (!find_span(line->values, scale->count, &first, &end)) {
		buf_add_str(&show->text,
			    show->setting.targets[line->target].returns.kind == PROBE_RETURN_NOTHING
				    ? ": no number\n"
				    : ": nothing yet\n");
		return;
	}
	buf_add_str(&show->text, ":\n");
	make_value_pieces(line->values, scale, first, end, &pieces);
	add_pieces(&show->text, &pieces, scale, false);
	vec_free(&pieces.list);
}

void watch_histogram_add(struct watch_show *show, const struct watch_totals *totals)
{
	struct watch_lines lines;
	size_t shown = 0, left_out = 0;

	watch_lines_sum(&show->setting, &totals->all, &lines);
	for (size_t i = 0; i < lines.list.count; i++) {
		const struct watch_line *line = &lines.list.items[i];
		bool has = line->counts.entries && (line->latency || line->values);

		left_out += has && shown == MOST_SHOWN;
		if (!has || shown == MOST_SHOWN)
			continue;
		shown++;
		add_latency(show, line);
		add_values(show, line);
	}
	if (left_out)
		buf_printf(&show->text,
			   "\n%zu more histograms are left out; --format json has them all\n",
			   left_out);
	watch_lines_done(&lines);
}
