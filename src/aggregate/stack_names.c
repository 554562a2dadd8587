/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/stack_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/labels.h"
#include "base/escape.h"
#include "base/hashidx.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xalloc.h"

struct stack_names {
	const struct profile *profile;
	uint32_t *first; /* by stack; NULL: not yet computed */
	char **texts;	 /* by name, as in a stack; NULL: not yet computed */
	size_t text_count;
};

/* Identifies stacks with the same names: the first such caller, and the name. */
struct link {
	uint32_t caller;
	str_id name;
};

struct stack_names *stack_names_new(const struct profile *profile)
{
	struct stack_names *names = xcalloc(1, sizeof(*names));

	names->profile = profile;
	return names;
}

void stack_names_free(struct stack_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->text_count; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->first);
	free(names);
}

static str_id name_of(const struct profile *profile, uint32_t stack)
{
	const struct frame *frame = &profile->frames.items[profile->stacks.items[stack].frame];

	return profile->symbols.items[frame->symbol].name;
}

static bool is_linked(const void *owner, uint32_t id, const void *key)
{
	const struct stack_names *names = owner;
	const struct link *link = key;

	return names->first[names->profile->stacks.items[id].parent] == link->caller &&
	       name_of(names->profile, id) == link->name;
}

/* Callers have lower numbers than what they call. */
static void find_firsts(struct stack_names *names)
{
	const struct profile *profile = names->profile;
	struct hashidx index = { 0 };

	names->first = xcalloc(profile->stacks.count, sizeof(*names->first));
	for (size_t i = 1; i < profile->stacks.count; i++) {
		uint32_t stack = (uint32_t)i;
		struct link link = { .caller = names->first[profile->stacks.items[i].parent],
				     .name = name_of(profile, stack) };
		uint64_t hash = hash_combine(hash_u64(link.caller), link.name);

		if (hashidx_find(&index, hash, is_linked, names, &link, &names->first[i]))
			continue;
		names->first[i] = stack;
		hashidx_add(&index, hash, stack);
	}
	hashidx_done(&index);
}

uint32_t stack_names_first(struct stack_names *names, uint32_t stack)
{
	if (!names->first)
		find_firsts(names);
	return names->first[stack];
}

/* A name that no one reads to its end would appear in every row of a table. A hash replaces its
 * rest, so that different names stay different. */
static void cut_name(struct buf *plain, struct buf *rest)
{
	size_t size = strlen(buf_text(plain)), kept = STACK_NAMES_MOST_BYTES;

	if (size <= STACK_NAMES_MOST_BYTES)
		return;
	while (utf8_continues((unsigned char)plain->bytes[kept]))
		kept--;
	buf_printf(rest, "...[%zu bytes, %08" PRIx32 "]", size,
		   (uint32_t)hash_bytes(plain->bytes, size));
	plain->bytes[kept] = '\0';
	plain->size = kept;
}

/* Keeps each text: a name is in many stacks. Borrowed from labels->stacks. */
static const char *text_of(const struct labels *labels, str_id name)
{
	struct stack_names *names = labels->stacks;
	struct buf plain = { 0 }, escaped = { 0 }, rest = { 0 };

	if (!names->texts) {
		names->text_count = strpool_count(&labels->profile->strings);
		names->texts = xcalloc(names->text_count, sizeof(*names->texts));
	}
	if (!names->texts[name]) {
		labels_name(labels, name, &plain);
		cut_name(&plain, &rest);
		escape_add_name(&escaped, buf_text(&plain));
		buf_add_str(&escaped, buf_text(&rest));
		names->texts[name] = xstrdup(buf_text(&escaped));
		buf_done(&plain);
		buf_done(&escaped);
		buf_done(&rest);
	}
	return names->texts[name];
}

void stack_names_text(const struct labels *labels, uint32_t stack, struct buf *buf)
{
	const struct profile *profile = labels->profile;
	VEC(uint32_t) path = { 0 };

	for (; stack; stack = profile->stacks.items[stack].parent)
		*vec_push(&path) = stack;
	for (size_t i = path.count; i-- > 0;) {
		buf_add_str(buf, text_of(labels, name_of(profile, path.items[i])));
		if (i)
			buf_add_char(buf, ';');
	}
	vec_free(&path);
}
