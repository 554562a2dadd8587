/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/near_values.h"
#include "annotate/annotate_parts.h"
#include "annotate/annotation.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "load/output.h"
#include "present/paragraph.h"
#include "present/text/text_report.h"

static void annotate_done(struct annotate *annotate)
{
	annotate_name_done(&annotate->name);
	instructions_free(annotate->instructions);
	source_files_free(annotate->sources);
	line_service_stop(&annotate->lines);
	strpool_done(&annotate->files);
	free(annotate->hits);
	hit_sets_done(&annotate->sets);
	opened_done(&annotate->opened);
}

static int check_modes(const struct annotate_options *options, struct err *err)
{
	if (options->folder && options->mode != ANNOTATE_BEST && options->mode != ANNOTATE_SOURCE)
		return err_set(err, -EINVAL,
			       "-o cannot be used with --asm or --mixed: it writes source files");
	if (options->mode == ANNOTATE_ASM && (options->include_count || options->exclude_count))
		return err_set(err, -EINVAL,
			       "--include and --exclude cannot be used with --asm: they choose "
			       "source files");
	return 0;
}

static int parse(struct annotate *annotate, const struct annotate_options *options, struct err *err)
{
	const struct opened_names names = { .plain = true,
					    .demangle = options->demangle,
					    .kallsyms = options->kallsyms,
					    .lines = options->lines };
	int rc = check_modes(options, err);

	annotate->options = options;
	annotate_name_parse(options->symbol, &annotate->name);
	for (size_t i = 0; rc == 0 && i < options->source_path_count; i++)
		rc = source_files_check(options->source_paths[i], err);
	if (rc == 0)
		rc = opened_name(&annotate->opened, &names, err);
	return rc < 0 ? rc
		      : opened_choose(&annotate->opened, &options->selection, SCOPE_MACHINE, err);
}

int annotate_check(const struct annotate_options *options, struct err *err)
{
	struct annotate annotate = { 0 };
	int rc = parse(&annotate, options, err);

	annotate_done(&annotate);
	return rc;
}

/* ---- samples ---- */

/* Finds the index of an event in the choice; false: not chosen. */
static bool find_event(const struct annotate *annotate, uint8_t event, size_t *ret_at)
{
	for (size_t i = 0; i < annotate->choice.count; i++) {
		if (annotate->choice.events[i] != event)
			continue;
		*ret_at = i;
		return true;
	}
	return false;
}

static void take(void *context, const struct point *point)
{
	struct annotate *annotate = context;
	const struct profile *profile = annotate->opened.profile;
	const struct hits hits = { point->total.samples, point->total.weight };
	uint32_t frame = profile->stacks.items[point->total.stack].frame;
	size_t event;

	if (!find_event(annotate, point->total.event, &event))
		return;
	hit_sets_add(&annotate->sets, &annotate->hits[frame], event, &hits);
	hit_sets_add(&annotate->sets, &annotate->whole, event, &hits);
}

/* Drops columns of events without samples that only a pattern chose. */
static void drop_unused(struct annotate *annotate)
{
	struct event_choice *choice = &annotate->choice;
	const struct hits *whole = hit_sets_get(&annotate->sets, annotate->whole);
	bool keep[PROFILE_MAX_EVENTS];
	size_t kept = 0;

	for (size_t i = 0; i < choice->count; i++) {
		keep[i] = choice->named[i] || whole[i].samples;
		if (keep[i])
			choice->events[kept++] = choice->events[i];
	}
	if (!kept)
		return;
	choice->count = kept;
	hit_sets_keep(&annotate->sets, keep);
}

static int count_hits(struct annotate *annotate, struct err *err)
{
	const struct profile *profile = annotate->opened.profile;
	int rc = event_choice_parse(profile, annotate->options->event, &annotate->choice, err);

	if (rc < 0)
		return rc;
	hit_sets_init(&annotate->sets, annotate->choice.count);
	annotate->hits = xcalloc(profile->frames.count, sizeof(*annotate->hits));
	rc = opened_each(&annotate->opened, false, take, annotate, err);
	if (rc == 0)
		drop_unused(annotate);
	return rc;
}

struct annotation annotate_annotation(const struct annotate *annotate)
{
	return (struct annotation){ .events = annotate->choice.events,
				    .sets = &annotate->sets,
				    .whole = annotate->whole };
}

/* ---- functions ---- */

typedef VEC(struct hit_function) function_list;

static void functions_done(function_list *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		vec_free(&functions->items[i].frames);
	vec_free(functions);
}

static int by_weight(const void *left, const void *right, void *context)
{
	const struct hit_function *a = left, *b = right;

	return hit_sets_compare(context, a->hits, b->hits) ?: COMPARE(a->symbol, b->symbol);
}

static int by_address(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;
	uint64_t a = profile->frames.items[((const struct hit_frame *)left)->frame].address;
	uint64_t b = profile->frames.items[((const struct hit_frame *)right)->frame].address;

	return COMPARE(a, b);
}

/* All functions with samples, by symbol. */
static void gather(struct annotate *annotate, function_list *functions)
{
	struct profile *profile = annotate->opened.profile;
	_cleanup_free_ uint32_t *of_symbol = xcalloc(profile->symbols.count + 1, sizeof(uint32_t));

	for (uint32_t i = 1; i < profile->frames.count; i++) {
		uint32_t symbol = profile->frames.items[i].symbol;
		struct hit_function *function;

		if (!hit_sets_any(&annotate->sets, annotate->hits[i]))
			continue;
		if (!of_symbol[symbol]) {
			*vec_push(functions) = (struct hit_function){ .symbol = symbol };
			of_symbol[symbol] = (uint32_t)functions->count;
		}
		function = &functions->items[of_symbol[symbol] - 1];
		hit_sets_join(&annotate->sets, &function->hits, annotate->hits[i]);
		*vec_push(&function->frames) = (struct hit_frame){ i, annotate->hits[i] };
	}
}

bool annotate_lists(const struct annotate *annotate, hit_set set)
{
	const struct hits *hits = hit_sets_get(&annotate->sets, set);
	const struct hits *whole = hit_sets_get(&annotate->sets, annotate->whole);

	for (size_t i = 0; i < annotate->sets.events; i++) {
		double least = annotate->options->threshold / 100 * (double)whole[i].weight;

		if (hits[i].samples && (double)hits[i].weight >= least)
			return true;
	}
	return false;
}

/* The functions that the user may have meant. */
static int tell_near(const struct annotate *annotate, const function_list *functions,
		     struct err *err)
{
	const char *symbol = annotate->options->symbol ? annotate->options->symbol : "*";
	struct near_values near = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < functions->count; i++) {
		buf_clear(&text);
		labels_routine(&annotate->opened.labels, functions->items[i].symbol, &text);
		near_values_add(&near, symbol, buf_text(&text));
	}
	buf_clear(&text);
	near_values_text(&near, &text);
	near_values_done(&near);
	err_set(err, -ENODATA, "no function named '%s' has samples%s", symbol,
		text.size ? buf_text(&text)
			  : ": 'prospect report --by symbol' lists all that have");
	buf_done(&text);
	return -ENODATA;
}

/* Keeps the best matches, heaviest first. */
static int choose(struct annotate *annotate, function_list *functions, struct err *err)
{
	_cleanup_free_ enum annotate_fit *fits = xcalloc(functions->count + 1, sizeof(*fits));
	enum annotate_fit best = FIT_NOT;
	struct buf text = { 0 };
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < functions->count; i++) {
		fits[i] = annotate_name_fit(&annotate->name, &annotate->opened.labels,
					    functions->items[i].symbol, &text);
		best = fits[i] > best ? fits[i] : best;
	}
	buf_done(&text);
	if (best == FIT_NOT)
		rc = tell_near(annotate, functions, err);
	for (size_t i = 0; i < functions->count; i++) {
		struct hit_function function = functions->items[i];

		if (best == FIT_NOT || fits[i] != best || !annotate_lists(annotate, function.hits))
			vec_free(&function.frames);
		else
			functions->items[kept++] = function;
	}
	functions->count = kept;
	if (kept)
		qsort_r(functions->items, kept, sizeof(*functions->items), by_weight,
			&annotate->sets);
	if (best == FIT_NOT)
		return rc;
	return kept ? 0
		    : err_set(err, -ENODATA, "no function reaches %g %% (--threshold)",
			      annotate->options->threshold);
}

/* True if the glob matches the whole name, one of its folders, or the name of the file in it. */
static bool glob_matches(const char *glob, const char *file)
{
	_cleanup_free_ char *copy = xstrdup(file);
	char *save = NULL;

	if (fnmatch(glob, file, 0) == 0)
		return true;
	for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (fnmatch(glob, part, 0) == 0)
			return true;
	}
	return false;
}

bool annotate_wants_file(const struct annotate *annotate, const char *file)
{
	const struct annotate_options *options = annotate->options;

	for (size_t i = 0; i < options->exclude_count; i++) {
		if (glob_matches(options->exclude[i], file))
			return false;
	}
	for (size_t i = 0; i < options->include_count; i++) {
		if (glob_matches(options->include[i], file))
			return true;
	}
	return options->include_count == 0;
}

/* ---- printing ---- */

static struct view make_view(const struct annotate *annotate)
{
	struct view view = opened_view(&annotate->opened);

	view.level = VIEW_SCREEN;
	view.screen = annotate->options->screen;
	return view;
}

/* Events without NMI stop a program only where interrupts are enabled again. */
static void print_skid(const struct annotate *annotate, FILE *out)
{
	const struct profile *profile = annotate->opened.profile;
	bool skids = false;

	for (size_t i = 0; i < annotate->choice.count; i++)
		skids |= profile->events[annotate->choice.events[i]].clock != CLOCK_PMU_NMI;
	if (!skids)
		return;
	fputc('\n', out);
	paragraph_text("Hits of an instruction may belong to the one before it: programs are "
		       "interrupted between two.",
		       &annotate->options->screen, out);
}

static void print_inlined(struct annotate *annotate, const struct annotate_inlined *inlined,
			  const struct view *view, FILE *out)
{
	for (size_t at = 0; at < annotate_inlined_lines(inlined);) {
		struct annotation annotation = annotate_annotation(annotate);

		at += annotate_inlined_fill(annotate, inlined, at, &annotation);
		annotation_print(view, &annotation, out);
		annotation_done(&annotation);
	}
}

static void print_functions(struct annotate *annotate, const function_list *functions,
			    const struct annotate_inlined *inlined, FILE *out)
{
	struct view view = make_view(annotate);
	const char *note;

	text_report_head(&view, out);
	for (size_t i = 0; i < functions->count; i++) {
		struct annotation annotation = annotate_annotation(annotate);

		annotate_function(annotate, &functions->items[i], &annotation);
		annotation_print(&view, &annotation, out);
		annotation_done(&annotation);
	}
	print_inlined(annotate, inlined, &view, out);
	note = instructions_note(annotate->instructions);
	if (note) {
		fputc('\n', out);
		paragraph_text(note, &view.screen, out);
	}
	print_skid(annotate, out);
}

/* A function that also has code of its own is mostly inlined in the same file; a glob then stands
 * for functions with code. */
static struct annotate_inlined *find_inlined(struct annotate *annotate,
					     const function_list *functions)
{
	const struct profile *profile = annotate->opened.profile;
	_cleanup_free_ bool *images = xcalloc(profile->images.count + 1, sizeof(*images));

	for (size_t i = 0; i < functions->count; i++)
		images[profile->symbols.items[functions->items[i].symbol].image] = true;
	return functions->count ? annotate_inlined_find(annotate, FIT_EXACT, images)
				: annotate_inlined_find(annotate, FIT_SHORTENED, NULL);
}

static int print(struct annotate *annotate, FILE *out, struct err *err)
{
	_cleanup_(annotate_inlined_freep) struct annotate_inlined *inlined = NULL;
	function_list functions = { 0 };
	int rc;

	if (annotate->options->folder)
		return annotate_write_files(annotate, out, err);
	gather(annotate, &functions);
	rc = choose(annotate, &functions, err);
	for (size_t i = 0; rc == 0 && i < functions.count; i++)
		qsort_r(functions.items[i].frames.items, functions.items[i].frames.count,
			sizeof(struct hit_frame), by_address, annotate->opened.profile);
	inlined = find_inlined(annotate, &functions);
	if (rc == 0 || annotate_inlined_lines(inlined)) {
		rc = 0;
		print_functions(annotate, &functions, inlined, out);
	}
	functions_done(&functions);
	return rc;
}

static int prepare(struct annotate *annotate, struct err *err)
{
	const struct annotate_options *options = annotate->options;
	struct line_options *lines = &annotate->opened.names.lines;
	const struct instructions_options code = { .vmlinux = options->vmlinux,
						   .intel = options->intel,
						   .symfs = { lines->symfs, lines->symfs_sealed },
						   .readers = lines->readers };

	annotate->sources = source_files_new(options->source_paths, options->source_path_count,
					     opened_sources(&annotate->opened));
	lines->no_cache = true; /* as lines_readers demands */
	line_service_start(&annotate->lines, annotate->opened.profile, lines, NULL, NULL);
	return instructions_new(annotate->opened.profile, &code, &annotate->instructions, err);
}

int annotate_print(const char *path, const struct annotate_options *options, FILE *out,
		   struct err *err)
{
	struct annotate annotate = { 0 };
	int rc = parse(&annotate, options, err);

	if (rc == 0)
		rc = opened_load(&annotate.opened, path, err);
	if (rc == 0)
		rc = count_hits(&annotate, err);
	if (rc == 0)
		rc = prepare(&annotate, err);
	if (rc == 0)
		rc = print(&annotate, out, err);
	if (rc == 0)
		rc = output_end(out, err);
	annotate_done(&annotate);
	return rc;
}
