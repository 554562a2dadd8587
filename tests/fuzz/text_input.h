/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as the file that parsers of text read line by line. */
#ifndef TESTS_FUZZ_TEXT_INPUT_H
#define TESTS_FUZZ_TEXT_INPUT_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/perf_data_input.h"

/* To be ended by perf_data_input_done, which closes the file. */
static inline void text_input_begin(struct perf_data_input *input, const uint8_t *bytes,
				    size_t size)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	perf_data_input_begin(input, fd);
}

#endif
