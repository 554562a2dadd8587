/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Whether a thread that existed before is chosen, by its own id or its process's. */
#ifndef BPF_CHOSEN_BPF_H
#define BPF_CHOSEN_BPF_H

#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/chosen_wire.h"

/* @map: from __u32 ids to enum chosen, as __u32. */
static __always_inline bool chosen_has(void *map, __u32 process, __u32 thread)
{
	const __u32 *how = bpf_map_lookup_elem(map, &process);

	if (how && *how == CHOSEN_PROCESS)
		return true;
	return bpf_map_lookup_elem(map, &thread);
}

#endif
