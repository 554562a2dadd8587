/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/special_code.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* ---- signal trampolines ---- */

enum {
	MAX_VDSO_CODE = 64 * 1024,
	PIECE = 1 << 20, /* what is read of a section at a time */
	MOST_BEFORE = 8, /* bytes before a trampoline that matter */
	LONGEST = 9,	 /* of a trampoline */
	FUNCTION_ALIGNMENT = 16,
};

/* Instructions that call rt_sigreturn. */
static const struct trampoline {
	uint16_t machine;
	uint8_t size;
	char code[LONGEST + 1];
} trampolines[] = {
	{ EM_X86_64, 7, "\xb8\x0f\0\0\0\x0f\x05" },	    /* mov $15,%eax; syscall */
	{ EM_X86_64, 9, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05" }, /* mov $15,%rax; syscall */
	{ EM_AARCH64, 8, "\x68\x11\x80\xd2\x01\0\0\xd4" },  /* mov x8,#139; svc #0 */
};

/* Offsets in the frame from its stack pointer: on arm64 128 bytes of siginfo, then the ucontext
 * with the registers at 176; on x86-64 the ucontext, with the registers at 40. */
enum {
	ARM64_REGISTERS = 128 + 176 + 8,
	ARM64_FP = ARM64_REGISTERS + 29 * 8,
	ARM64_SP = ARM64_REGISTERS + 31 * 8,
	ARM64_PC = ARM64_REGISTERS + 32 * 8,
	X86_REGISTERS = 40,
	X86_RBP = X86_REGISTERS + 10 * 8,
	X86_RSP = X86_REGISTERS + 15 * 8,
	X86_RIP = X86_REGISTERS + 16 * 8,
};

struct search {
	uint16_t machine;
	struct special_trampoline *found;
	size_t count;
};

/* What ends at @end, on x86-64. */
static enum special_before what_is_before(const uint8_t *end, size_t size)
{
	enum { RET = 0xc3, CALL = 0xe8, GROUP_5 = 0xff, FIELD_REG = 0x38, CALL_INDIRECT = 0x10 };

	if (size >= 5 && end[-5] == CALL)
		return SPECIAL_BEFORE_CALL;
	for (size_t i = 2; i <= size && i <= 7; i++) {
		if (end[-(ptrdiff_t)i] == GROUP_5 &&
		    (end[1 - (ptrdiff_t)i] & FIELD_REG) == CALL_INDIRECT)
			return SPECIAL_BEFORE_CALL;
	}
	return size && end[-1] == RET ? SPECIAL_BEFORE_RETURN : SPECIAL_BEFORE_OTHER;
}

static void add_found(struct search *search, const struct special_trampoline *found)
{
	size_t at = search->count;

	while (at > 0 && search->found[at - 1].start > found->start)
		at--;
	/* pieces overlap */
	if ((at > 0 && search->found[at - 1].start == found->start) ||
	    search->count == SPECIAL_CODE_TRAMPOLINES)
		return;
	memmove(&search->found[at + 1], &search->found[at],
		(search->count++ - at) * sizeof(*found));
	search->found[at] = *found;
}

/* Searches the piece of a section from @from on; the bytes before it are there, too. */
static void search_piece(struct search *search, const uint8_t *bytes, size_t from, size_t size,
			 uint64_t address)
{
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(trampolines[0]); i++) {
		const struct trampoline *wanted = &trampolines[i];
		const uint8_t *next = bytes + from;

		while (wanted->machine == search->machine &&
		       (next = memmem(next, size - (size_t)(next - bytes), wanted->code,
				      wanted->size))) {
			size_t at = (size_t)(next - bytes);
			struct special_trampoline found = { .start = address + at,
							    .end = address + at + wanted->size };

			/* while the system call runs, the program counter is after it */
			if (found.end % FUNCTION_ALIGNMENT)
				found.end++;

			if (search->machine == EM_X86_64)
				found.before = what_is_before(next, at);
			add_found(search, &found);
			next++;
		}
	}
}

static void search_section(struct search *search, const struct elf_file *file,
			   const struct elf_section *section)
{
	_cleanup_free_ uint8_t *bytes = xmalloc(MOST_BEFORE + PIECE + LONGEST);

	for (uint64_t at = 0; at < section->size; at += PIECE) {
		uint64_t before = at < MOST_BEFORE ? at : MOST_BEFORE;
		uint64_t left = section->size - at;
		uint64_t size = before + (left < PIECE + LONGEST - 1 ? left : PIECE + LONGEST - 1);

		if (elf_file_read_at(file, section->offset + at - before, bytes, size, NULL) < 0)
			return;
		search_piece(search, bytes, before, size, section->address + at - before);
	}
}

size_t special_code_trampolines(const struct elf_file *file,
				struct special_trampoline ret_found[SPECIAL_CODE_TRAMPOLINES])
{
	struct search search = { .machine = elf_file_machine(file), .found = ret_found };
	const struct elf_section *section;

	for (size_t i = 0; (section = elf_file_code(file, i)); i++) {
		if (search.machine == EM_X86_64 || section->size <= MAX_VDSO_CODE)
			search_section(&search, file, section);
	}
	return search.count;
}

struct unwind_rule special_code_signal_rule(uint16_t machine)
{
	bool arm64 = machine == EM_AARCH64;

	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP_DEREF,
				     .cfa_offset = arm64 ? ARM64_SP : X86_RSP,
				     .ra = UNWIND_SAVED_SP,
				     .ra_offset = arm64 ? ARM64_PC : X86_RIP,
				     .fp = UNWIND_SAVED_SP,
				     .fp_offset = arm64 ? ARM64_FP : X86_RBP,
				     .flags = UNWIND_RULE_SIGNAL };
}

/* ---- Go's functions that change stacks ---- */

/* x86-64 instructions, as Go's assembler encodes them. */
enum { POP_RBP = 0x5d, WORD = 8 };

/* A function's code, and what is known of its frame. */
struct code {
	uint64_t address;
	const uint8_t *bytes;
	uint64_t size;
	bool pushes;	 /* pushes rbp first; otherwise rbp is stored in the room */
	uint32_t room;	 /* subtracted from the stack pointer, pushes not included */
	unsigned taking; /* length of the instruction that subtracts it; 0: pushes */
	uint64_t body;	 /* offset after the frame pointer is set */
	special_code_row row;
	void *context;
};

static bool has(const struct code *code, uint64_t at, const char *bytes, uint64_t count)
{
	return at <= code->size && code->size - at >= count &&
	       memcmp(code->bytes + at, bytes, count) == 0;
}

/* Reads an instruction that ends in a constant of one or four bytes. @small and @large are its two
 * encodings, of @count bytes each. Returns the instruction's length; 0: another instruction. */
static unsigned read_constant(const struct code *code, uint64_t at, const char *small,
			      const char *large, uint64_t count, uint32_t *ret_constant)
{
	if (has(code, at, small, count) && code->size - at > count) {
		*ret_constant = code->bytes[at + count];
		return *ret_constant < 0x80 ? (unsigned)count + 1 : 0;
	}
	if (!has(code, at, large, count) || code->size - at < count + sizeof(*ret_constant))
		return 0;
	memcpy(ret_constant, code->bytes + at + count, sizeof(*ret_constant));
	return (unsigned)(count + sizeof(*ret_constant));
}

/* sub $room,%rsp; mov %rbp,room-8(%rsp); lea room-8(%rsp),%rbp: before Go 1.21. */
static bool read_older_start(struct code *code)
{
	uint32_t saved = 0, set = 0;
	unsigned sub, mov, lea;

	code->taking = sub = read_constant(code, 0, "\x48\x83\xec", "\x48\x81\xec", 3, &code->room);
	mov = sub ? read_constant(code, sub, "\x48\x89\x6c\x24", "\x48\x89\xac\x24", 4, &saved) : 0;
	lea = mov ? read_constant(code, sub + mov, "\x48\x8d\x6c\x24", "\x48\x8d\xac\x24", 4, &set)
		  : 0;
	code->body = sub + mov + lea;
	return lea && saved == set && code->room >= WORD && saved == code->room - WORD;
}

/* push %rbp; mov %rsp,%rbp */
static bool read_start(struct code *code)
{
	static const char start[] = "\x55\x48\x89\xe5";

	code->pushes = has(code, 0, start, sizeof(start) - 1);
	code->body = sizeof(start) - 1;
	return code->pushes || read_older_start(code);
}

/* Recognises the end of a function at @at: the frame pointer is restored and the room released.
 * *ret_restored: from here on rbp is the caller's; *ret_ret: the return. */
static bool read_end(const struct code *code, uint64_t at, uint64_t *ret_restored,
		     uint64_t *ret_ret)
{
	uint32_t room = 0, saved = 0;
	unsigned size;

	if (code->pushes) {
		*ret_restored = *ret_ret = at + 1;
		return has(code, at, "\x5d\xc3", 2);
	}
	size = read_constant(code, at, "\x48\x8b\x6c\x24", "\x48\x8b\xac\x24", 4, &saved);
	*ret_restored = at + size;
	if (!size || saved != code->room - WORD)
		return false;
	size = read_constant(code, *ret_restored, "\x48\x83\xc4", "\x48\x81\xc4", 3, &room);
	*ret_ret = *ret_restored + size;
	return size && room == code->room && has(code, *ret_ret, "\xc3", 1);
}

/* True if the bytes at @at may be an instruction that sets rbp. The code is not decoded: bytes that
 * only look like one make the function lose its caller, nothing else. */
static bool sets_rbp(const struct code *code, uint64_t at)
{
	enum { FIELD_REG = 0x38, REG_RBP = 0x28, FIELD_RM = 0xc7, RM_RBP = 0xc5 };
	uint8_t byte = code->bytes[at], next, third;

	if (byte == POP_RBP || has(code, at, "\x31\xed", 2) || has(code, at, "\x33\xed", 2))
		return true;
	if (code->size - at < 3)
		return false;
	next = code->bytes[at + 1];
	third = code->bytes[at + 2];
	if ((byte == 0x48 || byte == 0x4c) && (next == 0x89 || next == 0xc7))
		return (third & FIELD_RM) == RM_RBP;
	return (byte == 0x48 || byte == 0x49) && (next == 0x8b || next == 0x8d) &&
	       (third & FIELD_REG) == REG_RBP;
}

static bool keeps_rbp(const struct code *code)
{
	uint64_t at = code->body, restored, ret;

	while (at < code->size) {
		if (read_end(code, at, &restored, &ret))
			at = ret + 1;
		else if (sets_rbp(code, at))
			return false;
		else
			at++;
	}
	return true;
}

static void tell(const struct code *code, uint64_t at, struct unwind_rule rule)
{
	rule.flags = UNWIND_RULE_SWITCH;
	rule.bx_offset = UNWIND_BX_LOST;
	code->row(code->context, code->address + at, &rule);
}

/* The return address is at the stack pointer + @offset - 8. */
static struct unwind_rule by_sp(uint32_t offset)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
				     .cfa_offset = (int32_t)offset,
				     .ra = UNWIND_SAVED_CFA,
				     .ra_offset = -WORD,
				     .fp = UNWIND_SAVED_SAME };
}

static struct unwind_rule by_frame(void)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_FP,
				     .cfa_offset = 2 * WORD,
				     .ra = UNWIND_SAVED_CFA,
				     .ra_offset = -WORD,
				     .fp = UNWIND_SAVED_CFA,
				     .fp_offset = -2 * WORD };
}

static struct unwind_rule outermost(void)
{
	return (struct unwind_rule){ .cfa = UNWIND_CFA_SP,
				     .ra = UNWIND_SAVED_UNDEFINED,
				     .fp = UNWIND_SAVED_UNDEFINED };
}

static void tell_start(const struct code *code)
{
	struct unwind_rule pushed = by_sp(2 * WORD);

	tell(code, 0, by_sp(WORD));
	if (code->pushes) {
		pushed.fp = UNWIND_SAVED_CFA;
		pushed.fp_offset = -2 * WORD;
		tell(code, 1, pushed);
	} else {
		tell(code, code->taking, by_sp(code->room + WORD));
	}
	tell(code, code->body, by_frame());
}

static void tell_frame(const struct code *code)
{
	uint64_t at = code->body, restored, ret;

	tell_start(code);
	while (at < code->size) {
		if (!read_end(code, at, &restored, &ret)) {
			at++;
			continue;
		}
		if (restored < ret)
			tell(code, restored, by_sp(code->room + WORD));
		tell(code, ret, by_sp(WORD));
		at = ret + 1;
		if (at < code->size)
			tell(code, at, by_frame());
	}
}

/* ---- Go's ways to the thread's stack ---- */

/* In functions of these kinds the stack pointer is the caller's stack until the first instruction
 * that sets it, and again from the last one on. The frame has the caller's rbp or not. */

enum { RDX = 1, RSP_LOW = 0x24, SMALL = 0x80 };

static uint32_t frame_bytes(const struct code *code)
{
	return code->pushes ? 2 * WORD : WORD;
}

/* A rule whose base is what the stack pointer was or will be when the caller's stack is left. */
static struct unwind_rule by_left(const struct code *code, uint8_t cfa)
{
	struct unwind_rule rule = by_sp(frame_bytes(code));

	rule.cfa = cfa;
	if (code->pushes) {
		rule.fp = UNWIND_SAVED_CFA;
		rule.fp_offset = -2 * WORD;
	}
	return rule;
}

/* The offset after the first instruction from @at on that sets the stack pointer, from a register
 * or from memory; 0: none. */
static uint64_t after_setting_sp(const struct code *code, uint64_t at)
{
	enum { STORE = 0x89, LOAD = 0x8b, REX_W = 0x48, REX_W_BASE = 0x49, REX_W_REG = 0x4c };

	for (; at < code->size && code->size - at > 3; at++) {
		const uint8_t *bytes = code->bytes + at;

		if (bytes[1] == STORE && (bytes[0] == REX_W || bytes[0] == REX_W_REG) &&
		    (bytes[2] & 0xc7) == 0xc4)
			return at + 3;
		if (bytes[1] == LOAD && (bytes[0] == REX_W || bytes[0] == REX_W_BASE) &&
		    (bytes[2] & 0xf8) == 0x60 && bytes[2] != 0x64)
			return at + 4;
	}
	return 0;
}

/* Reads an instruction with a word of the stack, "OP reg,offset(%rsp)" or the reverse. @start: its
 * bytes up to the one that has the register, as if the offset were zero. Returns its length. */
static unsigned read_slot(const struct code *code, uint64_t at, const char start[3],
			  uint16_t *ret_offset)
{
	enum { OFFSET_8 = 0x40 };
	char longer[4] = { start[0], start[1], (char)(start[2] | OFFSET_8), RSP_LOW };
	char shorter[4] = { start[0], start[1], start[2], RSP_LOW };

	*ret_offset = 0;
	if (has(code, at, shorter, sizeof(shorter)))
		return sizeof(shorter);
	if (!has(code, at, longer, sizeof(longer)) || code->size - at < sizeof(longer) + 1)
		return 0;
	*ret_offset = code->bytes[at + sizeof(longer)];
	return *ret_offset < SMALL ? sizeof(longer) + 1 : 0;
}

/* The offset after the first such instruction from @at on; 0: none. */
static uint64_t find_slot(const struct code *code, uint64_t at, const char start[3],
			  uint16_t *ret_offset)
{
	for (; at < code->size; at++) {
		unsigned size = read_slot(code, at, start, ret_offset);

		if (size)
			return at + size;
	}
	return 0;
}

/* The rules from @at to @end, where the caller's stack is in use. */
static void tell_own(const struct code *code, uint64_t at, uint64_t end)
{
	static const char *const ends[] = { "\x5d\xc3", "\x5d\xff\xe7" }; /* ret, jmp *%rdi */

	if (at == 0 && code->pushes) {
		tell_start(code);
		at = code->body;
	} else {
		tell(code, at, code->pushes ? by_frame() : by_sp(WORD));
	}
	for (; code->pushes && at < end; at++) {
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			uint64_t size = strlen(ends[i]);

			if (!has(code, at, ends[i], size))
				continue;
			tell(code, at + 1, by_sp(WORD));
			if (at + size < end)
				tell(code, at + size, by_frame());
		}
	}
}

/* Reads "g = %rax" and where g is: in the instruction, or in rcx, which was set before @before. */
static unsigned read_store_of_g(const struct code *code, uint64_t at, uint64_t before,
				int32_t *ret_g)
{
	enum { SET_RCX = 7, LOAD_G = 4 };

	if (has(code, at, "\x64\x48\x89\x04\x25", 5) && code->size - at >= 9) {
		memcpy(ret_g, code->bytes + at + 5, sizeof(*ret_g));
		return 9;
	}
	if (before < SET_RCX + LOAD_G || !has(code, at, "\x64\x48\x89\x01", 4) ||
	    !has(code, before - LOAD_G, "\x64\x48\x8b\x01", 4) ||
	    !has(code, before - LOAD_G - SET_RCX, "\x48\xc7\xc1", 3))
		return 0;
	memcpy(ret_g, code->bytes + before - LOAD_G - SET_RCX + 3, sizeof(*ret_g));
	return 4;
}

/* mov M(%rax),%rbx; mov CURG(%rbx),%rax; g = %rax; mov SAVED(%rax),%rsp */
static bool read_path(const struct code *code, uint64_t at, struct special_go_path *path)
{
	enum { M = 3, CURG = 7, STORE = 11, LOAD = 4 };
	uint32_t curg;
	unsigned store;

	if (!has(code, at, "\x48\x8b\x58", 3) || !has(code, at + 4, "\x48\x8b\x83", 3) ||
	    code->size - at < STORE)
		return false;
	memcpy(&curg, code->bytes + at + CURG, sizeof(curg));
	store = read_store_of_g(code, at + STORE, at, &path->g);
	if (!store || !has(code, at + STORE + store, "\x48\x8b\x60", 3) ||
	    code->size - at < STORE + store + LOAD || curg > UINT16_MAX)
		return false;
	path->m = code->bytes[at + M];
	path->curg = (uint16_t)curg;
	path->saved = code->bytes[at + STORE + store + 3];
	path->known = path->m < SMALL && path->saved < SMALL;
	return path->known;
}

bool special_code_go_path(const uint8_t *bytes, uint64_t size, struct special_go_path *ret_path)
{
	const struct code code = { .bytes = bytes, .size = size };
	struct special_go_path path = { .known = false };

	for (uint64_t at = 0; at < size; at++) {
		if (read_path(&code, at, &path)) {
			*ret_path = path;
			return true;
		}
	}
	return false;
}

static struct unwind_rule by_path(const struct code *code, const struct special_go_path *path,
				  uint8_t cfa)
{
	struct unwind_rule rule = by_left(code, cfa);

	rule.cfa_offset = path->g;
	rule.reg = path->m;
	rule.add = path->curg;
	rule.more = path->saved;
	return rule;
}

static bool tell_system_stack(const struct code *code, const struct special_go_path *path)
{
	uint64_t there = after_setting_sp(code, 0);
	uint64_t back = there ? after_setting_sp(code, there) : 0;

	if (!path->known || !back)
		return false;
	tell_own(code, 0, there);
	tell(code, there, by_path(code, path, UNWIND_CFA_GO_SAVED));
	tell_own(code, back, code->size);
	return true;
}

/* Where morestack saves rbp in the goroutine: mov %rbp,PLACE(REG). 0: not found. */
static uint8_t place_of_rbp(const struct code *code, uint64_t end)
{
	enum { FIELDS = 0xf8, RBP_TO_SMALL = 0x68, TO_SIB = 0x6c, LENGTH = 4 };

	for (uint64_t at = 0; at + LENGTH <= end; at++) {
		const uint8_t *bytes = code->bytes + at;

		if (has(code, at, "\x48\x89", 2) && (bytes[2] & FIELDS) == RBP_TO_SMALL &&
		    bytes[2] != TO_SIB && bytes[3] < SMALL)
			return bytes[3];
	}
	return 0;
}

static bool tell_more_stack(const struct code *code, const struct special_go_path *path)
{
	struct unwind_rule rule = by_path(code, path, UNWIND_CFA_GO_RESUMED);
	uint64_t there = after_setting_sp(code, 0);

	if (!path->known || !there || code->pushes)
		return false;
	rule.fp_offset = place_of_rbp(code, there);
	rule.fp = rule.fp_offset ? UNWIND_SAVED_CFA : UNWIND_SAVED_UNDEFINED;
	tell_own(code, 0, there);
	tell(code, there, rule);
	return true;
}

static bool tell_for_good(const struct code *code)
{
	uint64_t there = after_setting_sp(code, 0);

	if (!there)
		return false;
	tell_own(code, 0, there);
	tell(code, there, outermost());
	return true;
}

/* Where a call of C code keeps the way back. */
struct cgo_call {
	uint64_t there, saved, back; /* offsets in the code: on the thread's stack; the way is
					       saved; on the goroutine's again */
	uint16_t g, depth;	     /* in the frame */
	uint16_t stack_hi;	     /* in g */
	uint64_t stays, stays_saved, leaves; /* the same if the caller is on the thread's stack */
	uint16_t sp;			     /* saved in the frame */
};

/* mov G(%rsp),%rdi; mov STACK_HI(%rdi),%rsi; sub DEPTH(%rsp),%rsi */
static bool read_way_back(const struct code *code, uint64_t at, struct cgo_call *call)
{
	enum { LOAD = 4 };
	unsigned size = read_slot(code, at, "\x48\x8b\x3c", &call->g);

	if (!size || !has(code, at + size, "\x48\x8b\x77", 3) || code->size - at < size + LOAD)
		return false;
	call->stack_hi = code->bytes[at + size + 3];
	return call->stack_hi < SMALL &&
	       read_slot(code, at + size + LOAD, "\x48\x2b\x34", &call->depth);
}

static bool read_cgo_call(const struct code *code, struct cgo_call *call)
{
	uint64_t at = call->there = after_setting_sp(code, 0);
	uint16_t offset = 0;

	while (at && at < code->size && !read_way_back(code, at, call))
		at++;
	if (!at || at >= code->size)
		return false;
	call->back = after_setting_sp(code, at);
	call->saved = call->there; /* mov %rdi,DEPTH(%rsp) */
	do {
		call->saved = find_slot(code, call->saved, "\x48\x89\x3c", &offset);
	} while (call->saved && offset != call->depth);
	/* mov %rdx,SP(%rsp) */
	call->stays_saved = call->back ? find_slot(code, call->back, "\x48\x89\x14", &call->sp) : 0;
	call->leaves = call->stays_saved ? after_setting_sp(code, call->stays_saved) : 0;
	for (at = call->back; at < call->stays_saved && !has(code, at, "\x48\x83\xec", 3);)
		at++;
	call->stays = at;
	return call->leaves && call->saved && call->saved <= call->back &&
	       call->stays < call->stays_saved;
}

static bool tell_cgo_call(const struct code *code)
{
	struct unwind_rule left = by_left(code, UNWIND_CFA_REGISTER);
	struct unwind_rule depth = by_left(code, UNWIND_CFA_GO_DEPTH);
	struct unwind_rule saved = by_left(code, UNWIND_CFA_SP_DEREF);
	struct cgo_call call = { .there = 0 };

	if (!read_cgo_call(code, &call))
		return false;
	left.reg = RDX;
	depth.cfa_offset = call.g;
	depth.add = call.stack_hi;
	depth.reg = call.depth;
	saved.add = (uint16_t)saved.cfa_offset;
	saved.cfa_offset = call.sp;
	tell_own(code, 0, call.there);
	tell(code, call.there, left);
	tell(code, call.saved, depth);
	tell_own(code, call.back, call.stays);
	tell(code, call.stays, left);
	tell(code, call.stays_saved, saved);
	tell_own(code, call.leaves, code->size);
	return true;
}

const char *special_code_switch_name(size_t index, enum special_switch *ret_kind)
{
	static const struct {
		const char *name;
		enum special_switch kind;
	} names[] = {
		{ "runtime.systemstack", SPECIAL_SWITCH_SYSTEM_STACK },
		{ "runtime.morestack", SPECIAL_SWITCH_MORE_STACK },
		{ "runtime.asmcgocall", SPECIAL_SWITCH_CGO_CALL },
		{ "runtime.mcall", SPECIAL_SWITCH_FOR_GOOD },
		{ "runtime.clone", SPECIAL_SWITCH_FOR_GOOD },
		{ "runtime.mstart", SPECIAL_SWITCH_START },
	};

	if (index >= sizeof(names) / sizeof(names[0]))
		return NULL;
	*ret_kind = names[index].kind;
	return names[index].name;
}

/* False, with no rule: a function of another kind, or unknown code. */
static bool tell_switch(const struct special_function *function, struct code *code)
{
	/* the frame pointer is stored in the room: no such function has any */
	if (read_start(code) && !code->pushes)
		return false;
	switch (function->kind) {
	case SPECIAL_SWITCH_SYSTEM_STACK:
		return tell_system_stack(code, function->path);
	case SPECIAL_SWITCH_MORE_STACK:
		return tell_more_stack(code, function->path);
	case SPECIAL_SWITCH_CGO_CALL:
		return tell_cgo_call(code);
	case SPECIAL_SWITCH_FOR_GOOD:
		return tell_for_good(code);
	default:
		return false;
	}
}

void special_code_switch(const struct special_function *function, special_code_row row,
			 void *context)
{
	struct code code = { .address = function->address,
			     .bytes = function->code,
			     .size = function->size,
			     .row = row,
			     .context = context };

	if (function->machine == EM_X86_64 && tell_switch(function, &code))
		return;
	if (function->kind == SPECIAL_SWITCH_START)
		tell(&code, 0, outermost());
	else if (function->machine == EM_X86_64 && read_start(&code) &&
		 code.room <= INT32_MAX - 2 * WORD && keeps_rbp(&code))
		tell_frame(&code);
	else
		tell(&code, 0,
		     (struct unwind_rule){ .cfa = UNWIND_CFA_SWITCHED,
					   .ra = UNWIND_SAVED_SAME,
					   .fp = UNWIND_SAVED_UNDEFINED });
}
