/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"
#include "base/xalloc.h"
#include "import/pprof_message.h"
#include "model/pprof.h"

/* ---- ids ---- */

static bool same_id(const void *owner, uint32_t row, const void *key)
{
	return ((const struct id_rows *)owner)->ids.items[row] == *(const uint64_t *)key;
}

/* Row 0 if the id is unknown. */
static uint32_t row_of(const struct id_rows *rows, uint64_t id)
{
	uint32_t row;

	return hashidx_find(&rows->index, hash_u64(id), same_id, rows, &id, &row) ? row : 0;
}

/* If an id occurs twice, the first one counts. */
static void add_id(struct id_rows *rows, uint64_t id)
{
	uint32_t row = (uint32_t)rows->ids.count;
	bool known = row > 0 && row_of(rows, id) > 0;

	*vec_push(&rows->ids) = id;
	if (row > 0 && !known)
		hashidx_add(&rows->index, hash_u64(id), row);
}

static void id_rows_done(struct id_rows *rows)
{
	hashidx_done(&rows->index);
	vec_free(&rows->ids);
}

/* ---- tables ---- */

static const char *text_of(const struct pprof *pprof, uint64_t string)
{
	return string < pprof->strings.count ? pprof->strings.items[string] : "";
}

static void settle_mappings(struct pprof *pprof)
{
	add_id(&pprof->mapping_rows, 0);
	*vec_push(&pprof->mappings) = (struct pprof_mapping){ .file = "", .build_id = "" };
	for (size_t i = 0; i < pprof->told_mappings.count; i++) {
		const struct told_mapping *told = &pprof->told_mappings.items[i];

		add_id(&pprof->mapping_rows, told->id);
		*vec_push(&pprof->mappings) =
			(struct pprof_mapping){ .start = told->start,
						.limit = told->limit,
						.offset = told->offset,
						.file = text_of(pprof, told->file),
						.build_id = text_of(pprof, told->build_id) };
	}
}

static void settle_functions(struct pprof *pprof)
{
	add_id(&pprof->function_rows, 0);
	*vec_push(&pprof->functions) =
		(struct pprof_function){ .name = "", .linkage = "", .file = "" };
	for (size_t i = 0; i < pprof->told_functions.count; i++) {
		const struct told_function *told = &pprof->told_functions.items[i];

		add_id(&pprof->function_rows, told->id);
		*vec_push(&pprof->functions) =
			(struct pprof_function){ .name = text_of(pprof, told->name),
						 .linkage = text_of(pprof, told->linkage),
						 .file = text_of(pprof, told->file) };
	}
}

static void settle_locations(struct pprof *pprof)
{
	add_id(&pprof->location_rows, 0);
	*vec_push(&pprof->locations) = (struct pprof_location){ .mapping = 0 };
	for (size_t i = 0; i < pprof->told_lines.count; i++) {
		const struct told_line *told = &pprof->told_lines.items[i];

		*vec_push(&pprof->lines) = (struct pprof_line){
			.function = row_of(&pprof->function_rows, told->function),
			.line = told->line,
		};
	}
	for (size_t i = 0; i < pprof->told_locations.count; i++) {
		const struct told_location *told = &pprof->told_locations.items[i];

		add_id(&pprof->location_rows, told->id);
		*vec_push(&pprof->locations) =
			(struct pprof_location){ .mapping = row_of(&pprof->mapping_rows,
								   told->mapping),
						 .address = told->address,
						 .first_line = told->first_line,
						 .line_count = told->line_count };
	}
}

static int settle(struct pprof *pprof, struct err *err)
{
	if (pprof->told_types.count == 0 || pprof->strings.count == 0)
		return err_set(err, -EBADMSG, "not a pprof profile: it has no sample types");
	if (pprof->told_types.count > PPROF_MAX_TYPES)
		return err_set(err, -EFBIG, "more than %d value types", PPROF_MAX_TYPES);
	for (size_t i = 0; i < pprof->told_types.count; i++) {
		const struct told_type *told = &pprof->told_types.items[i];

		*vec_push(&pprof->types) = (struct pprof_type){ text_of(pprof, told->name),
								text_of(pprof, told->unit) };
	}
	settle_mappings(pprof);
	settle_functions(pprof);
	settle_locations(pprof);
	return 0;
}

static int parse(struct pprof *pprof, struct err *err)
{
	struct reader reader = reader_make(pprof->bytes.bytes, pprof->bytes.size);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field))
		pprof_message_take(pprof, &field);
	if (reader.bad)
		return err_set(err, -EBADMSG, "not a pprof profile, or corrupt");
	return settle(pprof, err);
}

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
	const struct inflate inflate = { .method = INFLATE_GZIP,
					 .source = give_bytes,
					 .source_context = &source,
					 .sink = add_bytes,
					 .sink_context = buf,
					 .most_bytes = PPROF_MAX_BYTES };
	const uint8_t *bytes;
	size_t there = perf_data_input_peek(input, 2, &bytes);
	int rc;

	if (is_gzip(bytes, there))
		return inflate_run(&inflate, err);
	rc = read_plain(input, buf);
	if (rc == -EFBIG)
		err_set(err, rc, "more than %llu MiB", PPROF_MAX_BYTES >> 20);
	else if (rc < 0)
		err_set(err, rc, "%s", strerror(-rc));
	return rc;
}

int pprof_read(struct perf_data_input *input, struct pprof **ret_pprof, struct err *err)
{
	struct pprof *pprof = xcalloc(1, sizeof(*pprof));
	int rc = read_bytes(input, &pprof->bytes, err);

	if (rc == 0)
		rc = parse(pprof, err);
	if (rc == 0)
		*ret_pprof = pprof;
	else
		pprof_free(pprof);
	return rc;
}

void pprof_free(struct pprof *pprof)
{
	if (!pprof)
		return;
	buf_done(&pprof->bytes);
	strpool_done(&pprof->pool);
	vec_free(&pprof->strings);
	vec_free(&pprof->told_types);
	vec_free(&pprof->told_mappings);
	vec_free(&pprof->told_functions);
	vec_free(&pprof->told_lines);
	vec_free(&pprof->told_locations);
	vec_free(&pprof->samples);
	vec_free(&pprof->comments);
	id_rows_done(&pprof->mapping_rows);
	id_rows_done(&pprof->function_rows);
	id_rows_done(&pprof->location_rows);
	vec_free(&pprof->types);
	vec_free(&pprof->mappings);
	vec_free(&pprof->functions);
	vec_free(&pprof->lines);
	vec_free(&pprof->locations);
	free(pprof);
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

/* ---- access ---- */

const struct pprof_type *pprof_types(const struct pprof *pprof, size_t *ret_count)
{
	*ret_count = pprof->types.count;
	return pprof->types.items;
}

const struct pprof_mapping *pprof_mapping(const struct pprof *pprof, uint32_t row)
{
	return &pprof->mappings.items[row];
}

const struct pprof_function *pprof_function(const struct pprof *pprof, uint32_t row)
{
	return &pprof->functions.items[row];
}

const struct pprof_location *pprof_location(const struct pprof *pprof, uint32_t row)
{
	return &pprof->locations.items[row];
}

const struct pprof_line *pprof_lines(const struct pprof *pprof,
				     const struct pprof_location *location)
{
	return &pprof->lines.items[location->first_line];
}

size_t pprof_location_count(const struct pprof *pprof)
{
	return pprof->locations.count;
}

size_t pprof_mapping_count(const struct pprof *pprof)
{
	return pprof->mappings.count;
}

const char *pprof_comment(const struct pprof *pprof, size_t index)
{
	return index < pprof->comments.count ? text_of(pprof, pprof->comments.items[index]) : NULL;
}

int64_t pprof_time_ns(const struct pprof *pprof)
{
	return pprof->time_ns;
}

int64_t pprof_duration_ns(const struct pprof *pprof)
{
	return pprof->duration_ns;
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
