/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function. With instructions, each hit is on its own, and the source line above is the
 * innermost one: that of an inlined function where there is one. With source alone, the lines are
 * the function's own, and what was inlined counts on the line that calls it; so the lines add up to
 * the function.
 */
#include "pipeline/annotate_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "pipeline/jump_target.h"
#include "present/figures.h"

enum {
	MAX_FUNCTION_BYTES = 8 << 20, /* of code that is listed */
	LINES_AROUND = 2,	      /* hits outside the function's own lines */
	MAX_LINES = 100000,	      /* of one function's source */
};

struct code {
	uint64_t address;
	uint32_t length;
	size_t text; /* in the annotation */
	uint64_t target;
	hit_set hits;
};

/* What a line of source has of the function. */
struct line_hits {
	const char *file; /* interned by the lines, equal texts may be different pointers */
	uint32_t line;
	hit_set hits;
};

struct work {
	struct annotate *annotate;
	const struct hit_function *function;
	const struct symbol *symbol;
	uint32_t image;
	uint64_t place_shift; /* from an address to what lines_of is asked for */
	struct annotation *annotation;
	VEC(struct code) code;
	const char *no_code; /* why not; in @why */
	struct err why;
	bool has_lines; /* debug information tells of a hit of it */
	hit_set inlined;
};

static const struct frame *frame_of(const struct work *work, size_t index)
{
	const struct profile *profile = work->annotate->opened.profile;

	return &profile->frames.items[work->function->frames.items[index].frame];
}

static void add_hits(const struct work *work, hit_set *sum, hit_set hits)
{
	hit_sets_join(&work->annotate->sets, sum, hits);
}

/* ---- instructions ---- */

/* Where the function lies. Of what lies between two symbols only as much as was hit is known to be
 * one function. */
static struct instructions_range range_of(const struct work *work)
{
	size_t last = work->function->frames.count - 1;
	struct instructions_range range = {
		.frame = work->function->frames.items[0].frame,
		.end = frame_of(work, last)->address + 1,
	};
	bool named = work->symbol->kind == SYMBOL_NAMED || work->symbol->kind == SYMBOL_PLT;

	if (named && work->symbol->start <= frame_of(work, 0)->address)
		range.start = work->symbol->start;
	if (named && work->symbol->start + work->symbol->size > range.end)
		range.end = work->symbol->start + work->symbol->size;
	if (range.start && range.end - range.start > MAX_FUNCTION_BYTES)
		range.end = range.start + MAX_FUNCTION_BYTES;
	return range;
}

static bool take_code(void *context, const struct code_line *line)
{
	struct work *work = context;
	struct code code = { .address = line->address, .length = line->length };

	code.text = annotation_text(work->annotation, line->text);
	jump_target(line->text, &code.target);
	*vec_push(&work->code) = code;
	return true;
}

/* Each hit to the instruction that has its address; both ascend. */
static void hit_code(struct work *work)
{
	size_t at = 0;

	for (size_t i = 0; i < work->function->frames.count; i++) {
		uint64_t address = frame_of(work, i)->address;

		while (at + 1 < work->code.count && work->code.items[at + 1].address <= address)
			at++;
		if (at < work->code.count &&
		    address - work->code.items[at].address < work->code.items[at].length)
			add_hits(work, &work->code.items[at].hits,
				 work->function->frames.items[i].hits);
	}
}

static void list_code(struct work *work)
{
	struct instructions_range range = range_of(work);
	uint64_t shift = 0;
	int rc = instructions_each(work->annotate->instructions, &range, take_code, work, &shift,
				   &work->why);

	if (rc < 0 && work->code.count == 0)
		work->no_code = work->why.text;
	for (size_t i = 0; i < work->code.count; i++) {
		if (work->code.items[i].target)
			work->code.items[i].target -= shift;
	}
	hit_code(work);
}

static struct annotation_row *add_code(struct work *work, const struct code *code)
{
	struct annotation_row *row = vec_push(&work->annotation->rows);

	*row = (struct annotation_row){ .kind = ANNOTATION_CODE,
					.number = code->address,
					.hits = code->hits,
					.text = code->text,
					.target = code->target };
	return row;
}

static void add_all_code(struct work *work)
{
	for (size_t i = 0; i < work->code.count; i++)
		add_code(work, &work->code.items[i]);
}

/* ---- source ---- */

/* NULL: not wanted, or not here. */
static const struct source_file *source_of(struct annotate *annotate, const char *file)
{
	if (!*file || !annotate_wants_file(annotate, file))
		return NULL;
	return source_files_get(annotate->sources, file);
}

/* The levels at an address; NULL: nothing is known. */
static const struct line_place *places_at(struct work *work, uint64_t address, size_t *ret_count)
{
	const struct line_place *places = lines_of(work->annotate->lines.lines, work->image,
						   address + work->place_shift, ret_count);

	return *ret_count ? places : NULL;
}

static void note_missing_lines(struct work *work)
{
	const struct image *image = &work->annotate->opened.profile->images.items[work->image];
	const char *problem = lines_problem(work->annotate->lines.lines, work->image);
	bool is_kernel = image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE;

	if (image->kind == IMAGE_ANON)
		annotation_note(work->annotation,
				"No source lines: code that was made at run time has them if its"
				" program writes a jitdump that tells them (node --perf-prof).");
	if (image->kind != IMAGE_FILE && image->kind != IMAGE_VDSO && !is_kernel)
		return;
	annotation_note(work->annotation, "No source lines: %s",
			problem ? problem : "debug information has none for this function.");
	annotation_note(work->annotation, "%s",
			is_kernel
				? "They come with the kernel's debug information: install the"
				  " package linux-image-RELEASE-dbg, or use --debug-dir or"
				  " --debuginfod."
				: "They come with debug information: compile with -g, install the"
				  " package of debug symbols (find-dbgsym-packages(1) names it), or"
				  " use --debug-dir or --debuginfod.");
}

/* A source that was changed after the program was made has its lines elsewhere. */
static void note_age(struct work *work, const struct source_file *source)
{
	const struct image *image = &work->annotate->opened.profile->images.items[work->image];

	if (image->mtime_ns && source_file_mtime_ns(source) > image->mtime_ns)
		annotation_note(work->annotation,
				"%s is newer than the program: its lines may not be those that"
				" were compiled.",
				source_file_path(source));
}

/* "12.3 %", of several events "12.3 % (cpu-clock), 0.0 % (page-faults)" */
static void add_shares(const struct work *work, hit_set part, struct buf *text)
{
	const struct annotate *annotate = work->annotate;
	const struct profile *profile = annotate->opened.profile;
	const struct hits *hits = hit_sets_get(&annotate->sets, part);
	const struct hits *whole = hit_sets_get(&annotate->sets, work->function->hits);

	for (size_t i = 0; i < annotate->choice.count; i++) {
		buf_printf(text, "%s%.1f %%", i ? ", " : "",
			   figures_percent(hits[i].weight, whole[i].weight));
		if (annotate->choice.count > 1)
			buf_printf(text, " (%s)",
				   profile_text(profile,
						profile->events[annotate->choice.events[i]].name));
	}
}

static void note_inlined(struct work *work)
{
	struct buf shares = { 0 };

	if (!hit_sets_any(&work->annotate->sets, work->inlined))
		return;
	add_shares(work, work->inlined, &shares);
	annotation_note(work->annotation,
			"%s of this is code of other functions that was inlined here; it is"
			" on the lines that call them. --mixed and --all show it on its own.",
			buf_text(&shares));
	buf_done(&shares);
}

/* ---- both, in order of address ---- */

/* What the last source row shows. */
struct position {
	char *file, *function;
	uint32_t line;
	size_t row; /* that sums up what follows; SIZE_MAX: none */
};

static void position_done(struct position *position)
{
	free(position->file);
	free(position->function);
}

static bool same(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

/* "util.h, inlined from get" */
static void add_part(struct work *work, const struct line_place *place, bool inlined)
{
	struct buf text = { 0 };

	buf_add_str(&text, *place->file ? place->file : "(no source line)");
	if (inlined && *place->function) {
		buf_add_str(&text, ", inlined: ");
		buf_add_str(&text, work->annotate->opened.labels.demangle(
					   work->annotate->opened.labels.demangle_context,
					   place->function));
	}
	annotation_add(work->annotation, ANNOTATION_PART, 0, buf_text(&text));
	buf_done(&text);
}

static void move_to(struct work *work, struct position *position, const struct line_place *place,
		    bool inlined)
{
	const struct source_file *source = source_of(work->annotate, place->file);
	bool same_file = same(position->file, place->file);

	if (same_file && same(position->function, place->function) && position->line == place->line)
		return;
	if (!same_file || !same(position->function, place->function))
		add_part(work, place, inlined);
	position_done(position);
	*position = (struct position){ strdup(place->file), strdup(place->function), place->line,
				       SIZE_MAX };
	if (!place->line)
		return;
	position->row = work->annotation->rows.count;
	annotation_add(work->annotation, ANNOTATION_SOURCE, place->line,
		       source ? source_file_line(source, place->line) : "");
}

static void add_mixed(struct work *work)
{
	static const struct line_place nowhere = { .function = "", .file = "" };
	struct position position = { .row = SIZE_MAX };

	for (size_t i = 0; i < work->code.count; i++) {
		const struct code *code = &work->code.items[i];
		size_t count;
		const struct line_place *places = places_at(work, code->address, &count);

		move_to(work, &position, places ? &places[0] : &nowhere, places && count > 1);
		add_code(work, code);
		if (position.row != SIZE_MAX)
			add_hits(work, &work->annotation->rows.items[position.row].hits,
				 code->hits);
	}
	position_done(&position);
}

/* ---- source alone ---- */

typedef VEC(struct line_hits) line_list;

static int by_line(const void *left, const void *right)
{
	const struct line_hits *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void merge_lines(const struct work *work, line_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_line);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && by_line(&list->items[kept - 1], &list->items[i]) == 0)
			add_hits(work, &list->items[kept - 1].hits, list->items[i].hits);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* The function's own line at each hit. The file's name lives in the annotation's own pool. */
static void find_lines(struct work *work, line_list *list, uint32_t *ret_declared)
{
	struct strpool *strings = &work->annotate->files;

	for (size_t i = 0; i < work->function->frames.count; i++) {
		hit_set hits = work->function->frames.items[i].hits;
		size_t count;
		const struct line_place *places =
			places_at(work, frame_of(work, i)->address, &count);
		const struct line_place *own = places ? &places[count - 1] : NULL;
		struct line_hits line = { 0 };

		if (!own || !*own->file || !own->line)
			continue;
		line.file = strpool_get(strings, strpool_intern(strings, own->file));
		line.line = own->line;
		add_hits(work, &line.hits, hits);
		*vec_push(list) = line;
		if (count > 1)
			add_hits(work, &work->inlined, hits);
		if (own->declared)
			*ret_declared = own->declared;
	}
	merge_lines(work, list);
}

static hit_set sum_of(const struct work *work, const line_list *list, size_t begin, size_t end)
{
	hit_set sum = 0;

	for (size_t i = begin; i < end; i++)
		add_hits(work, &sum, list->items[i].hits);
	return sum;
}

static size_t end_of_file(const line_list *list, size_t begin)
{
	size_t end = begin;

	while (end < list->count && strcmp(list->items[end].file, list->items[begin].file) == 0)
		end++;
	return end;
}

/* The file with most of the hits is the function's own. */
static size_t find_main_file(const struct work *work, const line_list *list)
{
	size_t best = 0;
	hit_set most = 0;

	for (size_t at = 0, end; at < list->count; at = end) {
		hit_set sum;

		end = end_of_file(list, at);
		sum = sum_of(work, list, at, end);
		if (hit_sets_compare(&work->annotate->sets, sum, most) < 0) {
			most = sum;
			best = at;
		}
	}
	return best;
}

/* The last line of the function's own in its file, as its instructions tell. */
struct extent {
	const struct work *work;
	const char *file;
	uint64_t start, end;
	uint32_t first, last;
};

static void extend(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct extent *extent = context;

	if (end <= extent->start || start >= extent->end || !file || !line ||
	    strcmp(file, extent->file) != 0)
		return;
	if (line > extent->last && line - extent->last < MAX_LINES)
		extent->last = line;
}

static void add_lines(struct work *work, const line_list *list, size_t begin, size_t end,
		      uint32_t first, uint32_t last)
{
	const struct source_file *source = source_of(work->annotate, list->items[begin].file);
	size_t at = begin;

	for (uint32_t line = first; line <= last; line++) {
		struct annotation_row *row;
		bool hit = at < end && list->items[at].line == line;

		if (!source && !hit)
			continue;
		if (source && line > source_file_lines(source) && !hit)
			break;
		row = annotation_add(work->annotation, ANNOTATION_SOURCE, line,
				     source ? source_file_line(source, line) : "");
		if (hit)
			row->hits = list->items[at++].hits;
	}
}

/* From the line the function begins at to its last one. */
static void add_main_file(struct work *work, const line_list *list, size_t begin, uint32_t declared)
{
	size_t end = end_of_file(list, begin);
	struct instructions_range range = range_of(work);
	struct extent extent;

	if (begin >= end)
		return;
	if (!range.start)
		range.start = frame_of(work, 0)->address;
	extent = (struct extent){ .work = work,
				  .file = list->items[begin].file,
				  .start = range.start + work->place_shift,
				  .end = range.end + work->place_shift,
				  .first = list->items[begin].line,
				  .last = list->items[end - 1].line };
	if (declared && declared < extent.first && extent.first - declared < MAX_LINES)
		extent.first = declared;
	lines_each(work->annotate->lines.lines, work->image, extent.start, extent.end, extend,
		   &extent);
	annotation_add(work->annotation, ANNOTATION_PART, 0, extent.file);
	add_lines(work, list, begin, end, extent.first, extent.last);
}

/* Included files: what was hit, and a little around. */
static void add_other_file(struct work *work, const line_list *list, size_t begin, size_t end)
{
	annotation_add(work->annotation, ANNOTATION_PART, 0, list->items[begin].file);
	for (size_t i = begin, next; i < end; i = next) {
		uint32_t first = list->items[i].line, last = first;

		for (next = i + 1; next < end && list->items[next].line - last <= 2 * LINES_AROUND;
		     next++)
			last = list->items[next].line;
		add_lines(work, list, i, next, first > LINES_AROUND ? first - LINES_AROUND : 1,
			  last + LINES_AROUND);
	}
}

static void add_source(struct work *work, const line_list *list, uint32_t declared)
{
	size_t main_file = find_main_file(work, list);

	add_main_file(work, list, main_file, declared);
	for (size_t at = 0, end; at < list->count; at = end) {
		end = end_of_file(list, at);
		if (at != main_file)
			add_other_file(work, list, at, end);
	}
	note_inlined(work);
}

/* ---- the whole ---- */

/* All that hit the function's file, in this image: the innermost line counts. */
static void sum_file(struct work *work, const char *file)
{
	const struct profile *profile = work->annotate->opened.profile;
	struct annotation *annotation = work->annotation;
	struct lines *lines = work->annotate->lines.lines;

	for (size_t i = 1; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.items[i];
		hit_set hits = work->annotate->hits[i];
		const struct line_place *places;
		size_t count;

		if (frame->image != work->image || !hit_sets_any(&work->annotate->sets, hits))
			continue;
		places = lines_of(lines, work->image, lines_place(lines, frame), &count);
		if (!count || strcmp(places[0].file, file) != 0)
			continue;
		add_hits(work, &annotation->file_hits, hits);
	}
	annotation->file = annotation_text(annotation, file);
}

static void name_it(struct work *work)
{
	const struct labels *labels = &work->annotate->opened.labels;
	struct buf text = { 0 };

	labels_routine(labels, work->function->symbol, &text);
	work->annotation->name = annotation_text(work->annotation, buf_text(&text));
	buf_clear(&text);
	labels_path(labels, work->image, &text);
	work->annotation->place = annotation_text(work->annotation, buf_text(&text));
	buf_done(&text);
	work->annotation->hits = work->function->hits;
}

static enum annotate_mode best_mode(struct work *work, const line_list *list)
{
	enum annotate_mode mode = work->annotate->options->mode;
	bool source = list->count &&
		      source_of(work->annotate, list->items[find_main_file(work, list)].file);

	if (mode == ANNOTATE_BEST)
		mode = source ? ANNOTATE_MIXED : ANNOTATE_ASM;
	if (mode != ANNOTATE_ASM && list->count == 0)
		return ANNOTATE_ASM;
	if (mode != ANNOTATE_SOURCE && work->no_code && list->count)
		return ANNOTATE_SOURCE;
	return mode;
}

static void add_rows(struct work *work, const line_list *list, uint32_t declared)
{
	enum annotate_mode mode = best_mode(work, list);

	if (mode == ANNOTATE_SOURCE)
		add_source(work, list, declared);
	else if (mode == ANNOTATE_MIXED)
		add_mixed(work);
	else
		add_all_code(work);
}

/* The sources that are shown: is one not here, or too new? */
static void note_source(struct work *work, const char *file)
{
	const struct source_file *source = source_of(work->annotate, file);

	if (source)
		note_age(work, source);
	else if (annotate_wants_file(work->annotate, file))
		annotation_note(work->annotation,
				"%s is not here: --source-path FROM=TO says where it is.", file);
}

void annotate_function(struct annotate *annotate, const struct hit_function *function,
		       struct annotation *annotation)
{
	const struct profile *profile = annotate->opened.profile;
	struct work work = { .annotate = annotate,
			     .function = function,
			     .symbol = &profile->symbols.items[function->symbol],
			     .annotation = annotation };
	bool asm_only = annotate->options->mode == ANNOTATE_ASM;
	line_list list = { 0 };
	uint32_t declared = 0;

	work.image = frame_of(&work, 0)->image;
	work.place_shift = lines_place(annotate->lines.lines, frame_of(&work, 0)) -
			   frame_of(&work, 0)->address;
	name_it(&work);
	if (annotate->options->mode != ANNOTATE_SOURCE)
		list_code(&work);
	if (!asm_only)
		find_lines(&work, &list, &declared);
	if (!asm_only && list.count == 0 && annotate->options->mode == ANNOTATE_SOURCE)
		list_code(&work);
	add_rows(&work, &list, declared);
	if (list.count) {
		const char *file = list.items[find_main_file(&work, &list)].file;

		sum_file(&work, file);
		note_source(&work, file);
	} else if (!asm_only) {
		note_missing_lines(&work);
	}
	if (work.no_code && annotate->options->mode != ANNOTATE_SOURCE)
		annotation_note(annotation, "No code: %s.", work.no_code);
	vec_free(&list);
	vec_free(&work.code);
}
