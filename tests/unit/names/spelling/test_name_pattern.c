/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/spelling/name_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *pattern, *symbol, *readable;
	enum name_fit fit;
} cases[] = {
	{ "malloc", "malloc", "malloc", NAME_FIT_WHOLE },
	{ "malloc", "mallocx", "mallocx", NAME_FIT_NONE },
	{ "tcp_*", "tcp_sendmsg", "tcp_sendmsg", NAME_FIT_WHOLE },
	{ "tcp_*", "udp_sendmsg", "udp_sendmsg", NAME_FIT_NONE },
	{ "work", "work.isra.0", "work.isra.0", NAME_FIT_CLONE },
	{ "work", "work.constprop.0.isra.0", "work.constprop.0.isra.0", NAME_FIT_CLONE },
	{ "work", "work.cold", "work.cold", NAME_FIT_NONE },
	{ "work", "work.part.0.cold", "work.part.0.cold", NAME_FIT_NONE },
	{ "app::get", "m", "app::get(int)", NAME_FIT_WHOLE },
	{ "app::get(int)", "m", "app::get(int)", NAME_FIT_WHOLE },
	{ "app::get(long)", "m", "app::get(int)", NAME_FIT_NONE },
	{ "get", "m", "app::Cache<int>::get(int) const", NAME_FIT_LAST },
	{ "Cache::get", "m", "app::Cache<int>::get(int) const", NAME_FIT_LAST },
	{ "Cache<int>::get", "m", "app::Cache<int>::get(int)", NAME_FIT_LAST },
	{ "Cache<long>::get", "m", "app::Cache<int>::get(int)", NAME_FIT_NONE },
	{ "app::Cache::get", "m", "app::Cache<int>::get(int)", NAME_FIT_BARE },
	{ "Cache<int>::get(int)", "m", "app::Cache<int>::get(int)", NAME_FIT_LAST },
	{ "et", "m", "app::get(int)", NAME_FIT_NONE },
	{ "app::twice<int>", "m", "int app::twice<int>(int)", NAME_FIT_WHOLE },
	{ "app::twice<int>(int)", "m", "int app::twice<int>(int)", NAME_FIT_WHOLE },
	{ "app::twice", "m", "std::pair<int, char> app::twice<int>(int)", NAME_FIT_BARE },
	{ "twice", "m", "int app::twice<int>(int)", NAME_FIT_LAST },
	{ "Box<int>::as", "m", "char Box<int>::as<char>(char)", NAME_FIT_BARE },
	{ "Box<int>::as", "m", "char app::Box<int>::as<char>(char)", NAME_FIT_LAST },
	{ "Box<long>::as", "m", "char Box<int>::as<char>(char)", NAME_FIT_NONE },
	{ "Box", "m", "char Box<int>::as<char>(char)", NAME_FIT_NONE },
	{ "Box<*>::get", "m", "Box<int>::get() const", NAME_FIT_WHOLE },
	{ "Box<int, *>::get", "m", "Box<int, char>::get() const", NAME_FIT_WHOLE },
	{ "Box<*>::get", "m", "Box<int>::put() const", NAME_FIT_NONE },
	{ "Box<char*>::get", "m", "Box<char*>::get() const", NAME_FIT_WHOLE },
	{ "Box<char*>::get", "m", "Box<charter>::get() const", NAME_FIT_NONE },
	{ "run(Box<*>)", "m", "run(Box<int>)", NAME_FIT_WHOLE },
	{ "Box", "m", "Box<int>::get() const", NAME_FIT_NONE },
	{ "app::*", "m", "app::get(int)", NAME_FIT_WHOLE },
	{ "app::*", "m", "int app::twice<int>(int)", NAME_FIT_WHOLE },
	{ "app::g*t", "m", "app::get(char*)", NAME_FIT_WHOLE },
	{ "app::get(char*)", "m", "app::get(char*)", NAME_FIT_WHOLE },
	{ "Call::operator()", "m", "Call::operator()(int) const", NAME_FIT_WHOLE },
	{ "operator()", "m", "Call::operator()(int) const", NAME_FIT_LAST },
	{ "Call::operator*", "m", "Call::operator*(Call const&)", NAME_FIT_WHOLE },
	{ "operator<<", "m", "operator<<(std::ostream&, Call const&)", NAME_FIT_WHOLE },
	{ "operator->", "m", "ptr<int>::operator->() const", NAME_FIT_LAST },
	{ "operator new", "_Znwm", "operator new(unsigned long)", NAME_FIT_WHOLE },
	{ "(anonymous namespace)::hidden", "m", "(anonymous namespace)::hidden(int)",
	  NAME_FIT_WHOLE },
	{ "hidden", "m", "app::(anonymous namespace)::hidden(int)", NAME_FIT_LAST },
	{ "app::get", "m", "app::get(int) [clone .part.0]", NAME_FIT_WHOLE },
	{ "<*const [u8] as c::Tr>::f", "m", "<*const [u8] as c::Tr>::f", NAME_FIT_WHOLE },
	{ "<*mut T as c::Tr>::f", "m", "<*const T as c::Tr>::f", NAME_FIT_NONE },
	{ "<(*const A, *mut B) as c::Tr>::f", "m", "<(*const A, *mut B) as c::Tr>::f",
	  NAME_FIT_WHOLE },
	{ "[u8]::f", "m", "c::[u8]::f", NAME_FIT_LAST },
	{ "serde::de::from_str", "m", "serde::de::from_str", NAME_FIT_WHOLE },
	{ "from_str", "m", "<alloc::string::String as core::str::FromStr>::from_str",
	  NAME_FIT_LAST },
};

static void test_fits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum name_fit fit =
			name_pattern_fit(cases[i].pattern, cases[i].symbol, cases[i].readable);

		if (fit != cases[i].fit)
			fail_msg("'%s' and '%s': %d, not %d", cases[i].pattern, cases[i].readable,
				 fit, cases[i].fit);
	}
}

static void test_globs(void **state)
{
	(void)state;
	assert_true(name_pattern_is_glob("tcp_*"));
	assert_true(name_pattern_is_glob("*"));
	assert_true(name_pattern_is_glob("a[bc]"));
	assert_false(name_pattern_is_glob("operator*"));
	assert_false(name_pattern_is_glob("operator[]"));
	assert_false(name_pattern_is_glob("get(char*)"));
	assert_false(name_pattern_is_glob("malloc"));
	assert_true(name_pattern_is_glob("<* as c::Tr>::f"));
	assert_false(name_pattern_is_glob("<*const [u8] as c::Tr>::f"));
	assert_false(name_pattern_is_glob("<(*const A, *mut B) as c::Tr>::f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_globs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
