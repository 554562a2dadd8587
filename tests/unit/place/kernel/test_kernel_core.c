/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This program plays the kernel: its own file is the vmlinux, nm(1) lists what is in it. Only
 * symbols after _text count, which is the first function below.
 */
#include "place/kernel/kernel_core.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools.h"

#define LOADED_AT 0xffffffff90000000

void _text(void) __attribute__((noinline, used));
void _text(void)
{
	__asm__ volatile("");
}

static struct elf_build_id own_id;

static int read_own_id(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file *file;

	(void)state;
	if (elf_file_open(fd, &file, NULL) < 0)
		return -1;
	own_id = *elf_file_build_id(file);
	elf_file_free(file);
	close(fd);
	return 0;
}

/* A kernel with only _text and its end known. */
static struct kernel_core running(void)
{
	static const struct kallsyms_line lines[] = {
		{ .address = LOADED_AT, .type = 'T', .name = "_text", .module = "" },
		{ .address = LOADED_AT + (1 << 30), .type = 'T', .name = "_etext", .module = "" },
	};
	struct kernel_core core = { 0 };

	for (size_t i = 0; i < 2; i++)
		kernel_core_add(&core, &lines[i]);
	kernel_core_finish(&core, KERNEL_BOUND_COUNT);
	return core;
}

static void need_build_id(void)
{
	if (own_id.size)
		return;
	print_message("this program was linked without a build id\n");
	skip();
}

/* Every sized function that nm lists must be there, with its size or within one that starts there,
 * too (an alias). */
static void test_equals_nm(void **state)
{
	struct kernel_core core = running();
	struct err err = { 0 };
	char line[512], name[256], type;
	uint64_t value, size, text = 0;
	unsigned checked = 0;
	FILE *nm = popen("nm -n -S /proc/$PPID/exe", "r");

	(void)state;
	need_build_id();
	assert_non_null(nm);
	if (kernel_core_use_vmlinux(&core, "/proc/self/exe", &own_id, &err) < 0)
		fail_msg("%s", err.text);
	kernel_table_settle(&core.table, core.segments, core.segment_count);
	while (fgets(line, sizeof(line), nm)) {
		const struct kernel_function *function;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &value, &size, &type, name) !=
		    4)
			continue;
		if (strcmp(name, "_text") == 0)
			text = value;
		if (!text || (type != 't' && type != 'T') || !size)
			continue;
		function = kernel_table_before(&core.table, (uint32_t)(value - text));
		assert_non_null(function);
		assert_int_equal(function->start, value - text);
		if (strcmp(name, kernel_table_name(&core.table, function)) == 0)
			assert_int_equal(function->size, size);
		checked++;
	}
	pclose(nm);
	print_message("%u functions\n", checked);
	assert_true(checked > 10);
	kernel_core_done(&core);
}

static void assert_refused(struct kernel_core *core, const char *path,
			   const struct elf_build_id *id, int expected, const char *part)
{
	struct err err = { 0 };
	size_t before = core->table.list.count;

	assert_int_equal(kernel_core_use_vmlinux(core, path, id, &err), expected);
	assert_non_null(strstr(err.text, part));
	assert_non_null(strstr(err.text, path));
	assert_int_equal(core->table.list.count, before);
}

static void test_refused(void **state)
{
	struct kernel_core core = running(), hidden = { 0 };
	struct elf_build_id other = own_id, none = { 0 };

	(void)state;
	need_build_id();
	other.bytes[19] ^= 1;
	assert_refused(&core, "/proc/self/exe", &other, -EINVAL, "its build id differs");
	assert_refused(&core, "/proc/self/exe", &none, -EINVAL, "no build id");
	assert_refused(&hidden, "/proc/self/exe", &own_id, -EINVAL, "hidden");
	assert_refused(&core, "/nonexistent", &own_id, -ENOENT, "cannot open");
	assert_refused(&core, "/proc/self/cmdline", &own_id, -ENOEXEC, "ELF");
	kernel_core_done(&core);
}

/* A profile of the kernel that this program plays, in which @name was hit at @offset. */
static struct profile *recorded(const struct elf_build_id *id, const char *name, uint64_t offset,
				uint32_t *ret_image)
{
	struct profile *profile = profile_new();
	struct image image = { .kind = IMAGE_KERNEL, .build_id_size = id->size };
	struct symbol symbol = { .start = offset, .size = 16, .kind = SYMBOL_NAMED };

	memcpy(image.build_id, id->bytes, id->size);
	symbol.image = *ret_image = profile_image(profile, &image);
	symbol.name = strpool_intern(&profile->strings, name);
	profile_symbol(profile, &symbol);
	return profile;
}

/* The functions that were hit show where offsets count from. */
static void test_open_for_code(void **state)
{
	char line[512], name[256], type;
	uint64_t value, shift = 0;
	uint32_t image;
	struct err err = { 0 };
	FILE *nm = popen("nm /proc/$PPID/exe", "r");
	int fd = -1;

	(void)state;
	need_build_id();
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm)) {
		struct profile *profile;

		if (sscanf(line, "%" SCNx64 " %c %255s", &value, &type, name) != 3 ||
		    (strcmp(name, "test_open_for_code") != 0 && strcmp(name, "main") != 0))
			continue;
		profile = recorded(&own_id, name, 0x1234, &image);
		if (kernel_core_open_vmlinux("/proc/self/exe", profile, image, &fd, &shift, &err) <
		    0)
			fail_msg("%s", err.text);
		assert_int_equal(0x1234 + shift, value);
		assert_true(fcntl(fd, F_GETFL) >= 0);
		close(fd);
		profile_free(profile);
	}
	pclose(nm);
	assert_int_not_equal(shift, 0);
}

/* A name that two functions have says nothing. */
static void test_twins(void **state)
{
	char *folder = tools_folder(), second[TOOLS_PATH], flags[2 * TOOLS_PATH], path[TOOLS_PATH];
	static const char source[] =
		"static __attribute__((noinline, used)) int twin(int a) { return a * 3; }\n";
	struct elf_build_id id = { .size = 4, .bytes = { 0x11, 0x22, 0x33, 0x44 } };
	struct err err = { 0 };
	uint64_t shift = 0;
	uint32_t image;
	struct profile *profile = recorded(&id, "twin", 0x10, &image);
	int fd = -1;

	(void)state;
	snprintf(second, sizeof(second), "%s/second.c", folder);
	tools_write(second, source, strlen(source));
	snprintf(flags, sizeof(flags), "-shared -fPIC -Wl,--build-id=0x11223344 -x c '%s'", second);
	tools_build(folder, "twins", "c", flags, source, path);
	assert_int_equal(kernel_core_open_vmlinux(path, profile, image, &fd, &shift, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "none of the"));
	profile_free(profile);
	tools_remove(folder);
}

static void assert_not_opened(const struct elf_build_id *id, const char *name, const char *path,
			      int expected, const char *part)
{
	uint64_t shift = 7;
	uint32_t image;
	struct err err = { 0 };
	struct profile *profile = recorded(id, name, 0x10, &image);
	int fd = -1;

	assert_int_equal(kernel_core_open_vmlinux(path, profile, image, &fd, &shift, &err),
			 expected);
	assert_int_equal(fd, -1);
	assert_int_equal(shift, 7);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, part));
	profile_free(profile);
}

static void test_not_opened(void **state)
{
	struct elf_build_id other = own_id, none = { 0 };

	(void)state;
	need_build_id();
	other.bytes[0] ^= 1;
	assert_not_opened(&other, "main", "/proc/self/exe", -EINVAL, "its build id differs");
	assert_not_opened(&none, "main", "/proc/self/exe", -EINVAL, "build id");
	assert_not_opened(&own_id, "no_such_function", "/proc/self/exe", -EINVAL, "none of the");
	assert_not_opened(&own_id, "main", "/nonexistent", -ENOENT, "cannot open");
	assert_not_opened(&own_id, "main", "/proc/self/cmdline", -ENOEXEC, "ELF");
}

/* --- names for a profile, from a list --- */

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000140 T schedule\n"
			   "ffffffff81000200 T _etext\n"
			   "ffffffff81000300 D some_data\n"
			   "ffffffffc0000100 t in_module\t[mod]\n";

struct fixture {
	struct profile *profile;
	uint32_t kernel, none;
};

static void fixture_init(struct fixture *fixture)
{
	struct profile *profile = profile_new();
	struct image image = { .kind = IMAGE_KERNEL,
			       .path = strpool_intern(&profile->strings, "[kernel]") };
	struct symbol none = { .kind = SYMBOL_NONE, .name = image.path };

	fixture->profile = profile;
	fixture->kernel = none.image = profile_image(profile, &image);
	fixture->none = profile_symbol(profile, &none);
}

static uint32_t add(const struct fixture *fixture, uint64_t offset, enum frame_kind kind,
		    uint32_t symbol)
{
	struct frame frame = { .image = fixture->kernel,
			       .offset = offset,
			       .address = offset,
			       .kind = kind,
			       .symbol = symbol };

	return profile_frame(fixture->profile, &frame);
}

static const char *name_of(const struct fixture *fixture, uint32_t frame)
{
	const struct profile *profile = fixture->profile;

	return profile_text(profile,
			    profile->symbols.items[profile->frames.items[frame].symbol].name);
}

static int name_from(const struct fixture *fixture, const char *text, struct err *err)
{
	char folder[] = "/tmp/prospect-names.XXXXXX", path[sizeof(folder) + 8];
	FILE *file;
	int rc;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/list", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	rc = kernel_core_name_frames(fixture->profile, path, err);
	unlink(path);
	rmdir(folder);
	return rc;
}

static void what_has_no_name_gets_one(void **state)
{
	struct fixture fixture;
	struct symbol known = { .kind = SYMBOL_NAMED };
	uint32_t exact, returned, named, hidden, beyond;
	struct err err = { "" };

	fixture_init(&fixture);
	known.image = fixture.kernel;
	known.name = strpool_intern(&fixture.profile->strings, "known");
	exact = add(&fixture, 0x140, FRAME_EXACT, fixture.none);
	returned = add(&fixture, 0x140, FRAME_RETURN, 0);
	named = add(&fixture, 0x141, FRAME_EXACT, profile_symbol(fixture.profile, &known));
	hidden = add(&fixture, 0xffffffff81000150, FRAME_EXACT, fixture.none);
	beyond = add(&fixture, 0x310, FRAME_EXACT, fixture.none);
	assert_int_equal(name_from(&fixture, list, &err), 0);
	assert_string_equal(name_of(&fixture, exact), "schedule");
	assert_string_equal(name_of(&fixture, returned), "helper");
	assert_string_equal(name_of(&fixture, named), "known");
	assert_string_equal(name_of(&fixture, hidden), "schedule");
	assert_string_equal(name_of(&fixture, beyond), "[kernel]");
	profile_free(fixture.profile);
}

static void what_tells_no_addresses_is_refused(void **state)
{
	struct fixture fixture;
	struct err err = { "" };
	uint32_t frame;

	fixture_init(&fixture);
	frame = add(&fixture, 0x140, FRAME_EXACT, fixture.none);
	assert_int_equal(name_from(&fixture,
				   "0000000000000000 T _text\n"
				   "0000000000000000 T schedule\n",
				   &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "no address of _text"));
	assert_int_equal(name_from(&fixture, "root:x:0:0\n", &err), -EINVAL);
	assert_int_equal(kernel_core_name_frames(fixture.profile, "/nonexistent/list", &err),
			 -ENOENT);
	assert_string_equal(name_of(&fixture, frame), "[kernel]");
	profile_free(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_for_code),
		cmocka_unit_test(test_not_opened),
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_equals_nm),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(what_has_no_name_gets_one),
		cmocka_unit_test(what_tells_no_addresses_is_refused),
	};

	return cmocka_run_group_tests(tests, read_own_id, NULL);
}
