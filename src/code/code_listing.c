/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_listing.h"

#include <string.h>

#include "base/reader.h"

enum {
	ZEROES_SKIPPED = 8,	   /* this many or more are "..." */
	ZEROES_SKIPPED_AT_END = 3, /* fewer than this are "...", too, before the next label */
	OBJECT_LINE_BYTES = 16,
};

/* The current position of a listing. */
struct position {
	const struct code_listing *listing;
	struct code_decoder *decoder;
	uint64_t address;
	struct buf text;
};

static uint64_t bytes_end(const struct code_stretch *stretch)
{
	return stretch->start + stretch->size;
}

static const uint8_t *bytes_at(const struct position *position)
{
	const struct code_stretch *stretch = &position->listing->stretch;

	return stretch->bytes + (position->address - stretch->start);
}

static size_t bytes_left(const struct position *position)
{
	return bytes_end(&position->listing->stretch) - position->address;
}

/* The number of bytes that "..." stands for here; 0: no "...". */
static size_t zeroes(const struct position *position)
{
	const uint8_t *bytes = bytes_at(position);
	size_t left = bytes_left(position), count = 0;

	while (count < left && bytes[count] == 0)
		count++;
	if (count == left)
		return count >= ZEROES_SKIPPED || count < ZEROES_SKIPPED_AT_END ? count : 0;
	/* the next instruction may begin with zeroes */
	return count >= ZEROES_SKIPPED ? count / 4 * 4 : 0;
}

/* Printable characters as they are, others as dots. */
static size_t object_line(struct position *position)
{
	const uint8_t *bytes = bytes_at(position);
	size_t size = bytes_left(position);

	if (size > OBJECT_LINE_BYTES)
		size = OBJECT_LINE_BYTES;
	for (size_t i = 0; i < size; i++)
		buf_add_char(&position->text,
			     bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '.');
	return size;
}

static size_t literal_line(struct position *position, uint32_t size)
{
	struct reader reader = reader_make(bytes_at(position), bytes_left(position));

	if (size == 4)
		buf_printf(&position->text, ".word\t0x%08x", reader_u32(&reader));
	else if (size == 2)
		buf_printf(&position->text, ".short\t0x%04x", reader_u16(&reader));
	else
		buf_printf(&position->text, ".byte\t0x%02x", reader_u8(&reader));
	return size;
}

/* If too few bytes are left for an instruction, this is the last line. */
static size_t instruction_line(struct position *position)
{
	int length = code_decoder_next(position->decoder, position->address, &position->text);

	if (length > 0 && (size_t)length <= bytes_left(position))
		return (size_t)length;
	while (position->text.size > 0 && position->text.bytes[position->text.size - 1] == '\n')
		position->text.bytes[--position->text.size] = '\0';
	return bytes_left(position);
}

static size_t make_line(struct position *position)
{
	const struct code_listing *listing = position->listing;
	size_t skipped = zeroes(position);
	uint32_t size;

	buf_clear(&position->text);
	if (skipped > 0) {
		buf_add_str(&position->text, "...");
		return skipped;
	}
	if (listing->data)
		return object_line(position);
	if (listing->literal && listing->literal(listing->context, position->address, &size) &&
	    size <= bytes_left(position))
		return literal_line(position, size);
	return instruction_line(position);
}

int code_listing_run(struct code_decoder *decoder, const struct code_listing *listing,
		     struct err *err)
{
	struct position position = { .listing = listing,
				     .decoder = decoder,
				     .address = listing->stretch.start };
	int rc = code_decoder_begin(decoder, &listing->machine, &listing->stretch, err);
	bool more = true;

	if (rc < 0)
		return rc;
	while (more && position.address < listing->end &&
	       position.address < bytes_end(&listing->stretch)) {
		size_t length = make_line(&position);
		struct code_line line = { .address = position.address,
					  .length = (uint32_t)length,
					  .text = buf_text(&position.text) };

		more = listing->visit(listing->visit_context, &line);
		position.address += length;
	}
	buf_done(&position.text);
	return more;
}
