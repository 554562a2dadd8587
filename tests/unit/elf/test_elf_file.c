/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "elf/eh_ranges.h"
#include "names/symtab.h"
#include "tools.h"

static const char SMALL[] = ".text\n.globl _start\n.type _start,@function\n_start: .cfi_startproc\n"
			    "call f@plt\n.cfi_endproc\n.size _start, . - _start\n"
			    ".type g,@function\ng: .cfi_startproc\n.skip 8\n.cfi_endproc\n"
			    ".size g, 8\n";

static void build_small(const char *folder, char path[TOOLS_PATH])
{
	char library[TOOLS_PATH], flags[TOOLS_PATH * 2];

	tools_build(folder, "libf.so", "c", "-shared -fPIC -nostdlib", "int f(void) { return 1; }",
		    library);
	snprintf(flags, sizeof(flags),
		 "-nostdlib -pie -Wl,--build-id=sha1 -Wl,-z,noseparate-code '%s'", library);
	tools_build(folder, "small", "assembler", flags, SMALL, path);
}

/* Sections and build id are those readelf prints. */
static void test_outside(void **state)
{
	struct buf out = { 0 };
	struct elf_file *file;
	char path[TOOLS_PATH], hex[BUILD_ID_MAX * 2 + 1] = "";
	struct elf_build_id id;
	uint64_t address;
	int fd;

	build_small(*state, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_machine(file), EM_X86_64);
	for (size_t i = 0; i < elf_file_build_id(file)->size; i++)
		sprintf(hex + 2 * i, "%02x", elf_file_build_id(file)->bytes[i]);
	assert_int_equal(strlen(hex), 40);
	assert_int_equal(tools_run(&out, "readelf -n '%s' | grep -q 'Build ID: %s$'", path, hex),
			 0);
	id = *elf_file_build_id(file);
	assert_true(elf_file_build_id_is(elf_file_build_id(file), id.bytes, id.size));
	assert_false(elf_file_build_id_is(elf_file_build_id(file), id.bytes, id.size - 1));
	id.bytes[id.size - 1] ^= 1;
	assert_false(elf_file_build_id_is(elf_file_build_id(file), id.bytes, id.size));
	assert_null(elf_file_find(file, ".text"));
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(tools_run(&out,
				   "readelf -SW '%s' | awk '$2 == \".text\" || $3 == \".text\""
				   " { sub(/.*\\.text/, \"\"); print $2, $3, $4 }'",
				   path),
			 0);
	snprintf(hex, sizeof(hex), "%016" PRIx64, elf_file_find(file, ".text")->address);
	assert_memory_equal(buf_text(&out), hex, 16);
	assert_true(elf_file_address(elf_file_segments(file), elf_file_find(file, ".text")->offset,
				     &address));
	assert_int_equal(address, elf_file_find(file, ".text")->address);
	assert_false(elf_file_address(elf_file_segments(file), 1ULL << 40, &address));
	assert_ptr_equal(elf_file_code_section(file, address)->name,
			 elf_file_find(file, ".text")->name);
	assert_null(elf_file_code_section(file, 1));
	assert_null(elf_file_section(file, elf_file_section_count(file)));
	elf_file_free(file);
	close(fd);
	buf_done(&out);
}

/* A byte of the file that two segments hold is taken by the executable one. */
static void test_executable_segment_wins(void **state)
{
	struct elf_segment list[] = {
		{ .offset = 0, .size = 0x2000, .address = 0x10000 },
		{ .offset = 0x1000, .size = 0x1000, .address = 0x31000, .executable = true }
	};
	struct elf_segments segments = { .list = { list, 2, 2 } };
	uint64_t address;

	(void)state;
	assert_true(elf_file_address(&segments, 0x1800, &address));
	assert_int_equal(address, 0x31800);
	assert_true(elf_file_address(&segments, 0x800, &address));
	assert_int_equal(address, 0x10800);
	assert_false(elf_file_address(&segments, 0x2000, &address));
}

/* As LLD lays them out: the page of the file in which code begins is mapped twice, and its first
 * bytes are another segment's. */
static void test_segments_share_a_page(void **state)
{
	struct elf_segment list[] = { { 0, 0x157bc, 0, false },
				      { 0x157c0, 0x41270, 0x167c0, true },
				      { 0x56a30, 0x2c80, 0x58a30, false } };
	struct elf_segments segments = { .list = { list, 3, 3 } };
	struct elf_placed code = { 0x555500016000, 0x42000, 0x15000 };
	struct elf_placed tail = { 0x555500050000, 0x8000, 0x4f000 };
	struct elf_placed data = { 0x555500059000, 0x2000, 0x57000 };
	struct elf_placed none = { 0x555500100000, 0x1000, 0x100000 };
	uint64_t bias;

	(void)state;
	assert_true(elf_file_bias(&segments, &code, &bias));
	assert_int_equal(bias, 0x555500000000);
	assert_true(elf_file_bias(&segments, &tail, &bias));
	assert_int_equal(bias, 0x555500000000);
	assert_true(elf_file_bias(&segments, &data, &bias));
	assert_int_equal(bias, 0x555500000000);
	assert_false(elf_file_bias(&segments, &none, &bias));
	list[0].executable = true; /* then the one with more of it */
	assert_true(elf_file_bias(&segments, &code, &bias));
	assert_int_equal(bias, 0x555500000000);
}

/* Everything this folder does with a file in memory, whatever is in it. Returns whether it could be
 * opened. */
static bool use(const uint8_t *bytes, size_t size)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct symtab *symtab = NULL;
	struct eh_ranges *ranges = NULL;
	struct buf name = { 0 };
	struct symtab_hit hit;

	if (elf_file_open_memory(bytes, size, &file, NULL) < 0)
		return false;
	if (symtab_new(file, NULL, &symtab, NULL) == 0) {
		eh_ranges_read(file, &ranges, NULL);
		for (size_t i = 0; i < 64; i++) {
			uint64_t address = i % 2 ? i << 7 : i << 58;

			symtab_lookup(symtab, ranges, address, &name, &hit);
			assert_true(name.size > 0);
		}
	}
	symtab_free(symtab);
	eh_ranges_free(ranges);
	buf_done(&name);
	return true;
}

static struct buf read_small(const char *folder)
{
	struct buf bytes = { 0 };
	char path[TOOLS_PATH];

	build_small(folder, path);
	assert_int_equal(tools_run(&bytes, "cat '%s'", path), 0);
	assert_true(use((const uint8_t *)bytes.bytes, bytes.size));
	return bytes;
}

/* Any beginning of a file. The copies have exactly their size, so that the sanitizer reports a
 * read past their end. */
static void test_truncated(void **state)
{
	struct buf whole = read_small(*state);

	for (size_t size = 0; size < whole.size; size += size < 1024 ? 1 : 37) {
		uint8_t *part = malloc(size + 1);

		memcpy(part, whole.bytes, size);
		use(part, size);
		free(part);
	}
	buf_done(&whole);
}

/* Every byte of the file in turn, with values that overflow and that change signs. */
static void test_damaged(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct buf whole = read_small(*state);
	uint8_t *bytes = (uint8_t *)whole.bytes;

	for (size_t i = 0; i < whole.size; i++) {
		uint8_t old = bytes[i];

		for (size_t v = 0; v < sizeof(values) && (old || v); v++) {
			bytes[i] = values[v];
			use(bytes, whole.size);
		}
		bytes[i] = (uint8_t)~old;
		use(bytes, whole.size);
		bytes[i] = old;
	}
	buf_done(&whole);
}

/* Several bytes at once, from a generator with a fixed start. */
static void test_scrambled(void **state)
{
	struct buf whole = read_small(*state);
	uint8_t *bytes = malloc(whole.size);
	uint64_t random = 88172645463325252ULL;

	for (int round = 0; round < 3000; round++) {
		memcpy(bytes, whole.bytes, whole.size);
		for (int i = 0; i < 1 + round % 16; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			bytes[random % whole.size] = (uint8_t)(random >> 40);
		}
		use(bytes, whole.size);
	}
	free(bytes);
	buf_done(&whole);
}

static void test_no_elf(void **state)
{
	char path[TOOLS_PATH];
	struct elf_file *file;
	struct err err;
	int fd;

	snprintf(path, sizeof(path), "%s/script", (char *)*state);
	tools_write(path, "#!/bin/sh\n", 10);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, &err), -ENOEXEC);
	assert_string_equal(err.text, "not an ELF file");
	close(fd);
	tools_build(*state, "object.o", "c", "-c", "int x;", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, &err), -ENOEXEC);
	close(fd);
	assert_int_equal(elf_file_open(-1, &file, NULL), -EBADF);
}

/* A file that becomes shorter under our hands gives an error. */
static void test_shrinks(void **state)
{
	struct elf_file *file;
	char path[TOOLS_PATH];
	uint8_t *bytes;
	int fd;

	build_small(*state, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(truncate(path, 64), 0);
	assert_int_equal(elf_file_read(file, elf_file_find(file, ".text"), &bytes, NULL), -EIO);
	elf_file_free(file);
	close(fd);
}

/* Sizes a section only claims are refused before any memory is asked for. */
static void test_sizes(void **state)
{
	struct elf_section section = { .name = "x", .type = SHT_PROGBITS, .size = 1ULL << 40 };
	struct buf whole = read_small(*state);
	struct elf_file *file;
	uint8_t *bytes;

	assert_int_equal(elf_file_open_memory(whole.bytes, whole.size, &file, NULL), 0);
	assert_int_equal(elf_file_read(file, &section, &bytes, NULL), -EFBIG);
	section.size = whole.size + 1;
	assert_int_equal(elf_file_read(file, &section, &bytes, NULL), -EINVAL);
	section.offset = UINT64_MAX;
	assert_int_equal(elf_file_read(file, &section, &bytes, NULL), -EINVAL);
	section = (struct elf_section){ .name = "x", .type = SHT_NOBITS, .size = 8 };
	assert_int_equal(elf_file_read(file, &section, &bytes, NULL), -ENODATA);
	elf_file_free(file);
	buf_done(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_executable_segment_wins),
		cmocka_unit_test(test_segments_share_a_page),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_scrambled),
		cmocka_unit_test(test_no_elf),
		cmocka_unit_test(test_shrinks),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
