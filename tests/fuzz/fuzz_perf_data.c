/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of perf, files and pipes. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/perf_data.h"
#include "target.h"

static volatile uint64_t sink;

/* Everything a record lends is there. */
static int take(void *context, const struct perf_record *record, size_t event)
{
	const struct perf_sample *sample = &record->sample;
	const struct perf_data_head *head = context;

	if (event >= head->events.count)
		abort();
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		for (size_t i = 0; i < sample->chain_length; i++)
			sink += sample->chain[i];
		for (size_t i = 0; i < sample->branches.count; i++)
			sink += sample->branches.items[i].from;
		for (size_t i = 0; i < sample->user.count; i++)
			sink += sample->user.values[i];
		for (size_t i = 0; i < sample->stack.size; i++)
			sink += sample->stack.bytes[i];
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		for (const char *at = record->mmap.path; *at; at++)
			sink += (uint8_t)*at;
		break;
	case PERF_RECORD_COMM:
		for (const char *at = record->comm.comm; *at; at++)
			sink += (uint8_t)*at;
		break;
	default:
		break;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	struct perf_data_input input;
	struct perf_data *data;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	perf_data_input_begin(&input, fd);
	if (perf_data_open(&input, &data, NULL) == 0) {
		if (perf_data_run(data, take, (void *)perf_data_head(data)) != 0)
			abort();
		perf_data_free(data);
	}
	return 0;
}
