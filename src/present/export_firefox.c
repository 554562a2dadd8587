/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "processed" format of the Firefox Profiler (github.com/firefox-devtools/profiler,
 * docs-developer/processed-profile-format.md), as of version PROCESSED_VERSION; later readers
 * upgrade it. Each thread and event is a thread of its own with all its tables, columns of which
 * are gathered here row by row; samples have their times.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/export_threads.h"
#include "present/safe.h"

enum { PROCESSED_VERSION = 49, GECKO_VERSION = 24 };

#define NS_PER_MS_F 1e6
#define NS_PER_US   1000

/* Colours of code: the rows of what print_categories lists. */
enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_MADE };

/* Columns of the tables of a thread. */
#define COLUMNS(X)                                                                             \
	X(FRAME_ADDRESS)                                                                       \
	X(FRAME_DEPTH)                                                                         \
	X(FRAME_CATEGORY)                                                                      \
	X(FRAME_FUNCTION) X(FRAME_LINE) X(FUNCTION_NAME) X(FUNCTION_RESOURCE) X(FUNCTION_FILE) \
		X(FUNCTION_LINE) X(STACK_PREFIX) X(STACK_FRAME) X(STACK_CATEGORY)              \
			X(RESOURCE_LIBRARY) X(RESOURCE_NAME) X(SAMPLE_STACK) X(SAMPLE_TIME)    \
				X(SAMPLE_WEIGHT) X(SAMPLE_CPU) X(STRING)

enum column {
#define ROW(id) COLUMN_##id,
	COLUMNS(ROW)
#undef ROW
		COLUMN_COUNT
};

struct firefox {
	const struct export_data *data;
	FILE *out;
	struct export_threads threads;
	struct buf text;
	uint32_t *libraries; /* by image: its row and one; 0: none */
	/* Of the thread at hand. Rows by what they are of, and one; 0: none yet. */
	struct buf columns[COLUMN_COUNT];
	uint32_t *stacks;	/* by stack: the innermost level */
	uint32_t *first_frames; /* by frame: the innermost level, others follow */
	uint32_t *functions, *resources;
	VEC(uint32_t) stacks_set, frames_set, functions_set, resources_set;
	struct strpool strings;
	uint32_t stack_count, frame_count, function_count, resource_count;
};

/* ---- columns ---- */

static struct buf *next(struct firefox *firefox, enum column column)
{
	struct buf *buf = &firefox->columns[column];

	if (buf->size)
		buf_add_char(buf, ',');
	return buf;
}

static void add(struct firefox *firefox, enum column column, uint64_t number)
{
	buf_printf(next(firefox, column), "%" PRIu64, number);
}

/* null where the number is 0, else one less. */
static void add_row(struct firefox *firefox, enum column column, uint32_t row)
{
	if (row)
		add(firefox, column, row - 1);
	else
		buf_add_str(next(firefox, column), "null");
}

static void add_line(struct firefox *firefox, enum column column, uint32_t line)
{
	if (line)
		add(firefox, column, line);
	else
		buf_add_str(next(firefox, column), "null");
}

static uint32_t string(struct firefox *firefox, const char *text)
{
	size_t before = strpool_count(&firefox->strings);
	str_id id;

	buf_clear(&firefox->text);
	escape_add(&firefox->text, text, "");
	id = strpool_intern(&firefox->strings, buf_text(&firefox->text));
	if (id >= before)
		safe_json(next(firefox, COLUMN_STRING), buf_text(&firefox->text));
	return id;
}

static void print_column(const struct firefox *firefox, const char *name, enum column column)
{
	fprintf(firefox->out, ",\"%s\":[%s]", name, buf_text(&firefox->columns[column]));
}

/* A column with the same in all rows. */
static void print_same(const struct firefox *firefox, const char *name, const char *value,
		       size_t count)
{
	fprintf(firefox->out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(firefox->out, "%s%s", i ? "," : "", value);
	fputs("]", firefox->out);
}

/* ---- rows ---- */

static enum category category_of(const struct image *image)
{
	if (export_is_kernel(image))
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

	if (firefox->resources[image])
		return firefox->resources[image];
	add_row(firefox, COLUMN_RESOURCE_LIBRARY, firefox->libraries[image]);
	add(firefox, COLUMN_RESOURCE_NAME, string(firefox, *path ? file_base(path) : "[unknown]"));
	*vec_push(&firefox->resources_set) = image;
	firefox->resources[image] = ++firefox->resource_count;
	return firefox->resources[image];
}

static uint32_t function(struct firefox *firefox, uint32_t id)
{
	const struct export_code *code = firefox->data->code;
	const struct export_function *row = &code->functions.items[id];

	if (firefox->functions[id])
		return firefox->functions[id];
	add(firefox, COLUMN_FUNCTION_NAME, string(firefox, export_code_name(code, id)));
	add(firefox, COLUMN_FUNCTION_RESOURCE, resource(firefox, row->image) - 1);
	if (row->file)
		add(firefox, COLUMN_FUNCTION_FILE, string(firefox, export_code_file(code, id)));
	else
		add_row(firefox, COLUMN_FUNCTION_FILE, 0);
	add_line(firefox, COLUMN_FUNCTION_LINE, row->declared);
	*vec_push(&firefox->functions_set) = id;
	firefox->functions[id] = ++firefox->function_count;
	return firefox->functions[id];
}

/* The rows of a frame's levels, of which the innermost is returned. */
static uint32_t frame(struct firefox *firefox, uint32_t id)
{
	const struct export_data *data = firefox->data;
	const struct export_level *levels;
	size_t count;

	if (firefox->first_frames[id])
		return firefox->first_frames[id];
	levels = export_code_levels(data->code, id, &count);
	firefox->first_frames[id] = firefox->frame_count + 1;
	*vec_push(&firefox->frames_set) = id;
	for (size_t i = 0; i < count; i++) {
		add(firefox, COLUMN_FRAME_FUNCTION, function(firefox, levels[i].function) - 1);
		/* Numbers of a browser have 53 bits. */
		if (data->profile->frames.items[id].address >> 53)
			buf_add_str(next(firefox, COLUMN_FRAME_ADDRESS), "-1");
		else
			add(firefox, COLUMN_FRAME_ADDRESS, data->profile->frames.items[id].address);
		add(firefox, COLUMN_FRAME_DEPTH, count - 1 - i);
		add(firefox, COLUMN_FRAME_CATEGORY, category_of(export_image_of(data, id)));
		add_line(firefox, COLUMN_FRAME_LINE, levels[i].line);
	}
	firefox->frame_count += (uint32_t)count;
	return firefox->first_frames[id];
}

/* A node for each level; the innermost is returned. @prefix: the caller's, 0: none. */
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
		prefix = ++firefox->stack_count;
	}
	return prefix;
}

static uint32_t stack(struct firefox *firefox, uint32_t id, struct export_frames *path)
{
	const struct stack_node *stacks = firefox->data->profile->stacks.items;
	uint32_t row;

	path->list.count = 0;
	for (; id && !firefox->stacks[id]; id = stacks[id].parent)
		*vec_push(&path->list) = id;
	row = id ? firefox->stacks[id] : 0;
	for (size_t i = path->list.count; i-- > 0;) {
		id = path->list.items[i];
		row = add_stack(firefox, row, stacks[id].frame);
		firefox->stacks[id] = row;
		*vec_push(&firefox->stacks_set) = id;
	}
	return row;
}

static bool is_time(const struct firefox *firefox, uint8_t event)
{
	return strcmp(export_unit(firefox->data, event), "ns") == 0;
}

/* Without times samples stand one behind the other, each as long as it weighs. */
static void add_samples(struct firefox *firefox, const struct export_thread *thread)
{
	const struct export_moment *moments = &firefox->threads.moments.items[thread->first];
	uint64_t start_ns = firefox->data->profile->run.start_ns, pseudo = 0;
	struct export_frames path = { 0 };

	for (size_t i = 0; i < thread->count; i++) {
		const struct export_moment *moment = &moments[i];
		uint64_t time_ns = moment->time_ns > start_ns ? moment->time_ns - start_ns : 0;

		if (!firefox->data->has_times)
			time_ns = pseudo;
		pseudo += moment->weight;
		add_row(firefox, COLUMN_SAMPLE_STACK, stack(firefox, moment->stack, &path));
		buf_printf(next(firefox, COLUMN_SAMPLE_TIME), "%.6f",
			   (double)time_ns / NS_PER_MS_F);
		if (is_time(firefox, thread->event))
			buf_printf(next(firefox, COLUMN_SAMPLE_WEIGHT), "%" PRIu64 ".%06u",
				   moment->weight / 1000000, (unsigned)(moment->weight % 1000000));
		else
			add(firefox, COLUMN_SAMPLE_WEIGHT, moment->weight);
		add(firefox, COLUMN_SAMPLE_CPU, moment->weight / NS_PER_US);
	}
	vec_free(&path.list);
}

/* ---- a thread ---- */

static void print_tables(struct firefox *firefox, const struct export_thread *thread)
{
	FILE *out = firefox->out;

	fprintf(out, "\"frameTable\":{\"length\":%" PRIu32, firefox->frame_count);
	print_column(firefox, "address", COLUMN_FRAME_ADDRESS);
	print_column(firefox, "inlineDepth", COLUMN_FRAME_DEPTH);
	print_column(firefox, "category", COLUMN_FRAME_CATEGORY);
	print_same(firefox, "subcategory", "0", firefox->frame_count);
	print_column(firefox, "func", COLUMN_FRAME_FUNCTION);
	print_same(firefox, "nativeSymbol", "null", firefox->frame_count);
	print_same(firefox, "innerWindowID", "null", firefox->frame_count);
	print_same(firefox, "implementation", "null", firefox->frame_count);
	print_column(firefox, "line", COLUMN_FRAME_LINE);
	print_same(firefox, "column", "null", firefox->frame_count);
	fprintf(out, "},\n\"funcTable\":{\"length\":%" PRIu32, firefox->function_count);
	print_column(firefox, "name", COLUMN_FUNCTION_NAME);
	print_same(firefox, "isJS", "false", firefox->function_count);
	print_same(firefox, "relevantForJS", "false", firefox->function_count);
	print_column(firefox, "resource", COLUMN_FUNCTION_RESOURCE);
	print_column(firefox, "fileName", COLUMN_FUNCTION_FILE);
	print_column(firefox, "lineNumber", COLUMN_FUNCTION_LINE);
	print_same(firefox, "columnNumber", "null", firefox->function_count);
	fprintf(out, "},\n\"resourceTable\":{\"length\":%" PRIu32, firefox->resource_count);
	print_column(firefox, "lib", COLUMN_RESOURCE_LIBRARY);
	print_column(firefox, "name", COLUMN_RESOURCE_NAME);
	print_same(firefox, "host", "null", firefox->resource_count);
	print_same(firefox, "type", "1", firefox->resource_count); /* a library */
	fprintf(out, "},\n\"stackTable\":{\"length\":%" PRIu32, firefox->stack_count);
	print_column(firefox, "prefix", COLUMN_STACK_PREFIX);
	print_column(firefox, "frame", COLUMN_STACK_FRAME);
	print_column(firefox, "category", COLUMN_STACK_CATEGORY);
	print_same(firefox, "subcategory", "0", firefox->stack_count);
	fprintf(out, "},\n\"samples\":{\"length\":%zu,\"weightType\":\"%s\"", thread->count,
		is_time(firefox, thread->event) ? "tracing-ms" : "samples");
	print_column(firefox, "stack", COLUMN_SAMPLE_STACK);
	print_column(firefox, "time", COLUMN_SAMPLE_TIME);
	print_column(firefox, "weight", COLUMN_SAMPLE_WEIGHT);
	if (is_time(firefox, thread->event) &&
	    !account_is_of_threads(firefox->data->profile, thread->event))
		print_column(firefox, "threadCPUDelta", COLUMN_SAMPLE_CPU);
	fprintf(out, "},\n\"stringArray\":[%s]", buf_text(&firefox->columns[COLUMN_STRING]));
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

/* The names of a thread and its process. Each process has a pid of its own here: where pids were
 * used again their instances would be one. */
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
	print_tables(firefox, thread);
	fputs("}", firefox->out);
}

#define FORGET(numbers, set)                                \
	do {                                                \
		for (size_t _i = 0; _i < (set).count; _i++) \
			(numbers)[(set).items[_i]] = 0;     \
		(set).count = 0;                            \
	} while (0)

/* For the next thread. */
static void forget(struct firefox *firefox)
{
	FORGET(firefox->stacks, firefox->stacks_set);
	FORGET(firefox->first_frames, firefox->frames_set);
	FORGET(firefox->functions, firefox->functions_set);
	FORGET(firefox->resources, firefox->resources_set);
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_clear(&firefox->columns[i]);
	strpool_done(&firefox->strings);
	firefox->strings = (struct strpool){ .block_used = 0 };
	firefox->stack_count = firefox->frame_count = 0;
	firefox->function_count = firefox->resource_count = 0;
}

/* ---- the whole ---- */

static void print_categories(FILE *out)
{
	static const struct {
		const char *name, *colour;
	} categories[] = {
		[CATEGORY_OTHER] = { "Other", "grey" },
		[CATEGORY_USER] = { "User", "yellow" },
		[CATEGORY_KERNEL] = { "Kernel", "orange" },
		[CATEGORY_MADE] = { "Made at run time", "green" },
	};

	fputs("\"categories\":[", out);
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
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
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_done(&firefox->columns[i]);
	buf_done(&firefox->text);
	free(firefox->libraries);
	free(firefox->stacks);
	free(firefox->first_frames);
	free(firefox->functions);
	free(firefox->resources);
	vec_free(&firefox->stacks_set);
	vec_free(&firefox->frames_set);
	vec_free(&firefox->functions_set);
	vec_free(&firefox->resources_set);
}

static uint32_t *numbers(size_t count)
{
	return xcalloc(count, sizeof(uint32_t));
}

int export_firefox_write(const struct export_data *data, FILE *out, struct export_note *note,
			 struct err *err)
{
	struct firefox firefox = {
		.data = data,
		.out = out,
		.libraries = numbers(data->profile->images.count),
		.stacks = numbers(data->profile->stacks.count),
		.first_frames = numbers(data->profile->frames.count),
		.functions = numbers(data->code->functions.count),
		.resources = numbers(data->profile->images.count),
	};
	int rc = export_threads_gather(data, &firefox.threads, note, err);

	if (rc == 0)
		print_all(&firefox);
	firefox_done(&firefox);
	return rc;
}
