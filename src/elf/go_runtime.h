/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find the goroutine that runs in a thread of a Go program: where the address of its g is,
 * and where in g its number and the top of its stack are.
 *
 * A g stays where it is while its goroutine lives, is used again by a later goroutine (the number
 * tells them apart), and every thread has one more for its own stack (g0, number 0). A stack is
 * copied when it grows, so what identifies a frame is its distance from the top: stack_hi minus the
 * stack pointer.
 *
 * Sources: go:src/cmd/compile/abi-internal.md (registers), go:src/runtime/runtime2.go (struct g),
 * go:src/cmd/link/internal/ld/sym.go and go:src/runtime/tls_amd64.s (thread-local storage),
 * go:src/debug/buildinfo/buildinfo.go (version). What they leave open is not guessed.
 */
#ifndef ELF_GO_RUNTIME_H
#define ELF_GO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"

enum go_g_register {
	GO_G_REGISTER_NONE,
	/* x86-64 since Go 1.17, in functions of Go's own calling convention (ABIInternal). Those
	 * in assembly (ABI0, GO_FUNCTION_ASSEMBLY) may have anything in it. */
	GO_G_R14,
	GO_G_X28, /* arm64, in all Go code */
};

struct go_runtime {
	uint16_t machine; /* EM_ */
	uint16_t minor;	  /* of Go 1.minor; 0: not known */
	enum go_g_register g_register;
	/* x86-64: g is also in memory, at the thread pointer (FS base) plus g_tls. Unlike the
	 * register this is right in all functions. */
	bool has_g_tls;
	int64_t g_tls;
	/* Offsets in g; the number has 64 bits. Not known where has_... is false. */
	bool has_stack_hi, has_goid;
	uint32_t stack_hi, goid;
};

/* The file's sections have been read. The offsets are those of the Go release that made the
 * program; dwarf/go_layout.h knows them better where there is debug information. False: this is no
 * Go program. */
bool go_runtime_read(const struct elf_file *file, struct go_runtime *ret_runtime);

#endif
