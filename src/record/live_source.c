/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/live_source.h"

static int declare(struct profile *profile, const struct event *event)
{
	profile->events[profile->event_count] = *event;
	return (int)profile->event_count++;
}

static enum clock_kind clock_of(const struct event_spec *spec)
{
	if (spec->hardware)
		return sampler_pmu_clock();
	return spec->counts_ns ? CLOCK_TIMER : CLOCK_SOFTWARE;
}

static double rate_of(const struct sampler *sampler, const struct event_spec *spec)
{
	if (spec->period)
		return 0;
	return spec->rate_hz > 0 ? spec->rate_hz : sampler_rate(sampler);
}

static int declare_named(const struct sampler *sampler, const struct event_spec *spec,
			 struct profile *profile)
{
	struct strpool *strings = &profile->strings;
	struct event event = {
		.name = strpool_intern(strings, spec->name),
		.unit = strpool_intern(strings, spec->counts_ns ? "ns" : "count"),
		.clock = clock_of(spec),
		.rate_hz = rate_of(sampler, spec),
		.period = spec->period,
	};

	return declare(profile, &event);
}

static void declare_events(struct live_source *live, struct profile *profile)
{
	struct strpool *strings = &profile->strings;
	struct event clock = { .name = strpool_intern(strings, "cpu-clock"),
			       .unit = strpool_intern(strings, "ns"),
			       .clock = CLOCK_TIMER,
			       .rate_hz = sampler_rate(live->sampler) };

	live->clock_event = declare(profile, &clock);
	for (size_t i = 0; i < sampler_event_count(live->sampler); i++) {
		const struct event_spec *spec = sampler_event(live->sampler, i);

		live->named_events[i] =
			spec ? declare_named(live->sampler, spec, profile) : RECORD_NO_EVENT;
		live->is_time[i] = spec && spec->counts_ns;
	}
}

static struct record_origin origin(void *context, const struct perf_record *record)
{
	const struct live_source *live = context;
	struct sampler_source source = sampler_source(live->sampler, record->id);
	struct record_origin origin = { .event = RECORD_NO_EVENT };

	switch (source.stream) {
	case STREAM_CLOCK:
	case STREAM_IDLE:
		origin.event = live->clock_event;
		origin.is_time = true;
		origin.idle = source.stream == STREAM_IDLE;
		break;
	case STREAM_EVENT:
		origin.event = live->named_events[source.event];
		origin.is_time = live->is_time[source.event];
		break;
	case STREAM_WAITS:
		origin.waits = true;
		break;
	default:
		break;
	}
	if (origin.event != RECORD_NO_EVENT && record->type == PERF_RECORD_SAMPLE)
		origin.weight = sampler_weight(live->sampler, record);
	return origin;
}

struct record_source live_source_begin(struct live_source *live, const struct sampler *sampler,
				       struct profile *profile)
{
	*live = (struct live_source){ .sampler = sampler };
	declare_events(live, profile);
	return (struct record_source){ .origin = origin, .context = live };
}
