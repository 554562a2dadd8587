/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_events.h"

#include <string.h>

enum { NOT_DECLARED = -2 };

bool import_events_is_time(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static enum clock_kind clock_of(const struct import_events *events,
				const struct perf_event_attr *attr)
{
	const char *machine = perf_data_facts(events->data)->machine;

	if (import_events_is_time(attr))
		return CLOCK_TIMER;
	if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
		return CLOCK_SOFTWARE;
	return !machine || strstr(machine, "86") ? CLOCK_PMU_NMI : CLOCK_PMU_IRQ;
}

static int declare(struct import_events *events, size_t index)
{
	const struct perf_data_event *told = &perf_data_events(events->data)->list.items[index];
	const struct perf_event_attr *attr = &told->attr;
	const char *unit = import_events_is_time(attr) ? "ns" : "count";
	struct strpool *strings = &events->import->profile->strings;
	struct event event = { .name = strpool_intern(strings, told->name),
			       .unit = strpool_intern(strings, unit),
			       .clock = clock_of(events, attr),
			       .rate_hz = attr->freq ? (double)attr->sample_freq : 0,
			       .period = attr->freq ? 0 : attr->sample_period };

	return import_profile_event(events->import, &event);
}

void import_events_done(struct import_events *events)
{
	vec_free(&events->list);
}

int import_events_of(struct import_events *events, size_t index)
{
	int *event;

	while (events->list.count <= index)
		*vec_push(&events->list) = NOT_DECLARED;
	event = &events->list.items[index];
	if (*event == NOT_DECLARED)
		*event = declare(events, index);
	return *event;
}
