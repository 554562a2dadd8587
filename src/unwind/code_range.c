/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/code_range.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/xalloc.h"
#include "unwind/code_rows.h"

void code_ranges_add(struct code_ranges *ranges, uint64_t address, uint8_t *bytes, uint64_t size)
{
	struct code_range range = { .address = address, .size = size, .bytes = bytes };

	if (size > CODE_ROWS_MAX_BYTES - ranges->size) {
		free(bytes);
		return;
	}
	ranges->size += size;
	range.states = xcalloc(size, sizeof(*range.states));
	range.starts = xcalloc(size, sizeof(*range.starts));
	*vec_push(&ranges->list) = range;
}

void code_ranges_done(struct code_ranges *ranges)
{
	for (size_t i = 0; i < ranges->list.count; i++) {
		free(ranges->list.items[i].bytes);
		free(ranges->list.items[i].states);
		free(ranges->list.items[i].starts);
	}
	vec_free(&ranges->list);
}

const struct code_range *code_ranges_find(const struct code_ranges *ranges, uint64_t address)
{
	size_t after = search_before(ranges->list.items, ranges->list.count, range,
				     range->address <= address);
	const struct code_range *range = after ? &ranges->list.items[after - 1] : NULL;

	return range && address - range->address < range->size ? range : NULL;
}

bool code_range_decode(const struct code_range *range, uint64_t offset, struct x86_code *ret_code)
{
	uint64_t left = range->size - offset;

	memset(ret_code->bytes, 0, sizeof(ret_code->bytes));
	memcpy(ret_code->bytes, range->bytes + offset,
	       left < X86_CODE_BYTES ? left : X86_CODE_BYTES);
	x86_decode(ret_code);
	return ret_code->length > 0 && ret_code->length <= left;
}

uint64_t code_range_after_padding(const struct code_range *range, uint64_t offset)
{
	struct x86_code code;

	while (offset < range->size && code_range_decode(range, offset, &code) &&
	       x86_is_padding(&code))
		offset += code.length;
	return offset;
}

static bool has_bytes(const struct code_range *range, uint64_t offset, const uint8_t bytes[4])
{
	return offset < range->size && range->size - offset >= 4 &&
	       memcmp(range->bytes + offset, bytes, 4) == 0;
}

bool code_range_saves(const struct code_range *range, uint64_t offset)
{
	enum { BX = 3, R12 = 12 };
	struct x86_code code;
	uint8_t reg;

	if (offset >= range->size || !code_range_decode(range, offset, &code))
		return false;
	reg = (code.op & 7) | (code.rex & X86_REX_B ? 8 : 0);
	return code.kind == X86_PUSH_FP || (code.kind == X86_PUSH && code.op >= 0x50 &&
					    code.op <= 0x57 && (reg == BX || reg >= R12));
}

bool code_range_begins_function(const struct code_range *range, uint64_t offset)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa },
			     push_and_set[] = { 0x55, 0x48, 0x89, 0xe5 };

	return has_bytes(range, offset, endbr64) || has_bytes(range, offset, push_and_set);
}
