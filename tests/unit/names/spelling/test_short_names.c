/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/spelling/short_names.h"

#include "names/spelling/demangler.h"
#include "tools.h"

#define STRING	 "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define STRING11 "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void test_names(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "main", "main" },
		{ "foo(int, char const*)", "foo(int, char const*)" },
		{ "f(" STRING " const&)", "f(std::string const&)" },
		{ "f(" STRING11 ")", "f(std::string)" },
		{ STRING "::size() const", "std::string::size() const" },
		{ "std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)",
		  "std::vector<int>::push_back(int&&)" },
		{ "std::map<" STRING ", std::vector<int, std::allocator<int> >, std::less<" STRING
		  " >, std::allocator<std::pair<" STRING " const, std::vector<int, "
		  "std::allocator<int> > > > >::at(" STRING " const&)",
		  "std::map<std::string, std::vector<int>>::at(std::string const&)" },
		{ "std::unique_ptr<A, std::default_delete<A> >::get() const",
		  "std::unique_ptr<A>::get() const" },
		{ "a<b<c<d<e> > > >", "a<b<c<...>>>" },
		{ "a<b<" STRING " > >", "a<b<std::string>>" },
		/* the first argument is never a default */
		{ "f<std::allocator<int> >()", "f<std::allocator<int>>()" },
		{ "operator<< <char>(int)", "operator<< <char>(int)" },
		{ "A::operator<(A const&)", "A::operator<(A const&)" },
		{ "A::operator-><int>(B<C>)", "A::operator-><int>(B<C>)" },
		{ "bool operator<=><x, std::allocator<x> >(y<(z)1>)",
		  "bool operator<=><x>(y<(z)1>)" },
		{ "f<(a)1>::{lambda(int, b<c, std::less<c> >)#1}::operator()(int) const",
		  "f<(a)1>::{lambda(int, b<c>)#1}::operator()(int) const" },
		{ "g<decltype (a.b())>", "g<decltype (a.b())>" },
		{ "h<auto () -> x>()", "h<auto () -> x>()" },
		{ "myoperator<int>", "myoperator<int>" },
		{ "std::ostream& std::operator<< <std::char_traits<char> >(std::basic_ostream<char,"
		  " std::char_traits<char> >&, char const*)",
		  "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char "
		  "const*)" },
		/* brackets that do not match */
		{ "a<b", "a<b" },
		{ "a<(b>c)", "a<(b>c)" },
		{ "a>b", "a>b" },
		{ "", "" },
	};
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		buf_clear(&text);
		short_names_add(rows[i].name, &text);
		assert_string_equal(buf_text(&text), rows[i].text);
	}
	buf_done(&text);
}

static size_t count_of(const char *text, char letter)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == letter;
	return count;
}

/* Of real names: never longer, of balanced brackets, without what is to be left out. */
static void test_real_names(void **state)
{
	struct demangler *normal = demangler_new(DEMANGLER_NORMAL);
	struct demangler *smart = demangler_new(DEMANGLER_SMART);
	struct buf names = { 0 };
	size_t count = 0, shorter = 0;
	char *rest, *name;

	(void)state;
	tools_run(&names, "nm -D --defined-only -P /usr/lib/*/libstdc++.so.6"
			  " /usr/lib/*/libLLVM-1?.so.1 2>/dev/null |"
			  " sed -n 's/^\\(_Z[^ @]*\\).*/\\1/p' | sort -u | awk 'NR %% 5 == 0'");
	rest = names.bytes;
	while (rest && (name = tools_line(&rest))) {
		const char *whole = demangler_text(normal, name);
		const char *text = demangler_text(smart, name);

		assert_true(strlen(text) <= strlen(whole));
		assert_int_equal(count_of(text, '('), count_of(text, ')'));
		assert_null(strstr(text, "__cxx11::"));
		assert_null(strstr(text, ", std::allocator<char>>"));
		assert_null(strstr(text, ", std::char_traits<char>>"));
		shorter += strlen(text) < strlen(whole);
		count++;
	}
	print_message("%zu names, %zu made shorter\n", count, shorter);
	assert_true(count > 100 && shorter > 10);
	demangler_free(normal);
	demangler_free(smart);
	buf_done(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_real_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
