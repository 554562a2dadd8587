/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept apart from demangler.c: libiberty declares allocators under the names of base/xalloc.h. */
#include "names/spelling/mangling.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_MANGLED = 16 * 1024,
	MAX_READABLE = 64 * 1024, /* a few dozen mangled bytes can stand for gigabytes */
	/* libiberty has no limit for D, and each back reference to a type may double the length of
	 * the result. */
	MAX_D_MANGLED = 2 * 1024,
	MAX_D_REFERENCES = 8,
	/* The library's recursion limit refuses every longer name, deep or not. Longer names are
	 * read without it, on a stack large enough for the deepest. */
	MAX_LIMITED = 1024,
	LARGE_STACK = 64 << 20,		   /* bytes; only the used part takes memory */
	OPTIONS = DMGL_PARAMS | DMGL_ANSI, /* recursion stays limited */
};

struct output {
	struct buf *text;
	size_t limit;
	jmp_buf too_long;
};

typedef int (*reader)(const char *mangled, int options, demangle_callbackref callback,
		      void *opaque);

/* Rust first: its older mangling is valid C++, except for the hash at its end. */
static const struct {
	enum mangling language;
	reader read;
} languages[] = {
	{ MANGLING_RUST, rust_demangle_callback },
	{ MANGLING_CPP, cplus_demangle_v3_callback },
};

/* "_D3std5stdio...", "_Dmain" (dlang.org/spec/abi.html#name_mangling) */
static bool is_d(const char *name)
{
	return name[0] == '_' && name[1] == 'D' &&
	       (isdigit((unsigned char)name[2]) || strcmp(name + 2, "main") == 0);
}

bool mangling_is(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) ||
	       strncmp(name, "__Z", 3) == 0 || is_d(name) || strncmp(name, "_GLOBAL_", 8) == 0;
}

/* libiberty's callback cannot stop the demangler, so longjmp is the only way out. */
static void take(const char *piece, size_t size, void *opaque)
{
	struct output *output = opaque;

	if (output->text->size + size > output->limit)
		longjmp(output->too_long, 1);
	buf_add(output->text, piece, size);
}

/* A name being read. */
struct reading {
	reader read;
	const char *mangled;
	int options;
	struct buf *text;
	bool good;
};

static void *read_it(void *context)
{
	struct reading *reading = context;
	struct output output = { .text = reading->text,
				 .limit = reading->text->size + MAX_READABLE };

	reading->good = !setjmp(output.too_long) &&
			reading->read(reading->mangled, reading->options, take, &output);
	return NULL;
}

/* Reads on a separate stack; nothing else runs meanwhile. */
static void read_deep(struct reading *reading)
{
	pthread_attr_t attributes;
	pthread_t thread;

	reading->options |= DMGL_NO_RECURSE_LIMIT;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, LARGE_STACK) == 0 &&
	    pthread_create(&thread, &attributes, read_it, reading) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static bool read_language(reader read, const char *mangled, struct buf *text)
{
	struct reading reading = {
		.read = read, .mangled = mangled, .options = OPTIONS, .text = text
	};

	if (strlen(mangled) > MAX_LIMITED)
		read_deep(&reading);
	else
		read_it(&reading);
	return reading.good;
}

/* The distance of a back reference that begins at @at ('Q'): base 26, the last digit a small
 * letter. 0: not a reference. */
static size_t d_reference(const char *at)
{
	size_t distance = 0;

	for (at++; *at >= 'A' && *at <= 'Z' && distance < MAX_D_MANGLED; at++)
		distance = distance * 26 + (size_t)(*at - 'A');
	return *at >= 'a' && *at <= 'z' ? distance * 26 + (size_t)(*at - 'a') : 0;
}

/* True if demangling it takes limited memory. References to plain names, which begin with their
 * length, are harmless. */
static bool d_is_bounded(const char *mangled)
{
	size_t references = 0;

	if (strlen(mangled) > MAX_D_MANGLED)
		return false;
	for (const char *at = mangled; (at = strchr(at, 'Q')); at++) {
		size_t distance = d_reference(at);

		if (distance && distance <= (size_t)(at - mangled) &&
		    !isdigit((unsigned char)at[-(ptrdiff_t)distance]))
			references++;
	}
	return references <= MAX_D_REFERENCES;
}

static enum mangling read_d(const char *mangled, struct buf *text)
{
	char *readable = d_is_bounded(mangled) ? dlang_demangle(mangled, OPTIONS) : NULL;
	bool good = readable && strlen(readable) <= MAX_READABLE;

	if (good)
		buf_add_str(text, readable);
	free(readable);
	return good ? MANGLING_D : MANGLING_NONE;
}

enum mangling mangling_read(const char *mangled, struct buf *text)
{
	size_t start = text->size;

	if (is_d(mangled))
		return read_d(mangled, text);
	if (strlen(mangled) > MAX_MANGLED)
		return MANGLING_NONE;
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++) {
		if (read_language(languages[i].read, mangled, text))
			return languages[i].language;
		text->size = start;
	}
	return MANGLING_NONE;
}
