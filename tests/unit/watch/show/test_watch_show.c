/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

static const int64_t times[] = { 0, 1000, 2000, 4000, 8000 };
static const int64_t returned[] = { -4095, -2, -1, 0, 1, 16 };
static const uint64_t latency[] = { 0, 6, 3, 0, 1 };
static const uint64_t values[] = { 0, 1, 0, 2, 7, 0 };

static const struct probe_target targets[] = {
	{ .label = "vfs_read", .name = "vfs_read" },
	{ .label = "prog:work+0x1c\033[31m", .user = true, .instruction = true },
	{ .label = "prog:gone", .user = true },
};
static const struct probe_outcome outcomes[] = {
	{ .mechanism = PROBE_FENTRY },
	{ .mechanism = PROBE_UPROBE_MULTI },
	{ .mechanism = PROBE_NONE, .why = "no such \"thing\"" },
};

/* A watch of a second with two CPUs. */
struct shown {
	struct metric_set set;
	struct watch_setting setting;
	struct probe_row rows[3];
	struct watch_tick tick;
	struct watch_totals totals;
	char *text;
	size_t size;
	FILE *out;
};

static void make(struct shown *shown, const char *metrics)
{
	const struct probe_counts counts = { .entries = 12345,
					     .exits = 12340,
					     .wall_ns = 250000000,
					     .virtual_ns = 1230,
					     .moved = 1,
					     .errors = 3,
					     .longest_ns = 7654,
					     .timed = 12340,
					     .abandoned = 5 };

	*shown = (struct shown){ .text = NULL };
	assert_int_equal(metric_set_parse(metrics, &shown->set, NULL), 0);
	shown->setting = (struct watch_setting){ .targets = targets,
						 .outcomes = outcomes,
						 .target_count = 3,
						 .attached = 2,
						 .key = PROBE_BY_CPU,
						 .latency = { times, 5 },
						 .values = { returned, 6 },
						 .attach_ns = 12000000,
						 .interval_ns = NS_PER_S };
	for (int i = 0; i < 2; i++)
		shown->rows[i] = (struct probe_row){
			.target = 0, .id = i, .pid = -1, .counts = counts, .place = (size_t)i
		};
	shown->rows[2] = (struct probe_row){ .target = 1, .id = 1, .pid = -1, .place = 2 };
	shown->rows[2].counts.entries = 7;
	shown->tick = (struct watch_tick){
		.from_ns = 5 * NS_PER_S,
		.to_ns = 6 * NS_PER_S,
		.began_ns = 5 * NS_PER_S,
		.rows = shown->rows,
		.row_count = 3,
		.cost = { .hits = 1000, .program_ns = 100000, .trap_ns = 900000 }
	};
	shown->totals = (struct watch_totals){ .all = shown->tick, .detach_ns = 3000000 };
	shown->totals.all.end = WATCH_DURATION;
}

static const char *run(struct shown *shown, struct watch_show_options options)
{
	struct watch_show *show;
	struct watch_view view;

	shown->out = open_memstream(&shown->text, &shown->size);
	options.metrics = &shown->set;
	options.out = shown->out;
	show = watch_show_new(&options);
	view = watch_show_view(show);
	assert_int_equal(view.begin(view.context, &shown->setting), 0);
	assert_int_equal(view.tick(view.context, &shown->tick), 0);
	assert_int_equal(view.end(view.context, &shown->totals), 0);
	watch_show_free(show);
	fclose(shown->out);
	return shown->text;
}

static void assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text ? text : "");
}

static const char table[] =
	"prog:gone: cannot be watched: no such \"thing\"\n"
	"1.0 s, the last 1.00 s, cost 0.1 % of a CPU, 2 of 3 attached\n"
	"function                cpu   entries  walltime  vtime/invoc    errors\n"
	"                                  #/s   threads            s       #/s\n"
	"vfs_read                0      12,345      0.25       99.7ps      3.00\n"
	"vfs_read                1      12,345      0.25       99.7ps      3.00\n"
	"vfs_read                sum    24,690       0.5       99.7ps      6.00\n"
	"prog:work+0x1c\\x1b[31m  1        7.00         -            -         -\n"
	"\n"
	"totals\n"
	"function                cpu   entries  walltime  vtime/invoc    errors\n"
	"                                    #  thread-s            s         #\n"
	"vfs_read                0      12,345     250ms       99.7ps         3\n"
	"vfs_read                1      12,345     250ms       99.7ps         3\n"
	"vfs_read                sum    24,690     500ms       99.7ps         6\n"
	"prog:work+0x1c\\x1b[31m  1           7         -            -         -\n"
	"\n"
	"10 calls abandoned by a longjmp or an exception: entries without exits\n"
	"1.00 s, 1,000 probe hits of 1.00us (programs 100ns): 0.1 % of a CPU;\n"
	"attached in 12.0ms, detached in 3.00ms\n";

static void test_table(void **state)
{
	struct shown shown;
	const char *text;

	(void)state;
	make(&shown, "entries,walltime,vtime/invoc,errors");
	text = run(&shown, (struct watch_show_options){ .form = WATCH_FORM_TEXT });
	assert_string_equal(text, table);
	free(shown.text);
}

/* What has no errors is not said to have 0 of them; a condition may say what they are. */
static void test_errors_of_types(void **state)
{
	static const struct {
		struct probe_return returns;
		bool told, has;
	} cases[] = {
		{ { PROBE_RETURN_UNKNOWN, 0 }, false, true },
		{ { PROBE_RETURN_SIGNED, 32 }, false, true },
		{ { PROBE_RETURN_POINTER, 64 }, false, true },
		{ { PROBE_RETURN_UNSIGNED, 8 }, false, false },
		{ { PROBE_RETURN_UNSIGNED, 8 }, true, true },
		{ { PROBE_RETURN_NOTHING, 0 }, false, false },
		{ { PROBE_RETURN_NOTHING, 0 }, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_target target = { .label = "f", .returns = cases[i].returns };
		struct shown shown;

		make(&shown, "errors,errors/invoc,exits");
		shown.setting.targets = &target;
		shown.setting.target_count = 1;
		shown.setting.errors_told = cases[i].told;
		shown.totals.all.row_count = shown.tick.row_count = 1;
		assert_has(run(&shown, (struct watch_show_options){ .form = WATCH_FORM_CSV }),
			   cases[i].has ? "total,0.000000,1.000000,f,0,3,0.000243111831442,12340\n"
					: "total,0.000000,1.000000,f,0,,,12340\n");
		free(shown.text);
	}
}

static void test_histograms(void **state)
{
	struct shown shown;
	const char *text;

	(void)state;
	make(&shown, "entries,latency");
	shown.rows[0].latency = shown.rows[1].latency = latency;
	shown.rows[0].values = values;
	text = run(&shown, (struct watch_show_options){ .form = WATCH_FORM_TEXT });
	assert_has(text, "latency of vfs_read: p50 1.83us, p90 4.00us, p99 7.65us, max 7.65us\n");
	assert_has(text, "1.00us to 2.00us");
	assert_has(text, "12 ****************************************\n");
	assert_has(text, "returned by vfs_read:\n");
	assert_has(text, "-2 ENOENT");
	assert_has(text, "1 to 15");
	free(shown.text);
}

/* More buckets than bars: success and errors have bars of their own all the same, whose labels end
 * at what was seen. */
static void test_errors_are_apart(void **state)
{
	enum { LEAST = -20, COUNT = 60 };
	static int64_t scale[COUNT];
	static uint64_t came[COUNT];
	struct shown shown;
	const char *text;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		scale[i] = LEAST + i;
	came[-LEAST - EIO] = 2250;
	came[-LEAST - ENOENT] = 1;
	came[-LEAST] = 5;
	came[-LEAST + 2] = 3;
	came[-LEAST + 30] = 7;
	make(&shown, "entries");
	shown.setting.values = (struct probe_scale){ scale, COUNT };
	shown.rows[0].values = came;
	text = run(&shown, (struct watch_show_options){ .form = WATCH_FORM_TEXT });
	assert_has(text, "\n  -5 EIO                                  2,250 ***");
	assert_has(text, "\n  -2 ENOENT                                   1 *\n"
			 "  0                                           5 *\n"
			 "  2                                           3 *\n"
			 "  30                                          7 *\n");
	free(shown.text);
}

static void test_csv(void **state)
{
	struct shown shown;
	const char *text;

	(void)state;
	make(&shown, "entries,walltime/invoc,locality");
	text = run(&shown, (struct watch_show_options){ .form = WATCH_FORM_CSV });
	assert_has(text, "kind,start,end,target,cpu,entries,walltime/invoc,locality\n"
			 "interval,0.000000,1.000000,vfs_read,0,12345,2.025");
	assert_has(text, "interval,0.000000,1.000000,prog:work+0x1c\\x1b[31m,1,7,,0\n");
	assert_has(text, "total,0.000000,1.000000,vfs_read,1,12345,");
	free(shown.text);
}

static void test_json(void **state)
{
	struct shown shown;
	const char *text;

	(void)state;
	make(&shown, "entries,walltime/invoc,latency-p50");
	shown.rows[0].latency = latency;
	text = run(&shown, (struct watch_show_options){ .form = WATCH_FORM_JSON });
	assert_has(text, "{\"kind\":\"begin\",\"metrics\":[{\"name\":\"entries\",\"unit\":\"#/s\","
			 "\"total_unit\":\"#\"},");
	assert_has(text, "{\"target\":\"prog:gone\",\"mechanism\":\"none\",\"why\":\"no such "
			 "\\\"thing\\\"\"}");
	assert_has(text, "\"target\":\"vfs_read\",\"cpu\":0,\"entries\":12345,");
	assert_has(text, "\"latency_ns\":[[1000,1999,6],[2000,3999,3],[8000,null,1]]}\n");
	assert_has(text, "\"cpu\":1,\"entries\":7,\"walltime/invoc\":null,\"latency-p50\":null}\n");
	assert_has(text, "{\"kind\":\"end\",\"reason\":\"duration\",\"seconds\":1.000000,");
	free(shown.text);
}

static void test_plot(void **state)
{
	struct shown shown;
	const char *text;

	(void)state;
	make(&shown, "entries");
	text = run(&shown, (struct watch_show_options){
				   .plot = true, .lines = 24, .columns = 80, .ascii = true });
	assert_has(text, "entries (#/s)");
	assert_has(text, "a entries<vfs_read/cpu 0>");
	assert_has(text, "24,690 |c");
	free(shown.text);
}

static void test_full(void **state)
{
	struct shown shown;
	struct watch_show_options options = { .form = WATCH_FORM_CSV };
	struct watch_show *show;
	struct watch_view view;

	(void)state;
	make(&shown, "entries");
	options.metrics = &shown.set;
	options.out = fopen("/dev/full", "we");
	if (!options.out)
		skip();
	show = watch_show_new(&options);
	view = watch_show_view(show);
	assert_int_equal(view.begin(view.context, &shown.setting), -ENOSPC);
	watch_show_free(show);
	fclose(options.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	   cmocka_unit_test(test_errors_of_types),
		cmocka_unit_test(test_histograms), cmocka_unit_test(test_errors_are_apart),
		cmocka_unit_test(test_csv),	   cmocka_unit_test(test_json),
		cmocka_unit_test(test_plot),	   cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
