/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree to be printed, of a fixture's stacks. */
#ifndef UNIT_PRESENT_GROWN_H
#define UNIT_PRESENT_GROWN_H

#include "aggregate/stacks.h"

#include "aggregate/trees/prune.h"
#include "present/view.h"

struct grown {
	struct fixture fixture;
	uint32_t task;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	struct prune prune;
	struct view view;
	FILE *out;
	char *text;
	size_t size;
};

static inline void grown_init(struct grown *grown)
{
	*grown = (struct grown){ 0 };
	fixture_init(&grown->fixture);
	profile_set_text(&grown->fixture.profile->run.stacks, "full");
	grown->task =
		fixture_task(&grown->fixture, fixture_process(&grown->fixture, "a", 1001), "a");
}

static inline void grown_hit(struct grown *grown, uint32_t stack, uint64_t samples)
{
	fixture_hit(&grown->fixture, grown->task, stack, MODE_USER, CONTEXT_TASK, samples);
}

/* All samples are there: grows the tree and begins to print. */
static inline FILE *grown_begin(struct grown *grown, const char *by, const char *places_by,
				const struct prune_limits *limits)
{
	grown->stacks = stacks_table(&grown->fixture, by);
	grown->places = stacks_places(&grown->fixture, places_by);
	grown->tree = tree_new(grown->stacks, grown->places, 0, TREE_FROM_ROOTS, NULL);
	prune_make(grown->tree, limits, &grown->prune);
	grown->view = (struct view){ .labels = &grown->fixture.labels };
	grown->out = open_memstream(&grown->text, &grown->size);
	return grown->out;
}

static inline const char *grown_end(struct grown *grown)
{
	fclose(grown->out);
	assert_non_null(grown->text);
	return grown->text;
}

static inline void grown_done(struct grown *grown)
{
	prune_done(&grown->prune);
	tree_free(grown->tree);
	places_free(grown->places);
	table_free(grown->stacks);
	fixture_done(&grown->fixture);
	free(grown->text);
}

#endif
