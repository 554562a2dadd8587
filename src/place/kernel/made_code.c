/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/made_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "place/kernel/bpf_programs.h"

enum { PAGE_BYTES = 4096 };

/* By prefix of the name; the last row takes the rest. */
static const struct {
	const char *prefix, *image;
} kinds[] = {
	{ "ftrace_", "[ftrace]" },
	{ "kprobe_", "[kprobes]" },
	{ "", "[bpf]" },
};

static struct kernel_image *image_of(struct made_code *made, const char *name)
{
	struct kernel_identity identity = { .kind = IMAGE_BPF };
	size_t i = 0;

	while (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	identity.name = kinds[i].image;
	return kernel_images_get(made->images, &identity);
}

void made_code_add(struct made_code *made, uint64_t start, uint64_t size, const char *name,
		   enum kernel_rank rank)
{
	const struct kernel_function *function;
	struct kernel_image *image;

	size = size ? size : 1;
	if (!start || size > INT32_MAX || start + size < start)
		return;
	image = image_of(made, name);
	function = kernel_table_append(&image->table, name, (uint32_t)size, rank);
	if (!function)
		return;
	made_code_remove(made, start, size);
	*vec_push(&made->list) = (struct mapping){ .start = start,
						   .end = start + size,
						   .offset = function->start,
						   .image = image->image };
}

void made_code_remove(struct made_code *made, uint64_t start, uint64_t size)
{
	size_t kept = 0;

	size = size ? size : 1;
	for (size_t i = 0; i < made->list.count; i++) {
		struct mapping piece = made->list.items[i];

		if (piece.end <= start || piece.start >= start + size)
			made->list.items[kept++] = piece;
	}
	made->list.count = kept;
}

bool made_code_list(struct made_code *made, const struct kallsyms_line *line)
{
	bool builtin = strncmp(line->module, "__builtin__", 11) == 0;

	if (!builtin && strcmp(line->module, "bpf") != 0)
		return false;
	if (line->address && kallsyms_is_code(line))
		*vec_push(&made->starts) = (struct made_start){ .address = line->address,
								.name = xstrdup(line->name),
								.whole_pages = builtin };
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct made_start *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void set_size(void *context, uint64_t address, uint64_t size)
{
	struct made_code *made = context;
	struct made_start key = { .address = address };
	struct made_start *start =
		bsearch(&key, made->starts.items, made->starts.count, sizeof(key), by_address);

	if (start)
		start->size = size;
}

static void take(struct made_code *made, size_t index)
{
	struct made_start *start = &made->starts.items[index];
	uint64_t size = start->size;

	if (!size) {
		size = PAGE_BYTES - start->address % PAGE_BYTES;
		if (index + 1 < made->starts.count && start[1].address - start->address < size)
			size = start[1].address - start->address;
	}
	made_code_add(made, start->address, size, start->name,
		      start->size || start->whole_pages ? KERNEL_RANK_LOCAL : KERNEL_RANK_GUESSED);
	free(start->name);
}

void made_code_take_listed(struct made_code *made)
{
	if (!made->starts.count)
		return;
	qsort(made->starts.items, made->starts.count, sizeof(*made->starts.items), by_address);
	/* Without permission the sizes stay unknown, and names become "a->b". */
	bpf_programs_each(set_size, made);
	for (size_t i = 0; i < made->starts.count; i++)
		take(made, i);
	vec_free(&made->starts);
}

void made_code_done(struct made_code *made)
{
	for (size_t i = 0; i < made->starts.count; i++)
		free(made->starts.items[i].name);
	vec_free(&made->starts);
	vec_free(&made->list);
}
