/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_table.h"

/* The last row of the page at or before an offset. */
static uint32_t row_in_force(const struct unwind_table *table, uint32_t page, uint32_t offset)
{
	uint32_t low = table->pages[page], high = table->pages[page + 1];

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (UNWIND_ROW_OFFSET(table->rows[middle]) <= offset)
			low = middle;
		else
			high = middle;
	}
	return table->rows[low];
}

const struct unwind_rule *row_table_find(const struct unwind_table *table, uint64_t address)
{
	uint64_t page = (address - table->base) >> UNWIND_PAGE_BITS;
	uint32_t offset = address & ((1 << UNWIND_PAGE_BITS) - 1);
	const struct unwind_rule *rule;

	if (address < table->base || page >= table->page_count)
		return NULL;
	rule = &table->rules[UNWIND_ROW_RULE(row_in_force(table, (uint32_t)page, offset))];
	return rule->cfa == UNWIND_CFA_NONE ? NULL : rule;
}
