/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_sample.h"

#include "perf/perf_record.h"

/* Reads @count words: in place, or in the other byte order swapped into the format's buffer. That
 * buffer holds more words than a record has, so there is always space. */
static const uint64_t *read_words(struct reader *body, const struct perf_format *format,
				  uint64_t count)
{
	const uint8_t *words;
	uint64_t *turned;

	/* No kernel writes a preceding length that is not a multiple of 8. */
	if (count > PERF_FORMAT_MAX_WORDS || count * 8 > reader_left(body) ||
	    (uintptr_t)body->at % 8) {
		body->bad = true;
		return NULL;
	}
	if (!format->swap_room)
		return reader_bytes(body, count * 8);
	/* Each later array has less left to read, so arrays placed from the end never overlap. */
	words = body->at;
	turned = format->swap_room + PERF_FORMAT_MAX_WORDS - (size_t)(body->end - words) / 8;
	for (uint64_t i = 0; i < count; i++)
		turned[i] = reader_u64(body);
	return turned;
}

/* PERF_SAMPLE_READ, in the layout of read(2). A group has its times before its members; a single
 * event has them between its value and its id. */
static void read_counts(struct reader *body, const struct perf_format *format,
			struct perf_read *read)
{
	uint64_t told = format->read_format;
	size_t times = !!(told & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(told & PERF_FORMAT_TOTAL_TIME_RUNNING);
	bool group = told & PERF_FORMAT_GROUP, has_id = told & PERF_FORMAT_ID;
	size_t each = 1U + has_id + !!(told & PERF_FORMAT_LOST) + (group ? 0 : times);
	uint64_t members = group ? reader_u64(body) : 1;

	if (group)
		reader_bytes(body, times * 8);
	if (members > PERF_FORMAT_MAX_WORDS) {
		body->bad = true;
		return;
	}
	read->words = read_words(body, format, members * each);
	read->count = read->words ? members : 0;
	read->step = each;
	read->id_at = !has_id ? 0 : group ? 1 : 1 + times;
}

static void read_chain(struct reader *body, const struct perf_format *format,
		       struct perf_sample *sample)
{
	sample->chain_length = reader_u64(body);
	sample->chain = read_words(body, format, sample->chain_length);
}

static void read_raw(struct reader *body, struct perf_sample *sample)
{
	sample->raw_size = reader_u32(body);
	sample->raw = reader_bytes(body, sample->raw_size);
}

static void read_branches(struct reader *body, const struct perf_format *format,
			  struct perf_sample *sample)
{
	const size_t words_each = sizeof(struct perf_branch) / 8;
	uint64_t count = reader_u64(body);

	if (format->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		reader_u64(body);
	if (count > PERF_FORMAT_MAX_WORDS)
		body->bad = true;
	else
		sample->branches.items =
			(const struct perf_branch *)read_words(body, format, count * words_each);
	sample->branches.count = count;
	if (format->branch_type & PERF_BRANCH_COUNTERS && !body->bad)
		reader_bytes(body, count * 8);
}

static void read_registers(struct reader *body, const struct perf_format *format, uint64_t mask,
			   struct perf_registers *registers)
{
	registers->abi = reader_u64(body);
	if (registers->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	registers->mask = mask;
	registers->count = (size_t)__builtin_popcountll(mask);
	registers->values = read_words(body, format, registers->count);
}

/* The size is what the event asked for. The number of bytes actually copied follows the bytes. */
static void read_stack(struct reader *body, struct perf_stack_dump *stack)
{
	uint64_t size = reader_u64(body), copied;

	if (size == 0)
		return;
	stack->bytes = reader_bytes(body, size);
	copied = reader_u64(body);
	stack->size = copied < size ? copied : size;
}

static void skip_aux(struct reader *body)
{
	reader_bytes(body, reader_u64(body));
}

static uint64_t read_if(struct reader *body, uint64_t has)
{
	return has ? reader_u64(body) : 0;
}

/* The one-word fields at the start of a sample. */
static void read_head(struct reader *body, const struct perf_format *format,
		      struct perf_record *record)
{
	uint64_t type = format->sample_type;
	uint64_t id;

	record->id = read_if(body, type & PERF_SAMPLE_IDENTIFIER);
	record->sample.ip = read_if(body, type & PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID) {
		record->pid = (int32_t)reader_u32(body);
		record->tid = (int32_t)reader_u32(body);
	}
	record->time_ns = read_if(body, type & PERF_SAMPLE_TIME);
	record->sample.addr = read_if(body, type & PERF_SAMPLE_ADDR);
	id = read_if(body, type & PERF_SAMPLE_ID);
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		record->id = id;
	read_if(body, type & PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU) {
		record->cpu = reader_u32(body);
		reader_u32(body); /* reserved */
	}
	record->sample.period = read_if(body, type & PERF_SAMPLE_PERIOD);
}

static void read_tail(struct reader *body, const struct perf_format *format,
		      struct perf_sample *sample)
{
	uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		read_registers(body, format, format->regs_user, &sample->user);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(body, &sample->stack);
	sample->weight = read_if(body, type & PERF_SAMPLE_WEIGHT_TYPE);
	sample->data_src = read_if(body, type & PERF_SAMPLE_DATA_SRC);
	sample->transaction = read_if(body, type & PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_registers(body, format, format->regs_intr, &sample->interrupted);
	sample->phys_addr = read_if(body, type & PERF_SAMPLE_PHYS_ADDR);
	sample->cgroup = read_if(body, type & PERF_SAMPLE_CGROUP);
	sample->data_page_size = read_if(body, type & PERF_SAMPLE_DATA_PAGE_SIZE);
	sample->code_page_size = read_if(body, type & PERF_SAMPLE_CODE_PAGE_SIZE);
	if (type & PERF_SAMPLE_AUX)
		skip_aux(body);
}

/* Fields after the call chain are rare: the samples of a live recording end before them. */
#define RARE                                                                        \
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT_TYPE | \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |   \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |  \
	 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)

void perf_sample_read(struct reader *body, const struct perf_format *format,
		      struct perf_record *record)
{
	struct perf_sample *sample = &record->sample;
	uint64_t type = format->sample_type;

	read_head(body, format, record);
	sample->context = CONTEXT_COUNT;
	if (type & PERF_SAMPLE_READ)
		read_counts(body, format, &sample->read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(body, format, sample);
	if (type & PERF_SAMPLE_RAW)
		read_raw(body, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(body, format, sample);
	if (type & RARE)
		read_tail(body, format, sample);
}
