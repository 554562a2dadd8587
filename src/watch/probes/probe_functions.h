/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions as the kernel's own types (BTF) describe them, which is what fentry is attached by, and
 * what tells what they return. */
#ifndef WATCH_PROBES_PROBE_FUNCTIONS_H
#define WATCH_PROBES_PROBE_FUNCTIONS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "model/probe.h"

struct btf; /* libbpf's */
struct probe_functions;

struct probe_function {
	uint32_t id;
	int module_fd; /* of the module's types, borrowed; 0: the kernel's own */
};

/* Some ten milliseconds. Negative errno: the kernel describes no types. */
int probe_functions_new(struct probe_functions **ret_functions);
/* Of types from elsewhere, which are taken over; for tests. */
struct probe_functions *probe_functions_of(struct btf *kernel);
/* The same for a module, whose types are based on those of the kernel. */
void probe_functions_add(struct probe_functions *functions, const char *module, struct btf *types);
void probe_functions_free(struct probe_functions *functions); /* NULL is fine */
DEFINE_CLEANUP(struct probe_functions *, probe_functions_free);

/* @module NULL: of the kernel proper. -ENOENT: it is not described, or several of the name are. */
int probe_functions_find(struct probe_functions *functions, const char *module, const char *name,
			 struct probe_function *ret_function);

/* What it returns; PROBE_RETURN_UNKNOWN where it is not described. */
struct probe_return probe_functions_returns(struct probe_functions *functions, const char *module,
					    const char *name);

#endif
