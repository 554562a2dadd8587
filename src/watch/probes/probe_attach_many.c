/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_attach_many.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "watch/probes/probe_links.h"

/* A place for a multi link. */
struct place {
	size_t target;
	unsigned long address; /* or offset */
	const char *symbol;
	uint64_t cookie;
};

typedef VEC(struct place) place_vec;

struct multi {
	enum probe_mechanism mechanism;
	const char *path; /* of a user program; NULL: the kernel */
	int program;
	bool at_return;
};

static int link_places(struct attaching *attaching, const struct multi *multi,
		       const struct place *places, size_t count)
{
	_cleanup_free_ unsigned long *addresses = xcalloc(count, sizeof(*addresses));
	_cleanup_free_ const char **symbols = xcalloc(count, sizeof(*symbols));
	_cleanup_free_ uint64_t *cookies = xcalloc(count, sizeof(*cookies));

	for (size_t i = 0; i < count; i++) {
		addresses[i] = places[i].address;
		symbols[i] = places[i].symbol;
		cookies[i] = places[i].cookie;
	}
	if (multi->mechanism == PROBE_UPROBE_MULTI)
		return probe_attaching_keep(
			attaching,
			probe_link_uprobe_multi(multi->program, multi->path, addresses, cookies,
						count, multi->at_return,
						probe_attaching_only_pid(attaching->options)));
	return probe_attaching_keep(
		attaching,
		probe_link_kprobe_multi(multi->program, places[0].address ? NULL : symbols,
					addresses, cookies, count, multi->at_return));
}

/* Links all places that can be linked; @take gets the others. */
static int bisect(struct attaching *attaching, const struct multi *multi,
		  const struct place *places, size_t count,
		  void (*take)(struct attaching *attaching, size_t target, int rc))
{
	int rc = count ? link_places(attaching, multi, places, count) : 0;

	if (rc == 0 || rc == -EINTR)
		return rc;
	if (count == 1 || probe_attaching_is_general(rc)) {
		for (size_t i = 0; i < count; i++)
			take(attaching, places[i].target, rc);
		return 0;
	}
	rc = bisect(attaching, multi, places, count / 2, take);
	if (rc == 0)
		rc = bisect(attaching, multi, places + count / 2, count - count / 2, take);
	return rc;
}

static void take_refused(struct attaching *attaching, size_t target, int rc)
{
	probe_attaching_refuse(&attaching->outcomes[target], rc);
}

static void take_without_exit(struct attaching *attaching, size_t target, int rc)
{
	struct probe_outcome *outcome = &attaching->outcomes[target];
	enum probe_mechanism mechanism = outcome->mechanism;

	probe_attaching_refuse(outcome, rc);
	outcome->mechanism = mechanism;
	outcome->exits_missing = true;
}

static struct place place_of(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];

	return (struct place){ .target = index,
			       .address = target->user ? target->offset : target->address,
			       .symbol = target->name,
			       .cookie = probe_attaching_cookie(attaching, index) };
}

/* Attaches the entries of targets with exits (@pairs) or without. */
static int attach_entries(struct attaching *attaching, struct multi multi,
			  const probe_indices *targets, bool pairs)
{
	place_vec places = { 0 };
	int rc = 0;

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (probe_attaching_has_exits(attaching, &attaching->options->targets[index]) !=
		    pairs)
			continue;
		*vec_push(&places) = place_of(attaching, index);
		attaching->outcomes[index] = (struct probe_outcome){ .mechanism = multi.mechanism };
	}
	multi.program = probe_programs_get(attaching->programs, multi.mechanism, multi.path != NULL,
					   pairs ? PROBE_AT_ENTRY : PROBE_AT_ENTRY_ONLY);
	if (multi.program < 0 && places.count) {
		for (size_t i = 0; i < places.count; i++)
			take_refused(attaching, places.items[i].target, multi.program);
	} else {
		rc = bisect(attaching, &multi, places.items, places.count, take_refused);
	}
	vec_free(&places);
	return rc;
}

/* Adds the offset that is also the function's entry or, without @at_entry, the others. */
static void add_spots(struct place place, unsigned spot, const uint64_t *offsets, size_t count,
		      bool at_entry, place_vec *places)
{
	unsigned long entry = place.address;

	place.cookie = probe_attaching_spot(place.cookie, spot);
	for (size_t i = 0; i < count; i++) {
		place.address = offsets[i];
		if ((place.address == entry) == at_entry)
			*vec_push(places) = place;
	}
}

static void add_ends(const struct attaching *attaching, size_t index, bool at_entry,
		     place_vec *places)
{
	const struct probe_target *target = &attaching->options->targets[index];
	struct place place = place_of(attaching, index);

	add_spots(place, PROBE_SPOT_RETURN, target->returns_at, target->return_count, at_entry,
		  places);
	add_spots(place, PROBE_SPOT_JUMP, target->jumps_at, target->jump_count, at_entry, places);
}

/* Adds where exits are seen: the function itself (PROBE_AT_EXIT), or its instructions. */
static void add_exits(const struct attaching *attaching, size_t index, enum probe_end end,
		      place_vec *places)
{
	const struct probe_target *target = &attaching->options->targets[index];
	struct place place = place_of(attaching, index);

	if (end == PROBE_AT_EXIT) {
		if (!target->returns_at)
			*vec_push(places) = place;
		return;
	}
	add_ends(attaching, index, false, places);
}

static void take_no_notice(struct attaching *attaching, size_t target, int rc)
{
	(void)attaching;
	(void)target;
	(void)rc;
}

/* Attaches ends at the first instruction of a function. These go before the entries: at one address
 * the kernel runs the program attached last first, and a call must be entered before it ends. */
static int attach_ends_at_entries(struct attaching *attaching, struct multi multi,
				  const probe_indices *targets)
{
	place_vec places = { 0 };
	int rc = 0;

	for (size_t i = 0; i < targets->count; i++) {
		if (probe_attaching_has_exits(attaching,
					      &attaching->options->targets[targets->items[i]]))
			add_ends(attaching, targets->items[i], true, &places);
	}
	if (places.count) {
		multi.program = probe_programs_get(attaching->programs, multi.mechanism,
						   multi.path != NULL, PROBE_AT_SPOT);
		rc = multi.program < 0 ? multi.program
				       : bisect(attaching, &multi, places.items, places.count,
						take_no_notice);
	}
	vec_free(&places);
	return rc;
}

/* Attaches the exits of targets with attached entries. */
static int attach_exits(struct attaching *attaching, struct multi multi,
			const probe_indices *targets, enum probe_end end)
{
	place_vec places = { 0 };
	int rc = 0;

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (probe_attaching_has_exits(attaching, &attaching->options->targets[index]) &&
		    attaching->outcomes[index].mechanism == multi.mechanism)
			add_exits(attaching, index, end, &places);
	}
	if (places.count) {
		multi.at_return = end == PROBE_AT_EXIT;
		multi.program = probe_programs_get(attaching->programs, multi.mechanism,
						   multi.path != NULL, end);
		rc = multi.program < 0 ? multi.program
				       : bisect(attaching, &multi, places.items, places.count,
						take_without_exit);
	}
	vec_free(&places);
	return rc;
}

int probe_attach_many(struct attaching *attaching, enum probe_mechanism mechanism, const char *path,
		      const probe_indices *targets)
{
	const struct multi multi = { .mechanism = mechanism, .path = path };
	int rc = path ? attach_ends_at_entries(attaching, multi, targets) : 0;

	if (rc == 0)
		rc = attach_entries(attaching, multi, targets, true);
	if (rc == 0)
		rc = attach_entries(attaching, multi, targets, false);
	if (rc == 0)
		rc = attach_exits(attaching, multi, targets, PROBE_AT_EXIT);
	if (rc == 0)
		rc = attach_exits(attaching, multi, targets, PROBE_AT_SPOT);
	return rc;
}
