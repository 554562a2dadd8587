/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles of pprof. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/pprof.h"
#include "target.h"

static volatile size_t sink;

static int take_sample(void *context, const struct pprof_sample *sample)
{
	const struct pprof *pprof = context;

	if (sample->location_count > PPROF_MAX_FRAMES || sample->label_count > PPROF_MAX_LABELS)
		abort();
	for (size_t i = 0; i < pprof->types.count; i++)
		sink += (size_t)sample->values[i];
	for (size_t i = 0; i < sample->label_count; i++)
		sink += strlen(sample->labels[i].key) + strlen(sample->labels[i].text);
	for (size_t i = 0; i < sample->location_count; i++) {
		const struct pprof_location *location =
			&pprof->locations.items[sample->locations[i]];

		sink += strlen(pprof->mappings.items[location->mapping].file);
		for (uint32_t j = 0; j < location->line_count; j++) {
			uint32_t function = pprof->lines.items[location->first_line + j].function;

			sink += strlen(pprof->functions.items[function].name);
		}
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);
	struct perf_data_input input;
	struct pprof pprof;
	struct err err;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	pprof_is(bytes, size);
	perf_data_input_begin(&input, fd);
	if (pprof_read(&input, &pprof, &err) == 0)
		pprof_each(&pprof, take_sample, &pprof);
	pprof_done(&pprof);
	perf_data_input_done(&input);
	return 0;
}
