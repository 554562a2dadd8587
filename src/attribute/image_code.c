/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/image_code.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "place/files/image_files.h"
#include "unwind/row_cache.h"

struct image_code {
	enum image_code_state state;
	struct row_table *rows;
	struct elf_segments segments; /* owned */
	struct image_entry entry;     /* ELF virtual addresses */
};

/* Code with no known rows: a walk ends there and does not guess. */
static const uint32_t no_pages[] = { 0 };
static const struct unwind_rule no_rules[] = { { .cfa = UNWIND_CFA_NONE } };
static const struct unwind_table no_rows = {
	.rule_count = 1, .pages = no_pages, .rows = no_pages, .rules = no_rules
};

struct image_codes {
	const struct profile *profile;
	struct image_files *files;
	struct row_cache *cache;
	VEC(struct image_code) images; /* by image, as far as needed */
};

struct image_codes *image_codes_new(const struct profile *profile, struct image_files *files,
				    const char *cache_folder)
{
	struct image_codes *codes = xcalloc(1, sizeof(*codes));

	codes->profile = profile;
	codes->files = files;
	codes->cache = row_cache_new(cache_folder);
	return codes;
}

void image_codes_set_pause(struct image_codes *codes, const struct pause *pause)
{
	row_cache_set_pause(codes->cache, pause);
}

void image_codes_free(struct image_codes *codes)
{
	if (!codes)
		return;
	for (size_t i = 0; i < codes->images.count; i++) {
		row_table_free(codes->images.items[i].rows);
		vec_free(&codes->images.items[i].segments.list);
	}
	vec_free(&codes->images);
	row_cache_free(codes->cache);
	free(codes);
}

enum image_code_state image_codes_state(const struct image_codes *codes, uint32_t image)
{
	return image < codes->images.count ? codes->images.items[image].state : IMAGE_CODE_UNREAD;
}

static void copy_segments(struct image_code *code, const struct elf_file *file)
{
	const struct elf_segments *segments = elf_file_segments(file);

	for (size_t i = 0; i < segments->list.count; i++)
		*vec_push(&code->segments.list) = segments->list.items[i];
}

/* The entry code reaches from the entry point to the first code that has rows. */
static void find_entry(struct image_code *code, uint64_t address)
{
	const struct unwind_table *table = code->rows ? row_table_rows(code->rows) : NULL;
	uint64_t end = address ? unwinder_entry_end(table, address) : 0;

	if (end)
		code->entry = (struct image_entry){ address, end };
}

/* The state that a result of row_cache means. */
static enum image_code_state state_of(int rc)
{
	if (rc == 0)
		return IMAGE_CODE_ROWS;
	return rc == -ENODATA ? IMAGE_CODE_JIT : IMAGE_CODE_NONE;
}

static enum image_code_state read_file(struct image_codes *codes, uint32_t image,
				       struct image_code *code)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	int fd = image_files_open(codes->files, image);
	enum image_code_state state;

	if (fd < 0 || elf_file_open(fd, &file, NULL) < 0)
		return IMAGE_CODE_NONE;
	copy_segments(code, file);
	state = state_of(row_cache_get(codes->cache, fd, &code->rows, NULL));
	find_entry(code, elf_file_entry(file));
	return state;
}

static enum image_code_state read_image(struct image_codes *codes, uint32_t image,
					struct image_code *code)
{
	switch (codes->profile->images.items[image].kind) {
	case IMAGE_FILE:
		return read_file(codes, image, code);
	case IMAGE_VDSO:
		return state_of(row_cache_get_vdso(codes->cache, &code->rows, NULL));
	case IMAGE_ANON:
		return IMAGE_CODE_JIT;
	default:
		return IMAGE_CODE_NONE;
	}
}

/* Reads an image's rows once. */
static enum image_code_state read_rows(struct image_codes *codes, uint32_t image)
{
	struct image_code *code;

	while (codes->images.count <= image)
		*vec_push(&codes->images) = (struct image_code){ 0 };
	code = &codes->images.items[image];
	if (code->state == IMAGE_CODE_UNREAD)
		code->state = read_image(codes, image, code);
	return code->state;
}

/* What to subtract from an address in memory to get the ELF virtual address. The vdso is mapped
 * from its first byte. */
static bool bias_of(const struct image_codes *codes, const struct mapping *mapping,
		    const struct image_code *code, uint64_t *ret_bias)
{
	const struct elf_placed placed = { .address = mapping->start,
					   .size = mapping->end - mapping->start,
					   .offset = mapping->offset };

	if (codes->profile->images.items[mapping->image].kind != IMAGE_VDSO)
		return elf_file_bias(&code->segments, &placed, ret_bias);
	*ret_bias = mapping->start;
	return true;
}

struct unwind_code image_codes_of(struct image_codes *codes, const struct mapping *mapping,
				  struct image_entry *ret_entry)
{
	enum image_code_state state = read_rows(codes, mapping->image);
	const struct image_code *code = &codes->images.items[mapping->image];
	struct unwind_code found = { .mapped = true };
	uint64_t start = code->entry.start;

	*ret_entry = (struct image_entry){ 0, 0 };
	if (state == IMAGE_CODE_ROWS)
		found.table = row_table_rows(code->rows);
	else if (state == IMAGE_CODE_NONE)
		found.table = &no_rows;
	if (!bias_of(codes, mapping, code, &found.bias))
		return found;
	if (start && start + found.bias >= mapping->start && start + found.bias < mapping->end)
		*ret_entry =
			(struct image_entry){ start + found.bias, code->entry.end + found.bias };
	return found;
}

struct unwind_code image_codes_at(struct image_codes *codes, const struct mapping *mapping,
				  uint64_t address)
{
	struct image_entry entry;
	struct unwind_code found = image_codes_of(codes, mapping, &entry);

	found.entry = address >= entry.start && address < entry.end;
	return found;
}

void image_codes_rest(const struct image_codes *codes, uint32_t image)
{
	if (image < codes->images.count && codes->images.items[image].rows)
		row_table_rest(codes->images.items[image].rows);
}
