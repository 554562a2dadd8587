/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/json_add.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "load/diff_command.h"
#include "load/opened.h"
#include "load/output.h"

#define NO_ROOT "none"

enum { FIRST_MERGE = 1 << 20 };

/* The selection, added up. */
struct sums {
	VEC(struct total) rows;
	size_t most; /* rows at which equal ones are merged */
};

struct exporting {
	const struct export_options *options;
	const struct export_format *format;
	struct opened opened;
	struct sums sums;
	struct export_code code;
	struct view view;
	struct export_data data;
};

/* ---- formats ---- */

#define FORMAT_ROW(name) &export_##name,
static const struct export_format *const formats[] = { EXPORT_FORMATS(FORMAT_ROW) NULL };
#undef FORMAT_ROW

const struct export_format *const *export_formats(void)
{
	return formats;
}

static int find_format(const char *name, const struct export_format **ret_format, struct err *err)
{
	struct buf list = { 0 };

	for (const struct export_format *const *format = formats; *format; format++) {
		if (strcmp((*format)->name, name) == 0) {
			buf_done(&list);
			*ret_format = *format;
			return 0;
		}
		buf_printf(&list, "%s%s", format == formats ? "" : ", ", (*format)->name);
	}
	err_set(err, -EINVAL, "invalid --format '%s': expected one of %s", name, buf_text(&list));
	buf_done(&list);
	return -EINVAL;
}

/* ---- options ---- */

static int parse_value(const char *name, enum export_value *ret_value, struct err *err)
{
	*ret_value = EXPORT_WEIGHT;
	if (!name || strcmp(name, "weight") == 0)
		return 0;
	*ret_value = EXPORT_SAMPLES;
	if (strcmp(name, "samples") == 0)
		return 0;
	return err_set(err, -EINVAL, "invalid --value '%s': expected weight or samples", name);
}

static int parse_by(const char *by, struct export_data *data, struct err *err)
{
	int rc;

	data->by_thread = !by;
	if (!by || strcmp(by, NO_ROOT) == 0)
		return 0;
	rc = keys_parse(by, &data->by, err);
	if (rc == 0 && keys_need_samples(&data->by))
		rc = err_set(err, -EINVAL,
			     "--by '%s': times and CPUs cannot be roots of stacks: choose them "
			     "with --select",
			     by);
	return rc;
}

static int parse(struct exporting *exporting, const struct export_options *options, struct err *err)
{
	struct export_data *data = &exporting->data;
	int rc;

	exporting->options = options;
	exporting->format = formats[0];
	if (!options->format)
		rc = err_set(err, -EINVAL, "missing --format: what to write, e.g. --format pprof");
	else
		rc = find_format(options->format, &exporting->format, err);
	if (rc == 0)
		rc = parse_value(options->value, &data->value, err);
	if (rc == 0)
		rc = parse_by(options->by, data, err);
	if (rc == 0 && (options->by || options->value) && !exporting->format->by)
		rc = err_set(err, -EINVAL, "%s needs --format collapsed, not %s",
			     options->by ? "--by" : "--value", options->format);
	if (rc == 0)
		rc = opened_name(&exporting->opened, &options->names, err);
	return rc < 0 ? rc
		      : opened_choose(&exporting->opened, &options->selection, SCOPE_MACHINE, err);
}

/* ---- adding up ---- */

DEFINE_ORDER(by_place, struct total,
	     COMPARE(a->task, b->task) ?: COMPARE(a->stack, b->stack) ?:
	     COMPARE(a->context, b->context) ?: COMPARE(a->mode, b->mode) ?:
	     COMPARE(a->event, b->event))

/* Sorts the rows and merges equal ones. */
static void merge_rows(struct sums *sums)
{
	struct total *rows = sums->rows.items;
	size_t kept = 0;

	if (sums->rows.count > 0)
		qsort(rows, sums->rows.count, sizeof(*rows), by_place);
	for (size_t i = 0; i < sums->rows.count; i++) {
		if (kept == 0 || by_place(&rows[kept - 1], &rows[i]) != 0) {
			rows[kept++] = rows[i];
			continue;
		}
		rows[kept - 1].samples += rows[i].samples;
		rows[kept - 1].weight += rows[i].weight;
		rows[kept - 1].weight_squared += rows[i].weight_squared;
	}
	sums->rows.count = kept;
}

/* Each total comes once; without totals, each sample comes on its own. */
static void take_row(void *context, const struct point *point)
{
	struct sums *sums = context;

	if (sums->rows.count >= sums->most) {
		merge_rows(sums);
		sums->most = sums->rows.count > sums->most / 2 ? 2 * sums->most : sums->most;
	}
	*vec_push(&sums->rows) = point->total;
}

static int add_up(struct exporting *exporting, struct err *err)
{
	struct sums *sums = &exporting->sums;
	struct export_data *data = &exporting->data;
	int rc;

	sums->most = FIRST_MERGE;
	rc = opened_each(&exporting->opened, false, take_row, sums, err);
	if (rc == 0)
		rc = opened_check_command(&exporting->opened, "write", err);
	if (rc < 0)
		return rc;
	if (sums->rows.count == 0)
		return err_set(err, -ENODATA, "the profile has no samples: nothing to write");
	merge_rows(sums);
	for (size_t i = 0; i < sums->rows.count; i++) {
		const struct total *row = &sums->rows.items[i];

		data->sums[row->event].samples += row->samples;
		data->sums[row->event].weight += row->weight;
	}
	data->rows = sums->rows.items;
	data->count = sums->rows.count;
	return 0;
}

/* ---- single samples ---- */

/* The samples of one second, which arrive flush by flush and CPU by CPU. */
struct second {
	export_take take;
	void *context;
	VEC(struct point) points;
};

DEFINE_ORDER(by_time, struct point, COMPARE(a->time_ns, b->time_ns) ?: COMPARE(a->cpu, b->cpu))

static void give(struct second *second)
{
	qsort(second->points.items, second->points.count, sizeof(struct point), by_time);
	for (size_t i = 0; i < second->points.count; i++)
		second->take(second->context, &second->points.items[i]);
	second->points.count = 0;
}

static void take_sample(void *context, const struct point *point)
{
	struct second *second = context;

	if (second->points.count > 0 &&
	    second->points.items[0].time_ns / NS_PER_S != point->time_ns / NS_PER_S)
		give(second);
	*vec_push(&second->points) = *point;
}

static int each_sample(void *source, export_take take, void *context, struct err *err)
{
	struct second second = { .take = take, .context = context };
	struct opened *opened = source;
	int rc;

	/* Exact times, not those of slices. */
	opened->slice_ns = 1;
	opened->selected = 0;
	rc = opened_each(opened, true, take_sample, &second, err);

	if (rc == 0)
		give(&second);
	vec_free(&second.points);
	return rc;
}

static int each_row(void *source, export_take take, void *context, struct err *err)
{
	const struct export_data *data = source;

	for (size_t i = 0; i < data->count; i++)
		take(context, &(struct point){ .total = data->rows[i] });
	return 0;
}

/* ---- further facts for writers ---- */

/* The event for formats with only one. */
static uint8_t main_event(const struct export_data *data)
{
	bool wanted[PROFILE_MAX_EVENTS];

	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++)
		wanted[event] = data->sums[event].samples;
	return account_one_event(data->profile, wanted);
}

/* Adds up the main event's weight by image: in its own code, and including what it called. */
static void weigh_images(const struct export_data *data, uint64_t *self, uint64_t *total)
{
	const struct profile *profile = data->profile;

	for (size_t i = 0; i < data->count; i++) {
		const struct total *row = &data->rows[i];
		uint32_t stack = row->stack;

		if (row->event != data->event)
			continue;
		self[profile->frames.items[profile->stacks.items[stack].frame].image] +=
			row->weight;
		for (; stack; stack = profile->stacks.items[stack].parent)
			total[profile->frames.items[profile->stacks.items[stack].frame].image] +=
				row->weight;
	}
}

/* The executable of the command, if the selection has samples of it; else the file with most of the
 * main event in its own code. */
static uint32_t main_image(const struct export_data *data)
{
	const struct profile *profile = data->profile;
	size_t count = profile->images.count;
	_cleanup_free_ uint64_t *self = xcalloc(count, sizeof(*self));
	_cleanup_free_ uint64_t *total = xcalloc(count, sizeof(*total));
	uint32_t executable = diff_command_image(profile, data->rows, data->count);
	uint32_t heaviest = 0;

	weigh_images(data, self, total);
	for (uint32_t image = 1; image < count; image++) {
		if (profile->images.items[image].kind == IMAGE_FILE && self[image] > self[heaviest])
			heaviest = image;
	}
	return total[executable] ? executable : heaviest;
}

static void name_code(struct exporting *exporting)
{
	const struct export_options *options = exporting->options;
	bool no_lines = options->no_lines || (options->no_inlines && !exporting->format->lines);

	export_code_init(&exporting->code, &exporting->opened.labels);
	export_code_fill(&exporting->code, no_lines ? NULL : exporting->opened.lines,
			 !options->no_inlines, exporting->data.rows, exporting->data.count);
}

static void complete(struct exporting *exporting)
{
	struct export_data *data = &exporting->data;
	uint64_t samples = 0;

	for (size_t event = 0; event < data->profile->event_count; event++)
		samples += data->sums[event].samples;
	exporting->view = opened_view(&exporting->opened);
	data->view = &exporting->view;
	data->code = &exporting->code;
	data->event = main_event(data);
	data->image = main_image(data);
	data->has_times = !exporting->format->few || samples <= EXPORT_MOST_TIMED;
	data->each = data->has_times ? each_sample : each_row;
	data->source = data->has_times ? (void *)&exporting->opened : (void *)data;
}

/* Names the events that the format cannot hold. */
static void note_left_out(const struct exporting *exporting, struct export_note *note)
{
	const struct export_data *data = &exporting->data;
	struct buf others = { 0 };

	for (size_t event = 0; event < data->profile->event_count; event++) {
		if (event != data->event && data->sums[event].samples)
			buf_printf(&others, "%s%s", others.size ? ", " : "",
				   export_event(data, event));
	}
	if (exporting->format->one_event && others.size)
		snprintf(note->text, sizeof(note->text),
			 "%s holds one event: wrote %s, omitted %s; --select event=NAME writes "
			 "another",
			 exporting->format->name, export_event(data, data->event),
			 buf_text(&others));
	buf_done(&others);
}

static void exporting_done(struct exporting *exporting)
{
	export_code_done(&exporting->code);
	vec_free(&exporting->sums.rows);
	opened_done(&exporting->opened);
}

int export_check(const struct export_options *options, const struct export_format **ret_format,
		 struct err *err)
{
	struct exporting exporting = { .options = options };
	int rc = parse(&exporting, options, err);

	*ret_format = exporting.format;
	exporting_done(&exporting);
	return rc;
}

int export_write(const char *path, const struct export_options *options, FILE *out,
		 struct export_note *ret_note, struct err *err)
{
	struct exporting exporting = { .options = options };
	struct export_data *data = &exporting.data;
	int rc = parse(&exporting, options, err);

	*ret_note = (struct export_note){ .text = "" };
	if (rc == 0)
		rc = opened_load(&exporting.opened, path, err);
	if (rc == 0) {
		data->labels = &exporting.opened.labels;
		data->profile = exporting.opened.profile;
		rc = add_up(&exporting, err);
	}
	exporting.opened.labels.by_start = !exporting.format->as_rows;
	if (rc == 0) {
		complete(&exporting);
		name_code(&exporting);
		note_left_out(&exporting, ret_note);
		rc = exporting.format->write(data, out, ret_note, err);
	}
	if (rc == 0)
		rc = output_end(out, err);
	exporting_done(&exporting);
	return rc;
}

/* ---- for writers ---- */

const char *export_event(const struct export_data *data, size_t event)
{
	return profile_text(data->profile, data->profile->events[event].name);
}

const char *export_unit(const struct export_data *data, size_t event)
{
	return profile_text(data->profile, data->profile->events[event].unit);
}

const struct image *export_image_of(const struct export_data *data, uint32_t frame)
{
	const struct profile *profile = data->profile;

	return &profile->images.items[profile->frames.items[frame].image];
}

void export_stack(const struct export_data *data, uint32_t stack, struct export_frames *frames)
{
	frames->list.count = 0;
	for (; stack; stack = data->profile->stacks.items[stack].parent)
		*vec_push(&frames->list) = data->profile->stacks.items[stack].frame;
}

uint64_t export_code_address(const struct frame *frame)
{
	return frame->address - (frame->kind == FRAME_RETURN && frame->address > 0);
}

void export_add_json(struct buf *buf, const char *name, const char *text)
{
	_cleanup_(buf_done) struct buf plain = { 0 };

	text_escape(&plain, text, "");
	json_add_text(buf, name, buf_text(&plain));
}

void export_add_build_id(struct buf *buf, const struct image *image)
{
	text_add_hex(buf, image->build_id, image->build_id_size);
}
