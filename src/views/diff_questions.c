/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/diff_questions.h"

#include <errno.h>
#include <stdlib.h>

#include "aggregate/select.h"
#include "base/xalloc.h"

int diff_questions_parse(const char *const *texts, size_t count, struct diff_questions *ret,
			 struct err *err)
{
	int rc = 0;

	*ret = (struct diff_questions){ .items = xcalloc(count, sizeof(struct conditions)),
					.count = count };
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = condition_parse(texts[i], &ret->items[i], err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		for (size_t at = 0; at < ret->items[i].items.count; at++) {
			const struct condition *condition = &ret->items[i].items.items[at];
			struct select *select = select_new();

			if (!condition->any)
				*vec_push(&ret->probes) = condition;
			if (rc == 0 && condition->selects &&
			    select_add(select, condition->names, err) < 0)
				rc = err_prefix(err, -EINVAL, "--fail-if '%s'", texts[i]);
			ret->uses |= condition->selects ? select_uses(select) : SAMPLE_STACK;
			select_free(select);
		}
	}
	return rc;
}

void diff_questions_done(struct diff_questions *questions)
{
	for (size_t i = 0; i < questions->count; i++)
		condition_done(&questions->items[i]);
	free(questions->items);
	vec_free(&questions->probes);
}

enum verdict { UNKNOWN, NO, YES };

/* How a condition finds its samples. */
struct finder {
	const struct condition *condition;
	struct select *select; /* NULL: by name of function */
	uint8_t *verdicts;     /* by name: enum verdict */
};

struct diff_asked {
	const struct labels *labels;
	size_t count;
	struct finder *finders;
	struct diff_probe *probes;
	struct buf text; /* scratch */
};

static int make_finder(struct diff_asked *asked, const struct condition *condition,
		       struct finder *ret_finder, struct err *err)
{
	int rc = 0;

	ret_finder->condition = condition;
	ret_finder->verdicts = xcalloc(strpool_count(&asked->labels->profile->strings), 1);
	if (!condition->selects)
		return 0;
	ret_finder->select = select_new();
	rc = select_add(ret_finder->select, condition->names, err);
	if (rc == 0)
		select_bind(ret_finder->select, asked->labels);
	return rc;
}

struct diff_asked *diff_asked_new(const struct diff_questions *questions,
				  const struct labels *labels, struct err *err)
{
	struct diff_asked *asked = xcalloc(1, sizeof(*asked));

	asked->labels = labels;
	asked->count = questions->probes.count;
	asked->finders = xcalloc(asked->count, sizeof(*asked->finders));
	asked->probes = xcalloc(asked->count, sizeof(*asked->probes));
	for (size_t i = 0; i < asked->count; i++) {
		if (make_finder(asked, questions->probes.items[i], &asked->finders[i], err) == 0)
			continue;
		diff_asked_free(asked);
		return NULL;
	}
	return asked;
}

void diff_asked_free(struct diff_asked *asked)
{
	if (!asked)
		return;
	for (size_t i = 0; i < asked->count; i++) {
		select_free(asked->finders[i].select);
		free(asked->finders[i].verdicts);
	}
	free(asked->finders);
	free(asked->probes);
	buf_done(&asked->text);
	free(asked);
}

static bool is_meant(struct diff_asked *asked, struct finder *finder, const struct point *point)
{
	const struct profile *profile = asked->labels->profile;
	const struct frame *leaf =
		&profile->frames.items[profile->stacks.items[point->total.stack].frame];
	str_id name = profile->symbols.items[leaf->symbol].name;
	uint8_t *verdict = &finder->verdicts[name];

	if (finder->select)
		return select_match(finder->select, point);
	if (*verdict == UNKNOWN) {
		buf_clear(&asked->text);
		labels_name(asked->labels, name, &asked->text);
		*verdict = condition_names(finder->condition, buf_text(&asked->text)) ? YES : NO;
	}
	return *verdict == YES;
}

void diff_asked_take(struct diff_asked *asked, const struct point *point, struct cells *cells)
{
	uint8_t event = point->total.event;

	for (size_t i = 0; i < asked->count; i++) {
		struct hits *hits = &asked->probes[i].hits[event];

		if (!is_meant(asked, &asked->finders[i], point))
			continue;
		hits->samples += point->total.samples;
		hits->weight += point->total.weight;
		if (point->total.mode == MODE_KERNEL)
			asked->probes[i].kernel[event] += point->total.weight;
		if (cells)
			cells_add(cells, diff_probe_cell(i, event), point->time_ns,
				  (double)point->total.weight);
	}
}

const struct diff_probe *diff_asked_probes(const struct diff_asked *asked)
{
	return asked->probes;
}
