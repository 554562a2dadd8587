/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/probe_attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "collect/probe_links.h"
#include "collect/probe_ways.h"

enum { OFTEN = 16 }; /* links between two questions whether to give up */

typedef VEC(size_t) index_vec;

struct probe_links {
	VEC(int) fds;
};

/* One run of attaching. */
struct attaching {
	const struct probe_options *options;
	struct probe_programs *programs;
	struct probe_outcome *outcomes;
	struct probe_links *links;
	struct probe_ways ways;
	size_t made; /* links */
};

/* Why the kernel did not take a probe. */
static const struct {
	int error;
	const char *why;
} reasons[] = {
	{ ENOENT, "the kernel finds no such function" },
	{ ESRCH, "the kernel does not trace this function (notrace)" },
	{ EINVAL, "the kernel allows no probe here (notrace, blacklisted, or inside a function "
		  "with probes of another kind)" },
	{ EILSEQ, "there is no instruction that begins here" },
	{ EADDRNOTAVAIL, "several functions have this name" },
	{ EOPNOTSUPP, "this kernel has no way to it" },
	{ 524, "the kernel cannot probe this instruction" },
	{ EBUSY, "another tool has changed this function" },
	{ EPERM, "not permitted" },
	{ EACCES, "not permitted" },
	{ EMFILE, "too many files are open (ulimit -n)" },
	{ ENOMEM, "there is not enough memory" },
	{ E2BIG, "too many functions at a time" },
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

/* Is it about the kernel or us, whatever the target? */
static bool is_general(int rc)
{
	static const int errors[] = { EPERM, EACCES, EMFILE, ENFILE, ENOMEM, EOPNOTSUPP, ENOSYS };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i] == -rc)
			return true;
	}
	return false;
}

static int keep(struct attaching *attaching, int fd)
{
	const struct probe_options *options = attaching->options;

	if (fd < 0)
		return fd;
	*vec_push(&attaching->links->fds) = fd;
	if (attaching->made++ % OFTEN == 0 && options->give_up &&
	    options->give_up(options->context))
		return -EINTR;
	return 0;
}

static bool has_exits(const struct attaching *attaching, const struct probe_target *target)
{
	return attaching->options->measures & PROBE_EXITS && !target->instruction;
}

static uint64_t cookie_of(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	static const uint8_t returns[] = {
		[PROBE_RETURN_UNKNOWN] = PROBE_WIRE_UNKNOWN,
		[PROBE_RETURN_INT] = PROBE_WIRE_INT,
		[PROBE_RETURN_LONG] = PROBE_WIRE_LONG,
		[PROBE_RETURN_POINTER] = PROBE_WIRE_POINTER,
		[PROBE_RETURN_UNSIGNED] = PROBE_WIRE_UNSIGNED,
		[PROBE_RETURN_NOTHING] = PROBE_WIRE_NOTHING,
	};

	return index | (uint64_t)returns[target->returns] << PROBE_COOKIE_RETURNS_SHIFT |
	       (uint64_t)target->user << PROBE_COOKIE_USER_SHIFT;
}

/* One process is watched and nothing it forks: others need not be stopped by its probes. */
static pid_t only_pid(const struct probe_options *options)
{
	const struct probe_filter *filter = &options->filter;

	return filter->pid_count == 1 && !filter->follow ? filter->pids[0] : 0;
}

/* ---- one by one ---- */

static int program_of(struct attaching *attaching, enum probe_mechanism mechanism,
		      const struct probe_target *target, enum probe_end end)
{
	if (end == PROBE_AT_ENTRY && !has_exits(attaching, target))
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

static int link_one(struct attaching *attaching, enum probe_mechanism mechanism, size_t index,
		    enum probe_end end)
{
	const struct probe_target *target = &attaching->options->targets[index];
	int program = program_of(attaching, mechanism, target, end);
	uint64_t cookie = cookie_of(attaching, index);
	bool at_return = end == PROBE_AT_EXIT;

	if (program < 0)
		return program;
	if (mechanism == PROBE_FENTRY)
		return keep(attaching, probe_link_tracing(program, cookie, at_return));
	if (mechanism == PROBE_KPROBE)
		return keep(attaching, link_kprobe(program, target, cookie, at_return));
	return keep(attaching, probe_link_uprobe(program, target->path, target->offset, cookie,
						 at_return, only_pid(attaching->options)));
}

/* Each return instruction of a function. */
static int link_returns(struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	int program = program_of(attaching, PROBE_UPROBE, target, PROBE_AT_EXIT);
	uint64_t cookie = cookie_of(attaching, index) | 1ULL << PROBE_COOKIE_AT_RETURN_SHIFT;
	int rc = program < 0 ? program : 0;

	for (size_t i = 0; i < target->return_count && rc == 0; i++)
		rc = keep(attaching,
			  probe_link_uprobe(program, target->path, target->returns_at[i], cookie,
					    false, only_pid(attaching->options)));
	return rc;
}

static void close_from(struct probe_links *links, size_t count)
{
	while (links->fds.count > count)
		close(links->fds.items[--links->fds.count]);
}

/* Both ends of a target. What can only be entered is kept so. */
static int attach_one(struct attaching *attaching, enum probe_mechanism mechanism, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	struct probe_outcome *outcome = &attaching->outcomes[index];
	size_t before = attaching->links->fds.count;
	int rc = link_one(attaching, mechanism, index, PROBE_AT_ENTRY);

	if (rc == 0 && has_exits(attaching, target)) {
		rc = mechanism == PROBE_UPROBE && target->returns_at
			     ? link_returns(attaching, index)
			     : link_one(attaching, mechanism, index, PROBE_AT_EXIT);
	}
	if (rc < 0) {
		close_from(attaching->links, before);
		refuse(outcome, rc);
		return rc;
	}
	*outcome = (struct probe_outcome){ .mechanism = mechanism };
	return 0;
}

static int attach_each(struct attaching *attaching, enum probe_mechanism mechanism,
		       const index_vec *targets)
{
	for (size_t i = 0; i < targets->count; i++) {
		int rc = attach_one(attaching, mechanism, targets->items[i]);

		if (rc == -EINTR)
			return rc;
	}
	return 0;
}

/* ---- many at a time ---- */

/* A place that a multi link is to have. */
struct place {
	size_t target;
	unsigned long address; /* or offset */
	const char *symbol;
	uint64_t cookie;
};

typedef VEC(struct place) place_vec;

struct multi {
	enum probe_mechanism mechanism;
	const char *path; /* of a program's */
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
		return keep(attaching,
			    probe_link_uprobe_multi(multi->program, multi->path, addresses, cookies,
						    count, multi->at_return,
						    only_pid(attaching->options)));
	return keep(attaching,
		    probe_link_kprobe_multi(multi->program, places[0].address ? NULL : symbols,
					    addresses, cookies, count, multi->at_return));
}

/* Links all that can be; @take gets those that cannot. */
static int bisect(struct attaching *attaching, const struct multi *multi,
		  const struct place *places, size_t count,
		  void (*take)(struct attaching *attaching, size_t target, int rc))
{
	int rc = count ? link_places(attaching, multi, places, count) : 0;

	if (rc == 0 || rc == -EINTR)
		return rc;
	if (count == 1 || is_general(rc)) {
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
	refuse(&attaching->outcomes[target], rc);
}

static void take_without_exit(struct attaching *attaching, size_t target, int rc)
{
	struct probe_outcome *outcome = &attaching->outcomes[target];
	enum probe_mechanism mechanism = outcome->mechanism;

	refuse(outcome, rc);
	outcome->mechanism = mechanism;
	outcome->exits_missing = true;
}

static struct place place_of(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];

	return (struct place){ .target = index,
			       .address = target->user ? target->offset : target->address,
			       .symbol = target->name,
			       .cookie = cookie_of(attaching, index) };
}

/* The entries of those with (@pairs) or without exits. */
static int attach_entries(struct attaching *attaching, struct multi multi, const index_vec *targets,
			  bool pairs)
{
	place_vec places = { 0 };
	int rc = 0;

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (has_exits(attaching, &attaching->options->targets[index]) != pairs)
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

/* Adds where exits are seen: the function itself, or its return instructions. */
static void add_exits(const struct attaching *attaching, size_t index, bool at_return,
		      place_vec *places)
{
	const struct probe_target *target = &attaching->options->targets[index];
	struct place place = place_of(attaching, index);

	if (at_return != !target->returns_at)
		return;
	if (at_return) {
		*vec_push(places) = place;
		return;
	}
	place.cookie |= 1ULL << PROBE_COOKIE_AT_RETURN_SHIFT;
	for (size_t i = 0; i < target->return_count; i++) {
		place.address = target->returns_at[i];
		*vec_push(places) = place;
	}
}

/* Of those whose entries are attached. */
static int attach_exits(struct attaching *attaching, struct multi multi, const index_vec *targets,
			bool at_return)
{
	place_vec places = { 0 };
	int rc = 0;

	for (size_t i = 0; i < targets->count; i++) {
		size_t index = targets->items[i];

		if (has_exits(attaching, &attaching->options->targets[index]) &&
		    attaching->outcomes[index].mechanism == multi.mechanism)
			add_exits(attaching, index, at_return, &places);
	}
	if (places.count) {
		multi.at_return = at_return;
		multi.program = probe_programs_get(attaching->programs, multi.mechanism,
						   multi.path != NULL, PROBE_AT_EXIT);
		rc = multi.program < 0 ? multi.program
				       : bisect(attaching, &multi, places.items, places.count,
						take_without_exit);
	}
	vec_free(&places);
	return rc;
}

static int attach_many(struct attaching *attaching, enum probe_mechanism mechanism,
		       const char *path, const index_vec *targets)
{
	const struct multi multi = { .mechanism = mechanism, .path = path };
	int rc = attach_entries(attaching, multi, targets, true);

	if (rc == 0)
		rc = attach_entries(attaching, multi, targets, false);
	if (rc == 0)
		rc = attach_exits(attaching, multi, targets, true);
	if (rc == 0)
		rc = attach_exits(attaching, multi, targets, false);
	return rc;
}

/* ---- which targets how ---- */

enum kind { KERNEL_FUNCTIONS, KERNEL_INSTRUCTIONS, KERNEL_BY_NAME, USER };

/* Those of a kind that nothing was attached to yet. @path: of USER, only of this file. */
static void find_targets(const struct attaching *attaching, enum kind kind, const char *path,
			 index_vec *ret_targets)
{
	const struct probe_options *options = attaching->options;

	vec_free(ret_targets);
	for (size_t i = 0; i < options->target_count; i++) {
		const struct probe_target *target = &options->targets[i];
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
	const struct probe_options *options = attaching->options;
	index_vec targets = { 0 };
	size_t named = 0;
	int rc = 0;

	for (size_t i = 0; i < options->target_count; i++) {
		const struct probe_target *target = &options->targets[i];

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
	index_vec targets = { 0 };
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
	const struct probe_options *options = attaching->options;
	index_vec targets = { 0 };
	int rc = 0;

	for (size_t i = 0; i < options->target_count && rc == 0; i++) {
		const char *path = options->targets[i].path;

		if (!options->targets[i].user || attaching->outcomes[i].mechanism != PROBE_NONE ||
		    *attaching->outcomes[i].why)
			continue;
		find_targets(attaching, USER, path, &targets);
		if (attaching->ways.uprobe_multi)
			rc = attach_many(attaching, PROBE_UPROBE_MULTI, path, &targets);
		else if (attaching->ways.uprobe)
			rc = attach_each(attaching, PROBE_UPROBE, &targets);
	}
	vec_free(&targets);
	return rc;
}

/* Where there is no further way, the one that was tried is not the whole reason. */
static void explain_rest(struct attaching *attaching)
{
	const struct probe_ways *ways = &attaching->ways;

	for (size_t i = 0; i < attaching->options->target_count; i++) {
		struct probe_outcome *outcome = &attaching->outcomes[i];

		if (outcome->mechanism != PROBE_NONE)
			continue;
		if (attaching->options->targets[i].user && !ways->uprobe_multi && !ways->uprobe)
			say(outcome, "this kernel has no uprobes");
		else if (!attaching->options->targets[i].user && !ways->kprobe_multi &&
			 !ways->kprobe)
			say(outcome, "this kernel has no kprobes, and does not permit fentry here");
		else if (!*outcome->why)
			refuse(outcome, -EOPNOTSUPP);
	}
}

int probe_links_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_outcome *outcomes, struct probe_links **ret_links, struct err *err)
{
	_cleanup_(probe_links_freep) struct probe_links *links = xcalloc(1, sizeof(*links));
	struct attaching attaching = { .options = options,
				       .programs = programs,
				       .outcomes = outcomes,
				       .links = links,
				       .ways = probe_ways_find(false) };
	int rc = attach_kernel(&attaching);

	if (rc == 0)
		rc = attach_user(&attaching);
	if (rc == -EINTR)
		return err_set(err, rc, "given up while attaching; all is detached again");
	if (rc < 0)
		return err_set(err, rc, "probes cannot be attached: %s", strerror(-rc));
	explain_rest(&attaching);
	*ret_links = steal_ptr(links);
	return 0;
}

void probe_links_free(struct probe_links *links)
{
	if (!links)
		return;
	/* Entries before exits: no call is left that was entered but not followed to its end. */
	for (size_t i = 0; i < links->fds.count; i++)
		close(links->fds.items[i]);
	vec_free(&links->fds);
	free(links);
}
