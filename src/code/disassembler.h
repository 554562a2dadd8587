/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, letter by letter as objdump -d --no-show-raw-insn prints them
 * after the address. They come from the files of images (a limited number of files is held open,
 * option -g) or from bytes of any origin, which is how the kernel's own code is shown.
 *
 * An address is an ELF virtual address, as in objdump; for bytes it is whatever the caller says.
 */
#ifndef CODE_DISASSEMBLER_H
#define CODE_DISASSEMBLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "code/code_decoder.h"
#include "code/code_listing.h"

struct disassembler;

/* Images held open by default. */
enum { DISASSEMBLER_IMAGES = 8 };

struct disassembler_options {
	size_t max_images; /* 0: DISASSEMBLER_IMAGES */
	bool intel;	   /* code of x86 in Intel's syntax: objdump -M intel */
	/* Opens the file of an image. Returns a descriptor, borrowed until the next call, or a
	 * negative errno with the reason in @err. The number is the caller's own (an index into
	 * profile.images). */
	int (*open_image)(void *context, uint32_t image, struct err *err);
	void *context;
};

/* Never fails: the decoder's library is loaded when first needed. */
struct disassembler *disassembler_new(const struct disassembler_options *options);
void disassembler_free(struct disassembler *disassembler); /* NULL is fine */
DEFINE_CLEANUP(struct disassembler *, disassembler_free);

/* Visits the instructions of an image's code that begin in [start, end), in order of address,
 * across labels. @start is the first byte of an instruction. Opens the image if it is not open, and
 * closes the least recently used one if there are too many.
 *
 * Besides instructions there are objdump's other lines: "..." for a run of zeroes, the characters
 * of an object that lies in the code, ".word 0x..." for literals of arm64; each has its length.
 * Names in operands are mangled. The function's own symbol version and demangling are up to the
 * caller.
 *
 * Returns 0 also if the visitor stopped. Errors: those of open_image; -ENOEXEC: not an ELF file;
 * -ENODATA: no code at that address; -EFBIG: more than 64 MiB; -ENOTSUP: no decoder for the
 * machine; -ENOENT: the library is not installed. */
int disassembler_function(struct disassembler *disassembler, uint32_t image, uint64_t start,
			  uint64_t end, code_visit visit, void *context, struct err *err);

/* Where to start decoding for an address inside a function: the label before it, or the beginning
 * of the section, as objdump does. Errors as above. */
int disassembler_start(struct disassembler *disassembler, uint32_t image, uint64_t address,
		       uint64_t *ret_start, struct err *err);

/* Code in memory. Everything is borrowed for the call. */
struct disassembler_bytes {
	struct code_machine machine;
	const uint8_t *bytes;
	size_t size;
	uint64_t start; /* address of bytes[0], the first byte of an instruction */
	uint64_t end;	/* of the lines: the last one begins before it; 0: of all bytes */
	/* Appends the name of the function that contains the address; *ret_start is where it
	 * begins. False: unknown. NULL: no names. */
	bool (*name)(void *context, uint64_t address, struct buf *name, uint64_t *ret_start);
	void *context;
};

/* Visits the instructions. An operand's address is printed as "1234 <name+0x4>", or as
 * "0x1234" without a name. Errors as above. */
int disassembler_bytes(struct disassembler *disassembler, const struct disassembler_bytes *code,
		       code_visit visit, void *context, struct err *err);

#endif
