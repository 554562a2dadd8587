/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RFC 4180: one line for all samples that differ in time and CPU only. The stack is the names of
 * its functions, root first, joined by ';' and escaped as in collapsed stacks. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "export/formats.h"
#include "present/safe.h"

struct csv {
	const struct export_data *data;
	struct strpool texts;
	str_id *frames; /* by frame: its names, root first; 0: not made yet */
	struct buf line, text;
	struct export_frames path;
};

static const char *frame_text(struct csv *csv, uint32_t frame)
{
	const struct export_code *code = csv->data->code;
	const struct export_level *levels;
	size_t count;

	if (csv->frames[frame])
		return strpool_get(&csv->texts, csv->frames[frame]);
	buf_clear(&csv->text);
	levels = export_code_levels(code, frame, &count);
	while (count-- > 0) {
		text_escape(&csv->text, export_code_name(code, levels[count].function), ";\"");
		buf_add_str(&csv->text, count ? ";" : "");
	}
	csv->frames[frame] = strpool_intern(&csv->texts, buf_text(&csv->text));
	return strpool_get(&csv->texts, csv->frames[frame]);
}

/* A stack has no quotes in it. */
static void add_stack(struct csv *csv, uint32_t stack)
{
	buf_add_char(&csv->line, '"');
	export_stack(csv->data, stack, &csv->path);
	for (size_t i = csv->path.list.count; i-- > 0;) {
		buf_add_str(&csv->line, frame_text(csv, csv->path.list.items[i]));
		buf_add_str(&csv->line, i ? ";" : "");
	}
	buf_add_char(&csv->line, '"');
}

static void add_text(struct csv *csv, const char *text)
{
	buf_clear(&csv->text);
	text_escape(&csv->text, text, "");
	safe_csv(&csv->line, buf_text(&csv->text));
	buf_add_char(&csv->line, ',');
}

static void add_row(struct csv *csv, const struct total *row)
{
	const struct export_data *data = csv->data;
	const struct task *task = &data->profile->tasks.items[row->task];
	struct buf process = { 0 };

	labels_process(data->labels, task->process, &process);
	add_text(csv, buf_text(&process));
	buf_done(&process);
	buf_printf(&csv->line, "%" PRId32 ",%" PRId32 ",",
		   data->profile->processes.items[task->process].pid, task->tid);
	add_text(csv, profile_text(data->profile, task->comm));
	buf_printf(&csv->line, "%s,%s,", mode_name((enum mode)row->mode),
		   context_name((enum context)row->context));
	add_stack(csv, row->stack);
	buf_add_char(&csv->line, ',');
	add_text(csv, export_event(data, row->event));
	buf_printf(&csv->line, "%" PRIu64 ",%" PRIu64 "\n", row->samples, row->weight);
}

static int csv_write(const struct export_data *data, FILE *out, struct export_note *note,
		     struct err *err)
{
	struct csv csv = { .data = data,
			   .frames = xcalloc(data->profile->frames.count, sizeof(str_id)) };

	strpool_intern(&csv.texts, "");
	fputs("process,pid,tid,thread,mode,context,stack,event,samples,weight\n", out);
	for (size_t i = 0; i < data->count; i++) {
		buf_clear(&csv.line);
		add_row(&csv, &data->rows[i]);
		fwrite(csv.line.bytes, 1, csv.line.size, out);
	}
	buf_done(&csv.line);
	buf_done(&csv.text);
	vec_free(&csv.path.list);
	strpool_done(&csv.texts);
	free(csv.frames);
	return 0;
}

const struct export_format export_csv = {
	.name = "csv",
	.help = "a line for each thread and stack",
	.as_rows = true,
	.write = csv_write,
};
