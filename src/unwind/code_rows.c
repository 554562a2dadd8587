/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/code_rows.h"

#include <string.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/x86_code.h"
#include "unwind/code_frame.h"
#include "unwind/code_range.h"

enum {
	WORD = 8,
	ALIGNMENT = 16,	     /* of functions */
	TENTATIVE = 1 << 15, /* of a number of a state: reached by the current attempt */
	DOUBTFUL = 1 << 14,  /* of such a number: by a call that may not return */
	MAX_STATES = DOUBTFUL,
	MAX_TABLES = 4096,
	MOST_PASSES = 4,  /* each knows more functions that do not return */
	MOST_DOUBTS = 16, /* calls after another that need a proof, and then are not followed */
	STEPS_FOR_A_BYTE = 64, /* most instructions followed, for each byte of code */
	BETWEEN_PAUSES = 1 << 16,
};

/* Numbers of states: 0 is code that was not reached. */
enum { NOT_REACHED, LOST, ENTERED, BEGUN, THREAD, FIRST_STATES };

/* How a state is known. */
enum evidence {
	KNOWN,	 /* the code is called, or has a symbol */
	LIKELY,	 /* it looks like a function */
	TAKEN,	 /* its address is taken; a proof shows that it is called, and not jumped to */
	GUESSED, /* it needs a proof */
	CASE,	 /* it needs a proof that does not lie after a call */
};

struct place {
	uint64_t address;
	uint16_t state;
	uint16_t before;   /* in a journal: the state to go back to */
	uint16_t evidence; /* of a start: enum evidence */
};

/* Where a call returns to, and what it calls: a function or a slot. */
struct call {
	uint64_t after;
	uint64_t target; /* 0: unknown */
	uint16_t state;
};

struct code_rows {
	struct code_ranges ranges;
	VEC(struct code_frame) states;
	struct hashidx index; /* of states */
	VEC(struct place) starts;
	size_t given;	       /* that many were added by the caller */
	VEC(uint64_t) endless; /* functions, and slots of functions, that do not return */
	struct hashidx is_endless;
	const struct pause *pause;
	jump_tables_read read; /* NULL: no data */
	void *read_context;
	struct jump_tables *jump_tables; /* of all code; NULL: no data */

	/* one pass */
	bool learned; /* endless has grown */
	uint64_t steps;
	size_t started;		  /* that many starts were followed */
	VEC(struct place) tables; /* jumps to an address in a register, whose cases are unknown */
	VEC(struct call) resumed; /* calls that returned to code to which nothing else had led */
	struct hashidx resumed_at;

	/* one attempt */
	VEC(struct place) next;	   /* to be followed */
	VEC(struct call) calls;	   /* that may return */
	VEC(struct place) journal; /* what was reached, to be undone */
	int doubts;		   /* calls that are followed until there is a proof */
	bool guessed;		   /* nothing is known to enter the code like this */
	bool strict;		   /* no call returns to where a function may begin */
	bool contradiction;	   /* two ways disagree, or a return has no return address */
	bool proven;		   /* a return, or known code, was reached */
	bool returns;		   /* the function may return */
};

static const struct code_frame first_states[FIRST_STATES] = {
	[NOT_REACHED] = { .sp = CODE_FRAME_UNKNOWN },
	[LOST] = { .sp = CODE_FRAME_UNKNOWN, .fp = CODE_FRAME_UNKNOWN },
	[ENTERED] = { .sp = WORD, .fp = CODE_FRAME_UNKNOWN, .same = true },
	[BEGUN] = { .sp = CODE_FRAME_UNKNOWN,
		    .fp = CODE_FRAME_UNKNOWN,
		    .outermost = CODE_FRAME_GIVEN },
	[THREAD] = { .sp = CODE_FRAME_UNKNOWN,
		     .fp = CODE_FRAME_UNKNOWN,
		     .outermost = CODE_FRAME_CLEARED },
};

/* ---- states ---- */

DEFINE_EQUAL(is_state, struct code_rows, states.items, struct code_frame,
	     memcmp(a, b, sizeof(*a)) == 0)

static uint16_t number_of(struct code_rows *rows, const struct code_frame *state)
{
	uint64_t hash = hash_bytes(state, sizeof(*state));
	uint32_t number;

	if (hashidx_find(&rows->index, hash, is_state, rows, state, &number))
		return (uint16_t)number;
	if (rows->states.count == MAX_STATES)
		return LOST;
	number = (uint32_t)rows->states.count;
	*vec_push(&rows->states) = *state;
	hashidx_add(&rows->index, hash, number);
	return (uint16_t)number;
}

static const struct code_frame *state_of(const struct code_rows *rows, uint16_t number)
{
	return &rows->states.items[number];
}

struct code_rows *code_rows_new(void)
{
	struct code_rows *rows = xcalloc(1, sizeof(*rows));

	*vec_push(&rows->states) = first_states[NOT_REACHED];
	for (int i = NOT_REACHED + 1; i < FIRST_STATES; i++)
		number_of(rows, &first_states[i]);
	return rows;
}

void code_rows_free(struct code_rows *rows)
{
	if (!rows)
		return;
	code_ranges_done(&rows->ranges);
	vec_free(&rows->states);
	hashidx_done(&rows->index);
	vec_free(&rows->starts);
	vec_free(&rows->tables);
	vec_free(&rows->next);
	vec_free(&rows->calls);
	vec_free(&rows->endless);
	hashidx_done(&rows->is_endless);
	vec_free(&rows->resumed);
	hashidx_done(&rows->resumed_at);
	vec_free(&rows->journal);
	jump_tables_free(rows->jump_tables);
	free(rows);
}

/* ---- code ---- */

void code_rows_set_data(struct code_rows *rows, jump_tables_read read, void *context)
{
	rows->read = read;
	rows->read_context = context;
}

void code_rows_add(struct code_rows *rows, uint64_t address, uint8_t *bytes, uint64_t size)
{
	code_ranges_add(&rows->ranges, address, bytes, size);
}

void code_rows_add_start(struct code_rows *rows, uint64_t address, enum code_rows_start start)
{
	uint16_t state = start == CODE_ROWS_OUTERMOST ? BEGUN : ENTERED;

	const struct code_range *range = code_ranges_find(&rows->ranges, address);

	if (!range)
		return;
	range->starts[address - range->address] = true;
	*vec_push(&rows->starts) = (struct place){ .address = address, .state = state };
}

/* The number of the state after an instruction. Where neither register leads to the caller, nothing
 * else is worth knowing. */
static uint16_t state_after(struct code_rows *rows, const struct x86_code *code, uint16_t number)
{
	struct code_frame state = *state_of(rows, number);

	if (state.outermost || number == LOST)
		return number;
	code_frame_apply(code, &state);
	return code_frame_is_lost(&state) ? LOST : number_of(rows, &state);
}

/* ---- following the code ---- */

static void reach(struct code_rows *rows, const struct code_range *range, uint64_t address,
		  uint16_t state)
{
	uint16_t *place = &range->states[address - range->address];

	*vec_push(&rows->journal) = (struct place){ address, state, *place, 0 };
	*place = state | TENTATIVE | (rows->doubts ? DOUBTFUL : 0);
	*vec_push(&rows->next) = (struct place){ address, state, 0, 0 };
}

/* What two ways to an instruction agree on. */
static uint16_t merge(struct code_rows *rows, uint16_t a, uint16_t b)
{
	const struct code_frame *one = state_of(rows, a), *other = state_of(rows, b);
	struct code_frame both;

	if (one->outermost || other->outermost)
		return one->outermost ? a : b;
	if (a == LOST || b == LOST)
		return LOST;
	both = code_frame_merge(one, other);
	return code_frame_is_lost(&both) ? LOST : number_of(rows, &both);
}

DEFINE_EQUAL(is_address, struct code_rows, endless.items, uint64_t, *a == *b)
DEFINE_EQUAL(is_resumed, struct code_rows, resumed.items, uint64_t, a->after == *b)

static bool is_endless(const struct code_rows *rows, uint64_t target)
{
	uint32_t id;

	return hashidx_find(&rows->is_endless, hash_u64(target), is_address, rows, &target, &id);
}

static void learn_endless(struct code_rows *rows, uint64_t target)
{
	if (!target || rows->guessed || is_endless(rows, target))
		return;
	hashidx_add(&rows->is_endless, hash_u64(target), (uint32_t)rows->endless.count);
	*vec_push(&rows->endless) = target;
	rows->learned = true;
}

/* Other code comes to where a call returns, with another stack: the call does not return. */
static void learn_from(struct code_rows *rows, uint64_t address)
{
	uint32_t id;

	if (hashidx_find(&rows->resumed_at, hash_u64(address), is_resumed, rows, &address, &id))
		learn_endless(rows, rows->resumed.items[id].target);
}

static void resume(struct code_rows *rows, const struct call *call)
{
	uint32_t id;

	if (hashidx_find(&rows->resumed_at, hash_u64(call->after), is_resumed, rows, &call->after,
			 &id))
		return;
	hashidx_add(&rows->resumed_at, hash_u64(call->after), (uint32_t)rows->resumed.count);
	*vec_push(&rows->resumed) = *call;
}

/* Control comes to an address. @from: the call that returns there, NULL: no call. */
static void come_to(struct code_rows *rows, uint64_t address, uint16_t state,
		    const struct call *from)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, address);
	uint16_t there = range ? range->states[address - range->address] : NOT_REACHED;
	uint16_t known = there & (MAX_STATES - 1), merged;

	if (!range)
		return;
	if (known == NOT_REACHED) {
		if (from)
			resume(rows, from);
		reach(rows, range, address, state);
		return;
	}
	rows->returns |= !(there & TENTATIVE);
	if (known == state) {
		rows->proven |= state != LOST && !(there & (rows->doubts ? DOUBTFUL : TENTATIVE));
		return;
	}
	merged = merge(rows, known, state);
	if (merged == LOST && known != LOST && state != LOST) {
		rows->contradiction = true;
		learn_from(rows, address);
	}
	if (merged != known)
		reach(rows, range, address, merged);
}

/* How a call returns. One that does not is the last instruction of its function, or of its block. */
enum returns { NEVER, IN_DOUBT, RETURNS };

static bool makes_room(const struct code_range *range, uint64_t offset)
{
	struct x86_code code;

	return code_range_decode(range, offset, &code) && code.kind == X86_ADD_SP && code.value < 0;
}

static enum returns returns_of(struct code_rows *rows, const struct call *call)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, call->after);
	uint64_t at = call->after - (range ? range->address : 0), offset;
	struct x86_code code;
	uint16_t known;
	bool begins;

	if (!range || is_endless(rows, call->target) || !code_range_decode(range, at, &code))
		return NEVER;
	offset = code_range_after_padding(range, at);
	if (offset == range->size)
		return NEVER;
	/* where others came to with another stack pointer, perhaps after padding */
	known = range->states[offset] & (MAX_STATES - 1);
	if (range->starts[offset] ||
	    code_frame_disagree(state_of(rows, known), state_of(rows, call->state))) {
		learn_endless(rows, call->target);
		return NEVER;
	}
	begins = code_range_saves(range, offset) || code_range_begins_function(range, offset);
	if ((range->address + offset) % ALIGNMENT && !begins)
		return RETURNS;
	/* Only one in sixteen functions begins there without padding by chance. */
	if (offset == at && !begins && !makes_room(range, offset))
		return rows->strict ? IN_DOUBT : RETURNS;
	return rows->strict ? NEVER : IN_DOUBT;
}

static bool is_pop(const struct code_rows *rows, uint64_t address)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, address);
	struct x86_code code;

	return range && code_range_decode(range, address - range->address, &code) &&
	       (code.kind == X86_POP || code.kind == X86_POP_FP);
}

static void call(struct code_rows *rows, const struct x86_code *code, uint64_t after,
		 uint16_t state)
{
	uint64_t target = after + (uint64_t)(int64_t)code->value;

	if (code->kind == X86_CALL && target == after && is_pop(rows, after)) {
		/* reads the program counter */
		struct code_frame pushed = *state_of(rows, state);

		code_frame_apply(&(struct x86_code){ .kind = X86_PUSH }, &pushed);
		come_to(rows, after, state <= LOST ? state : number_of(rows, &pushed), NULL);
		return;
	}
	if (code->kind == X86_CALL)
		code_rows_add_start(rows, target, CODE_ROWS_FUNCTION);
	else if (x86_mod(code) == 0 && (code->modrm & 7) == 5)
		target = after + (uint64_t)(int64_t)code->displacement;
	else
		target = 0;
	/* The stack is aligned where functions are called: code that calls with nothing but the
	 * return address on it is the end of a function that had more. */
	if (rows->guessed && state_of(rows, state)->sp == WORD)
		return;
	*vec_push(&rows->calls) = (struct call){ after, target, state };
}

static void leave(struct code_rows *rows, uint16_t number)
{
	const struct code_frame *state = state_of(rows, number);

	rows->returns = true;
	if (number == LOST || state->outermost == CODE_FRAME_GIVEN)
		return;
	rows->contradiction |= !code_frame_is_left(state);
	rows->proven = true;
}

/* A jump through a fixed slot: a tail call, or a lazy PLT, where it first leads to the push after
 * it. */
static void jump_by_slot(struct code_rows *rows, uint64_t after, uint16_t state)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, after);

	rows->returns = true;
	rows->proven |= code_frame_is_left(state_of(rows, state));
	if (range && range->bytes[after - range->address] == 0x68)
		come_to(rows, after, state, NULL);
}

static void jump(struct code_rows *rows, uint64_t target, uint16_t state)
{
	if (!code_ranges_find(&rows->ranges, target)) {
		rows->returns |= !is_endless(rows, target);
		rows->proven |= code_frame_is_left(state_of(rows, state));
	}
	come_to(rows, target, state, NULL);
}

/* A jump to an address in a register or in memory: through a table, or the last call. */
static void jump_far(struct code_rows *rows, const struct code_range *range, uint64_t at,
		     uint16_t state)
{
	enum { NEAR = 1 << 16 };
	uint64_t offset = at - range->address, left = range->size - offset;
	uint64_t cases[JUMP_TABLES_MAX_CASES];
	size_t count = rows->jump_tables
			       ? jump_tables_cases(rows->jump_tables, at,
						   at - (offset < NEAR ? offset : NEAR),
						   at + (left < NEAR ? left : NEAR), cases)
			       : 0;

	for (size_t i = 0; i < count; i++)
		come_to(rows, cases[i], state, NULL);
	if (count)
		return;
	rows->returns = true;
	if (rows->tables.count < MAX_TABLES)
		*vec_push(&rows->tables) = (struct place){ at, state, 0, 0 };
}

static bool saves(const struct code_rows *rows, uint64_t address)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, address);

	return code_range_saves(range, address - range->address);
}

/* An aligned address in code that is loaded into a register is that of a function. */
static void take_address(struct code_rows *rows, const struct x86_code *code, uint64_t after)
{
	enum { LEA = 0x8d };
	uint64_t address = after + (uint64_t)(int64_t)code->displacement;

	if (code->map == 0 && code->op == LEA && x86_mod(code) == 0 && (code->modrm & 7) == 5 &&
	    address % ALIGNMENT == 0 && code_ranges_find(&rows->ranges, address))
		*vec_push(&rows->starts) =
			(struct place){ .address = address,
					.state = ENTERED,
					.evidence = saves(rows, address) ? LIKELY : TAKEN };
}

static void follow(struct code_rows *rows, const struct place *place)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, place->address);
	uint64_t offset = place->address - range->address, after;
	struct x86_code code;
	uint16_t state;

	if ((range->states[offset] & ~DOUBTFUL) != (place->state | TENTATIVE))
		return; /* merged since */
	if (!code_range_decode(range, offset, &code)) {
		rows->contradiction = true;
		return;
	}
	if (code_frame_begins_thread(&code, state_of(rows, place->state))) {
		reach(rows, range, place->address, THREAD);
		return;
	}
	after = place->address + code.length;
	state = state_after(rows, &code, place->state);
	switch (code.kind) {
	case X86_CALL:
	case X86_CALL_INDIRECT:
		call(rows, &code, after, state);
		break;
	case X86_BRANCH:
		come_to(rows, after, state, NULL);
		come_to(rows, after + (uint64_t)(int64_t)code.value, state, NULL);
		break;
	case X86_JUMP:
		jump(rows, after + (uint64_t)(int64_t)code.value, state);
		break;
	case X86_JUMP_REGISTER:
		jump_far(rows, range, place->address, state);
		break;
	case X86_JUMP_SLOT:
		jump_by_slot(rows, after, state);
		break;
	case X86_RETURN:
		leave(rows, state);
		break;
	case X86_STOP:
		break;
	default:
		take_address(rows, &code, after);
		come_to(rows, after, state, NULL);
	}
}

/* Follows everything that can be reached without returning from calls. */
static void follow_jumps(struct code_rows *rows)
{
	uint64_t most = rows->ranges.size * STEPS_FOR_A_BYTE;

	while (!rows->contradiction && rows->next.count) {
		struct place place = rows->next.items[--rows->next.count];

		follow(rows, &place);
		if (++rows->steps % BETWEEN_PAUSES == 0)
			pause_take(rows->pause);
		rows->contradiction |= rows->steps > most;
	}
}

/* How far the lists of an attempt had grown. */
struct mark {
	size_t journal, tables, starts, calls;
};

static struct mark mark_of(const struct code_rows *rows)
{
	return (struct mark){ rows->journal.count, rows->tables.count, rows->starts.count,
			      rows->calls.count };
}

static void undo(struct code_rows *rows, const struct mark *mark)
{
	while (rows->journal.count > mark->journal) {
		const struct place *place = &rows->journal.items[--rows->journal.count];
		const struct code_range *range = code_ranges_find(&rows->ranges, place->address);

		range->states[place->address - range->address] = place->before;
	}
	rows->tables.count = mark->tables;
	rows->calls.count = mark->calls;
	while (rows->starts.count > mark->starts) {
		const struct place *start = &rows->starts.items[--rows->starts.count];
		const struct code_range *range = code_ranges_find(&rows->ranges, start->address);

		if (start->evidence == KNOWN)
			range->starts[start->address - range->address] = false;
	}
}

static void follow_calls(struct code_rows *rows, size_t first);

/* Returns from a call after which another function may begin. Code that was reached by it alone needs
 * a proof of its own: the function's other ways say nothing about it. */
static void follow_doubtful(struct code_rows *rows, const struct call *call)
{
	struct mark mark = mark_of(rows);
	bool proven = rows->proven, returns = rows->returns;

	if (rows->doubts == MOST_DOUBTS)
		return;
	rows->doubts++;
	rows->proven = false;
	come_to(rows, call->after, call->state, call);
	follow_jumps(rows);
	follow_calls(rows, mark.calls);
	if (!rows->contradiction && !rows->proven && rows->journal.count > mark.journal) {
		undo(rows, &mark);
		rows->returns = returns;
	}
	rows->proven |= proven;
	rows->doubts--;
}

/* Then from calls, when the code around is known: those from @first on. */
static void follow_calls(struct code_rows *rows, size_t first)
{
	while (!rows->contradiction && rows->calls.count > first) {
		struct call call = rows->calls.items[--rows->calls.count];
		enum returns returns = returns_of(rows, &call);

		if (returns == IN_DOUBT) {
			follow_doubtful(rows, &call);
		} else if (returns == RETURNS) {
			come_to(rows, call.after, call.state, &call);
			follow_jumps(rows);
		}
	}
}

static void accept(struct code_rows *rows)
{
	for (size_t i = 0; i < rows->journal.count; i++) {
		uint64_t address = rows->journal.items[i].address;
		const struct code_range *range = code_ranges_find(&rows->ranges, address);

		range->states[address - range->address] &= MAX_STATES - 1;
	}
}

static bool try_to_enter(struct code_rows *rows, uint64_t address, uint16_t state,
			 enum evidence evidence)
{
	rows->contradiction = rows->proven = rows->returns = false;
	rows->guessed = evidence >= GUESSED;
	rows->next.count = rows->calls.count = rows->journal.count = 0;
	rows->doubts = 0;
	come_to(rows, address, state, NULL);
	follow_jumps(rows);
	if (evidence == CASE && !rows->proven)
		return false;
	follow_calls(rows, 0);
	return !rows->contradiction && (rows->proven || evidence < TAKEN);
}

/* Enters code with a state. False: that cannot be, and nothing was reached. */
static bool attempt(struct code_rows *rows, uint64_t address, uint16_t state,
		    enum evidence evidence)
{
	struct mark mark = { 0, rows->tables.count, rows->starts.count, 0 };

	for (int strict = 0; strict < 2; strict++) {
		rows->strict = strict;
		if (try_to_enter(rows, address, state, evidence)) {
			accept(rows);
			if (!rows->returns && !strict && evidence == KNOWN)
				learn_endless(rows, address);
			return true;
		}
		undo(rows, &mark);
	}
	return false;
}

static void follow_starts(struct code_rows *rows)
{
	while (rows->started < rows->starts.count) {
		struct place start = rows->starts.items[rows->started++];
		const struct code_range *range = code_ranges_find(&rows->ranges, start.address);

		if (range->states[start.address - range->address] == NOT_REACHED)
			attempt(rows, start.address, start.state, start.evidence);
	}
}

/* The state at the last jump through a table before an address, if cases of it may be there. */
static uint16_t table_before(const struct code_rows *rows, uint64_t address)
{
	enum { NEAR = 1 << 16 };
	uint64_t best = 0;
	uint16_t state = ENTERED;

	for (size_t i = 0; i < rows->tables.count; i++) {
		const struct place *table = &rows->tables.items[i];

		if (table->address < address && address - table->address < NEAR &&
		    table->address > best) {
			best = table->address;
			state = table->state;
		}
	}
	return state;
}

static bool attempt_at(struct code_rows *rows, const struct code_range *range, uint64_t offset)
{
	uint64_t address = range->address + offset;
	uint16_t table = table_before(rows, address);

	if (table != ENTERED && table != LOST && attempt(rows, address, table, CASE))
		return true;
	return attempt(rows, address, ENTERED,
		       address % ALIGNMENT == 0 && code_range_begins_function(range, offset)
			       ? LIKELY
			       : GUESSED);
}

static bool goes_on(const struct x86_code *code)
{
	return code->kind != X86_JUMP && code->kind != X86_JUMP_REGISTER &&
	       code->kind != X86_JUMP_SLOT && code->kind != X86_RETURN && code->kind != X86_STOP;
}

/* Tries what was not reached, where control cannot come from the instruction before. */
static void follow_rest(struct code_rows *rows, const struct code_range *range)
{
	bool begins = true;
	struct x86_code code;

	for (uint64_t offset = 0; offset < range->size;) {
		if (range->states[offset] == NOT_REACHED && begins) {
			offset = code_range_after_padding(range, offset);
			if (offset == range->size)
				break;
			if (range->states[offset] == NOT_REACHED && attempt_at(rows, range, offset))
				follow_starts(rows);
		}
		if (!code_range_decode(range, offset, &code)) {
			begins = true;
			offset++;
			continue;
		}
		/* after a call that does not return, too */
		begins = range->states[offset] != NOT_REACHED || !goes_on(&code) ||
			 (x86_is_padding(&code) &&
			  (range->address + offset + code.length) % ALIGNMENT == 0);
		offset += code.length;
		begins |= code.kind == X86_CALL && code_range_saves(range, offset);
	}
}

static void run_pass(struct code_rows *rows)
{
	for (size_t i = 0; i < rows->ranges.list.count; i++) {
		struct code_range *range = &rows->ranges.list.items[i];

		memset(range->states, 0, range->size * sizeof(*range->states));
	}
	rows->starts.count = rows->given;
	rows->tables.count = rows->resumed.count = 0;
	hashidx_done(&rows->resumed_at);
	rows->resumed_at = (struct hashidx){ 0 };
	rows->started = 0;
	rows->steps = 0;
	rows->learned = false;
	follow_starts(rows);
	for (size_t i = 0; i < rows->ranges.list.count; i++)
		follow_rest(rows, &rows->ranges.list.items[i]);
}

static void find_tables(struct code_rows *rows)
{
	struct x86_code code;

	rows->jump_tables = jump_tables_new(rows->read, rows->read_context);
	for (size_t i = 0; i < rows->ranges.list.count; i++) {
		const struct code_range *range = &rows->ranges.list.items[i];

		pause_take(rows->pause);
		for (uint64_t offset = 0; offset < range->size;
		     offset += code.length ? code.length : 1) {
			if (code_range_decode(range, offset, &code))
				jump_tables_add(rows->jump_tables, &code, range->address + offset);
		}
	}
	jump_tables_finish(rows->jump_tables);
}

void code_rows_run(struct code_rows *rows, const struct pause *pause)
{
	rows->pause = pause;
	if (rows->read)
		find_tables(rows);
	rows->given = rows->starts.count;
	for (int pass = 0; pass < MOST_PASSES; pass++) {
		run_pass(rows);
		if (!rows->learned)
			break;
	}
}

/* ---- rows ---- */

void code_rows_tell(const struct code_rows *rows, uint64_t start, uint64_t end, code_rows_row row,
		    void *context)
{
	const struct code_range *range = code_ranges_find(&rows->ranges, start);
	const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };
	uint64_t offset = range ? start - range->address : 0;

	if (!range)
		row(context, start, &none);
	while (range && range->address + offset < end && offset < range->size) {
		uint16_t state = range->states[offset];
		struct unwind_rule rule =
			state > LOST ? code_frame_rule(state_of(rows, state)) : none;
		struct x86_code code;

		row(context, range->address + offset, &rule);
		offset += state && code_range_decode(range, offset, &code) ? code.length : 1;
	}
}
