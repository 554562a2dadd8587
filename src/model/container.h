/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The container of a control group, derived from its path alone. */
#ifndef MODEL_CONTAINER_H
#define MODEL_CONTAINER_H

#include <stddef.h>

/* Writes the container that a cgroup path names: the short id (12 hex digits) for docker,
 * containerd, cri-o and podman scopes and kubepods, or the name for lxc and machine.slice. The
 * innermost one counts. Writes "" if the path names none. Names are truncated to @size (> 0). */
void container_of_cgroup(const char *cgroup, char *ret_name, size_t size);

#endif
