/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/text_annotation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "annotate/jump_lanes.h"
#include "base/hashidx.h"
#include "present/figures.h"
#include "present/safe.h"
#include "present/text/text_parts.h"

enum {
	TAB = 8,
	PERCENT_WIDTH = 6,
	HITS_WIDTH = 8,
	TIME_WIDTH = 10,
	PAIR_WIDTH = 1 + PERCENT_WIDTH + HITS_WIDTH, /* of one of several events */
};

/* The least share of the function for each colour. */
static const struct {
	double percent;
	const char *colour;
} heat[] = {
	{ 10, "\033[1;31m" },
	{ 3, "\033[31m" },
	{ 0.5, "\033[33m" },
	{ 0, "\033[2m" },
};

static const char plain[] = "\033[0m";

struct page {
	const struct view *view;
	const struct annotation *annotation;
	size_t events;
	bool numbered; /* columns have numbers; the names of their events are in the head */
	int number_width;
	struct jump_lanes *lanes; /* NULL: none */
	struct buf line;
	FILE *out;
};

/* ---- figures ---- */

static const char *colour_of(const struct page *page, double percent)
{
	size_t i = 0;

	if (!page->view->colour)
		return "";
	while (percent < heat[i].percent)
		i++;
	return heat[i].colour;
}

static const char *event_name(const struct page *page, size_t event)
{
	const struct profile *profile = page->view->labels->profile;

	return profile_text(profile, profile->events[page->annotation->events[event]].name);
}

static bool is_time(const struct page *page, size_t event)
{
	return account_is_time(page->view->labels->profile, page->annotation->events[event]);
}

static int figures_width(const struct page *page)
{
	return page->events == 1 ? PERCENT_WIDTH + HITS_WIDTH + TIME_WIDTH
				 : PAIR_WIDTH * (int)page->events;
}

/* Share and hits of one of several events. */
static void add_pair(struct page *page, const struct hits *hits, double percent)
{
	if (!hits->samples) {
		buf_printf(&page->line, "%*s", PAIR_WIDTH, "");
		return;
	}
	buf_add_str(&page->line, colour_of(page, percent));
	buf_printf(&page->line, "%*.2f%*" PRIu64, PERCENT_WIDTH + 1, percent, HITS_WIDTH,
		   hits->samples);
	buf_add_str(&page->line, page->view->colour ? plain : "");
}

static void add_only(struct page *page, const struct hits *hits, double percent)
{
	struct buf weight = { 0 };

	figures_weight(&weight, hits->weight, is_time(page, 0));
	buf_add_str(&page->line, colour_of(page, percent));
	buf_printf(&page->line, "%*.2f%*" PRIu64 "%*s", PERCENT_WIDTH, percent, HITS_WIDTH,
		   hits->samples, TIME_WIDTH, buf_text(&weight));
	buf_add_str(&page->line, page->view->colour ? plain : "");
	buf_done(&weight);
}

static void add_figures(struct page *page, const struct annotation_row *row)
{
	const struct hits *hits = annotation_hits(page->annotation, row->hits);
	const struct hits *whole = annotation_hits(page->annotation, page->annotation->hits);

	if (!hit_sets_any(page->annotation->sets, row->hits)) {
		buf_printf(&page->line, "%*s", figures_width(page), "");
		return;
	}
	if (page->events == 1) {
		add_only(page, hits, figures_percent(hits->weight, whole->weight));
		return;
	}
	for (size_t i = 0; i < page->events; i++)
		add_pair(page, &hits[i], figures_percent(hits[i].weight, whole[i].weight));
}

/* Adds a source line, with blanks for tabs, which would not align: the line begins at any
 * column. */
static void add_source(struct page *page, const char *text)
{
	struct buf expanded = { 0 };
	size_t column = 0;

	for (; *text; text++) {
		if (*text == '\t') {
			buf_printf(&expanded, "%*s", (int)(TAB - column % TAB), "");
			column += TAB - column % TAB;
			continue;
		}
		buf_add_char(&expanded, *text);
		column += ((uint8_t)*text & 0xc0) != 0x80;
	}
	safe_text(&page->line, buf_text(&expanded));
	buf_done(&expanded);
}

static void add_lanes(struct page *page, size_t row)
{
	if (page->lanes)
		jump_lanes_draw(page->lanes, row, &page->line);
}

static void print_line(struct page *page)
{
	while (page->line.size && page->line.bytes[page->line.size - 1] == ' ')
		page->line.bytes[--page->line.size] = '\0';
	fputs(buf_text(&page->line), page->out);
	fputc('\n', page->out);
	buf_clear(&page->line);
}

static void print_row(struct page *page, size_t index)
{
	const struct annotation_row *row = &page->annotation->rows.items[index];
	const char *text = annotation_at(page->annotation, row->text);

	switch (row->kind) {
	case ANNOTATION_SOURCE:
		add_figures(page, row);
		buf_printf(&page->line, "  %*" PRIu64 " | ", page->number_width, row->number);
		add_source(page, text);
		break;
	case ANNOTATION_CODE:
		add_figures(page, row);
		buf_printf(&page->line, "  %*" PRIx64 "   ", page->number_width, row->number);
		add_lanes(page, index);
		safe_text(&page->line, text);
		break;
	case ANNOTATION_PART:
		buf_printf(&page->line, "%*s", figures_width(page) + 2, "");
		safe_text(&page->line, text);
		break;
	}
	print_line(page);
}

/* ---- jumps ---- */

struct targets {
	const struct annotation *annotation;
	struct hashidx index; /* code rows by address */
};

static bool has_address(const void *owner, uint32_t id, const void *key)
{
	const struct targets *targets = owner;

	return targets->annotation->rows.items[id].number == *(const uint64_t *)key;
}

static void index_rows(struct targets *targets)
{
	for (size_t i = 0; i < targets->annotation->rows.count; i++) {
		const struct annotation_row *row = &targets->annotation->rows.items[i];

		if (row->kind == ANNOTATION_CODE)
			hashidx_add(&targets->index, hash_u64(row->number), (uint32_t)i);
	}
}

static void find_lanes(struct page *page)
{
	struct targets targets = { .annotation = page->annotation };
	VEC(struct jump) jumps = { 0 };
	uint32_t to;

	index_rows(&targets);
	for (size_t i = 0; i < page->annotation->rows.count; i++) {
		const struct annotation_row *row = &page->annotation->rows.items[i];

		if (row->target && hashidx_find(&targets.index, hash_u64(row->target), has_address,
						&targets, &row->target, &to))
			*vec_push(&jumps) = (struct jump){ .from = i, .to = to };
	}
	page->lanes = jump_lanes_new(jumps.items, jumps.count);
	vec_free(&jumps);
	hashidx_done(&targets.index);
}

/* ---- the whole ---- */

static struct page begin(const struct view *view, const struct annotation *annotation, FILE *out)
{
	struct page page = { .view = view,
			     .annotation = annotation,
			     .events = annotation->sets->events,
			     .out = out };
	uint64_t most = 0;
	int digits = 1;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_row *row = &annotation->rows.items[i];
		bool code = row->kind == ANNOTATION_CODE;

		for (most = row->number, digits = 1; most >= (code ? 16 : 10); digits++)
			most /= code ? 16 : 10;
		page.number_width = digits > page.number_width ? digits : page.number_width;
	}
	for (size_t i = 0; page.events > 1 && i < page.events; i++)
		page.numbered |= safe_width(event_name(&page, i)) >= PAIR_WIDTH;
	return page;
}

static void end(struct page *page)
{
	jump_lanes_free(page->lanes);
	buf_done(&page->line);
}

/* "1,234 samples of cpu-clock, 12.3 s" */
static void add_sum(struct page *page, size_t event, const struct hits *hits)
{
	figures_count(&page->line, hits->samples);
	buf_add_str(&page->line, hits->samples == 1 ? " sample of " : " samples of ");
	safe_text(&page->line, event_name(page, event));
	buf_add_str(&page->line, ", ");
	if (is_time(page, event))
		figures_seconds(&page->line, hits->weight);
	else
		figures_count(&page->line, hits->weight);
}

/* Prints a line for each event. @what: text before the name, e.g. "All of ". */
static void print_total(struct page *page, const char *what, size_t name, hit_set set)
{
	const struct hits *hits = annotation_hits(page->annotation, set);
	const struct hits *whole = annotation_hits(page->annotation, page->annotation->whole);

	for (size_t i = 0; i < page->events; i++) {
		if (page->numbered)
			buf_printf(&page->line, "[%zu] ", i + 1);
		buf_add_str(&page->line, what);
		safe_text(&page->line, annotation_at(page->annotation, name));
		buf_add_str(&page->line, ": ");
		add_sum(page, i, &hits[i]);
		buf_printf(&page->line, ", %.2f %% of the selection",
			   figures_percent(hits[i].weight, whole[i].weight));
		print_line(page);
	}
}

/* The name of an event, or its number, right-aligned above its columns. */
static void add_title(struct page *page, size_t event)
{
	struct buf name = { 0 };

	if (page->numbered)
		buf_printf(&name, "[%zu]", event + 1);
	else
		safe_text(&name, event_name(page, event));
	buf_printf(&page->line, "%*s%s", (int)(PAIR_WIDTH - safe_width(buf_text(&name))), "",
		   buf_text(&name));
	buf_done(&name);
}

static void print_titles(struct page *page)
{
	if (page->events == 1) {
		buf_printf(&page->line, "%*s%*s%*s", PERCENT_WIDTH, "%", HITS_WIDTH, "Hits",
			   TIME_WIDTH, is_time(page, 0) ? "Time" : "Count");
		print_line(page);
		return;
	}
	for (size_t i = 0; i < page->events; i++)
		add_title(page, i);
	print_line(page);
	for (size_t i = 0; i < page->events; i++)
		buf_printf(&page->line, "%*s%*s", PERCENT_WIDTH + 1, "%", HITS_WIDTH, "Hits");
	print_line(page);
}

static void print_notes(struct page *page)
{
	for (size_t i = 0; i < page->annotation->notes.count; i++) {
		safe_text(&page->line,
			  annotation_at(page->annotation, page->annotation->notes.items[i]));
		print_line(page);
	}
}

void text_annotation_print(const struct view *view, const struct annotation *annotation, FILE *out)
{
	struct page page = begin(view, annotation, out);

	find_lanes(&page);
	safe_text(&page.line, annotation_at(annotation, annotation->name));
	text_parts_heading(view, buf_text(&page.line), out);
	buf_clear(&page.line);
	print_total(&page, "", annotation->place, annotation->hits);
	if (annotation->rows.count)
		print_titles(&page);
	for (size_t i = 0; i < annotation->rows.count; i++)
		print_row(&page, i);
	if (annotation->file)
		print_total(&page, "All of ", annotation->file, annotation->file_hits);
	print_notes(&page);
	end(&page);
}

void text_annotation_print_file(const struct view *view, const struct annotation *annotation,
				FILE *out)
{
	struct page page = begin(view, annotation, out);

	for (size_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_row *row = &annotation->rows.items[i];

		add_figures(&page, row);
		buf_add_str(&page.line, " | ");
		buf_add_str(&page.line, annotation_at(annotation, row->text));
		print_line(&page);
	}
	print_total(&page, "", annotation->place, annotation->hits);
	print_notes(&page);
	end(&page);
}
