/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "annotate/jump_lanes.h"
#include "base/hashidx.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"
#include "present/text/text_parts.h"
#include "present/tint.h"

size_t annotation_text(struct annotation *annotation, const char *text)
{
	size_t at;

	if (!annotation->texts.size)
		buf_add_char(&annotation->texts, '\0'); /* offset 0 means no text */
	at = annotation->texts.size;
	buf_add(&annotation->texts, text, strlen(text) + 1);
	return at;
}

struct annotation_row *annotation_add(struct annotation *annotation, enum annotation_kind kind,
				      uint64_t number, const char *text)
{
	size_t at = annotation_text(annotation, text);
	struct annotation_row *row = vec_push(&annotation->rows);

	*row = (struct annotation_row){ .kind = kind, .number = number, .text = at };
	return row;
}

void annotation_note(struct annotation *annotation, const char *format, ...)
{
	char text[1024];
	va_list args;
	size_t at;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at = annotation_text(annotation, text);
	*vec_push(&annotation->notes) = at;
}

void annotation_done(struct annotation *annotation)
{
	vec_free(&annotation->rows);
	vec_free(&annotation->notes);
	buf_done(&annotation->texts);
}

/* ---- as text ---- */

enum {
	TAB = 8,
	LEAST_TEXT = 10, /* on the narrowest screen */
	PERCENT_WIDTH = 6,
	HITS_WIDTH = 8,
	TIME_WIDTH = 10,
	PAIR_WIDTH = 1 + PERCENT_WIDTH + HITS_WIDTH, /* of one of several events */
};

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

static const char *text_at(const struct annotation *annotation, size_t text)
{
	return annotation->texts.bytes + text;
}

/* ---- figures ---- */

/* Appends figures in the colour of their share of the function. */
static void add_tinted(struct page *page, double percent, const struct buf *figures)
{
	tint_add(&page->line, page->view->screen.colour, tint_of_share(percent), buf_text(figures));
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
	struct buf pair = { 0 };

	if (!hits->samples) {
		buf_printf(&page->line, "%*s", PAIR_WIDTH, "");
		return;
	}
	buf_printf(&pair, "%*.2f%*" PRIu64, PERCENT_WIDTH + 1, percent, HITS_WIDTH, hits->samples);
	add_tinted(page, percent, &pair);
	buf_done(&pair);
}

static void add_only(struct page *page, const struct hits *hits, double percent)
{
	struct buf weight = { 0 }, figures = { 0 };

	figures_weight(&weight, hits->weight, is_time(page, 0));
	buf_printf(&figures, "%*.2f%*" PRIu64 "%*s", PERCENT_WIDTH, percent, HITS_WIDTH,
		   hits->samples, TIME_WIDTH, buf_text(&weight));
	add_tinted(page, percent, &figures);
	buf_done(&weight);
	buf_done(&figures);
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

/* Adds a text as far as a line has room for it. @begin: where the line was after its figures. */
static void add_text(struct page *page, size_t begin, const char *text)
{
	size_t used = (size_t)figures_width(page) + page->line.size - begin;
	size_t screen = screen_names_width(&page->view->screen);

	safe_text_cut(&page->line, text,
		      !screen			   ? SIZE_MAX
		      : screen > used + LEAST_TEXT ? screen - used
						   : LEAST_TEXT);
}

/* Adds a source line, with blanks for tabs, which would not align: the line begins at any
 * column. */
static void add_source(struct page *page, size_t begin, const char *text)
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
	add_text(page, begin, buf_text(&expanded));
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

/* Prints a sentence, in several lines on a narrow screen. */
static void print_sentence(struct page *page)
{
	paragraph_text(buf_text(&page->line), &page->view->screen, page->out);
	buf_clear(&page->line);
}

static void print_row(struct page *page, size_t index)
{
	const struct annotation_row *row = &page->annotation->rows.items[index];
	const char *text = text_at(page->annotation, row->text);
	size_t begin;

	if (row->kind == ANNOTATION_PART)
		buf_printf(&page->line, "%*s", figures_width(page), "");
	else
		add_figures(page, row);
	begin = page->line.size;
	switch (row->kind) {
	case ANNOTATION_SOURCE:
		buf_printf(&page->line, "  %*" PRIu64 " | ", page->number_width, row->number);
		add_source(page, begin, text);
		break;
	case ANNOTATION_CODE:
		buf_printf(&page->line, "  %*" PRIx64 "   ", page->number_width, row->number);
		add_lanes(page, index);
		add_text(page, begin, text);
		break;
	case ANNOTATION_PART:
		buf_add_str(&page->line, "  ");
		add_text(page, begin, text);
		break;
	}
	print_line(page);
}

/* ---- jumps ---- */

struct targets {
	const struct annotation *annotation;
	struct hashidx index; /* code rows by address */
};

DEFINE_EQUAL(has_address, struct targets, annotation->rows.items, uint64_t, a->number == *b)

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
	figures_samples(&page->line, hits->samples);
	buf_add_str(&page->line, " of ");
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
		safe_text(&page->line, text_at(page->annotation, name));
		buf_add_str(&page->line, ": ");
		add_sum(page, i, &hits[i]);
		buf_printf(&page->line, ", %.2f %% of the selection",
			   figures_percent(hits[i].weight, whole[i].weight));
		print_sentence(page);
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
		safe_text(&page->line, text_at(page->annotation, page->annotation->notes.items[i]));
		print_sentence(page);
	}
}

void annotation_print(const struct view *view, const struct annotation *annotation, FILE *out)
{
	struct page page = begin(view, annotation, out);

	find_lanes(&page);
	safe_text(&page.line, text_at(annotation, annotation->name));
	text_parts_heading(view, buf_text(&page.line), out);
	buf_clear(&page.line);
	print_total(&page, "", annotation->place, annotation->hits);
	annotation_print_hottest(view, annotation, out);
	if (annotation->rows.count)
		print_titles(&page);
	for (size_t i = 0; i < annotation->rows.count; i++)
		print_row(&page, i);
	if (annotation->file)
		print_total(&page, "All of ", annotation->file, annotation->file_hits);
	print_notes(&page);
	end(&page);
}

void annotation_print_file(const struct view *view, const struct annotation *annotation, FILE *out)
{
	struct page page = begin(view, annotation, out);

	for (size_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_row *row = &annotation->rows.items[i];

		add_figures(&page, row);
		buf_add_str(&page.line, " | ");
		buf_add_str(&page.line, text_at(annotation, row->text));
		print_line(&page);
	}
	print_total(&page, "", annotation->place, annotation->hits);
	print_notes(&page);
	end(&page);
}
