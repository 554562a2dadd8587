/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "perf/perf_record.h"
#include "perf/records.h"

static const struct perf_format live = { .sample_type = PERF_RECORD_SAMPLE_TYPE,
					 .sample_id_all = true };

static struct perf_record read_ok(const struct made_record *made)
{
	struct perf_record record;

	assert_int_equal(perf_record_read(made->words, made->size, &live, &record), 0);
	return record;
}

static void a_sample_has_all_its_fields(void **state)
{
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
				   0xffffffff81000020 };
	struct made_record made;
	struct perf_record record;

	made_sample(&made, 123456789, 0x401000, chain, 3);
	record = read_ok(&made);
	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.cpu_mode, PERF_RECORD_MISC_USER);
	assert_int_equal(record.id, 79);
	assert_int_equal(record.pid, 5);
	assert_int_equal(record.tid, 6);
	assert_int_equal(record.time_ns, 123456789);
	assert_int_equal(record.cpu, 1);
	assert_int_equal(record.sample.ip, 0x401000);
	assert_int_equal(record.sample.period, 1003009);
	assert_int_equal(record.sample.chain_length, 3);
	assert_int_equal(record.sample.chain[2], chain[2]);
	assert_int_equal(perf_record_time(made.words, made.size, &live), 123456789);
}

static void a_chain_longer_than_its_record_is_refused(void **state)
{
	struct made_record made;
	struct perf_record record;

	made_sample(&made, 1, 2, NULL, 3);
	assert_true(perf_record_read(made.words, made.size, &live, &record) < 0);
	made_sample(&made, 1, 2, NULL, UINT64_MAX / 8 + 2);
	assert_true(perf_record_read(made.words, made.size, &live, &record) < 0);
}

static void mappings_carry_one_of_two_identities(void **state)
{
	const uint8_t build_id[20] = { 1, 2, 3, 4, [19] = 20 };
	struct made_record made;
	struct perf_record record;

	made_mmap(&made, 10, 0x7f0000000000, NULL);
	record = read_ok(&made);
	assert_int_equal(record.mmap.dev, makedev(8, 1));
	assert_int_equal(record.mmap.inode, 99);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.offset, 0x2000);
	assert_string_equal(record.mmap.path, "/bin/thing");
	made_mmap(&made, 10, 0x7f0000000000, build_id);
	record = read_ok(&made);
	assert_int_equal(record.mmap.inode, 0);
	assert_int_equal(record.mmap.build_id_size, 20);
	assert_memory_equal(record.mmap.build_id, build_id, 20);
}

/* The kernel leaves the flag of a build id in records that have none: of a file on /dev/sda1 there
 * are then 8 bytes of something, of one on a disk of another kind more than any id has. */
static void a_flag_alone_makes_no_build_id(void **state)
{
	const uint32_t majors[] = { 0, 8, 20, 21, 254, 259 };

	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++) {
		struct made_record made;
		struct perf_record record;

		made_mmap(&made, 10, 0x7f0000000000, NULL);
		memcpy((char *)made.words + MADE_MMAP_IDENTITY_AT, &majors[i], sizeof(majors[i]));
		made_set_misc(&made, MADE_MISC_BUILD_ID);
		record = read_ok(&made);
		assert_int_equal(record.mmap.build_id_size, 0);
		assert_int_equal(record.mmap.dev, makedev(majors[i], 1));
		assert_int_equal(record.mmap.inode, 99);
	}
}

/* As lld makes them when asked for fast ones. */
static void build_ids_may_be_short(void **state)
{
	const uint8_t build_id[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t size = 8;
	struct made_record made;
	struct perf_record record;

	made_mmap(&made, 10, 0x7f0000000000, build_id);
	memcpy((char *)made.words + MADE_MMAP_IDENTITY_AT, &size, sizeof(size));
	record = read_ok(&made);
	assert_int_equal(record.mmap.build_id_size, size);
	assert_memory_equal(record.mmap.build_id, build_id, size);
}

/* The layout of Linux 3.12: the path stands where protection and flags are today. */
static void old_mappings_have_no_protection(void **state)
{
	struct made_record made;
	struct perf_record record;

	made_begin(&made);
	made_u32(&made, 5);
	made_u32(&made, 6);
	made_u64(&made, 0x1000);
	made_u64(&made, 0x2000);
	made_u64(&made, 0x3000);
	made_u32(&made, 8);
	made_u32(&made, 1);
	made_u64(&made, 99);
	made_u64(&made, 0);
	made_text(&made, "/bin/true");
	made_trailer(&made, 5, 6, 10, 0, 78);
	made_end(&made, PERF_RECORD_MMAP2, 0);
	record = read_ok(&made);
	assert_string_equal(record.mmap.path, "/bin/true");
	assert_int_equal(record.mmap.offset, 0x3000);
	assert_int_equal(record.mmap.inode, 99);
	assert_true(record.mmap.executable);
}

static void a_comm_tells_exec_from_prctl(void **state)
{
	struct made_record made;

	made_comm(&made, 10, 5, "name", PERF_RECORD_MISC_COMM_EXEC);
	assert_true(read_ok(&made).comm.exec);
	made_comm(&made, 10, 5, "name", 0);
	assert_false(read_ok(&made).comm.exec);
	assert_string_equal(read_ok(&made).comm.comm, "name");
}

/* The kernel adds the size of the trailer again for each event that got the record before. */
static void kernel_symbols_of_several_events_end_where_they_end(void **state)
{
	for (int too_large = 0; too_large <= 2; too_large++) {
		struct made_record made;
		struct perf_record record;

		made_begin(&made);
		made_u64(&made, 0xffffffffc0000000);
		made_u32(&made, 64);
		made_u32(&made, 1 | 1 << 16);
		made_text(&made, "bpf_prog_of_8_");
		made_trailer(&made, 10, 12, 55, 3, 78);
		for (int i = 0; i < too_large * 4; i++)
			made_u64(&made, 0x1234567890abcdef);
		made_end(&made, PERF_RECORD_KSYMBOL, 0);
		record = read_ok(&made);
		assert_int_equal(record.time_ns, 55);
		assert_int_equal(record.id, 78);
		assert_int_equal(record.ksymbol.size, 64);
		assert_true(record.ksymbol.removed);
		assert_string_equal(record.ksymbol.name, "bpf_prog_of_8_");
		assert_int_equal(perf_record_time(made.words, made.size, &live), 55);
		assert_int_equal(perf_record_id(made.words, made.size, &live), 78);
	}
}

static void a_fork_names_child_and_parent(void **state)
{
	struct made_record made;
	struct perf_record record;

	made_begin(&made);
	made_u32(&made, 11);
	made_u32(&made, 10);
	made_u32(&made, 13);
	made_u32(&made, 12);
	made_u64(&made, 999);
	made_trailer(&made, 10, 12, 55, 3, 78);
	made_end(&made, PERF_RECORD_FORK, 0);
	record = read_ok(&made);
	assert_int_equal(record.pid, 11);
	assert_int_equal(record.tid, 13);
	assert_int_equal(record.task.parent_pid, 10);
	assert_int_equal(record.task.parent_tid, 12);
	assert_int_equal(record.time_ns, 55);
	assert_int_equal(record.cpu, 3);
}

/* Every prefix of every record, and its header's size field off by some: an error or a record, and
 * nothing read that is not there (the sanitizers watch: the copy has exactly the given size). */
static void cut_records_are_refused(void **state)
{
	const uint8_t build_id[20] = { 9, 8, 7, 6 };
	const uint64_t chain[] = { 1, 2 };
	struct made_record all[4];

	made_sample(&all[0], 1, 2, chain, 2);
	made_mmap(&all[1], 1, 2, build_id);
	made_comm(&all[2], 1, 2, "name", 0);
	made_mmap(&all[3], 1, 2, NULL);
	for (int i = 0; i < 4; i++) {
		for (size_t size = 0; size < all[i].size; size++) {
			struct perf_record record;
			uint64_t *copy = test_malloc(size + 1);

			memcpy(copy, all[i].words, size);
			assert_true(perf_record_read(copy, size, &live, &record) < 0);
			(void)perf_record_time(copy, size, &live);
			if (size >= 8) { /* a header that agrees with the cut */
				struct perf_event_header header;

				memcpy(&header, copy, sizeof(header));
				header.size = (uint16_t)size;
				memcpy(copy, &header, sizeof(header));
				(void)perf_record_read(copy, size, &live, &record);
			}
			test_free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_all_its_fields),
		cmocka_unit_test(a_chain_longer_than_its_record_is_refused),
		cmocka_unit_test(mappings_carry_one_of_two_identities),
		cmocka_unit_test(a_flag_alone_makes_no_build_id),
		cmocka_unit_test(build_ids_may_be_short),
		cmocka_unit_test(old_mappings_have_no_protection),
		cmocka_unit_test(a_comm_tells_exec_from_prctl),
		cmocka_unit_test(kernel_symbols_of_several_events_end_where_they_end),
		cmocka_unit_test(a_fork_names_child_and_parent),
		cmocka_unit_test(cut_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
