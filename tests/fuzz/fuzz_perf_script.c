/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text that perf script prints. */
#include <stdlib.h>
#include <string.h>

#include "import/perf_script.h"
#include "target.h"
#include "text_input.h"

static volatile size_t sink;

static int take_sample(void *context, const struct perf_script_sample *sample)
{
	sink += strlen(sample->comm) + strlen(sample->event);
	if (sample->frame_count > PERF_SCRIPT_MAX_FRAMES)
		abort();
	for (size_t i = 0; i < sample->frame_count; i++)
		sink += strlen(sample->frames[i].symbol) + strlen(sample->frames[i].image);
	return 0;
}

static void take_head(void *context, const char *name, const char *value)
{
	sink += strlen(name) + strlen(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct perf_script_visitor visitor = { NULL, take_sample, take_head };
	struct perf_data_input input;
	uint64_t odd;

	perf_script_is(bytes, size);
	text_input_begin(&input, bytes, size);
	if (perf_script_read(&input, &visitor, &odd) != 0)
		abort();
	perf_data_input_done(&input);
	return 0;
}
