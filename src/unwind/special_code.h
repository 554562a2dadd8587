/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code whose frame descriptions are missing or wrong.
 *
 * Signal handlers return to a trampoline that calls rt_sigreturn. In arm64's vdso it has no frame
 * description since Linux 5.8: the kernel expects unwinders to recognise its instructions. On x86-64
 * it belongs to the C library (musl has no description of it) or to the program.
 *
 * Go's assembler marks functions that set the stack pointer in a way its frame descriptions cannot
 * express (go:src/cmd/internal/obj/x86/obj6.go, "SPWRITE"). Their descriptions are wrong once the
 * stack was changed; Go's own walk does not use them.
 */
#ifndef UNWIND_SPECIAL_CODE_H
#define UNWIND_SPECIAL_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_rows.h"
#include "elf/elf_file.h"

enum { SPECIAL_CODE_TRAMPOLINES = 64 }; /* more than a file has */

/* A trampoline: up to its system call, and one byte after it unless another function may begin
 * there. */
struct special_trampoline {
	uint64_t start, end;
	/* What is before it, where the handler's return address is looked up. */
	enum special_before {
		SPECIAL_BEFORE_OTHER,  /* nothing that is executed */
		SPECIAL_BEFORE_RETURN, /* x86-64: the return of another function */
		SPECIAL_BEFORE_CALL,   /* a call, whose return address would be the same */
	} before;
};

/* Finds the trampolines of a file, in ascending order. Returns their number. On arm64 only code of a
 * vdso's size is searched. */
size_t special_code_trampolines(const struct elf_file *file,
				struct special_trampoline ret_found[SPECIAL_CODE_TRAMPOLINES]);

/* The rule from a signal frame at sp to the interrupted code: the kernel's struct rt_sigframe,
 * asm/sigcontext.h and asm/ucontext.h. */
struct unwind_rule special_code_signal_rule(uint16_t machine);

/* Receives the rule in force from an address on, in ascending order of addresses. */
typedef void (*special_code_row)(void *context, uint64_t address, const struct unwind_rule *rule);

/* The functions by which Go's runtime goes from a goroutine's stack to its thread's. */
enum special_switch {
	SPECIAL_SWITCH_OTHER, /* any function that sets the stack pointer */
	SPECIAL_SWITCH_SYSTEM_STACK,
	SPECIAL_SWITCH_MORE_STACK,
	SPECIAL_SWITCH_CGO_CALL,
	SPECIAL_SWITCH_FOR_GOOD, /* nothing returns there */
	SPECIAL_SWITCH_START,	 /* a thread starts with it, on any machine */
};

/* The names that have a kind of their own, by index. NULL: no more. */
const char *special_code_switch_name(size_t index, enum special_switch *ret_kind);

/* How to find the goroutine of a thread that is on its own stack. */
struct special_go_path {
	bool known;
	int32_t g;		 /* where the thread has its g, from the thread pointer */
	uint16_t m, curg, saved; /* where g has its m, m its goroutine, a goroutine its saved sp */
};

/* Reads the path in the code of runtime.systemstack on x86-64, which takes it to return. It is the
 * same in all functions of the program. False: unknown code. */
bool special_code_go_path(const uint8_t *code, uint64_t size, struct special_go_path *ret_path);

/* A function that sets the stack pointer. */
struct special_function {
	uint16_t machine; /* EM_ */
	enum special_switch kind;
	const struct special_go_path *path;
	uint64_t address;
	const uint8_t *code;
	uint64_t size;
};

/* Passes on the rules of such a function. Where Go's runtime has saved the goroutine's stack, the
 * rules lead there. If another function sets up its frame pointer first and does not change it
 * while it runs, the frame pointer leads to the caller on any stack. Otherwise there is no way to
 * the caller (UNWIND_CFA_SWITCHED). All rules have UNWIND_RULE_SWITCH. */
void special_code_switch(const struct special_function *function, special_code_row row,
			 void *context);

#endif
