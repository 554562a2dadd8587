/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/jit_line_keeper.h"

#include <stdlib.h>
#include <string.h>

void jit_line_keeper_done(struct jit_line_keeper *keeper)
{
	vec_free(&keeper->list);
	free(keeper->texts);
	*keeper = (struct jit_line_keeper){ 0 };
}

static bool has(const struct jit_line_keeper *keeper, const struct jit_lined *lined,
		enum jit_lines_origin origin)
{
	return keeper->source == lined->source && keeper->begun == lined->source->begun &&
	       keeper->origin == origin && keeper->lines_at == lined->piece->lines_at &&
	       keeper->size == lined->piece->size;
}

/* What cannot be understood is remembered as well: trying costs as much as succeeding. */
static const jit_line_list *lines_of(struct jit_line_keeper *keeper, const struct jit_lined *lined)
{
	enum jit_lines_origin origin = jit_lines_origin(&lined->source->lines_evidence);

	if (!has(keeper, lined, origin)) {
		jit_line_keeper_done(keeper);
		keeper->source = lined->source;
		keeper->begun = lined->source->begun;
		keeper->origin = origin;
		keeper->lines_at = lined->piece->lines_at;
		keeper->size = lined->piece->size;
		keeper->understood = jit_source_lines(lined->source, lined->piece, &keeper->texts,
						      &keeper->list);
	}
	return keeper->understood ? &keeper->list : NULL;
}

/* Modules of JavaScript have a URL instead of a path. */
static const char *path_of(const char *file)
{
	static const char scheme[] = "file://";
	size_t size = sizeof(scheme) - 1;

	return strncmp(file, scheme, size) == 0 && file[size] == '/' ? file + size : file;
}

static void keep(struct profile *profile, const struct jit_lined *lined,
		 const struct jit_line *line)
{
	struct told_line told = { .image = lined->image,
				  .start = lined->place + line->start,
				  .size = line->size,
				  .line = line->line };

	if (!line->line || !*line->file || profile->lines.count > JIT_LINE_KEEPER_MOST)
		return;
	told.file = strpool_intern(&profile->strings, path_of(line->file));
	profile_line(profile, &told);
}

bool jit_line_keeper_keep(struct jit_line_keeper *keeper, struct profile *profile,
			  const struct jit_lined *lined)
{
	const struct jit_line *line;
	const jit_line_list *list;

	if (!lined->piece->lines_at)
		return true;
	list = lines_of(keeper, lined);
	if (!list)
		return jit_lines_origin(&lined->source->lines_evidence) != JIT_LINES_UNKNOWN;
	line = jit_lines_find(list, lined->offset - lined->place);
	if (line)
		keep(profile, lined, line);
	for (size_t i = 0; lined->whole && i < list->count; i++)
		keep(profile, lined, &list->items[i]);
	return true;
}
