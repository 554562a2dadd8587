/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"
#include "base/stream.h"
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
	VEC(struct mapping_message) mappings;
	VEC(struct function_message) functions;
	VEC(struct line_message) lines;
	VEC(struct location_message) locations;
	VEC(uint64_t) comments;
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
static void read_fields(struct reader reader, uint64_t *ret_fields, size_t count)
{
	struct protobuf_field field;

	memset(ret_fields, 0, count * sizeof(*ret_fields));
	while (protobuf_next(&reader, &field)) {
		if (field.number < count)
			ret_fields[field.number] = field.value;
	}
}

#define READ_MESSAGE(reader, message)            \
	read_fields((reader), (message)->fields, \
		    sizeof((message)->fields) / sizeof((message)->fields[0]))

static void add_location(struct messages *messages, struct reader reader)
{
	struct location_message *location = vec_push(&messages->locations);
	struct protobuf_field field;

	READ_MESSAGE(reader, location);
	location->first_line = (uint32_t)messages->lines.count;
	location->line_count = 0;
	while (protobuf_next(&reader, &field)) {
		if (field.number != PPROF_LOCATION_LINE || location->line_count >= PPROF_MAX_FRAMES)
			continue;
		READ_MESSAGE(field.bytes, vec_push(&messages->lines));
		location->line_count++;
	}
}

/* Texts in the file have no NUL at their end. */
static const char *read_string(struct pprof *pprof, struct reader reader)
{
	str_id id = strpool_intern_n(&pprof->pool, (const char *)reader.at, reader_left(&reader));

	return strpool_get(&pprof->pool, id);
}

static void add_comments(struct messages *messages, struct protobuf_field *field)
{
	bool started = false;
	uint64_t value;

	while (protobuf_each(field, &started, &value))
		*vec_push(&messages->comments) = value;
}

static void take_message(struct pprof *pprof, struct messages *messages, unsigned number,
			 struct reader message)
{
	if (number == PPROF_STRING)
		*vec_push(&pprof->strings) = read_string(pprof, message);
	else if (number == PPROF_SAMPLE)
		*vec_push(&pprof->samples) = message;
	else if (number == PPROF_SAMPLE_TYPE)
		READ_MESSAGE(message, vec_push(&messages->types));
	else if (number == PPROF_MAPPING)
		READ_MESSAGE(message, vec_push(&messages->mappings));
	else if (number == PPROF_FUNCTION)
		READ_MESSAGE(message, vec_push(&messages->functions));
	else if (number == PPROF_LOCATION)
		add_location(messages, message);
}

static int read_messages(struct pprof *pprof, struct messages *messages, struct err *err)
{
	struct reader reader = reader_make(pprof->bytes.bytes, pprof->bytes.size);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field)) {
		if (field.number == PPROF_TIME_NS)
			pprof->time_ns = (int64_t)field.value;
		else if (field.number == PPROF_DURATION_NS)
			pprof->duration_ns = (int64_t)field.value;
		else if (field.number == PPROF_COMMENT)
			add_comments(messages, &field);
		else if (field.type == PROTOBUF_BYTES)
			take_message(pprof, messages, field.number, field.bytes);
	}
	if (reader.bad)
		return err_set(err, -EBADMSG, "not a pprof profile, or corrupt");
	if (messages->types.count == 0 || pprof->strings.count == 0)
		return err_set(err, -EBADMSG, "not a pprof profile: it has no sample types");
	if (messages->types.count > PPROF_MAX_TYPES)
		return err_set(err, -EFBIG, "more than %d value types", PPROF_MAX_TYPES);
	return 0;
}

/* ---- tables ---- */

DEFINE_EQUAL(same_id, struct pprof_rows, ids.items, uint64_t, *a == *b)

/* Row 0 if the id is unknown. */
static uint32_t row_of(const struct pprof_rows *rows, uint64_t id)
{
	uint32_t row;

	return hashidx_find(&rows->index, hash_u64(id), same_id, rows, &id, &row) ? row : 0;
}

/* If an id occurs twice, the first one counts. */
static void add_id(struct pprof_rows *rows, uint64_t id)
{
	uint32_t row = (uint32_t)rows->ids.count;
	bool known = row > 0 && row_of(rows, id) > 0;

	*vec_push(&rows->ids) = id;
	if (row > 0 && !known)
		hashidx_add(&rows->index, hash_u64(id), row);
}

static void rows_done(struct pprof_rows *rows)
{
	hashidx_done(&rows->index);
	vec_free(&rows->ids);
}

static const char *text_of(const struct pprof *pprof, uint64_t string)
{
	return string < pprof->strings.count ? pprof->strings.items[string] : "";
}

static void add_mappings(struct pprof *pprof, const struct messages *messages,
			 struct pprof_rows *rows)
{
	add_id(rows, 0);
	*vec_push(&pprof->mappings) = (struct pprof_mapping){ .file = "", .build_id = "" };
	for (size_t i = 0; i < messages->mappings.count; i++) {
		const uint64_t *fields = messages->mappings.items[i].fields;

		add_id(rows, fields[PPROF_MAPPING_ID]);
		*vec_push(&pprof->mappings) = (struct pprof_mapping){
			.start = fields[PPROF_MAPPING_START],
			.limit = fields[PPROF_MAPPING_LIMIT],
			.offset = fields[PPROF_MAPPING_OFFSET],
			.file = text_of(pprof, fields[PPROF_MAPPING_FILE]),
			.build_id = text_of(pprof, fields[PPROF_MAPPING_BUILD_ID]),
		};
	}
}

static void add_functions(struct pprof *pprof, const struct messages *messages,
			  struct pprof_rows *rows)
{
	add_id(rows, 0);
	*vec_push(&pprof->functions) =
		(struct pprof_function){ .name = "", .linkage = "", .file = "" };
	for (size_t i = 0; i < messages->functions.count; i++) {
		const uint64_t *fields = messages->functions.items[i].fields;

		add_id(rows, fields[PPROF_FUNCTION_ID]);
		*vec_push(&pprof->functions) = (struct pprof_function){
			.name = text_of(pprof, fields[PPROF_FUNCTION_NAME]),
			.linkage = text_of(pprof, fields[PPROF_FUNCTION_LINKAGE]),
			.file = text_of(pprof, fields[PPROF_FUNCTION_FILE]),
		};
	}
}

static void add_locations(struct pprof *pprof, const struct messages *messages,
			  const struct pprof_rows *mappings)
{
	add_id(&pprof->location_rows, 0);
	*vec_push(&pprof->locations) = (struct pprof_location){ .mapping = 0 };
	for (size_t i = 0; i < messages->locations.count; i++) {
		const struct location_message *location = &messages->locations.items[i];

		add_id(&pprof->location_rows, location->fields[PPROF_LOCATION_ID]);
		*vec_push(&pprof->locations) = (struct pprof_location){
			.mapping = row_of(mappings, location->fields[PPROF_LOCATION_MAPPING]),
			.address = location->fields[PPROF_LOCATION_ADDRESS],
			.first_line = location->first_line,
			.line_count = location->line_count,
		};
	}
}

static void make_tables(struct pprof *pprof, const struct messages *messages)
{
	struct pprof_rows mappings = { 0 }, functions = { 0 };

	for (size_t i = 0; i < messages->types.count; i++) {
		const uint64_t *fields = messages->types.items[i].fields;

		*vec_push(&pprof->types) =
			(struct pprof_type){ text_of(pprof, fields[PPROF_TYPE_NAME]),
					     text_of(pprof, fields[PPROF_TYPE_UNIT]) };
	}
	add_mappings(pprof, messages, &mappings);
	add_functions(pprof, messages, &functions);
	add_locations(pprof, messages, &mappings);
	for (size_t i = 0; i < messages->lines.count; i++) {
		const uint64_t *fields = messages->lines.items[i].fields;

		*vec_push(&pprof->lines) =
			(struct pprof_line){ row_of(&functions, fields[PPROF_LINE_FUNCTION]),
					     fields[PPROF_LINE_NUMBER] };
	}
	for (size_t i = 0; i < messages->comments.count; i++)
		*vec_push(&pprof->comments) = text_of(pprof, messages->comments.items[i]);
	rows_done(&mappings);
	rows_done(&functions);
}

int pprof_read(struct perf_data_input *input, struct pprof *ret_pprof, struct err *err)
{
	struct messages messages = { 0 };
	int rc;

	*ret_pprof = (struct pprof){ .time_ns = 0 };
	rc = read_bytes(input, &ret_pprof->bytes, err);
	if (rc == 0)
		rc = read_messages(ret_pprof, &messages, err);
	if (rc == 0)
		make_tables(ret_pprof, &messages);
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

/* A plain file has no magic. But all of its fields must make sense, and what was sampled must be
 * among the first ones. */
bool pprof_is(const void *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);
	struct protobuf_field field;
	bool has_type = false;

	if (is_gzip(bytes, size))
		return true;
	while (protobuf_next(&reader, &field)) {
		bool is_number = field.number >= 7 && field.number != PPROF_PERIOD_TYPE;

		if (field.number > 32 ||
		    (field.number <= PPROF_DEFAULT_TYPE && field.number != PPROF_COMMENT &&
		     is_number == (field.type == PROTOBUF_BYTES)))
			return false;
		has_type |= field.number == PPROF_SAMPLE_TYPE;
	}
	return has_type;
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
	while (taken->values.count < pprof->types.count)
		*vec_push(&taken->values) = 0;
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
