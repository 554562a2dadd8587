/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function. With instructions, each has its own samples, under its innermost source line, that
 * of an inlined function if there is one. With source alone, the lines are the function's own, and
 * inlined code counts on the line that calls it, so the lines add up to the function.
 */
#include "annotate/annotate_work.h"

#include <string.h>

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
		annotate_work_add(work, &annotation->file_hits, hits);
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
	bool source = list->count &&
		      annotate_source_file(work->annotate, work->image,
					   list->items[annotate_lines_main_file(work, list)].file);

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
		annotate_source_add(work, list, declared);
	else if (mode == ANNOTATE_MIXED)
		annotate_mixed_add(work);
	else
		annotate_code_add_all(work);
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
	const struct source_file *source = annotate_source_file(work->annotate, work->image, file);
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

	work.image = annotate_work_frame(&work, 0)->image;
	work.place_shift = lines_place(annotate->lines.lines, annotate_work_frame(&work, 0)) -
			   annotate_work_frame(&work, 0)->address;
	name_it(&work);
	if (annotate->options->mode != ANNOTATE_SOURCE)
		annotate_code_list(&work);
	if (!asm_only)
		annotate_lines_find(&work, &list, &declared);
	if (!asm_only && list.count == 0 && annotate->options->mode == ANNOTATE_SOURCE)
		annotate_code_list(&work);
	add_rows(&work, &list, declared);
	if (list.count) {
		const char *file = list.items[annotate_lines_main_file(&work, &list)].file;

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
