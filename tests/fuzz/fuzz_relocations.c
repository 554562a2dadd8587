/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocatable files: their sections are completed. An input is such a file in another order: how
 * many bytes the headers of its sections are (two bytes, least significant first), these headers,
 * then all before them; so that inputs that were cut off have them still.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/section_data.h"
#include "target.h"

enum { MOST_BYTES = 1 << 20 };

/* Where the file says that the headers are. */
static off_t place_of_headers(const uint8_t *file, size_t size)
{
	Elf64_Ehdr large;
	Elf32_Ehdr small;
	uint64_t offset = size;

	if (size >= sizeof(large) && file[EI_CLASS] == ELFCLASS64) {
		memcpy(&large, file, sizeof(large));
		offset = large.e_shoff;
	} else if (size >= sizeof(small)) {
		memcpy(&small, file, sizeof(small));
		offset = small.e_shoff;
	}
	return (off_t)(offset < MOST_BYTES ? offset : size);
}

static int join(const uint8_t *bytes, size_t size)
{
	size_t count = bytes[0] | (size_t)bytes[1] << 8;
	const uint8_t *headers = bytes + 2, *file;
	int fd = memfd_create("input", MFD_CLOEXEC);

	size -= 2;
	count = count < size ? count : size;
	file = headers + count;
	size -= count;
	if (fd < 0 || write(fd, file, size) != (ssize_t)size ||
	    pwrite(fd, headers, count, place_of_headers(file, size)) != (ssize_t)count)
		abort();
	return fd;
}

static void read_sections(const struct elf_file *file)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		struct section_data *data;

		if (section_data_open(file, elf_file_section(file, i), &data, NULL) < 0)
			continue;
		section_data_bytes(data, 0, section_data_size(data));
		section_data_free(data);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_cleanup_close_ int fd = -1;
	struct elf_file *file;

	if (size < 2)
		return 0;
	fd = join(bytes, size);
	if (elf_file_open_any(fd, &file, NULL) < 0)
		return 0;
	if (elf_file_read_sections(file, NULL) == 0)
		read_sections(file);
	elf_file_free(file);
	return 0;
}
