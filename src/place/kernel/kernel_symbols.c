/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three tables answer three questions.
 *   What lies at an address now? One space of ranges, rebuilt from the kernel proper, the modules
 *     and the JIT code whenever one of them changes.
 *   What is the name at an offset of an image? kernel_tables, which forgets nothing.
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
#include "place/kernel/kernel_jit.h"
#include "place/kernel/kernel_table.h"
#include "proc/kernel_modules.h"

/* The modules loaded now (or then, in a recording), each with its image. */
struct loaded_module {
	struct kernel_module module;
	uint64_t text; /* offsets in the image count from here; <= every function's address */
	uint32_t image;
	bool nameless; /* its functions are not read yet */
};

struct loaded_modules {
	struct kernel_tables *tables;	/* borrowed */
	char *path, *sys;		/* of /proc/modules and /sys */
	VEC(struct loaded_module) list; /* those from /proc/modules are ascending by base */
	/* Of the last line added, since the lines of a module are adjacent: */
	const struct loaded_module *entered;
	struct kernel_table *table;
};

struct kernel_symbols {
	struct profile *profile;
	char *kallsyms;
	struct kernel_tables tables;
	struct kernel_jit jit;
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

/* --- the loaded modules --- */

static const struct loaded_module *find_module(const struct loaded_modules *modules,
					       const struct kernel_module *module)
{
	for (size_t i = 0; i < modules->list.count; i++) {
		const struct kernel_module *have = &modules->list.items[i].module;

		if (have->base == module->base && have->size == module->size &&
		    strcmp(have->name, module->name) == 0)
			return &modules->list.items[i];
	}
	return NULL;
}

static const struct kernel_image *module_image(struct loaded_modules *modules,
					       const struct kernel_module *module,
					       const struct elf_build_id *build_id)
{
	char name[sizeof(module->name) + 2];
	struct kernel_identity identity = {
		.kind = IMAGE_MODULE, .name = name, .size = module->size, .build_id = *build_id
	};

	snprintf(name, sizeof(name), "[%s]", module->name);
	return kernel_tables_get(modules->tables, &identity);
}

/* objdump counts from .text, which is nearly always where the module begins. */
static uint64_t module_text(const struct loaded_modules *modules,
			    const struct kernel_module *module)
{
	uint64_t text = kernel_modules_text(modules->sys, module->name);

	return text && text <= module->base ? text : module->base;
}

static struct loaded_module load(struct loaded_modules *modules, const struct kernel_module *module)
{
	struct elf_build_id build_id = { 0 };
	const struct kernel_image *image;

	kernel_modules_build_id(modules->sys, module->name, &build_id);
	image = module_image(modules, module, &build_id);
	return (struct loaded_module){ .module = *module,
				       .text = module_text(modules, module),
				       .image = image->image,
				       .nameless = image->table.list.count == 0 };
}

static bool update_modules(struct loaded_modules *modules)
{
	struct loaded_modules now = { 0 };
	struct kernel_modules listed = { 0 };
	size_t known = 0;

	if (kernel_modules_read(modules->path, &listed) < 0)
		return false;
	for (size_t i = 0; i < listed.list.count; i++) {
		const struct kernel_module *module = &listed.list.items[i];
		const struct loaded_module *old = find_module(modules, module);

		known += old != NULL;
		*vec_push(&now.list) = old ? *old : load(modules, module);
	}
	kernel_modules_done(&listed);
	if (known == now.list.count && known == modules->list.count) {
		vec_free(&now.list);
		return false;
	}
	vec_free(&modules->list);
	modules->list = now.list;
	modules->entered = NULL;
	return true;
}

static bool insert_module(struct loaded_modules *modules, const struct kernel_module *module,
			  const struct elf_build_id *build_id, bool nameless)
{
	struct loaded_module loaded = { .module = *module,
					.text = module->base,
					.nameless = nameless };

	if (find_module(modules, module))
		return false;
	loaded.image = module_image(modules, module, build_id)->image;
	*vec_push(&modules->list) = loaded;
	modules->entered = NULL;
	return true;
}

static struct mapping module_mapping(const struct loaded_module *module)
{
	return (struct mapping){ .start = module->module.base,
				 .end = module->module.base + module->module.size,
				 .offset = module->module.base - module->text,
				 .image = module->image };
}

static bool want_names(const struct loaded_modules *modules)
{
	for (size_t i = 0; i < modules->list.count; i++) {
		if (modules->list.items[i].nameless)
			return true;
	}
	return false;
}

static void enter(struct loaded_modules *modules, const char *name)
{
	modules->entered = NULL;
	for (size_t i = 0; i < modules->list.count; i++) {
		if (strcmp(modules->list.items[i].module.name, name) == 0)
			modules->entered = &modules->list.items[i];
	}
	if (modules->entered)
		modules->table =
			&kernel_tables_find(modules->tables, modules->entered->image)->table;
}

static void add_module_line(struct loaded_modules *modules, const struct kallsyms_line *line)
{
	uint64_t offset;

	if (!modules->entered || strcmp(modules->entered->module.name, line->module) != 0)
		enter(modules, line->module);
	if (!modules->entered || !modules->entered->nameless || !kallsyms_is_code(line))
		return;
	offset = line->address - modules->entered->text;
	if (offset < modules->entered->module.size && offset <= INT32_MAX)
		kernel_table_add(modules->table, (uint32_t)offset, 0, line->name,
				 kernel_table_rank(line->type));
}

static void settle_modules(struct loaded_modules *modules)
{
	modules->entered = NULL;
	for (size_t i = 0; i < modules->list.count; i++) {
		struct loaded_module *loaded = &modules->list.items[i];
		struct kernel_segment segment = { 0, INT32_MAX };

		if (!loaded->nameless)
			continue;
		if (loaded->module.size < INT32_MAX)
			segment.end = (uint32_t)loaded->module.size;
		kernel_table_settle(&kernel_tables_find(modules->tables, loaded->image)->table,
				    &segment, 1);
		loaded->nameless = false;
	}
}

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
		    !kernel_jit_list(&pass->symbols->jit, line))
			add_module_line(&pass->symbols->modules, line);
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
		struct mapping mapping = module_mapping(&symbols->modules.list.items[i]);

		address_space_map(&symbols->space, &mapping);
	}
	for (size_t i = 0; i < symbols->jit.list.count; i++)
		address_space_map(&symbols->space, &symbols->jit.list.items[i]);
}

void kernel_symbols_name_modules(struct kernel_symbols *symbols)
{
	struct pass pass = { .symbols = symbols };

	if (want_names(&symbols->modules)) {
		/* If the file cannot be read now, the modules stay without names. */
		kallsyms_read(symbols->kallsyms, take_line, &pass, NULL);
		settle_modules(&symbols->modules);
	}
	rebuild(symbols);
}

void kernel_symbols_modules_changed(struct kernel_symbols *symbols)
{
	if (!symbols->recorded && update_modules(&symbols->modules))
		kernel_symbols_name_modules(symbols);
}

void kernel_symbols_add_module(struct kernel_symbols *symbols, const char *name, uint64_t start,
			       uint64_t size, const struct elf_build_id *build_id)
{
	struct kernel_module module = { .base = start, .size = size };

	snprintf(module.name, sizeof(module.name), "%s", name);
	if (insert_module(&symbols->modules, &module, build_id, symbols->same_boot))
		rebuild(symbols);
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
	struct mapping range = module_mapping(gone);
	uint32_t bucket = profile_bucket(symbols->profile, "[module replaced]");

	if (to_bucket) {
		range.image = bucket;
		range.offset = range.start;
	}
	address_space_map(&symbols->space, &range);
	for (size_t i = 0; i < symbols->modules.list.count; i++) {
		const struct loaded_module *now = &symbols->modules.list.items[i];
		struct mapping other = module_mapping(now);

		if (find_module(old, &now->module))
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

		if (!find_module(&symbols->modules, &gone->module))
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
	kernel_jit_add(&symbols->jit, start, size, name, KERNEL_RANK_LOCAL);
	rebuild(symbols);
}

void kernel_symbols_code_removed(struct kernel_symbols *symbols, uint64_t start, uint64_t size)
{
	kernel_jit_remove(&symbols->jit, start, size);
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
	struct kernel_image *kernel = kernel_tables_find(&symbols->tables, symbols->kernel);
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
		rc = kernel_core_use_vmlinux(&core, options->vmlinux, build_id, err);
	else if (options->system_map)
		rc = kernel_core_use_map(&core, options->system_map, err);
	if (rc < 0)
		return rc;
	settle_modules(&symbols->modules);
	kernel_jit_take_listed(&symbols->jit);
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

	symbols->profile = symbols->tables.profile = profile;
	symbols->jit.tables = &symbols->tables;
	symbols->kallsyms = path_or(options->kallsyms, "/proc/kallsyms");
	symbols->modules.tables = &symbols->tables;
	symbols->modules.path = path_or(options->modules, "/proc/modules");
	symbols->modules.sys = path_or(options->sys, "/sys");
	symbols->recorded = options->recorded != NULL;
	if (options->recorded)
		identity.build_id = options->recorded->build_id;
	else
		kernel_modules_build_id(symbols->modules.sys, NULL, &identity.build_id);
	symbols->kernel = kernel_tables_get(&symbols->tables, &identity)->image;
	symbols->unmapped = profile_bucket(profile, "[kernel unmapped]");
	if (!symbols->recorded)
		update_modules(&symbols->modules);
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
	kernel_tables_done(&symbols->tables);
	kernel_jit_done(&symbols->jit);
	kernel_marks_done(&symbols->marks);
	free(symbols->modules.path);
	free(symbols->modules.sys);
	vec_free(&symbols->modules.list);
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
		struct mapping mapping = module_mapping(&symbols->modules.list.items[i]);

		if (has_place(symbols, &mapping, image, offset, ret_address))
			return true;
	}
	for (size_t i = 0; i < symbols->jit.list.count; i++) {
		if (has_place(symbols, &symbols->jit.list.items[i], image, offset, ret_address))
			return true;
	}
	return false;
}

static bool is_listed(const struct loaded_modules *modules, const struct kernel_module *module)
{
	struct kernel_modules listed = { 0 };
	bool found = false;

	if (kernel_modules_read(modules->path, &listed) < 0)
		return false;
	for (size_t i = 0; i < listed.list.count; i++) {
		const struct kernel_module *now = &listed.list.items[i];

		found |= now->base == module->base && now->size == module->size &&
			 strcmp(now->name, module->name) == 0;
	}
	kernel_modules_done(&listed);
	return found;
}

bool kernel_symbols_in_memory(const struct kernel_symbols *symbols, uint32_t image)
{
	const struct loaded_modules *modules = &symbols->modules;
	const struct image *own = &symbols->profile->images.items[image];
	struct elf_build_id build_id = { 0 };

	for (size_t i = 0; i < symbols->core_count; i++) {
		if (symbols->core[i].image == image)
			return true;
	}
	for (size_t i = 0; i < modules->list.count; i++) {
		const struct loaded_module *loaded = &modules->list.items[i];

		if (loaded->image != image || !is_listed(modules, &loaded->module))
			continue;
		kernel_modules_build_id(modules->sys, loaded->module.name, &build_id);
		return elf_file_build_id_is(&build_id, own->build_id, own->build_id_size);
	}
	return false;
}

bool kernel_symbols_find(const struct kernel_symbols *symbols, uint32_t image, const char *name,
			 uint64_t size, uint64_t *ret_offset)
{
	const struct kernel_image *known = kernel_tables_find(&symbols->tables, image);

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
	kernel_tables_lookup(&symbols->tables, image, offset, ret_symbol);
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

bool kernel_symbols_waits(const struct kernel_symbols *symbols, const uint64_t *addresses,
			  size_t count)
{
	return kernel_marks_waits(&symbols->marks, addresses, count);
}
