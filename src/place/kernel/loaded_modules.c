/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/loaded_modules.h"

#include <stdio.h>
#include <string.h>

void loaded_modules_done(struct loaded_modules *modules)
{
	vec_free(&modules->list);
}

/* --- the list --- */

const struct loaded_module *loaded_modules_find(const struct loaded_modules *modules,
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

static const struct kernel_image *image_of(struct loaded_modules *modules,
					   const struct kernel_module *module,
					   const struct elf_build_id *build_id)
{
	char name[sizeof(module->name) + 2];
	struct kernel_identity identity = {
		.kind = IMAGE_MODULE, .name = name, .size = module->size, .build_id = *build_id
	};

	snprintf(name, sizeof(name), "[%s]", module->name);
	return kernel_images_get(modules->images, &identity);
}

/* objdump counts from .text, which is nearly always where the module begins. */
static uint64_t text_of(const struct loaded_modules *modules, const struct kernel_module *module)
{
	uint64_t text = kernel_modules_text(modules->sys, module->name);

	return text && text <= module->base ? text : module->base;
}

static struct loaded_module load(struct loaded_modules *modules, const struct kernel_module *module)
{
	struct elf_build_id build_id = { 0 };
	const struct kernel_image *image;

	kernel_modules_build_id(modules->sys, module->name, &build_id);
	image = image_of(modules, module, &build_id);
	return (struct loaded_module){ .module = *module,
				       .text = text_of(modules, module),
				       .image = image->image,
				       .nameless = image->table.list.count == 0 };
}

bool loaded_modules_update(struct loaded_modules *modules)
{
	struct loaded_modules now = { 0 };
	struct kernel_modules told = { 0 };
	size_t known = 0;

	if (kernel_modules_read(modules->path, &told) < 0)
		return false;
	for (size_t i = 0; i < told.list.count; i++) {
		const struct kernel_module *module = &told.list.items[i];
		const struct loaded_module *old = loaded_modules_find(modules, module);

		known += old != NULL;
		*vec_push(&now.list) = old ? *old : load(modules, module);
	}
	kernel_modules_done(&told);
	if (known == now.list.count && known == modules->list.count) {
		vec_free(&now.list);
		return false;
	}
	vec_free(&modules->list);
	modules->list = now.list;
	modules->entered = NULL;
	return true;
}

bool loaded_modules_insert(struct loaded_modules *modules, const struct kernel_module *module,
			   const struct elf_build_id *build_id, bool nameless)
{
	struct loaded_module loaded = { .module = *module,
					.text = module->base,
					.nameless = nameless };

	if (loaded_modules_find(modules, module))
		return false;
	loaded.image = image_of(modules, module, build_id)->image;
	*vec_push(&modules->list) = loaded;
	modules->entered = NULL;
	return true;
}

struct mapping loaded_modules_mapping(const struct loaded_module *module)
{
	return (struct mapping){ .start = module->module.base,
				 .end = module->module.base + module->module.size,
				 .offset = module->module.base - module->text,
				 .image = module->image };
}

/* --- their names --- */

bool loaded_modules_want_names(const struct loaded_modules *modules)
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
			&kernel_images_find(modules->images, modules->entered->image)->table;
}

void loaded_modules_add(struct loaded_modules *modules, const struct kallsyms_line *line)
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

void loaded_modules_settle(struct loaded_modules *modules)
{
	modules->entered = NULL;
	for (size_t i = 0; i < modules->list.count; i++) {
		struct loaded_module *loaded = &modules->list.items[i];
		struct kernel_segment segment = { 0, INT32_MAX };

		if (!loaded->nameless)
			continue;
		if (loaded->module.size < INT32_MAX)
			segment.end = (uint32_t)loaded->module.size;
		kernel_table_settle(&kernel_images_find(modules->images, loaded->image)->table,
				    &segment, 1);
		loaded->nameless = false;
	}
}
