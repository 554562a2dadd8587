/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "code/disassembler.h"
#include "foreign/door.h"
#include "place/kernel/kernel_text.h"
#include "proc/proc_scan.h"

/* Searches for the mapping that contains an offset of a file. */
struct map_search {
	uint64_t inode, offset;
	uint64_t address; /* of the offset in the process; 0: not mapped */
	bool late;	  /* reading the mappings timed out */
};

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct map_search *search = context;

	(void)pid;
	if (map->inode == search->inode && search->offset >= map->offset &&
	    search->offset - map->offset < map->end - map->start)
		search->address = map->start + (search->offset - map->offset);
}

static void take_late(void *context, int32_t pid)
{
	(void)pid;
	((struct map_search *)context)->late = true;
}

static int find_address(struct foreign *foreign, const struct watch_candidate *candidate,
			int32_t pid, uint64_t offset, uint64_t *ret_address, struct err *err)
{
	struct map_search search = { .inode = watch_image_file(candidate->image)->inode,
				     .offset = offset };
	const struct proc_visitor visitor = {
		.map = take_map, .late = take_late, .context = &search, .foreign = foreign
	};
	int rc = proc_scan_one(pid, &visitor, err);

	if (rc == 0 && search.late)
		return err_set(err, -ETIMEDOUT,
			       "cannot read the memory of process %" PRId32
			       ": it waits for a file system that does not answer",
			       pid);
	if (rc == 0 && !search.address)
		rc = err_set(err, -ENOENT, "process %" PRId32 " has not mapped %s", pid,
			     watch_image_path(candidate->image));
	*ret_address = search.address;
	return rc;
}

static int read_process(struct foreign *foreign, int32_t pid, uint64_t address,
			const struct code_bytes_of *code, struct err *err)
{
	size_t done = 0;

	while (done < code->size) {
		size_t left = code->size - done;
		size_t wanted = left < DOOR_MOST_MEMORY ? left : DOOR_MOST_MEMORY;
		ssize_t got =
			door_read_memory(foreign, pid, address + done, code->bytes + done, wanted);

		if (got <= 0)
			return err_set(err, got < 0 ? (int)got : -EIO,
				       "/proc/%" PRId32 "/mem: cannot read at 0x%" PRIx64 ": %s",
				       pid, address + done,
				       got < 0 ? strerror((int)-got) : "nothing is mapped there");
		done += (size_t)got;
	}
	return 0;
}

/* Names addresses in operands, so both sides are written alike. */
static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct function_list *list = context;
	const struct listed_function *function = function_list_around(list, address);

	if (!function)
		return false;
	buf_add_str(name, function_list_name(list, function->name));
	*ret_start = function->start;
	return true;
}

static int list_bytes(const struct watch_candidate *candidate, struct watch_code *code,
		      struct err *err)
{
	const struct disassembler_options options = { .open_image = NULL };
	const struct elf_file *elf = watch_image_elf(candidate->image);
	const struct disassembler_bytes bytes = {
		.machine = { elf_file_machine(elf), elf_file_is_64(elf) },
		.bytes = code->bytes.bytes,
		.size = code->bytes.size,
		.start = code->bytes.start,
		.name = name_address,
		.context = (void *)(uintptr_t)watch_image_functions(candidate->image),
	};
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	int rc = disassembler_bytes(disassembler, &bytes, code_blocks_take, &code->blocks, err);

	code->has = rc == 0;
	return rc;
}

static void make_room(const struct watch_candidate *candidate, struct watch_code *code)
{
	code->bytes = (struct code_bytes_of){ .bytes = xmalloc(candidate->size),
					      .start = candidate->address,
					      .size = candidate->size };
}

static int read_file(const struct watch_candidate *candidate, uint64_t offset,
		     struct watch_code *code, struct err *err)
{
	int rc;

	make_room(candidate, code);
	rc = elf_file_read_at(watch_image_elf(candidate->image), offset, code->bytes.bytes,
			      code->bytes.size, err);
	return rc < 0 ? rc : list_bytes(candidate, code, err);
}

static int read_now(struct foreign *foreign, const struct watch_candidate *candidate, int32_t pid,
		    uint64_t offset, struct watch_code *code, struct err *err)
{
	uint64_t address = 0;
	int rc = find_address(foreign, candidate, pid, offset, &address, err);

	if (rc < 0)
		return rc;
	make_room(candidate, code);
	rc = read_process(foreign, pid, address, &code->bytes, err);
	return rc < 0 ? rc : list_bytes(candidate, code, err);
}

static int read_kernel(struct watch_sources *sources, const struct watch_candidate *candidate,
		       struct watch_code *code, struct err *err)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = NULL;
	int rc = kernel_text_open(&text, err);

	if (rc < 0)
		return rc;
	make_room(candidate, code);
	rc = kernel_text_read(text, candidate->address, code->bytes.bytes, code->bytes.size, err);
	if (rc == 0)
		rc = watch_sources_code(sources, candidate, &code->blocks, err);
	code->has = rc == 0;
	return rc;
}

int watch_memory_read(struct watch_sources *sources, const struct watch_candidate *candidate,
		      int32_t pid, struct watch_memory *ret_memory, struct err *err)
{
	uint64_t offset;
	int rc;

	*ret_memory = (struct watch_memory){ .note = "" };
	if (candidate->size == 0 || candidate->size > KERNEL_TEXT_MAX)
		return err_set(err, -ENODATA, "the end of the code is not known");
	if (!candidate->image) {
		ret_memory->note = "kernel memory now";
		return read_kernel(sources, candidate, &ret_memory->now, err);
	}
	if (!watch_image_offset(candidate->image, candidate->address, &offset))
		return err_set(err, -ENODATA, "the code is not in the file");
	rc = read_file(candidate, offset, &ret_memory->original, err);
	ret_memory->note = pid ? "the file and the process's memory"
			       : "the file; -p PID adds the memory of that process";
	if (rc == 0 && pid)
		rc = read_now(watch_sources_foreign(sources), candidate, pid, offset,
			      &ret_memory->now, err);
	return rc;
}

void watch_memory_done(struct watch_memory *memory)
{
	struct watch_code *sides[] = { &memory->original, &memory->now };

	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		free(sides[i]->bytes.bytes);
		code_blocks_done(&sides[i]->blocks);
	}
}
