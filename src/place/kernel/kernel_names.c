/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_names.h"

#include <errno.h>
#include <string.h>

#include "place/files/recorded_files.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_table.h"

/* The file is read twice: offsets can be computed only after _text is known. */
struct reading {
	struct kernel_table table;
	uint64_t text, end; /* addresses of _text and _etext; 0: not found */
	bool full;
};

static bool is_core(const struct kallsyms_line *line)
{
	return !*line->module && line->address;
}

static void find_text(void *context, const struct kallsyms_line *line)
{
	struct reading *reading = context;

	if (is_core(line) && strcmp(line->name, "_text") == 0)
		reading->text = line->address;
	if (is_core(line) && strcmp(line->name, "_etext") == 0)
		reading->end = line->address;
}

static void take_line(void *context, const struct kallsyms_line *line)
{
	struct reading *reading = context;
	uint64_t offset = line->address - reading->text;

	if (!is_core(line) || !kallsyms_is_code(line) || line->address < reading->text ||
	    offset > UINT32_MAX)
		return;
	if (!kernel_table_add(&reading->table, (uint32_t)offset, 0, line->name,
			      kernel_table_rank(line->type)))
		reading->full = true;
}

/* After _etext come data and code that is freed after boot. */
static uint32_t end_of(const struct reading *reading)
{
	uint64_t size = reading->end - reading->text;

	return reading->end > reading->text && size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static int read_names(struct reading *reading, const char *path, struct err *err)
{
	struct kernel_segment all = { 0, 0 };
	int rc = kallsyms_read(path, find_text, reading, err);

	if (rc < 0)
		return rc;
	if (!reading->text)
		return err_set(err, -EINVAL,
			       "%s: no address of _text: not from a kernel, or read by a user who "
			       "may not see addresses",
			       path);
	rc = kallsyms_read(path, take_line, reading, err);
	if (rc < 0)
		return rc;
	if (reading->full)
		return err_set(err, -EFBIG, "%s: too many names", path);
	all.end = end_of(reading);
	kernel_table_settle(&reading->table, &all, 1);
	return 0;
}

static bool has_name(const struct profile *profile, const struct frame *frame)
{
	return frame->symbol && profile->symbols.items[frame->symbol].kind != SYMBOL_NONE;
}

/* A return address belongs to the code before it. If addresses were hidden from the recorder,
 * offsets are plain addresses. */
static uint64_t offset_of(const struct reading *reading, const struct frame *frame)
{
	uint64_t offset =
		frame->kind == FRAME_RETURN && frame->offset ? frame->offset - 1 : frame->offset;

	return offset >= reading->text ? offset - reading->text : offset;
}

static void name_frame(struct profile *profile, const struct reading *reading, struct frame *frame)
{
	uint64_t offset = offset_of(reading, frame);
	const struct kernel_function *function =
		offset > UINT32_MAX ? NULL : kernel_table_before(&reading->table, (uint32_t)offset);
	struct symbol symbol = { .image = frame->image, .kind = SYMBOL_NAMED };

	if (!function || offset - function->start >= function->size)
		return;
	symbol.name =
		strpool_intern(&profile->strings, kernel_table_name(&reading->table, function));
	symbol.start = function->start;
	symbol.size = function->size;
	frame->symbol = profile_symbol(profile, &symbol);
}

int kernel_names_add(struct profile *profile, const char *path, struct err *err)
{
	struct reading reading = { .text = 0 };
	uint32_t kernel = recorded_files_kernel(profile);
	int rc = read_names(&reading, path, err);

	for (size_t i = 1; rc == 0 && kernel && i < profile->frames.count; i++) {
		struct frame *frame = &profile->frames.items[i];

		if (frame->image == kernel && !has_name(profile, frame))
			name_frame(profile, &reading, frame);
	}
	kernel_table_done(&reading.table);
	return rc;
}
