/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "unwind/x86_code.h"

enum {
	WORD = 8,
	ENTRY_DEPTH = WORD,    /* the return address */
	MOST_DEPTH = 1 << 24,  /* bytes of stack */
	CODE_ALIGNMENT = 16,   /* functions begin at a multiple of it, if nothing else tells */
	STEPS_PER_BYTE = 4,    /* instructions that are looked at in all, a byte of code */
	LOST = UNWIND_BX_LOST, /* a register's value is nowhere to be had */
};

/* Numbers of system calls that make a thread with a stack of its own (arch/x86/entry/syscalls). */
enum { CLONE = 56, CLONE3 = 435, NO_NUMBER = -1 };

/* What the thread did that is in a piece of code behind a system call: fork and clone come back
 * twice, and who comes back with 0 on a new stack was called by nobody. */
enum { BOTH, PARENT_OR_CHILD, CHILD };

/* Before an instruction runs. */
struct code_state {
	int32_t depth;	/* CFA - rsp; 0: not known, rbp is all there is */
	int32_t frame;	/* CFA - rbp; 0: rbp is not the frame's */
	int16_t fp, bx; /* where the caller's rbp and rbx are: offset from the CFA; 0: in place */
	uint8_t family; /* BOTH, ... */
	uint8_t size;	/* of the instruction; 0: nobody comes here */
	bool proven;	/* some way leads from here to a return */
};

struct pending {
	size_t at;
	struct code_state state;
};

struct exploration {
	const struct code_gap *gap;
	struct code_state *states; /* by offset in the gap */
	VEC(struct pending) pending;
	VEC(uint32_t) visited; /* of the function that is being followed */
	size_t steps;
	int64_t number; /* what is in eax, of the instructions being followed */
	bool calls_end; /* calls with padding behind them do not return */
	bool returns, bad;
};

static bool same_place(const struct code_state *a, const struct code_state *b)
{
	return a->depth == b->depth && a->frame == b->frame && a->fp == b->fp && a->bx == b->bx &&
	       a->family == b->family;
}

static void go_on_at(struct exploration *e, int64_t at, const struct code_state *state)
{
	if (at >= 0 && at < (int64_t)e->gap->size) {
		*vec_push(&e->pending) = (struct pending){ (size_t)at, *state };
		return;
	}
	/* Into another function: as it was entered. Nobody falls into the next one. */
	if (state->family != CHILD && state->depth != ENTRY_DEPTH)
		e->bad = true;
}

/* ---- what an instruction changes ---- */

static bool move_sp(struct code_state *state, int64_t up)
{
	if (!state->depth)
		return true;
	if (up > state->depth - ENTRY_DEPTH || up < -(int64_t)MOST_DEPTH ||
	    state->depth - up > MOST_DEPTH)
		return false;
	state->depth -= (int32_t)up;
	return true;
}

static int16_t offset_of(int32_t depth)
{
	return depth < -INT16_MIN ? (int16_t)-depth : LOST;
}

/* The first time a register is pushed is where its caller's value is. */
static bool push(struct code_state *state, uint8_t reg)
{
	int16_t *saved = reg == X86_FP ? &state->fp : reg == X86_BX ? &state->bx : NULL;

	if (!move_sp(state, -WORD))
		return false;
	if (saved && *saved == 0)
		*saved = state->depth ? offset_of(state->depth) : LOST;
	return true;
}

/* What is popped from elsewhere is not the caller's. */
static void restore(int16_t *saved, int32_t depth)
{
	if (*saved == 0)
		*saved = LOST;
	else if (*saved != LOST && *saved == offset_of(depth))
		*saved = 0;
}

static bool pop(struct code_state *state, uint8_t reg)
{
	if (reg == X86_FP) {
		restore(&state->fp, state->depth);
		state->frame = 0;
	} else if (reg == X86_BX) {
		restore(&state->bx, state->depth);
	}
	return move_sp(state, WORD) && (state->depth || state->frame);
}

static bool sp_from_fp(struct code_state *state, int64_t value)
{
	if (!state->frame || value > state->frame || value < -(int64_t)MOST_DEPTH)
		return false;
	state->depth = (int32_t)(state->frame - value);
	return state->depth >= ENTRY_DEPTH;
}

static bool fp_from_sp(struct code_state *state, int64_t value)
{
	if (!state->depth || value < 0 || value >= state->depth || !state->fp)
		return false;
	state->frame = (int32_t)(state->depth - value);
	return true;
}

static bool align_sp(struct code_state *state)
{
	state->depth = 0;
	return state->frame != 0;
}

/* A register that was not saved before is nowhere then. */
static bool set_registers(struct code_state *state, const struct x86_code *code)
{
	if (code->effect == X86_POP || code->effect == X86_LEAVE)
		return true;
	if (code->written >> X86_BX & 1 && state->bx == 0)
		state->bx = LOST;
	if (!(code->written >> X86_FP & 1) || code->effect == X86_FP_FROM_SP)
		return true;
	if (state->fp == 0)
		state->fp = LOST;
	state->frame = 0;
	return state->depth != 0;
}

/* False: the stack is not that of a function any more. */
static bool apply(struct code_state *state, const struct x86_code *code)
{
	if (!set_registers(state, code))
		return false;
	switch (code->effect) {
	case X86_PUSH:
		return push(state, code->reg);
	case X86_POP:
		return pop(state, code->reg);
	case X86_ADD_SP:
		return move_sp(state, code->value);
	case X86_ALIGN_SP:
		return align_sp(state);
	case X86_FP_FROM_SP:
		return fp_from_sp(state, code->value);
	case X86_SP_FROM_FP:
		return sp_from_fp(state, code->value);
	case X86_LEAVE:
		return sp_from_fp(state, 0) && pop(state, X86_FP);
	case X86_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* ---- following a function ---- */

/* "syscall; test %rax,%rax; ... jz". Descriptions of such functions often end at the system call,
 * for they would not be true of the child: the number was set before. */
static bool makes_a_thread(const struct exploration *e, size_t at, size_t behind)
{
	struct x86_code next = x86_code_read(e->gap->bytes + behind, e->gap->size - behind);

	return next.tests_ax && (at == 0 || e->number == CLONE || e->number == CLONE3);
}

static void take_branch(struct exploration *e, size_t at, const struct x86_code *code,
			struct code_state *state)
{
	struct code_state there = *state;

	if (state->family == PARENT_OR_CHILD && code->condition == X86_ZERO) {
		there.family = CHILD;
		state->family = BOTH;
	} else if (state->family == PARENT_OR_CHILD && code->condition == X86_NOT_ZERO) {
		there.family = BOTH;
		state->family = CHILD;
	}
	go_on_at(e, (int64_t)at + code->target, &there);
}

static void take_return(struct exploration *e, const struct code_state *state)
{
	if (state->family == CHILD)
		return;
	e->returns = true;
	if (state->depth != ENTRY_DEPTH)
		e->bad = true;
}

static size_t padding_at(const struct exploration *e, size_t at)
{
	const uint8_t *bytes = e->gap->bytes + at;
	struct x86_code code;

	if (!bytes[0])
		return 1;
	code = x86_code_read(bytes, e->gap->size - at);
	return code.padding ? code.size : 0;
}

/* The last of a function may be a call that never comes back. */
static bool may_end(const struct exploration *e, size_t behind)
{
	return behind >= e->gap->size || (e->gap->address + behind) % CODE_ALIGNMENT == 0 ||
	       padding_at(e, behind);
}

/* Where control goes from an instruction; true: behind it, too. */
static bool take_way(struct exploration *e, size_t at, const struct x86_code *code,
		     struct code_state *state)
{
	switch (code->effect) {
	case X86_RETURN:
		take_return(e, state);
		return false;
	case X86_JUMP:
		go_on_at(e, (int64_t)at + code->target, state);
		return false;
	case X86_JUMP_AWAY:
	case X86_STOP:
		return false;
	case X86_CALL:
		return !e->calls_end || !may_end(e, at + code->size);
	case X86_BRANCH:
		take_branch(e, at, code, state);
		return true;
	case X86_SYSCALL:
		if (makes_a_thread(e, at, at + code->size))
			state->family = PARENT_OR_CHILD;
		return true;
	default:
		return true;
	}
}

/* The instructions one after the other, until one is known or goes elsewhere. */
static void follow(struct exploration *e, size_t at, struct code_state state)
{
	e->number = NO_NUMBER;
	while (!e->bad) {
		struct code_state *here = &e->states[at];
		struct x86_code code;

		if (here->size) {
			e->bad = !same_place(here, &state);
			e->returns |= here->proven;
			return;
		}
		code = x86_code_read(e->gap->bytes + at, e->gap->size - at);
		if (code.size == 0 || e->steps == 0) {
			e->bad = true;
			return;
		}
		e->steps--;
		state.size = code.size;
		*here = state;
		*vec_push(&e->visited) = (uint32_t)at;
		if (state.family != CHILD && !apply(&state, &code))
			e->bad = true;
		if (code.sets_ax)
			e->number = code.value;
		else if (code.written >> X86_AX & 1 || code.effect == X86_CALL)
			e->number = NO_NUMBER;
		if (!take_way(e, at, &code, &state))
			return;
		at += code.size;
		if (at >= e->gap->size) {
			e->bad = state.family != CHILD;
			return;
		}
	}
}

static bool is_proven(const struct exploration *e, int64_t at)
{
	return at >= 0 && at < (int64_t)e->gap->size && e->states[at].size && e->states[at].proven;
}

static bool leads_to_return(const struct exploration *e, size_t at)
{
	struct x86_code code = x86_code_read(e->gap->bytes + at, e->gap->size - at);
	int64_t behind = (int64_t)at + code.size, target = (int64_t)at + code.target;

	switch (code.effect) {
	case X86_RETURN:
		return true;
	case X86_JUMP:
		return is_proven(e, target);
	case X86_BRANCH:
		return is_proven(e, target) || is_proven(e, behind);
	case X86_CALL:
		return is_proven(e, behind) && !may_end(e, (size_t)behind);
	case X86_JUMP_AWAY:
	case X86_STOP:
		return false;
	default:
		return is_proven(e, behind);
	}
}

/* What lies on the stack is known for sure only on the way to a return: calls may not come back,
 * and what lies behind them be another function. Linkage tables have none, and new threads need
 * none. */
static void prove(struct exploration *e)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = e->visited.count; i-- > 0;) {
			struct code_state *state = &e->states[e->visited.items[i]];

			if (state->proven || !(e->gap->linkage || state->family == CHILD ||
					       leads_to_return(e, e->visited.items[i])))
				continue;
			state->proven = changed = true;
		}
	}
}

/* Follows all ways from there. True: it is a function. */
static bool try(struct exploration *e, size_t at, int32_t depth)
{
	e->visited.count = e->pending.count = 0;
	e->returns = e->bad = false;
	go_on_at(e, (int64_t)at, &(struct code_state){ .depth = depth });
	while (e->pending.count && !e->bad) {
		struct pending next = e->pending.items[--e->pending.count];

		follow(e, next.at, next.state);
	}
	if (!e->bad && (e->returns || e->gap->linkage)) {
		prove(e);
		return true;
	}
	for (size_t i = 0; i < e->visited.count; i++)
		e->states[e->visited.items[i]].size = 0;
	return false;
}

static bool explore(struct exploration *e, size_t at, int32_t depth)
{
	e->calls_end = false;
	if (try(e, at, depth))
		return true;
	e->calls_end = true;
	return try(e, at, depth);
}

/* The first entry of a table that binds lazily runs with what the others pushed: pushq x(%rip), jmp
 * *y(%rip). */
static int32_t depth_at(const struct exploration *e, size_t at)
{
	enum { GROUP = 0xff, PUSH_RIP = 0x35 };
	const uint8_t *bytes = e->gap->bytes + at;

	if (e->gap->linkage && e->gap->size - at > 2 && bytes[0] == GROUP && bytes[1] == PUSH_RIP)
		return ENTRY_DEPTH + WORD;
	return ENTRY_DEPTH;
}

/* A function begins where the gap does, and behind another one and what is filled up. Behind one
 * that was not understood nobody knows what lies. */
static void find_functions(struct exploration *e)
{
	for (size_t at = 0; at < e->gap->size;) {
		size_t known = e->states[at].size, padding = known ? 0 : padding_at(e, at);

		if (known || padding)
			at += known + padding;
		else if (!explore(e, at, depth_at(e, at)))
			return;
	}
}

static struct unwind_rule rule_of(const struct code_state *state)
{
	struct unwind_rule rule = { .cfa = state->depth ? UNWIND_CFA_SP : UNWIND_CFA_FP,
				    .cfa_offset = state->depth ? state->depth : state->frame,
				    .ra = UNWIND_SAVED_CFA,
				    .ra_offset = -WORD,
				    .fp = UNWIND_SAVED_SAME,
				    .bx_offset = state->bx };

	if (state->fp == LOST)
		rule.fp = UNWIND_SAVED_UNDEFINED;
	else if (state->fp)
		rule.fp = UNWIND_SAVED_CFA;
	rule.fp_offset = rule.fp == UNWIND_SAVED_CFA ? state->fp : 0;
	if (state->family == CHILD)
		rule.ra = UNWIND_SAVED_UNDEFINED;
	if (state->family == PARENT_OR_CHILD)
		rule.flags = UNWIND_RULE_FORKED;
	return rule;
}

static void tell(const struct exploration *e, code_rows_add *add, void *context)
{
	bool told = false;

	for (size_t at = 0; at < e->gap->size;) {
		const struct code_state *state = &e->states[at];
		struct unwind_rule rule;

		if (!state->size || !state->proven) {
			if (told)
				add(context, e->gap->address + at, NULL);
			told = false;
			at += state->size ? state->size : 1;
			continue;
		}
		rule = rule_of(state);
		add(context, e->gap->address + at, &rule);
		told = true;
		at += state->size;
	}
	if (told)
		add(context, e->gap->address + e->gap->size, NULL);
}

void code_rows_find(const struct code_gap *gap, code_rows_add *add, void *context)
{
	struct exploration e = { .gap = gap, .steps = gap->size * STEPS_PER_BYTE };

	if (gap->size == 0 || gap->size > CODE_ROWS_MOST)
		return;
	e.states = xcalloc(gap->size, sizeof(*e.states));
	find_functions(&e);
	tell(&e, add, context);
	free(e.states);
	vec_free(&e.pending);
	vec_free(&e.visited);
}
