/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single instructions; whole files are test_disassembler's. */
#include "code/code_decoder.h"

#include <elf.h>
#include <errno.h>

#include "tools.h"

static void print_address(void *context, uint64_t address, struct buf *text)
{
	(void)context;
	buf_printf(text, "at %lx", address);
}

static int decode(const struct code_machine *machine, const void *bytes, size_t size,
		  struct buf *text)
{
	_cleanup_(code_decoder_freep) struct code_decoder *decoder = NULL;
	struct code_stretch stretch = {
		.bytes = bytes, .size = size, .start = 0x1000, .print_address = print_address
	};
	int rc;

	assert_int_equal(code_decoder_new(&decoder, NULL), 0);
	rc = code_decoder_begin(decoder, machine, &stretch, NULL);
	buf_clear(text);
	return rc < 0 ? rc : code_decoder_next(decoder, 0x1000, text);
}

static void test_machines(void **state)
{
	/* The same byte is an instruction of its own in 32 bits and a prefix in 64. */
	static const uint8_t bytes[] = { 0x40, 0x50 };
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(decode(&(struct code_machine){ EM_386, false }, bytes, 2, &text), 1);
	assert_string_equal(buf_text(&text), "inc    %eax");
	assert_int_equal(decode(&(struct code_machine){ EM_X86_64, true }, bytes, 2, &text), 2);
	assert_string_equal(buf_text(&text), "rex push %rax");
	assert_int_equal(decode(&(struct code_machine){ EM_S390, true }, bytes, 2, &text),
			 -ENOTSUP);
	assert_int_equal(decode(&(struct code_machine){ EM_386, true }, bytes, 2, &text), -ENOTSUP);
	buf_done(&text);
}

static void test_arm64(void **state)
{
	static const uint8_t branch[] = { 0x02, 0, 0, 0x14, 0, 0 };
	const struct code_machine machine = { EM_AARCH64, true };
	struct buf text = { 0 };
	int length = decode(&machine, branch, 4, &text);

	(void)state;
	if (length == -ENOTSUP) {
		print_message("needs binutils-multiarch\n");
		skip();
	}
	assert_int_equal(length, 4);
	assert_string_equal(buf_text(&text), "b\tat 1008");
	assert_int_equal(decode(&machine, branch, 2, &text), -EIO);
	assert_true(text.size > 0);
	buf_done(&text);
}

static void test_address(void **state)
{
	static const uint8_t call[] = { 0xe8, 0xfb, 0x0f, 0, 0 };
	struct code_machine host = code_machine_host();
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(decode(&(struct code_machine){ EM_X86_64, true }, call, 5, &text), 5);
	assert_string_equal(buf_text(&text), "call   at 2000");
	assert_true(host.is_64 == (sizeof(void *) == 8));
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
