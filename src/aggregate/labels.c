/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

/* The functions of one image with one name, by the first of them. */
struct twins {
	const struct profile *profile;
	struct hashidx index;
};

static bool same_name(const void *owner, uint32_t id, const void *key)
{
	const struct symbol *a = &((const struct twins *)owner)->profile->symbols.items[id];
	const struct symbol *b = key;

	return a->image == b->image && a->name == b->name;
}

static void count_name(struct labels *labels, struct twins *twins, uint32_t id)
{
	const struct symbol *symbol = &twins->profile->symbols.items[id];
	uint64_t hash = hash_combine(hash_u64(symbol->name), symbol->image);
	uint8_t *uses = &labels->name_uses[symbol->name];
	uint32_t first;

	if (*uses < 2)
		(*uses)++;
	if (hashidx_find(&twins->index, hash, same_name, twins, symbol, &first))
		labels->has_twin[id] = labels->has_twin[first] = true;
	else
		hashidx_add(&twins->index, hash, id);
}

void labels_init(struct labels *labels, const struct profile *profile)
{
	struct twins twins = { .profile = profile };

	*labels = (struct labels){ .profile = profile };
	labels->name_count = strpool_count(&profile->strings);
	labels->name_uses = xcalloc(labels->name_count, 1);
	labels->names = xcalloc(labels->name_count, sizeof(*labels->names));
	labels->stacks = stack_names_new(profile);
	labels->has_twin = xcalloc(profile->symbols.count, sizeof(bool));
	for (size_t i = 1; i < profile->symbols.count; i++)
		count_name(labels, &twins, (uint32_t)i);
	hashidx_done(&twins.index);
}

void labels_done(struct labels *labels)
{
	stack_names_free(labels->stacks);
	labels->stacks = NULL;
	free(labels->name_uses);
	free(labels->has_twin);
	for (size_t i = 0; i < labels->name_count; i++)
		free(labels->names[i]);
	free(labels->names);
	labels->name_uses = NULL;
	labels->has_twin = NULL;
	labels->names = NULL;
	labels->name_count = 0;
}

static const struct frame *leaf_of(const struct labels *labels, uint32_t stack)
{
	const struct profile *profile = labels->profile;

	return &profile->frames.items[profile->stacks.items[stack].frame];
}

/* The image is called as the wait, in brackets. */
enum wait labels_wait(const struct labels *labels, uint32_t stack)
{
	const struct profile *profile = labels->profile;
	const struct image *image = &profile->images.items[leaf_of(labels, stack)->image];
	const char *path = profile_text(profile, image->path);

	if (image->kind != IMAGE_WAIT)
		return WAIT_RUNNING;
	for (int i = 0; i < WAIT_COUNT; i++) {
		size_t length = strlen(wait_name((enum wait)i));

		if (path[0] == '[' && strncmp(path + 1, wait_name((enum wait)i), length) == 0 &&
		    strcmp(path + 1 + length, "]") == 0)
			return (enum wait)i;
	}
	return WAIT_OTHER;
}

uint32_t labels_waker(const struct labels *labels, uint32_t stack)
{
	const struct profile *profile = labels->profile;
	const struct frame *leaf = leaf_of(labels, stack);

	if (profile->images.items[leaf->image].kind != IMAGE_WAIT ||
	    leaf->offset >= profile->tasks.count)
		return 0;
	return profile->tasks.items[leaf->offset].process;
}

void labels_process(const struct labels *labels, uint32_t process, struct buf *buf)
{
	const struct process *row = &labels->profile->processes.items[process];

	if (!process) {
		buf_add_str(buf, "[unknown]");
		return;
	}
	buf_printf(buf, "%s#%" PRIu32, profile_text(labels->profile, row->program), row->instance);
}

void labels_user(const struct labels *labels, uint32_t uid, struct buf *buf)
{
	for (size_t i = 0; i < labels->user_count; i++) {
		if (labels->users[i].uid == uid) {
			buf_add_str(buf, labels->users[i].name);
			return;
		}
	}
	buf_printf(buf, "%" PRIu32, uid);
}

static const char *make_name(const struct labels *labels, str_id name)
{
	const char *text = profile_text(labels->profile, name);

	if (!*text)
		return "[unknown]";
	return labels->demangle ? labels->demangle(labels->demangle_context, text) : text;
}

/* A name may be in millions of rows. */
void labels_name(const struct labels *labels, str_id name, struct buf *buf)
{
	if (name >= labels->name_count) {
		buf_add_str(buf, make_name(labels, name));
		return;
	}
	if (!labels->names[name])
		labels->names[name] = xstrdup(make_name(labels, name));
	buf_add_str(buf, labels->names[name]);
}

void labels_function(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	labels_name(labels, row->name, buf);
	if (row->kind == SYMBOL_BRACKET ||
	    (row->kind != SYMBOL_NONE && row->start && labels->name_uses[row->name] > 1))
		buf_printf(buf, "@0x%" PRIx64, row->start);
}

void labels_routine(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	labels_name(labels, row->name, buf);
	/* What has no place of its own is all of the image alike. */
	if (labels->has_twin[symbol] && (row->kind == SYMBOL_BRACKET || row->start))
		buf_printf(buf, "@0x%" PRIx64, row->start);
}

void labels_path(const struct labels *labels, uint32_t image, struct buf *buf)
{
	const char *path = profile_text(labels->profile, labels->profile->images.items[image].path);

	buf_add_str(buf, *path ? path : "[unknown]");
}
