/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/firefox_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/rows/json_column.h"
#include "present/safe.h"

/* Columns of the tables of a thread. */
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
	COLUMN_COUNT,
};

/* By id: the row, plus 1; 0: none yet. */
struct rows {
	uint32_t *of;
	VEC(uint32_t) set; /* ids whose row is not 0 */
	uint32_t count;	   /* rows of the table; an id may have several */
};

struct firefox_tables {
	const struct export_data *data;
	const uint32_t *libraries;
	struct buf columns[COLUMN_COUNT];
	struct rows stacks; /* by stack: its innermost level */
	struct rows frames; /* by frame: its innermost level; the others follow */
	struct rows functions, resources;
	struct strpool strings;
	struct buf text;
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

struct firefox_tables *firefox_tables_new(const struct export_data *data, const uint32_t *libraries)
{
	struct firefox_tables *tables = xcalloc(1, sizeof(*tables));

	tables->data = data;
	tables->libraries = libraries;
	tables->stacks = rows_make(data->profile->stacks.count);
	tables->frames = rows_make(data->profile->frames.count);
	tables->functions = rows_make(data->code->functions.count);
	tables->resources = rows_make(data->profile->images.count);
	return tables;
}

void firefox_tables_free(struct firefox_tables *tables)
{
	if (!tables)
		return;
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_done(&tables->columns[i]);
	rows_done(&tables->stacks);
	rows_done(&tables->frames);
	rows_done(&tables->functions);
	rows_done(&tables->resources);
	strpool_done(&tables->strings);
	buf_done(&tables->text);
	vec_free(&tables->path.list);
	free(tables);
}

void firefox_tables_clear(struct firefox_tables *tables)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_clear(&tables->columns[i]);
	rows_clear(&tables->stacks);
	rows_clear(&tables->frames);
	rows_clear(&tables->functions);
	rows_clear(&tables->resources);
	strpool_done(&tables->strings);
	tables->strings = (struct strpool){ .block_used = 0 };
}

/* ---- contents of rows ---- */

static void add(struct firefox_tables *tables, enum column column, uint64_t number)
{
	json_column_number(&tables->columns[column], number);
}

/* Adds the row, or null if there is none. */
static void add_row(struct firefox_tables *tables, enum column column, uint32_t row_and_one)
{
	if (row_and_one)
		add(tables, column, row_and_one - 1);
	else
		json_column_null(&tables->columns[column]);
}

uint32_t firefox_tables_string(struct firefox_tables *tables, const char *text)
{
	size_t before = strpool_count(&tables->strings);
	str_id id;

	buf_clear(&tables->text);
	escape_add(&tables->text, text, "");
	id = strpool_intern(&tables->strings, buf_text(&tables->text));
	if (id >= before)
		safe_json(json_column_next(&tables->columns[COLUMN_STRING]),
			  buf_text(&tables->text));
	return id;
}

static enum firefox_category category_of(const struct image *image)
{
	if (export_is_kernel(image))
		return FIREFOX_KERNEL;
	if (image->kind == IMAGE_ANON)
		return FIREFOX_MADE;
	return image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO ? FIREFOX_USER
								      : FIREFOX_OTHER;
}

static uint32_t resource(struct firefox_tables *tables, uint32_t image)
{
	const struct profile *profile = tables->data->profile;
	const char *path = profile_text(profile, profile->images.items[image].path);

	if (tables->resources.of[image])
		return tables->resources.of[image];
	add_row(tables, COLUMN_RESOURCE_LIBRARY, tables->libraries[image]);
	add(tables, COLUMN_RESOURCE_NAME,
	    firefox_tables_string(tables, *path ? file_base(path) : "[unknown]"));
	rows_set(&tables->resources, image, ++tables->resources.count);
	return tables->resources.of[image];
}

static uint32_t function(struct firefox_tables *tables, uint32_t id)
{
	const struct export_code *code = tables->data->code;
	const struct export_function *row = &code->functions.items[id];

	if (tables->functions.of[id])
		return tables->functions.of[id];
	add(tables, COLUMN_FUNCTION_NAME,
	    firefox_tables_string(tables, export_code_name(code, id)));
	add(tables, COLUMN_FUNCTION_RESOURCE, resource(tables, row->image) - 1);
	if (row->file)
		add(tables, COLUMN_FUNCTION_FILE,
		    firefox_tables_string(tables, export_code_file(code, id)));
	else
		json_column_null(&tables->columns[COLUMN_FUNCTION_FILE]);
	json_column_number_or_null(&tables->columns[COLUMN_FUNCTION_LINE], row->declared);
	rows_set(&tables->functions, id, ++tables->functions.count);
	return tables->functions.of[id];
}

/* Adds a row for each level of a frame. Returns that of the innermost. */
static uint32_t frame(struct firefox_tables *tables, uint32_t id)
{
	const struct export_data *data = tables->data;
	uint64_t address = data->profile->frames.items[id].address;
	const struct export_level *levels;
	size_t count;

	if (tables->frames.of[id])
		return tables->frames.of[id];
	levels = export_code_levels(data->code, id, &count);
	rows_set(&tables->frames, id, tables->frames.count + 1);
	for (size_t i = 0; i < count; i++) {
		add(tables, COLUMN_FRAME_FUNCTION, function(tables, levels[i].function) - 1);
		/* JavaScript's numbers have 53 bits. */
		if (address >> 53)
			buf_add_str(json_column_next(&tables->columns[COLUMN_FRAME_ADDRESS]), "-1");
		else
			add(tables, COLUMN_FRAME_ADDRESS, address);
		add(tables, COLUMN_FRAME_DEPTH, count - 1 - i);
		add(tables, COLUMN_FRAME_CATEGORY, category_of(export_image_of(data, id)));
		json_column_number_or_null(&tables->columns[COLUMN_FRAME_LINE], levels[i].line);
	}
	tables->frames.count += (uint32_t)count;
	return tables->frames.of[id];
}

/* Adds a node for each level and returns the innermost. @prefix: the caller's node; 0: none. */
static uint32_t add_stack(struct firefox_tables *tables, uint32_t prefix, uint32_t id)
{
	uint32_t first = frame(tables, id);
	enum firefox_category category = category_of(export_image_of(tables->data, id));
	size_t count;

	export_code_levels(tables->data->code, id, &count);
	while (count-- > 0) {
		add_row(tables, COLUMN_STACK_PREFIX, prefix);
		add(tables, COLUMN_STACK_FRAME, first - 1 + count);
		add(tables, COLUMN_STACK_CATEGORY, category);
		prefix = ++tables->stacks.count;
	}
	return prefix;
}

uint32_t firefox_tables_stack(struct firefox_tables *tables, uint32_t stack)
{
	const struct stack_node *stacks = tables->data->profile->stacks.items;
	struct export_frames *path = &tables->path;
	uint32_t row;

	path->list.count = 0;
	for (; stack && !tables->stacks.of[stack]; stack = stacks[stack].parent)
		*vec_push(&path->list) = stack;
	row = stack ? tables->stacks.of[stack] : 0;
	for (size_t i = path->list.count; i-- > 0;) {
		stack = path->list.items[i];
		row = add_stack(tables, row, stacks[stack].frame);
		rows_set(&tables->stacks, stack, row);
	}
	return row;
}

/* ---- printing ---- */

static void print_frames(const struct firefox_tables *tables, FILE *out)
{
	const struct buf *columns = tables->columns;
	uint32_t count = tables->frames.count;

	fprintf(out, "\"frameTable\":{\"length\":%" PRIu32, count);
	json_column_print("address", &columns[COLUMN_FRAME_ADDRESS], out);
	json_column_print("inlineDepth", &columns[COLUMN_FRAME_DEPTH], out);
	json_column_print("category", &columns[COLUMN_FRAME_CATEGORY], out);
	json_column_print_same("subcategory", "0", count, out);
	json_column_print("func", &columns[COLUMN_FRAME_FUNCTION], out);
	json_column_print_same("nativeSymbol", "null", count, out);
	json_column_print_same("innerWindowID", "null", count, out);
	json_column_print_same("implementation", "null", count, out);
	json_column_print("line", &columns[COLUMN_FRAME_LINE], out);
	json_column_print_same("column", "null", count, out);
	fputs("},\n", out);
}

static void print_functions(const struct firefox_tables *tables, FILE *out)
{
	const struct buf *columns = tables->columns;
	uint32_t count = tables->functions.count;

	fprintf(out, "\"funcTable\":{\"length\":%" PRIu32, count);
	json_column_print("name", &columns[COLUMN_FUNCTION_NAME], out);
	json_column_print_same("isJS", "false", count, out);
	json_column_print_same("relevantForJS", "false", count, out);
	json_column_print("resource", &columns[COLUMN_FUNCTION_RESOURCE], out);
	json_column_print("fileName", &columns[COLUMN_FUNCTION_FILE], out);
	json_column_print("lineNumber", &columns[COLUMN_FUNCTION_LINE], out);
	json_column_print_same("columnNumber", "null", count, out);
	fputs("},\n", out);
}

static void print_resources(const struct firefox_tables *tables, FILE *out)
{
	uint32_t count = tables->resources.count;

	fprintf(out, "\"resourceTable\":{\"length\":%" PRIu32, count);
	json_column_print("lib", &tables->columns[COLUMN_RESOURCE_LIBRARY], out);
	json_column_print("name", &tables->columns[COLUMN_RESOURCE_NAME], out);
	json_column_print_same("host", "null", count, out);
	json_column_print_same("type", "1", count, out); /* a library */
	fputs("},\n", out);
}

static void print_stacks(const struct firefox_tables *tables, FILE *out)
{
	uint32_t count = tables->stacks.count;

	fprintf(out, "\"stackTable\":{\"length\":%" PRIu32, count);
	json_column_print("prefix", &tables->columns[COLUMN_STACK_PREFIX], out);
	json_column_print("frame", &tables->columns[COLUMN_STACK_FRAME], out);
	json_column_print("category", &tables->columns[COLUMN_STACK_CATEGORY], out);
	json_column_print_same("subcategory", "0", count, out);
	fputs("},\n", out);
}

void firefox_tables_print(const struct firefox_tables *tables, FILE *out)
{
	print_frames(tables, out);
	print_functions(tables, out);
	print_resources(tables, out);
	print_stacks(tables, out);
}

void firefox_tables_print_strings(const struct firefox_tables *tables, FILE *out)
{
	const struct buf *strings = &tables->columns[COLUMN_STRING];

	fputs("\"stringArray\":[", out);
	fwrite(buf_text(strings), 1, strings->size, out);
	fputc(']', out);
}
