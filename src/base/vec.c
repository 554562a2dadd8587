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

/* True if the page lies inside the array and all its items are empty. */
static bool is_page_empty(const struct vec_pages *array, uintptr_t page, size_t page_bytes)
{
	uintptr_t begin = (uintptr_t)array->items;
	size_t first, end;

	if (page < begin || page + page_bytes > begin + array->count * array->size)
		return false;
	first = (page - begin) / array->size;
	end = (page + page_bytes - begin + array->size - 1) / array->size;
	for (size_t i = first; i < end; i++) {
		if (!array->is_empty((const char *)array->items + i * array->size))
			return false;
	}
	return true;
}

void vec_release_pages(const struct vec_pages *array, size_t number)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t item = (uintptr_t)array->items + number * array->size;
	uintptr_t last = item + array->size - 1;

	for (uintptr_t page = item - item % page_bytes; page <= last; page += page_bytes) {
		/* A failure only keeps the memory: the items stay zero. */
		if (is_page_empty(array, page, page_bytes))
			(void)madvise((void *)page, page_bytes, MADV_DONTNEED);
	}
}
