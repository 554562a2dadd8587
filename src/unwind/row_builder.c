/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_builder.h"

#include <string.h>

enum {
	OFFSET_MASK = (1 << UNWIND_PAGE_BITS) - 1,
	RECENT_RULES = sizeof(((struct row_builder *)0)->recent) / sizeof(uint16_t),
};

void row_builder_init(struct row_builder *builder, uint64_t base)
{
	*builder = (struct row_builder){ .base = base };
	*vec_push(&builder->rules) = (struct unwind_rule){ .cfa = UNWIND_CFA_NONE };
}

void row_builder_done(struct row_builder *builder)
{
	vec_free(&builder->pages);
	vec_free(&builder->rows);
	vec_free(&builder->rules);
	hashidx_done(&builder->rule_index);
}

static bool same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

DEFINE_EQUAL(is_rule, struct row_builder, rules.items, struct unwind_rule, same_rule(a, b))

enum { RULE_WORDS = sizeof(struct unwind_rule) / sizeof(uint64_t) };

static void rule_words(const struct unwind_rule *rule, uint64_t words[RULE_WORDS])
{
	_Static_assert(sizeof(*rule) == RULE_WORDS * sizeof(uint64_t), "all of it");
	memcpy(words, rule, sizeof(*rule));
}

static uint64_t hash_rule(const struct unwind_rule *rule)
{
	uint64_t words[RULE_WORDS];
	uint64_t hash = 0;

	rule_words(rule, words);
	for (int i = 0; i < RULE_WORDS; i++)
		hash = hash_combine(hash, words[i]);
	return hash;
}

/* The slot where a rule may have been stored recently: worse than a real hash, but several times
 * faster. */
static uint16_t *recent_place(struct row_builder *builder, const struct unwind_rule *rule)
{
	uint64_t words[RULE_WORDS];
	uint64_t mixed = 0;

	rule_words(rule, words);
	for (int i = 0; i < RULE_WORDS; i++)
		mixed = (mixed ^ words[i]) * 0x9e3779b97f4a7c15;
	return &builder->recent[(mixed >> 32) % RECENT_RULES];
}

/* When the table is full the rule is lost; 0 means no rule. */
static uint32_t new_rule(struct row_builder *builder, uint64_t hash, const struct unwind_rule *rule)
{
	uint32_t id = (uint32_t)builder->rules.count;

	if (id == UNWIND_MAX_RULES) {
		builder->full = true;
		return 0;
	}
	*vec_push(&builder->rules) = *rule;
	hashidx_add(&builder->rule_index, hash, id);
	return id;
}

static uint32_t rule_id(struct row_builder *builder, const struct unwind_rule *rule)
{
	uint16_t *recent = recent_place(builder, rule);
	uint32_t id = *recent;
	uint64_t hash;

	if (same_rule(&builder->rules.items[id], rule))
		return id;
	hash = hash_rule(rule);
	if (!hashidx_find(&builder->rule_index, hash, is_rule, builder, rule, &id))
		id = new_rule(builder, hash, rule);
	if (id <= UINT16_MAX)
		*recent = (uint16_t)id;
	return id;
}

static void push_row(struct row_builder *builder, uint32_t offset, uint32_t rule)
{
	if (builder->rows.count == ROW_BUILDER_MAX_ROWS)
		builder->full = true;
	else
		*vec_push(&builder->rows) = UNWIND_ROW(offset, rule);
}

/* Opens the pages up to @last; each begins with the rule in force. */
static void open_pages(struct row_builder *builder, uint64_t last)
{
	while (builder->pages.count <= last && !builder->full) {
		*vec_push(&builder->pages) = (uint32_t)builder->rows.count;
		push_row(builder, 0, builder->rule);
	}
}

static void put(struct row_builder *builder, uint64_t address, uint32_t rule)
{
	uint64_t page = (address - builder->base) >> UNWIND_PAGE_BITS;
	uint32_t offset = address & OFFSET_MASK;
	uint32_t *last;

	if (rule == builder->rule)
		return;
	if (page >= ROW_BUILDER_MAX_PAGES)
		builder->full = true;
	open_pages(builder, page);
	if (builder->full)
		return;
	last = &builder->rows.items[builder->rows.count - 1];
	if (UNWIND_ROW_OFFSET(*last) == offset)
		*last = UNWIND_ROW(offset, rule);
	else
		push_row(builder, offset, rule);
	builder->rule = rule;
}

void row_builder_add(struct row_builder *builder, uint64_t address, const struct unwind_rule *rule)
{
	put(builder, address, rule_id(builder, rule));
}

void row_builder_end(struct row_builder *builder, uint64_t address)
{
	put(builder, address, 0);
}

void row_builder_finish(struct row_builder *builder)
{
	*vec_push(&builder->pages) = (uint32_t)builder->rows.count;
}
