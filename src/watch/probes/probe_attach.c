/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "watch/probes/probe_links.h"
#include "watch/probes/probe_ways.h"

enum { OFTEN = 16 }; /* links between two calls of give_up */

struct probe_attached {
	const struct probe_options *options; /* borrowed */
	VEC(int) links;
};

struct attaching {
	const struct probe_options *options;
	struct probe_programs *programs;
	struct probe_outcome *outcomes; /* one per target */
	struct probe_attached *attached;
	struct probe_ways ways;
	size_t made; /* number of links */
};

typedef VEC(size_t) indices; /* of targets */

static const struct probe_target *target_at(const struct attaching *attaching, size_t index)
{
	return &attaching->options->targets[index];
}

/* ---- outcomes ---- */

/* Why the kernel refused a probe. */
static const struct {
	int error;
	const char *why;
} reasons[] = {
	{ ENOENT, "the kernel has no such function" },
	{ ESRCH, "the kernel does not trace this function (notrace)" },
	{ EINVAL, "the kernel allows no probe here (notrace, blacklisted, or inside a function "
		  "with probes of another kind)" },
	{ EILSEQ, "no instruction begins here" },
	{ EADDRNOTAVAIL, "several functions have this name" },
	{ EOPNOTSUPP, "this kernel cannot probe it" },
	{ 524, "the kernel cannot probe this instruction" },
	{ EBUSY, "another tool has modified this function" },
	{ EPERM, "not permitted" },
	{ EACCES, "not permitted" },
	{ EMFILE, "too many open files: raise the limit with 'ulimit -n'" },
	{ ENFILE, "too many open files in the whole system: raise sysctl fs.file-max" },
	{ ENOMEM, "out of memory" },
	{ E2BIG, "too many functions at once" },
};

static void say(struct probe_outcome *outcome, const char *why)
{
	snprintf(outcome->why, sizeof(outcome->why), "%s", why);
}

static void refuse(struct probe_outcome *outcome, int rc)
{
	const char *why = strerror(-rc);

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].error == -rc)
			why = reasons[i].why;
	}
	outcome->mechanism = PROBE_NONE;
	say(outcome, why);
}

static void tell(const struct probe_options *options, const char *act, size_t done, size_t count)
{
	if (options->tell)
		options->tell(options->context, act, done, count);
}

/* Keeps a link and owns its descriptor. Returns @fd if it is negative; -EINTR: give up. */
static int keep(struct attaching *attaching, int fd)
{
	const struct probe_options *options = attaching->options;

	if (fd < 0)
		return fd;
	*vec_push(&attaching->attached->links) = fd;
	if (attaching->made++ % OFTEN == 0 && options->give_up &&
	    options->give_up(options->context))
		return -EINTR;
	return 0;
}

/* ---- places ---- */

struct place {
	size_t target;
	unsigned long address; /* or offset */
	const char *symbol;
	uint64_t cookie;
};

typedef VEC(struct place) place_vec;

/* True for a Go function whose goroutines cannot be identified, or whose returns are not known. A
 * probe must not replace return addresses there. */
static bool hides_ends(const struct probe_options *options, const struct probe_target *target)
{
	return target->go && (target->go > options->go_count ||
			      !options->goes[target->go - 1].known || !target->returns_at);
}

static bool has_exits(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = target_at(attaching, index);

	return attaching->options->measures & PROBE_EXITS && !target->instruction &&
	       !hides_ends(attaching->options, target);
}

/* The entry of a target. */
static struct place place_of(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = target_at(attaching, index);
	uint64_t kind = target->may_start ? PROBE_WIRE_START : target->returns.kind;
	uint64_t returns = kind | (uint64_t)target->returns.bits / 8 << PROBE_COOKIE_BYTES_SHIFT;
	uint64_t cookie = index | returns << PROBE_COOKIE_RETURNS_SHIFT |
			  (uint64_t)target->user << PROBE_COOKIE_USER_SHIFT |
			  (uint64_t)(target->returns_at != NULL) << PROBE_COOKIE_OWN_ENDS_SHIFT |
			  (uint64_t)probe_target_needs_sites(target) << PROBE_COOKIE_SITES_SHIFT |
			  (uint64_t)target->ends_partly << PROBE_COOKIE_PARTLY_SHIFT |
			  (uint64_t)target->go << PROBE_COOKIE_GO_SHIFT;

	return (struct place){ .target = index,
			       .address = target->user ? target->offset : target->address,
			       .symbol = target->name,
			       .cookie = cookie };
}

/* Adds the offset that is also the function's entry or, without @at_entry, the others. */
static void add_spots(struct place place, enum probe_spot spot, const uint64_t *offsets,
		      size_t count, bool at_entry, place_vec *places)
{
	unsigned long entry = place.address;

	place.cookie |= (uint64_t)spot << PROBE_COOKIE_SPOT_SHIFT;
	for (size_t i = 0; i < count; i++) {
		place.address = offsets[i];
		if ((place.address == entry) == at_entry)
			*vec_push(places) = place;
	}
}

/* Adds the instructions where calls of a function end. The one at its entry (@at_entry) must be
 * linked before the entry: at one address the kernel runs the program attached last first, and a
 * call must be entered before it ends. */
static void add_ends(const struct attaching *attaching, size_t index, bool at_entry,
		     place_vec *places)
{
	const struct probe_target *target = target_at(attaching, index);
	struct place place = place_of(attaching, index);

	add_spots(place, PROBE_SPOT_RETURN, target->returns_at, target->return_count, at_entry,
		  places);
	add_spots(place, PROBE_SPOT_JUMP, target->jumps_at, target->jump_count, at_entry, places);
}

/* ---- one by one: fentry, kprobes, uprobes ---- */

static int program_of(struct attaching *attaching, enum probe_mechanism mechanism, size_t index,
		      enum probe_end end)
{
	const struct probe_target *target = target_at(attaching, index);

	if (end == PROBE_AT_ENTRY && !has_exits(attaching, index))
		end = PROBE_AT_ENTRY_ONLY;
	if (mechanism == PROBE_FENTRY)
		return probe_programs_get_fentry(attaching->programs, target->module, target->name,
						 end);
	return probe_programs_get(attaching->programs, mechanism, target->user, end);
}

static int link_kprobe(int program, const struct probe_target *target, uint64_t cookie,
		       bool at_return)
{
	struct buf symbol = { 0 };
	int fd;

	if (target->address)
		return probe_link_kprobe(program, NULL, target->address, cookie, at_return);
	if (target->module)
		buf_printf(&symbol, "%s:", target->module);
	buf_add_str(&symbol, target->name);
	fd = probe_link_kprobe(program, buf_text(&symbol), target->displacement, cookie, at_return);
	buf_done(&symbol);
	return fd;
}

static int link_one(struct attaching *attaching, enum probe_mechanism mechanism,
		    const struct place *place, enum probe_end end)
{
	const struct probe_target *target = target_at(attaching, place->target);
	int program = program_of(attaching, mechanism, place->target, end), fd;
	bool at_return = end == PROBE_AT_EXIT;

	if (program < 0)
		return program;
	if (mechanism == PROBE_FENTRY)
		fd = probe_link_tracing(program, place->cookie, at_return);
	else if (mechanism == PROBE_KPROBE)
		fd = link_kprobe(program, target, place->cookie, at_return);
	else
		fd = probe_link_uprobe(program, target->path, place->address, place->cookie,
				       at_return, probe_link_only_pid(attaching->options));
	return keep(attaching, fd);
}

static int link_ends(struct attaching *attaching, enum probe_mechanism mechanism, size_t index,
		     bool at_entry)
{
	place_vec places = { 0 };
	int rc = 0;

	add_ends(attaching, index, at_entry, &places);
	for (size_t i = 0; i < places.count && rc == 0; i++)
		rc = link_one(attaching, mechanism, &places.items[i], PROBE_AT_SPOT);
	vec_free(&places);
	return rc;
}

/* Links the entry of a target and, if it has exits, the ends of calls. */
static int link_target(struct attaching *attaching, enum probe_mechanism mechanism, size_t index)
{
	const struct place place = place_of(attaching, index);
	bool exits = has_exits(attaching, index), spots = exits && mechanism == PROBE_UPROBE;
	int rc = spots ? link_ends(attaching, mechanism, index, true) : 0;

	if (rc == 0)
		rc = link_one(attaching, mechanism, &place, PROBE_AT_ENTRY);
	if (rc == 0 && exits && !(spots && target_at(attaching, index)->returns_at))
		rc = link_one(attaching, mechanism, &place, PROBE_AT_EXIT);
	return rc == 0 && spots ? link_ends(attaching, mechanism, index, false) : rc;
}

static void close_from(struct probe_attached *attached, size_t count)
{
	while (attached->links.count > count)
		close(attached->links.items[--attached->links.count]);
}

/* Attaches all of a target or nothing; then its outcome says why. -EINTR: given up. */
static int attach_each(struct attaching *attaching, enum probe_mechanism mechanism,
		       const indices *targets)
{
	static const char act[] = "attaching";

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i], before = attaching->attached->links.count;
		int rc = link_target(attaching, mechanism, index);

		if (rc < 0) {
			close_from(attaching->attached, before);
			refuse(&attaching->outcomes[index], rc);
		} else {
			attaching->outcomes[index] =
				(struct probe_outcome){ .mechanism = mechanism };
		}
		if (rc == -EINTR)
			return rc;
		tell(attaching->options, act, i + 1, targets->count);
	}
	return 0;
}

/* ---- many at once: kprobe.multi, uprobe.multi ---- */

struct multi {
	enum probe_mechanism mechanism;
	const char *path; /* of a user program; NULL: the kernel */
	int program;
	bool at_return;
};

/* Gets the places that the kernel refused. */
typedef void take_refusal(struct probe_outcome *outcome, int rc);

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
		return keep(attaching,
			    probe_link_uprobe_multi(multi->program, multi->path, addresses, cookies,
						    count, multi->at_return,
						    probe_link_only_pid(attaching->options)));
	return keep(attaching,
		    probe_link_kprobe_multi(multi->program, places[0].address ? NULL : symbols,
					    addresses, cookies, count, multi->at_return));
}

/* Links all places that can be linked: if one of many makes a link fail, tries halves. */
static int bisect(struct attaching *attaching, const struct multi *multi,
		  const struct place *places, size_t count, take_refusal *take)
{
	int rc = link_places(attaching, multi, places, count);

	if (rc == 0 || rc == -EINTR)
		return rc;
	if (count == 1 || probe_link_is_general(rc)) {
		for (size_t i = 0; i < count && take; i++)
			take(&attaching->outcomes[places[i].target], rc);
		return 0;
	}
	rc = bisect(attaching, multi, places, count / 2, take);
	if (rc == 0)
		rc = bisect(attaching, multi, places + count / 2, count - count / 2, take);
	return rc;
}

static void take_without_exit(struct probe_outcome *outcome, int rc)
{
	enum probe_mechanism mechanism = outcome->mechanism;

	refuse(outcome, rc);
	outcome->mechanism = mechanism;
	outcome->exits_missing = true;
}

/* Links @places by the program for @end, and frees them. Without such a program, entries are refused
 * one and all. */
static int link_all(struct attaching *attaching, struct multi multi, enum probe_end end,
		    place_vec *places, take_refusal *take)
{
	int rc = 0;

	if (places->count) {
		multi.at_return = end == PROBE_AT_EXIT;
		multi.program = probe_programs_get(attaching->programs, multi.mechanism,
						   multi.path != NULL, end);
		rc = multi.program < 0
			     ? multi.program
			     : bisect(attaching, &multi, places->items, places->count, take);
	}
	if (multi.program < 0 && take == refuse) {
		for (size_t i = 0; i < places->count; i++)
			refuse(&attaching->outcomes[places->items[i].target], rc);
		rc = 0;
	}
	vec_free(places);
	return rc;
}

/* Attaches the entries of targets with exits (@pairs) or without. */
static int attach_entries(struct attaching *attaching, struct multi multi, const indices *targets,
			  bool pairs)
{
	place_vec places = { 0 };

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (has_exits(attaching, index) != pairs)
			continue;
		*vec_push(&places) = place_of(attaching, index);
		attaching->outcomes[index] = (struct probe_outcome){ .mechanism = multi.mechanism };
	}
	return link_all(attaching, multi, pairs ? PROBE_AT_ENTRY : PROBE_AT_ENTRY_ONLY, &places,
			refuse);
}

static int attach_ends_at_entries(struct attaching *attaching, struct multi multi,
				  const indices *targets)
{
	place_vec places = { 0 };

	for (size_t i = 0; i < targets->count; i++) {
		if (has_exits(attaching, targets->items[i]))
			add_ends(attaching, targets->items[i], true, &places);
	}
	return link_all(attaching, multi, PROBE_AT_SPOT, &places, NULL);
}

/* Attaches the exits of targets with attached entries: at the function itself (PROBE_AT_EXIT), or
 * at its instructions. */
static int attach_exits(struct attaching *attaching, struct multi multi, const indices *targets,
			enum probe_end end)
{
	place_vec places = { 0 };

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (!has_exits(attaching, index) ||
		    attaching->outcomes[index].mechanism != multi.mechanism)
			continue;
		if (end != PROBE_AT_EXIT)
			add_ends(attaching, index, false, &places);
		else if (!target_at(attaching, index)->returns_at)
			*vec_push(&places) = place_of(attaching, index);
	}
	return link_all(attaching, multi, end, &places, take_without_exit);
}

/* @path: the file of all targets; NULL: kernel targets. The outcomes of those that the kernel
 * refuses say why. -EINTR: given up. */
static int attach_many(struct attaching *attaching, enum probe_mechanism mechanism,
		       const char *path, const indices *targets)
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

/* ---- all ---- */

enum kind { KERNEL_FUNCTIONS, KERNEL_INSTRUCTIONS, KERNEL_BY_NAME, USER };

/* The targets of a kind that are not attached yet. @path: for USER, only of this file. */
static void find_targets(const struct attaching *attaching, enum kind kind, const char *path,
			 indices *ret_targets)
{
	vec_free(ret_targets);
	for (size_t i = 0; i < attaching->options->target_count; i++) {
		const struct probe_target *target = target_at(attaching, i);
		enum kind of = target->user	     ? USER
			       : target->instruction ? KERNEL_INSTRUCTIONS
			       : target->address     ? KERNEL_FUNCTIONS
						     : KERNEL_BY_NAME;

		if (of == kind && attaching->outcomes[i].mechanism == PROBE_NONE &&
		    (!path || strcmp(path, target->path) == 0))
			*vec_push(ret_targets) = i;
	}
}

static int attach_fentry(struct attaching *attaching)
{
	indices targets = { 0 };
	size_t named = 0;
	int rc = 0;

	for (size_t i = 0; i < attaching->options->target_count; i++) {
		const struct probe_target *target = target_at(attaching, i);

		if (target->user || target->instruction)
			continue;
		named++;
		if (target->name && !target->shares_name)
			*vec_push(&targets) = i;
	}
	if (named <= PROBE_MAX_FENTRY)
		rc = attach_each(attaching, PROBE_FENTRY, &targets);
	vec_free(&targets);
	return rc;
}

static int attach_kernel(struct attaching *attaching)
{
	static const enum kind kinds[] = { KERNEL_FUNCTIONS, KERNEL_BY_NAME, KERNEL_INSTRUCTIONS };
	indices targets = { 0 };
	int rc = attaching->ways.fentry ? attach_fentry(attaching) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && rc == 0; i++) {
		find_targets(attaching, kinds[i], NULL, &targets);
		if (targets.count && attaching->ways.kprobe_multi &&
		    kinds[i] != KERNEL_INSTRUCTIONS)
			rc = attach_many(attaching, PROBE_KPROBE_MULTI, NULL, &targets);
		find_targets(attaching, kinds[i], NULL, &targets);
		if (rc == 0 && attaching->ways.kprobe)
			rc = attach_each(attaching, PROBE_KPROBE, &targets);
	}
	vec_free(&targets);
	return rc;
}

static int attach_user(struct attaching *attaching)
{
	indices targets = { 0 };
	int rc = 0;

	for (size_t i = 0; i < attaching->options->target_count && rc == 0; i++) {
		const struct probe_target *target = target_at(attaching, i);

		if (!target->user || attaching->outcomes[i].mechanism != PROBE_NONE ||
		    *attaching->outcomes[i].why)
			continue;
		find_targets(attaching, USER, target->path, &targets);
		if (attaching->ways.uprobe_multi)
			rc = attach_many(attaching, PROBE_UPROBE_MULTI, target->path, &targets);
		else if (attaching->ways.uprobe)
			rc = attach_each(attaching, PROBE_UPROBE, &targets);
	}
	vec_free(&targets);
	return rc;
}

static void explain_hidden(struct attaching *attaching, size_t index)
{
	const struct probe_target *target = target_at(attaching, index);
	struct probe_outcome *outcome = &attaching->outcomes[index];

	if (!(attaching->options->measures & PROBE_EXITS) || target->instruction ||
	    !hides_ends(attaching->options, target))
		return;
	outcome->exits_missing = true;
	say(outcome, target->returns_at ? "this Go release does not let goroutines be identified"
					: "cannot find where this Go function returns");
}

/* If the kernel has no mechanism at all, say so instead of the last refusal. */
static void explain_rest(struct attaching *attaching)
{
	const struct probe_ways *ways = &attaching->ways;

	for (size_t i = 0; i < attaching->options->target_count; i++) {
		struct probe_outcome *outcome = &attaching->outcomes[i];
		bool user = target_at(attaching, i)->user;

		if (outcome->mechanism != PROBE_NONE)
			explain_hidden(attaching, i);
		else if (user && !ways->uprobe_multi && !ways->uprobe)
			say(outcome, "this kernel has no uprobes");
		else if (!user && !ways->kprobe_multi && !ways->kprobe)
			say(outcome,
			    "this kernel has no kprobes, and fentry is not permitted here");
		else if (!*outcome->why)
			refuse(outcome, -EOPNOTSUPP);
	}
}

int probe_attach_new(const struct probe_options *options, struct probe_programs *programs,
		     struct probe_outcome *outcomes, struct probe_attached **ret_attached,
		     struct err *err)
{
	_cleanup_(probe_attach_freep) struct probe_attached *attached =
		xcalloc(1, sizeof(*attached));
	struct attaching attaching = { .options = options,
				       .programs = programs,
				       .outcomes = outcomes,
				       .attached = attached,
				       .ways = probe_ways_find(false) };
	int rc;

	attached->options = options;
	rc = attach_kernel(&attaching);
	if (rc == 0)
		rc = attach_user(&attaching);
	if (rc == -EINTR)
		return err_set(err, rc,
			       "interrupted while attaching; all probes were detached again");
	if (rc < 0)
		return err_set(err, rc, "cannot attach probes: %s", strerror(-rc));
	explain_rest(&attaching);
	*ret_attached = steal_ptr(attached);
	return 0;
}

void probe_attach_free(struct probe_attached *attached)
{
	static const char act[] = "detaching";

	if (!attached)
		return;
	/* Entries go before exits, but for ends at a first instruction: an entered call is followed
	 * to its end. */
	for (size_t i = 0; i < attached->links.count; i++) {
		close(attached->links.items[i]);
		tell(attached->options, act, i + 1, attached->links.count);
	}
	vec_free(&attached->links);
	free(attached);
}
