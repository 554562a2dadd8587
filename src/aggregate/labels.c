/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hashidx.h"
#include "base/xalloc.h"

/* The first function of each name in each image. */
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

/* What labels_function adds to the name, each more than the one before. */
enum telling { BY_NAME, BY_START, BY_FILE, BY_PATH, BY_BUILD_ID };

/* Functions that share name and start, and what else distinguishes them. */
struct namesakes {
	const struct profile *profile;
	enum telling by;
	struct hashidx index;
};

static const struct image *image_of(const struct profile *profile, const struct symbol *symbol)
{
	return &profile->images.items[symbol->image];
}

/* The text that must differ to distinguish two of them @by it. */
static const char *distinction(const struct namesakes *namesakes, const struct symbol *symbol)
{
	const struct profile *profile = namesakes->profile;
	const char *path = profile_text(profile, image_of(profile, symbol)->path);

	if (namesakes->by == BY_START)
		return "";
	return namesakes->by == BY_FILE ? file_base(path) : path;
}

static bool same_text(const void *owner, uint32_t id, const void *key)
{
	const struct namesakes *namesakes = owner;
	const struct symbol *a = &namesakes->profile->symbols.items[id], *b = key;

	return a->name == b->name && a->start == b->start &&
	       strcmp(distinction(namesakes, a), distinction(namesakes, b)) == 0;
}

/* Functions that @by does not distinguish need the next. */
static void tell_apart(struct labels *labels, enum telling by)
{
	struct namesakes namesakes = { .profile = labels->profile, .by = by };

	for (uint32_t i = 1; i < labels->profile->symbols.count; i++) {
		const struct symbol *symbol = &labels->profile->symbols.items[i];
		uint64_t hash = hash_combine(hash_u64(symbol->name), symbol->start);
		const char *text;
		uint32_t first;

		if (labels->name_uses[symbol->name] < 2 ||
		    (by > BY_START && labels->told_by[i] < by))
			continue;
		text = distinction(&namesakes, symbol);
		hash = hash_combine(hash, hash_bytes(text, strlen(text)));
		if (hashidx_find(&namesakes.index, hash, same_text, &namesakes, symbol, &first))
			labels->told_by[i] = labels->told_by[first] = (uint8_t)(by + 1);
		else
			hashidx_add(&namesakes.index, hash, i);
	}
	hashidx_done(&namesakes.index);
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
	labels->told_by = xcalloc(profile->symbols.count + 1, 1);
	for (enum telling by = BY_START; by < BY_BUILD_ID; by++)
		tell_apart(labels, by);
}

void labels_done(struct labels *labels)
{
	stack_names_free(labels->stacks);
	labels->stacks = NULL;
	free(labels->name_uses);
	free(labels->has_twin);
	free(labels->told_by);
	for (size_t i = 0; i < labels->name_count; i++)
		free(labels->names[i]);
	free(labels->names);
	labels->name_uses = NULL;
	labels->has_twin = NULL;
	labels->told_by = NULL;
	labels->names = NULL;
	labels->name_count = 0;
}

static const struct frame *leaf_of(const struct labels *labels, uint32_t stack)
{
	const struct profile *profile = labels->profile;

	return &profile->frames.items[profile->stacks.items[stack].frame];
}

/* The image has the name of the wait, in brackets. */
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

/* Keeps each name: it may be in millions of rows. */
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

/* The image of @symbol, as far as needed to distinguish it from others. */
static void add_image(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct image *image =
		image_of(labels->profile, &labels->profile->symbols.items[symbol]);
	const char *path = profile_text(labels->profile, image->path);
	uint8_t told_by = labels->told_by[symbol];

	if (told_by >= BY_FILE)
		buf_printf(buf, " in %s", told_by == BY_FILE ? file_base(path) : path);
	if (told_by < BY_BUILD_ID)
		return;
	buf_add_str(buf, " of build ");
	for (size_t i = 0; i < image->build_id_size; i++)
		buf_printf(buf, "%02x", image->build_id[i]);
}

void labels_function(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	labels_name(labels, row->name, buf);
	if (row->kind == SYMBOL_BRACKET || (row->start && labels->name_uses[row->name] > 1))
		buf_printf(buf, "@0x%" PRIx64, row->start);
	add_image(labels, symbol, buf);
}

void labels_routine(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	labels_name(labels, row->name, buf);
	/* Code without a start of its own stands for the whole image. */
	if (labels->has_twin[symbol] && (row->kind == SYMBOL_BRACKET || row->start))
		buf_printf(buf, "@0x%" PRIx64, row->start);
}

void labels_path(const struct labels *labels, uint32_t image, struct buf *buf)
{
	const char *path = profile_text(labels->profile, labels->profile->images.items[image].path);

	buf_add_str(buf, *path ? path : "[unknown]");
}
