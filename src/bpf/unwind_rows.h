/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Tables that lead from a frame to its caller: .eh_frame compiled to rows of 4 bytes, read by the
 * kernel side and by user space. DWARF 5 section 6.4 defines the terms (CFA, rules).
 *
 * A table covers whole pages of 4 KiB of ELF virtual addresses. Each page starts with a row at its
 * offset 0, so a search never leaves the page: the row for an address is the last one whose offset
 * is not above the address's. pages[i] is the index of page i's first row; pages[page_count] is one
 * past the last row.
 */
#ifndef BPF_UNWIND_ROWS_H
#define BPF_UNWIND_ROWS_H

#include <linux/types.h>

enum {
	UNWIND_PAGE_BITS = 12,
	UNWIND_RULE_BITS = 20,
	UNWIND_MAX_RULES = 1 << UNWIND_RULE_BITS,
};

/* A row: offset in its page << UNWIND_RULE_BITS | index of its rule. */
#define UNWIND_ROW(offset, rule) ((__u32)(offset) << UNWIND_RULE_BITS | (__u32)(rule))
#define UNWIND_ROW_OFFSET(row)	 ((row) >> UNWIND_RULE_BITS)
#define UNWIND_ROW_RULE(row)	 ((row) & (UNWIND_MAX_RULES - 1))

/* The CFA, which is the caller's stack pointer. */
enum unwind_cfa {
	UNWIND_CFA_NONE,     /* no function here, or its rules cannot be expressed */
	UNWIND_CFA_SP,	     /* sp + offset */
	UNWIND_CFA_FP,	     /* fp + offset */
	UNWIND_CFA_REGISTER, /* register `reg` (DWARF number) + offset: in the innermost frame any,
				further out only rbx, the base in ld.so while it binds a symbol */
	UNWIND_CFA_PLT,	     /* x86-64: sp + 8 + ((pc & 15) >= offset ? 8 : 0), of lazy PLTs */
	UNWIND_CFA_FP_DEREF, /* *(fp + offset) + add: realigned stacks (DRAP) */
	UNWIND_CFA_SP_DEREF, /* *(sp + offset) + add: signal frames, OpenSSL's assembler */
	UNWIND_CFA_SWITCHED, /* the code switches stacks: the caller's is unknown */
	/* Go's runtime left another stack at an address S; the frame that is continued there has
	 * its return address at S, or its caller's rbp at S and the return address after it
	 * (UNWIND_SAVED_CFA of fp). go:src/runtime/asm_amd64.s */
	UNWIND_CFA_GO_DEPTH, /* S = *(*(sp + offset) + add) - *(sp + reg): asmcgocall saved g, whose
				stack ends at its `add`, and the distance from there */
	UNWIND_CFA_GO_SAVED, /* S = *(goroutine + more): systemstack. The thread's g is at `offset`
				from the thread pointer, the goroutine is *(*(g + reg) + add) */
	UNWIND_CFA_GO_RESUMED, /* morestack: its caller has no frame yet, only a return address at
				  the same S. Its pc is in the word after the saved sp, its rbp
				  at goroutine + fp_offset (UNWIND_SAVED_CFA of fp) */
};

/* Where the caller's value of a register is. */
enum unwind_saved {
	UNWIND_SAVED_SAME,	/* in the register: fp not touched, arm64's lr of a leaf */
	UNWIND_SAVED_CFA,	/* *(CFA + offset) */
	UNWIND_SAVED_SP,	/* *(sp + offset), sp of this frame: signal frames */
	UNWIND_SAVED_FP,	/* *(fp + offset), fp of this frame */
	UNWIND_SAVED_UNDEFINED, /* ra: outermost frame; fp: lost, outer frames may need it */
	UNWIND_SAVED_REGISTER,	/* of ra: in register `reg` of the innermost frame (vfork) */
	/* Of fp, Go on x86-64: *(CFA + offset), where fp points once the frame is set up. Until
	 * then, and after it was taken down, the caller's value is still in the register. */
	UNWIND_SAVED_LINK,	/* a compiled function's: set up when it calls another */
	UNWIND_SAVED_MAYBE_LINK /* of assembly, which may have no such frame at all */
};

enum {
	/* flags: the caller was interrupted, so its pc is exact. On arm64 ra is then the pc, and
	 * the caller's lr is in the word 16 bytes below it (struct sigcontext: regs[30], sp, pc).
	 */
	UNWIND_RULE_SIGNAL = 1,
	/* flags: the caller's stack may be at any other address */
	UNWIND_RULE_SWITCH = 2,
	/* flags: a signal handler made the interrupted code call this, so the caller's pc is exact.
	 * On arm64 the handler saved the caller's lr in 16 bytes at the CFA. */
	UNWIND_RULE_INJECTED = 4,
	/* flags: the rule is that of return addresses, which lie one byte further. The byte itself
	 * is the return instruction of the function before. */
	UNWIND_RULE_AFTER_RETURN = 8,
	/* flags: Go's scheduler. The thread works for no goroutine now, or for one that none of the
	 * callers knows. Also with UNWIND_CFA_NONE. */
	UNWIND_RULE_SCHEDULER = 16,
};

struct unwind_rule {
	__u8 cfa; /* enum unwind_cfa */
	__u8 ra;  /* enum unwind_saved; arm64: of lr (x30) */
	__u8 fp;  /* enum unwind_saved: rbp, arm64 x29 */
	__u8 flags;
	__s32 cfa_offset;
	__s32 ra_offset;
	__s32 fp_offset;
	__u16 reg;	 /* DWARF number, of UNWIND_CFA_REGISTER or UNWIND_SAVED_REGISTER */
	__u16 add;	 /* of UNWIND_CFA_FP_DEREF and UNWIND_CFA_SP_DEREF */
	__s16 bx_offset; /* x86-64: the caller's rbx is at *(CFA + offset); 0: still in the register
			  */
	__u16 more;	 /* of UNWIND_CFA_GO_SAVED and UNWIND_CFA_GO_RESUMED */
};

/* For bx_offset: its place is unknown. */
enum { UNWIND_BX_LOST = -32768 };

_Static_assert(sizeof(struct unwind_rule) == 24, "the same on both sides, no padding");

/* One image's table. User space only. All arrays are borrowed. */
struct unwind_table {
	__u64 base; /* ELF virtual address of the first page; a multiple of 4 KiB */
	__u32 page_count;
	__u32 row_count;
	__u32 rule_count;   /* rule 0 is all zeroes: UNWIND_CFA_NONE */
	__u16 machine;	    /* EM_X86_64, EM_AARCH64 */
	const __u32 *pages; /* page_count + 1 */
	const __u32 *rows;
	const struct unwind_rule *rules;
};

#endif
