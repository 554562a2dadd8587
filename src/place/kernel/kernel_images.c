/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_images.h"

#include <string.h>

struct kernel_image *kernel_images_find(const struct kernel_images *images, uint32_t image)
{
	for (size_t i = 0; i < images->list.count; i++) {
		if (images->list.items[i].image == image)
			return &images->list.items[i];
	}
	return NULL;
}

struct kernel_image *kernel_images_get(struct kernel_images *images,
				       const struct kernel_identity *identity)
{
	struct profile *profile = images->profile;
	struct image key = { .kind = identity->kind,
			     .state = IMAGE_STATE_READ,
			     .path = strpool_intern(&profile->strings, identity->name),
			     .build_id_size = identity->build_id.size,
			     .size = identity->size };
	struct kernel_image *image;
	uint32_t id;

	memcpy(key.build_id, identity->build_id.bytes, identity->build_id.size);
	id = profile_image(profile, &key);
	image = kernel_images_find(images, id);
	if (image)
		return image;
	image = vec_push(&images->list);
	*image = (struct kernel_image){ .image = id };
	return image;
}

/* "a->b": no function covers the offset, only the neighbours of the gap are known. If the end of
 * "a" is guessed, "b" is left out. */
static void bracket(const struct kernel_images *images, const struct kernel_table *table,
		    const struct kernel_function *before, struct symbol *ret_symbol)
{
	const struct kernel_function *end = table->list.items + table->list.count;
	const struct kernel_function *after = before ? before + 1 : table->list.items;
	bool guessed = before && before->rank == KERNEL_RANK_GUESSED;
	struct buf name = { 0 };

	if (before)
		buf_add_str(&name, kernel_table_name(table, before));
	buf_add_str(&name, "->");
	if (after < end && !guessed)
		buf_add_str(&name, kernel_table_name(table, after));
	ret_symbol->kind = SYMBOL_BRACKET;
	ret_symbol->name = strpool_intern(&images->profile->strings, buf_text(&name));
	if (before)
		ret_symbol->start = before->start + (guessed ? 0 : before->size);
	if (guessed)
		ret_symbol->size = before->size;
	else if (after < end)
		ret_symbol->size = after->start - ret_symbol->start;
	buf_done(&name);
}

static void look_up(const struct kernel_images *images, const struct kernel_table *table,
		    uint32_t offset, struct symbol *ret_symbol)
{
	const struct kernel_function *function = kernel_table_before(table, offset);

	if (!function || offset - function->start >= function->size ||
	    function->rank == KERNEL_RANK_GUESSED) {
		bracket(images, table, function, ret_symbol);
		return;
	}
	ret_symbol->kind = SYMBOL_NAMED;
	ret_symbol->name =
		strpool_intern(&images->profile->strings, kernel_table_name(table, function));
	ret_symbol->start = function->start;
	ret_symbol->size = function->size;
}

void kernel_images_lookup(const struct kernel_images *images, uint32_t image, uint64_t offset,
			  struct symbol *ret_symbol)
{
	const struct kernel_image *known = kernel_images_find(images, image);

	*ret_symbol = (struct symbol){ .image = image,
				       .name = images->profile->images.items[image].path,
				       .kind = SYMBOL_NONE };
	if (known && known->table.list.count && offset <= UINT32_MAX)
		look_up(images, &known->table, (uint32_t)offset, ret_symbol);
}

void kernel_images_done(struct kernel_images *images)
{
	for (size_t i = 0; i < images->list.count; i++)
		kernel_table_done(&images->list.items[i].table);
	vec_free(&images->list);
}
