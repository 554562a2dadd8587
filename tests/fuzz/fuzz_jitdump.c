/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A jitdump from end to end; every byte of what records point at is read. */
#include <stdlib.h>
#include <string.h>

#include "place/jit/jit_lines.h"
#include "place/jit/jitdump.h"
#include "target.h"

struct reading {
	const struct jitdump_header *header;
	uint64_t sum;
};

static void take_line(void *context, const struct jitdump_line *line)
{
	struct reading *reading = context;

	reading->sum += line->address + line->line + strlen(line->file);
}

/* As both kinds of writers mean it, and repaired. */
static void look_at_lines(struct reading *reading, struct jitdump_record record)
{
	char *copy = malloc(record.lines_size + 1);
	struct jit_lines_evidence evidence = { 0 };
	jit_line_list list = { 0 };

	memcpy(copy, record.lines, record.lines_size);
	record.lines = copy;
	jit_lines_weigh(reading->header, &record, 100, &evidence);
	jit_lines_read(reading->header, &record, 100, JIT_LINES_FROM_CODE, &list);
	if (jit_lines_repair(reading->header, &record, "JS:*f /longer/than/it/is.js:1:2", 100,
			     copy))
		jit_lines_read(reading->header, &record, 100, JIT_LINES_FROM_HEADER, &list);
	for (size_t i = 0; i < list.count; i++)
		reading->sum += list.items[i].start + strlen(list.items[i].file);
	vec_free(&list);
	free(copy);
}

static void look(struct reading *reading, const uint8_t *at, const struct jitdump_record *record)
{
	if (record->kind == JITDUMP_LOAD) {
		for (size_t i = 0; i < record->name_length; i++)
			reading->sum += (uint8_t)record->name[i];
		if (record->code_at && record->code_at + record->code_size > record->size)
			abort();
		for (uint64_t i = 0; record->code_at && i < record->code_size; i++)
			reading->sum += at[record->code_at + i];
	}
	if (record->kind == JITDUMP_LINES) {
		jitdump_lines(reading->header, record, take_line, reading);
		look_at_lines(reading, *record);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump_header header;
	struct jitdump_record record;
	struct reading reading = { .header = &header };
	struct err err;

	if (jitdump_header(data, size, &header, &err) < 0)
		return 0;
	for (size_t at = header.size; at < size; at += record.size) {
		if (jitdump_record(&header, data + at, size - at, size - at, &record) < 0)
			break;
		look(&reading, data + at, &record);
	}
	return reading.sum == 1 ? 1 : 0;
}
