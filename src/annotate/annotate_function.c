/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function. With instructions, each has its own samples, under its innermost source line, that
 * of an inlined function if there is one. With source alone, the lines are the function's own, and
 * inlined code counts on the line that calls it, so the lines add up to the function.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_parts.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "code/code_flow.h"
#include "present/figures.h"

enum {
	MAX_FUNCTION_BYTES = 8 << 20, /* of listed code */
	LINES_AROUND = 2,	      /* lines around hits outside the function's own lines */
	MAX_LINES = 100000,	      /* of one function's source */
};

/* An instruction. */
struct annotate_code {
	uint64_t address;
	uint32_t length;
	size_t text; /* in the annotation */
	uint64_t target;
	hit_set hits;
};

/* A source line's part of the function. */
struct annotate_line {
	const char *file; /* lives in annotate->files; equal texts may be different pointers */
	uint32_t line;
	hit_set hits;
};

/* Lines with hits, by file and line. */
typedef VEC(struct annotate_line) annotate_lines;

struct annotate_work {
	struct annotate *annotate;
	const struct hit_function *function;
	const struct symbol *symbol;
	uint32_t image;
	uint64_t place_shift; /* from an address to the place for lines_of */
	struct annotation *annotation;
	VEC(struct annotate_code) code;
	const char *no_code; /* why there is no code; in @why */
	struct err why;
	hit_set inlined;
};

/* The frame of the function's hit @index. */
static const struct frame *frame_of(const struct annotate_work *work, size_t index)
{
	const struct profile *profile = work->annotate->opened.profile;

	return &profile->frames.items[work->function->frames.items[index].frame];
}

static void add_hits(const struct annotate_work *work, hit_set *sum, hit_set hits)
{
	hit_sets_join(&work->annotate->sets, sum, hits);
}

/* ---- instructions ---- */

/* The function's range. Code between two symbols is one function only as far as it has samples. */
static struct instructions_range code_range(const struct annotate_work *work)
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
	struct annotate_work *work = context;
	struct annotate_code code = { .address = line->address, .length = line->length };

	code.text = annotation_text(work->annotation, line->text);
	code_flow_target(line->text, &code.target);
	*vec_push(&work->code) = code;
	return true;
}

/* Adds each hit to the instruction at its address; both are sorted by address. */
static void hit_code(struct annotate_work *work)
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

/* Fills work->code, each instruction with its hits, or work->no_code. */
static void list_code(struct annotate_work *work)
{
	struct instructions_range range = code_range(work);
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

static void add_code(struct annotate_work *work, const struct annotate_code *code)
{
	struct annotation_row *row = vec_push(&work->annotation->rows);

	*row = (struct annotation_row){ .kind = ANNOTATION_CODE,
					.number = code->address,
					.hits = code->hits,
					.text = code->text,
					.target = code->target };
}

static void add_all_code(struct annotate_work *work)
{
	for (size_t i = 0; i < work->code.count; i++)
		add_code(work, &work->code.items[i]);
}

/* ---- source lines with hits ---- */

/* The levels at an address of a frame; NULL: unknown. */
static const struct line_place *lines_at(struct annotate_work *work, uint64_t address,
					 size_t *ret_count)
{
	const struct line_place *places = lines_of(work->annotate->lines.lines, work->image,
						   address + work->place_shift, ret_count);

	return *ret_count ? places : NULL;
}

DEFINE_ORDER(by_line, struct annotate_line, strcmp(a->file, b->file) ?: COMPARE(a->line, b->line))

static void merge_lines(const struct annotate_work *work, annotate_lines *list)
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

/* Fills an empty list with the function's own line at each hit. *ret_declared: the line the
 * function begins at, if known. Sums up work->inlined. */
static void find_lines(struct annotate_work *work, annotate_lines *list, uint32_t *ret_declared)
{
	struct strpool *strings = &work->annotate->files;
	struct lines *lines = work->annotate->lines.lines;

	for (size_t i = 0; i < work->function->frames.count; i++) {
		hit_set hits = work->function->frames.items[i].hits;
		const struct frame *frame = frame_of(work, i);
		size_t count;
		/* JIT code that was replaced at the same address has lines of its own. */
		const struct line_place *places =
			lines_of(lines, work->image, lines_place(lines, frame), &count);
		const struct line_place *own = count ? &places[count - 1] : NULL;
		struct annotate_line line = { 0 };

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

static hit_set sum_of(const struct annotate_work *work, const annotate_lines *list, size_t begin,
		      size_t end)
{
	hit_set sum = 0;

	for (size_t i = begin; i < end; i++)
		add_hits(work, &sum, list->items[i].hits);
	return sum;
}

/* The index after the last line of the file of the one at @begin. */
static size_t end_of_file(const annotate_lines *list, size_t begin)
{
	size_t end = begin;

	while (end < list->count && strcmp(list->items[end].file, list->items[begin].file) == 0)
		end++;
	return end;
}

/* The first line of the function's own file, the one with most of the hits. */
static size_t main_file_of(const struct annotate_work *work, const annotate_lines *list)
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

/* ---- source alone ---- */

const struct source_file *annotate_source(struct annotate *annotate, uint32_t image,
					  const char *file)
{
	if (!*file || !annotate_wants_file(annotate, file))
		return NULL;
	return source_files_get(annotate->sources, lines_readers(annotate->lines.lines, image),
				file);
}

/* The range of the function's own lines in its file, by its instructions. */
struct extent {
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

static void add_lines(struct annotate_work *work, const annotate_lines *list, size_t begin,
		      size_t end, uint32_t first, uint32_t last)
{
	const struct source_file *source =
		annotate_source(work->annotate, work->image, list->items[begin].file);
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

/* Lines from the function's first to its last. */
static void add_main_file(struct annotate_work *work, const annotate_lines *list, size_t begin,
			  uint32_t declared)
{
	size_t end = end_of_file(list, begin);
	struct instructions_range range = code_range(work);
	struct extent extent;

	if (begin >= end)
		return;
	if (!range.start)
		range.start = frame_of(work, 0)->address;
	extent = (struct extent){ .file = list->items[begin].file,
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

/* Other files: lines with hits, and a few around them. */
static void add_other_file(struct annotate_work *work, const annotate_lines *list, size_t begin,
			   size_t end)
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

/* "12.3 %", or for several events "12.3 % (cpu-clock), 0.0 % (page-faults)" */
static void add_shares(const struct annotate_work *work, hit_set part, struct buf *text)
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

static void note_inlined(struct annotate_work *work)
{
	struct buf shares = { 0 };

	if (!hit_sets_any(&work->annotate->sets, work->inlined))
		return;
	add_shares(work, work->inlined, &shares);
	annotation_note(work->annotation,
			"%s of this is code inlined from other functions, shown on the lines that "
			"call them. --mixed and --all show it separately.",
			buf_text(&shares));
	buf_done(&shares);
}

/* Adds the rows of all files with hits. @declared: the line the function begins at; 0: unknown. */
static void add_source(struct annotate_work *work, const annotate_lines *list, uint32_t declared)
{
	size_t main_file = main_file_of(work, list);

	add_main_file(work, list, main_file, declared);
	for (size_t at = 0, end; at < list->count; at = end) {
		end = end_of_file(list, at);
		if (at != main_file)
			add_other_file(work, list, at, end);
	}
	note_inlined(work);
}

/* ---- source and instructions, in order of address ---- */

/* The place that the last source row shows. */
struct position {
	char *file, *function;
	uint32_t line;
	size_t row; /* the row with the sum of the code after it; SIZE_MAX: none */
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

/* "util.h, inlined: get" */
static void add_part(struct annotate_work *work, const struct line_place *place, bool inlined)
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

static void move_to(struct annotate_work *work, struct position *position,
		    const struct line_place *place, bool inlined)
{
	const struct source_file *source =
		annotate_source(work->annotate, work->image, place->file);
	bool same_file = same(position->file, place->file);

	if (same_file && same(position->function, place->function) && position->line == place->line)
		return;
	if (!same_file || !same(position->function, place->function))
		add_part(work, place, inlined);
	position_done(position);
	*position = (struct position){ xstrdup(place->file), xstrdup(place->function), place->line,
				       SIZE_MAX };
	if (!place->line)
		return;
	position->row = work->annotation->rows.count;
	annotation_add(work->annotation, ANNOTATION_SOURCE, place->line,
		       source ? source_file_line(source, place->line) : "");
}

static void add_mixed(struct annotate_work *work)
{
	static const struct line_place nowhere = { .function = "", .file = "" };
	struct position position = { .row = SIZE_MAX };

	for (size_t i = 0; i < work->code.count; i++) {
		const struct annotate_code *code = &work->code.items[i];
		size_t count;
		const struct line_place *places = lines_at(work, code->address, &count);

		move_to(work, &position, places ? &places[0] : &nowhere, places && count > 1);
		add_code(work, code);
		if (position.row != SIZE_MAX)
			add_hits(work, &work->annotation->rows.items[position.row].hits,
				 code->hits);
	}
	position_done(&position);
}

/* ---- the function ---- */

/* Adds up all samples of the function's file in this image; the innermost line counts. */
static void sum_file(struct annotate_work *work, const char *file)
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

static void name_it(struct annotate_work *work)
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

static enum annotate_mode best_mode(struct annotate_work *work, const annotate_lines *list)
{
	enum annotate_mode mode = work->annotate->options->mode;
	bool source = list->count && annotate_source(work->annotate, work->image,
						     list->items[main_file_of(work, list)].file);

	if (mode == ANNOTATE_BEST)
		mode = source ? ANNOTATE_MIXED : ANNOTATE_ASM;
	if (mode != ANNOTATE_ASM && list->count == 0)
		return ANNOTATE_ASM;
	if (mode != ANNOTATE_SOURCE && work->no_code && list->count)
		return ANNOTATE_SOURCE;
	return mode;
}

static void add_rows(struct annotate_work *work, const annotate_lines *list, uint32_t declared)
{
	enum annotate_mode mode = best_mode(work, list);

	if (mode == ANNOTATE_SOURCE)
		add_source(work, list, declared);
	else if (mode == ANNOTATE_MIXED)
		add_mixed(work);
	else
		add_all_code(work);
}

/* ---- missing lines and sources ---- */

static void note_missing_lines(struct annotate_work *work)
{
	const struct image *image = &work->annotate->opened.profile->images.items[work->image];
	const char *problem = lines_problem(work->annotate->lines.lines, work->image);
	bool is_kernel = image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE;

	if (image->kind == IMAGE_ANON)
		annotation_note(work->annotation,
				"No source lines: JIT code has them only if its program writes a "
				"jitdump with lines (node --perf-prof).");
	if (image->kind != IMAGE_FILE && image->kind != IMAGE_VDSO && !is_kernel)
		return;
	annotation_note(work->annotation, "No source lines: %s",
			problem ? problem : "the debug information has none for this function.");
	annotation_note(work->annotation, "%s",
			is_kernel ? "Fix: install the kernel's debug information (package "
				    "linux-image-RELEASE-dbg), or use --debug-dir or --debuginfod."
				  : "Fix: compile with -g, install the package of debug symbols "
				    "(find-dbgsym-packages(1) names it), or use --debug-dir or "
				    "--debuginfod.");
}

/* A source file changed after the program was built may have its lines elsewhere. */
static void note_age(struct annotate_work *work, const struct source_file *source)
{
	const struct image *image = &work->annotate->opened.profile->images.items[work->image];

	if (image->mtime_ns && source_file_mtime_ns(source) > image->mtime_ns)
		annotation_note(work->annotation,
				"%s is newer than the program: its lines may differ from the "
				"compiled ones.",
				source_file_path(source));
}

/* Notes a source file that is missing, or newer than the program. */
static void note_source(struct annotate_work *work, const char *file)
{
	const struct source_file *source = annotate_source(work->annotate, work->image, file);
	const char *refusal;

	if (source)
		note_age(work, source);
	if (source || !annotate_wants_file(work->annotate, file))
		return;
	refusal =
		source_files_refusal(work->annotate->sources,
				     lines_readers(work->annotate->lines.lines, work->image), file);
	if (refusal)
		annotation_note(work->annotation, "%s is not shown: %s.", file, refusal);
	else
		annotation_note(work->annotation,
				"%s does not exist: give its place with --source-path FROM=TO.",
				file);
}

void annotate_function(struct annotate *annotate, const struct hit_function *function,
		       struct annotation *annotation)
{
	const struct profile *profile = annotate->opened.profile;
	struct annotate_work work = { .annotate = annotate,
				      .function = function,
				      .symbol = &profile->symbols.items[function->symbol],
				      .annotation = annotation };
	bool asm_only = annotate->options->mode == ANNOTATE_ASM;
	annotate_lines list = { 0 };
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
		const char *file = list.items[main_file_of(&work, &list)].file;

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
