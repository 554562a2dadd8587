/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several events side by side; what one event looks like is in tests/golden and tests/system. */
#include "present/printed.h"

#include "annotate/annotation.h"

static const uint8_t both[] = { 0, 1 };

struct page {
	struct printed printed;
	struct hit_sets sets;
	struct annotation annotation;
};

static hit_set hits(struct page *page, uint64_t clock, uint64_t other)
{
	hit_set set = 0;

	if (clock)
		hit_sets_add(&page->sets, &set, 0, &(struct hits){ clock, clock * NS_PER_MS });
	if (other)
		hit_sets_add(&page->sets, &set, 1, &(struct hits){ other, other * 100 });
	return set;
}

/* A function with two lines that were hit and one that was not. */
static void begin(struct page *page, const char *event)
{
	struct annotation *annotation = &page->annotation;

	*page = (struct page){ 0 };
	printed_world(&page->printed);
	fixture_event(&page->printed.fixture, event, "count");
	hit_sets_init(&page->sets, 2);
	annotation->events = both;
	annotation->sets = &page->sets;
	annotation->name = annotation_text(annotation, "work");
	annotation->place = annotation_text(annotation, "/bin/p");
	annotation->file = annotation_text(annotation, "p.c");
	annotation->hits = hits(page, 30, 4);
	annotation->whole = hits(page, 60, 16);
	annotation->file_hits = hits(page, 45, 0);
	annotation_add(annotation, ANNOTATION_PART, 0, "p.c");
	annotation_add(annotation, ANNOTATION_SOURCE, 9, "first");
	annotation->rows.items[1].hits = hits(page, 30, 1);
	annotation_add(annotation, ANNOTATION_SOURCE, 10, "second");
	annotation_add(annotation, ANNOTATION_CODE, 0x1f, "nop");
	annotation->rows.items[3].hits = hits(page, 0, 3);
	printed_begin(&page->printed, 1);
}

static void end(struct page *page)
{
	annotation_done(&page->annotation);
	hit_sets_done(&page->sets);
	printed_done(&page->printed);
}

static void columns(void **state)
{
	struct page page;

	begin(&page, "page-faults");
	annotation_print(&page.printed.view, &page.annotation, page.printed.out);
	assert_string_equal(
		printed_end(&page.printed),
		"\nwork\n====\n"
		"/bin/p: 30 samples of cpu-clock, 0.030 s, 50.00 % of the selection\n"
		"/bin/p: 4 samples of page-faults, 400, 25.00 % of the selection\n"
		"\nHottest lines by cpu-clock, in percent of the function\n"
		"     %  Hits  Line   Source\n"
		"100.00    30  p.c:9  first\n\n"
		"      cpu-clock    page-faults\n"
		"      %    Hits      %    Hits\n"
		"                                p.c\n"
		" 100.00      30  25.00       1   9 | first\n"
		"                                10 | second\n"
		"                 75.00       3  1f   nop\n"
		"All of p.c: 45 samples of cpu-clock, 0.045 s, 75.00 % of the selection\n"
		"All of p.c: 0 samples of page-faults, 0, 0.00 % of the selection\n");
	end(&page);
	(void)state;
}

/* A name that does not fit above its columns is printed once, after its number. */
static void numbers(void **state)
{
	struct page page;
	const char *text;

	begin(&page, "context-switches");
	annotation_print(&page.printed.view, &page.annotation, page.printed.out);
	text = printed_end(&page.printed);
	assert_has(text, "\n[1] /bin/p: 30 samples of cpu-clock, ");
	assert_has(text, "\n[2] /bin/p: 4 samples of context-switches, ");
	assert_has(text, "\n            [1]            [2]\n      %    Hits      %    Hits\n");
	assert_has(text, "\n[2] All of p.c: 0 samples of context-switches, ");
	end(&page);
	(void)state;
}

/* Each share has its own heat. */
static void colours(void **state)
{
	struct page page;
	const char *text;

	begin(&page, "page-faults");
	page.annotation.rows.items[1].hits = hits(&page, 1, 4);
	page.printed.view.screen.colour = true;
	annotation_print(&page.printed.view, &page.annotation, page.printed.out);
	text = printed_end(&page.printed);
	assert_has(text, "\033[31m   3.33       1\033[0m\033[1;31m 100.00       4\033[0m");
	end(&page);
	(void)state;
}

static void file(void **state)
{
	struct page page;

	begin(&page, "page-faults");
	page.annotation.rows.count = 3;
	annotation_print_file(&page.printed.view, &page.annotation, page.printed.out);
	assert_string_equal(printed_end(&page.printed),
			    "                               | p.c\n"
			    " 100.00      30  25.00       1 | first\n"
			    "                               | second\n"
			    "/bin/p: 30 samples of cpu-clock, 0.030 s, 50.00 % of the selection\n"
			    "/bin/p: 4 samples of page-faults, 400, 25.00 % of the selection\n");
	end(&page);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(numbers),
		cmocka_unit_test(colours),
		cmocka_unit_test(file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
