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
	size_t types;

	pprof_types(pprof, &types);
	if (sample->location_count > PPROF_MAX_FRAMES || sample->label_count > PPROF_MAX_LABELS)
		abort();
	for (size_t i = 0; i < types; i++)
		sink += (size_t)sample->values[i];
	for (size_t i = 0; i < sample->label_count; i++)
		sink += strlen(sample->labels[i].key) + strlen(sample->labels[i].text);
	for (size_t i = 0; i < sample->location_count; i++) {
		const struct pprof_location *location = pprof_location(pprof, sample->locations[i]);
		const struct pprof_line *lines =
			location->line_count ? pprof_lines(pprof, location) : NULL;

		sink += strlen(pprof_mapping(pprof, location->mapping)->file);
		for (uint32_t j = 0; j < location->line_count; j++)
			sink += strlen(pprof_function(pprof, lines[j].function)->name);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);
	struct perf_data_input input;
	struct pprof *pprof;
	struct err err;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	pprof_is(bytes, size);
	perf_data_input_begin(&input, fd);
	if (pprof_read(&input, &pprof, &err) == 0) {
		pprof_each(pprof, take_sample, pprof);
		pprof_free(pprof);
	}
	perf_data_input_done(&input);
	return 0;
}
