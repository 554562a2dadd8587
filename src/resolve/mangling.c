/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept apart from demangler.c: libiberty declares allocators under the names of base/xalloc.h. */
#include "resolve/mangling.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

enum {
	MAX_MANGLED = 16 * 1024,
	MAX_READABLE = 64 * 1024,	   /* a few dozen mangled bytes can stand for gigabytes */
	OPTIONS = DMGL_PARAMS | DMGL_ANSI, /* and recursion stays limited */
};

struct output {
	struct buf *text;
	size_t limit;
	jmp_buf too_long;
};

typedef int (*reader)(const char *mangled, int options, demangle_callbackref callback,
		      void *opaque);

/* Rust first: its older mangling is valid C++, but for the hash at its end. */
static const reader languages[] = { rust_demangle_callback, cplus_demangle_v3_callback };

bool mangling_is(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) ||
	       strncmp(name, "__Z", 3) == 0 || strncmp(name, "_GLOBAL_", 8) == 0;
}

/* libiberty's callback cannot say "stop": leaving by longjmp is the one way out. */
static void take(const char *piece, size_t size, void *opaque)
{
	struct output *output = opaque;

	if (output->text->size + size > output->limit)
		longjmp(output->too_long, 1);
	buf_add(output->text, piece, size);
}

static bool read_language(reader read, const char *mangled, struct buf *text)
{
	struct output output = { .text = text, .limit = text->size + MAX_READABLE };

	return !setjmp(output.too_long) && read(mangled, OPTIONS, take, &output);
}

bool mangling_read(const char *mangled, struct buf *text)
{
	size_t start = text->size;

	if (strlen(mangled) > MAX_MANGLED)
		return false;
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++) {
		if (read_language(languages[i], mangled, text))
			return true;
		text->size = start;
	}
	return false;
}
