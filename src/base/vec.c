/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"

void *vec_grow(void *items, size_t *capacity, size_t wanted, size_t size)
{
	size_t grown = *capacity ? *capacity : 8;

	if (items && wanted <= *capacity)
		return items;
	while (grown < wanted)
		grown += grown / 2;
	*capacity = grown;
	return xrealloc(items, grown * size);
}

static bool is_block_empty(const struct vec_holes *holes, size_t block)
{
	return block < holes->emptied.count && holes->emptied.items[block] == holes->block_items;
}

/* The whole pages of a range. */
static void release(uintptr_t begin, uintptr_t end, size_t page_bytes)
{
	begin = (begin + page_bytes - 1) / page_bytes * page_bytes;
	end = end / page_bytes * page_bytes;
	/* A failure only keeps the memory: the items stay zero. */
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void vec_add_hole(struct vec_holes *holes, void *items, size_t size, size_t number)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), block, begin, end;

	/* A block is larger than a page, so that no page lies in more than two. */
	holes->block_items = page_bytes / size + 1;
	block = number / holes->block_items;
	while (holes->emptied.count <= block)
		*vec_push(&holes->emptied) = 0;
	if (++holes->emptied.items[block] < holes->block_items)
		return;
	begin = block && is_block_empty(holes, block - 1) ? block - 1 : block;
	end = is_block_empty(holes, block + 1) ? block + 2 : block + 1;
	release((uintptr_t)items + begin * holes->block_items * size,
		(uintptr_t)items + end * holes->block_items * size, page_bytes);
}

size_t vec_after_hole(const struct vec_holes *holes, size_t number)
{
	if (!holes->block_items)
		return number;
	while (is_block_empty(holes, number / holes->block_items))
		number = (number / holes->block_items + 1) * holes->block_items;
	return number;
}
