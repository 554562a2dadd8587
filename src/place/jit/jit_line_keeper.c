/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_line_keeper.h"

#include <stdlib.h>

#include "place/jit/file_url.h"

static void forget(struct jit_line_keeper *keeper)
{
	vec_free(&keeper->list);
	free(keeper->texts);
	*keeper = (struct jit_line_keeper){ .counts = keeper->counts };
}

void jit_line_keeper_done(struct jit_line_keeper *keeper)
{
	forget(keeper);
}

static bool has(const struct jit_line_keeper *keeper, const struct jit_lined *lined,
		enum jit_lines_origin origin)
{
	return keeper->source == lined->source && keeper->begun == lined->source->begun &&
	       keeper->origin == origin && keeper->lines_at == lined->piece->lines_at &&
	       keeper->size == lined->piece->size;
}

/* Remembers a record that could not be read as well: trying costs as much as succeeding. */
static const jit_line_list *lines_of(struct jit_line_keeper *keeper, const struct jit_lined *lined)
{
	enum jit_lines_origin origin = jit_lines_origin(&lined->source->lines_evidence);
	size_t size;

	if (!has(keeper, lined, origin)) {
		forget(keeper);
		keeper->source = lined->source;
		keeper->begun = lined->source->begun;
		keeper->origin = origin;
		keeper->lines_at = lined->piece->lines_at;
		keeper->size = lined->piece->size;
		keeper->understood = jit_source_lines(lined->source, lined->piece, &keeper->texts,
						      &size, &keeper->list);
		keeper->counts.bytes_read += size;
	}
	return keeper->understood ? &keeper->list : NULL;
}

static void keep(struct jit_line_keeper *keeper, struct profile *profile,
		 const struct jit_lined *lined, const struct jit_line *line)
{
	struct told_line told = { .image = lined->image,
				  .start = lined->place + line->start,
				  .size = line->size,
				  .line = line->line };

	if (!line->line || !*line->file)
		return;
	if (profile->lines.count > JIT_LINE_KEEPER_MOST) {
		keeper->counts.dropped++;
		return;
	}
	told.file = file_url_intern(&profile->strings, line->file);
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
	line = lined->whole ? NULL : jit_lines_find(list, lined->offset - lined->place);
	if (line)
		keep(keeper, profile, lined, line);
	for (size_t i = 0; lined->whole && i < list->count; i++)
		keep(keeper, profile, lined, &list->items[i]);
	return true;
}
