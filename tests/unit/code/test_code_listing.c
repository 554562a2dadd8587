/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are no instructions, and where a listing begins and ends. */
#include "code/code_listing.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "tools.h"

struct lines {
	struct buf text;   /* "OFFSET+LENGTH TEXT", one a line */
	size_t stop_after; /* lines; 0: never */
	size_t count;
};

static bool take(void *context, const struct code_line *line)
{
	struct lines *lines = context;

	buf_printf(&lines->text, "%lu+%u %s\n", line->address - 0x1000, line->length, line->text);
	return ++lines->count != lines->stop_after;
}

static void print_address(void *context, uint64_t address, struct buf *text)
{
	(void)context;
	buf_printf(text, "<%lx>", address);
}

/* Words from the fifth byte on. */
static bool is_literal(void *context, uint64_t address, uint32_t *ret_size)
{
	(void)context;
	*ret_size = address >= 0x1008 ? 1 : address >= 0x1006 ? 2 : 4;
	return address >= 0x1002;
}

/* The lines of @size bytes that begin before @end. */
static int list(struct code_listing *listing, const void *bytes, size_t size, size_t end,
		struct lines *lines)
{
	_cleanup_(code_decoder_freep) struct code_decoder *decoder = NULL;
	int rc;

	assert_int_equal(code_decoder_new(&decoder, NULL), 0);
	buf_clear(&lines->text);
	lines->count = 0;
	listing->machine = (struct code_machine){ EM_X86_64, true };
	listing->stretch = (struct code_stretch){
		.bytes = bytes, .size = size, .start = 0x1000, .print_address = print_address
	};
	listing->end = 0x1000 + end;
	listing->visit = take;
	listing->visit_context = lines;
	rc = code_listing_run(decoder, listing, NULL);
	return rc;
}

/* Columns: number of zeroes, whether they end the section or an instruction follows, listing. */
static void test_zeroes(void **state)
{
	static const struct {
		size_t zeroes;
		bool at_end;
		const char *text;
	} cases[] = {
		{ 8, false, "0+1 nop\n1+8 ...\n9+1 nop\n" },
		{ 11, false,
		  "0+1 nop\n1+8 ...\n9+2 add    %al,(%rax)\n11+1 .byte 0x0\n12+1 nop\n13+1 nop\n" },
		{ 2, true, "0+1 nop\n1+2 ...\n" },
		{ 1, true, "0+1 nop\n1+1 ...\n" },
		{ 4, true, "0+1 nop\n1+2 add    %al,(%rax)\n3+2 ...\n" },
		{ 9, true, "0+1 nop\n1+9 ...\n" },
	};
	struct lines lines = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[32] = { 0x90 };
		size_t size = 1 + cases[i].zeroes;
		struct code_listing listing = { 0 };

		if (!cases[i].at_end) {
			memset(bytes + size, 0x90, 2);
			size += i == 0 ? 1 : 2;
		}
		assert_int_equal(list(&listing, bytes, size, size, &lines), 1);
		assert_string_equal(buf_text(&lines.text), cases[i].text);
	}
	buf_done(&lines.text);
}

static void test_object(void **state)
{
	struct code_listing listing = { .data = true };
	struct lines lines = { 0 };

	(void)state;
	list(&listing, "an object of some\nlength\377", 25, 25, &lines);
	assert_string_equal(buf_text(&lines.text), "0+16 an object of som\n16+9 e.length.\n");
	buf_done(&lines.text);
}

static void test_literals(void **state)
{
	static const uint8_t bytes[] = { 0x90, 0x90, 4, 3, 2, 1, 6, 5, 7, 8 };
	struct code_listing listing = { .literal = is_literal };
	struct lines lines = { 0 };

	(void)state;
	list(&listing, bytes, sizeof(bytes), sizeof(bytes), &lines);
	assert_string_equal(buf_text(&lines.text),
			    "0+1 nop\n1+1 nop\n2+4 .word\t0x01020304\n6+2 .short\t0x0506\n"
			    "8+1 .byte\t0x07\n9+1 .byte\t0x08\n");
	buf_done(&lines.text);
}

/* An instruction that begins before the end is whole; the visitor may stop; a jump's target is
 * printed by the callback; too few bytes for an instruction are a line. */
static void test_ends(void **state)
{
	static const uint8_t bytes[] = { 0xe9, 0, 1, 0, 0, 0x90, 0x48, 0xb8 };
	struct code_listing listing = { 0 };
	struct lines lines = { 0 };

	(void)state;
	assert_int_equal(list(&listing, bytes, sizeof(bytes), 1, &lines), 1);
	assert_string_equal(buf_text(&lines.text), "0+5 jmp    <1105>\n");
	assert_int_equal(list(&listing, bytes, sizeof(bytes), sizeof(bytes), &lines), 1);
	assert_string_equal(buf_text(&lines.text),
			    "0+5 jmp    <1105>\n5+1 nop\n6+1 rex.W\n7+1 .byte 0xb8\n");
	lines.stop_after = 2;
	assert_int_equal(list(&listing, bytes, sizeof(bytes), sizeof(bytes), &lines), 0);
	assert_int_equal(lines.count, 2);
	buf_done(&lines.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeroes),
		cmocka_unit_test(test_object),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
