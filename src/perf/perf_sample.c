/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_sample.h"

#include <elf.h>

#include "perf/perf_record.h"

/* ---- where records have time and id ---- */

#define TRAILER                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define BEFORE_TIME (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define BEFORE_ID   (BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
/* Fields of the trailer from the named one to the record's end. */
#define FROM_TIME (TRAILER & ~PERF_SAMPLE_TID)
#define FROM_ID	  (FROM_TIME & ~PERF_SAMPLE_TIME)

struct perf_format perf_format_of(const struct perf_event_attr *attr)
{
	return (struct perf_format){ .sample_type = attr->sample_type,
				     .read_format = attr->read_format,
				     .branch_type = attr->branch_sample_type,
				     .regs_user = attr->sample_regs_user,
				     .regs_intr = attr->sample_regs_intr,
				     .sample_id_all = attr->sample_id_all };
}

/* Every one of these fields is one word. */
static size_t bytes_of(const struct perf_format *format, uint64_t fields)
{
	return 8 * (size_t)__builtin_popcountll(format->sample_type & fields);
}

size_t perf_format_trailer_size(const struct perf_format *format)
{
	return format->sample_id_all ? bytes_of(format, TRAILER) : 0;
}

bool perf_format_time_at(const struct perf_format *format, bool sample, size_t *ret_bytes)
{
	if (!(format->sample_type & PERF_SAMPLE_TIME) || (!sample && !format->sample_id_all))
		return false;
	*ret_bytes = sample ? sizeof(struct perf_event_header) + bytes_of(format, BEFORE_TIME)
			    : bytes_of(format, FROM_TIME);
	return true;
}

bool perf_format_id_at(const struct perf_format *format, bool sample, size_t *ret_bytes)
{
	if (!sample && !format->sample_id_all)
		return false;
	if (format->sample_type & PERF_SAMPLE_IDENTIFIER)
		*ret_bytes = sample ? sizeof(struct perf_event_header) : 8;
	else if (format->sample_type & PERF_SAMPLE_ID)
		*ret_bytes = sample ? sizeof(struct perf_event_header) + bytes_of(format, BEFORE_ID)
				    : bytes_of(format, FROM_ID);
	else
		return false;
	return true;
}

/* ---- a sample ---- */

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

/* ---- counts ---- */

DEFINE_EQUAL(is_same, struct perf_reads, list.items, struct perf_reads_last,
	     a->id == b->id && a->tid == b->tid)

void perf_reads_done(struct perf_reads *reads)
{
	vec_free(&reads->list);
	hashidx_done(&reads->index);
}

bool perf_reads_member(const struct perf_read *read, size_t member, uint64_t *ret_id,
		       uint64_t *ret_value)
{
	const uint64_t *words;

	if (member >= read->count || !read->id_at)
		return false;
	words = read->words + member * read->step;
	*ret_id = words[read->id_at];
	*ret_value = words[0];
	return true;
}

bool perf_reads_since(struct perf_reads *reads, uint64_t id, int32_t tid, uint64_t value,
		      uint64_t *ret_count)
{
	struct perf_reads_last now = { .id = id, .tid = tid, .value = value }, *last;
	uint64_t hash = hash_combine(hash_u64(id), (uint32_t)tid);
	uint32_t at;

	if (!hashidx_find(&reads->index, hash, is_same, reads, &now, &at)) {
		if (reads->list.count >= PERF_READS_MAX)
			return false;
		hashidx_add(&reads->index, hash, (uint32_t)reads->list.count);
		*vec_push(&reads->list) = now;
		*ret_count = value;
		return true;
	}
	/* If the value went down, the counter is a new one. */
	last = &reads->list.items[at];
	*ret_count = value >= last->value ? value - last->value : value;
	last->value = value;
	return true;
}

/* ---- registers ---- */

enum {
	X86_IP = 8,
	X86_R8 = 16,
	X86_KNOWN = 24,
	X86_DWARF_SP = 7,
	ARM64_PC = 32,
	ARM64_DWARF_SP = 31,
	NOT_WANTED = -1,
};

/* From perf's ax bx cx dx si di bp sp to DWARF numbers: x86-64 psABI, figure 3.36. */
static const int8_t x86_dwarf[X86_IP] = { 0, 3, 2, 1, 4, 5, 6, 7 };

/* The DWARF number of perf's register @number; NOT_WANTED if the unwinder does not use it. */
static int dwarf_number(uint16_t machine, unsigned number)
{
	if (machine == EM_AARCH64)
		return number < ARM64_PC ? (int)number : NOT_WANTED;
	if (number < X86_IP)
		return x86_dwarf[number];
	return number >= X86_R8 && number < X86_KNOWN ? (int)(number - X86_R8) + 8 : NOT_WANTED;
}

uint64_t perf_registers_mask(uint16_t machine)
{
	uint64_t mask = 0;

	if (machine == EM_AARCH64)
		return (1ULL << (ARM64_PC + 1)) - 1;
	for (unsigned i = 0; machine == EM_X86_64 && i < X86_KNOWN; i++) {
		if (i == X86_IP || dwarf_number(machine, i) != NOT_WANTED)
			mask |= 1ULL << i;
	}
	return mask;
}

unsigned perf_registers_sp(uint16_t machine)
{
	return machine == EM_AARCH64 ? ARM64_DWARF_SP : X86_DWARF_SP;
}

bool perf_registers_for_unwinding(const struct perf_registers *registers, uint16_t machine,
				  struct unwind_registers *ret_registers)
{
	struct unwind_registers found = { 0 };
	unsigned pc = machine == EM_AARCH64 ? ARM64_PC : X86_IP;
	size_t next = 0;

	if (registers->abi != PERF_SAMPLE_REGS_ABI_64 ||
	    (machine != EM_X86_64 && machine != EM_AARCH64))
		return false;
	for (unsigned i = 0; i < 64 && next < registers->count; i++) {
		int number = dwarf_number(machine, i);
		uint64_t value;

		if (!(registers->mask >> i & 1))
			continue;
		value = registers->values[next++];
		if (i == pc)
			found.pc = value;
		if (number == NOT_WANTED)
			continue;
		found.values[number] = value;
		found.known |= 1ULL << number;
	}
	*ret_registers = found;
	return registers->mask >> pc & 1 && found.known >> perf_registers_sp(machine) & 1;
}
