/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

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
