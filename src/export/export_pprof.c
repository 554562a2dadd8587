/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pprof profile (model/pprof.h), gzipped, written field by field; only strings are kept in
 * memory.
 *
 *   - Each event has two types of values: EVENT-samples (count), and EVENT in its own unit.
 *   - Locations are frames, with ELF virtual addresses. The mapping of an image spans all addresses
 *     to say so, which keeps readers from adding a load address.
 *   - Samples have labels: process, thread, pid, tid, mode and, unless it is "task", context.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "aggregate/account/account.h"
#include "base/protobuf.h"
#include "base/stream.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "export/formats.h"
#include "model/pprof.h"

enum {
	PIECE_BYTES = 128 * 1024, /* gathered before they are compressed */
	MAX_VALUES = 2 * PROFILE_MAX_EVENTS,
};

#define NS_PER_SECOND 1000000000.0

struct pprof {
	const struct export_data *data;
	struct stream_gzip *stream;
	struct buf out, message, inner, packed, text;
	struct buf labels; /* of the current samples: same task, mode and context */
	struct strpool strings;
	size_t told;			    /* strings written so far */
	size_t columns[PROFILE_MAX_EVENTS]; /* by event: the place of its two values */
	size_t value_count;
	bool *has_location, *has_function, *has_mapping; /* by frame, function, image: written */
};

/* Strings are written at their first use, for repeated fields may come anywhere. */
static uint64_t string(struct pprof *pprof, const char *text)
{
	str_id id;

	buf_clear(&pprof->text);
	text_escape(&pprof->text, text, "");
	id = strpool_intern(&pprof->strings, buf_text(&pprof->text));
	if (id >= pprof->told) {
		protobuf_text(&pprof->out, PPROF_STRING, buf_text(&pprof->text));
		pprof->told = id + 1;
	}
	return id;
}

static void flush(struct pprof *pprof)
{
	stream_gzip_add(pprof->stream, pprof->out.bytes, pprof->out.size);
	buf_clear(&pprof->out);
}

/* Adds the finished message as a field of the profile. */
static void add_message(struct pprof *pprof, unsigned field)
{
	protobuf_message(&pprof->out, field, &pprof->message);
	buf_clear(&pprof->message);
	if (pprof->out.size >= PIECE_BYTES)
		flush(pprof);
}

/* ---- types of values ---- */

static void add_type(struct pprof *pprof, unsigned field, const char *name, const char *unit)
{
	protobuf_number(&pprof->message, PPROF_TYPE_NAME, string(pprof, name));
	protobuf_number(&pprof->message, PPROF_TYPE_UNIT, string(pprof, unit));
	add_message(pprof, field);
}

static const char *unit_of(const struct export_data *data, uint8_t event)
{
	return account_is_time(data->profile, event) ? "nanoseconds" : "count";
}

static void add_types(struct pprof *pprof)
{
	const struct export_data *data = pprof->data;

	for (uint8_t event = 0; event < data->profile->event_count; event++) {
		_cleanup_free_ char *samples =
			xasprintf("%s" PPROF_SAMPLES_SUFFIX, export_event(data, event));

		if (!data->sums[event].samples)
			continue;
		pprof->columns[event] = pprof->value_count;
		pprof->value_count += 2;
		add_type(pprof, PPROF_SAMPLE_TYPE, samples, "count");
		add_type(pprof, PPROF_SAMPLE_TYPE, export_event(data, event), unit_of(data, event));
	}
}

/* ---- code ---- */

static void add_mapping(struct pprof *pprof, uint32_t id)
{
	const struct profile *profile = pprof->data->profile;
	const struct image *image = &profile->images.items[id];
	struct buf *message = &pprof->message;

	if (pprof->has_mapping[id])
		return;
	pprof->has_mapping[id] = true;
	buf_clear(&pprof->inner);
	export_add_build_id(&pprof->inner, image);
	protobuf_number(message, PPROF_MAPPING_ID, id);
	protobuf_number(message, PPROF_MAPPING_LIMIT, UINT64_MAX);
	protobuf_number(message, PPROF_MAPPING_FILE,
			string(pprof, image->kind == IMAGE_KERNEL
					      ? PPROF_KERNEL_FILE
					      : profile_text(profile, image->path)));
	protobuf_number(message, PPROF_MAPPING_BUILD_ID, string(pprof, buf_text(&pprof->inner)));
	protobuf_number(message, PPROF_MAPPING_HAS_FUNCTIONS, true);
	protobuf_number(message, PPROF_MAPPING_HAS_FILES, true);
	protobuf_number(message, PPROF_MAPPING_HAS_LINES, true);
	protobuf_number(message, PPROF_MAPPING_HAS_INLINES, true);
	add_message(pprof, PPROF_MAPPING);
}

static void add_function(struct pprof *pprof, uint32_t id)
{
	const struct export_code *code = pprof->data->code;
	struct buf *message = &pprof->message;

	if (pprof->has_function[id])
		return;
	pprof->has_function[id] = true;
	protobuf_number(message, PPROF_FUNCTION_ID, id);
	protobuf_number(message, PPROF_FUNCTION_NAME, string(pprof, export_code_name(code, id)));
	protobuf_number(message, PPROF_FUNCTION_LINKAGE,
			string(pprof, export_code_linkage(code, id)));
	protobuf_number(message, PPROF_FUNCTION_FILE, string(pprof, export_code_file(code, id)));
	protobuf_number(message, PPROF_FUNCTION_LINE, code->functions.items[id].declared);
	add_message(pprof, PPROF_FUNCTION);
}

/* Ids of locations are frame ids plus 1, for 0 is not allowed. */
static uint64_t location(struct pprof *pprof, uint32_t id)
{
	const struct frame *frame = &pprof->data->profile->frames.items[id];
	const struct export_level *levels;
	size_t count;

	if (pprof->has_location[id])
		return id + 1ULL;
	pprof->has_location[id] = true;
	levels = export_code_levels(pprof->data->code, id, &count);
	for (size_t i = 0; i < count; i++)
		add_function(pprof, levels[i].function);
	if (frame->image)
		add_mapping(pprof, frame->image);
	protobuf_number(&pprof->message, PPROF_LOCATION_ID, id + 1ULL);
	protobuf_number(&pprof->message, PPROF_LOCATION_MAPPING, frame->image);
	protobuf_number(&pprof->message, PPROF_LOCATION_ADDRESS, export_code_address(frame));
	for (size_t i = 0; i < count; i++) {
		buf_clear(&pprof->inner);
		protobuf_number(&pprof->inner, PPROF_LINE_FUNCTION, levels[i].function);
		protobuf_number(&pprof->inner, PPROF_LINE_NUMBER, levels[i].line);
		protobuf_message(&pprof->message, PPROF_LOCATION_LINE, &pprof->inner);
	}
	add_message(pprof, PPROF_LOCATION);
	return id + 1ULL;
}

/* ---- samples ---- */

static void add_label(struct pprof *pprof, const char *key, const char *text, uint64_t number)
{
	buf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, PPROF_LABEL_KEY, string(pprof, key));
	protobuf_number(&pprof->inner, PPROF_LABEL_TEXT, string(pprof, text));
	protobuf_number(&pprof->inner, PPROF_LABEL_NUMBER, number);
	protobuf_message(&pprof->labels, PPROF_SAMPLE_LABEL, &pprof->inner);
}

static void make_labels(struct pprof *pprof, const struct total *row)
{
	const struct export_data *data = pprof->data;
	const struct task *task = &data->profile->tasks.items[row->task];
	struct buf process = { 0 };

	buf_clear(&pprof->labels);
	labels_process(data->labels, task->process, &process);
	add_label(pprof, PPROF_LABEL_PROCESS, buf_text(&process), 0);
	add_label(pprof, PPROF_LABEL_THREAD, profile_text(data->profile, task->comm), 0);
	add_label(pprof, PPROF_LABEL_PID, "",
		  (uint64_t)(int64_t)data->profile->processes.items[task->process].pid);
	add_label(pprof, PPROF_LABEL_TID, "", (uint64_t)(int64_t)task->tid);
	add_label(pprof, PPROF_LABEL_MODE, mode_name((enum mode)row->mode), 0);
	if (row->context != CONTEXT_TASK)
		add_label(pprof, PPROF_LABEL_CONTEXT, context_name((enum context)row->context), 0);
	buf_done(&process);
}

static bool is_same_sample(const struct total *a, const struct total *b)
{
	return a->task == b->task && a->stack == b->stack && a->mode == b->mode &&
	       a->context == b->context;
}

static void pack(struct pprof *pprof, unsigned field)
{
	protobuf_message(&pprof->message, field, &pprof->packed);
	buf_clear(&pprof->packed);
}

/* The rows from @first to before @end are one sample with values of all events. */
static void add_sample(struct pprof *pprof, const struct total *first, const struct total *end)
{
	const struct profile *profile = pprof->data->profile;
	uint64_t values[MAX_VALUES] = { 0 };

	for (uint32_t stack = first->stack; stack; stack = profile->stacks.items[stack].parent)
		buf_add_uleb(&pprof->packed, location(pprof, profile->stacks.items[stack].frame));
	pack(pprof, PPROF_SAMPLE_LOCATION);
	for (const struct total *row = first; row < end; row++) {
		values[pprof->columns[row->event]] += row->samples;
		values[pprof->columns[row->event] + 1] += row->weight;
	}
	for (size_t i = 0; i < pprof->value_count; i++)
		buf_add_uleb(&pprof->packed, values[i]);
	pack(pprof, PPROF_SAMPLE_VALUE);
	buf_add(&pprof->message, pprof->labels.bytes, pprof->labels.size);
	add_message(pprof, PPROF_SAMPLE);
}

static void add_samples(struct pprof *pprof)
{
	const struct total *row = pprof->data->rows, *last = row + pprof->data->count;
	const struct total *labelled = NULL;

	while (row < last) {
		const struct total *end = row + 1;

		if (!labelled || labelled->task != row->task || labelled->mode != row->mode ||
		    labelled->context != row->context)
			make_labels(pprof, row);
		labelled = row;

		while (end < last && is_same_sample(row, end))
			end++;
		add_sample(pprof, row, end);
		row = end;
	}
}

/* ---- the whole ---- */

static void add_run(struct pprof *pprof)
{
	const struct export_data *data = pprof->data;
	const struct run_facts *run = &data->profile->run;
	const struct event *event = &data->profile->events[data->event];
	double period = event->rate_hz > 0 ? NS_PER_SECOND / event->rate_hz : (double)event->period;
	uint64_t comment = string(pprof, PPROF_OUR_COMMENT PROSPECT_VERSION);
	uint64_t command = string(pprof, run->command ? run->command : "");
	uint64_t type = string(pprof, export_event(data, data->event));

	protobuf_number(&pprof->out, PPROF_TIME_NS, run->start_realtime_ns);
	if (run->end_ns > run->start_ns)
		protobuf_number(&pprof->out, PPROF_DURATION_NS, run->end_ns - run->start_ns);
	protobuf_number(&pprof->out, PPROF_COMMENT, comment);
	protobuf_number(&pprof->out, PPROF_COMMENT, command);
	protobuf_number(&pprof->out, PPROF_DEFAULT_TYPE, type);
	add_type(pprof, PPROF_PERIOD_TYPE, export_event(data, data->event),
		 unit_of(data, data->event));
	protobuf_number(&pprof->out, PPROF_PERIOD, (uint64_t)period);
}

static void pprof_done(struct pprof *pprof)
{
	struct buf *bufs[] = { &pprof->out,    &pprof->message, &pprof->inner,
			       &pprof->packed, &pprof->text,	&pprof->labels };

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		buf_done(bufs[i]);
	stream_gzip_free(pprof->stream);
	strpool_done(&pprof->strings);
	free(pprof->has_location);
	free(pprof->has_function);
	free(pprof->has_mapping);
}

static int pprof_write(const struct export_data *data, FILE *out, struct export_note *note,
		       struct err *err)
{
	struct pprof pprof = {
		.data = data,
		.stream = stream_gzip_new(out),
		.has_location = xcalloc(data->profile->frames.count, sizeof(bool)),
		.has_function = xcalloc(data->code->functions.count, sizeof(bool)),
		.has_mapping = xcalloc(data->profile->images.count, sizeof(bool)),
	};

	string(&pprof, "");
	add_types(&pprof);
	add_run(&pprof);
	/* Readers take the first mapping as the main program. */
	if (data->image)
		add_mapping(&pprof, data->image);
	add_samples(&pprof);
	flush(&pprof);
	stream_gzip_finish(pprof.stream);
	pprof_done(&pprof);
	return 0;
}

const struct export_format export_pprof = {
	.name = "pprof",
	.help = "go tool pprof, Pyroscope, Parca: a gzipped profile.proto",
	.binary = true,
	.lines = true,
	.write = pprof_write,
};
