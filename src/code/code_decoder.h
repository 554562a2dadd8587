/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction to text, by libopcodes, the library behind objdump -d. It is loaded when the
 * first decoder is made, not linked: it would cost every start of the program 3 ms and 5 MB. Its
 * interface has no stable version, so only the very version this was compiled for is taken: the one
 * for all machines (libopcodes-*-multiarch.so) where it is installed, else the host's own.
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

/* What kind of instructions: as the ELF header has it. */
struct code_machine {
	uint16_t machine; /* EM_X86_64, EM_386 or EM_AARCH64 */
	bool is_64;	  /* ELFCLASS64 */
};

/* The machine this program itself was compiled for: the kernel's. */
struct code_machine code_machine_host(void);

/* Bytes that are decoded in one go. Everything is borrowed while the decoder uses it. */
struct code_stretch {
	const uint8_t *bytes;
	size_t size;
	uint64_t start; /* address of bytes[0]; no instruction reaches beyond the last byte */
	/* Appends how an operand that is an address is printed. */
	void (*print_address)(void *context, uint64_t address, struct buf *text);
	void *context;
};

/* Loads the library. -ENOENT with a sentence that names the package when it is not there. */
int code_decoder_new(struct code_decoder **ret_decoder, struct err *err);
void code_decoder_free(struct code_decoder *decoder); /* NULL is fine */
DEFINE_CLEANUP(struct code_decoder *, code_decoder_free);

/* From the next code_decoder_begin on, code of x86 is written as Intel does and not as AT&T did. */
void code_decoder_write_intel(struct code_decoder *decoder, bool intel);

/* Turns to other bytes. -ENOTSUP: the library at hand does not know the machine. */
int code_decoder_begin(struct code_decoder *decoder, const struct code_machine *machine,
		       const struct code_stretch *stretch, struct err *err);

/* Appends the text of the instruction at an address of the stretch, and returns its length in bytes
 * (> 0); -EIO when the bytes there are too few to be one, the text then says so. */
int code_decoder_next(struct code_decoder *decoder, uint64_t address, struct buf *text);

#endif
