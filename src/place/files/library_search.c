/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/library_search.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/reader.h"
#include "base/xalloc.h"
#include "foreign/door.h"

/* Limits for a cache file; a few hundred KB are usual. */
enum { MOST_CACHE_BYTES = 64 << 20, MOST_LIBRARIES = 1 << 20 };

/* dl-cache.h of glibc: "glibc-ld.so.cache1.1", which may follow an older part that begins with
 * "ld.so-1.7.0". Offsets of texts count from this magic. */
static const char magic[] = "glibc-ld.so.cache1.1";

enum {
	OFFSET_COUNT = 20, /* after the magic: entries, bytes of texts, flags, 3 words, 3 unused */
	HEAD_BYTES = 48,
	ENTRY_BYTES = 24, /* flags, name, path, OS version, hardware */
	FLAG_TYPE_MASK = 0xff,
	TYPE_ELF_LIBC6 = 3,
	FLAG_REQUIRED_MASK = 0xff00,
	REQUIRED_X8664 = 0x0300,
	REQUIRED_AARCH64 = 0x0a00,
};

static bool is_ours(uint32_t flags)
{
	uint32_t required = flags & FLAG_REQUIRED_MASK;

	if ((flags & FLAG_TYPE_MASK) != TYPE_ELF_LIBC6 && (flags & FLAG_TYPE_MASK) != 1)
		return false;
#if defined(__x86_64__)
	return required == REQUIRED_X8664;
#elif defined(__aarch64__)
	return required == REQUIRED_AARCH64;
#else
	return true;
#endif
}

/* True if the rest after the given name is only a suffix and version. */
static bool is_version(const char *rest)
{
	if (strncmp(rest, ".so", 3) == 0)
		return rest[3] == '\0' || rest[3] == '.';
	return rest[0] == '-' && isdigit((unsigned char)rest[1]) && strstr(rest, ".so");
}

static bool fits(const char *name, const char *file)
{
	size_t length = strlen(name);

	if (strncmp(name, file, length) != 0)
		return false;
	/* "libfoo.so" means "libfoo.so.6" too */
	return file[length] == '\0' || is_version(file + length) ||
	       (length > 3 && strcmp(name + length - 3, ".so") == 0 && file[length] == '.');
}

bool library_search_fits(const char *name, const char *file)
{
	return *name &&
	       (fits(name, file) || (strncmp(file, "lib", 3) == 0 && fits(name, file + 3)));
}

static const char *text_at(const char *cache, size_t size, uint32_t offset)
{
	return offset < size && memchr(cache + offset, '\0', size - offset) ? cache + offset : "";
}

void library_search_each(const void *bytes, size_t size,
			 bool (*give)(void *context, const char *name, const char *path),
			 void *context)
{
	const char *cache = memmem(bytes, size, magic, sizeof(magic) - 1);
	struct reader reader;
	uint32_t count;

	if (!cache)
		return;
	size -= (size_t)(cache - (const char *)bytes);
	reader = reader_make(cache, size);
	reader_bytes(&reader, OFFSET_COUNT);
	count = reader_u32(&reader);
	reader_bytes(&reader, HEAD_BYTES - OFFSET_COUNT - sizeof(count));
	for (uint32_t i = 0; i < count && i < MOST_LIBRARIES; i++) {
		uint32_t flags = reader_u32(&reader), name = reader_u32(&reader),
			 path = reader_u32(&reader);

		reader_bytes(&reader, ENTRY_BYTES - 3 * sizeof(flags));
		if (reader.bad)
			return;
		if (is_ours(flags) && *text_at(cache, size, path) == '/' &&
		    !give(context, text_at(cache, size, name), text_at(cache, size, path)))
			return;
	}
}

/* A search for one name. An equal name wins over one that only fits. */
struct search {
	struct foreign *foreign;
	const char *root, *name;
	struct buf *path;
	size_t before; /* size of @path before the search */
	bool exact, found;
};

static void take(struct search *search, const char *folder, const char *file)
{
	search->found = true;
	search->path->size = search->before;
	buf_printf(search->path, "%s%s%s%s", search->root, folder, *folder ? "/" : "", file);
}

static bool take_entry(void *context, const char *name, const char *path)
{
	struct search *search = context;

	if (strcmp(name, search->name) == 0) {
		take(search, "", path);
		search->exact = true;
		return false;
	}
	if (!search->found && library_search_fits(search->name, name))
		take(search, "", path);
	return true;
}

static void search_cache(struct search *search)
{
	struct buf cache = { 0 }, path = { 0 };

	buf_printf(&path, "%s/etc/ld.so.cache", search->root);
	if (file_read(buf_text(&path), MOST_CACHE_BYTES, &cache) == 0 && cache.size)
		library_search_each(cache.bytes, cache.size, take_entry, search);
	buf_done(&cache);
	buf_done(&path);
}

static bool is_there(const struct search *search, const char *folder)
{
	struct buf path = { 0 };
	struct stat st;
	bool there;

	buf_printf(&path, "%s%s/%s", search->root, folder, search->name);
	there = door_stat(search->foreign, buf_text(&path), &st) == 0;
	buf_done(&path);
	return there;
}

static void search_folders(struct search *search, const char *folders)
{
	char *copy = xstrdup(folders), *rest = copy;
	const char *folder;

	while (!search->exact && (folder = strsep(&rest, ":;"))) {
		if (*folder && is_there(search, folder)) {
			take(search, folder, search->name);
			search->exact = true;
		}
	}
	free(copy);
}

static const char usual_folders[] =
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:"
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:"
#endif
	"/lib:/usr/lib:/usr/local/lib";

bool library_search_find(struct foreign *foreign, const char *root, const char *name,
			 struct buf *path)
{
	const char *told = secure_getenv("LD_LIBRARY_PATH");
	struct search search = {
		.foreign = foreign, .root = root, .name = name, .path = path, .before = path->size
	};

	if (told && !*root)
		search_folders(&search, told);
	if (!search.exact)
		search_cache(&search);
	if (!search.exact)
		search_folders(&search, usual_folders);
	return search.found;
}
