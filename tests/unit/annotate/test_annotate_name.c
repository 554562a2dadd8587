/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "annotate/annotate_name.h"

struct world {
	struct fixture fixture;
	uint32_t send, hot, gap;
};

static uint32_t symbol_of(const struct fixture *fixture, uint32_t stack)
{
	const struct profile *profile = fixture->profile;

	return profile->frames.items[profile->stacks.items[stack].frame].symbol;
}

static void begin(struct world *world)
{
	struct fixture *fixture = &world->fixture;

	*world = (struct world){ 0 };
	fixture_init(fixture);
	world->send = symbol_of(
		fixture, fixture_stack(fixture, "[kernel]", "tcp_sendmsg", 0x200, SYMBOL_NAMED));
	world->hot = symbol_of(fixture, fixture_stack(fixture, "/bin/p", "ns::hot<int>(int, long)",
						      0x400, SYMBOL_NAMED));
	world->gap = symbol_of(
		fixture, fixture_stack(fixture, "/lib/libc.so.6", "a->b", 0x100, SYMBOL_BRACKET));
	fixture_labels(fixture);
}

static enum annotate_fit fit(const struct world *world, const char *typed, uint32_t symbol)
{
	struct annotate_name name;
	struct buf text = { 0 };
	enum annotate_fit fit;

	annotate_name_parse(typed, &name);
	fit = annotate_name_fit(&name, &world->fixture.labels, symbol, &text);
	annotate_name_done(&name);
	buf_done(&text);
	return fit;
}

static void names_as_they_are_printed(void **state)
{
	struct world world;

	begin(&world);
	assert_int_equal(fit(&world, "tcp_sendmsg", world.send), FIT_EXACT);
	assert_int_equal(fit(&world, "tcp_sendmsg_[k]", world.send), FIT_EXACT);
	assert_int_equal(fit(&world, "tcp_sendmsg  [kernel]", world.send), FIT_EXACT);
	assert_int_equal(fit(&world, "tcp_sendmsg  [p]", world.send), FIT_NOT);
	assert_int_equal(fit(&world, "tcp_sendmsg  (3 times)", world.send), FIT_EXACT);
	assert_int_equal(
		fit(&world, "tcp_sendmsg (end of interrupts-off section in x)", world.send),
		FIT_EXACT);
	assert_int_equal(fit(&world, "tcp_sendmsg (end of interrupts-off section) [k]", world.send),
			 FIT_EXACT);
	assert_int_equal(fit(&world, "ns::hot<int>(int, long)  [p]", world.hot), FIT_EXACT);
	assert_int_equal(fit(&world, "ns::hot<int>", world.hot), FIT_EXACT);
	assert_int_equal(fit(&world, "a->b", world.gap), FIT_EXACT);
	assert_int_equal(fit(&world, NULL, world.gap), FIT_EXACT);
	fixture_done(&world.fixture);
}

static void patterns_and_shortened_names(void **state)
{
	struct world world;

	begin(&world);
	assert_int_equal(fit(&world, "tcp_*", world.send), FIT_GLOB);
	assert_int_equal(fit(&world, "tcp_*  [p]", world.send), FIT_NOT);
	assert_int_equal(fit(&world, "tcp...msg", world.send), FIT_SHORTENED);
	assert_int_equal(fit(&world, "ns::hot<...>(...)", world.hot), FIT_SHORTENED);
	assert_int_equal(fit(&world, "ns::hot<int>(int, ...)  [p]", world.hot), FIT_SHORTENED);
	assert_int_equal(fit(&world, "ns::cold<...>(...)", world.hot), FIT_NOT);
	assert_int_equal(fit(&world, "...", world.send), FIT_SHORTENED);
	fixture_done(&world.fixture);
}

static void places(void **state)
{
	struct world world;

	begin(&world);
	assert_int_equal(fit(&world, "libc.so.6+0x100", world.gap), FIT_EXACT);
	assert_int_equal(fit(&world, "libc.so.6+0x104", world.gap), FIT_NOT);
	assert_int_equal(fit(&world, "p+0x400", world.hot), FIT_EXACT);
	assert_int_equal(fit(&world, "q+0x400", world.hot), FIT_NOT);
	assert_int_equal(fit(&world, "+0x", world.hot), FIT_NOT);
	assert_int_equal(fit(&world, "[", world.hot), FIT_NOT);
	assert_int_equal(fit(&world, "", world.hot), FIT_NOT);
	fixture_done(&world.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_they_are_printed),
		cmocka_unit_test(patterns_and_shortened_names),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
