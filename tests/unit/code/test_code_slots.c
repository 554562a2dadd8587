/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of the PLT against the labels objdump puts in front of them. */
#include "code/code_slots.h"

#include <fcntl.h>
#include <inttypes.h>

#include "elf/elf_file.h"
#include "tools.h"

static void add_line(void *context, const struct code_slot *slot)
{
	buf_printf(context, "%016" PRIx64 " <%s>:\n", slot->start, slot->name);
}

static void check(const char *folder, const char *flags, const char *prefix, size_t at_least)
{
	char path[TOOLS_PATH];
	struct buf ours = { 0 }, theirs = { 0 };
	char *our_text, *their_text, *line;
	struct got_words *words;
	struct elf_file *file;
	size_t slots = 0;
	int fd;

	tools_build(folder, "slots", "c", flags,
		    "extern int one(int), two(int), three(int); int (*taken)(int) = three;\n"
		    "int f(int a) { return one(a) + two(a) + three(a) + (taken == three); }\n",
		    path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	words = got_words_new(file);
	code_slots_read(file, words, add_line, &ours);
	tools_run(&theirs, "objdump -d '%s' | grep '@plt>:$'", path);
	our_text = ours.bytes;
	their_text = theirs.bytes;
	while (their_text && (line = tools_line(&their_text))) {
		char *mine = tools_line(&our_text);

		assert_non_null(mine);
		/* 32-bit addresses have eight digits there */
		assert_string_equal(mine + strlen(prefix), line);
		slots++;
	}
	assert_true(!our_text || *our_text == '\0');
	assert_true(slots >= at_least);
	got_words_free(words);
	elf_file_free(file);
	close(fd);
	buf_done(&ours);
	buf_done(&theirs);
}

static void test_x86_64(void **state)
{
	check(*state, "-shared -fPIC -nostdlib -fcf-protection=none -Wl,-z,lazy", "", 2);
	check(*state, "-shared -fPIC -nostdlib -fcf-protection=full -Wl,-z,lazy", "", 2);
	check(*state, "-shared -fPIC -nostdlib -Wl,-z,now", "", 2);
}

static void test_i386(void **state)
{
	check(*state, "-m32 -shared -fPIC -nostdlib -fcf-protection=none", "00000000", 2);
	check(*state, "-m32 -shared -fPIC -nostdlib -fcf-protection=full -Wl,-z,ibtplt", "00000000",
	      2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_x86_64, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_i386, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
