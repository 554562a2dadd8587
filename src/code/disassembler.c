/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "code/code_labels.h"
#include "elf/elf_file.h"

enum {
	/* the longest instruction has 15 bytes; the first zeroes of a run identify it */
	BYTES_BEHIND_END = 64,
	MAX_CODE_BYTES = 64 << 20, /* no function is larger */
};

struct open_image {
	uint32_t image;
	uint64_t used; /* tick of the last use */
	int fd;
	struct elf_file *file;
	struct code_labels *labels;
};

struct disassembler {
	struct disassembler_options options;
	struct code_decoder *decoder; /* NULL: not loaded yet */
	VEC(struct open_image) images;
	uint64_t tick;
};

struct disassembler *disassembler_new(const struct disassembler_options *options)
{
	struct disassembler *disassembler = xcalloc(1, sizeof(*disassembler));

	disassembler->options = *options;
	if (disassembler->options.max_images == 0)
		disassembler->options.max_images = DISASSEMBLER_IMAGES;
	return disassembler;
}

static void close_image(struct open_image *image)
{
	code_labels_free(image->labels);
	elf_file_free(image->file);
	if (image->fd >= 0)
		close(image->fd);
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	for (size_t i = 0; i < disassembler->images.count; i++)
		close_image(&disassembler->images.items[i]);
	vec_free(&disassembler->images);
	code_decoder_free(disassembler->decoder);
	free(disassembler);
}

static int need_decoder(struct disassembler *disassembler, struct err *err)
{
	int rc;

	if (disassembler->decoder)
		return 0;
	rc = code_decoder_new(&disassembler->decoder, err);
	if (rc == 0)
		code_decoder_write_intel(disassembler->decoder, disassembler->options.intel);
	return rc;
}

/* Fills in an image whose fd is set. The caller closes it, also on error. */
static int read_image(struct open_image *image, struct err *err)
{
	int rc;

	if (image->fd < 0)
		return err_set(err, -errno, "cannot keep the file open: %m");
	rc = elf_file_open(image->fd, &image->file, err);
	if (rc == 0)
		rc = elf_file_read_sections(image->file, err);
	if (rc == 0)
		image->labels = code_labels_new(image->file);
	return rc;
}

/* A place for one more image: a new one, or that of the least recently used image. */
static struct open_image *make_room(struct disassembler *disassembler)
{
	struct open_image *oldest;

	if (disassembler->images.count < disassembler->options.max_images)
		return vec_push(&disassembler->images);
	oldest = &disassembler->images.items[0];
	for (size_t i = 1; i < disassembler->images.count; i++)
		if (disassembler->images.items[i].used < oldest->used)
			oldest = &disassembler->images.items[i];
	close_image(oldest);
	return oldest;
}

static int open_image(struct disassembler *disassembler, uint32_t number,
		      struct open_image **ret_image, struct err *err)
{
	struct open_image image = { .image = number }, *place;
	int rc = disassembler->options.open_image(disassembler->options.context, number, err);

	if (rc < 0)
		return rc;
	image.fd = fcntl(rc, F_DUPFD_CLOEXEC, 0);
	rc = read_image(&image, err);
	if (rc < 0) {
		close_image(&image);
		return rc;
	}
	place = make_room(disassembler);
	*place = image;
	*ret_image = place;
	return 0;
}

static int find_image(struct disassembler *disassembler, uint32_t number,
		      struct open_image **ret_image, struct err *err)
{
	int rc = 0;

	*ret_image = NULL;
	for (size_t i = 0; i < disassembler->images.count; i++)
		if (disassembler->images.items[i].image == number)
			*ret_image = &disassembler->images.items[i];
	if (!*ret_image)
		rc = open_image(disassembler, number, ret_image, err);
	if (rc == 0)
		(*ret_image)->used = ++disassembler->tick;
	return rc;
}

static bool holds(const struct elf_section *section, uint64_t address)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return (section->flags & code) == code && address >= section->address &&
	       address - section->address < section->size &&
	       section->address + section->size > section->address;
}

/* -ENODATA: the address is not in executable code. */
static int find_place(const struct elf_file *file, uint64_t address, struct code_section *ret_place,
		      struct err *err)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (!holds(section, address))
			continue;
		*ret_place = (struct code_section){ .section = i,
						    .start = section->address,
						    .stop = section->address + section->size };
		return 0;
	}
	return err_set(err, -ENODATA, "the file has no code at 0x%lx", address);
}

/* Reads [start, stop), a non-empty range of @place. The caller frees *ret_bytes. */
static int read_code(const struct elf_file *file, const struct code_section *place, uint64_t start,
		     uint64_t stop, uint8_t **ret_bytes, struct err *err)
{
	struct elf_section part = *elf_file_section(file, place->section);
	int rc = elf_file_check(file, &part, err);

	if (rc < 0)
		return rc;
	if (stop - start > MAX_CODE_BYTES)
		return err_set(err, -EFBIG, "a function of %lu bytes is too large to show",
			       stop - start);
	part.offset += start - part.address;
	part.size = stop - start;
	return elf_file_read(file, &part, ret_bytes, err);
}

/* One code section of an image, for the callbacks of a listing. */
struct image_code {
	const struct code_labels *labels;
	struct code_section place;
};

static void print_image_address(void *context, uint64_t address, struct buf *text)
{
	const struct image_code *code = context;

	code_labels_print(code->labels, &code->place, address, text);
}

static bool image_literal(void *context, uint64_t address, uint32_t *ret_size)
{
	const struct image_code *code = context;

	return code_labels_literal(code->labels, &code->place, address, ret_size);
}

/* Lists [start, end) of one region. 1: go on; 0: the visitor stopped. */
static int list_region(struct disassembler *disassembler, const struct open_image *image,
		       struct image_code *code, const struct code_region *region, uint64_t start,
		       uint64_t end, struct code_listing *listing, struct err *err)
{
	uint64_t bytes_end =
		region->stop - end > BYTES_BEHIND_END ? end + BYTES_BEHIND_END : region->stop;
	_cleanup_free_ uint8_t *bytes = NULL;
	int rc = read_code(image->file, &code->place, start, bytes_end, &bytes, err);

	if (rc < 0)
		return rc;
	listing->stretch = (struct code_stretch){ .bytes = bytes,
						  .size = bytes_end - start,
						  .start = start,
						  .print_address = print_image_address,
						  .context = code };
	listing->end = end;
	listing->data = region->data;
	return code_listing_run(disassembler->decoder, listing, err);
}

static int list_image(struct disassembler *disassembler, const struct open_image *image,
		      uint64_t start, uint64_t end, code_visit visit, void *context,
		      struct err *err)
{
	struct image_code code = { .labels = image->labels };
	struct code_listing listing = { .machine = { elf_file_machine(image->file),
						     elf_file_is_64(image->file) },
					.literal = image_literal,
					.context = &code,
					.visit = visit,
					.visit_context = context };
	int rc = find_place(image->file, start, &code.place, err);

	if (rc < 0)
		return rc;
	if (end > code.place.stop)
		end = code.place.stop;
	for (rc = 1; rc > 0 && start < end;) {
		struct code_region region = code_labels_region(image->labels, &code.place, start);
		uint64_t stop = region.stop < end ? region.stop : end;

		rc = list_region(disassembler, image, &code, &region, start, stop, &listing, err);
		start = stop;
	}
	return rc < 0 ? rc : 0;
}

int disassembler_function(struct disassembler *disassembler, uint32_t image, uint64_t start,
			  uint64_t end, code_visit visit, void *context, struct err *err)
{
	struct open_image *found = NULL;
	int rc = need_decoder(disassembler, err);

	if (rc == 0)
		rc = find_image(disassembler, image, &found, err);
	if (rc == 0)
		rc = list_image(disassembler, found, start, end, visit, context, err);
	return rc;
}

int disassembler_start(struct disassembler *disassembler, uint32_t image, uint64_t address,
		       uint64_t *ret_start, struct err *err)
{
	struct open_image *found = NULL;
	struct code_region region;
	struct code_section place;
	int rc = find_image(disassembler, image, &found, err);

	if (rc == 0)
		rc = find_place(found->file, address, &place, err);
	if (rc != 0)
		return rc;
	region = code_labels_region(found->labels, &place, address);
	*ret_start = region.start;
	return 0;
}

static void print_named_address(void *context, uint64_t address, struct buf *text)
{
	const struct disassembler_bytes *code = context;
	struct buf name = { 0 };
	uint64_t start = address;

	if (!code->name || !code->name(code->context, address, &name, &start)) {
		buf_printf(text, "0x%lx", address);
	} else {
		buf_printf(text, "%lx <", address);
		buf_add_str(text, buf_text(&name));
		if (start < address)
			buf_printf(text, "+0x%lx", address - start);
		buf_add_char(text, '>');
	}
	buf_done(&name);
}

int disassembler_bytes(struct disassembler *disassembler, const struct disassembler_bytes *code,
		       code_visit visit, void *context, struct err *err)
{
	struct disassembler_bytes copy = *code;
	struct code_listing listing = { .machine = code->machine,
					.stretch = { .bytes = code->bytes,
						     .size = code->size,
						     .start = code->start,
						     .print_address = print_named_address,
						     .context = &copy },
					.end = code->end ? code->end : code->start + code->size,
					.visit = visit,
					.visit_context = context };
	int rc = need_decoder(disassembler, err);

	if (rc < 0)
		return rc;
	rc = code_listing_run(disassembler->decoder, &listing, err);
	return rc < 0 ? rc : 0;
}
