/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/labels.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hashidx.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/profile.h"

/* Stacks by name, computed at the first question about one. */
struct label_stacks {
	uint32_t *first; /* by stack: the first with the same names */
	char **texts;	 /* by name, as in a stack; NULL: not yet computed */
	size_t text_count;
};

/* The first function of each name in each image. */
struct twins {
	const struct profile *profile;
	struct hashidx index;
};

DEFINE_EQUAL(same_name, struct twins, profile->symbols.items, struct symbol,
	     a->image == b->image && a->name == b->name)

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
	labels->stacks = xcalloc(1, sizeof(*labels->stacks));
	labels->has_twin = xcalloc(profile->symbols.count, sizeof(bool));
	for (size_t i = 1; i < profile->symbols.count; i++)
		count_name(labels, &twins, (uint32_t)i);
	hashidx_done(&twins.index);
	labels->told_by = xcalloc(profile->symbols.count + 1, 1);
	for (enum telling by = BY_START; by < BY_BUILD_ID; by++)
		tell_apart(labels, by);
}

static void free_stacks(struct label_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->text_count; i++)
		free(stacks->texts[i]);
	free(stacks->texts);
	free(stacks->first);
	free(stacks);
}

void labels_done(struct labels *labels)
{
	free_stacks(labels->stacks);
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

/* Of a function without a name, in a file that is known. */
static bool is_place(const struct profile *profile, uint32_t symbol)
{
	const struct symbol *row = &profile->symbols.items[symbol];

	return image_of(profile, row)->kind == IMAGE_FILE &&
	       (row->kind == SYMBOL_BRACKET || (row->kind == SYMBOL_NONE && row->start));
}

static const char *make_name(const struct labels *labels, str_id name)
{
	const char *text = profile_text(labels->profile, name);

	if (!*text)
		return "[unknown]";
	return labels->demangle ? labels->demangle(labels->demangle_context, text) : text;
}

/* Numbers of places are beyond those of texts. */
enum { PLACE_BIT = 32 };

uint32_t labels_place_of(uint64_t number)
{
	return number >> PLACE_BIT ? (uint32_t)number : 0;
}

bool labels_is_place(const struct labels *labels, uint32_t symbol)
{
	return labels->by_start && is_place(labels->profile, symbol);
}

uint64_t labels_number(const struct labels *labels, uint32_t symbol)
{
	if (labels_is_place(labels, symbol))
		return UINT64_C(1) << PLACE_BIT | symbol;
	return labels->profile->symbols.items[symbol].name;
}

/* Keeps each name: it may be in millions of rows. */
void labels_name(const struct labels *labels, uint64_t number, struct buf *buf)
{
	uint32_t place = labels_place_of(number);
	str_id name = place ? labels->profile->symbols.items[place].name : (str_id)number;

	if (place && labels->by_start) {
		labels_place(labels, place, buf);
		return;
	}
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

	/* Memory without a file has nothing else that tells. */
	if (image->kind == IMAGE_ANON)
		return;
	if (told_by >= BY_FILE)
		buf_printf(buf, " in %s", told_by == BY_FILE ? file_base(path) : path);
	if (told_by < BY_BUILD_ID || !image->build_id_size)
		return;
	buf_add_str(buf, " of build ");
	text_add_hex(buf, image->build_id, image->build_id_size);
}

bool labels_place(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];
	const struct image *image = image_of(labels->profile, row);

	if (!is_place(labels->profile, symbol))
		return false;
	buf_printf(buf, "%s+0x%" PRIx64, file_base(profile_text(labels->profile, image->path)),
		   row->start);
	return true;
}

void labels_function(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	if (labels->by_start && labels_place(labels, symbol, buf)) {
		if (labels->told_by[symbol] >= BY_PATH)
			add_image(labels, symbol, buf);
		return;
	}
	labels_name(labels, row->name, buf);
	if (row->kind == SYMBOL_BRACKET || (row->start && labels->name_uses[row->name] > 1))
		buf_printf(buf, "@0x%" PRIx64, row->start);
	add_image(labels, symbol, buf);
}

void labels_routine(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];

	if (labels->by_start && labels_place(labels, symbol, buf))
		return;
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

/* ---- stacks ---- */

/* Of a name; a longer one is shown up to here, then "...[60000 bytes, 0badcafe]": its length and a
 * hash of all of it. The longest names that compilers make for people are not half as long. */
enum { STACK_NAME_MOST_BYTES = 4096 };

/* Identifies stacks with the same names: the first such caller, and the name. */
struct link {
	uint32_t caller;
	uint64_t name; /* labels_number */
};

static uint64_t name_of(const struct labels *labels, uint32_t stack)
{
	return labels_number(labels, leaf_of(labels, stack)->symbol);
}

static bool is_linked(const void *owner, uint32_t id, const void *key)
{
	const struct labels *labels = owner;
	const struct link *link = key;

	return labels->stacks->first[labels->profile->stacks.items[id].parent] == link->caller &&
	       name_of(labels, id) == link->name;
}

/* Callers have lower numbers than what they call. */
static void find_firsts(const struct labels *labels)
{
	const struct profile *profile = labels->profile;
	struct label_stacks *stacks = labels->stacks;
	struct hashidx index = { 0 };

	stacks->first = xcalloc(profile->stacks.count, sizeof(*stacks->first));
	for (size_t i = 1; i < profile->stacks.count; i++) {
		uint32_t stack = (uint32_t)i;
		struct link link = { .caller = stacks->first[profile->stacks.items[i].parent],
				     .name = name_of(labels, stack) };
		uint64_t hash = hash_combine(hash_u64(link.caller), link.name);

		if (hashidx_find(&index, hash, is_linked, labels, &link, &stacks->first[i]))
			continue;
		stacks->first[i] = stack;
		hashidx_add(&index, hash, stack);
	}
	hashidx_done(&index);
}

uint32_t labels_first_stack(const struct labels *labels, uint32_t stack)
{
	if (!labels->stacks->first)
		find_firsts(labels);
	return labels->stacks->first[stack];
}

/* A name that no one reads to its end would appear in every row of a table. A hash replaces its
 * rest, so that different names stay different. */
static void cut_name(struct buf *plain, struct buf *rest)
{
	size_t size = strlen(buf_text(plain)), kept = STACK_NAME_MOST_BYTES;

	if (size <= STACK_NAME_MOST_BYTES)
		return;
	/* A name need not be UTF-8: no character has more than three such bytes. */
	for (int i = 0; i < 3 && text_continues((unsigned char)plain->bytes[kept]); i++)
		kept--;
	buf_printf(rest, "...[%zu bytes, %08" PRIx32 "]", size,
		   (uint32_t)hash_bytes(plain->bytes, size));
	plain->bytes[kept] = '\0';
	plain->size = kept;
}

/* Keeps each text: a name is in many stacks. Borrowed from labels->stacks. */
static const char *text_of(const struct labels *labels, str_id name)
{
	struct label_stacks *stacks = labels->stacks;
	struct buf plain = { 0 }, escaped = { 0 }, rest = { 0 };

	if (!stacks->texts) {
		stacks->text_count = strpool_count(&labels->profile->strings);
		stacks->texts = xcalloc(stacks->text_count, sizeof(*stacks->texts));
	}
	if (!stacks->texts[name]) {
		labels_name(labels, name, &plain);
		cut_name(&plain, &rest);
		text_escape_name(&escaped, buf_text(&plain));
		buf_add_str(&escaped, buf_text(&rest));
		stacks->texts[name] = xstrdup(buf_text(&escaped));
		buf_done(&plain);
		buf_done(&escaped);
		buf_done(&rest);
	}
	return stacks->texts[name];
}

static void add_place(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	struct buf plain = { 0 };

	labels_place(labels, symbol, &plain);
	text_escape_name(buf, buf_text(&plain));
	buf_done(&plain);
}

void labels_stack(const struct labels *labels, uint32_t stack, struct buf *buf)
{
	const struct profile *profile = labels->profile;
	VEC(uint32_t) path = { 0 };

	for (; stack; stack = profile->stacks.items[stack].parent)
		*vec_push(&path) = stack;
	for (size_t i = path.count; i-- > 0;) {
		uint64_t name = name_of(labels, path.items[i]);

		if (labels_place_of(name))
			add_place(labels, labels_place_of(name), buf);
		else
			buf_add_str(buf, text_of(labels, (str_id)name));
		if (i)
			buf_add_char(buf, ';');
	}
	vec_free(&path);
}
