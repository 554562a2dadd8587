/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_go.h"

#include <elf.h>

#include "dwarf/go_layout.h"
#include "elf/go_runtime.h"
#include "elf/go_table.h"
#include "watch/probes/probes.h"

enum { NOT_KNOWN = 1 };

static struct probe_go layout_of(struct watch_image *image, struct go_runtime *runtime)
{
	struct dwarf_file *debug = NULL;

	if (!runtime->has_goid || !runtime->has_stack_hi)
		debug = line_file_debug(watch_image_lines(image));
	if (debug)
		(void)go_layout_read(debug, runtime);
	if (!runtime->has_goid || !runtime->has_stack_hi ||
	    (!runtime->has_g_tls && runtime->g_register == GO_G_REGISTER_NONE))
		return (struct probe_go){ .known = false };
	return (struct probe_go){ .known = true,
				  .in_register = !runtime->has_g_tls,
				  .tls = runtime->has_g_tls ? runtime->g_tls : 0,
				  .goid = runtime->goid,
				  .stack_hi = runtime->stack_hi };
}

static bool is_same(const struct probe_go *a, const struct probe_go *b)
{
	return a->known == b->known && a->in_register == b->in_register && a->tls == b->tls &&
	       a->goid == b->goid && a->stack_hi == b->stack_hi;
}

/* Without room for the layout, it counts as unknown. */
static uint8_t add_layout(struct watch_goes *goes, const struct probe_go *go)
{
	if (goes->list.count == 0)
		*vec_push(&goes->list) = (struct probe_go){ .known = false };
	for (size_t i = 0; i < goes->list.count; i++) {
		if (is_same(&goes->list.items[i], go))
			return (uint8_t)(i + 1);
	}
	if (goes->list.count == PROBE_MOST_GO)
		return NOT_KNOWN;
	*vec_push(&goes->list) = *go;
	return (uint8_t)goes->list.count;
}

static void find_text(const struct elf_file *elf, struct watch_go_text *text)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(elf);
	struct go_function first, last;

	if (!table || !go_table_count(table) || !go_table_function(table, 0, &first) ||
	    !go_table_function(table, go_table_count(table) - 1, &last))
		return;
	text->start = first.start;
	text->end = last.end;
}

static struct watch_go_text look_at(struct watch_goes *goes, struct watch_image *image)
{
	struct watch_go_text text = { .image = image };
	struct go_runtime runtime;
	struct probe_go go;

	if (!go_runtime_read(watch_image_elf(image), &runtime))
		return text;
	go = layout_of(image, &runtime);
	text.go = add_layout(goes, &go);
	text.in_assembly = !go.in_register || runtime.machine == EM_AARCH64;
	find_text(watch_image_elf(image), &text);
	return text;
}

static const struct watch_go_text *text_of(struct watch_goes *goes, struct watch_image *image)
{
	for (size_t i = 0; i < goes->texts.count; i++) {
		if (goes->texts.items[i].image == image)
			return &goes->texts.items[i];
	}
	*vec_push(&goes->texts) = look_at(goes, image);
	return &goes->texts.items[goes->texts.count - 1];
}

static bool is_assembly(const struct watch_image *image, uint64_t address)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(watch_image_elf(image));
	struct go_function function;

	for (uint64_t i = 0; table && i < go_table_count(table); i++) {
		if (!go_table_function(table, i, &function))
			break;
		if (function.start == address)
			return function.flags & GO_FUNCTION_ASSEMBLY;
	}
	return false;
}

uint8_t watch_goes_of(struct watch_goes *goes, struct watch_image *image, uint64_t address)
{
	const struct watch_go_text *text = text_of(goes, image);

	if (address < text->start || address >= text->end)
		return 0;
	return text->in_assembly || !is_assembly(image, address) ? text->go : NOT_KNOWN;
}

void watch_goes_done(struct watch_goes *goes)
{
	vec_free(&goes->list);
	vec_free(&goes->texts);
}
