/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof_message.h"

#include <stdbool.h>
#include <stddef.h>

#include "model/pprof.h"

static struct told_type read_type(struct reader reader)
{
	struct told_type type = { 0 };
	struct protobuf_field field;

	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_TYPE_NAME)
			type.name = field.value;
		else if (field.number == PPROF_TYPE_UNIT)
			type.unit = field.value;
	}
	return type;
}

static struct told_mapping read_mapping(struct reader reader)
{
	struct told_mapping mapping = { 0 };
	struct protobuf_field field;
	uint64_t *const places[] = {
		[PPROF_MAPPING_ID] = &mapping.id,
		[PPROF_MAPPING_START] = &mapping.start,
		[PPROF_MAPPING_LIMIT] = &mapping.limit,
		[PPROF_MAPPING_OFFSET] = &mapping.offset,
		[PPROF_MAPPING_FILE] = &mapping.file,
		[PPROF_MAPPING_BUILD_ID] = &mapping.build_id,
	};

	while (protobuf_next(&reader, &field)) {
		if (field.number < sizeof(places) / sizeof(places[0]))
			*places[field.number] = field.value;
	}
	return mapping;
}

static struct told_function read_function(struct reader reader)
{
	struct told_function function = { 0 };
	struct protobuf_field field;
	uint64_t *const places[] = {
		[PPROF_FUNCTION_ID] = &function.id,
		[PPROF_FUNCTION_NAME] = &function.name,
		[PPROF_FUNCTION_LINKAGE] = &function.linkage,
		[PPROF_FUNCTION_FILE] = &function.file,
	};

	while (protobuf_next(&reader, &field)) {
		if (field.number < sizeof(places) / sizeof(places[0]))
			*places[field.number] = field.value;
	}
	return function;
}

static struct told_line read_line(struct reader reader)
{
	struct told_line line = { 0 };
	struct protobuf_field field;

	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_LINE_FUNCTION)
			line.function = field.value;
		else if (field.number == PPROF_LINE_NUMBER)
			line.line = field.value;
	}
	return line;
}

static struct told_location read_location(struct pprof *pprof, struct reader reader)
{
	struct told_location location = { .first_line = (uint32_t)pprof->told_lines.count };
	struct protobuf_field field;

	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			location.id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location.mapping = field.value;
		else if (field.number == PPROF_LOCATION_ADDRESS)
			location.address = field.value;
		else if (field.number == PPROF_LOCATION_LINE &&
			 location.line_count < PPROF_MAX_FRAMES) {
			*vec_push(&pprof->told_lines) = read_line(field.bytes);
			location.line_count++;
		}
	}
	return location;
}

/* Texts in the file have no NUL at their end. */
static const char *read_string(struct pprof *pprof, struct reader reader)
{
	str_id id = strpool_intern_n(&pprof->pool, (const char *)reader.at, reader_left(&reader));

	return strpool_get(&pprof->pool, id);
}

static void add_comments(struct pprof *pprof, struct protobuf_field *field)
{
	bool started = false;
	uint64_t value;

	while (protobuf_each(field, &started, &value))
		*vec_push(&pprof->comments) = value;
}

void pprof_message_take(struct pprof *pprof, struct protobuf_field *field)
{
	bool is_message = field->type == PROTOBUF_BYTES;

	if (field->number == PPROF_TIME_NS)
		pprof->time_ns = (int64_t)field->value;
	else if (field->number == PPROF_DURATION_NS)
		pprof->duration_ns = (int64_t)field->value;
	else if (field->number == PPROF_COMMENT)
		add_comments(pprof, field);
	else if (!is_message)
		return;
	else if (field->number == PPROF_STRING)
		*vec_push(&pprof->strings) = read_string(pprof, field->bytes);
	else if (field->number == PPROF_SAMPLE)
		*vec_push(&pprof->samples) = field->bytes;
	else if (field->number == PPROF_SAMPLE_TYPE)
		*vec_push(&pprof->told_types) = read_type(field->bytes);
	else if (field->number == PPROF_MAPPING)
		*vec_push(&pprof->told_mappings) = read_mapping(field->bytes);
	else if (field->number == PPROF_FUNCTION)
		*vec_push(&pprof->told_functions) = read_function(field->bytes);
	else if (field->number == PPROF_LOCATION)
		*vec_push(&pprof->told_locations) = read_location(pprof, field->bytes);
}
