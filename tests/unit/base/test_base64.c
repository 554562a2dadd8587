/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"

static void assert_text(const char *bytes, const char *wanted)
{
	struct buf text = { 0 };

	base64_add(&text, bytes, strlen(bytes));
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

/* RFC 4648 section 10. */
static void vectors_of_the_rfc(void **state)
{
	assert_text("", "");
	assert_text("f", "Zg==");
	assert_text("fo", "Zm8=");
	assert_text("foo", "Zm9v");
	assert_text("foob", "Zm9vYg==");
	assert_text("fooba", "Zm9vYmE=");
	assert_text("foobar", "Zm9vYmFy");
}

/* Every byte, as base64(1) has it. */
static void equal_to_base64(void **state)
{
	struct buf text = { 0 };
	unsigned char bytes[256];
	char theirs[512] = "";
	FILE *pipe;

	for (int i = 0; i < 256; i++)
		bytes[i] = (unsigned char)i;
	pipe = popen(
		"i=0; while [ $i -lt 256 ]; do printf \"\\\\$(printf %03o $i)\"; i=$((i+1)); done"
		" | base64 -w 0",
		"r");
	assert_non_null(pipe);
	assert_non_null(fgets(theirs, sizeof(theirs), pipe));
	pclose(pipe);
	base64_add(&text, bytes, sizeof(bytes));
	assert_string_equal(buf_text(&text), theirs);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_rfc),
		cmocka_unit_test(equal_to_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
