/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "import/pprof_fields.h"
#include "model/pprof.h"

/* ---- bytes ---- */

static int add_bytes(void *context, const void *bytes, size_t size)
{
	struct buf *buf = context;

	if (size > PPROF_MAX_BYTES - buf->size)
		return -EFBIG;
	buf_add(buf, bytes, size);
	return 0;
}

static int next_bytes(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct perf_data_input *input = context;
	const uint8_t *bytes = NULL;

	/* The decoder no longer uses the bytes before. */
	*ret_size = perf_data_input_peek(input, PERF_DATA_BUFFER_BYTES, &bytes);
	*ret_bytes = bytes;
	return input->error;
}

static bool is_gzip(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

struct source {
	struct perf_data_input *input;
	size_t given;
};

static int give_bytes(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct source *source = context;

	perf_data_input_skip(source->input, source->given);
	if (next_bytes(source->input, ret_bytes, ret_size) < 0)
		return source->input->error;
	source->given = *ret_size;
	return 0;
}

static int read_plain(struct perf_data_input *input, struct buf *buf)
{
	const void *bytes;
	size_t size;
	int rc;

	while ((rc = next_bytes(input, &bytes, &size)) == 0 && size > 0) {
		rc = add_bytes(buf, bytes, size);
		if (rc < 0)
			return rc;
		perf_data_input_skip(input, size);
	}
	return rc;
}

static int read_bytes(struct perf_data_input *input, struct buf *buf, struct err *err)
{
	struct source source = { .input = input };
	const struct stream_inflate inflate = { .method = STREAM_GZIP,
						.source = give_bytes,
						.source_context = &source,
						.sink = add_bytes,
						.sink_context = buf,
						.most_bytes = PPROF_MAX_BYTES };
	const uint8_t *bytes;
	size_t there = perf_data_input_peek(input, 2, &bytes);
	int rc;

	if (is_gzip(bytes, there))
		return stream_inflate(&inflate, err);
	rc = read_plain(input, buf);
	if (rc == -EFBIG)
		err_set(err, rc, "more than %llu MiB", PPROF_MAX_BYTES >> 20);
	else if (rc < 0)
		err_set(err, rc, "%s", strerror(-rc));
	return rc;
}

/* ---- messages ---- */

/* Messages as they are in the file, by field number. Names are numbers, for the table of strings
 * may come later. */
struct type_message {
	uint64_t fields[PPROF_TYPE_UNIT + 1];
};

struct mapping_message {
	uint64_t fields[PPROF_MAPPING_BUILD_ID + 1];
};

struct function_message {
	uint64_t fields[PPROF_FUNCTION_FILE + 1];
};

struct line_message {
	uint64_t fields[PPROF_LINE_NUMBER + 1];
};

struct location_message {
	uint64_t fields[PPROF_LOCATION_ADDRESS + 1];
	uint32_t first_line, line_count;
};

struct messages {
	VEC(struct type_message) types;
	struct type_message period_type; /* only checked */
	VEC(struct mapping_message) mappings;
	VEC(struct function_message) functions;
	VEC(struct line_message) lines;
	VEC(struct location_message) locations;
	VEC(uint64_t) comments;
	uint64_t drop_frames, keep_frames, default_type; /* strings, only checked */
	struct pprof_fault fault;
};

static void messages_done(struct messages *messages)
{
	vec_free(&messages->types);
	vec_free(&messages->mappings);
	vec_free(&messages->functions);
	vec_free(&messages->lines);
	vec_free(&messages->locations);
	vec_free(&messages->comments);
}

/* Sets the @count fields of a message; skips others. */
static void read_fields(struct messages *messages, struct pprof_message message,
			uint64_t *ret_fields, size_t count)
{
	struct protobuf_field field;

	memset(ret_fields, 0, count * sizeof(*ret_fields));
	while (pprof_fields_next(&messages->fault, &message, &field)) {
		if (field.number < count)
			ret_fields[field.number] = field.value;
	}
}

#define READ_MESSAGE(messages, message, row)              \
	read_fields((messages), (message), (row)->fields, \
		    sizeof((row)->fields) / sizeof((row)->fields[0]))

#define READ_ROW(messages, rows, kind, reader)                                                    \
	READ_MESSAGE((messages), ((struct pprof_message){ (kind), (rows)->count + 1, (reader) }), \
		     vec_push(rows))

static void add_location(struct messages *messages, struct reader reader)
{
	size_t number = messages->locations.count + 1;
	struct location_message *location = vec_push(&messages->locations);
	struct pprof_message message = { PPROF_KIND_LOCATION, number, reader };
	struct protobuf_field field;

	READ_MESSAGE(messages, message, location);
	location->first_line = (uint32_t)messages->lines.count;
	location->line_count = 0;
	while (pprof_fields_next(&messages->fault, &message, &field)) {
		if (field.number != PPROF_LOCATION_LINE)
			continue;
		READ_MESSAGE(messages,
			     ((struct pprof_message){ PPROF_KIND_LINE, number, field.bytes }),
			     vec_push(&messages->lines));
		location->line_count++;
	}
}

/* Texts in the file have no NUL at their end. */
static void add_string(struct pprof *pprof, struct messages *messages, struct reader reader)
{
	str_id id = strpool_intern_n(&pprof->pool, (const char *)reader.at, reader_left(&reader));

	if (pprof->strings.count == 0 && reader_left(&reader) > 0)
		PPROF_FAULT(&messages->fault, "string 0 is not empty");
	*vec_push(&pprof->strings) = strpool_get(&pprof->pool, id);
}

static void add_comments(struct messages *messages, const struct pprof_message *message,
			 struct protobuf_field *field)
{
	bool started = false;
	uint64_t value;

	while (pprof_fields_number(&messages->fault, message, field, &started, &value))
		*vec_push(&messages->comments) = value;
}

static void take_message(struct pprof *pprof, struct messages *messages, unsigned number,
			 struct reader reader)
{
	if (number == PPROF_STRING)
		add_string(pprof, messages, reader);
	else if (number == PPROF_SAMPLE)
		*vec_push(&pprof->samples) = reader;
	else if (number == PPROF_SAMPLE_TYPE)
		READ_ROW(messages, &messages->types, PPROF_KIND_TYPE, reader);
	else if (number == PPROF_PERIOD_TYPE)
		READ_MESSAGE(messages, ((struct pprof_message){ PPROF_KIND_TYPE, 1, reader }),
			     &messages->period_type);
	else if (number == PPROF_MAPPING)
		READ_ROW(messages, &messages->mappings, PPROF_KIND_MAPPING, reader);
	else if (number == PPROF_FUNCTION)
		READ_ROW(messages, &messages->functions, PPROF_KIND_FUNCTION, reader);
	else if (number == PPROF_LOCATION)
		add_location(messages, reader);
}

static void take_number(struct pprof *pprof, struct messages *messages,
			const struct protobuf_field *field)
{
	switch (field->number) {
	case PPROF_TIME_NS:
		if (pprof->time_ns)
			PPROF_FAULT(&messages->fault, "several profiles in one file");
		pprof->time_ns = (int64_t)field->value;
		break;
	case PPROF_DURATION_NS:
		pprof->duration_ns = (int64_t)field->value;
		break;
	case PPROF_DROP_FRAMES:
		messages->drop_frames = field->value;
		break;
	case PPROF_KEEP_FRAMES:
		messages->keep_frames = field->value;
		break;
	case PPROF_DEFAULT_TYPE:
		messages->default_type = field->value;
		break;
	default:
		break;
	}
}

static int read_messages(struct pprof *pprof, struct messages *messages)
{
	struct pprof_message profile = { PPROF_KIND_PROFILE, 0,
					 reader_make(pprof->bytes.bytes, pprof->bytes.size) };
	struct protobuf_field field;

	while (pprof_fields_next(&messages->fault, &profile, &field)) {
		if (field.number == PPROF_COMMENT)
			add_comments(messages, &profile, &field);
		else if (field.type == PROTOBUF_BYTES)
			take_message(pprof, messages, field.number, field.bytes);
		else
			take_number(pprof, messages, &field);
	}
	if (messages->types.count == 0)
		PPROF_FAULT(&messages->fault, "it has no sample types");
	if (pprof->strings.count == 0)
		PPROF_FAULT(&messages->fault, "it has no strings");
	if (messages->fault.rc == 0 && messages->types.count > PPROF_MAX_TYPES)
		messages->fault.rc = err_set(messages->fault.err, -EFBIG,
					     "more than %d value types", PPROF_MAX_TYPES);
	return messages->fault.rc;
}

/* ---- tables ---- */

DEFINE_EQUAL(same_id, struct pprof_rows, ids.items, uint64_t, *a == *b)

/* Row 0 if the id is unknown. */
static uint32_t row_of(const struct pprof_rows *rows, uint64_t id)
{
	uint32_t row;

	return hashidx_find(&rows->index, hash_u64(id), same_id, rows, &id, &row) ? row : 0;
}

static void add_no_id(struct pprof_rows *rows)
{
	*vec_push(&rows->ids) = 0;
}

static void add_id(struct messages *messages, struct pprof_rows *rows, const char *kind,
		   uint64_t id)
{
	uint32_t row = (uint32_t)rows->ids.count;

	if (id == 0)
		PPROF_FAULT(&messages->fault, "%s %u has the id 0", kind, row);
	else if (row_of(rows, id) > 0)
		PPROF_FAULT(&messages->fault, "%s %u has the id %" PRIu64 " of %s %u", kind, row,
			    id, kind, row_of(rows, id));
	*vec_push(&rows->ids) = id;
	hashidx_add(&rows->index, hash_u64(id), row);
}

static void rows_done(struct pprof_rows *rows)
{
	hashidx_done(&rows->index);
	vec_free(&rows->ids);
}

/* "" if there is no such string. */
static const char *text_of(const struct pprof *pprof, uint64_t string)
{
	return string < pprof->strings.count ? pprof->strings.items[string] : "";
}

/* @number: of the message, from 1; 0: of the profile. */
static const char *check_text(const struct pprof *pprof, struct messages *messages,
			      const char *kind, size_t number, uint64_t string)
{
	if (string < pprof->strings.count)
		return pprof->strings.items[string];
	if (number)
		PPROF_FAULT(&messages->fault, "%s %zu: there is no string %" PRIu64, kind, number,
			    string);
	else
		PPROF_FAULT(&messages->fault, "%s: there is no string %" PRIu64, kind, string);
	return "";
}

static void add_types(struct pprof *pprof, struct messages *messages)
{
	for (size_t i = 0; i < messages->types.count; i++) {
		const uint64_t *fields = messages->types.items[i].fields;

		*vec_push(&pprof->types) = (struct pprof_type){
			check_text(pprof, messages, pprof_fields_kind(PPROF_KIND_TYPE), i + 1,
				   fields[PPROF_TYPE_NAME]),
			check_text(pprof, messages, pprof_fields_kind(PPROF_KIND_TYPE), i + 1,
				   fields[PPROF_TYPE_UNIT]),
		};
	}
}

static void add_mappings(struct pprof *pprof, struct messages *messages, struct pprof_rows *rows)
{
	const char *kind = pprof_fields_kind(PPROF_KIND_MAPPING);

	add_no_id(rows);
	*vec_push(&pprof->mappings) = (struct pprof_mapping){ .file = "", .build_id = "" };
	for (size_t i = 0; i < messages->mappings.count; i++) {
		const uint64_t *fields = messages->mappings.items[i].fields;

		add_id(messages, rows, kind, fields[PPROF_MAPPING_ID]);
		*vec_push(&pprof->mappings) = (struct pprof_mapping){
			.start = fields[PPROF_MAPPING_START],
			.limit = fields[PPROF_MAPPING_LIMIT],
			.offset = fields[PPROF_MAPPING_OFFSET],
			.file = check_text(pprof, messages, kind, i + 1,
					   fields[PPROF_MAPPING_FILE]),
			.build_id = check_text(pprof, messages, kind, i + 1,
					       fields[PPROF_MAPPING_BUILD_ID]),
		};
	}
}

static void add_functions(struct pprof *pprof, struct messages *messages, struct pprof_rows *rows)
{
	const char *kind = pprof_fields_kind(PPROF_KIND_FUNCTION);

	add_no_id(rows);
	*vec_push(&pprof->functions) =
		(struct pprof_function){ .name = "", .linkage = "", .file = "" };
	for (size_t i = 0; i < messages->functions.count; i++) {
		const uint64_t *fields = messages->functions.items[i].fields;

		add_id(messages, rows, kind, fields[PPROF_FUNCTION_ID]);
		*vec_push(&pprof->functions) = (struct pprof_function){
			.name = check_text(pprof, messages, kind, i + 1,
					   fields[PPROF_FUNCTION_NAME]),
			.linkage = check_text(pprof, messages, kind, i + 1,
					      fields[PPROF_FUNCTION_LINKAGE]),
			.file = check_text(pprof, messages, kind, i + 1,
					   fields[PPROF_FUNCTION_FILE]),
		};
	}
}

/* The mapping may be missing, the function of a line may not: so it is in "go tool pprof". */
static void add_lines(struct pprof *pprof, struct messages *messages,
		      const struct location_message *location, const struct pprof_rows *functions)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		const uint64_t *fields = messages->lines.items[location->first_line + i].fields;
		uint32_t function = row_of(functions, fields[PPROF_LINE_FUNCTION]);

		if (!function)
			PPROF_FAULT(&messages->fault,
				    "location with id %" PRIu64
				    ": there is no function with id %" PRIu64,
				    location->fields[PPROF_LOCATION_ID],
				    fields[PPROF_LINE_FUNCTION]);
		*vec_push(&pprof->lines) =
			(struct pprof_line){ function, fields[PPROF_LINE_NUMBER] };
	}
}

static void add_locations(struct pprof *pprof, struct messages *messages,
			  const struct pprof_rows *mappings, const struct pprof_rows *functions)
{
	add_no_id(&pprof->location_rows);
	*vec_push(&pprof->locations) = (struct pprof_location){ .mapping = 0 };
	for (size_t i = 0; i < messages->locations.count; i++) {
		const struct location_message *location = &messages->locations.items[i];

		add_id(messages, &pprof->location_rows, pprof_fields_kind(PPROF_KIND_LOCATION),
		       location->fields[PPROF_LOCATION_ID]);
		*vec_push(&pprof->locations) = (struct pprof_location){
			.mapping = row_of(mappings, location->fields[PPROF_LOCATION_MAPPING]),
			.address = location->fields[PPROF_LOCATION_ADDRESS],
			.first_line = location->first_line,
			.line_count = location->line_count < PPROF_MAX_FRAMES ? location->line_count
									      : PPROF_MAX_FRAMES,
		};
		add_lines(pprof, messages, location, functions);
	}
}

/* Texts of the profile itself. Only the comments are used. */
static void check_texts(struct pprof *pprof, struct messages *messages)
{
	for (size_t i = 0; i < messages->comments.count; i++)
		*vec_push(&pprof->comments) =
			check_text(pprof, messages, "comment", i + 1, messages->comments.items[i]);
	check_text(pprof, messages, "dropped frames", 0, messages->drop_frames);
	check_text(pprof, messages, "kept frames", 0, messages->keep_frames);
	check_text(pprof, messages, "default type", 0, messages->default_type);
	for (size_t i = PPROF_TYPE_NAME; i <= PPROF_TYPE_UNIT; i++)
		check_text(pprof, messages, "period type", 0, messages->period_type.fields[i]);
}

static int make_tables(struct pprof *pprof, struct messages *messages)
{
	struct pprof_rows mappings = { 0 }, functions = { 0 };

	add_types(pprof, messages);
	add_mappings(pprof, messages, &mappings);
	add_functions(pprof, messages, &functions);
	add_locations(pprof, messages, &mappings, &functions);
	check_texts(pprof, messages);
	rows_done(&mappings);
	rows_done(&functions);
	return messages->fault.rc;
}

/* ---- what samples refer to ---- */

static void check_label(const struct pprof *pprof, struct messages *messages, size_t number,
			struct reader reader)
{
	struct pprof_message message = { PPROF_KIND_LABEL, number, reader };
	uint64_t fields[PPROF_LABEL_UNIT + 1];

	read_fields(messages, message, fields, PPROF_LABEL_UNIT + 1);
	check_text(pprof, messages, pprof_fields_kind(PPROF_KIND_LABEL), number,
		   fields[PPROF_LABEL_KEY]);
	check_text(pprof, messages, pprof_fields_kind(PPROF_KIND_LABEL), number,
		   fields[PPROF_LABEL_TEXT]);
	if (!fields[PPROF_LABEL_TEXT])
		check_text(pprof, messages, pprof_fields_kind(PPROF_KIND_LABEL), number,
			   fields[PPROF_LABEL_UNIT]);
}

static void check_sample(const struct pprof *pprof, struct messages *messages, size_t number)
{
	struct pprof_message message = { PPROF_KIND_SAMPLE, number,
					 pprof->samples.items[number - 1] };
	struct protobuf_field field;
	size_t values = 0;
	uint64_t item;

	while (pprof_fields_next(&messages->fault, &message, &field)) {
		bool started = false;

		if (field.number == PPROF_SAMPLE_LABEL)
			check_label(pprof, messages, number, field.bytes);
		if (field.number != PPROF_SAMPLE_LOCATION && field.number != PPROF_SAMPLE_VALUE)
			continue;
		while (pprof_fields_number(&messages->fault, &message, &field, &started, &item)) {
			if (field.number == PPROF_SAMPLE_VALUE)
				values++;
			else if (row_of(&pprof->location_rows, item) == 0)
				PPROF_FAULT(&messages->fault,
					    "sample %zu: there is no location with id %" PRIu64,
					    number, item);
		}
	}
	if (values != pprof->types.count)
		PPROF_FAULT(&messages->fault, "sample %zu has %zu values for %zu sample types",
			    number, values, pprof->types.count);
}

static int check_samples(const struct pprof *pprof, struct messages *messages)
{
	for (size_t i = 0; messages->fault.rc == 0 && i < pprof->samples.count; i++)
		check_sample(pprof, messages, i + 1);
	return messages->fault.rc;
}

int pprof_read(struct perf_data_input *input, struct pprof *ret_pprof, struct err *err)
{
	struct messages messages = { .fault = { .err = err } };
	int rc;

	*ret_pprof = (struct pprof){ .time_ns = 0 };
	rc = read_bytes(input, &ret_pprof->bytes, err);
	if (rc == 0)
		rc = read_messages(ret_pprof, &messages);
	if (rc == 0)
		rc = make_tables(ret_pprof, &messages);
	if (rc == 0)
		rc = check_samples(ret_pprof, &messages);
	messages_done(&messages);
	return rc;
}

void pprof_done(struct pprof *pprof)
{
	buf_done(&pprof->bytes);
	strpool_done(&pprof->pool);
	vec_free(&pprof->strings);
	vec_free(&pprof->samples);
	vec_free(&pprof->comments);
	rows_done(&pprof->location_rows);
	vec_free(&pprof->types);
	vec_free(&pprof->mappings);
	vec_free(&pprof->functions);
	vec_free(&pprof->lines);
	vec_free(&pprof->locations);
}

/* True if the message may be a sample type: two strings. */
static bool is_type(struct reader reader)
{
	struct protobuf_field field;
	size_t strings = 0;

	while (protobuf_next(&reader, &field)) {
		if (field.number < PPROF_TYPE_NAME || field.number > PPROF_TYPE_UNIT ||
		    field.type != PROTOBUF_VARINT)
			return false;
		strings++;
	}
	return !reader.bad && strings > 0;
}

/* A plain file has no magic. But what was sampled must be among its first fields, and those before
 * must make sense. pprof_read says what is wrong with the others. */
bool pprof_is(const void *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);
	struct protobuf_field field;

	if (is_gzip(bytes, size))
		return true;
	while (protobuf_next(&reader, &field)) {
		if (field.number > 32 || !pprof_fields_fit(PPROF_KIND_PROFILE, &field))
			return false;
		if (field.number == PPROF_SAMPLE_TYPE && is_type(field.bytes))
			return true;
	}
	return false;
}

/* ---- samples ---- */

struct taken {
	VEC(uint32_t) locations;
	VEC(int64_t) values;
	VEC(struct pprof_label) labels;
};

static void take_locations(const struct pprof *pprof, struct protobuf_field *field,
			   struct taken *taken)
{
	bool started = false;
	uint64_t id;

	while (protobuf_each(field, &started, &id)) {
		if (taken->locations.count < PPROF_MAX_FRAMES)
			*vec_push(&taken->locations) = row_of(&pprof->location_rows, id);
	}
}

static void take_values(struct protobuf_field *field, struct taken *taken)
{
	bool started = false;
	uint64_t value;

	while (protobuf_each(field, &started, &value)) {
		if (taken->values.count < PPROF_MAX_TYPES)
			*vec_push(&taken->values) = (int64_t)value;
	}
}

static void take_label(const struct pprof *pprof, struct reader reader, struct taken *taken)
{
	struct pprof_label label = { .key = "", .text = "" };
	struct protobuf_field field;

	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_LABEL_KEY)
			label.key = text_of(pprof, field.value);
		else if (field.number == PPROF_LABEL_TEXT)
			label.text = text_of(pprof, field.value);
		else if (field.number == PPROF_LABEL_NUMBER)
			label.number = (int64_t)field.value;
	}
	if (taken->labels.count < PPROF_MAX_LABELS)
		*vec_push(&taken->labels) = label;
}

static void take_sample(const struct pprof *pprof, struct reader reader, struct taken *taken)
{
	struct protobuf_field field;

	taken->locations.count = taken->values.count = taken->labels.count = 0;
	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_SAMPLE_LOCATION)
			take_locations(pprof, &field, taken);
		else if (field.number == PPROF_SAMPLE_VALUE)
			take_values(&field, taken);
		else if (field.number == PPROF_SAMPLE_LABEL && field.type == PROTOBUF_BYTES)
			take_label(pprof, field.bytes, taken);
	}
}

int pprof_each(const struct pprof *pprof,
	       int (*take)(void *context, const struct pprof_sample *sample), void *context)
{
	struct taken taken = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pprof->samples.count; i++) {
		struct pprof_sample sample;

		take_sample(pprof, pprof->samples.items[i], &taken);
		sample = (struct pprof_sample){ .locations = taken.locations.items,
						.location_count = taken.locations.count,
						.values = taken.values.items,
						.labels = taken.labels.items,
						.label_count = taken.labels.count };
		rc = take(context, &sample);
	}
	vec_free(&taken.locations);
	vec_free(&taken.values);
	vec_free(&taken.labels);
	return rc;
}
