/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/frame_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/strpool.h"
#include "base/xalloc.h"

/* Ids of texts; 0: not looked up yet. */
struct known_place {
	str_id line, source, function;
};

/* The recorded frame and the level that a frame stands for. */
struct frame_level {
	uint32_t recorded;
	uint32_t level; /* 0: the innermost */
};

struct frame_lines {
	const struct profile *profile;
	struct line_options options;
	struct line_service service;
	bool started;
	struct strpool texts;
	struct known_place *known; /* by frame */
	size_t count;
	uint32_t first_level;		/* frame of levels.items[0] */
	VEC(struct frame_level) levels; /* by frame, from first_level on */
	struct buf text;
	struct label_places places;
};

static struct known_place *ask(struct frame_lines *lines, uint32_t frame);

static uint32_t line_of(void *context, uint32_t frame)
{
	return ask(context, frame)->line;
}

static uint32_t source_of(void *context, uint32_t frame)
{
	return ask(context, frame)->source;
}

static uint32_t function_of(void *context, uint32_t frame)
{
	return ask(context, frame)->function;
}

static const char *text_of(void *context, uint32_t id)
{
	const struct frame_lines *lines = context;

	return strpool_get(&lines->texts, id);
}

struct frame_lines *frame_lines_new(const struct profile *profile,
				    const struct line_options *options)
{
	struct frame_lines *lines = xcalloc(1, sizeof(*lines));

	lines->profile = profile;
	lines->options = *options;
	lines->places = (struct label_places){ line_of, source_of, function_of, text_of, lines };
	strpool_intern(&lines->texts, "");
	return lines;
}

void frame_lines_free(struct frame_lines *lines)
{
	if (!lines)
		return;
	if (lines->started)
		line_service_stop(&lines->service);
	strpool_done(&lines->texts);
	buf_done(&lines->text);
	vec_free(&lines->levels);
	free(lines->known);
	free(lines);
}

const struct label_places *frame_lines_places(const struct frame_lines *lines)
{
	return &lines->places;
}

const struct line_place *frame_lines_of(struct frame_lines *lines, uint32_t frame,
					size_t *ret_count)
{
	if (!lines->started)
		line_service_start(&lines->service, lines->profile, &lines->options, NULL, NULL);
	lines->started = true;
	return lines_of_frame(lines->service.lines, frame, ret_count);
}

void frame_lines_add_level(struct frame_lines *lines, uint32_t frame, uint32_t recorded,
			   uint32_t level)
{
	if (!lines->levels.count)
		lines->first_level = frame;
	*vec_push(&lines->levels) = (struct frame_level){ recorded, level };
}

static void write_line(struct frame_lines *lines, uint32_t frame, const struct line_place *place)
{
	const struct profile *profile = lines->profile;
	const struct image *image = &profile->images.items[profile->frames.items[frame].image];
	const char *path = profile_text(profile, image->path);

	if (!place || !*place->file)
		buf_printf(&lines->text, "[no line: %s]", *path ? file_base(path) : "unknown");
	else if (place->line)
		buf_printf(&lines->text, "%s:%" PRIu32, place->file, place->line);
	else
		buf_printf(&lines->text, "%s", place->file);
}

static str_id symbol_of(struct frame_lines *lines, uint32_t frame)
{
	const struct profile *profile = lines->profile;
	const struct symbol *symbol = &profile->symbols.items[profile->frames.items[frame].symbol];
	const char *name = profile_text(profile, symbol->name);

	return strpool_intern(&lines->texts, *name ? name : "[unknown]");
}

/* The levels from the frame's own outwards; for a recorded frame all levels. */
static const struct line_place *places_of(struct frame_lines *lines, uint32_t frame,
					  size_t *ret_count)
{
	struct frame_level own = { frame, 0 };
	const struct line_place *places;

	if (lines->levels.count && frame >= lines->first_level)
		own = lines->levels.items[frame - lines->first_level];
	places = frame_lines_of(lines, own.recorded, ret_count);
	if (own.level >= *ret_count) {
		*ret_count = 0;
		return NULL;
	}
	*ret_count -= own.level;
	return places + own.level;
}

static struct known_place *known_of(struct frame_lines *lines, uint32_t frame)
{
	if (lines->count < lines->profile->frames.count) {
		free(lines->known);
		lines->count = lines->profile->frames.count;
		lines->known = xcalloc(lines->count, sizeof(*lines->known));
	}
	return &lines->known[frame];
}

static struct known_place *ask(struct frame_lines *lines, uint32_t frame)
{
	struct known_place *known = known_of(lines, frame);
	const struct line_place *places;
	size_t count;

	if (known->line)
		return known;
	places = places_of(lines, frame, &count);
	buf_clear(&lines->text);
	write_line(lines, frame, count ? places : NULL);
	known->line = strpool_intern(&lines->texts, buf_text(&lines->text));
	known->source =
		count && *places->file ? strpool_intern(&lines->texts, places->file) : known->line;
	/* the outermost level gets the symbol's name: debug information does not name clones */
	known->function = count > 1 && *places[0].function
				  ? strpool_intern(&lines->texts, places[0].function)
				  : symbol_of(lines, frame);
	return known;
}
