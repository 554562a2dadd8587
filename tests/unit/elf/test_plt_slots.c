/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots no linker at hand writes, put together by an assembler. */
#include "elf/plt_slots.h"

#include "tools.h"

enum { ADDRESS = 0x12345000 };

/* Assembles @source for a machine; the code is .text of the file. */
static struct elf_file *assemble(const char *folder, const char *target, const char *source,
				 struct buf *bytes)
{
	char path[TOOLS_PATH];
	struct elf_file *file;
	struct buf out = { 0 };

	snprintf(path, sizeof(path), "%s/slots.s", folder);
	tools_write(path, source, strlen(source));
	if (tools_run(&out, "clang --target=%s -nostdlib -shared -fuse-ld=lld '%s' -o '%s.so' 2>&1",
		      target, path, path) != 0)
		fail_msg("%s", buf_text(&out));
	assert_int_equal(tools_run(bytes, "cat '%s.so'", path), 0);
	assert_int_equal(elf_file_open_memory(bytes->bytes, bytes->size, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	buf_done(&out);
	return file;
}

/* The slots of the code, as if it were a PLT at ADDRESS. */
static struct plt_slots decode(const char *folder, const char *target, const char *source)
{
	struct buf bytes = { 0 };
	struct elf_file *file = assemble(folder, target, source, &bytes);
	struct elf_section section = *elf_file_find(file, ".text");
	struct plt_slots slots = { 0 };
	uint8_t *code;

	assert_int_equal(elf_file_read(file, &section, &code, NULL), 0);
	section.address = ADDRESS;
	section.entry_size = 16;
	plt_slots_decode(file, &section, code, &slots);
	free(code);
	elf_file_free(file);
	buf_done(&bytes);
	return slots;
}

static bool can_assemble(void)
{
	bool can = tools_have("clang") && tools_have("ld.lld");

	if (!can)
		print_message("clang or lld is not installed\n");
	return can;
}

static void test_arm64(void **state)
{
	static const char source[] = "nop\nbti c\nadrp x16, #-8192\nldr x17, [x16, #24]\n"
				     "add x16, x16, #24\nbr x17\n"
				     "adrp x16, #0x7ffff000\nldr x17, [x16, #32760]\n"
				     "add x16, x16, #24\nautia1716\nbr x17\nnop\n"
				     "adrp x16, #4096\nldr x17, [x16, #8]\nret\n";
	struct plt_slots slots;

	if (!can_assemble())
		skip();
	slots = decode(*state, "aarch64-linux-gnu", source);
	assert_int_equal(slots.list.count, 2);
	assert_int_equal(slots.list.items[0].start, ADDRESS + 4);
	assert_int_equal(slots.list.items[0].size, 20);
	assert_int_equal(slots.list.items[0].place, ADDRESS - 8192 + 24);
	assert_int_equal(slots.list.items[1].start, ADDRESS + 24);
	assert_int_equal(slots.list.items[1].size, 20);
	assert_int_equal(slots.list.items[1].place, ADDRESS + 0x7ffff000ULL + 32760);
	vec_free(&slots.list);
}

static void test_x86(void **state)
{
	static const char source[] =
		"pushq 8(%rip)\njmp *16(%rip)\n.balign 16\n"		 /* the head: no slot */
		"endbr64\nmov $1, %r11d\njmp *0x100(%rip)\n.balign 16\n" /* mold */
		"endbr64\n.byte 0xf2\njmp *-0x100(%rip)\n.balign 16\n"	 /* .plt.sec */
		"endbr64\n.byte 0x68\n.long 7\n.byte 0xf2\njmp .\n.balign 16\n" /* its lazy half */
		"ret\n.balign 16\n";
	struct plt_slots slots;

	if (!can_assemble())
		skip();
	slots = decode(*state, "x86_64-linux-gnu", source);
	assert_int_equal(slots.list.count, 3);
	assert_int_equal(slots.list.items[0].start, ADDRESS + 16);
	assert_int_equal(slots.list.items[0].place, ADDRESS + 32 + 0x100);
	assert_int_equal(slots.list.items[1].start, ADDRESS + 32);
	assert_int_equal(slots.list.items[1].place, ADDRESS + 43 - 0x100);
	assert_int_equal(slots.list.items[1].jump, PLT_NO_JUMP);
	assert_int_equal(slots.list.items[2].start, ADDRESS + 48);
	assert_int_equal(slots.list.items[2].jump, 7);
	vec_free(&slots.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_x86),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
