/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readable names against c++filt and, for Rust, against what the language's own tool documents. */
#include "resolve/demangler.h"

#include "tools.h"

static void test_kinds(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "main", "main" },
		{ "", "" },
		{ "_Z3fooi", "foo(int)" },
		{ "_Z3fooi@plt", "foo(int)@plt" },
		{ "_Z3fooi->_Z3barv", "foo(int)->bar()" },
		{ "->_Z3barv", "->bar()" },
		{ "main->", "main->" },
		{ "_Z3fooi->", "foo(int)->" },
		{ "_Z3fooi.constprop.0", "foo(int) [clone .constprop.0]" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_Zgarbage", "_Zgarbage" },
		{ "_R", "_R" },
		{ "_ZN", "_ZN" },
		{ "[unknown]", "[unknown]" },
	};
	struct demangler *demangler = demangler_new();

	(void)state;
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			assert_string_equal(demangler_text(demangler, rows[i].name), rows[i].text);
	}
	demangler_free(demangler);
}

/* All names of the C++ libraries there are. */
static void test_like_cxxfilt(void **state)
{
	struct demangler *demangler = demangler_new();
	struct buf names = { 0 }, texts = { 0 };
	char *name_text, *text_text, *name;
	size_t count = 0;

	(void)state;
	assert_int_equal(tools_run(&names,
				   "nm -D --defined-only -P /usr/lib/*/libstdc++.so.6"
				   " /usr/lib/*/libLLVM-1?.so.1 2>/dev/null |"
				   " sed -n 's/^\\(_[ZR][^ @]*\\).*/\\1/p' | sort -u |"
				   " awk 'NR %% 7 == 0' | tee /tmp/prospect-names.%d |"
				   " c++filt -i > /tmp/prospect-texts.%d;"
				   " cat /tmp/prospect-names.%d",
				   getpid(), getpid(), getpid()),
			 0);
	assert_int_equal(tools_run(&texts,
				   "cat /tmp/prospect-texts.%d;"
				   " rm /tmp/prospect-texts.%d /tmp/prospect-names.%d",
				   getpid(), getpid(), getpid()),
			 0);
	name_text = names.bytes;
	text_text = texts.bytes;
	while (name_text && (name = tools_line(&name_text))) {
		assert_string_equal(demangler_text(demangler, name), tools_line(&text_text));
		count++;
	}
	print_message("%zu names\n", count);
	assert_true(count > 100);
	demangler_free(demangler);
	buf_done(&names);
	buf_done(&texts);
}

/* Each substitution doubles what the name stands for: it would be gigabytes. */
static void test_explosion(void **state)
{
	struct demangler *demangler = demangler_new();
	struct buf name = { 0 };

	(void)state;
	/* S0_ is P1A; every PF...E adds two more, the second of which the next one takes twice */
	buf_add_str(&name, "_Z1fP1A");
	for (const char *at = "02468ACEGIKMOQSUWY"; *at; at++)
		buf_printf(&name, "PFvS%c_S%c_E", *at, *at);
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	demangler_free(demangler);
	buf_done(&name);
}

/* Deep nesting and great length come back as they are. */
static void test_limits(void **state)
{
	struct demangler *demangler = demangler_new();
	struct buf name = { 0 };

	(void)state;
	buf_add_str(&name, "_Z1f");
	for (int i = 0; i < 100000; i++)
		buf_add_char(&name, 'P');
	buf_add_char(&name, 'i');
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	buf_clear(&name);
	buf_add_str(&name, "_Z1f");
	for (int i = 0; i < 8000; i++)
		buf_add_char(&name, 'P');
	buf_add_char(&name, 'i');
	assert_true(strlen(demangler_text(demangler, buf_text(&name))) > 0);
	demangler_free(demangler);
	buf_done(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_like_cxxfilt),
		cmocka_unit_test(test_explosion),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
