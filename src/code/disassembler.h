/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, letter by letter as objdump -d --no-show-raw-insn prints them
 * behind the address: from the files of images, of which a bounded number is held open (the option
 * -g), and from bytes of any origin, which is how the kernel's own code is shown.
 *
 * An address is an ELF virtual address, as objdump has it; for bytes it is what the caller says.
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

/* How many images are held open unless told otherwise: Prospect's default of -g. */
enum { DISASSEMBLER_IMAGES = 8 };

struct disassembler_options {
	size_t max_images; /* 0: DISASSEMBLER_IMAGES */
	bool intel;	   /* code of x86 in Intel's syntax: objdump -M intel */
	/* Opens the file of an image: a descriptor borrowed until the next call, or a negative
	 * errno with the reason in @err. The number is the caller's own (an index into
	 * profile.images). */
	int (*open_image)(void *context, uint32_t image, struct err *err);
	void *context;
};

/* Never fails: the decoder's library is loaded when it is first needed. */
struct disassembler *disassembler_new(const struct disassembler_options *options);
void disassembler_free(struct disassembler *disassembler); /* NULL is fine */
DEFINE_CLEANUP(struct disassembler *, disassembler_free);

/* Visits the instructions of an image's code that begin in [start, end), in order of address,
 * across labels. @start is an instruction's first byte. An image that is not held is opened, and
 * the one that was unused for longest is closed when there are too many.
 *
 * Beside instructions there are the other lines objdump has: "..." for a run of zeroes, the
 * characters of an object that lies in the code, ".word 0x..." for literals of arm64; each says its
 * length. The function's own symbol version and the demangling are the caller's business: operands
 * have mangled names.
 *
 * Returns 0 also when the visitor wanted no more. Errors: what open_image says; -ENOEXEC: no ELF
 * file; -ENODATA: no code at that address; -EFBIG: more than CODE_BYTES_MAX; -ENOTSUP: no decoder
 * for the machine; -ENOENT: the library is not installed. */
int disassembler_function(struct disassembler *disassembler, uint32_t image, uint64_t start,
			  uint64_t end, code_visit visit, void *context, struct err *err);

/* Where to start for an address in the midst of a function: the label before it, or the beginning
 * of the section, where objdump starts too. Errors as above. */
int disassembler_start(struct disassembler *disassembler, uint32_t image, uint64_t address,
		       uint64_t *ret_start, struct err *err);

/* Code that is in memory. Everything is borrowed for the call. */
struct disassembler_bytes {
	struct code_machine machine;
	const uint8_t *bytes;
	size_t size;
	uint64_t start; /* address of bytes[0], an instruction's first byte */
	/* Appends the name of the function that has the address, and says where that begins; false:
	 * none is known. NULL: no names are known. */
	bool (*name)(void *context, uint64_t address, struct buf *name, uint64_t *ret_start);
	void *context;
};

/* Visits the instructions of all bytes. The address of an operand is printed as "1234 <name+0x4>",
 * or as "0x1234" when it has no name. Errors as above. */
int disassembler_bytes(struct disassembler *disassembler, const struct disassembler_bytes *code,
		       code_visit visit, void *context, struct err *err);

/* How many images have been opened so far; one that was closed meanwhile counts again. */
size_t disassembler_opened(const struct disassembler *disassembler);

#endif
