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

static const jit_line_list *lines_of(struct jit_line_keeper *keeper, const struct jit_lined *lined)
{
	const struct code_piece *piece = lined->piece;

	if (keeper->source == lined->source && keeper->lines_at == piece->lines_at &&
	    keeper->size == piece->size)
		return &keeper->list;
	jit_line_keeper_done(keeper);
	if (!jit_source_lines(lined->source, piece, &keeper->texts, &keeper->list))
		return NULL;
	keeper->source = lined->source;
	keeper->lines_at = piece->lines_at;
	keeper->size = piece->size;
	return &keeper->list;
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
