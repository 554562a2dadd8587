/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole selection as one JSON object, written piece by piece; prospect-export(1) documents its
 * fields. References are row numbers from 0. Tables have only rows that are used, callers before
 * their callees.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json_add.h"
#include "base/xalloc.h"
#include "export/formats.h"
#include "present/rows/json_header.h"

enum { EXPORT_JSON_VERSION = 1, NO_ROW = -1 };

struct json {
	const struct export_data *data;
	FILE *out;
	struct buf line;
	/* By row of the profile: the row here, plus 1; 0: none yet. */
	uint32_t *tasks, *frames, *stacks;
	uint32_t *stack_order; /* by row here: the profile's */
	uint32_t stack_count;
};

/* ---- writing ---- */

static void end_line(struct json *json)
{
	fwrite(json->line.bytes, 1, json->line.size, json->out);
	buf_clear(&json->line);
}

static void begin_table(struct json *json, const char *name)
{
	fprintf(json->out, ",\n\"%s\":[", name);
}

static void begin_row(struct json *json, uint32_t row)
{
	buf_add_str(&json->line, row ? ",\n" : "\n");
}

/* ---- used rows ---- */

static void use_stacks(struct json *json)
{
	const struct export_data *data = json->data;
	const struct stack_node *stacks = data->profile->stacks.items;

	for (size_t i = 0; i < data->count; i++) {
		for (uint32_t stack = data->rows[i].stack; stack && !json->stacks[stack];
		     stack = stacks[stack].parent)
			json->stacks[stack] = 1;
	}
	/* Parents have lower numbers, in the output too. */
	for (uint32_t stack = 1; stack < data->profile->stacks.count; stack++) {
		if (!json->stacks[stack])
			continue;
		json->stack_order[json->stack_count++] = stack;
		json->stacks[stack] = json->stack_count;
	}
}

/* ---- tables ---- */

static void print_events(struct json *json)
{
	const struct export_data *data = json->data;

	begin_table(json, "events");
	for (uint32_t event = 0; event < data->profile->event_count; event++) {
		begin_row(json, event);
		json_add_begin(&json->line, NULL, '{');
		export_add_json(&json->line, "name", export_event(data, event));
		export_add_json(&json->line, "unit", export_unit(data, event));
		json_add_number(&json->line, "samples", data->sums[event].samples);
		json_add_number(&json->line, "weight", data->sums[event].weight);
		json_add_end(&json->line, '}');
		end_line(json);
	}
	fputs("]", json->out);
}

static void print_thread(struct json *json, const struct task *task)
{
	const struct profile *profile = json->data->profile;
	const struct process *process = &profile->processes.items[task->process];
	struct buf name = { 0 };

	labels_process(json->data->labels, task->process, &name);
	json_add_begin(&json->line, NULL, '{');
	export_add_json(&json->line, "process", buf_text(&name));
	buf_done(&name);
	buf_printf(&json->line, ",\"pid\":%" PRId32 ",\"tid\":%" PRId32, process->pid, task->tid);
	export_add_json(&json->line, "name", profile_text(profile, task->comm));
	json_add_number(&json->line, "uid", process->uid);
	export_add_json(&json->line, "cgroup", profile_text(profile, process->cgroup));
	json_add_end(&json->line, '}');
	end_line(json);
}

static void print_threads(struct json *json)
{
	const struct export_data *data = json->data;
	uint32_t rows = 0;

	begin_table(json, "threads");
	for (size_t i = 0; i < data->count; i++) {
		uint32_t task = data->rows[i].task;

		if (json->tasks[task])
			continue;
		begin_row(json, rows++);
		json->tasks[task] = rows;
		print_thread(json, &data->profile->tasks.items[task]);
	}
	fputs("]", json->out);
}

static void print_image(struct json *json, const struct image *image)
{
	json_add_begin(&json->line, NULL, '{');
	json_add_text(&json->line, "kind", image_kind_name(image->kind));
	export_add_json(&json->line, "path", profile_text(json->data->profile, image->path));
	buf_add_str(&json->line, ",\"build_id\":\"");
	export_add_build_id(&json->line, image);
	buf_add_str(&json->line, "\"}");
	end_line(json);
}

/* All images, for there are few. */
static void print_images(struct json *json)
{
	const struct profile *profile = json->data->profile;

	begin_table(json, "images");
	for (uint32_t image = 0; image < profile->images.count; image++) {
		begin_row(json, image);
		print_image(json, &profile->images.items[image]);
	}
	fputs("]", json->out);
}

static void print_functions(struct json *json)
{
	const struct export_code *code = json->data->code;

	begin_table(json, "functions");
	for (uint32_t i = 0; i < code->functions.count; i++) {
		const struct export_function *function = &code->functions.items[i];

		begin_row(json, i);
		json_add_begin(&json->line, NULL, '{');
		export_add_json(&json->line, "name", export_code_name(code, i));
		export_add_json(&json->line, "linkage", export_code_linkage(code, i));
		json_add_number(&json->line, "image", function->image);
		export_add_json(&json->line, "file", export_code_file(code, i));
		json_add_number(&json->line, "line", function->declared);
		json_add_end(&json->line, '}');
		end_line(json);
	}
	fputs("]", json->out);
}

/* A frame is [image, address, [[function, line], ...]], the innermost function first. */
static void print_frame(struct json *json, uint32_t id)
{
	const struct frame *frame = &json->data->profile->frames.items[id];
	const struct export_level *levels;
	size_t count;

	levels = export_code_levels(json->data->code, id, &count);
	buf_printf(&json->line, "[%" PRIu32 ",\"0x%" PRIx64 "\",[", frame->image, frame->address);
	for (size_t i = 0; i < count; i++)
		buf_printf(&json->line, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "",
			   levels[i].function, levels[i].line);
	buf_add_str(&json->line, "]]");
	end_line(json);
}

static void print_frames(struct json *json)
{
	const struct stack_node *stacks = json->data->profile->stacks.items;
	uint32_t rows = 0;

	begin_table(json, "frames");
	for (uint32_t i = 0; i < json->stack_count; i++) {
		uint32_t frame = stacks[json->stack_order[i]].frame;

		if (json->frames[frame])
			continue;
		begin_row(json, rows++);
		json->frames[frame] = rows;
		print_frame(json, frame);
	}
	fputs("]", json->out);
}

/* A stack is [caller's stack or -1, frame]. */
static void print_stacks(struct json *json)
{
	const struct stack_node *stacks = json->data->profile->stacks.items;

	begin_table(json, "stacks");
	for (uint32_t i = 0; i < json->stack_count; i++) {
		const struct stack_node *node = &stacks[json->stack_order[i]];

		begin_row(json, i);
		buf_printf(&json->line, "[%" PRId64 ",%" PRIu32 "]",
			   node->parent ? (int64_t)json->stacks[node->parent] - 1 : NO_ROW,
			   json->frames[node->frame] - 1);
		end_line(json);
	}
	fputs("]", json->out);
}

static void print_samples(struct json *json)
{
	const struct export_data *data = json->data;

	fputs(",\n\"columns\":[\"event\",\"thread\",\"stack\",\"mode\",\"context\",\"samples\","
	      "\"weight\"]",
	      json->out);
	begin_table(json, "rows");
	for (size_t i = 0; i < data->count; i++) {
		const struct total *row = &data->rows[i];

		begin_row(json, i > 0);
		buf_printf(&json->line,
			   "[%u,%" PRIu32 ",%" PRId64 ",\"%s\",\"%s\",%" PRIu64 ",%" PRIu64 "]",
			   row->event, json->tasks[row->task] - 1,
			   (int64_t)json->stacks[row->stack] - 1, mode_name((enum mode)row->mode),
			   context_name((enum context)row->context), row->samples, row->weight);
		end_line(json);
	}
	fputs("]}\n", json->out);
}

static uint32_t *numbers(size_t count)
{
	return xcalloc(count, sizeof(uint32_t));
}

static int json_write(const struct export_data *data, FILE *out, struct export_note *note,
		      struct err *err)
{
	const struct profile *profile = data->profile;
	struct json json = { .data = data,
			     .out = out,
			     .tasks = numbers(profile->tasks.count),
			     .frames = numbers(profile->frames.count),
			     .stacks = numbers(profile->stacks.count),
			     .stack_order = numbers(profile->stacks.count) };

	use_stacks(&json);
	fprintf(out, "{\"prospect_export\":%d,\n\"header\":", EXPORT_JSON_VERSION);
	json_header_print(data->view, out);
	print_events(&json);
	print_threads(&json);
	print_images(&json);
	print_functions(&json);
	print_frames(&json);
	print_stacks(&json);
	print_samples(&json);
	buf_done(&json.line);
	free(json.tasks);
	free(json.frames);
	free(json.stacks);
	free(json.stack_order);
	return 0;
}

const struct export_format export_json = {
	.name = "json",
	.help = "everything, in tables",
	.lines = true,
	.write = json_write,
};
