/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts rules, in ascending order of addresses, into pages of rows. Equal rules are stored once. */
#ifndef UNWIND_ROW_BUILDER_H
#define UNWIND_ROW_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "bpf/unwind_rows.h"

enum {
	ROW_BUILDER_MAX_PAGES = 1 << 20, /* 4 GiB of code */
	ROW_BUILDER_MAX_ROWS = 1 << 25,
};

struct row_builder {
	uint64_t base;
	uint32_t rule; /* in force at the end */
	VEC(uint32_t) pages;
	VEC(uint32_t) rows;
	VEC(struct unwind_rule) rules;
	struct hashidx rule_index;
	uint16_t recent[4096]; /* rule indices, as hints */
	bool full;	       /* a limit was reached; later rows are missing */
};

/* @base: a multiple of 4 KiB, not greater than the first address. */
void row_builder_init(struct row_builder *builder, uint64_t base);
void row_builder_done(struct row_builder *builder);

/* Puts @rule in force from @address on; addresses must not descend. */
void row_builder_add(struct row_builder *builder, uint64_t address, const struct unwind_rule *rule);
/* No rule is in force from @address on. */
void row_builder_end(struct row_builder *builder, uint64_t address);
/* Ends the table. The last element of pages becomes the number of rows. */
void row_builder_finish(struct row_builder *builder);

#endif
