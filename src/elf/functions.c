/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/functions.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "elf/elf_file.h"

/* Offsets into the names have 32 bits. */
static const size_t MAX_NAME_BYTES = 1UL << 31;

/* Longer names are truncated. Template names reach a few thousand characters, not this many. */
enum { MAX_NAME_LENGTH = 16 * 1024 };

static char *grow_names(struct functions *functions, size_t more)
{
	char *place;

	functions->names = xrealloc(functions->names, functions->names_size + more + 1);
	place = functions->names + functions->names_size;
	functions->names_size += more + 1;
	place[more] = '\0';
	return place;
}

int functions_read_names(struct functions *functions, const struct elf_file *file,
			 const struct elf_section *section, uint32_t *ret_base, struct err *err)
{
	uint32_t base = (uint32_t)functions->names_size;
	int rc = elf_file_check(file, section, err);
	char *place;

	if (rc < 0)
		return rc;
	if (section->size > MAX_NAME_BYTES - functions->names_size)
		return err_set(err, -EFBIG, "the names are larger than %zu bytes", MAX_NAME_BYTES);
	place = grow_names(functions, section->size);
	rc = elf_file_read_into(file, section, place, err);
	if (rc < 0) {
		functions->names_size = base;
		return rc;
	}
	*ret_base = base;
	return 0;
}

uint32_t functions_add_name(struct functions *functions, const char *name)
{
	uint32_t base = (uint32_t)functions->names_size;
	size_t length = strlen(name);

	memcpy(grow_names(functions, length), name, length);
	return base;
}

const char *functions_name(const struct functions *functions, uint32_t name)
{
	return name < functions->names_size ? functions->names + name : "";
}

size_t functions_name_length(const char *name)
{
	size_t length = strnlen(name, MAX_NAME_LENGTH);
	const char *version = length > 1 ? memchr(name + 1, '@', length - 1) : NULL;

	return version ? (size_t)(version - name) : length;
}

static size_t underscores(const char *name)
{
	size_t count = 0;

	while (name[count] == '_')
		count++;
	return count;
}

int functions_compare(const struct functions *functions, const struct function *a,
		      const struct function *b)
{
	const char *left = functions_name(functions, a->name);
	const char *right = functions_name(functions, b->name);
	size_t left_length, right_length;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (underscores(left) != underscores(right))
		return underscores(left) < underscores(right) ? -1 : 1;
	left_length = functions_name_length(left);
	right_length = functions_name_length(right);
	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return strncmp(left, right, left_length);
}

/* Bytes that the names of all listed functions need, terminators included. */
static size_t listed_bytes(const struct functions *functions)
{
	size_t bytes = 0;

	for (size_t i = 0; i < functions->list.count; i++)
		bytes += functions_name_length(
				 functions_name(functions, functions->list.items[i].name)) +
			 1;
	return bytes;
}

static void compact_names(struct functions *functions, size_t bytes)
{
	char *names = xmalloc(bytes + 1);
	size_t used = 0;

	for (size_t i = 0; i < functions->list.count; i++) {
		struct function *function = &functions->list.items[i];
		const char *name = functions_name(functions, function->name);
		size_t length = functions_name_length(name);

		function->name = (uint32_t)used;
		memcpy(names + used, name, length);
		names[used + length] = '\0';
		used += length + 1;
	}
	free(functions->names);
	functions->names = names;
	functions->names_size = used;
}

void functions_compact(struct functions *functions, bool names)
{
	size_t count = functions->list.count;
	size_t bytes = names ? listed_bytes(functions) : functions->names_size;

	if (bytes < functions->names_size / 4 * 3)
		compact_names(functions, bytes);
	if (count == 0)
		return;
	functions->list.items = xrealloc(functions->list.items, count * sizeof(struct function));
	functions->list.capacity = count;
}

void functions_drop_dynamic(struct functions *functions)
{
	free(functions->dynamic);
	functions->dynamic = NULL;
	functions->dynamic_size = 0;
}

void functions_done(struct functions *functions)
{
	functions_drop_dynamic(functions);
	vec_free(&functions->list);
	free(functions->names);
	*functions = (struct functions){ 0 };
}
