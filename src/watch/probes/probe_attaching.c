/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_attaching.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "bpf/probe_wire.h"

enum { OFTEN = 16 }; /* links between two calls of give_up */

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

void probe_attaching_say(struct probe_outcome *outcome, const char *why)
{
	snprintf(outcome->why, sizeof(outcome->why), "%s", why);
}

void probe_attaching_refuse(struct probe_outcome *outcome, int rc)
{
	const char *why = strerror(-rc);

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].error == -rc)
			why = reasons[i].why;
	}
	outcome->mechanism = PROBE_NONE;
	probe_attaching_say(outcome, why);
}

bool probe_attaching_is_general(int rc)
{
	static const int errors[] = { EPERM, EACCES, EMFILE, ENFILE, ENOMEM, EOPNOTSUPP, ENOSYS };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i] == -rc)
			return true;
	}
	return false;
}

void probe_attaching_tell(const struct probe_options *options, const char *act, size_t done,
			  size_t count)
{
	if (options->tell)
		options->tell(options->context, act, done, count);
}

int probe_attaching_keep(struct attaching *attaching, int fd)
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

bool probe_attaching_hides_ends(const struct probe_options *options,
				const struct probe_target *target)
{
	return target->go && (target->go > options->go_count ||
			      !options->goes[target->go - 1].known || !target->returns_at);
}

bool probe_attaching_has_exits(const struct attaching *attaching, const struct probe_target *target)
{
	return attaching->options->measures & PROBE_EXITS && !target->instruction &&
	       !probe_attaching_hides_ends(attaching->options, target);
}

uint64_t probe_attaching_cookie(const struct attaching *attaching, size_t index)
{
	const struct probe_target *target = &attaching->options->targets[index];
	uint64_t kind = target->may_start ? PROBE_WIRE_START : target->returns.kind;
	uint64_t returns = kind | (uint64_t)target->returns.bits / 8 << PROBE_COOKIE_BYTES_SHIFT;

	return index | returns << PROBE_COOKIE_RETURNS_SHIFT |
	       (uint64_t)target->user << PROBE_COOKIE_USER_SHIFT |
	       (uint64_t)(target->returns_at != NULL) << PROBE_COOKIE_OWN_ENDS_SHIFT |
	       (uint64_t)probe_target_needs_sites(target) << PROBE_COOKIE_SITES_SHIFT |
	       (uint64_t)target->ends_partly << PROBE_COOKIE_PARTLY_SHIFT |
	       (uint64_t)target->go << PROBE_COOKIE_GO_SHIFT;
}

uint64_t probe_attaching_spot(uint64_t cookie, unsigned spot)
{
	return cookie | (uint64_t)spot << PROBE_COOKIE_SPOT_SHIFT;
}

uint32_t probe_attaching_device(uint64_t device)
{
	enum { MINOR_BITS = 20 }; /* include/linux/kdev_t.h */

	return major(device) << MINOR_BITS | minor(device);
}

uint64_t probe_attaching_place(unsigned spot, uint32_t go)
{
	return probe_attaching_spot((uint64_t)go << PROBE_COOKIE_GO_SHIFT, spot);
}

pid_t probe_attaching_only_pid(const struct probe_options *options)
{
	const struct probe_filter *filter = &options->filter;

	return filter->pid_count == 1 && !filter->follow ? filter->pids[0] : 0;
}
