/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions as the kernel's type information (BTF) describes them. fentry attaches by it, and it
 * has their return types. */
#ifndef WATCH_PROBES_PROBE_FUNCTIONS_H
#define WATCH_PROBES_PROBE_FUNCTIONS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "model/probe.h"

struct btf; /* of libbpf */
struct probe_functions;

struct probe_function {
	uint32_t id;
	int module_fd; /* of the module's types, borrowed; 0: the kernel's own */
};

/* Takes some ten milliseconds. Negative errno: the kernel has no type information. */
int probe_functions_new(struct probe_functions **ret_functions);
/* From other types, which it owns; for tests. */
struct probe_functions *probe_functions_of(struct btf *kernel);
/* Adds a module, whose types are based on those of the kernel; owns @types. */
void probe_functions_add(struct probe_functions *functions, const char *module, struct btf *types);
void probe_functions_free(struct probe_functions *functions); /* NULL is fine */
DEFINE_CLEANUP(struct probe_functions *, probe_functions_free);

/* @module NULL: the kernel proper. If several functions have the name, the first is found. -ENOENT:
 * none is described. */
int probe_functions_find(struct probe_functions *functions, const char *module, const char *name,
			 struct probe_function *ret_function);

/* The return type; PROBE_RETURN_UNKNOWN if the function is not described. */
struct probe_return probe_functions_returns(struct probe_functions *functions, const char *module,
					    const char *name);

#endif
