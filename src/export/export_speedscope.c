/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format (speedscope.app/file-format-schema.json): the functions, and a "sampled"
 * profile for each thread and event, in order of time. A sample is a stack of functions, root
 * first, and its weight; equal neighbours are merged.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "aggregate/account/account.h"
#include "base/json_add.h"
#include "export/export_threads.h"
#include "load/output.h"

struct speedscope {
	const struct export_data *data;
	FILE *out;
	struct export_threads threads;
	struct buf line, weights;
	struct export_frames path;
};

static void end_line(struct speedscope *scope)
{
	fwrite(scope->line.bytes, 1, scope->line.size, scope->out);
	buf_clear(&scope->line);
}

/* Shows the source file, or if that is unknown the file with the code. */
static void print_frame(struct speedscope *scope, uint32_t id)
{
	const struct export_code *code = scope->data->code;
	const struct profile *profile = scope->data->profile;
	const struct export_function *function = &code->functions.items[id];
	const char *file = export_code_file(code, id);

	if (!*file)
		file = profile_text(profile, profile->images.items[function->image].path);
	buf_add_str(&scope->line, id > 1 ? ",\n{" : "\n{");
	export_add_json(&scope->line, "name", export_code_name(code, id));
	export_add_json(&scope->line, "file", file);
	if (function->declared)
		json_add_number(&scope->line, "line", function->declared);
	json_add_end(&scope->line, '}');
	end_line(scope);
}

static void print_frames(struct speedscope *scope)
{
	fputs("\"shared\":{\"frames\":[", scope->out);
	for (uint32_t id = 1; id < scope->data->code->functions.count; id++)
		print_frame(scope, id);
	fputs("]},\n", scope->out);
}

static void add_stack(struct speedscope *scope, uint32_t stack)
{
	const char *comma = "";

	export_stack(scope->data, stack, &scope->path);
	buf_add_char(&scope->line, '[');
	for (size_t i = scope->path.list.count; i-- > 0;) {
		size_t count;
		const struct export_level *levels =
			export_code_levels(scope->data->code, scope->path.list.items[i], &count);

		while (count-- > 0) {
			buf_add_str(&scope->line, comma);
			buf_add_decimal(&scope->line, levels[count].function - 1);
			comma = ",";
		}
	}
	buf_add_char(&scope->line, ']');
}

static void add_name(struct speedscope *scope, const struct export_thread *thread)
{
	const struct export_data *data = scope->data;
	const struct task *task = &data->profile->tasks.items[thread->task];
	struct buf name = { 0 };

	labels_process(data->labels, thread->process, &name);
	buf_printf(&name, " %s %" PRId32 "/%" PRId32, profile_text(data->profile, task->comm),
		   data->profile->processes.items[thread->process].pid, thread->tid);
	if (export_threads_events(data) > 1)
		buf_printf(&name, " [%s]", export_event(data, thread->event));
	export_add_json(&scope->line, "name", buf_text(&name));
	buf_done(&name);
}

static void print_samples(struct speedscope *scope, const struct export_thread *thread)
{
	const struct export_moment *moment = &scope->threads.moments.items[thread->first];
	const struct export_moment *last = moment + thread->count;
	const char *comma = "";

	buf_clear(&scope->weights);
	while (moment < last) {
		uint32_t stack = moment->stack;
		uint64_t weight = 0;

		for (; moment < last && moment->stack == stack; moment++)
			weight += moment->weight;
		buf_add_str(&scope->line, comma);
		add_stack(scope, stack);
		buf_add_str(&scope->weights, comma);
		buf_add_decimal(&scope->weights, weight);
		comma = ",";
		end_line(scope);
	}
}

static void print_thread(struct speedscope *scope, const struct export_thread *thread)
{
	bool is_time = account_is_time(scope->data->profile, thread->event);

	buf_add_str(&scope->line, "{\"type\":\"sampled\"");
	add_name(scope, thread);
	buf_printf(&scope->line,
		   ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
		   is_time ? "nanoseconds" : "none", thread->weight);
	print_samples(scope, thread);
	fprintf(scope->out, "],\n\"weights\":[%s]}", buf_text(&scope->weights));
}

static void print_all(struct speedscope *scope)
{
	buf_add_str(&scope->line,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"prospect " PROSPECT_VERSION "\",\n");
	export_add_json(&scope->line, "name", output_title(NULL, scope->data->profile));
	buf_add_str(&scope->line, ",\n\"activeProfileIndex\":0,\n");
	end_line(scope);
	print_frames(scope);
	fputs("\"profiles\":[\n", scope->out);
	for (size_t i = 0; i < scope->threads.list.count; i++) {
		fputs(i ? ",\n" : "", scope->out);
		print_thread(scope, &scope->threads.list.items[i]);
	}
	fputs("]}\n", scope->out);
}

static int speedscope_write(const struct export_data *data, FILE *out, struct export_note *note,
			    struct err *err)
{
	struct speedscope scope = { .data = data, .out = out };
	int rc = export_threads_gather(data, &scope.threads, note, err);

	if (rc == 0)
		print_all(&scope);
	export_threads_done(&scope.threads);
	buf_done(&scope.line);
	buf_done(&scope.weights);
	vec_free(&scope.path.list);
	return rc;
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.help = "speedscope.app: every thread in order of time",
	.few = true,
	.write = speedscope_write,
};
