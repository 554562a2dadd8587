/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of perf script for a recording with call chains (perf-script(1)), sample by sample in
 * order of time:
 *
 *   COMM PID/TID [CPU] SECONDS: WEIGHT EVENT:
 *           ADDRESS FUNCTION+OFFSET (FILE)
 *
 * Innermost frame first. Addresses are ELF virtual ones. Names are escaped (base/text.h),
 * including anything that reads like the next field; a line of the head says so, for import.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "export/formats.h"
#include "model/perf_text.h"

struct script {
	const struct export_data *data;
	FILE *out;
	struct strpool texts;
	str_id *frames; /* by frame: its lines; 0: not made yet */
	struct buf line, text;
};

/* ---- frames ---- */

static void add_file(struct script *script, const struct image *image)
{
	const char *path = profile_text(script->data->profile, image->path);

	if (image->kind == IMAGE_KERNEL)
		path = PERF_TEXT_KERNEL;
	buf_add_str(&script->text, " (");
	text_escape(&script->text, *path ? path : "[unknown]", "()");
	buf_add_str(&script->text, ")\n");
}

/* Import would drop blanks at either end. */
static void add_function(struct buf *buf, const char *name)
{
	bool edges = isspace((unsigned char)name[0]) ||
		     (*name && isspace((unsigned char)name[strlen(name) - 1]));

	text_escape(buf, name, edges ? " " : "");
}

static void add_offset(struct script *script, const struct frame *frame)
{
	const struct symbol *symbol = &script->data->profile->symbols.items[frame->symbol];

	if (symbol->kind != SYMBOL_NONE && frame->address_known && frame->address >= symbol->start)
		buf_printf(&script->text, "+0x%" PRIx64, frame->address - symbol->start);
}

static const char *frame_lines(struct script *script, uint32_t id)
{
	const struct export_data *data = script->data;
	const struct frame *frame = &data->profile->frames.items[id];
	const struct export_level *levels;
	size_t count;

	if (script->frames[id])
		return strpool_get(&script->texts, script->frames[id]);
	buf_clear(&script->text);
	levels = export_code_levels(data->code, id, &count);
	for (size_t i = 0; i < count; i++) {
		buf_printf(&script->text, "\t%16" PRIx64 " ", frame->address);
		add_function(&script->text, export_code_name(data->code, levels[i].function));
		if (i + 1 < count) {
			buf_add_str(&script->text, " (" PERF_TEXT_INLINED ")\n");
			continue;
		}
		add_offset(script, frame);
		add_file(script, export_image_of(data, id));
	}
	script->frames[id] = strpool_intern(&script->texts, buf_text(&script->text));
	return strpool_get(&script->texts, script->frames[id]);
}

/* ---- samples ---- */

/* "a 1/2 [000] 3.4:" in a name would read like the fields that follow it. */
static void add_comm(struct buf *buf, const char *comm)
{
	text_escape(buf, *comm ? comm : "[unknown]",
		    strpbrk(comm, "0123456789[") && strchr(comm, ' ') ? " "
		    : *comm == ' '				      ? " "
								      : "");
}

static void print_sample(struct script *script, const struct point *point, uint64_t weight)
{
	const struct export_data *data = script->data;
	const struct profile *profile = data->profile;
	const struct task *task = &profile->tasks.items[point->total.task];
	uint32_t stack = point->total.stack;

	buf_clear(&script->line);
	add_comm(&script->line, profile_text(profile, task->comm));
	buf_printf(&script->line,
		   " %" PRId32 "/%" PRId32 " [%03u] %" PRIu64 ".%09" PRIu64 ": %" PRIu64 " ",
		   profile->processes.items[task->process].pid, task->tid, point->cpu,
		   (uint64_t)(point->time_ns / NS_PER_S), (uint64_t)(point->time_ns % NS_PER_S),
		   weight);
	text_escape(&script->line, export_event(data, point->total.event), " ");
	buf_add_str(&script->line, ": \n");
	for (; stack; stack = profile->stacks.items[stack].parent)
		buf_add_str(&script->line, frame_lines(script, profile->stacks.items[stack].frame));
	buf_add_char(&script->line, '\n');
	fwrite(script->line.bytes, 1, script->line.size, script->out);
}

/* Samples that come as one row share its weight. */
static void take(void *context, const struct point *point)
{
	uint64_t samples = point->total.samples, weight = point->total.weight;

	for (; samples > 0; samples--) {
		uint64_t share = weight / samples;

		print_sample(context, point, share);
		weight -= share;
	}
}

/* ---- head ---- */

static void print_head(struct script *script, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_clear(&script->text);
	text_escape(&script->text, value, "");
	fprintf(script->out, "# %s : %s\n", name, buf_text(&script->text));
}

static void print_units(struct script *script)
{
	const struct export_data *data = script->data;

	fprintf(script->out, "# %s :", PERF_TEXT_UNITS);
	for (size_t event = 0; event < data->profile->event_count; event++) {
		if (!data->sums[event].samples)
			continue;
		buf_clear(&script->text);
		text_escape(&script->text, export_event(data, event), " =");
		fprintf(script->out, " %s=%s", buf_text(&script->text), export_unit(data, event));
	}
	fputs("\n", script->out);
}

static void print_heads(struct script *script)
{
	const struct run_facts *run = &script->data->profile->run;

	fputs("# ========\n", script->out);
	print_head(script, "hostname", run->hostname);
	print_head(script, "os release", run->kernel_release);
	print_head(script, "perf version", PERF_TEXT_OUR_VERSION PROSPECT_VERSION);
	print_head(script, "arch", run->machine);
	if (run->cpus)
		fprintf(script->out, "# nrcpus online : %" PRIu64 "\n", run->cpus);
	print_head(script, "cmdline", run->command);
	print_units(script);
	fputs("# ========\n#\n", script->out);
}

static int perf_script_write(const struct export_data *data, FILE *out, struct export_note *note,
			     struct err *err)
{
	struct script script = { .data = data,
				 .out = out,
				 .frames = xcalloc(data->profile->frames.count, sizeof(str_id)) };
	int rc;

	strpool_intern(&script.texts, "");
	print_heads(&script);
	rc = data->each(data->source, take, &script, err);
	strpool_done(&script.texts);
	buf_done(&script.line);
	buf_done(&script.text);
	free(script.frames);
	return rc;
}

const struct export_format export_perf_script = {
	.name = "perf-script",
	.help = "what perf script prints: every sample with its stack",
	.write = perf_script_write,
};
