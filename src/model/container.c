/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/container.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_ID = 64, SHORT_ID = 12 };

/* How one container manager names its groups: a component of the path. */
struct pattern {
	const char *parent; /* the component before it; NULL: any */
	const char *prefix, *suffix;
	bool id; /* the part between them is a 64-digit hexadecimal id, else a name */
};

/* clang-format off */
static const struct pattern patterns[] = {
	{ NULL, "docker-", ".scope", true },
	{ NULL, "cri-containerd-", ".scope", true },
	{ NULL, "crio-", ".scope", true },
	{ NULL, "libpod-", ".scope", true },
	{ NULL, "nerdctl-", ".scope", true },
	{ NULL, "crio-", "", true },   /* the same managers without systemd: cgroupfs */
	{ NULL, "libpod-", "", true },
	{ NULL, "", "", true },	       /* /docker/ID, /kubepods/.../ID, /ecs/TASK/ID */
	{ NULL, "lxc.payload.", "", false },
	{ "lxc.payload", "", "", false },
	{ "lxc", "", "", false },
	{ NULL, "machine-", ".scope", false },	     /* systemd-nspawn, libvirt */
	{ NULL, "systemd-nspawn@", ".service", false },
	{ "machine.slice", "", ".machine", false },
};
/* clang-format on */

struct part {
	const char *at;
	size_t size;
};

static bool part_is(struct part part, const char *text)
{
	return part.size == strlen(text) && memcmp(part.at, text, part.size) == 0;
}

static bool all_hex(struct part part)
{
	for (size_t i = 0; i < part.size; i++) {
		if (!isxdigit((unsigned char)part.at[i]))
			return false;
	}
	return true;
}

/* The part between prefix and suffix; size 0: no match. */
static struct part match(const struct pattern *pattern, struct part part, struct part parent)
{
	size_t before = strlen(pattern->prefix), after = strlen(pattern->suffix);
	struct part middle;

	if (part.size <= before + after || memcmp(part.at, pattern->prefix, before) != 0 ||
	    memcmp(part.at + part.size - after, pattern->suffix, after) != 0)
		return (struct part){ 0 };
	if (pattern->parent && !part_is(parent, pattern->parent))
		return (struct part){ 0 };
	middle = (struct part){ part.at + before, part.size - before - after };
	if (!pattern->id)
		return middle;
	if (middle.size != FULL_ID || !all_hex(middle))
		return (struct part){ 0 };
	return (struct part){ middle.at, SHORT_ID };
}

/* The component that ends before @end. */
static struct part part_before(const char *path, const char *end)
{
	const char *start = end;

	while (start > path && start[-1] != '/')
		start--;
	return (struct part){ start, (size_t)(end - start) };
}

/* The kubelet's systemd driver once wrote "kubepods-burstable-podX.slice:cri-containerd:ID". */
static struct part after_colon(struct part part)
{
	const char *colon = memrchr(part.at, ':', part.size);

	if (!colon)
		return part;
	return (struct part){ colon + 1, (size_t)(part.at + part.size - colon - 1) };
}

/* systemd escapes characters that a unit's name may not have as \xHH (systemd.unit(5)). */
static void copy_unescaped(char *to, size_t size, struct part from)
{
	size_t used = 0;

	for (size_t i = 0; i < from.size && used + 1 < size; i++) {
		struct part digits = { from.at + i + 2, 2 };

		if (from.size - i >= 4 && from.at[i] == '\\' && from.at[i + 1] == 'x' &&
		    all_hex(digits)) {
			char hex[3] = { digits.at[0], digits.at[1] };

			to[used++] = (char)strtoul(hex, NULL, 16);
			i += 3;
		} else {
			to[used++] = from.at[i];
		}
	}
	to[used] = '\0';
}

static struct part find(const char *cgroup)
{
	struct part part = part_before(cgroup, cgroup + strlen(cgroup));

	while (part.at > cgroup) {
		struct part parent = part_before(cgroup, part.at - 1);

		for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
			struct part found = match(&patterns[i], after_colon(part), parent);

			if (found.size)
				return found;
		}
		part = parent;
	}
	return (struct part){ 0 };
}

void container_of_cgroup(const char *cgroup, char *ret_name, size_t size)
{
	copy_unescaped(ret_name, size, find(cgroup));
}
