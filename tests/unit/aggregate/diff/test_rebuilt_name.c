/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/diff/rebuilt.h"

struct pair {
	const char *name, *rebuilt;
};

static void check(void (*make)(const char *name, struct buf *buf), const struct pair *pairs)
{
	struct buf buf = { 0 };

	for (; pairs->name; pairs++) {
		buf_clear(&buf);
		make(pairs->name, &buf);
		assert_string_equal(buf_text(&buf), pairs->rebuilt);
	}
	buf_done(&buf);
}

static void functions(void **state)
{
	static const struct pair pairs[] = {
		{ "parse", "parse" },
		{ "parse.cold", "parse" },
		{ "parse.cold.12", "parse" },
		{ "parse.isra.0", "parse" },
		{ "parse.constprop.3.isra.1.cold", "parse" },
		{ "parse.part.5", "parse" },
		{ "parse.lto_priv.0", "parse" },
		{ "parse.llvm.1234567890123456789", "parse" },
		{ "parse.__uniq.98765432109", "parse" },
		{ "parse(int) [clone .cold]", "parse(int)" },
		{ "parse(int) [clone .isra.0] [clone .cold]", "parse(int)" },
		{ "parse(int) [clone .constprop.2]", "parse(int)" },
		/* Names that only look like it. */
		{ "is.colder", "is.colder" },
		{ "memcpy.partial", "memcpy.partial" },
		{ "f.clone", "f.clone" },
		{ "coro.resume", "coro.resume" },
		{ "parse2", "parse2" },
		{ "operator[]", "operator[]" },
		/* What is counted. */
		{ "main::{lambda(int)#2}::operator()(int) const",
		  "main::{lambda(int)}::operator()(int) const" },
		{ "main::'lambda0'(int)::operator()(int) const",
		  "main::'lambda'(int)::operator()(int) const" },
		{ "run::$_3::operator()() const", "run::$_::operator()() const" },
		{ "work::run::{closure#3}", "work::run::{closure}" },
		{ "f({unnamed type#4})", "f({unnamed type})" },
		{ "loop._omp_fn.7", "loop._omp_fn." },
		{ "main.serve.func2.1", "main.serve.func" },
		{ "a#1", "a#1" },
		/* Rust. */
		{ "_ZN4core3fmt5Write9write_str17h0123456789abcdefE",
		  "_ZN4core3fmt5Write9write_strE" },
		{ "core::fmt::Write::write_str::h0123456789abcdef", "core::fmt::Write::write_str" },
		{ "std[5fe0f2ba2b5a3b2c]::io::copy", "std::io::copy" },
		{ "core::hash::h0123", "core::hash::h0123" },
		/* Namespaces without a name. */
		{ "(anonymous namespace)::f()", "(anonymous namespace)::f()" },
		{ "a::{anonymous}::f()", "a::(anonymous namespace)::f()" },
		{ "a->b.cold", "a->b" },
		{ "a.isra.0->b", "a->b" },
		{ "", "" },
		{ ".cold", ".cold" },
		{ "[unknown]", "[unknown]" },
		{ 0 },
	};

	check(rebuilt_name_of_function, pairs);
}

static void stacks(void **state)
{
	static const struct pair pairs[] = {
		{ "main;parse.isra.0;lex", "main;parse;lex" },
		{ "main;f.cold", "main;f" },
		{ "", "" },
		{ ";", ";" },
		{ 0 },
	};

	check(rebuilt_name_of_stack, pairs);
}

static void images(void **state)
{
	static const struct pair pairs[] = {
		{ "/usr/lib/libfoo.so.1.2", "libfoo.so" },
		{ "/usr/lib/libfoo.so.1.3", "libfoo.so" },
		{ "/usr/lib/libfoo-1.2.so.3.4", "libfoo.so" },
		{ "libc-2.36.so", "libc.so" },
		{ "/usr/bin/clang-15", "clang" },
		{ "/usr/bin/python3.11", "python" },
		{ "/usr/bin/bzip2", "bzip2" },
		{ "/lib64/ld-linux-x86-64.so.2", "ld-linux-x86.so" },
		{ "/usr/lib/libstdc++.so.6.0.30", "libstdc++.so" },
		{ "[kernel]", "[kernel]" },
		{ "[nf_tables-1.2]", "[nf_tables-1.2]" },
		{ "", "" },
		{ 0 },
	};

	check(rebuilt_name_of_image, pairs);
}

static void lines(void **state)
{
	static const struct pair pairs[] = {
		{ "/build/old/src/parse.c:12", "parse.c:12" },
		{ "parse.c:12", "parse.c:12" },
		{ "[unknown]", "[unknown]" },
		{ 0 },
	};

	check(rebuilt_base_name, pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(stacks),
		cmocka_unit_test(images),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
