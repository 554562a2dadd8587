/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "elf/symbol_index.h"
#include "place/files/recorded_files.h"

static const char *const bound_names[KERNEL_BOUND_COUNT] = {
	[KERNEL_BOUND_TEXT] = "_text",		 [KERNEL_BOUND_STEXT] = "_stext",
	[KERNEL_BOUND_ETEXT] = "_etext",	 [KERNEL_BOUND_SINITTEXT] = "_sinittext",
	[KERNEL_BOUND_EINITTEXT] = "_einittext",
};

static void note_bound(struct kernel_core *core, const struct kallsyms_line *line)
{
	for (int i = 0; i < KERNEL_BOUND_COUNT; i++) {
		if (strcmp(line->name, bound_names[i]) == 0)
			core->bounds[i] = line->address;
	}
}

/* Kernel code spans much less than 2 GB on every machine: offsets have 31 bits. */
static bool is_near(uint64_t address, uint64_t origin)
{
	return address - origin + INT32_MAX <= UINT32_MAX - 1;
}

void kernel_core_add(struct kernel_core *core, const struct kallsyms_line *line)
{
	if (*line->module || !line->address)
		return;
	/* Of any type: on arm64 _etext is data. */
	if (line->name[0] == '_' && line->name[1] != '_')
		note_bound(core, line);
	if (!kallsyms_is_code(line))
		return;
	if (!core->first)
		core->first = line->address;
	if (is_near(line->address, core->first) &&
	    !kernel_table_add(&core->table, (uint32_t)(line->address - core->first), 0, line->name,
			      kernel_table_rank(line->type)))
		core->full = true;
}

static void add_segment(struct kernel_core *core, uint64_t start, uint64_t end)
{
	if (start < core->text || start >= end || end - core->text > INT32_MAX)
		return;
	core->segments[core->segment_count++] =
		(struct kernel_segment){ (uint32_t)(start - core->text),
					 (uint32_t)(end - core->text) };
}

void kernel_core_finish(struct kernel_core *core, enum kernel_bound origin)
{
	const uint64_t *bounds = core->bounds;
	uint32_t shift;

	if (origin == KERNEL_BOUND_COUNT)
		origin = bounds[KERNEL_BOUND_TEXT] ? KERNEL_BOUND_TEXT : KERNEL_BOUND_STEXT;
	core->origin = origin;
	core->text = bounds[origin];
	if (!core->text)
		return;
	shift = (uint32_t)(core->first - core->text);
	for (size_t i = 0; i < core->table.list.count; i++)
		core->table.list.items[i].start += shift;
	add_segment(core, core->text, bounds[KERNEL_BOUND_ETEXT]);
	add_segment(core, bounds[KERNEL_BOUND_SINITTEXT], bounds[KERNEL_BOUND_EINITTEXT]);
}

void kernel_core_move(struct kernel_core *core, enum kernel_bound bound, uint64_t address,
		      uint64_t size)
{
	if (core->text) {
		core->text = address - (core->bounds[bound] ? core->bounds[bound] - core->text : 0);
		return;
	}
	core->origin = bound;
	core->text = address;
	if (address)
		add_segment(core, address, address + (size < INT32_MAX ? size : INT32_MAX));
}

void kernel_core_done(struct kernel_core *core)
{
	kernel_table_done(&core->table);
	*core = (struct kernel_core){ 0 };
}

/* --- a System.map --- */

static void add_line(void *context, const struct kallsyms_line *line)
{
	kernel_core_add(context, line);
}

int kernel_core_use_map(struct kernel_core *core, const char *path, struct err *err)
{
	_cleanup_(kernel_core_done) struct kernel_core map = { 0 };
	struct kernel_table running;
	size_t missing;
	int rc;

	if (!core->text)
		return err_set(
			err, -EINVAL,
			"%s: cannot be checked against the running kernel, whose addresses are "
			"hidden: run as root, or set kernel.kptr_restrict to 0",
			path);
	rc = kallsyms_read(path, add_line, &map, err);
	if (rc < 0)
		return rc;
	kernel_core_finish(&map, core->origin);
	if (!map.text)
		return err_set(err, -EINVAL,
			       "%s: not a System.map: no symbol %s: -K takes that of the running "
			       "kernel, usually /boot/System.map-RELEASE",
			       path, bound_names[core->origin]);
	missing = kernel_table_missing(&core->table, &map.table);
	if (missing)
		return err_set(err, -EINVAL,
			       "%s does not match the running kernel: %zu of the %zu functions in "
			       "/proc/kallsyms are missing or at other addresses; without -K names "
			       "come from /proc/kallsyms",
			       path, missing, core->table.list.count);
	running = core->table;
	core->table = map.table;
	map.table = running;
	return 0;
}

/* --- a vmlinux --- */

static int check_running(const struct kernel_core *core, const char *path,
			 const struct elf_build_id *file, const struct elf_build_id *running,
			 struct err *err)
{
	if (!running->size)
		return err_set(err, -EINVAL,
			       "%s: cannot be checked: the running kernel has no build id in "
			       "/sys/kernel/notes",
			       path);
	if (!elf_file_build_id_is(file, running->bytes, running->size))
		return err_set(
			err, -EINVAL,
			"%s does not match the running kernel: its build id differs from the one "
			"in /sys/kernel/notes; without -L names come from /proc/kallsyms",
			path);
	if (!core->text)
		return err_set(err, -EINVAL,
			       "%s: the kernel's address is hidden in /proc/kallsyms: run as root, "
			       "or set kernel.kptr_restrict to 0",
			       path);
	return 0;
}

/* The function's start in the file; false also if several have its name. */
static bool find_only(const struct symbol_index *index, const char *name, uint64_t *ret_start)
{
	const struct symbol_entry *found = NULL;

	for (size_t i = 0; i < index->list.count; i++) {
		const struct symbol_entry *function = &index->list.items[i];

		if (strcmp(symbol_index_name(index, function->name), name) != 0)
			continue;
		if (found && found->start != function->start)
			return false;
		found = function;
	}
	if (found)
		*ret_start = found->start;
	return found != NULL;
}

static enum kernel_rank rank_of(const struct symbol_entry *function)
{
	unsigned binding = ELF64_ST_BIND(function->info);

	if (binding == STB_LOCAL)
		return KERNEL_RANK_LOCAL;
	return binding == STB_WEAK ? KERNEL_RANK_WEAK : KERNEL_RANK_GLOBAL;
}

static void fill(struct kernel_table *table, const struct symbol_index *index, uint64_t text)
{
	for (size_t i = 0; i < index->list.count; i++) {
		const struct symbol_entry *function = &index->list.items[i];
		const char *name = symbol_index_name(index, function->name);
		struct kallsyms_line line = { .type = 't', .name = name, .module = "" };

		if (function->start - text > INT32_MAX || !kallsyms_is_code(&line))
			continue;
		kernel_table_add(table, (uint32_t)(function->start - text), function->size, name,
				 rank_of(function));
	}
}

static int open_vmlinux(const char *path, struct elf_file **ret_file, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	rc = elf_file_open(fd, ret_file, err);
	return rc < 0 ? err_prefix(err, rc, "%s", path) : steal_fd(fd);
}

static int read_functions(struct elf_file *file, const char *path, struct symbol_index *index,
			  struct err *err)
{
	int rc = elf_file_read_sections(file, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	if (!symbol_index_read(index, file))
		return err_set(err, -EINVAL, "%s: no symbols: take a vmlinux that is not stripped",
			       path);
	return 0;
}

int kernel_core_use_vmlinux(struct kernel_core *core, const char *path,
			    const struct elf_build_id *running, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	_cleanup_close_ int fd = open_vmlinux(path, &file, err);
	struct symbol_index symbols = { 0 };
	const char *name;
	uint64_t text = 0;
	int rc;

	if (fd < 0)
		return fd;
	rc = check_running(core, path, elf_file_build_id(file), running, err);
	if (rc == 0)
		rc = read_functions(file, path, &symbols, err);
	name = bound_names[core->origin];
	if (rc == 0 && !find_only(&symbols, name, &text))
		rc = err_set(err, -EINVAL, "%s: no symbol %s: take a vmlinux that is not stripped",
			     path, name);
	if (rc == 0) {
		kernel_table_done(&core->table);
		fill(&core->table, &symbols, text);
	}
	symbol_index_done(&symbols);
	return rc;
}

/* Names the kernel that the profile needs. */
static int refuse_recorded(const struct image *image, const char *path, struct err *err)
{
	_cleanup_(buf_done) struct buf id = { 0 };

	text_add_hex(&id, image->build_id, image->build_id_size);
	return err_set(err, -EINVAL,
		       "%s does not match the recorded kernel: its build id differs: take the "
		       "vmlinux with the build id %s",
		       path, buf_text(&id));
}

static int check_recorded(const struct image *image, const char *path,
			  const struct elf_build_id *file, struct err *err)
{
	if (!image->build_id_size)
		return err_set(
			err, -EINVAL,
			"%s: cannot be checked: the profile does not have its kernel's build id",
			path);
	if (!elf_file_build_id_is(file, image->build_id, image->build_id_size))
		return refuse_recorded(image, path, err);
	return 0;
}

/* Uses the first function of the profile that the file has exactly once. */
static int find_shift(const struct symbol_index *index, const char *path,
		      const struct profile *profile, uint32_t image, uint64_t *ret_shift,
		      struct err *err)
{
	uint64_t start;

	for (size_t i = 1; i < profile->symbols.count; i++) {
		const struct symbol *symbol = &profile->symbols.items[i];

		if (symbol->image == image && symbol->kind == SYMBOL_NAMED &&
		    find_only(index, profile_text(profile, symbol->name), &start)) {
			*ret_shift = start - symbol->start;
			return 0;
		}
	}
	return err_set(err, -EINVAL,
		       "%s: contains none of the kernel functions that were sampled: "
		       "take the vmlinux of the recorded kernel",
		       path);
}

int kernel_core_open_vmlinux(const char *path, const struct profile *profile, uint32_t image,
			     int *ret_fd, uint64_t *ret_shift, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	_cleanup_close_ int fd = open_vmlinux(path, &file, err);
	struct symbol_index symbols = { 0 };
	int rc;

	if (fd < 0)
		return fd;
	rc = check_recorded(&profile->images.items[image], path, elf_file_build_id(file), err);
	if (rc == 0)
		rc = read_functions(file, path, &symbols, err);
	if (rc == 0)
		rc = find_shift(&symbols, path, profile, image, ret_shift, err);
	if (rc == 0)
		*ret_fd = steal_fd(fd);
	symbol_index_done(&symbols);
	return rc;
}

/* --- names for a profile --- */

static int read_names(struct kernel_core *core, const char *path, struct err *err)
{
	struct kernel_segment all = { 0, UINT32_MAX };
	int rc = kallsyms_read(path, add_line, core, err);

	if (rc < 0)
		return rc;
	kernel_core_finish(core, KERNEL_BOUND_TEXT);
	if (!core->text)
		return err_set(err, -EINVAL,
			       "%s: no address of _text: not from a kernel, or read by a user who "
			       "may not see addresses: save /proc/kallsyms as root",
			       path);
	if (core->full)
		return err_set(err, -EFBIG, "%s: too many names", path);
	if (core->bounds[KERNEL_BOUND_ETEXT] > core->text)
		kernel_table_settle(&core->table, core->segments, core->segment_count);
	else
		kernel_table_settle(&core->table, &all, 1);
	return 0;
}

static bool has_name(const struct profile *profile, const struct frame *frame)
{
	return frame->symbol && profile->symbols.items[frame->symbol].kind != SYMBOL_NONE;
}

/* A return address belongs to the code before it. If addresses were hidden from the recorder,
 * offsets are plain addresses. */
static uint64_t offset_of(const struct kernel_core *core, const struct frame *frame)
{
	uint64_t offset =
		frame->kind == FRAME_RETURN && frame->offset ? frame->offset - 1 : frame->offset;

	return offset >= core->text ? offset - core->text : offset;
}

static void name_frame(struct profile *profile, const struct kernel_core *core, struct frame *frame)
{
	uint64_t offset = offset_of(core, frame);
	const struct kernel_function *function =
		offset > UINT32_MAX ? NULL : kernel_table_before(&core->table, (uint32_t)offset);
	struct symbol symbol = { .image = frame->image, .kind = SYMBOL_NAMED };

	if (!function || offset - function->start >= function->size)
		return;
	symbol.name = strpool_intern(&profile->strings, kernel_table_name(&core->table, function));
	symbol.start = function->start;
	symbol.size = function->size;
	frame->symbol = profile_symbol(profile, &symbol);
}

int kernel_core_name_frames(struct profile *profile, const char *path, struct err *err)
{
	_cleanup_(kernel_core_done) struct kernel_core core = { 0 };
	uint32_t kernel = recorded_files_kernel(profile);
	int rc = read_names(&core, path, err);

	for (size_t i = 1; rc == 0 && kernel && i < profile->frames.count; i++) {
		struct frame *frame = &profile->frames.items[i];

		if (frame->image == kernel && !has_name(profile, frame))
			name_frame(profile, &core, frame);
	}
	return rc;
}
