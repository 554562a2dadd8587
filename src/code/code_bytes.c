/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_bytes.h"

#include <elf.h>
#include <errno.h>

#include "base/xalloc.h"

static bool holds(const struct elf_section *section, uint64_t address)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return (section->flags & code) == code && address >= section->address &&
	       address - section->address < section->size &&
	       section->address + section->size > section->address;
}

int code_bytes_place(const struct elf_file *file, uint64_t address, struct code_place *ret_place,
		     struct err *err)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (!holds(section, address))
			continue;
		*ret_place = (struct code_place){ .section = i,
						  .start = section->address,
						  .stop = section->address + section->size };
		return 0;
	}
	return err_set(err, -ENODATA, "the file has no code at 0x%lx", address);
}

int code_bytes_read(const struct elf_file *file, const struct code_place *place, uint64_t start,
		    uint64_t stop, uint8_t **ret_bytes, struct err *err)
{
	struct elf_section part = *elf_file_section(file, place->section);
	_cleanup_free_ uint8_t *bytes = NULL;
	int rc = elf_file_check(file, &part, err);

	if (rc < 0)
		return rc;
	if (start < place->start || stop > place->stop || start >= stop)
		return err_set(err, -EINVAL, "0x%lx-0x%lx is not within one section of code", start,
			       stop);
	if (stop - start > CODE_BYTES_MAX)
		return err_set(err, -EFBIG, "a function of %lu bytes is too large to show",
			       stop - start);
	part.offset += start - part.address;
	part.size = stop - start;
	bytes = xmalloc(part.size);
	rc = elf_file_read_into(file, &part, bytes, err);
	if (rc == 0)
		*ret_bytes = steal_ptr(bytes);
	return rc;
}
