/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find the goroutine that runs in a thread of a Go program: where the address of its g is,
 * and where in g the goroutine's number and the top of its stack are.
 *
 * A g does not move while its goroutine lives. Later goroutines reuse it; the number tells them
 * apart. Every thread has another g for its own stack (g0, number 0). A stack is copied when it
 * grows, so a frame is identified by its distance from the top: stack_hi minus the stack pointer.
 *
 * Sources: go:src/cmd/compile/abi-internal.md (registers), go:src/runtime/runtime2.go (struct g),
 * go:src/cmd/link/internal/ld/sym.go and go:src/runtime/tls_amd64.s (thread-local storage),
 * go:src/debug/buildinfo/buildinfo.go (version). Nothing is guessed where they are silent.
 */
#ifndef ELF_GO_RUNTIME_H
#define ELF_GO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"

enum go_g_register {
	GO_G_REGISTER_NONE,
	/* x86-64 since Go 1.17, in functions with Go's own calling convention (ABIInternal). In
	 * assembly functions (ABI0, GO_FUNCTION_ASSEMBLY) the register may hold anything. */
	GO_G_R14,
	GO_G_X28, /* arm64, in all Go code */
};

struct go_runtime {
	uint16_t machine; /* EM_ */
	uint16_t minor;	  /* Go 1.minor; 0: unknown */
	enum go_g_register g_register;
	/* x86-64: g is also in memory, at the thread pointer (FS base) plus g_tls. Unlike the
	 * register, this holds in all functions. */
	bool has_g_tls;
	int64_t g_tls;
	/* Offsets in g; goid has 64 bits. Unknown where has_... is false. */
	bool has_stack_hi, has_goid;
	uint32_t stack_hi, goid;
};

/* The file's sections must have been read. The offsets are those of the Go release that built the
 * program; dwarf/go_layout.h has more reliable ones if there is debug information. False: not a Go
 * program. */
bool go_runtime_read(const struct elf_file *file, struct go_runtime *ret_runtime);

#endif
