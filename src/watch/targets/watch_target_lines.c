/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_target_lines.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "names/lines/line_search.h"

enum { MOST_STRETCHES = 256 }; /* per source line */

static int add_stretch(struct watch_target_list *targets, struct watch_image *image,
		       uint64_t address, const char *place, struct err *err)
{
	const struct function_list *list = watch_image_functions(image);
	const struct listed_function *function = function_list_around(list, address);
	const struct watch_candidate candidate = {
		.image = image,
		.module = "",
		.name = function ? function_list_name(list, function->name) : "",
		.address = function ? function->start : address,
		.size = function ? function->size : 0,
		.function = function,
	};
	const struct probe_target target = { .instruction = true,
					     .displacement = address - candidate.address };
	struct buf behind = { 0 };
	int rc;

	buf_printf(&behind, "+0x%lx (%s)", target.displacement, place);
	rc = watch_target_list_add(targets, &candidate, &target, buf_text(&behind), err);
	buf_done(&behind);
	return rc;
}

static int no_such_line(struct watch_image *image, const struct line_search *search,
			const char *place, struct err *err)
{
	const char *shown = watch_image_shown(image);

	if (search->no_debug)
		return err_set(err, -ENOENT, "%s", line_file_problem(watch_image_lines(image)));
	if (strpool_count(&search->files) <= 1)
		return err_set(err, -ENOENT, "%s: no source file matches '%s'", shown, place);
	if (search->next)
		return err_set(err, -ENOENT, "%s has no code for %s; the next line with code is %u",
			       shown, place, search->next);
	return err_set(err, -ENOENT, "%s has no code for %s or any later line", shown, place);
}

static int add_line_of(struct watch_target_list *targets, struct watch_image *image,
		       const char *place, struct err *err)
{
	_cleanup_free_ char *file = NULL;
	struct line_search search;
	struct buf shown = { 0 };
	uint32_t line;
	int rc = watch_word_line(place, &file, &line, err);

	if (rc < 0)
		return rc;
	line_search_find(watch_image_lines(image), file, line, &search);
	buf_printf(&shown, "%s:%u", file_base(file), line);
	if (search.addresses.count == 0)
		rc = no_such_line(image, &search, place, err);
	for (size_t i = 0; i < search.addresses.count && i < MOST_STRETCHES && rc == 0; i++)
		rc = add_stretch(targets, image, search.addresses.items[i], buf_text(&shown), err);
	line_search_done(&search);
	buf_done(&shown);
	return rc;
}

static int add_lines_of(struct watch_target_list *targets,
			const struct watch_target_options *options, struct watch_image *image,
			struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < options->at_line_count && rc == 0; i++)
		rc = add_line_of(targets, image, options->at_lines[i], err);
	return rc;
}

int watch_target_lines_add(struct watch_target_list *targets,
			   const struct watch_target_options *options, struct err *err)
{
	struct watch_image *image;
	struct watch_word word;
	size_t files = 0;
	int rc = 0;

	for (size_t i = 0; i < options->word_count && rc == 0; i++) {
		if (watch_word_parse(options->foreign, options->words[i], &word, NULL) < 0)
			continue;
		if (word.is_file) {
			files++;
			rc = watch_sources_file(targets->sources, word.file, &image, err);
			if (rc == 0)
				rc = add_lines_of(targets, options, image, err);
		}
		watch_word_done(&word);
	}
	if (files || rc < 0)
		return rc;
	rc = options->module ? watch_sources_file(targets->sources, options->module, &image, err)
			     : watch_sources_program(targets->sources, &image, err);
	if (rc == -ENOENT && !options->module)
		return err_set(err, -EINVAL,
			       "--at-line: no program given: name it as ./PROGRAM, or use -p, "
			       "--module or a command");
	return rc < 0 ? rc : add_lines_of(targets, options, image, err);
}
