/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <byteswap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/perf_record.h"
#include "perf/perf_sample.h"
#include "perf/records.h"

#define ALL ((uint64_t)(PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT)

static const struct perf_format all = {
	.sample_type = ALL,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
	.branch_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS,
	.regs_user = 0x105,
	.regs_intr = 0x8,
	.sample_id_all = true,
};

static void made_words(struct made_record *made, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		made_u64(made, first + i);
}

/* Every field there is, in the order of the kernel's perf_output_sample(). */
static void made_full(struct made_record *made)
{
	made_begin(made);
	made_u64(made, 79);  /* identifier */
	made_u64(made, 100); /* ip */
	made_u32(made, 5);
	made_u32(made, 6);
	made_u64(made, 101); /* time */
	made_u64(made, 102); /* addr */
	made_u64(made, 79);  /* id */
	made_u64(made, 103); /* stream */
	made_u32(made, 3);
	made_u32(made, 0);
	made_u64(made, 104);	  /* period */
	made_u64(made, 2);	  /* read: a group of two */
	made_words(made, 105, 5); /* time running, (value, id) each */
	made_u64(made, 2);	  /* chain */
	made_words(made, 110, 2);
	made_u32(made, 12); /* raw */
	made_add(made, "raw bytes...", 12);
	made_u64(made, 1); /* branches, index, from to flags, counters */
	made_u64(made, 7);
	made_words(made, 120, 3);
	made_u64(made, 8);
	made_u64(made, PERF_SAMPLE_REGS_ABI_64);
	made_words(made, 130, 3);
	made_u64(made, 16); /* stack */
	made_add(made, "stack of 16 byte", 16);
	made_u64(made, 9);
	made_words(made, 140, 3); /* weight, data_src, transaction */
	made_u64(made, PERF_SAMPLE_REGS_ABI_32);
	made_u64(made, 150);
	made_words(made, 160, 4); /* phys_addr, cgroup, data and code page size */
	made_u64(made, 8);	  /* aux */
	made_u64(made, 99);
	made_end(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void check_full(const struct perf_record *record)
{
	const struct perf_sample *sample = &record->sample;

	assert_int_equal(record->id, 79);
	assert_int_equal(record->pid, 5);
	assert_int_equal(record->tid, 6);
	assert_int_equal(record->time_ns, 101);
	assert_int_equal(record->cpu, 3);
	assert_int_equal(sample->ip, 100);
	assert_int_equal(sample->addr, 102);
	assert_int_equal(sample->period, 104);
	assert_int_equal(sample->read.count, 2);
	assert_int_equal(sample->read.step, 2);
	assert_int_equal(sample->read.id_at, 1);
	assert_int_equal(sample->read.words[2], 108);
	assert_int_equal(sample->chain_length, 2);
	assert_int_equal(sample->chain[1], 111);
	assert_int_equal(sample->raw_size, 12);
	assert_memory_equal(sample->raw, "raw bytes...", 12);
	assert_int_equal(sample->branches.count, 1);
	assert_int_equal(sample->branches.items[0].from, 120);
	assert_int_equal(sample->branches.items[0].flags, 122);
	assert_int_equal(sample->user.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(sample->user.mask, 0x105);
	assert_int_equal(sample->user.count, 3);
	assert_int_equal(sample->user.values[2], 132);
	assert_int_equal(sample->stack.size, 9);
	assert_memory_equal(sample->stack.bytes, "stack of ", 9);
	assert_int_equal(sample->weight, 140);
	assert_int_equal(sample->data_src, 141);
	assert_int_equal(sample->transaction, 142);
	assert_int_equal(sample->interrupted.values[0], 150);
	assert_int_equal(sample->phys_addr, 160);
	assert_int_equal(sample->cgroup, 161);
	assert_int_equal(sample->data_page_size, 162);
	assert_int_equal(sample->code_page_size, 163);
}

static void every_field_is_found(void **state)
{
	struct made_record made;
	struct perf_record record;

	made_full(&made);
	assert_int_equal(perf_record_read(made.words, made.size, &all, &record), 0);
	check_full(&record);
	assert_int_equal(perf_record_time(made.words, made.size, &all), 101);
	assert_int_equal(perf_record_id(made.words, made.size, &all), 79);
}

/* The record as a machine of the other byte order writes it: pairs of 32 bits are two numbers, and
 * text is no number. */
static void turn(struct made_record *made)
{
	const size_t pairs[] = { 3, 8 }, raw = 19;
	struct perf_event_header header;
	uint8_t raw_bytes[16], stack[16];
	size_t stack_word = raw + 2 + 6 + 4 + 1;

	memcpy(&header, made->words, sizeof(header));
	memcpy(raw_bytes, made->words + raw, 16);
	memcpy(stack, made->words + stack_word, 16);
	for (size_t i = 1; i < made->size / 8; i++)
		made->words[i] = bswap_64(made->words[i]);
	for (size_t i = 0; i < 2; i++)
		made->words[pairs[i]] = made->words[pairs[i]] << 32 | made->words[pairs[i]] >> 32;
	memcpy(made->words + raw, raw_bytes, 16);
	memcpy(made->words + stack_word, stack, 16);
	*(uint32_t *)(made->words + raw) = bswap_32(*(uint32_t *)(made->words + raw));
	header.type = bswap_32(header.type);
	header.misc = bswap_16(header.misc);
	header.size = bswap_16(header.size);
	memcpy(made->words, &header, sizeof(header));
}

static void the_other_byte_order_says_the_same(void **state)
{
	struct perf_format format = all;
	struct made_record made;
	struct perf_record record;

	format.swap_room = malloc(PERF_FORMAT_MAX_WORDS * 8);
	made_full(&made);
	turn(&made);
	assert_int_equal(perf_record_read(made.words, made.size, &format, &record), 0);
	check_full(&record);
	assert_int_equal(perf_record_time(made.words, made.size, &format), 101);
	assert_int_equal(perf_record_id(made.words, made.size, &format), 79);
	free(format.swap_room);
}

/* Whatever a word says, nothing is read beyond the record (the sanitizers watch). */
static void lengths_that_lie_are_refused_or_fit(void **state)
{
	static const uint64_t lies[] = { 0, 3, 1 << 20, UINT64_MAX / 8 + 2, UINT64_MAX };
	struct perf_format formats[] = { all, all };
	struct made_record made;
	struct perf_record record;

	formats[1].swap_room = malloc(PERF_FORMAT_MAX_WORDS * 8);
	made_full(&made);
	for (size_t word = 1; word < made.size / 8; word++) {
		for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]) * 2; i++) {
			uint64_t *copy = malloc(made.size);

			memcpy(copy, made.words, made.size);
			copy[word] = lies[i / 2];
			if (i % 2) {
				copy[0] = bswap_32(PERF_RECORD_SAMPLE) |
					  (uint64_t)bswap_16((uint16_t)made.size) << 48;
				copy[word] = bswap_64(copy[word]);
			}
			(void)perf_record_read(copy, made.size, &formats[i % 2], &record);
			free(copy);
		}
	}
	free(formats[1].swap_room);
}

/* Counts of one event: its times stand between the value and the id. */
static void counts_of_one_event_are_found(void **state)
{
	const struct perf_format format = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct made_record made;
	struct perf_record record;
	uint64_t id, value;

	made_begin(&made);
	made_u64(&made, 79);
	made_words(&made, 200, 5); /* value, times, id, lost */
	made_end(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	assert_int_equal(perf_record_read(made.words, made.size, &format, &record), 0);
	assert_int_equal(record.sample.read.count, 1);
	assert_true(perf_reads_member(&record.sample.read, 0, &id, &value));
	assert_int_equal(id, 203);
	assert_int_equal(value, 200);
	assert_false(perf_reads_member(&record.sample.read, 1, &id, &value));
}

/* Old events: no identifier, an id in the middle, no trailer besides what the body has. */
static void old_formats_are_understood(void **state)
{
	const struct perf_format format = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							   PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
							   PERF_SAMPLE_CPU };
	struct perf_format with_trailer = format;
	struct made_record made;
	struct perf_record record;

	made_begin(&made);
	made_u64(&made, 0x400000);
	made_u32(&made, 5);
	made_u32(&made, 6);
	made_u64(&made, 1234);
	made_u64(&made, 42);
	made_u64(&made, 1);
	made_end(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	assert_int_equal(perf_record_id(made.words, made.size, &format), 42);
	assert_int_equal(perf_record_time(made.words, made.size, &format), 1234);
	assert_int_equal(perf_record_read(made.words, made.size, &format, &record), 0);
	assert_int_equal(record.id, 42);
	made_begin(&made);
	made_u32(&made, 11);
	made_u32(&made, 10);
	made_u32(&made, 13);
	made_u32(&made, 12);
	made_u64(&made, 999);
	made_end(&made, PERF_RECORD_EXIT, 0);
	assert_int_equal(perf_record_read(made.words, made.size, &format, &record), 0);
	assert_int_equal(record.time_ns, 999);
	assert_int_equal(perf_record_id(made.words, made.size, &format), 0);
	with_trailer.sample_id_all = true;
	made_u64(&made, 7);
	made_u64(&made, 55);
	made_u64(&made, 42);
	made_u64(&made, 3);
	made_end(&made, PERF_RECORD_EXIT, 0);
	assert_int_equal(perf_record_read(made.words, made.size, &with_trailer, &record), 0);
	assert_int_equal(record.time_ns, 55);
	assert_int_equal(record.id, 42);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(perf_record_id(made.words, made.size, &with_trailer), 42);
	assert_int_equal(perf_record_time(made.words, made.size, &with_trailer), 55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_found),
		cmocka_unit_test(the_other_byte_order_says_the_same),
		cmocka_unit_test(lengths_that_lie_are_refused_or_fit),
		cmocka_unit_test(counts_of_one_event_are_found),
		cmocka_unit_test(old_formats_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
