/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_attach_each.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "bpf/probe_wire.h"
#include "watch/probes/probe_links.h"

static int program_of(struct attaching *attaching, enum probe_mechanism mechanism,
		      const struct probe_target *target, enum probe_end end)
{
	if (end == PROBE_AT_ENTRY && !probe_attaching_has_exits(attaching, target))
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
	uint64_t cookie = probe_attaching_cookie(attaching, index);
	bool at_return = end == PROBE_AT_EXIT;

	if (program < 0)
		return program;
	if (mechanism == PROBE_FENTRY)
		return probe_attaching_keep(attaching,
					    probe_link_tracing(program, cookie, at_return));
	if (mechanism == PROBE_KPROBE)
		return probe_attaching_keep(attaching,
					    link_kprobe(program, target, cookie, at_return));
	return probe_attaching_keep(
		attaching,
		probe_link_uprobe(program, target->path, target->offset, cookie, at_return,
				  probe_attaching_only_pid(attaching->options)));
}

/* Links the instructions of a function where calls end: the one that is also its entry or, without
 * @at_entry, the others. */
static int link_spots(struct attaching *attaching, size_t index, bool at_entry, unsigned spot,
		      const uint64_t *offsets, size_t count)
{
	const struct probe_target *target = &attaching->options->targets[index];
	int program = program_of(attaching, PROBE_UPROBE, target, PROBE_AT_SPOT);
	uint64_t cookie = probe_attaching_spot(probe_attaching_cookie(attaching, index), spot);
	int rc = program < 0 ? program : 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		if ((offsets[i] == target->offset) != at_entry)
			continue;
		rc = probe_attaching_keep(
			attaching,
			probe_link_uprobe(program, target->path, offsets[i], cookie, false,
					  probe_attaching_only_pid(attaching->options)));
	}
	return rc;
}

/* These go before the entry: at one address the kernel runs the program attached last first, and a
 * call must be entered before it ends. */
static int link_ends_at_entry(struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	int rc = link_spots(attaching, index, true, PROBE_SPOT_RETURN, target->returns_at,
			    target->return_count);

	return rc < 0 ? rc
		      : link_spots(attaching, index, true, PROBE_SPOT_JUMP, target->jumps_at,
				   target->jump_count);
}

static int link_ends(struct attaching *attaching, enum probe_mechanism mechanism, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	int rc;

	if (mechanism != PROBE_UPROBE)
		return link_one(attaching, mechanism, index, PROBE_AT_EXIT);
	rc = target->returns_at ? link_spots(attaching, index, false, PROBE_SPOT_RETURN,
					     target->returns_at, target->return_count)
				: link_one(attaching, mechanism, index, PROBE_AT_EXIT);
	return rc < 0 ? rc
		      : link_spots(attaching, index, false, PROBE_SPOT_JUMP, target->jumps_at,
				   target->jump_count);
}

static void close_from(struct probe_links *links, size_t count)
{
	while (links->fds.count > count)
		close(links->fds.items[--links->fds.count]);
}

/* Attaches the entry of a target and, if it has exits, the ends of calls; all or nothing. */
static int attach_one(struct attaching *attaching, enum probe_mechanism mechanism, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	struct probe_outcome *outcome = &attaching->outcomes[index];
	size_t before = attaching->links->fds.count;
	bool exits = probe_attaching_has_exits(attaching, target);
	int rc = mechanism == PROBE_UPROBE && exits ? link_ends_at_entry(attaching, index) : 0;

	if (rc == 0)
		rc = link_one(attaching, mechanism, index, PROBE_AT_ENTRY);
	if (rc == 0 && exits)
		rc = link_ends(attaching, mechanism, index);
	if (rc < 0) {
		close_from(attaching->links, before);
		probe_attaching_refuse(outcome, rc);
		return rc;
	}
	*outcome = (struct probe_outcome){ .mechanism = mechanism };
	return 0;
}

int probe_attach_each(struct attaching *attaching, enum probe_mechanism mechanism,
		      const probe_indices *targets)
{
	static const char act[] = "attaching";

	for (size_t i = 0; i < targets->count; i++) {
		int rc = attach_one(attaching, mechanism, targets->items[i]);

		if (rc == -EINTR)
			return rc;
		probe_attaching_tell(attaching->options, act, i + 1, targets->count);
	}
	return 0;
}
