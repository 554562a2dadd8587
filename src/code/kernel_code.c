/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/kernel_code.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "place/files/recorded_files.h"
#include "place/kernel/kernel_symbols.h"
#include "place/kernel/kernel_text.h"

/* The longest instruction has 15 bytes: this many follow the first byte of the last one. */
enum { BYTES_BEHIND_START = 14 };

struct kernel_code {
	const struct profile *recorded; /* borrowed */
	struct profile *now;		/* images of the running kernel only */
	struct kernel_symbols *symbols; /* of the running kernel */
	struct kernel_text *text;
};

void kernel_code_free(struct kernel_code *code)
{
	if (!code)
		return;
	kernel_text_free(code->text);
	kernel_symbols_free(code->symbols);
	profile_free(code->now);
	free(code);
}

static bool same_build_id(const struct image *a, const struct image *b)
{
	return a->build_id_size && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* JIT code of the kernel has no build id; find_function checks it. */
static bool same_image(const struct kernel_code *code, const struct image *recorded,
		       const struct image *now)
{
	return recorded->kind == now->kind &&
	       strcmp(profile_text(code->recorded, recorded->path),
		      profile_text(code->now, now->path)) == 0 &&
	       (now->kind == IMAGE_BPF || same_build_id(recorded, now));
}

/* The same image in the running kernel; 0: none. */
static uint32_t find_image(const struct kernel_code *code, uint32_t recorded)
{
	const struct image *image = &code->recorded->images.items[recorded];

	for (size_t i = 1; i < code->now->images.count; i++) {
		if (same_image(code, image, &code->now->images.items[i]))
			return (uint32_t)i;
	}
	return 0;
}

static int check_kernel(const struct kernel_code *code, struct err *err)
{
	const char *release = code->recorded->run.kernel_release;
	uint32_t kernel = recorded_files_kernel(code->recorded);

	if (kernel && find_image(code, kernel))
		return 0;
	return err_set(err, -ESTALE,
		       "the recorded kernel (%s) is not the running one; give its vmlinux with -L",
		       release && *release ? release : "unknown");
}

int kernel_code_open(const struct profile *profile, struct kernel_code **ret_code, struct err *err)
{
	_cleanup_(kernel_code_freep) struct kernel_code *code = xcalloc(1, sizeof(*code));
	const struct kernel_symbols_options options = { 0 };
	int rc;

	code->recorded = profile;
	code->now = profile_new();
	rc = kernel_symbols_new(code->now, &options, &code->symbols, err);
	if (rc == 0)
		rc = check_kernel(code, err);
	if (rc == 0 && kernel_symbols_hidden(code->symbols))
		rc = err_set(err, -EACCES,
			     "the kernel's address is hidden: run as root, set "
			     "kernel.kptr_restrict to 0, or give its vmlinux with -L");
	if (rc == 0)
		rc = kernel_text_open(&code->text, err);
	if (rc == 0)
		*ret_code = steal_ptr(code);
	return rc;
}

static int no_place(const struct image *image, struct err *err)
{
	switch (image->kind) {
	case IMAGE_MODULE:
		return err_set(err, -ENOENT, "this build of the module is not loaded now");
	case IMAGE_BPF:
		return err_set(err, -ENOENT, "it was JIT code and no longer exists");
	default:
		return err_set(err, -ENOENT, "not in the running kernel");
	}
}

/* Where the function begins in the running kernel's image. JIT code is known to be the same only if
 * it is a BPF program, whose name contains its hash. */
static bool find_function(const struct kernel_code *code, const struct symbol *symbol, uint32_t now,
			  uint64_t *ret_offset)
{
	static const char hashed[] = "bpf_prog_";
	const char *name = profile_text(code->recorded, symbol->name);

	*ret_offset = symbol->start;
	if (code->now->images.items[now].kind != IMAGE_BPF)
		return true;
	return strncmp(name, hashed, sizeof(hashed) - 1) == 0 &&
	       kernel_symbols_find(code->symbols, now, name, symbol->size, ret_offset);
}

int kernel_code_shift(const struct kernel_code *code, const struct symbol *symbol,
		      uint64_t *ret_shift, struct err *err)
{
	const struct image *image = &code->recorded->images.items[symbol->image];
	uint32_t now = find_image(code, symbol->image);
	uint64_t offset, address;

	if (!now || !find_function(code, symbol, now, &offset) ||
	    !kernel_symbols_address(code->symbols, now, offset, &address))
		return no_place(image, err);
	*ret_shift = address - symbol->start;
	return 0;
}

bool kernel_code_changed(struct kernel_code *code, const struct kept_code *kept, uint64_t shift)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (!kept || !kept->size)
		return false;
	bytes = xmalloc(kept->size);
	return kernel_text_read(code->text, kept->address + shift, bytes, kept->size, NULL) == 0 &&
	       memcmp(bytes, kept->bytes, kept->size) != 0;
}

static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct kernel_code *code = context;
	struct symbol symbol;
	uint32_t image;
	uint64_t offset;

	kernel_symbols_place(code->symbols, address, &image, &offset);
	kernel_symbols_lookup(code->symbols, image, offset, &symbol);
	if (symbol.kind != SYMBOL_NAMED)
		return false;
	buf_add_str(name, profile_text(code->now, symbol.name));
	*ret_start = address - (offset - symbol.start);
	return true;
}

int kernel_code_list(struct kernel_code *code, struct disassembler *disassembler, uint64_t start,
		     uint64_t end, uint64_t limit, code_visit visit, void *context, struct err *err)
{
	uint64_t stop =
		limit && limit < end + BYTES_BEHIND_START ? limit : end + BYTES_BEHIND_START;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct disassembler_bytes stretch = { .machine = code_machine_host(),
					      .start = start,
					      .end = end,
					      .name = name_address,
					      .context = code };
	int rc;

	if (stop <= start || stop - start > KERNEL_TEXT_MAX)
		return err_set(err, -EFBIG, "the function is too large");
	stretch.size = stop - start;
	stretch.bytes = bytes = xmalloc(stretch.size);
	rc = kernel_text_read(code->text, start, bytes, stretch.size, NULL);
	if (rc < 0)
		return err_set(err, rc, "it cannot be read now");
	return disassembler_bytes(disassembler, &stretch, visit, context, err);
}
