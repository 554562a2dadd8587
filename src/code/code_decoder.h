/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one instruction to text with libopcodes, the library of objdump -d. The library is loaded
 * with the first decoder, not linked, which would cost every start of the program 3 ms and 5 MB.
 * Its interface has no stable version, so only the exact version of the build is used: the one for
 * all machines (libopcodes-*-multiarch.so) if installed, otherwise the host's own.
 */
#ifndef CODE_CODE_DECODER_H
#define CODE_CODE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"

struct code_decoder;

/* The machine of the instructions, as in the ELF header. */
struct code_machine {
	uint16_t machine; /* EM_X86_64, EM_386 or EM_AARCH64 */
	bool is_64;	  /* ELFCLASS64 */
};

/* The machine prospect was compiled for, which is also the kernel's. */
struct code_machine code_machine_host(void);

/* Bytes to decode. Everything is borrowed while the decoder uses it. */
struct code_stretch {
	const uint8_t *bytes;
	size_t size;
	uint64_t start; /* address of bytes[0]; no instruction reaches beyond the last byte */
	/* Appends an operand that is an address. */
	void (*print_address)(void *context, uint64_t address, struct buf *text);
	void *context;
};

/* Loads the library. -ENOENT: not installed; @err names the package. */
int code_decoder_new(struct code_decoder **ret_decoder, struct err *err);
void code_decoder_free(struct code_decoder *decoder); /* NULL is fine */
DEFINE_CLEANUP(struct code_decoder *, code_decoder_free);

/* Chooses Intel syntax or AT&T syntax for x86, from the next code_decoder_begin on. */
void code_decoder_write_intel(struct code_decoder *decoder, bool intel);

/* Switches to other bytes. -ENOTSUP: the library does not know the machine. */
int code_decoder_begin(struct code_decoder *decoder, const struct code_machine *machine,
		       const struct code_stretch *stretch, struct err *err);

/* Appends the text of the instruction at an address of the stretch. Returns its length in bytes (>
 * 0). -EIO: too few bytes for an instruction; the text says so. */
int code_decoder_next(struct code_decoder *decoder, uint64_t address, struct buf *text);

#endif
