/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "processed" format of the Firefox Profiler (github.com/firefox-devtools/profiler,
 * docs-developer/processed-profile-format.md), version PROCESSED_VERSION; later readers upgrade it.
 * Each pair of thread and event is a thread with all its tables. Samples have their times.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "aggregate/account/account.h"
#include "base/file.h"
#include "base/json_add.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "export/export_threads.h"
#include "load/output.h"

enum { PROCESSED_VERSION = 49, GECKO_VERSION = 24 };

#define NS_PER_MS_F 1e6
#define NS_PER_US   1000

/* Colours of code: names, and the numbers in rows. */
enum category {
	CATEGORY_OTHER,
	CATEGORY_USER,
	CATEGORY_KERNEL,
	CATEGORY_MADE,
	CATEGORY_COUNT,
};

/* Columns of a thread's tables, each a JSON array without its brackets. */
enum column {
	COLUMN_FRAME_ADDRESS,
	COLUMN_FRAME_DEPTH,
	COLUMN_FRAME_CATEGORY,
	COLUMN_FRAME_FUNCTION,
	COLUMN_FRAME_LINE,
	COLUMN_FUNCTION_NAME,
	COLUMN_FUNCTION_RESOURCE,
	COLUMN_FUNCTION_FILE,
	COLUMN_FUNCTION_LINE,
	COLUMN_STACK_PREFIX,
	COLUMN_STACK_FRAME,
	COLUMN_STACK_CATEGORY,
	COLUMN_RESOURCE_LIBRARY,
	COLUMN_RESOURCE_NAME,
	COLUMN_STRING,
	COLUMN_SAMPLE_STACK,
	COLUMN_SAMPLE_TIME,
	COLUMN_SAMPLE_WEIGHT,
	COLUMN_SAMPLE_CPU,
	COLUMN_COUNT,
};

/* By id: the row, plus 1; 0: none yet. */
struct rows {
	uint32_t *of;
	VEC(uint32_t) set; /* ids whose row is not 0 */
	uint32_t count;	   /* rows of the table; an id may have several */
};

struct firefox {
	const struct export_data *data;
	FILE *out;
	struct export_threads threads;
	struct buf text;
	uint32_t *libraries; /* by image: its row, plus 1; 0: none */
	/* Of the current thread: what it has used so far, in order of first use. */
	struct buf columns[COLUMN_COUNT];
	struct rows stacks; /* by stack: its innermost level */
	struct rows frames; /* by frame: its innermost level; the others follow */
	struct rows functions, resources;
	struct strpool strings;
	struct export_frames path;
};

/* ---- rows ---- */

static struct rows rows_make(size_t count)
{
	return (struct rows){ .of = xcalloc(count, sizeof(uint32_t)) };
}

static void rows_done(struct rows *rows)
{
	free(rows->of);
	vec_free(&rows->set);
}

static void rows_set(struct rows *rows, uint32_t id, uint32_t row_and_one)
{
	*vec_push(&rows->set) = id;
	rows->of[id] = row_and_one;
}

static void rows_clear(struct rows *rows)
{
	for (size_t i = 0; i < rows->set.count; i++)
		rows->of[rows->set.items[i]] = 0;
	rows->set.count = 0;
	rows->count = 0;
}

static void add(struct firefox *firefox, enum column column, uint64_t number)
{
	json_add_number(&firefox->columns[column], NULL, number);
}

/* Adds the number, or null if it is 0. */
static void add_some(struct firefox *firefox, enum column column, uint64_t number)
{
	json_add_number_or_null(&firefox->columns[column], NULL, number);
}

/* Adds the row, or null if there is none. */
static void add_row(struct firefox *firefox, enum column column, uint32_t row_and_one)
{
	if (row_and_one)
		add(firefox, column, row_and_one - 1);
	else
		add_some(firefox, column, 0);
}

/* ---- contents of rows ---- */

/* The row of a text, added if it is new. */
static uint32_t string(struct firefox *firefox, const char *text)
{
	size_t before = strpool_count(&firefox->strings);
	str_id id;

	buf_clear(&firefox->text);
	text_escape(&firefox->text, text, "");
	id = strpool_intern(&firefox->strings, buf_text(&firefox->text));
	if (id >= before)
		json_add_text(&firefox->columns[COLUMN_STRING], NULL, buf_text(&firefox->text));
	return id;
}

static enum category category_of(const struct image *image)
{
	if (image_kind_is_kernel(image->kind))
		return CATEGORY_KERNEL;
	if (image->kind == IMAGE_ANON)
		return CATEGORY_MADE;
	return image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO ? CATEGORY_USER
								      : CATEGORY_OTHER;
}

static uint32_t resource(struct firefox *firefox, uint32_t image)
{
	const struct profile *profile = firefox->data->profile;
	const char *path = profile_text(profile, profile->images.items[image].path);

	if (firefox->resources.of[image])
		return firefox->resources.of[image];
	add_row(firefox, COLUMN_RESOURCE_LIBRARY, firefox->libraries[image]);
	add(firefox, COLUMN_RESOURCE_NAME, string(firefox, *path ? file_base(path) : "[unknown]"));
	rows_set(&firefox->resources, image, ++firefox->resources.count);
	return firefox->resources.of[image];
}

static uint32_t function(struct firefox *firefox, uint32_t id)
{
	const struct export_code *code = firefox->data->code;
	const struct export_function *row = &code->functions.items[id];

	if (firefox->functions.of[id])
		return firefox->functions.of[id];
	add(firefox, COLUMN_FUNCTION_NAME, string(firefox, export_code_name(code, id)));
	add(firefox, COLUMN_FUNCTION_RESOURCE, resource(firefox, row->image) - 1);
	add_row(firefox, COLUMN_FUNCTION_FILE,
		row->file ? string(firefox, export_code_file(code, id)) + 1 : 0);
	add_some(firefox, COLUMN_FUNCTION_LINE, row->declared);
	rows_set(&firefox->functions, id, ++firefox->functions.count);
	return firefox->functions.of[id];
}

/* Adds a row for each level of a frame. Returns that of the innermost. */
static uint32_t frame(struct firefox *firefox, uint32_t id)
{
	const struct export_data *data = firefox->data;
	uint64_t address = data->profile->frames.items[id].address;
	const struct export_level *levels;
	size_t count;

	if (firefox->frames.of[id])
		return firefox->frames.of[id];
	levels = export_code_levels(data->code, id, &count);
	rows_set(&firefox->frames, id, firefox->frames.count + 1);
	for (size_t i = 0; i < count; i++) {
		add(firefox, COLUMN_FRAME_FUNCTION, function(firefox, levels[i].function) - 1);
		/* JavaScript's numbers have 53 bits. */
		json_add_name(&firefox->columns[COLUMN_FRAME_ADDRESS], NULL);
		buf_printf(&firefox->columns[COLUMN_FRAME_ADDRESS], "%" PRId64,
			   address >> 53 ? -1 : (int64_t)address);
		add(firefox, COLUMN_FRAME_DEPTH, count - 1 - i);
		add(firefox, COLUMN_FRAME_CATEGORY, category_of(export_image_of(data, id)));
		add_some(firefox, COLUMN_FRAME_LINE, levels[i].line);
	}
	firefox->frames.count += (uint32_t)count;
	return firefox->frames.of[id];
}

/* Adds a node for each level and returns the innermost. @prefix: the caller's node; 0: none. */
static uint32_t add_stack(struct firefox *firefox, uint32_t prefix, uint32_t id)
{
	uint32_t first = frame(firefox, id);
	enum category category = category_of(export_image_of(firefox->data, id));
	size_t count;

	export_code_levels(firefox->data->code, id, &count);
	while (count-- > 0) {
		add_row(firefox, COLUMN_STACK_PREFIX, prefix);
		add(firefox, COLUMN_STACK_FRAME, first - 1 + count);
		add(firefox, COLUMN_STACK_CATEGORY, category);
		prefix = ++firefox->stacks.count;
	}
	return prefix;
}

/* The row of a stack, plus 1; 0 for the empty stack. */
static uint32_t stack_row(struct firefox *firefox, uint32_t stack)
{
	const struct stack_node *stacks = firefox->data->profile->stacks.items;
	struct export_frames *path = &firefox->path;
	uint32_t row;

	path->list.count = 0;
	for (; stack && !firefox->stacks.of[stack]; stack = stacks[stack].parent)
		*vec_push(&path->list) = stack;
	row = stack ? firefox->stacks.of[stack] : 0;
	for (size_t i = path->list.count; i-- > 0;) {
		stack = path->list.items[i];
		row = add_stack(firefox, row, stacks[stack].frame);
		rows_set(&firefox->stacks, stack, row);
	}
	return row;
}

/* ---- printing tables ---- */

struct field {
	const char *name;
	enum column column;
	const char *same; /* in every row; NULL: the column */
};

/* clang-format off */
static const struct field frame_fields[] = {
	{ "address", .column = COLUMN_FRAME_ADDRESS },
	{ "inlineDepth", .column = COLUMN_FRAME_DEPTH },
	{ "category", .column = COLUMN_FRAME_CATEGORY },
	{ "subcategory", .same = "0" },
	{ "func", .column = COLUMN_FRAME_FUNCTION },
	{ "nativeSymbol", .same = "null" },
	{ "innerWindowID", .same = "null" },
	{ "implementation", .same = "null" },
	{ "line", .column = COLUMN_FRAME_LINE },
	{ "column", .same = "null" },
	{ 0 },
};

static const struct field function_fields[] = {
	{ "name", .column = COLUMN_FUNCTION_NAME },
	{ "isJS", .same = "false" },
	{ "relevantForJS", .same = "false" },
	{ "resource", .column = COLUMN_FUNCTION_RESOURCE },
	{ "fileName", .column = COLUMN_FUNCTION_FILE },
	{ "lineNumber", .column = COLUMN_FUNCTION_LINE },
	{ "columnNumber", .same = "null" },
	{ 0 },
};

static const struct field resource_fields[] = {
	{ "lib", .column = COLUMN_RESOURCE_LIBRARY },
	{ "name", .column = COLUMN_RESOURCE_NAME },
	{ "host", .same = "null" },
	{ "type", .same = "1" }, /* a library */
	{ 0 },
};

static const struct field stack_fields[] = {
	{ "prefix", .column = COLUMN_STACK_PREFIX },
	{ "frame", .column = COLUMN_STACK_FRAME },
	{ "category", .column = COLUMN_STACK_CATEGORY },
	{ "subcategory", .same = "0" },
	{ 0 },
};

/* clang-format on */

static void print_column(struct firefox *firefox, enum column column)
{
	const struct buf *buf = &firefox->columns[column];

	fputc('[', firefox->out);
	fwrite(buf_text(buf), 1, buf->size, firefox->out);
	fputc(']', firefox->out);
}

static void print_field(struct firefox *firefox, const struct field *field, uint32_t count)
{
	fprintf(firefox->out, ",\"%s\":", field->name);
	if (!field->same) {
		print_column(firefox, field->column);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		fprintf(firefox->out, "%c%s", i ? ',' : '[', field->same);
	fputs(count ? "]" : "[]", firefox->out);
}

static void print_table(struct firefox *firefox, const char *name, uint32_t count,
			const struct field *fields)
{
	fprintf(firefox->out, "\"%s\":{\"length\":%" PRIu32, name, count);
	for (; fields->name; fields++)
		print_field(firefox, fields, count);
	fputs("},\n", firefox->out);
}

static void print_tables(struct firefox *firefox)
{
	print_table(firefox, "frameTable", firefox->frames.count, frame_fields);
	print_table(firefox, "funcTable", firefox->functions.count, function_fields);
	print_table(firefox, "resourceTable", firefox->resources.count, resource_fields);
	print_table(firefox, "stackTable", firefox->stacks.count, stack_fields);
}

/* ---- a thread ---- */

static void add_sample(struct firefox *firefox, const struct export_moment *moment,
		       uint64_t time_ns, bool in_time)
{
	struct buf *weights = &firefox->columns[COLUMN_SAMPLE_WEIGHT];

	add_row(firefox, COLUMN_SAMPLE_STACK, stack_row(firefox, moment->stack));
	json_add_fixed(&firefox->columns[COLUMN_SAMPLE_TIME], NULL, (double)time_ns / NS_PER_MS_F,
		       6);
	json_add_name(weights, NULL);
	if (in_time)
		buf_printf(weights, "%" PRIu64 ".%06u", moment->weight / 1000000,
			   (unsigned)(moment->weight % 1000000));
	else
		buf_add_decimal(weights, moment->weight);
	add(firefox, COLUMN_SAMPLE_CPU, moment->weight / NS_PER_US);
}

/* Without times, samples follow each other, each as long as its weight. */
static void add_samples(struct firefox *firefox, const struct export_thread *thread)
{
	const struct export_moment *moments = &firefox->threads.moments.items[thread->first];
	uint64_t start_ns = firefox->data->profile->run.start_ns, pseudo = 0;
	bool in_time = account_is_time(firefox->data->profile, thread->event);

	for (size_t i = 0; i < thread->count; i++) {
		const struct export_moment *moment = &moments[i];
		uint64_t time_ns = moment->time_ns > start_ns ? moment->time_ns - start_ns : 0;

		add_sample(firefox, moment, firefox->data->has_times ? time_ns : pseudo, in_time);
		pseudo += moment->weight;
	}
}

static void print_samples(struct firefox *firefox, const struct export_thread *thread)
{
	static const struct field fields[] = {
		{ "stack", .column = COLUMN_SAMPLE_STACK },
		{ "time", .column = COLUMN_SAMPLE_TIME },
		{ "weight", .column = COLUMN_SAMPLE_WEIGHT },
		{ "threadCPUDelta", .column = COLUMN_SAMPLE_CPU },
	};
	const struct profile *profile = firefox->data->profile;
	bool in_time = account_is_time(profile, thread->event);
	bool has_cpu = in_time && !account_is_of_threads(profile, thread->event);

	fprintf(firefox->out, "\"samples\":{\"length\":%zu,\"weightType\":\"%s\"", thread->count,
		in_time ? "tracing-ms" : "samples");
	for (int i = 0; i < 3 + has_cpu; i++)
		print_field(firefox, &fields[i], 0);
	fputs("},\n", firefox->out);
}

static void print_text(struct firefox *firefox, const char *name, const char *text)
{
	buf_clear(&firefox->text);
	export_add_json(&firefox->text, name, text);
	fprintf(firefox->out, "%s,", buf_text(&firefox->text));
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
	string(firefox, "");
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
	print_tables(firefox);
	print_samples(firefox, thread);
	fputs("\"stringArray\":", firefox->out);
	print_column(firefox, COLUMN_STRING);
	fputs("}", firefox->out);
}

/* Empties the tables for the next thread. */
static void forget(struct firefox *firefox)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_clear(&firefox->columns[i]);
	rows_clear(&firefox->stacks);
	rows_clear(&firefox->frames);
	rows_clear(&firefox->functions);
	rows_clear(&firefox->resources);
	strpool_done(&firefox->strings);
	firefox->strings = (struct strpool){ .block_used = 0 };
}

/* ---- the whole ---- */

static void print_categories(FILE *out)
{
	static const struct {
		const char *name, *colour;
	} categories[CATEGORY_COUNT] = {
		[CATEGORY_OTHER] = { "Other", "grey" },
		[CATEGORY_USER] = { "User", "yellow" },
		[CATEGORY_KERNEL] = { "Kernel", "orange" },
		[CATEGORY_MADE] = { "JIT code", "green" },
	};

	fputs("\"categories\":[", out);
	for (size_t i = 0; i < CATEGORY_COUNT; i++)
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
	print_text(firefox, "product", output_title(NULL, firefox->data->profile));
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
	buf_clear(&firefox->text);
	export_add_build_id(&firefox->text, image);
	fprintf(firefox->out, "\"breakpadId\":\"\",\"arch\":null,\"codeId\":\"%s\"}",
		buf_text(&firefox->text));
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
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_done(&firefox->columns[i]);
	rows_done(&firefox->stacks);
	rows_done(&firefox->frames);
	rows_done(&firefox->functions);
	rows_done(&firefox->resources);
	strpool_done(&firefox->strings);
	buf_done(&firefox->text);
	vec_free(&firefox->path.list);
	free(firefox->libraries);
}

static int firefox_write(const struct export_data *data, FILE *out, struct export_note *note,
			 struct err *err)
{
	struct firefox firefox = {
		.data = data,
		.out = out,
		.libraries = xcalloc(data->profile->images.count, sizeof(uint32_t)),
		.stacks = rows_make(data->profile->stacks.count),
		.frames = rows_make(data->profile->frames.count),
		.functions = rows_make(data->code->functions.count),
		.resources = rows_make(data->profile->images.count),
	};
	int rc = export_threads_gather(data, &firefox.threads, note, err);

	if (rc == 0)
		print_all(&firefox);
	firefox_done(&firefox);
	return rc;
}

const struct export_format export_firefox = {
	.name = "firefox",
	.help = "profiler.firefox.com: every thread in order of time",
	.few = true,
	.lines = true,
	.write = firefox_write,
};
