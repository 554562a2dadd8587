/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof_fields.h"

#include <errno.h>

#include "model/pprof.h"

#define BIT(field) (1U << (field))

/* How the known fields of messages are encoded; bits are field numbers. */
static const struct {
	const char *kind;
	uint32_t numbers, bytes, lists; /* lists of numbers may be packed, as bytes, or not */
} shapes[] = {
	[PPROF_KIND_PROFILE] = { "the profile",
				 .numbers = BIT(PPROF_DROP_FRAMES) | BIT(PPROF_KEEP_FRAMES) |
					    BIT(PPROF_TIME_NS) | BIT(PPROF_DURATION_NS) |
					    BIT(PPROF_PERIOD) | BIT(PPROF_DEFAULT_TYPE),
				 .bytes = BIT(PPROF_SAMPLE_TYPE) | BIT(PPROF_SAMPLE) |
					  BIT(PPROF_MAPPING) | BIT(PPROF_LOCATION) |
					  BIT(PPROF_FUNCTION) | BIT(PPROF_STRING) |
					  BIT(PPROF_PERIOD_TYPE),
				 .lists = BIT(PPROF_COMMENT) },
	[PPROF_KIND_TYPE] = { "value type",
			      .numbers = BIT(PPROF_TYPE_NAME) | BIT(PPROF_TYPE_UNIT) },
	[PPROF_KIND_SAMPLE] = { "sample", .bytes = BIT(PPROF_SAMPLE_LABEL),
				.lists = BIT(PPROF_SAMPLE_LOCATION) | BIT(PPROF_SAMPLE_VALUE) },
	[PPROF_KIND_LABEL] = { "label of sample",
			       .numbers = BIT(PPROF_LABEL_KEY) | BIT(PPROF_LABEL_TEXT) |
					  BIT(PPROF_LABEL_NUMBER) | BIT(PPROF_LABEL_UNIT) },
	[PPROF_KIND_MAPPING] = { "mapping",
				 .numbers = BIT(PPROF_MAPPING_ID) | BIT(PPROF_MAPPING_START) |
					    BIT(PPROF_MAPPING_LIMIT) | BIT(PPROF_MAPPING_OFFSET) |
					    BIT(PPROF_MAPPING_FILE) | BIT(PPROF_MAPPING_BUILD_ID) |
					    BIT(PPROF_MAPPING_HAS_FUNCTIONS) |
					    BIT(PPROF_MAPPING_HAS_FILES) |
					    BIT(PPROF_MAPPING_HAS_LINES) |
					    BIT(PPROF_MAPPING_HAS_INLINES) },
	[PPROF_KIND_LOCATION] = { "location",
				  .numbers = BIT(PPROF_LOCATION_ID) | BIT(PPROF_LOCATION_MAPPING) |
					     BIT(PPROF_LOCATION_ADDRESS) |
					     BIT(PPROF_LOCATION_IS_FOLDED),
				  .bytes = BIT(PPROF_LOCATION_LINE) },
	[PPROF_KIND_LINE] = { "line of location",
			      .numbers = BIT(PPROF_LINE_FUNCTION) | BIT(PPROF_LINE_NUMBER) },
	[PPROF_KIND_FUNCTION] = { "function",
				  .numbers = BIT(PPROF_FUNCTION_ID) | BIT(PPROF_FUNCTION_NAME) |
					     BIT(PPROF_FUNCTION_LINKAGE) |
					     BIT(PPROF_FUNCTION_FILE) | BIT(PPROF_FUNCTION_LINE) },
};

const char *pprof_fields_kind(enum pprof_kind kind)
{
	return shapes[kind].kind;
}

bool pprof_fields_fit(enum pprof_kind kind, const struct protobuf_field *field)
{
	uint32_t bit = field->number < 32 ? BIT(field->number) : 0;

	if (shapes[kind].numbers & bit)
		return field->type == PROTOBUF_VARINT;
	if (shapes[kind].bytes & bit)
		return field->type == PROTOBUF_BYTES;
	return !(shapes[kind].lists & bit) || field->type == PROTOBUF_VARINT ||
	       field->type == PROTOBUF_BYTES;
}

bool pprof_fields_next(struct pprof_fault *fault, struct pprof_message *message,
		       struct protobuf_field *ret_field)
{
	const char *kind = shapes[message->kind].kind;

	if (protobuf_next(&message->reader, ret_field)) {
		if (pprof_fields_fit(message->kind, ret_field))
			return fault->rc == 0;
		if (message->kind == PPROF_KIND_PROFILE)
			PPROF_FAULT(fault, "field %u has the wrong type", ret_field->number);
		else
			PPROF_FAULT(fault, "%s %zu: field %u has the wrong type", kind,
				    message->number, ret_field->number);
	} else if (message->reader.bad) {
		if (message->kind == PPROF_KIND_PROFILE)
			PPROF_FAULT(fault, "it is truncated or corrupt");
		else
			PPROF_FAULT(fault, "%s %zu is truncated or corrupt", kind, message->number);
	}
	return false;
}

bool pprof_fields_number(struct pprof_fault *fault, const struct pprof_message *message,
			 struct protobuf_field *list, bool *started, uint64_t *ret_number)
{
	if (protobuf_each(list, started, ret_number))
		return true;
	if (list->type == PROTOBUF_BYTES && list->bytes.bad)
		PPROF_FAULT(fault, "%s %zu: the list in field %u is truncated or corrupt",
			    shapes[message->kind].kind, message->number, list->number);
	return false;
}
