/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/vec.h"
#include "count/counters.h"
#include "count/event_rows.h"
#include "perf/cpu_list.h"
#include "perf/event_library.h"
#include "perf/event_names.h"

enum { TRY_MS = 20 };

int event_listing_check_format(const char *format, struct err *err)
{
	if (strcmp(format, "text") == 0 || strcmp(format, "csv") == 0 ||
	    strcmp(format, "json") == 0)
		return 0;
	return err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json", format);
}

/* ---- listing ---- */

struct listing {
	const struct event_listing_options *options;
	struct event_rows *rows;
};

static bool contains(const char *text, const char *part)
{
	return strcasestr(text, part) != NULL;
}

static bool matches(const char *pattern, const struct event_entry *entry)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, entry->name, FNM_CASEFOLD) == 0;
	return contains(entry->name, pattern) || contains(entry->kind, pattern) ||
	       contains(entry->text, pattern);
}

static void take(void *context, const struct event_entry *entry)
{
	const struct listing *listing = context;
	const struct event_row row = { .name = entry->name,
				       .kind = entry->kind,
				       .text = entry->text,
				       .masks = entry->masks,
				       .type = entry->type,
				       .config = entry->config,
				       .coded = entry->coded };

	if (matches(listing->options->pattern, entry))
		event_rows_add(listing->rows, &row);
}

size_t event_listing_print(const struct event_listing_options *options, FILE *out,
			   struct event_listing_notes *ret_notes)
{
	struct event_rows_form form = { .format = options->format,
					.bare_names = options->bare_names };
	struct listing listing = { options, event_rows_new(&form, out) };
	size_t count;

	*ret_notes = (struct event_listing_notes){ 0 };
	if (options->all_processors)
		event_library_each(true, take, &listing);
	else
		event_names_each(take, &listing, &ret_notes->no_tracepoints,
				 &ret_notes->no_library);
	count = event_rows_count(listing.rows);
	event_rows_finish(listing.rows);
	return count;
}

/* ---- trying ---- */

/* Uses a moment of CPU time, so the events have something to count. */
static void spin(void)
{
	uint64_t end = clock_read(CLOCK_THREAD_CPUTIME_ID) + TRY_MS * NS_PER_MS;

	while (clock_read(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static struct count_value read_all(const struct counters *counters, size_t event)
{
	struct count_value sum = { 0 };

	for (size_t i = 0; i < counters_targets(counters); i++) {
		struct count_value value = counters_read(counters, i, event);

		counts_add_value(&sum, &value);
	}
	return sum;
}

static bool print_tried(const struct counters *counters, const struct event_spec *specs,
			size_t count, struct event_rows *rows)
{
	bool all_good = true;

	for (size_t i = 0; i < count; i++) {
		const struct count_event *event = counters_event(counters, i);
		struct count_value value = read_all(counters, i);
		enum count_state state = counts_value_state(event, &value);
		char share[64] = "";
		struct event_row row = { .name = event->name,
					 .kind = counts_state_word(state),
					 .text = event->why,
					 .masks = "",
					 .type = specs[i].type,
					 .config = specs[i].config,
					 .coded = true };

		if (state == COUNT_GOOD)
			row.kind = "can be counted";
		if (state == COUNT_GOOD && counts_percent_counted(&value) < 99) {
			snprintf(share, sizeof(share), "takes turns: %.0f%% of the time",
				 counts_percent_counted(&value));
			row.text = share;
		}
		all_good &= state == COUNT_GOOD;
		event_rows_add(rows, &row);
	}
	return all_good;
}

static bool any_whole_cpus(const struct event_spec *specs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (specs[i].whole_cpus)
			return true;
	}
	return false;
}

int event_listing_check(const char *const *lists, size_t count, const char *format, FILE *out,
			bool *ret_all_good, struct err *err)
{
	const struct event_rows_form form = { .format = format, .tried = true };
	struct event_spec specs[COUNTS_MAX_EVENTS];
	unsigned groups[COUNTS_MAX_EVENTS];
	const pid_t self = 0;
	struct counters_options options = { .specs = specs,
					    .groups = groups,
					    .tids = &self,
					    .tid_count = 1,
					    .may_restrict = true };
	_cleanup_(counters_freep) struct counters *counters = NULL;
	_cleanup_free_ int *cpus = NULL;
	struct event_rows *rows;
	int rc = event_names_parse_groups(lists, count, specs, groups, COUNTS_MAX_EVENTS,
					  &options.count, err);

	if (rc == 0 && any_whole_cpus(specs, options.count)) {
		rc = cpu_list_online(&cpus, &options.cpu_count, err);
		options.cpus = cpus;
		options.tids = NULL;
	}
	if (rc == 0)
		rc = counters_open(&options, &counters, err);
	if (rc < 0)
		return rc;
	counters_enable(counters);
	spin();
	counters_disable(counters);
	rows = event_rows_new(&form, out);
	*ret_all_good = print_tried(counters, specs, options.count, rows);
	event_rows_finish(rows);
	return 0;
}
