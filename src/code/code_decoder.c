/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_decoder.h"

/* bfd.h requires PACKAGE to be defined */
#define PACKAGE "prospect"
#include <dis-asm.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/dynamic_library.h"
#include "base/xalloc.h"

/* Functions used from the library. */
#define LIBRARY_FUNCTIONS(X)           \
	X(disassembler)                \
	X(init_disassemble_info)       \
	X(disassemble_init_for_target) \
	X(disassemble_free_target)

struct library {
	LIBRARY_FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

struct code_decoder {
	struct library library;
	disassemble_info info;
	disassembler_ftype decode;
	bool intel;
	const struct code_stretch *stretch;
	struct buf *text; /* of the instruction being decoded */
};

/* The build finds the file names, see meson.build. */
static const char *const library_names[] = { OPCODES_LIBRARIES };

struct machine_row {
	struct code_machine elf;
	enum bfd_architecture arch;
	unsigned long mach;
	const char *name;
};

static const struct machine_row machines[] = {
	{ { EM_X86_64, true }, bfd_arch_i386, bfd_mach_x86_64, "x86-64" },
	{ { EM_X86_64, false }, bfd_arch_i386, bfd_mach_x64_32, "x32" },
	{ { EM_386, false }, bfd_arch_i386, bfd_mach_i386_i386, "i386" },
	{ { EM_AARCH64, true }, bfd_arch_aarch64, bfd_mach_aarch64, "arm64" },
};

struct code_machine code_machine_host(void)
{
#if defined(__x86_64__)
	return (struct code_machine){ EM_X86_64, true };
#elif defined(__aarch64__)
	return (struct code_machine){ EM_AARCH64, true };
#else
	return (struct code_machine){ EM_NONE, sizeof(void *) == 8 };
#endif
}

static const struct machine_row *find_machine(const struct code_machine *wanted)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf.machine == wanted->machine &&
		    machines[i].elf.is_64 == wanted->is_64)
			return &machines[i];
	return NULL;
}

static int load_library(struct library *library, struct err *err)
{
	static const char *const names[] = { LIBRARY_FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };
	struct err old = { "" };
	int rc = -ENOENT;

	for (size_t i = 0;
	     rc < 0 && !old.text[0] && i < sizeof(library_names) / sizeof(library_names[0]); i++)
		rc = dynamic_library_load(library_names[i], names, "", library, &old);
	if (old.text[0])
		return err_set(err, rc, "cannot show instructions: %s", old.text);
	if (rc < 0)
		return err_set(err, rc,
			       "cannot show instructions: %s is not installed (Debian packages "
			       "libbinutils, or binutils-multiarch for other machines' code too)",
			       library_names[0]);
	return 0;
}

int code_decoder_new(struct code_decoder **ret_decoder, struct err *err)
{
	_cleanup_(code_decoder_freep) struct code_decoder *decoder = xcalloc(1, sizeof(*decoder));
	int rc = load_library(&decoder->library, err);

	if (rc == 0)
		*ret_decoder = steal_ptr(decoder);
	return rc;
}

static void end_target(struct code_decoder *decoder)
{
	if (decoder->decode)
		decoder->library.disassemble_free_target(&decoder->info);
	decoder->decode = NULL;
}

void code_decoder_free(struct code_decoder *decoder)
{
	if (!decoder)
		return;
	end_target(decoder);
	free(decoder);
}

void code_decoder_write_intel(struct code_decoder *decoder, bool intel)
{
	decoder->intel = intel;
}

__attribute__((format(printf, 2, 0))) static int add_text(struct buf *buf, const char *format,
							  va_list arguments)
{
	char text[256];
	int length = vsnprintf(text, sizeof(text), format, arguments);

	/* The library prints in pieces: words, numbers or registers. */
	if (length > 0)
		buf_add(buf, text,
			(size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
	return length;
}

__attribute__((format(printf, 2, 3))) static int take_text(void *stream, const char *format, ...)
{
	struct code_decoder *decoder = stream;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = add_text(decoder->text, format, arguments);
	va_end(arguments);
	return length;
}

__attribute__((format(printf, 3, 4))) static int
take_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	struct code_decoder *decoder = stream;
	va_list arguments;
	int length;

	(void)style;
	va_start(arguments, format);
	length = add_text(decoder->text, format, arguments);
	va_end(arguments);
	return length;
}

static void take_address(bfd_vma address, struct disassemble_info *info)
{
	struct code_decoder *decoder = info->application_data;

	decoder->stretch->print_address(decoder->stretch->context, address, decoder->text);
}

int code_decoder_begin(struct code_decoder *decoder, const struct code_machine *machine,
		       const struct code_stretch *stretch, struct err *err)
{
	const struct machine_row *row = find_machine(machine);
	disassemble_info *info = &decoder->info;

	end_target(decoder);
	if (!row)
		return err_set(err, -ENOTSUP, "cannot show instructions of ELF machine %u",
			       machine->machine);
	decoder->library.init_disassemble_info(info, decoder, take_text, take_styled);
	info->application_data = decoder;
	info->print_address_func = take_address;
	info->flavour = bfd_target_elf_flavour;
	info->arch = row->arch;
	info->mach = row->mach;
	info->disassembler_options = decoder->intel && row->arch == bfd_arch_i386 ? "intel" : NULL;
	info->endian = info->endian_code = info->display_endian = BFD_ENDIAN_LITTLE;
	info->buffer = (bfd_byte *)(uintptr_t)stretch->bytes; /* only read */
	info->buffer_vma = stretch->start;
	info->buffer_length = stretch->size;
	decoder->stretch = stretch;
	decoder->decode = decoder->library.disassembler(row->arch, false, row->mach, NULL);
	if (!decoder->decode)
		return err_set(err, -ENOTSUP,
			       "cannot show instructions of %s: %s is not installed (Debian "
			       "package binutils-multiarch)",
			       row->name, library_names[0]);
	decoder->library.disassemble_init_for_target(info);
	return 0;
}

int code_decoder_next(struct code_decoder *decoder, uint64_t address, struct buf *text)
{
	disassemble_info *info = &decoder->info;
	int length;

	decoder->text = text;
	info->bytes_per_line = info->bytes_per_chunk = 0;
	info->flags = 0;
	info->insn_info_valid = 0;
	length = decoder->decode(address, info);
	return length > 0 ? length : -EIO;
}
