/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three tables answer three questions.
 *   What lies at an address now? One space of ranges, rebuilt from the kernel proper, the modules
 *     and the code made at run time whenever one of them changes.
 *   What is the name at an offset of an image? kernel_images, which forgets nothing.
 *   In which context does a stack run? kernel_marks, from the names of the kernel proper.
 */
#include "place/kernel/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "model/address_space.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_core.h"
#include "place/kernel/kernel_images.h"
#include "place/kernel/loaded_modules.h"
#include "place/kernel/made_code.h"
#include "place/kernel/vmlinux.h"
#include "proc/kernel_modules.h"

struct kernel_symbols {
	struct profile *profile;
	char *kallsyms, *modules_path, *sys;
	struct kernel_images images;
	struct made_code made;
	struct kernel_marks marks;
	struct loaded_modules modules;
	struct mapping core[2]; /* the kernel proper */
	size_t core_count;
	struct address_space *space; /* current layout */
	uint32_t kernel, unmapped;   /* images */
	bool hidden;
	bool recorded;	/* not the running kernel */
	bool same_boot; /* kallsyms has the recorded addresses */
};

/* --- reading /proc/kallsyms --- */

/* One pass over the file. */
struct pass {
	struct kernel_symbols *symbols;
	struct kernel_core *core; /* NULL: only modules are wanted */
};

static void take_line(void *context, const struct kallsyms_line *line)
{
	struct pass *pass = context;

	if (*line->module) {
		if (!pass->core || pass->symbols->recorded ||
		    !made_code_list(&pass->symbols->made, line))
			loaded_modules_add(&pass->symbols->modules, line);
	} else if (pass->core) {
		kernel_core_add(pass->core, line);
	}
}

/* --- where everything lies --- */

static void rebuild(struct kernel_symbols *symbols)
{
	address_space_unref(symbols->space);
	symbols->space = NULL;
	for (size_t i = 0; i < symbols->core_count; i++)
		address_space_map(&symbols->space, &symbols->core[i]);
	/* In ascending order, so the next module truncates one whose size reaches into it. */
	for (size_t i = 0; i < symbols->modules.list.count; i++) {
		struct mapping mapping = loaded_modules_mapping(&symbols->modules.list.items[i]);

		address_space_map(&symbols->space, &mapping);
	}
	for (size_t i = 0; i < symbols->made.list.count; i++)
		address_space_map(&symbols->space, &symbols->made.list.items[i]);
}

static void name_modules(struct kernel_symbols *symbols)
{
	struct pass pass = { .symbols = symbols };

	if (loaded_modules_want_names(&symbols->modules)) {
		/* If the file cannot be read now, the modules stay without names. */
		kallsyms_read(symbols->kallsyms, take_line, &pass, NULL);
		loaded_modules_settle(&symbols->modules);
	}
	rebuild(symbols);
}

void kernel_symbols_modules_changed(struct kernel_symbols *symbols)
{
	if (!symbols->recorded && loaded_modules_update(&symbols->modules))
		name_modules(symbols);
}

void kernel_symbols_add_module(struct kernel_symbols *symbols, const char *name, uint64_t start,
			       uint64_t size, const struct elf_build_id *build_id)
{
	struct kernel_module module = { .base = start, .size = size };

	snprintf(module.name, sizeof(module.name), "%s", name);
	if (loaded_modules_insert(&symbols->modules, &module, build_id, symbols->same_boot))
		rebuild(symbols);
}

void kernel_symbols_name_modules(struct kernel_symbols *symbols)
{
	name_modules(symbols);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Maps a removed module over the current layout. */
static void lay_gone(struct kernel_symbols *symbols, const struct loaded_modules *old,
		     const struct loaded_module *gone, bool to_bucket)
{
	struct mapping range = loaded_modules_mapping(gone);
	uint32_t bucket = profile_bucket(symbols->profile, "[module replaced]");

	if (to_bucket) {
		range.image = bucket;
		range.offset = range.start;
	}
	address_space_map(&symbols->space, &range);
	for (size_t i = 0; i < symbols->modules.list.count; i++) {
		const struct loaded_module *now = &symbols->modules.list.items[i];
		struct mapping other = loaded_modules_mapping(now);

		if (loaded_modules_find(old, &now->module))
			continue;
		other.start = later(other.start, range.start);
		other.end = earlier(other.end, range.end);
		other.image = bucket;
		other.offset = other.start;
		if (other.start < other.end)
			address_space_map(&symbols->space, &other);
	}
}

void kernel_symbols_modules_replaced(struct kernel_symbols *symbols, bool more_than_one)
{
	struct loaded_modules old = { 0 };

	for (size_t i = 0; i < symbols->modules.list.count; i++)
		*vec_push(&old.list) = symbols->modules.list.items[i];
	kernel_symbols_modules_changed(symbols);
	for (size_t i = 0; i < old.list.count; i++) {
		const struct loaded_module *gone = &old.list.items[i];

		if (!loaded_modules_find(&symbols->modules, &gone->module))
			lay_gone(symbols, &old, gone, more_than_one);
	}
	vec_free(&old.list);
}

void kernel_symbols_modules_settled(struct kernel_symbols *symbols)
{
	rebuild(symbols);
}

void kernel_symbols_code_added(struct kernel_symbols *symbols, uint64_t start, uint64_t size,
			       const char *name)
{
	made_code_add(&symbols->made, start, size, name, KERNEL_RANK_LOCAL);
	rebuild(symbols);
}

void kernel_symbols_code_removed(struct kernel_symbols *symbols, uint64_t start, uint64_t size)
{
	made_code_remove(&symbols->made, start, size);
	rebuild(symbols);
}

/* --- the kernel proper --- */

/* kernel/sched/idle.c, cpu_in_idle(): the linker script puts the idle functions of all drivers
 * between these two. */
struct idle_section {
	uint32_t start, end;
};

static struct idle_section find_idle_section(const struct kernel_table *table)
{
	struct idle_section section = { 0 };

	for (size_t i = 0; i < table->list.count; i++) {
		const struct kernel_function *function = &table->list.items[i];
		const char *name = kernel_table_name(table, function);

		if (strcmp(name, "__cpuidle_text_start") == 0)
			section.start = function->start;
		else if (strcmp(name, "__cpuidle_text_end") == 0)
			section.end = function->start;
	}
	return section;
}

static void mark(struct kernel_symbols *symbols, const struct kernel_table *table, uint64_t text,
		 struct idle_section idle)
{
	for (size_t i = 0; i < table->list.count; i++) {
		const struct kernel_function *function = &table->list.items[i];
		enum kernel_mark mark = kernel_marks_by_name(kernel_table_name(table, function));

		if (mark == KERNEL_MARK_NONE && function->start >= idle.start &&
		    function->start < idle.end)
			mark = KERNEL_MARK_IDLE;
		kernel_marks_add(&symbols->marks, text + function->start,
				 text + function->start + function->size, mark);
	}
}

/* Takes over the core's table. */
static void adopt_core(struct kernel_symbols *symbols, struct kernel_core *core)
{
	struct kernel_image *kernel = kernel_images_find(&symbols->images, symbols->kernel);
	struct idle_section idle = find_idle_section(&core->table);

	symbols->hidden = core->text == 0;
	if (symbols->hidden)
		symbols->profile->images.items[symbols->kernel].state = IMAGE_STATE_HIDDEN;
	for (size_t i = 0; i < core->segment_count; i++)
		symbols->core[symbols->core_count++] =
			(struct mapping){ .start = core->text + core->segments[i].start,
					  .end = core->text + core->segments[i].end,
					  .offset = core->segments[i].start,
					  .image = symbols->kernel };
	kernel_table_settle(&core->table, core->segments, core->segment_count);
	mark(symbols, &core->table, core->text, idle);
	kernel->table = core->table;
	core->table = (struct kernel_table){ 0 };
}

static void move_core(struct kernel_symbols *symbols, const struct kernel_recorded *recorded,
		      struct kernel_core *core)
{
	uint64_t text = core->text;

	kernel_core_move(core, recorded->bound, recorded->address, recorded->size);
	symbols->same_boot = text && core->text == text;
}

static int read_core(struct kernel_symbols *symbols, const struct kernel_symbols_options *options,
		     const struct elf_build_id *build_id, struct err *err)
{
	_cleanup_(kernel_core_done) struct kernel_core core = { 0 };
	struct pass pass = { .symbols = symbols, .core = &core };
	int rc = kallsyms_read(symbols->kallsyms, take_line, &pass, err);

	/* A kernel without kallsyms, or with one that we may not read, counts as hidden. */
	if (rc < 0 && (options->kallsyms || (rc != -ENOENT && rc != -EACCES)))
		return rc;
	kernel_core_finish(&core, KERNEL_BOUND_COUNT);
	if (options->recorded)
		move_core(symbols, options->recorded, &core);
	rc = 0;
	if (options->vmlinux)
		rc = vmlinux_use(&core, options->vmlinux, build_id, err);
	else if (options->system_map)
		rc = kernel_core_use_map(&core, options->system_map, err);
	if (rc < 0)
		return rc;
	loaded_modules_settle(&symbols->modules);
	made_code_take_listed(&symbols->made);
	adopt_core(symbols, &core);
	return 0;
}

static char *path_or(const char *path, const char *standard)
{
	return xstrdup(path ? path : standard);
}

int kernel_symbols_new(struct profile *profile, const struct kernel_symbols_options *options,
		       struct kernel_symbols **ret_symbols, struct err *err)
{
	struct kernel_symbols *symbols = xcalloc(1, sizeof(*symbols));
	struct kernel_identity identity = { .kind = IMAGE_KERNEL, .name = "[kernel]" };
	int rc;

	symbols->profile = symbols->images.profile = profile;
	symbols->made.images = &symbols->images;
	symbols->kallsyms = path_or(options->kallsyms, "/proc/kallsyms");
	symbols->modules_path = path_or(options->modules, "/proc/modules");
	symbols->sys = path_or(options->sys, "/sys");
	symbols->modules = (struct loaded_modules){ .images = &symbols->images,
						    .path = symbols->modules_path,
						    .sys = symbols->sys };
	symbols->recorded = options->recorded != NULL;
	if (options->recorded)
		identity.build_id = options->recorded->build_id;
	else
		kernel_modules_build_id(symbols->sys, NULL, &identity.build_id);
	symbols->kernel = kernel_images_get(&symbols->images, &identity)->image;
	symbols->unmapped = profile_bucket(profile, "[kernel unmapped]");
	if (!symbols->recorded)
		loaded_modules_update(&symbols->modules);
	rc = read_core(symbols, options, &identity.build_id, err);
	if (rc < 0) {
		kernel_symbols_free(symbols);
		return rc;
	}
	rebuild(symbols);
	*ret_symbols = symbols;
	return 0;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->kallsyms);
	free(symbols->modules_path);
	free(symbols->sys);
	kernel_images_done(&symbols->images);
	made_code_done(&symbols->made);
	kernel_marks_done(&symbols->marks);
	loaded_modules_done(&symbols->modules);
	address_space_unref(symbols->space);
	free(symbols);
}

/* --- questions --- */

bool kernel_symbols_same_boot(const struct kernel_symbols *symbols)
{
	return symbols->same_boot;
}

bool kernel_symbols_hidden(const struct kernel_symbols *symbols)
{
	return symbols->hidden;
}

void kernel_symbols_place(struct kernel_symbols *symbols, uint64_t address, uint32_t *ret_image,
			  uint64_t *ret_offset)
{
	struct mapping found;

	if (address_space_find(symbols->space, address, &found)) {
		*ret_image = found.image;
		*ret_offset = address - found.start + found.offset;
		return;
	}
	*ret_image = symbols->hidden ? symbols->kernel : symbols->unmapped;
	*ret_offset = address;
}

/* The address of the place if it is in this range, and the range is still mapped there. */
static bool has_place(const struct kernel_symbols *symbols, const struct mapping *mapping,
		      uint32_t image, uint64_t offset, uint64_t *ret_address)
{
	uint64_t address = mapping->start + (offset - mapping->offset);
	struct mapping found;

	if (mapping->image != image || offset < mapping->offset ||
	    !address_space_find(symbols->space, address, &found) || found.image != image ||
	    address - found.start + found.offset != offset)
		return false;
	*ret_address = address;
	return true;
}

bool kernel_symbols_address(const struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			    uint64_t *ret_address)
{
	for (size_t i = 0; i < symbols->core_count; i++) {
		if (has_place(symbols, &symbols->core[i], image, offset, ret_address))
			return true;
	}
	for (size_t i = 0; i < symbols->modules.list.count; i++) {
		struct mapping mapping = loaded_modules_mapping(&symbols->modules.list.items[i]);

		if (has_place(symbols, &mapping, image, offset, ret_address))
			return true;
	}
	for (size_t i = 0; i < symbols->made.list.count; i++) {
		if (has_place(symbols, &symbols->made.list.items[i], image, offset, ret_address))
			return true;
	}
	return false;
}

bool kernel_symbols_find(const struct kernel_symbols *symbols, uint32_t image, const char *name,
			 uint64_t size, uint64_t *ret_offset)
{
	const struct kernel_image *known = kernel_images_find(&symbols->images, image);

	for (size_t i = 0; known && i < known->table.list.count; i++) {
		const struct kernel_function *function = &known->table.list.items[i];

		if (function->size == size &&
		    strcmp(kernel_table_name(&known->table, function), name) == 0) {
			*ret_offset = function->start;
			return true;
		}
	}
	return false;
}

void kernel_symbols_lookup(struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			   struct symbol *ret_symbol)
{
	kernel_images_lookup(&symbols->images, image, offset, ret_symbol);
}

enum kernel_mark kernel_symbols_mark(const struct kernel_symbols *symbols, uint64_t address)
{
	return kernel_marks_at(&symbols->marks, address);
}

enum context kernel_symbols_context(const struct kernel_symbols *symbols, const uint64_t *addresses,
				    size_t count)
{
	return kernel_marks_context(&symbols->marks, addresses, count);
}
