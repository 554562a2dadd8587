/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which container a control group belongs to, told from its path alone. */
#ifndef MODEL_CONTAINER_H
#define MODEL_CONTAINER_H

#include <stddef.h>

/* The container a cgroup path names: short id (12 hex) of docker, containerd, cri-o, podman
 * scopes and kubepods, or the name of an lxc or machine.slice one. The innermost one counts.
 * Writes "" when the path names none; a name is cut to fit @size (> 0). */
void container_of_cgroup(const char *cgroup, char *ret_name, size_t size);

#endif
