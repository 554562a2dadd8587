/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "processed" format of the Firefox Profiler (github.com/firefox-devtools/profiler,
 * docs-developer/processed-profile-format.md), version PROCESSED_VERSION; later readers upgrade it.
 * Each pair of thread and event is a thread with all its tables. Samples have their times.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "export/export_threads.h"
#include "export/firefox_tables.h"
#include "present/rows/json_column.h"
#include "present/safe.h"

enum { PROCESSED_VERSION = 49, GECKO_VERSION = 24 };

#define NS_PER_MS_F 1e6
#define NS_PER_US   1000

/* Columns of the table of samples. */
enum column {
	COLUMN_STACK,
	COLUMN_TIME,
	COLUMN_WEIGHT,
	COLUMN_CPU,
	COLUMN_COUNT,
};

struct firefox {
	const struct export_data *data;
	FILE *out;
	struct export_threads threads;
	struct buf text;
	uint32_t *libraries; /* by image: its row, plus 1; 0: none */
	/* Of the current thread. */
	struct firefox_tables *tables;
	struct buf columns[COLUMN_COUNT];
};

static bool is_time(const struct firefox *firefox, uint8_t event)
{
	return strcmp(export_unit(firefox->data, event), "ns") == 0;
}

static void add_sample(struct firefox *firefox, const struct export_moment *moment,
		       uint64_t time_ns, bool in_time)
{
	struct buf *columns = firefox->columns;
	uint32_t stack = firefox_tables_stack(firefox->tables, moment->stack);

	if (stack)
		json_column_number(&columns[COLUMN_STACK], stack - 1);
	else
		json_column_null(&columns[COLUMN_STACK]);
	buf_printf(json_column_next(&columns[COLUMN_TIME]), "%.6f", (double)time_ns / NS_PER_MS_F);
	if (in_time)
		buf_printf(json_column_next(&columns[COLUMN_WEIGHT]), "%" PRIu64 ".%06u",
			   moment->weight / 1000000, (unsigned)(moment->weight % 1000000));
	else
		json_column_number(&columns[COLUMN_WEIGHT], moment->weight);
	json_column_number(&columns[COLUMN_CPU], moment->weight / NS_PER_US);
}

/* Without times, samples follow each other, each as long as its weight. */
static void add_samples(struct firefox *firefox, const struct export_thread *thread)
{
	const struct export_moment *moments = &firefox->threads.moments.items[thread->first];
	uint64_t start_ns = firefox->data->profile->run.start_ns, pseudo = 0;
	bool in_time = is_time(firefox, thread->event);

	for (size_t i = 0; i < thread->count; i++) {
		const struct export_moment *moment = &moments[i];
		uint64_t time_ns = moment->time_ns > start_ns ? moment->time_ns - start_ns : 0;

		add_sample(firefox, moment, firefox->data->has_times ? time_ns : pseudo, in_time);
		pseudo += moment->weight;
	}
}

/* ---- a thread ---- */

static void print_samples(struct firefox *firefox, const struct export_thread *thread)
{
	const struct buf *columns = firefox->columns;
	bool in_time = is_time(firefox, thread->event);

	fprintf(firefox->out, "\"samples\":{\"length\":%zu,\"weightType\":\"%s\"", thread->count,
		in_time ? "tracing-ms" : "samples");
	json_column_print("stack", &columns[COLUMN_STACK], firefox->out);
	json_column_print("time", &columns[COLUMN_TIME], firefox->out);
	json_column_print("weight", &columns[COLUMN_WEIGHT], firefox->out);
	if (in_time && !account_is_of_threads(firefox->data->profile, thread->event))
		json_column_print("threadCPUDelta", &columns[COLUMN_CPU], firefox->out);
	fputs("},\n", firefox->out);
}

static void print_text(struct firefox *firefox, const char *name, const char *text)
{
	struct buf json = { 0 };

	buf_clear(&firefox->text);
	escape_add(&firefox->text, text, "");
	safe_json(&json, buf_text(&firefox->text));
	fprintf(firefox->out, "\"%s\":%s,", name, buf_text(&json));
	buf_done(&json);
}

/* The names of a thread and its process. Each process gets a pid of its own, for processes that
 * shared a pid would become one. */
static void print_names(struct firefox *firefox, const struct export_thread *thread)
{
	const struct export_data *data = firefox->data;
	const struct process *process = &data->profile->processes.items[thread->process];
	const char *comm =
		profile_text(data->profile, data->profile->tasks.items[thread->task].comm);
	struct buf name = { 0 };

	labels_process(data->labels, thread->process, &name);
	print_text(firefox, "processName", buf_text(&name));
	buf_clear(&name);
	buf_add_str(&name, comm);
	if (export_threads_events(data) > 1)
		buf_printf(&name, " [%s]", export_event(data, thread->event));
	print_text(firefox, "name", buf_text(&name));
	buf_done(&name);
	fprintf(firefox->out, "\"isMainThread\":%s,\"pid\":\"%" PRId32 "%s%.0" PRIu32 "\",",
		process->pid == thread->tid ? "true" : "false", process->pid,
		process->exec_count ? "." : "", process->exec_count);
	if (thread->tid >= 0)
		fprintf(firefox->out, "\"tid\":%" PRId32 ",", thread->tid);
	else
		fprintf(firefox->out, "\"tid\":\"%" PRId32 "\",", thread->tid);
}

static void print_thread(struct firefox *firefox, const struct export_thread *thread)
{
	firefox_tables_string(firefox->tables, "");
	add_samples(firefox, thread);
	fputs("{", firefox->out);
	print_names(firefox, thread);
	fputs("\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\n"
	      "\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],"
	      "\"phase\":[],\"startTime\":[]},\n"
	      "\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],"
	      "\"libIndex\":[],\"name\":[]},\n",
	      firefox->out);
	firefox_tables_print(firefox->tables, firefox->out);
	print_samples(firefox, thread);
	firefox_tables_print_strings(firefox->tables, firefox->out);
	fputs("}", firefox->out);
}

/* Clears the tables for the next thread. */
static void forget(struct firefox *firefox)
{
	firefox_tables_clear(firefox->tables);
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_clear(&firefox->columns[i]);
}

/* ---- the whole ---- */

static void print_categories(FILE *out)
{
	static const struct {
		const char *name, *colour;
	} categories[FIREFOX_CATEGORY_COUNT] = {
		[FIREFOX_OTHER] = { "Other", "grey" },
		[FIREFOX_USER] = { "User", "yellow" },
		[FIREFOX_KERNEL] = { "Kernel", "orange" },
		[FIREFOX_MADE] = { "JIT code", "green" },
	};

	fputs("\"categories\":[", out);
	for (size_t i = 0; i < FIREFOX_CATEGORY_COUNT; i++)
		fprintf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			i ? "," : "", categories[i].name, categories[i].colour);
	fputs("],", out);
}

static void print_meta(struct firefox *firefox)
{
	const struct run_facts *run = &firefox->data->profile->run;
	const struct event *event = &firefox->data->profile->events[firefox->data->event];
	double interval = event->rate_hz > 0 ? 1000 / event->rate_hz : 1;

	fputs("{\"meta\":{", firefox->out);
	print_categories(firefox->out);
	print_text(firefox, "product",
		   run->command && *run->command ? run->command : "running processes");
	print_text(firefox, "oscpu", run->machine ? run->machine : "");
	fprintf(firefox->out,
		"\"interval\":%.6f,\"startTime\":%.3f,\"preprocessedProfileVersion\":%d,"
		"\"version\":%d,\"processType\":0,\"debug\":false,\"stackwalk\":1,"
		"\"symbolicated\":true,\"pausedRanges\":[],\"usesOnlyOneStackType\":true,"
		"\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"markerSchema\":[],\"importedFrom\":\"prospect " PROSPECT_VERSION "\","
		"\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		"\"threadCPUDelta\":\"µs\"}},\n",
		interval, (double)run->start_realtime_ns / NS_PER_MS_F, PROCESSED_VERSION,
		GECKO_VERSION);
}

static void print_library(struct firefox *firefox, const struct image *image, bool comma)
{
	const char *path = profile_text(firefox->data->profile, image->path);

	fputs(comma ? ",\n{" : "\n{", firefox->out);
	print_text(firefox, "name", file_base(path));
	print_text(firefox, "path", path);
	print_text(firefox, "debugName", file_base(path));
	print_text(firefox, "debugPath", path);
	fputs("\"breakpadId\":\"\",\"arch\":null,\"codeId\":\"", firefox->out);
	for (unsigned i = 0; i < image->build_id_size; i++)
		fprintf(firefox->out, "%02x", image->build_id[i]);
	fputs("\"}", firefox->out);
}

static void print_libraries(struct firefox *firefox)
{
	const struct profile *profile = firefox->data->profile;
	uint32_t count = 0;

	fputs("\"libs\":[", firefox->out);
	for (uint32_t i = 1; i < profile->images.count; i++) {
		if (profile->images.items[i].kind != IMAGE_FILE)
			continue;
		print_library(firefox, &profile->images.items[i], count > 0);
		firefox->libraries[i] = ++count;
	}
	fputs("],\n", firefox->out);
}

static void print_all(struct firefox *firefox)
{
	print_meta(firefox);
	print_libraries(firefox);
	fputs("\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[\n",
	      firefox->out);
	for (size_t i = 0; i < firefox->threads.list.count; i++) {
		fputs(i ? ",\n" : "", firefox->out);
		print_thread(firefox, &firefox->threads.list.items[i]);
		forget(firefox);
	}
	fputs("]}\n", firefox->out);
}

static void firefox_done(struct firefox *firefox)
{
	export_threads_done(&firefox->threads);
	firefox_tables_free(firefox->tables);
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_done(&firefox->columns[i]);
	buf_done(&firefox->text);
	free(firefox->libraries);
}

int export_firefox_write(const struct export_data *data, FILE *out, struct export_note *note,
			 struct err *err)
{
	struct firefox firefox = {
		.data = data,
		.out = out,
		.libraries = xcalloc(data->profile->images.count, sizeof(uint32_t)),
	};
	int rc = export_threads_gather(data, &firefox.threads, note, err);

	firefox.tables = firefox_tables_new(data, firefox.libraries);
	if (rc == 0)
		print_all(&firefox);
	firefox_done(&firefox);
	return rc;
}
