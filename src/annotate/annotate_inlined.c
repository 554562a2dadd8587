/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function that was inlined has no code of its own: its samples are inside its callers. They are
 * shown on its lines, those of all callers added up.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_parts.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "present/figures.h"

enum {
	LINES_AROUND = 2, /* lines around hits */
	MOST_CALLERS = 5, /* that a note names */
};

struct inlined_line {
	uint32_t image;
	str_id function, file; /* in annotate->files */
	uint32_t line;
	uint32_t symbol; /* the function it was inlined into */
	hit_set hits;
};

struct annotate_inlined {
	VEC(struct inlined_line) lines;
	enum annotate_fit best; /* of the lines so far */
	struct buf text;
};

DEFINE_ORDER(by_line, struct inlined_line,
	     COMPARE(a->image, b->image) ?: COMPARE(a->function, b->function)
					 ?: COMPARE(a->file, b->file)
					 ?: COMPARE(a->line, b->line))

/* The outermost level, the last place, is no inlined function. */
static void look_at_frame(struct annotate *annotate, uint32_t number,
			  struct annotate_inlined *inlined)
{
	const struct frame *frame = &annotate->opened.profile->frames.items[number];
	struct strpool *strings = &annotate->files;
	size_t count;
	const struct line_place *places = lines_of_frame(annotate->lines.lines, number, &count);

	for (size_t i = 0; i + 1 < count; i++) {
		enum annotate_fit fit =
			annotate_name_fit_inlined(&annotate->name, &annotate->opened.labels,
						  frame->image, places[i].function, &inlined->text);

		if (fit == FIT_NOT || fit < inlined->best || !places[i].line)
			continue;
		if (fit > inlined->best)
			inlined->lines.count = 0;
		inlined->best = fit;
		*vec_push(&inlined->lines) = (struct inlined_line){
			.image = frame->image,
			.function = strpool_intern(strings, places[i].function),
			.file = strpool_intern(strings, places[i].file),
			.line = places[i].line,
			.symbol = frame->symbol,
			.hits = annotate->hits[number],
		};
		return;
	}
}

struct annotate_inlined *annotate_inlined_find(struct annotate *annotate, enum annotate_fit least,
					       const bool *images)
{
	struct annotate_inlined *inlined = xcalloc(1, sizeof(*inlined));
	const struct profile *profile = annotate->opened.profile;

	inlined->best = least;
	for (uint32_t i = 1; i < profile->frames.count; i++) {
		if (hit_sets_any(&annotate->sets, annotate->hits[i]) &&
		    (!images || images[profile->frames.items[i].image]))
			look_at_frame(annotate, i, inlined);
	}
	if (inlined->lines.count)
		qsort(inlined->lines.items, inlined->lines.count, sizeof(*inlined->lines.items),
		      by_line);
	return inlined;
}

void annotate_inlined_free(struct annotate_inlined *inlined)
{
	if (!inlined)
		return;
	vec_free(&inlined->lines);
	buf_done(&inlined->text);
	free(inlined);
}

size_t annotate_inlined_lines(const struct annotate_inlined *inlined)
{
	return inlined->lines.count;
}

/* ---- one function of one image ---- */

/* Lines [first, end) of a function, all in one image. */
struct stretch {
	const struct inlined_line *lines;
	size_t count;
};

/* The next one from @at on. */
static struct stretch stretch_at(const struct annotate_inlined *inlined, size_t at)
{
	const struct inlined_line *first = &inlined->lines.items[at];
	struct stretch stretch = { first, 0 };

	while (at + stretch.count < inlined->lines.count &&
	       first[stretch.count].image == first->image &&
	       first[stretch.count].function == first->function)
		stretch.count++;
	return stretch;
}

static void add_row(struct annotation *annotation, const struct source_file *source, uint32_t line,
		    hit_set hits)
{
	bool known = source && line <= source_file_lines(source);
	struct annotation_row *row = annotation_add(annotation, ANNOTATION_SOURCE, line,
						    known ? source_file_line(source, line) : "");

	row->hits = hits;
}

/* Adds the lines from @from to before @to that have no hits. */
static void add_between(struct annotation *annotation, const struct source_file *source,
			uint32_t from, uint32_t to)
{
	for (uint32_t line = from; source && line < to && line <= source_file_lines(source); line++)
		add_row(annotation, source, line, 0);
}

/* Adds the lines of one file, those with hits and a few around them. Returns how many of
 * @stretch it used. */
static size_t add_file(struct annotate *annotate, const struct stretch *stretch, size_t at,
		       struct annotation *annotation)
{
	const struct inlined_line *lines = stretch->lines;
	const char *file = strpool_get(&annotate->files, lines[at].file);
	const struct source_file *source = annotate_source(annotate, lines[at].image, file);
	uint32_t shown = 0;
	size_t begin = at;

	annotation_add(annotation, ANNOTATION_PART, 0, file);
	while (at < stretch->count && lines[at].file == lines[begin].file) {
		uint32_t line = lines[at].line;
		uint32_t before = line > LINES_AROUND ? line - LINES_AROUND : 1;
		hit_set hits = 0;

		if (shown)
			add_between(annotation, source, shown + 1,
				    before < shown + 1 + LINES_AROUND ? before
								      : shown + 1 + LINES_AROUND);
		add_between(annotation, source, before > shown ? before : shown + 1, line);
		for (; at < stretch->count && lines[at].file == lines[begin].file &&
		       lines[at].line == line;
		     at++)
			hit_sets_join(&annotate->sets, &hits, lines[at].hits);
		add_row(annotation, source, line, hits);
		shown = line;
	}
	add_between(annotation, source, shown + 1, shown + 1 + LINES_AROUND);
	return at - begin;
}

struct caller {
	uint32_t symbol;
	hit_set hits;
};

static int by_weight(const void *left, const void *right, void *context)
{
	const struct caller *a = left, *b = right;

	return hit_sets_compare(context, a->hits, b->hits) ?: COMPARE(a->symbol, b->symbol);
}

/* "Inlined into hot (78.1 %), warm (21.9 %) and 2 more." */
static void note_callers(struct annotate *annotate, const struct stretch *stretch,
			 struct annotation *annotation)
{
	VEC(struct caller) callers = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < stretch->count; i++) {
		size_t at = 0;

		while (at < callers.count && callers.items[at].symbol != stretch->lines[i].symbol)
			at++;
		if (at == callers.count)
			*vec_push(&callers) = (struct caller){ stretch->lines[i].symbol, 0 };
		hit_sets_join(&annotate->sets, &callers.items[at].hits, stretch->lines[i].hits);
	}
	if (callers.count)
		qsort_r(callers.items, callers.count, sizeof(*callers.items), by_weight,
			&annotate->sets);
	for (size_t i = 0; i < callers.count && i < MOST_CALLERS; i++) {
		buf_add_str(&text, i ? ", " : "");
		labels_routine(&annotate->opened.labels, callers.items[i].symbol, &text);
		buf_printf(&text, " (%.1f %%)",
			   figures_percent(
				   hit_sets_get(&annotate->sets, callers.items[i].hits)->weight,
				   hit_sets_get(&annotate->sets, annotation->hits)->weight));
	}
	if (callers.count > MOST_CALLERS)
		buf_printf(&text, " and %zu more", callers.count - MOST_CALLERS);
	annotation_note(annotation, "Inlined into %s.", buf_text(&text));
	buf_done(&text);
	vec_free(&callers);
}

size_t annotate_inlined_fill(struct annotate *annotate, const struct annotate_inlined *inlined,
			     size_t at, struct annotation *annotation)
{
	struct stretch stretch = stretch_at(inlined, at);
	const struct labels *labels = &annotate->opened.labels;
	const char *function = strpool_get(&annotate->files, stretch.lines[0].function);
	struct buf text = { 0 };

	buf_printf(&text, "%s, inlined", labels->demangle(labels->demangle_context, function));
	annotation->name = annotation_text(annotation, buf_text(&text));
	buf_clear(&text);
	labels_path(labels, stretch.lines[0].image, &text);
	annotation->place = annotation_text(annotation, buf_text(&text));
	buf_done(&text);
	for (size_t i = 0; i < stretch.count; i++)
		hit_sets_join(&annotate->sets, &annotation->hits, stretch.lines[i].hits);
	for (size_t i = 0; i < stretch.count;)
		i += add_file(annotate, &stretch, i, annotation);
	note_callers(annotate, &stretch, annotation);
	return stretch.count;
}
