/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readable names against c++filt and, for Rust, against the pairs another demangler is tested with.
 */
#include "names/spelling/demangler.h"

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
		{ "_Dmain", "D main" },
		{ "_D3std5stdio6stdoutSQs4File", "std.stdio.stdout" },
		{ "_DYNAMIC", "_DYNAMIC" },
		{ "_D3", "_D3" },
		{ "foo__3BarFi", "foo__3BarFi" }, /* before Itanium */
		{ "_Zgarbage", "_Zgarbage" },
		{ "_R", "_R" },
		{ "_ZN", "_ZN" },
		{ "[unknown]", "[unknown]" },
	};
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);

	(void)state;
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			assert_string_equal(demangler_text(demangler, rows[i].name), rows[i].text);
	}
	demangler_free(demangler);
}

static void test_styles(void **state)
{
	static const char name[] = "_Z1fRKSs";
	struct demangler *none = demangler_new(DEMANGLER_NONE);
	struct demangler *smart = demangler_new(DEMANGLER_SMART);

	(void)state;
	assert_string_equal(demangler_text(none, name), name);
	assert_string_equal(demangler_text(none, "_Z1fv->_Z1gv"), "_Z1fv->_Z1gv");
	assert_string_equal(demangler_text(smart, name), "f(std::string const&)");
	assert_string_equal(demangler_text(smart, "_Z1fSt6vectorIiSaIiEE->_Z1gv"),
			    "f(std::vector<int>)->g()");
	/* in Rust the brackets mean something else */
	assert_string_equal(
		demangler_text(smart, "_RNvXCs1_1aINtB2_1SNtB2_1TEINtB2_1UINtB2_1VINtB2_1WlEEE1f"),
		"<a::S<a::T> as a::U<a::V<a::W<i32>>>>::f");
	assert_int_equal(demangler_style_by_name("smart"), DEMANGLER_SMART);
	assert_int_equal(demangler_style_by_name(NULL), DEMANGLER_NORMAL);
	assert_int_equal(demangler_style_by_name("Smart"), DEMANGLER_STYLE_COUNT);
	demangler_free(none);
	demangler_free(smart);
}

/* D, made up of all its types, against c++filt. */
static void test_d(void **state)
{
	static const char *const names[] = {
		"_D4test3fooFZv",
		"_D4test3fooFAyaKiJfLbZv",
		"_D3std4conv__T2toTAyaZ__TQkTkZQpFNaNbNfkZAya",
		"_D6object9Throwable8toStringMxFMDFMxAaZvZv",
		"_D4core6memory2GC6mallocFNbmkxC8TypeInfoZPv",
		"_D3foo3BarZ",
		"_D4test__T3fooVii42ZQkFZv",
		"_D4test3fooFNaNbNiNfG4HAyaiPFZvDFiZbZv",
		"_D3std5range10primitives__T5emptyTAhZQlFNaNbNdNiNfxAhZb",
		"_D4test1S6__ctorMFiZSQzQx",
	};
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *line;

		assert_int_equal(tools_run(&text, "c++filt -s dlang %s", names[i]), 0);
		line = text.bytes;
		assert_string_equal(demangler_text(demangler, names[i]), tools_line(&line));
	}
	demangler_free(demangler);
	buf_done(&text);
}

/* A type of two of the type before it, and so on: the readable name would fill the memory. */
static void test_d_explosion(void **state)
{
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf name = { 0 };

	(void)state;
	buf_add_str(&name, "_D1aFHii");
	for (int i = 0; i < 60; i++)
		buf_add_str(&name, i ? "HQdQf" : "HQcQe");
	buf_add_str(&name, "Zv");
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	demangler_free(demangler);
	buf_done(&name);
}

/* Each case is a line of options and two more; "auto" detects the language as prospect does. */
static void test_rust_cases(void **state)
{
	const char *cases = getenv("PROSPECT_CASES");
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf text = { 0 };
	char *rest, *line;
	size_t count = 0;

	(void)state;
	if (tools_run(&text, "grep -v '^#' '%s/demangle/rust-demangle-expected' 2>/dev/null",
		      cases ? cases : "../shared/cases") != 0) {
		print_message("no cases of Rust names: set PROSPECT_CASES\n");
		demangler_free(demangler);
		buf_done(&text);
		skip();
	}
	rest = text.bytes;
	while (rest && (line = tools_line(&rest))) {
		bool ours = strstr(line, "=rust") || strstr(line, "=auto");
		const char *name = tools_line(&rest), *wanted = tools_line(&rest);

		/* C++ without its "_Z" is not looked for */
		if (!ours)
			continue;
		assert_string_equal(demangler_text(demangler, name), wanted);
		count++;
	}
	print_message("%zu cases\n", count);
	assert_true(count > 50);
	demangler_free(demangler);
	buf_done(&text);
}

/* All names of the C++ libraries there are. */
static void test_like_cxxfilt(void **state)
{
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
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
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf name = { 0 };

	(void)state;
	/* S0_ is P1A; every PF...E adds two more, and the next one uses the second of them twice */
	buf_add_str(&name, "_Z1fP1A");
	for (const char *at = "02468ACEGIKMOQSUWY"; *at; at++)
		buf_printf(&name, "PFvS%c_S%c_E", *at, *at);
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	demangler_free(demangler);
	buf_done(&name);
}

/* f(P<A<1>, A<2>, ...>), as large programs have them. */
static void test_long(void **state)
{
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf name = { 0 }, text = { 0 };

	(void)state;
	buf_add_str(&name, "_Z1f1PIJ");
	buf_add_str(&text, "f(P<");
	for (int i = 0; i < 1000; i++) {
		buf_printf(&name, "1AILi%dEE", i);
		buf_printf(&text, "%sA<%d>", i ? ", " : "", i);
	}
	buf_add_str(&name, "EE");
	buf_add_str(&text, " >)");
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&text));
	demangler_free(demangler);
	buf_done(&name);
	buf_done(&text);
}

/* Deep nesting and great length come back as they are. */
static void test_limits(void **state)
{
	struct demangler *demangler = demangler_new(DEMANGLER_NORMAL);
	struct buf name = { 0 };

	(void)state;
	buf_add_str(&name, "_Z1f");
	for (int i = 0; i < 100000; i++)
		buf_add_char(&name, 'P');
	buf_add_char(&name, 'i');
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	buf_clear(&name);
	buf_add_str(&name, "_Z1f");
	for (int i = 0; i < 16000; i++)
		buf_add_char(&name, 'P');
	buf_add_char(&name, 'i');
	assert_string_equal(demangler_text(demangler, buf_text(&name)), buf_text(&name));
	demangler_free(demangler);
	buf_done(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	   cmocka_unit_test(test_styles),
		cmocka_unit_test(test_d),	   cmocka_unit_test(test_d_explosion),
		cmocka_unit_test(test_rust_cases), cmocka_unit_test(test_like_cxxfilt),
		cmocka_unit_test(test_explosion),  cmocka_unit_test(test_long),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
