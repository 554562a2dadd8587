/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "watch/probes/probe_attach_each.h"
#include "watch/probes/probe_attach_many.h"
#include "watch/probes/probe_attaching.h"

enum kind { KERNEL_FUNCTIONS, KERNEL_INSTRUCTIONS, KERNEL_BY_NAME, USER };

/* The targets of a kind that are not attached yet. @path: for USER, only of this file. */
static void find_targets(const struct attaching *attaching, enum kind kind, const char *path,
			 probe_indices *ret_targets)
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
	probe_indices targets = { 0 };
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
		rc = probe_attach_each(attaching, PROBE_FENTRY, &targets);
	vec_free(&targets);
	return rc;
}

static int attach_kernel(struct attaching *attaching)
{
	static const enum kind kinds[] = { KERNEL_FUNCTIONS, KERNEL_BY_NAME, KERNEL_INSTRUCTIONS };
	probe_indices targets = { 0 };
	int rc = attaching->ways.fentry ? attach_fentry(attaching) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && rc == 0; i++) {
		find_targets(attaching, kinds[i], NULL, &targets);
		if (targets.count && attaching->ways.kprobe_multi &&
		    kinds[i] != KERNEL_INSTRUCTIONS)
			rc = probe_attach_many(attaching, PROBE_KPROBE_MULTI, NULL, &targets);
		find_targets(attaching, kinds[i], NULL, &targets);
		if (rc == 0 && attaching->ways.kprobe)
			rc = probe_attach_each(attaching, PROBE_KPROBE, &targets);
	}
	vec_free(&targets);
	return rc;
}

static int attach_user(struct attaching *attaching)
{
	const struct probe_options *options = attaching->options;
	probe_indices targets = { 0 };
	int rc = 0;

	for (size_t i = 0; i < options->target_count && rc == 0; i++) {
		const char *path = options->targets[i].path;

		if (!options->targets[i].user || attaching->outcomes[i].mechanism != PROBE_NONE ||
		    *attaching->outcomes[i].why)
			continue;
		find_targets(attaching, USER, path, &targets);
		if (attaching->ways.uprobe_multi)
			rc = probe_attach_many(attaching, PROBE_UPROBE_MULTI, path, &targets);
		else if (attaching->ways.uprobe)
			rc = probe_attach_each(attaching, PROBE_UPROBE, &targets);
	}
	vec_free(&targets);
	return rc;
}

static void explain_hidden(struct attaching *attaching, size_t index)
{
	const struct probe_options *options = attaching->options;
	const struct probe_target *target = &options->targets[index];
	struct probe_outcome *outcome = &attaching->outcomes[index];

	if (!(options->measures & PROBE_EXITS) || target->instruction ||
	    !probe_attaching_hides_ends(options, target))
		return;
	outcome->exits_missing = true;
	probe_attaching_say(outcome,
			    target->returns_at
				    ? "this Go release does not let goroutines be identified"
				    : "cannot find where this Go function returns");
}

/* If the kernel has no mechanism at all, say so instead of the last refusal. */
static void explain_rest(struct attaching *attaching)
{
	const struct probe_ways *ways = &attaching->ways;

	for (size_t i = 0; i < attaching->options->target_count; i++) {
		struct probe_outcome *outcome = &attaching->outcomes[i];

		if (outcome->mechanism != PROBE_NONE) {
			explain_hidden(attaching, i);
			continue;
		}
		if (attaching->options->targets[i].user && !ways->uprobe_multi && !ways->uprobe)
			probe_attaching_say(outcome, "this kernel has no uprobes");
		else if (!attaching->options->targets[i].user && !ways->kprobe_multi &&
			 !ways->kprobe)
			probe_attaching_say(
				outcome,
				"this kernel has no kprobes, and fentry is not permitted here");
		else if (!*outcome->why)
			probe_attaching_refuse(outcome, -EOPNOTSUPP);
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
	int rc;

	links->options = options;
	rc = attach_kernel(&attaching);
	if (rc == 0)
		rc = attach_user(&attaching);
	if (rc == -EINTR)
		return err_set(err, rc,
			       "interrupted while attaching; all probes were detached again");
	if (rc < 0)
		return err_set(err, rc, "cannot attach probes: %s", strerror(-rc));
	explain_rest(&attaching);
	*ret_links = steal_ptr(links);
	return 0;
}

void probe_links_free(struct probe_links *links)
{
	static const char act[] = "detaching";

	if (!links)
		return;
	/* Entries go before exits, but for ends at a first instruction: an entered call is followed
	 * to its end. */
	for (size_t i = 0; i < links->fds.count; i++) {
		close(links->fds.items[i]);
		probe_attaching_tell(links->options, act, i + 1, links->fds.count);
	}
	vec_free(&links->fds);
	free(links);
}
