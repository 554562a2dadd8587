/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_blocks.h"

#include <string.h>

#include "base/search.h"

/* Instructions that fill gaps between functions and loops. */
static const char *const paddings[] = { "nop",	      "int3",	"xchg   %ax,%ax",
					"data16 nop", "cs nop", "data16 cs nop" };

bool code_blocks_take(void *context, const struct code_line *line)
{
	struct code_blocks *blocks = context;
	struct code_step *step = vec_push(&blocks->steps);

	*step = (struct code_step){ .address = line->address,
				    .length = line->length,
				    .text = (uint32_t)blocks->texts.size,
				    .flow = code_flow_of(line->text) };
	blocks->data |= step->flow.kind == CODE_FLOW_DATA;
	buf_add(&blocks->texts, line->text, strlen(line->text) + 1);
	return true;
}

const char *code_blocks_text(const struct code_blocks *blocks, const struct code_step *step)
{
	return blocks->texts.bytes + step->text;
}

const struct code_step *code_blocks_before(const struct code_blocks *blocks, uint64_t address)
{
	size_t before = search_before(blocks->steps.items, blocks->steps.count, item,
				      item->address <= address);

	return before ? &blocks->steps.items[before - 1] : NULL;
}

const struct code_step *code_blocks_step(const struct code_blocks *blocks, uint64_t address)
{
	const struct code_step *step = code_blocks_before(blocks, address);

	return step && step->address == address ? step : NULL;
}

/* How control reaches a step, or-ed. */
enum lead {
	LEAD_BEHIND = 1, /* it follows a step that control may not pass */
	LEAD_TARGET = 2, /* a jump, or the branch before it, leads here */
};

static void mark_target(const struct code_blocks *blocks, uint64_t target, uint8_t *leads)
{
	const struct code_step *step = code_blocks_step(blocks, target);

	if (step)
		leads[step - blocks->steps.items] |= LEAD_TARGET;
}

/* Marks where blocks begin. */
static void mark_leads(const struct code_blocks *blocks, uint8_t *leads)
{
	leads[0] = LEAD_TARGET;
	for (size_t i = 0; i < blocks->steps.count; i++) {
		const struct code_flow *flow = &blocks->steps.items[i].flow;

		if (flow->kind == CODE_FLOW_BRANCH || flow->kind == CODE_FLOW_JUMP)
			mark_target(blocks, flow->target, leads);
		if (flow->kind != CODE_FLOW_NEXT)
			leads[i + 1] |= flow->kind == CODE_FLOW_BRANCH ? LEAD_TARGET : LEAD_BEHIND;
	}
}

static bool is_padding(const struct code_blocks *blocks, const struct code_step *step)
{
	const char *text = code_blocks_text(blocks, step);

	if (step->flow.kind == CODE_FLOW_DATA)
		return true;
	for (size_t i = 0; i < sizeof(paddings) / sizeof(*paddings); i++) {
		if (strncmp(text, paddings[i], strlen(paddings[i])) == 0)
			return true;
	}
	return false;
}

/* @lead: how control reaches the first step. A block that only computed jumps can reach begins
 * after its leading padding. */
static void add_block(struct code_blocks *blocks, size_t first, size_t end, uint8_t lead)
{
	const struct code_step *steps = blocks->steps.items, *last = &steps[end - 1];
	size_t padding = first;

	while (padding < end && is_padding(blocks, &steps[padding]))
		padding++;
	if (!(lead & LEAD_TARGET))
		first = padding;
	if (padding < end)
		*vec_push(&blocks->list) =
			(struct code_block){ .first = first,
					     .count = end - first,
					     .start = steps[first].address,
					     .end = last->address + last->length };
}

void code_blocks_find(struct code_blocks *blocks)
{
	VEC(uint8_t) leads = { 0 };
	size_t count = blocks->steps.count, first = 0;

	if (count == 0)
		return;
	vec_reserve(&leads, count + 1);
	memset(leads.items, 0, count + 1);
	mark_leads(blocks, leads.items);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && !leads.items[i])
			continue;
		add_block(blocks, first, i, leads.items[first]);
		first = i;
	}
	vec_free(&leads);
}

/* ---- exits ---- */

struct leaving {
	const struct code_blocks *blocks;
	uint64_t start, end;
	bool (*is_part)(void *context, uint64_t target);
	void *context;
};

static bool is_inside(const struct leaving *leaving, uint64_t target)
{
	return (target > leaving->start && target < leaving->end) ||
	       (leaving->is_part && leaving->is_part(leaving->context, target));
}

/* The register that an operand names, "%rax" or "x3". Returns the length; 0: none. */
static size_t register_of(const char *text, const char **ret_name)
{
	const char *at = strpbrk(text, " \t");

	at = at ? at + strspn(at, " \t*") : "";
	*ret_name = at;
	return *at == '%' || *at == 'x' ? strcspn(at, ",( \t") : 0;
}

enum { TABLE_STEPS = 4 }; /* steps before the jump that are searched */

static bool mentions(const char *text, const char *name, size_t length)
{
	for (; *text; text++) {
		if (strncmp(text, name, length) == 0)
			return true;
	}
	return false;
}

/* True if, shortly before the jump, a distance is added to its register: a table of distances. */
static bool is_added(const struct leaving *leaving, size_t index)
{
	const struct code_step *steps = leaving->blocks->steps.items;
	const char *name, *jump = code_blocks_text(leaving->blocks, &steps[index]);
	size_t length = register_of(jump, &name);

	for (size_t i = 1; length && i <= TABLE_STEPS && i <= index; i++) {
		const char *text = code_blocks_text(leaving->blocks, &steps[index - i]);

		if (strncmp(text, "add", 3) == 0 && mentions(text, name, length))
			return true;
	}
	return false;
}

/* How certain the exits are after this step. */
static enum code_exits judge(const struct leaving *leaving, size_t index, bool *ret_is_exit)
{
	const struct code_step *step = &leaving->blocks->steps.items[index];

	*ret_is_exit = false;
	switch (step->flow.kind) {
	case CODE_FLOW_RETURN:
		*ret_is_exit = true;
		return CODE_EXITS_PLAIN;
	case CODE_FLOW_BRANCH:
		return is_inside(leaving, step->flow.target) ? CODE_EXITS_PLAIN
							     : CODE_EXITS_UNKNOWN;
	case CODE_FLOW_JUMP:
		if (is_inside(leaving, step->flow.target))
			return CODE_EXITS_PLAIN;
		break;
	case CODE_FLOW_COMPUTED:
		if (step->flow.table || is_added(leaving, index))
			return CODE_EXITS_PLAIN;
		break;
	default:
		return CODE_EXITS_PLAIN;
	}
	*ret_is_exit = true;
	return CODE_EXITS_TAIL;
}

enum code_exits code_blocks_exits(const struct code_blocks *blocks, uint64_t start, uint64_t end,
				  bool (*is_part)(void *context, uint64_t target), void *context,
				  struct code_ends *ends)
{
	const struct leaving leaving = { blocks, start, end, is_part, context };
	enum code_exits worst = CODE_EXITS_PLAIN;
	size_t before = ends->returns.size + ends->jumps.size;

	for (size_t i = 0; i < blocks->steps.count; i++) {
		const struct code_step *step = &blocks->steps.items[i];
		bool is_exit;
		enum code_exits found = judge(&leaving, i, &is_exit);

		if (found > worst)
			worst = found;
		if (is_exit)
			buf_add(step->flow.kind == CODE_FLOW_RETURN ? &ends->returns : &ends->jumps,
				&step->address, sizeof(step->address));
	}
	return ends->returns.size + ends->jumps.size == before || blocks->data ? CODE_EXITS_UNKNOWN
									       : worst;
}

void code_ends_done(struct code_ends *ends)
{
	buf_done(&ends->returns);
	buf_done(&ends->jumps);
}

enum {
	MOST_ASKING = 12, /* instructions; large frames take seven, two of them branches */
	/* From the branch target on: arguments are saved and reloaded. */
	MOST_GROWING = 128,
};

/* True if the code at an address grows the stack: it ends with a jump to @start. */
static bool grows(const struct code_blocks *blocks, uint64_t address, uint64_t start)
{
	const struct code_step *steps = blocks->steps.items, *end = steps + blocks->steps.count;
	const struct code_step *step = code_blocks_step(blocks, address);

	for (int i = 0; step && step < end && i < MOST_GROWING; i++, step++) {
		if (step->flow.kind == CODE_FLOW_JUMP)
			return step->flow.target == start;
		if (step->flow.kind != CODE_FLOW_NEXT)
			return false;
	}
	return false;
}

bool code_blocks_go_entry(const struct code_blocks *blocks, uint64_t start, uint64_t *ret_entry)
{
	uint64_t growing = 0; /* the target of all branches of the check */
	bool found = false;

	for (size_t i = 0; i < blocks->steps.count && i < MOST_ASKING; i++) {
		const struct code_step *step = &blocks->steps.items[i];
		const struct code_flow *flow = &step->flow;

		if (flow->kind == CODE_FLOW_NEXT)
			continue;
		/* The function's own branch may lead to a call that does not return, directly
		 * before the code that grows the stack. */
		if (flow->kind != CODE_FLOW_BRANCH || flow->target <= start ||
		    (found && flow->target != growing) || !grows(blocks, flow->target, start))
			break;
		growing = flow->target;
		*ret_entry = step->address + step->length;
		found = true;
	}
	return found;
}

bool code_blocks_loops_to_start(const struct code_blocks *blocks, uint64_t start)
{
	uint64_t entry;

	if (code_blocks_go_entry(blocks, start, &entry))
		return false;
	for (size_t i = 0; i < blocks->steps.count; i++) {
		const struct code_flow *flow = &blocks->steps.items[i].flow;

		if ((flow->kind == CODE_FLOW_BRANCH || flow->kind == CODE_FLOW_JUMP) &&
		    flow->target == start)
			return true;
	}
	return false;
}

void code_blocks_done(struct code_blocks *blocks)
{
	vec_free(&blocks->steps);
	vec_free(&blocks->list);
	buf_done(&blocks->texts);
}
