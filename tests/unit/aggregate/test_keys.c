/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <errno.h>

#include "aggregate/keys.h"

/* One sample of everything there is a key for. */
static void make_point(struct fixture *fixture, struct point *ret_point)
{
	uint32_t first = fixture_process(fixture, "nginx", 4711);
	uint32_t process = fixture_process(fixture, "nginx", 4712);
	struct process *row = &fixture->profile->processes.items[process];
	uint32_t task = fixture_task(fixture, process, "worker one");
	uint32_t stack =
		fixture_stack(fixture, "/usr/lib/libc.so.6", "memcpy", 0x1230, SYMBOL_NAMED);

	assert_int_not_equal(first, process);
	row->cgroup = fixture_text(fixture, "/system.slice/web");
	row->container = fixture_text(fixture, "0123456789ab");
	row->uid = 33;
	row->exe = fixture_text(fixture, "/usr/sbin/nginx");
	fixture->profile->run.cpus = 8;
	*ret_point = (struct point){ .total = fixture_total(task, stack, MODE_KERNEL,
							    CONTEXT_SOFTIRQ, 1),
				     .time_ns = 107 * NS_PER_S + 999999999,
				     .cpu = 5 };
}

static uint32_t line_of_any(void *context, uint32_t frame)
{
	return 1;
}

static uint32_t source_of_any(void *context, uint32_t frame)
{
	return 3;
}

static uint32_t function_of_any(void *context, uint32_t frame)
{
	return 2;
}

static const char *text_of_place(void *context, uint32_t id)
{
	static const char *const texts[] = { "", "file.c:7", "inlined", "file.c" };

	return texts[id];
}

static void every_key_has_its_text(void **state)
{
	static const struct {
		const char *name, *text;
	} expected[] = {
		{ "process", "nginx#2" },
		{ "program", "nginx" },
		{ "exe", "/usr/sbin/nginx" },
		{ "pid", "4712" },
		{ "tid", "4712" },
		{ "thread", "worker one" },
		{ "user", "www-data" },
		{ "cgroup", "/system.slice/web" },
		{ "container", "0123456789ab" },
		{ "image", "/usr/lib/libc.so.6" },
		{ "symbol", "memcpy" },
		{ "function", "memcpy" },
		{ "start", "0x1230" },
		{ "line", "file.c:7" },
		{ "source", "file.c" },
		{ "inline", "inlined" },
		{ "address", "0x1234" },
		{ "stack", "memcpy" },
		{ "mode", "kernel" },
		{ "context", "softirq" },
		{ "code", "library" },
		{ "wait", "running" },
		{ "waker", "[none]" },
		{ "cpu", "5" },
		{ "event", "cpu-clock" },
		{ "time", "7" },
	};
	static const struct user_name users[] = { { 0, "root" }, { 33, "www-data" } };
	static const struct label_places places = { line_of_any, source_of_any, function_of_any,
						    text_of_place, NULL };
	struct fixture fixture;
	struct point point;
	struct buf text = { 0 };
	size_t count = 0;

	fixture_init(&fixture);
	make_point(&fixture, &point);
	fixture_labels(&fixture);
	fixture.labels.users = users;
	fixture.labels.user_count = 2;
	fixture.labels.places = &places;
	for (const struct key *key = keys_all(); key->name; key++, count++) {
		buf_clear(&text);
		key->text(&fixture.labels, keys_value(key, &fixture.labels, &point), &text);
		assert_string_equal(key->name, expected[count].name);
		assert_string_equal(buf_text(&text), expected[count].text);
		if (key->bound)
			assert_true(keys_value(key, &fixture.labels, &point) <
				    key->bound(&fixture.labels));
	}
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	buf_done(&text);
	fixture_done(&fixture);
}

static void assert_time(struct fixture *fixture, const struct point *point, uint64_t slice_ns,
			const char *expected)
{
	const struct key *time = keys_find("time", strlen("time"), NULL);
	struct buf text = { 0 };

	fixture->labels.slice_ns = slice_ns;
	time->text(&fixture->labels, keys_value(time, &fixture->labels, point), &text);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void slices_of_time(void **state)
{
	struct fixture fixture;
	struct point point;

	fixture_init(&fixture);
	make_point(&fixture, &point);
	fixture_labels(&fixture);
	assert_time(&fixture, &point, 0, "7");
	assert_time(&fixture, &point, NS_PER_S, "7");
	assert_time(&fixture, &point, 100 * NS_PER_MS, "7.9");
	assert_time(&fixture, &point, 250 * NS_PER_MS, "7.75");
	assert_time(&fixture, &point, 1000, "7.999999");
	assert_time(&fixture, &point, 2500 * NS_PER_MS, "7.5");
	assert_time(&fixture, &point, 5 * NS_PER_S, "5");
	assert_time(&fixture, &point, 60 * NS_PER_S, "0");
	point.time_ns = 99 * NS_PER_S;
	assert_time(&fixture, &point, 100 * NS_PER_MS, "0.0");
	fixture_done(&fixture);
}

static void list_of_keys(void **state)
{
	struct key_list list;
	struct err err;

	assert_int_equal(keys_parse("process,symbol", &list, &err), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0]->name, "process");
	assert_string_equal(list.items[1]->name, "symbol");
	assert_false(keys_need_samples(&list));
	assert_int_equal(keys_parse("cpu", &list, &err), 0);
	assert_true(keys_need_samples(&list));
	assert_int_equal(keys_parse("symbol,time", &list, &err), 0);
	assert_true(keys_need_samples(&list));
}

static void assert_refused(const char *text, const char *because)
{
	struct key_list list = { .count = 77 };
	struct err err = { "" };

	assert_int_equal(keys_parse(text, &list, &err), -EINVAL);
	assert_int_equal(list.count, 77);
	if (!strstr(err.text, because))
		fail_msg("'%s' lacks '%s'", err.text, because);
}

static void wrong_lists(void **state)
{
	assert_refused("", "empty");
	assert_refused("process,", "empty");
	assert_refused(",process", "empty");
	assert_refused("process,process", "twice");
	assert_refused("proces", "did you mean 'process'");
	assert_refused("symbl", "did you mean 'symbol'");
	assert_refused("func", "did you mean 'function'");
	assert_refused("adress", "did you mean 'address'");
	assert_refused("thead", "did you mean 'thread'");
	assert_refused("image,Mode", "did you mean 'mode'");
	assert_refused("pdi", "did you mean 'pid'");
	assert_refused("nosuch", "unknown key 'nosuch': --help lists all keys");
	assert_refused("x", "unknown key 'x': --help lists all keys");
	assert_refused("averyveryverylongwordthatisnokeyatallandneverwas", "unknown key");
}

static uint64_t value_of(const struct labels *labels, const char *key, uint32_t stack)
{
	struct point point = { .total = { .stack = stack } };

	return keys_value(keys_find(key, strlen(key), NULL), labels, &point);
}

static char *text_of(const struct labels *labels, const char *key, uint32_t stack)
{
	struct buf text = { 0 };

	keys_find(key, strlen(key), NULL)->text(labels, value_of(labels, key, stack), &text);
	return text.bytes;
}

static void assert_text(const struct labels *labels, const char *key, uint32_t stack,
			const char *expected)
{
	char *text = text_of(labels, key, stack);

	assert_string_equal(text, expected);
	free(text);
}

/* Static functions of one name are one symbol and several functions. */
static void functions_of_one_name(void **state)
{
	struct fixture fixture;
	const struct labels *labels;
	uint32_t a, b, bracket, none;

	fixture_init(&fixture);
	a = fixture_stack(&fixture, "/bin/a", "init", 0x100, SYMBOL_NAMED);
	b = fixture_stack(&fixture, "/bin/a", "init", 0x900, SYMBOL_NAMED);
	bracket = fixture_stack(&fixture, "/bin/a", "recv->send", 0x2000, SYMBOL_BRACKET);
	none = fixture_stack(&fixture, "/bin/a", NULL, 0x5000, SYMBOL_NONE);
	labels = fixture_labels(&fixture);
	assert_true(value_of(labels, "symbol", a) == value_of(labels, "symbol", b));
	assert_true(value_of(labels, "function", a) != value_of(labels, "function", b));
	assert_text(labels, "symbol", a, "init");
	assert_text(labels, "function", a, "init@0x100");
	assert_text(labels, "function", b, "init@0x900");
	assert_text(labels, "symbol", bracket, "recv->send");
	assert_text(labels, "function", bracket, "recv->send@0x2000");
	assert_text(labels, "symbol", none, "[unknown]");
	assert_text(labels, "function", none, "[unknown]");
	assert_text(labels, "address", none, "0x5004");
	fixture_done(&fixture);
}

static void assert_routine(const struct labels *labels, uint32_t stack, const char *expected)
{
	uint32_t frame = labels->profile->stacks.items[stack].frame;
	struct buf text = { 0 };

	labels_routine(labels, labels->profile->frames.items[frame].symbol, &text);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

/* Beside its file a place without a name needs its start only when the file has several. */
static void places_without_names(void **state)
{
	struct fixture fixture;
	const struct labels *labels;
	uint32_t nowhere, a, b, alone;

	fixture_init(&fixture);
	nowhere = fixture_stack(&fixture, "/bin/a", "[unknown]", 0, SYMBOL_NONE);
	a = fixture_stack(&fixture, "/bin/a", "[unknown]", 0x100, SYMBOL_NONE);
	b = fixture_stack(&fixture, "/bin/a", "[unknown]", 0x900, SYMBOL_NONE);
	alone = fixture_stack(&fixture, "/bin/b", "[unknown]", 0x100, SYMBOL_NONE);
	labels = fixture_labels(&fixture);
	assert_routine(labels, nowhere, "[unknown]");
	assert_routine(labels, a, "[unknown]@0x100");
	assert_routine(labels, b, "[unknown]@0x900");
	assert_routine(labels, alone, "[unknown]");
	fixture_done(&fixture);
}

static const char *gap_or_inlined(void *context, uint32_t id)
{
	(void)context;
	return id == 1 ? "a->b" : "inlined";
}

static void assert_placed(const struct labels *labels, const char *name, uint32_t stack,
			  const char *wanted, bool is_placed)
{
	const struct key *key = keys_find(name, strlen(name), NULL);
	const struct point point = { .total = fixture_total(0, stack, MODE_USER, CONTEXT_TASK, 1) };
	uint64_t value = keys_value(key, labels, &point);
	struct buf text = { 0 };

	key->text(labels, value, &text);
	assert_string_equal(buf_text(&text), wanted);
	assert_int_equal(key->placed(labels, value) != 0, is_placed);
	buf_done(&text);
}

/* For people, in every key about functions; what was inlined there has a name. */
static void code_between_symbols_is_a_place(void **state)
{
	static const char *const names[] = { "symbol", "function", "inline" };
	struct label_places places = { line_of_any, source_of_any, line_of_any, gap_or_inlined,
				       NULL };
	struct fixture fixture;
	struct labels named;
	uint32_t gap;

	fixture_init(&fixture);
	gap = fixture_stack(&fixture, "/bin/server", "a->b", 0x8000, SYMBOL_BRACKET);
	fixture_labels(&fixture);
	fixture.labels.places = &places;
	named = fixture.labels;
	fixture.labels.by_start = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_placed(&fixture.labels, names[i], gap, "server+0x8000", true);
		assert_placed(&named, names[i], gap, i == 1 ? "a->b@0x8000" : "a->b", false);
	}
	places.function = function_of_any;
	assert_placed(&fixture.labels, "inline", gap, "inlined", false);
	fixture_done(&fixture);
}

static const char *readable(void *context, const char *name)
{
	++*(unsigned *)context;
	return strcmp(name, "_Z3foov") == 0 ? "foo()" : name;
}

static void names_are_demangled(void **state)
{
	struct fixture fixture;
	uint32_t foo, plain;
	unsigned asked = 0;
	struct buf text = { 0 };

	fixture_init(&fixture);
	foo = fixture_stack(&fixture, "/bin/a", "_Z3foov", 0x100, SYMBOL_NAMED);
	plain = fixture_stack(&fixture, "/bin/a", "main", 0x200, SYMBOL_NAMED);
	fixture_labels(&fixture);
	fixture.labels.demangle = readable;
	fixture.labels.demangle_context = &asked;
	for (int i = 0; i < 3; i++) {
		assert_text(&fixture.labels, "symbol", foo, "foo()");
		assert_text(&fixture.labels, "symbol", plain, "main");
	}
	/* Each is asked for once; those that came after the labels were made are readable too. */
	assert_int_equal(asked, 2);
	labels_name(&fixture.labels, fixture_text(&fixture, "_Z3foo"), &text);
	assert_string_equal(buf_text(&text), "_Z3foo");
	assert_int_equal(asked, 3);
	buf_done(&text);
	fixture_done(&fixture);
}

/* A stack whose innermost frame is a wait that the task @waker ended. */
static struct point make_wait(struct fixture *fixture, const char *path, uint32_t waker)
{
	struct profile *profile = fixture->profile;
	struct image image = { .kind = IMAGE_WAIT, .path = fixture_text(fixture, path) };
	struct frame frame = { .image = profile_image(profile, &image), .offset = waker };
	uint32_t stack = profile_stack(profile, 0, profile_frame(profile, &frame));

	return (struct point){ .total = fixture_total(1, stack, MODE_KERNEL, CONTEXT_TASK, 1) };
}

static void check_wait(const struct labels *labels, const struct point *point, const char *wait,
		       const char *waker)
{
	const struct key *keys[] = { keys_find("wait", 4, NULL), keys_find("waker", 5, NULL) };
	const char *texts[] = { wait, waker };
	struct buf text = { 0 };

	for (int i = 0; i < 2; i++) {
		uint64_t value = keys_value(keys[i], labels, point);

		assert_true(value < keys[i]->bound(labels));
		keys[i]->text(labels, value, &text);
		assert_string_equal(buf_text(&text), texts[i]);
		buf_clear(&text);
	}
	buf_done(&text);
}

/* Also in a profile that was made elsewhere. */
static void waits_and_wakers_are_in_the_innermost_frame(void **state)
{
	struct fixture fixture;
	struct point lock, sleep, longer, wild;
	const struct labels *labels;
	uint32_t waker;

	fixture_init(&fixture);
	waker = fixture_task(&fixture, fixture_process(&fixture, "waker", 7), "waker");
	lock = make_wait(&fixture, "[lock]", waker);
	sleep = make_wait(&fixture, "[sleep]", 0);
	longer = make_wait(&fixture, "[sleeping]", 0);
	wild = make_wait(&fixture, "sleep", 4711);
	labels = fixture_labels(&fixture);
	check_wait(labels, &lock, "lock", "waker#1");
	check_wait(labels, &sleep, "sleep", "[none]");
	check_wait(labels, &longer, "other", "[none]");
	check_wait(labels, &wild, "other", "[none]");
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_without_names),
		cmocka_unit_test(code_between_symbols_is_a_place),
		cmocka_unit_test(every_key_has_its_text),
		cmocka_unit_test(waits_and_wakers_are_in_the_innermost_frame),
		cmocka_unit_test(slices_of_time),
		cmocka_unit_test(list_of_keys),
		cmocka_unit_test(wrong_lists),
		cmocka_unit_test(functions_of_one_name),
		cmocka_unit_test(names_are_demangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
