/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pprof profile, by our rules:
 *   - A type of values is an event. "samples" (and NAME-samples before NAME) counts the samples of
 *     the next type's values. Time is in nanoseconds.
 *   - Locations with functions keep these names. Others are looked up in the file of their mapping,
 *     if it is present with the same build id.
 *   - Inlined functions are frames of their own. Not so in profiles that we wrote, where file and
 *     address can name them again; an option keeps them.
 *   - What text_escape changed in profiles that we wrote is unescaped.
 */
#include "import/import_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "import/import_names.h"
#include "import/pprof.h"
#include "model/pprof.h"

enum { NO_COLUMN = -1, MAX_NUMBER = 10 };

/* An event, and the columns of a sample's values that belong to it. */
struct value_pair {
	int samples; /* NO_COLUMN: unknown */
	int weight;
	uint64_t scale; /* factor from the weight to nanoseconds */
};

/* The frames of a location, as the innermost one of a stack and as an outer one. */
struct known_frames {
	uint32_t first, count; /* count 0: not made yet */
};

struct importing_pprof {
	struct import_profile *import;
	struct pprof pprof;
	bool ours, inlines;
	struct value_pair pairs[PROFILE_MAX_EVENTS];
	size_t pair_count;
	size_t left_types;			      /* more than a profile has events */
	uint32_t *images;			      /* by mapping; 0: not made yet */
	struct known_frames *known[FRAME_KIND_COUNT]; /* by location */
	VEC(uint32_t) frames;			      /* innermost first */
	struct import_names names;
	struct buf text, more;
	uint64_t refused, negative;
	bool has_callers;
};

/* The text unescaped. */
static const char *plain(struct importing_pprof *importing, const char *text, struct buf *buf)
{
	if (!importing->ours)
		return text;
	buf_clear(buf);
	text_unescape(buf, text);
	return buf_text(buf);
}

/* ---- events ---- */

static uint64_t scale_of(const char *unit)
{
	static const struct {
		const char *unit;
		uint64_t scale;
	} units[] = { { "nanoseconds", 1 },	   { "ns", 1 },
		      { "microseconds", 1000 },	   { "us", 1000 },
		      { "milliseconds", 1000000 }, { "ms", 1000000 },
		      { "seconds", 1000000000 },   { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].unit, unit) == 0)
			return units[i].scale;
	}
	return 0;
}

/* True if the type counts the samples of the next one. */
static bool counts_for(const struct pprof_type *type, const struct pprof_type *next)
{
	size_t length = strlen(next->name);

	if (strcmp(type->unit, "count") != 0)
		return false;
	return strcmp(type->name, "samples") == 0 ||
	       (strncmp(type->name, next->name, length) == 0 &&
		strcmp(type->name + length, PPROF_SAMPLES_SUFFIX) == 0);
}

static void add_event(struct importing_pprof *importing, const struct pprof_type *type, int samples,
		      int weight)
{
	struct profile *profile = importing->import->profile;
	uint64_t scale = scale_of(type->unit);
	const char *name = plain(importing, type->name, &importing->text);
	struct event event = {
		.name = strpool_intern(&profile->strings, *name ? name : "samples"),
		.unit = strpool_intern(&profile->strings, scale ? "ns" : "count"),
		.clock = import_names_clock(name, scale > 0),
	};
	int row = import_profile_event(importing->import, &event);

	if (row == IMPORT_NO_EVENT) {
		importing->left_types++;
		return;
	}
	importing->pairs[importing->pair_count++] =
		(struct value_pair){ samples, weight, scale ? scale : 1 };
}

static void add_events(struct importing_pprof *importing)
{
	size_t count = importing->pprof.types.count;
	const struct pprof_type *types = importing->pprof.types.items;

	for (size_t i = 0; i < count; i++) {
		bool paired = i + 1 < count && counts_for(&types[i], &types[i + 1]);
		/* Without another type they are samples of weight 1. */
		bool alone = strcmp(types[i].name, "samples") == 0;

		if (paired)
			add_event(importing, &types[i + 1], (int)i, (int)i + 1);
		else
			add_event(importing, &types[i], alone ? (int)i : NO_COLUMN, (int)i);
		i += paired;
	}
}

/* ---- code ---- */

static void take_build_id(const char *text, struct image *image)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");

	if (text[digits] || digits % 2 || digits > 2 * (size_t)BUILD_ID_MAX)
		return;
	for (size_t i = 0; i < digits; i += 2) {
		char pair[] = { text[i], text[i + 1], '\0' };

		image->build_id[image->build_id_size++] = (uint8_t)strtoul(pair, NULL, 16);
	}
}

static uint32_t image_of(struct importing_pprof *importing, uint32_t mapping)
{
	struct profile *profile = importing->import->profile;
	const struct pprof_mapping *told = &importing->pprof.mappings.items[mapping];
	const char *path = plain(importing, told->file, &importing->text);
	struct image image = { .kind = import_names_kind(path), .state = IMAGE_STATE_UNREAD };

	if (importing->images[mapping])
		return importing->images[mapping];
	if (image.kind == IMAGE_FILE || image.kind == IMAGE_VDSO) {
		image.path = strpool_intern(&profile->strings, path);
		take_build_id(told->build_id, &image);
		importing->images[mapping] = profile_image(profile, &image);
	} else {
		importing->images[mapping] = import_names_image(profile, path);
	}
	return importing->images[mapping];
}

/* A mapping of the whole address space marks addresses as those of the file, as ours are. */
static bool is_whole(const struct pprof_mapping *mapping)
{
	return mapping->start == 0 && mapping->offset == 0 && mapping->limit == UINT64_MAX;
}

static uint32_t add_place(struct importing_pprof *importing, const struct pprof_location *location,
			  const char *name, enum frame_kind kind)
{
	struct profile *profile = importing->import->profile;
	const struct pprof_mapping *mapping = &importing->pprof.mappings.items[location->mapping];
	struct frame frame = { .image = image_of(importing, location->mapping),
			       .address_known = is_whole(mapping),
			       .kind = kind };
	struct symbol symbol = { .image = frame.image, .kind = SYMBOL_NAMED };
	uint32_t row;

	frame.offset = location->address + (importing->ours && kind == FRAME_RETURN);
	if (!frame.address_known && location->address >= mapping->start && mapping->limit)
		frame.offset = location->address - mapping->start + mapping->offset;
	frame.address = frame.offset;
	if (!name)
		return profile_frame(profile, &frame);
	symbol.name = strpool_intern(&profile->strings, name);
	if (strcmp(name, "[unknown]") == 0)
		symbol.kind = SYMBOL_NONE;
	frame.symbol = profile_symbol(profile, &symbol);
	row = profile_frame(profile, &frame);
	/* Another function has this place already, or the location has no address. */
	if (profile->frames.items[row].symbol != frame.symbol)
		row = import_names_frame(profile, frame.image, name, kind);
	return row;
}

static const char *name_of(struct importing_pprof *importing, uint32_t row)
{
	const struct pprof_function *function = &importing->pprof.functions.items[row];
	const char *name = *function->linkage ? function->linkage : function->name;

	return plain(importing, *name ? name : "[unknown]", &importing->more);
}

static uint32_t own_frame(struct importing_pprof *importing, const struct pprof_location *location,
			  const char *name, enum frame_kind kind)
{
	uint32_t mark =
		name && importing->ours ? import_names_mark(importing->import->profile, name) : 0;

	return mark ? mark : add_place(importing, location, name, kind);
}

static void add_frames(struct importing_pprof *importing, const struct pprof_location *location,
		       enum frame_kind kind)
{
	const struct pprof_line *lines = NULL;
	uint32_t last = location->line_count;

	if (last == 0) {
		*vec_push(&importing->frames) = own_frame(importing, location, NULL, kind);
		return;
	}
	lines = &importing->pprof.lines.items[location->first_line];
	for (uint32_t i = 0; importing->inlines && i + 1 < last; i++)
		*vec_push(&importing->frames) = import_names_frame(
			importing->import->profile, image_of(importing, location->mapping),
			name_of(importing, lines[i].function), kind);
	*vec_push(&importing->frames) =
		own_frame(importing, location, name_of(importing, lines[last - 1].function), kind);
}

static struct known_frames frames_of(struct importing_pprof *importing, uint32_t row,
				     enum frame_kind kind)
{
	struct known_frames *known = &importing->known[kind][row];

	if (!known->count) {
		known->first = (uint32_t)importing->frames.count;
		add_frames(importing, &importing->pprof.locations.items[row], kind);
		known->count = (uint32_t)(importing->frames.count - known->first);
	}
	return *known;
}

static uint32_t stack_of(struct importing_pprof *importing, const struct pprof_sample *told)
{
	struct profile *profile = importing->import->profile;
	uint32_t stack = 0;

	for (size_t i = told->location_count; i-- > 0;) {
		struct known_frames known =
			frames_of(importing, told->locations[i], i ? FRAME_RETURN : FRAME_EXACT);

		for (uint32_t j = known.count; j-- > 0;)
			stack = profile_stack(profile, stack,
					      importing->frames.items[known.first + j]);
	}
	importing->has_callers |= told->location_count > 1;
	return stack;
}

/* ---- threads ---- */

static const struct pprof_label *label(const struct pprof_sample *told, const char *key)
{
	for (size_t i = 0; i < told->label_count; i++) {
		if (strcmp(told->labels[i].key, key) == 0)
			return &told->labels[i];
	}
	return NULL;
}

static int32_t number_of(const struct pprof_sample *told, const char *key)
{
	const struct pprof_label *found = label(told, key);

	return found && found->number >= INT32_MIN && found->number <= INT32_MAX
		       ? (int32_t)found->number
		       : -1;
}

/* Cuts the number off "program#3" and returns it; 0: none. */
static uint32_t take_instance(char *process)
{
	char *mark = strrchr(process, '#');
	size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;

	if (!mark || digits == 0 || digits >= MAX_NUMBER || mark[1 + digits])
		return 0;
	*mark = '\0';
	return (uint32_t)strtoul(mark + 1, NULL, 10);
}

/* The program of a profile that does not name one: the file of its first mapping. */
static const char *main_program(const struct importing_pprof *importing)
{
	const char *file = importing->pprof.mappings.count > 1
				   ? file_base(importing->pprof.mappings.items[1].file)
				   : "";

	return *file ? file : "[unknown]";
}

static uint32_t task_of(struct importing_pprof *importing, const struct pprof_sample *told)
{
	const struct pprof_label *process = label(told, PPROF_LABEL_PROCESS);
	const struct pprof_label *thread = label(told, PPROF_LABEL_THREAD);
	struct import_names_thread task = { .pid = number_of(told, PPROF_LABEL_PID),
					    .tid = number_of(told, PPROF_LABEL_TID) };
	_cleanup_free_ char *program = xstrdup(
		process && *process->text ? plain(importing, process->text, &importing->text)
					  : main_program(importing));

	task.instance = importing->ours ? take_instance(program) : 0;
	task.program = program;
	task.comm = thread && *thread->text ? plain(importing, thread->text, &importing->text)
					    : program;
	return import_names_task(&importing->names, &task);
}

/* ---- samples ---- */

static void add_value(struct importing_pprof *importing, const struct pprof_sample *told,
		      uint8_t event, struct sample *sample)
{
	const struct value_pair *pair = &importing->pairs[event];
	int64_t weight = told->values[pair->weight];
	int64_t samples = pair->samples == NO_COLUMN ? 1 : told->values[pair->samples];

	if (weight == 0 && (pair->samples == NO_COLUMN || samples == 0))
		return;
	if (weight < 0 || samples < 0) {
		importing->negative++;
		return;
	}
	sample->event = event;
	if ((uint64_t)weight > IMPORT_MOST_WEIGHT / pair->scale) {
		importing->refused++;
		return;
	}
	sample->weight = (uint64_t)weight * pair->scale;
	if (!import_profile_count(importing->import, sample, (uint64_t)samples))
		importing->refused++;
}

static int take_sample(void *context, const struct pprof_sample *told)
{
	struct importing_pprof *importing = context;
	const struct pprof_label *context_label = label(told, PPROF_LABEL_CONTEXT);
	const struct pprof_label *mode_label = label(told, PPROF_LABEL_MODE);
	enum mode mode = mode_label ? mode_by_name(mode_label->text) : MODE_COUNT;
	struct sample sample = { .task = task_of(importing, told),
				 .stack = stack_of(importing, told) };
	enum context word = context_label ? context_by_name(context_label->text) : CONTEXT_TASK;

	sample.mode = (uint8_t)(mode != MODE_COUNT ? mode
						   : import_names_mode(importing->import->profile,
								       sample.stack));
	sample.context = (uint8_t)(word == CONTEXT_COUNT ? CONTEXT_TASK : word);
	for (size_t i = 0; i < importing->pair_count; i++)
		add_value(importing, told, (uint8_t)i, &sample);
	return 0;
}

static int store(struct importing_pprof *importing, struct err *err)
{
	bool expand[PROFILE_MAX_EVENTS];

	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++)
		expand[i] = import_profile_counts_samples(importing->import, (uint8_t)i);
	import_names_finish(&importing->names);
	return import_profile_store_counts(importing->import, expand, err);
}

/* ---- the whole ---- */

/* The comment at @index; NULL: there are fewer. */
static const char *comment_at(const struct pprof *pprof, size_t index)
{
	return index < pprof->comments.count ? pprof->comments.items[index] : NULL;
}

static bool is_ours(const struct pprof *pprof)
{
	const char *comment = comment_at(pprof, 0);

	return comment && strncmp(comment, PPROF_OUR_COMMENT, strlen(PPROF_OUR_COMMENT)) == 0;
}

static void set_facts(struct importing_pprof *importing)
{
	struct import_profile *import = importing->import;
	struct run_facts *run = &import->profile->run;
	int64_t time_ns = importing->pprof.time_ns, duration_ns = importing->pprof.duration_ns;
	const char *command = comment_at(&importing->pprof, 1); /* "" is not in the file */

	profile_set_text(&run->scope, "perf");
	profile_set_text(&run->rung, importing->ours ? "prospect, as a pprof profile"
						     : "another tool, as a pprof profile");
	profile_set_text(&run->stacks, importing->has_callers ? "full" : "none");
	if (importing->ours)
		profile_set_text(&run->command,
				 plain(importing, command ? command : "", &importing->text));
	run->start_realtime_ns = time_ns > 0 ? (uint64_t)time_ns : 0;
	import->last_ns = duration_ns > 0 ? (uint64_t)duration_ns : 0;
}

static void say_left_out(const struct importing_pprof *importing, struct import_result *result)
{
	struct buf text = { 0 };

	if (importing->negative)
		buf_printf(&text, "%" PRIu64 " negative values are omitted", importing->negative);
	if (importing->refused)
		buf_printf(&text, "%s%" PRIu64 " values are too large", text.size ? "; " : "",
			   importing->refused);
	if (importing->import->samples == 0 && !text.size)
		buf_add_str(&text, "the file has no samples, so the profile is empty");
	if (importing->left_types)
		buf_printf(&text, "%s%zu value types are too many for a profile",
			   text.size ? "; " : "", importing->left_types);
	snprintf(result->left_out, sizeof(result->left_out), "%s", buf_text(&text));
	buf_done(&text);
}

static void importing_done(struct importing_pprof *importing)
{
	for (int kind = 0; kind < FRAME_KIND_COUNT; kind++)
		free(importing->known[kind]);
	free(importing->images);
	vec_free(&importing->frames);
	import_names_done(&importing->names);
	buf_done(&importing->text);
	buf_done(&importing->more);
	pprof_done(&importing->pprof);
}

int import_pprof(struct import_profile *import, struct perf_data_input *input,
		 struct import_result *result, struct err *err)
{
	struct importing_pprof importing = { .import = import,
					     .names = { .profile = import->profile } };
	int rc = pprof_read(input, &importing.pprof, err);

	if (rc < 0) {
		importing_done(&importing);
		return rc;
	}
	importing.ours = is_ours(&importing.pprof);
	importing.inlines = !importing.ours || import->options->inlines;
	importing.images = xcalloc(importing.pprof.mappings.count, sizeof(uint32_t));
	for (int kind = 0; kind < FRAME_KIND_COUNT; kind++)
		importing.known[kind] =
			xcalloc(importing.pprof.locations.count, sizeof(struct known_frames));
	add_events(&importing);
	rc = pprof_each(&importing.pprof, take_sample, &importing);
	if (rc == 0)
		rc = store(&importing, err);
	if (rc == 0) {
		set_facts(&importing);
		import->profile->events[0].loss[LOSS_MALFORMED].count +=
			importing.negative + importing.refused;
		say_left_out(&importing, result);
	}
	importing_done(&importing);
	return rc;
}
