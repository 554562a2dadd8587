/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/stack_spaces.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "sampling/stack_tables.h"

/* Tables that were published to the kernel side, and the state they were made from. */
struct publication {
	uint64_t generation; /* 0: none */
	uint64_t serial;     /* machine_space.changed at that time */
};

struct space {
	uint64_t id;
	int32_t pid;
	uint32_t process;					   /* row in profile.processes */
	bool wanted;						   /* must be published again */
	struct publication publications[STACK_SPACES_GENERATIONS]; /* the latest first */
};

struct stack_spaces {
	const struct machine *machine;
	struct image_codes *codes;
	struct stack_tables *tables;
	VEC(struct space) spaces;
	struct hashidx index;		/* of spaces, by id */
	VEC(struct stack_range) ranges; /* of the space being published */
	uint64_t generation;		/* of the last publication */
};

struct stack_spaces *stack_spaces_new(const struct machine *machine, struct image_codes *codes,
				      struct stack_tables *tables)
{
	struct stack_spaces *spaces = xcalloc(1, sizeof(*spaces));

	spaces->machine = machine;
	spaces->codes = codes;
	spaces->tables = tables;
	return spaces;
}

void stack_spaces_free(struct stack_spaces *spaces)
{
	if (!spaces)
		return;
	vec_free(&spaces->spaces);
	vec_free(&spaces->ranges);
	hashidx_done(&spaces->index);
	free(spaces);
}

DEFINE_EQUAL(has_id, struct stack_spaces, spaces.items, uint64_t, a->id == *b)

static struct space *find(const struct stack_spaces *spaces, uint64_t id)
{
	uint32_t index;

	if (!hashidx_find(&spaces->index, hash_u64(id), has_id, spaces, &id, &index))
		return NULL;
	return &spaces->spaces.items[index];
}

void stack_spaces_want(struct stack_spaces *spaces, const struct machine_space *now,
		       const struct user_stack *user)
{
	struct space *space;

	if (!spaces->tables || !user->space || !now->process)
		return;
	space = find(spaces, user->space);
	if (!space) {
		hashidx_add(&spaces->index, hash_u64(user->space), (uint32_t)spaces->spaces.count);
		space = vec_push(&spaces->spaces);
		*space = (struct space){ .id = user->space };
	}
	space->pid = now->pid;
	space->process = now->process;
	space->wanted = true;
}

static const struct publication *publication_of(const struct space *space, uint64_t generation)
{
	for (size_t i = 0; i < STACK_SPACES_GENERATIONS; i++)
		if (space->publications[i].generation == generation)
			return &space->publications[i];
	return NULL;
}

struct stack_origin stack_spaces_origin(const struct stack_spaces *spaces,
					const struct machine_space *now,
					const struct user_stack *user)
{
	const struct publication *made;
	const struct space *space;

	if (!user->generation)
		return (struct stack_origin){ true, UINT64_MAX, now->mappings };
	space = find(spaces, user->space);
	if (!space || space->process != now->process)
		return (struct stack_origin){ .known = false };
	made = publication_of(space, user->generation);
	if (!made || now->begun > made->serial)
		return (struct stack_origin){ .known = false };
	return (struct stack_origin){ true, made->serial, now->mappings };
}

bool stack_spaces_alive(const struct stack_spaces *spaces, uint64_t id, uint64_t generation)
{
	const struct space *space = find(spaces, id);

	return space && publication_of(space, generation);
}

/* ---- publishing ---- */

/* How to walk frames in an image. Publishes its rows first, if it has any. */
static enum stack_map_kind kind_of(const struct stack_spaces *spaces, uint32_t image,
				   const struct unwind_code *code)
{
	if (!code->table)
		return STACK_MAP_FRAME_POINTERS;
	if (!stack_tables_has_image(spaces->tables, image)) {
		(void)stack_tables_add_image(spaces->tables, image, code->table);
		image_codes_rest(spaces->codes, image);
	}
	return STACK_MAP_ROWS;
}

static void add_range(struct stack_spaces *spaces, const struct mapping *mapping,
		      struct stack_space_table *table, size_t *entry_count)
{
	struct stack_range range = { .start = mapping->start,
				     .end = mapping->end,
				     .image = mapping->image,
				     .kind = STACK_MAP_WAITING };
	struct image_entry entry = { 0, 0 };

	/* No stack has led through it so far. */
	if (image_codes_state(spaces->codes, mapping->image) != IMAGE_CODE_UNREAD) {
		struct unwind_code code = image_codes_of(spaces->codes, mapping, &entry);

		range.bias = code.bias;
		range.kind = kind_of(spaces, mapping->image, &code);
	}
	if (entry.start < entry.end && *entry_count < STACK_ENTRIES)
		table->entries[(*entry_count)++] = (struct stack_entry){ entry.start, entry.end };
	*vec_push(&spaces->ranges) = range;
}

static void publish(struct stack_spaces *spaces, struct space *space,
		    const struct machine_space *now)
{
	struct stack_space_table table = { .generation = ++spaces->generation };
	size_t entry_count = 0;

	spaces->ranges.count = 0;
	for (size_t i = 0; i < address_space_count(now->mappings); i++) {
		struct mapping mapping = address_space_at(now->mappings, i);

		add_range(spaces, &mapping, &table, &entry_count);
	}
	table.ranges = spaces->ranges.items;
	table.range_count = spaces->ranges.count;
	space->wanted = false;
	memmove(&space->publications[1], &space->publications[0],
		sizeof(space->publications) - sizeof(space->publications[0]));
	space->publications[0] = (struct publication){ table.generation, now->changed };
	(void)stack_tables_set_space(spaces->tables, space->id, &table);
}

/* Keeps only the first @count spaces. */
static void keep(struct stack_spaces *spaces, size_t count)
{
	spaces->spaces.count = count;
	hashidx_done(&spaces->index);
	for (size_t i = 0; i < count; i++)
		hashidx_add(&spaces->index, hash_u64(spaces->spaces.items[i].id), (uint32_t)i);
}

void stack_spaces_update(struct stack_spaces *spaces)
{
	size_t kept = 0;

	if (!spaces->tables)
		return;
	for (size_t i = 0; i < spaces->spaces.count; i++) {
		struct space *space = &spaces->spaces.items[i];
		struct machine_space now = machine_space(spaces->machine, space->pid);

		if (now.process != space->process) {
			stack_tables_drop_space(spaces->tables, space->id);
			continue;
		}
		if (space->wanted || now.changed != space->publications[0].serial)
			publish(spaces, space, &now);
		spaces->spaces.items[kept++] = *space;
	}
	if (kept < spaces->spaces.count)
		keep(spaces, kept);
	stack_tables_settle(spaces->tables);
}
