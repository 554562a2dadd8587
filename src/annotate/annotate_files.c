/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every source file with its samples, under its whole name in a folder. The innermost line counts,
 * so inlined code is in the file where it was written. Lines keep their numbers, so everything
 * about the whole file comes after its last line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/annotate_parts.h"
#include "annotate/annotation.h"
#include "base/compare.h"
#include "base/output_file.h"
#include "base/owner.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/safe.h"

enum { MAX_LINE = 10000000 }; /* of a source file */

struct file_line {
	str_id file; /* in annotate->files */
	uint32_t line;
	hit_set hits;
	uint32_t symbol;
	uint32_t image; /* of the code that names the file */
};

typedef VEC(struct file_line) file_lines;

DEFINE_ORDER(by_file_and_line, struct file_line,
	     COMPARE(a->file, b->file) ?: COMPARE(a->line, b->line))

/* Returns the hits without lines. */
static hit_set gather_lines(struct annotate *annotate, file_lines *list)
{
	const struct profile *profile = annotate->opened.profile;
	hit_set nowhere = 0;

	for (uint32_t i = 1; i < profile->frames.count; i++) {
		const struct line_place *places;
		struct file_line line = { .hits = annotate->hits[i] };
		size_t count = 0;

		if (!hit_sets_any(&annotate->sets, line.hits))
			continue;
		places = lines_of_frame(annotate->lines.lines, i, &count);
		if (!count || !*places[0].file || !places[0].line || places[0].line > MAX_LINE) {
			hit_sets_join(&annotate->sets, &nowhere, line.hits);
			continue;
		}
		line.file = strpool_intern(&annotate->files, places[0].file);
		line.line = places[0].line;
		line.symbol = profile->frames.items[i].symbol;
		line.image = profile->frames.items[i].image;
		*vec_push(list) = line;
	}
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_file_and_line);
	return nowhere;
}

/* The path under @folder of a name from debug information: "/a/../b" must not lead out of it. */
static char *path_under(const char *folder, const char *file)
{
	struct buf path = { 0 };
	_cleanup_free_ char *copy = xstrdup(file);
	char *save = NULL;

	buf_add_str(&path, folder);
	for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
			continue;
		buf_add_char(&path, '/');
		buf_add_str(&path, part);
	}
	return path.bytes;
}

/* Names of files come from programs. In a folder where other users can create links, they could
 * lead anywhere. */
static int check_folder(const char *folder, struct err *err)
{
	struct owner owner;
	struct stat st;

	owner_find(&owner);
	if (stat(folder, &st) < 0 ||
	    ((st.st_uid == owner.uid || st.st_uid == 0) && !(st.st_mode & S_IWOTH)))
		return 0;
	return err_set(err, -EPERM,
		       "-o %s: other users can write to this folder: choose one of your own",
		       folder);
}

/* Makes all folders of the path, with the rights of the files' owner. */
static int make_folders(const char *path, mode_t file_mode, struct err *err)
{
	mode_t mask = umask(0), mode = file_mode | (file_mode & 0444) >> 2;
	_cleanup_free_ char *copy = xstrdup(path);
	struct owner owner;
	int rc = 0;

	owner_find(&owner);
	owner_begin(&owner);
	for (char *slash = strchr(copy + 1, '/'); rc == 0 && slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			rc = err_set(err, -errno, "cannot make the folder %s: %s", copy,
				     strerror(errno));
		*slash = '/';
	}
	owner_end(&owner);
	umask(mask);
	return rc;
}

/* One file: lines [begin, end) of the list. */
struct one_file {
	struct annotate *annotate;
	const file_lines *list;
	size_t begin, end;
	const char *name;
	const char *refusal; /* why its text is not shown; NULL: it is shown, or absent */
	struct annotation annotation;
};

static void add_rows(struct one_file *file, const struct source_file *source)
{
	struct hit_sets *sets = &file->annotate->sets;
	size_t at = file->begin;
	size_t last = source ? source_file_lines(source) : 0;

	if (file->list->items[file->end - 1].line > last)
		last = file->list->items[file->end - 1].line;
	for (size_t line = 1; line <= last; line++) {
		struct annotation_row *row =
			annotation_add(&file->annotation, ANNOTATION_SOURCE, line,
				       source ? source_file_line(source, line) : "");

		for (; at < file->end && file->list->items[at].line == line; at++)
			hit_sets_join(sets, &row->hits, file->list->items[at].hits);
		hit_sets_join(sets, &file->annotation.hits, row->hits);
	}
}

DEFINE_ORDER(by_symbol, struct file_line, COMPARE(a->symbol, b->symbol))

/* Appends "%6.2f %% %8" for each event. */
static void add_shares(const struct one_file *file, hit_set set, struct buf *text)
{
	const struct hits *hits = annotation_hits(&file->annotation, set);
	const struct hits *whole = annotation_hits(&file->annotation, file->annotation.hits);

	for (size_t i = 0; i < file->annotate->choice.count; i++)
		buf_printf(text, "%6.2f %% %8" PRIu64 "  ",
			   figures_percent(hits[i].weight, whole[i].weight), hits[i].samples);
}

/* Adds a note for each function with code in the file, and its share. */
static void note_functions(struct one_file *file)
{
	size_t count = file->end - file->begin;
	_cleanup_free_ struct file_line *lines =
		xmemdup(file->list->items + file->begin, count * sizeof(*lines));
	struct buf text = { 0 };

	qsort(lines, count, sizeof(*lines), by_symbol);
	for (size_t i = 0, next; i < count; i = next) {
		hit_set sum = 0;

		for (next = i; next < count && lines[next].symbol == lines[i].symbol; next++)
			hit_sets_join(&file->annotate->sets, &sum, lines[next].hits);
		buf_clear(&text);
		add_shares(file, sum, &text);
		labels_function(&file->annotate->opened.labels, lines[i].symbol, &text);
		annotation_note(&file->annotation, "%s", buf_text(&text));
	}
	buf_done(&text);
}

static int write_annotated(struct one_file *file, const char *path, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct view view = opened_view(&file->annotate->opened);
	mode_t mode = file->annotate->options->file_mode;
	int rc = make_folders(path, mode, err);

	if (rc == 0)
		rc = output_file_open_mode(path, mode, &output, err);
	if (rc < 0)
		return rc;
	annotation_print_file(&view, &file->annotation, output_file_stream(output));
	return output_file_commit(output, err);
}

/* Appends " 12.34 % 0.10 % " for each event. */
static void add_parts(const struct annotate *annotate, hit_set set, struct buf *line)
{
	const struct hits *hits = hit_sets_get(&annotate->sets, set);
	const struct hits *whole = hit_sets_get(&annotate->sets, annotate->whole);

	for (size_t i = 0; i < annotate->choice.count; i++)
		buf_printf(line, "%6.2f %%  ", figures_percent(hits[i].weight, whole[i].weight));
}

static void add_absence(const struct one_file *file, struct buf *line)
{
	if (!file->refusal)
		buf_add_str(line, "  (source not found: see --source-path)");
	else
		buf_printf(line, "  (source not shown: %s)", file->refusal);
}

static void tell(const struct one_file *file, const char *path, bool has_source, FILE *out)
{
	struct buf line = { 0 };

	add_parts(file->annotate, file->annotation.hits, &line);
	safe_text(&line, path);
	if (!has_source)
		add_absence(file, &line);
	fprintf(out, "%s\n", buf_text(&line));
	buf_done(&line);
}

/* Prints which column belongs to which event, if there are several. */
static void tell_events(const struct annotate *annotate, FILE *out)
{
	const struct profile *profile = annotate->opened.profile;
	struct buf line = { 0 };

	if (annotate->choice.count == 1)
		return;
	for (size_t i = 0; i < annotate->choice.count; i++) {
		buf_add_str(&line, i ? ", " : "% of ");
		safe_text(&line,
			  profile_text(profile, profile->events[annotate->choice.events[i]].name));
	}
	fprintf(out, "%s\n", buf_text(&line));
	buf_done(&line);
}

/* Several images may name a file: one that may read it is enough, for each names it
 * independently. */
static const struct source_file *find_source(struct one_file *file)
{
	struct annotate *annotate = file->annotate;
	const struct source_file *source = NULL;
	uint32_t last = 0;

	for (size_t i = file->begin; !source && i < file->end; i++) {
		const struct readers *readers;
		uint32_t image = file->list->items[i].image;

		if (image == last)
			continue;
		last = image;
		readers = lines_readers(annotate->lines.lines, image);
		source = source_files_get(annotate->sources, readers, file->name);
		if (!source)
			file->refusal =
				source_files_refusal(annotate->sources, readers, file->name);
	}
	return source;
}

static int write_one(struct one_file *file, FILE *out, struct err *err)
{
	const struct annotate_options *options = file->annotate->options;
	const struct source_file *source = find_source(file);
	_cleanup_free_ char *path = path_under(options->folder, file->name);
	int rc = 0;

	file->annotation = annotate_annotation(file->annotate);
	add_rows(file, source);
	file->annotation.place = annotation_text(&file->annotation, file->name);
	note_functions(file);
	if (annotate_lists(file->annotate, file->annotation.hits)) {
		rc = write_annotated(file, path, err);
		if (rc == 0)
			tell(file, path, source, out);
	}
	annotation_done(&file->annotation);
	return rc;
}

static void tell_nowhere(const struct annotate *annotate, hit_set nowhere, FILE *out)
{
	struct buf line = { 0 };

	if (!hit_sets_any(&annotate->sets, nowhere))
		return;
	add_parts(annotate, nowhere, &line);
	fprintf(out, "%shas no source lines: 'prospect annotate SYMBOL' says why\n",
		buf_text(&line));
	buf_done(&line);
}

int annotate_write_files(struct annotate *annotate, FILE *out, struct err *err)
{
	file_lines list = { 0 };
	hit_set nowhere = gather_lines(annotate, &list);
	int rc = check_folder(annotate->options->folder, err);

	tell_events(annotate, out);
	for (size_t at = 0, end; rc == 0 && at < list.count; at = end) {
		struct one_file file = { .annotate = annotate, .list = &list, .begin = at };

		for (end = at; end < list.count && list.items[end].file == list.items[at].file;)
			end++;
		file.end = end;
		file.name = strpool_get(&annotate->files, list.items[at].file);
		if (annotate_wants_file(annotate, file.name))
			rc = write_one(&file, out, err);
	}
	if (rc == 0)
		tell_nowhere(annotate, nowhere, out);
	vec_free(&list);
	return rc;
}
