/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#include "base/clock.h"
#include "watch/show/watch_parts.h"

enum {
	COUNT_MS = 500,
	LOOK_MS = 20,		/* between two checks of the cost */
	SLOW_MS = 2000,		/* do not count if attaching and detaching take longer */
	MOST_COST_MS = 50,	/* of the counted entries */
	PROGRAM_ENTRY_NS = 150, /* measured: an entry's part of a timed pair */
	PROGRAM_EXIT_NS = 200,	/* an exit's part */
};

static void add_way(const char *what, size_t count, enum probe_mechanism mechanism,
		    struct buf *text)
{
	if (count)
		buf_printf(text, "functions in %s: %zu (%s)\n", what, count,
			   mechanism == PROBE_NONE ? "this kernel cannot probe them"
						   : probe_mechanism_name(mechanism));
}

static void pause_ms(long ms)
{
	const struct timespec time = { 0, ms * (long)NS_PER_MS };

	nanosleep(&time, NULL);
}

struct counted {
	uint64_t entries, ns;
};

/* Counts until the time is up, or the cost reaches its limit. */
static struct counted count(struct probes *probes)
{
	uint64_t began_ns = probes_open(probes);
	struct probe_reading reading;
	struct probe_cost cost;
	struct counted counted = { 0, 0 };

	do {
		pause_ms(LOOK_MS);
		cost = probes_cost(probes);
	} while (clock_ns() - began_ns < COUNT_MS * NS_PER_MS &&
		 cost.program_ns + cost.trap_ns < MOST_COST_MS * NS_PER_MS);
	counted.ns = probes_close(probes) - began_ns;
	probes_read(probes, &reading);
	for (size_t i = 0; i < reading.row_count; i++)
		counted.entries += reading.rows[i].counts.entries;
	return counted;
}

/* Counts entries only, in one row for all keys. */
static int count_entries(const struct probe_options *options, struct counted *ret_counted,
			 struct err *err)
{
	struct probe_options entries = *options;
	struct probes *probes;
	int rc;

	entries.measures = 0;
	entries.counter_count = 0;
	entries.key = PROBE_BY_SUM;
	rc = probes_new(&entries, &probes, err);
	if (rc < 0)
		return rc;
	rc = probes_attach(probes, err);
	if (rc == 0)
		*ret_counted = count(probes);
	probes_free(probes);
	return rc;
}

static void add_cost(const struct counted *counted, uint64_t call_ns, struct buf *text)
{
	double per_s = (double)counted->entries * NS_PER_S / (double)counted->ns;

	buf_printf(text, "calls: %.0f per second now (%" PRIu64 " in %.2f s)\ncost: ", per_s,
		   counted->entries, (double)counted->ns / NS_PER_S);
	watch_percent_text(text, 100 * per_s * (double)call_ns / NS_PER_S);
	buf_add_str(text, " % of a CPU\n");
}

static uint64_t call_ns(const struct probe_options *options, const struct probe_forecast *forecast)
{
	uint64_t ns = forecast->hit_ns + PROGRAM_ENTRY_NS;

	return options->measures & PROBE_EXITS ? ns + forecast->hit_ns + PROGRAM_EXIT_NS : ns;
}

int watch_forecast_tell(const struct probe_options *options, bool command, struct buf *text,
			struct err *err)
{
	struct probe_forecast forecast;
	struct counted counted;
	struct probes *probes;
	int rc = probes_new(options, &probes, err);

	if (rc < 0)
		return rc;
	forecast = probes_forecast(probes, true);
	probes_free(probes);
	add_way("the kernel", probes_count_targets(options, false), forecast.kernel, text);
	add_way("programs", probes_count_targets(options, true), forecast.user, text);
	buf_printf(text, "attaching: about %.1f s, detaching: about %.1f s\n",
		   (double)forecast.attach_ns / NS_PER_S, (double)forecast.detach_ns / NS_PER_S);
	buf_printf(text, "a call: about %.2g us\n", (double)call_ns(options, &forecast) / 1000);
	if (command || forecast.attach_ns + forecast.detach_ns > SLOW_MS * NS_PER_MS) {
		buf_add_str(text,
			    command ? "calls: unknown until the command runs\n"
				    : "calls: not counted, because attaching takes too long\n");
		return 0;
	}
	rc = count_entries(options, &counted, err);
	if (rc == 0)
		add_cost(&counted, call_ns(options, &forecast), text);
	return rc;
}
