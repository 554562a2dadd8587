/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_functions.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { MODULE_NAME = 64, MOST_NAMES_OF_A_TYPE = 32 };

/* Types, with an index of functions by name. libbpf's search goes through all types, and there are
 * many thousands. */
struct described {
	struct btf *types;
	struct hashidx by_name;
	bool indexed;
};

struct module {
	char name[MODULE_NAME];
	struct described described;
	int fd;
};

struct probe_functions {
	struct described kernel;
	VEC(struct module) modules;		  /* those asked for */
	enum { NOT_ASKED, TOLD, NOT_TOLD } signs; /* do the types record signs of enumerations? */
};

struct probe_functions *probe_functions_of(struct btf *kernel)
{
	struct probe_functions *functions = xcalloc(1, sizeof(*functions));

	functions->kernel.types = kernel;
	return functions;
}

void probe_functions_add(struct probe_functions *functions, const char *module, struct btf *types)
{
	struct module *added = vec_push(&functions->modules);

	*added = (struct module){ .described = { .types = types }, .fd = -1 };
	snprintf(added->name, sizeof(added->name), "%s", module);
}

int probe_functions_new(struct probe_functions **ret_functions)
{
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!kernel)
		return -errno;
	*ret_functions = probe_functions_of(kernel);
	return 0;
}

static void done(struct described *described)
{
	btf__free(described->types);
	hashidx_done(&described->by_name);
}

void probe_functions_free(struct probe_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->modules.count; i++) {
		done(&functions->modules.items[i].described);
		if (functions->modules.items[i].fd >= 0)
			close(functions->modules.items[i].fd);
	}
	vec_free(&functions->modules);
	done(&functions->kernel);
	free(functions);
}

/* A descriptor of the kernel's types with this name. */
static int open_types(const char *wanted)
{
	uint32_t id = 0;

	while (bpf_btf_get_next_id(id, &id) == 0) {
		char name[MODULE_NAME] = "";
		struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
		uint32_t size = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && info.kernel_btf &&
		    strcmp(name, wanted) == 0)
			return fd;
		close(fd);
	}
	return -ENOENT;
}

static struct module *find_module(struct probe_functions *functions, const char *name)
{
	struct module module = { .fd = -1 };

	for (size_t i = 0; i < functions->modules.count; i++) {
		if (strcmp(functions->modules.items[i].name, name) == 0)
			return &functions->modules.items[i];
	}
	if (strlen(name) >= sizeof(module.name))
		return NULL;
	memcpy(module.name, name, strlen(name) + 1);
	module.fd = open_types(name);
	module.described.types =
		module.fd < 0 ? NULL : btf__load_module_btf(name, functions->kernel.types);
	if (!module.described.types) {
		if (module.fd >= 0)
			close(module.fd);
		return NULL;
	}
	*vec_push(&functions->modules) = module;
	return &functions->modules.items[functions->modules.count - 1];
}

static const char *name_of(const struct btf *types, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(types, id);

	return btf__name_by_offset(types, type->name_off);
}

static bool has_name(const void *types, uint32_t id, const void *name)
{
	return strcmp(name_of(types, id), name) == 0;
}

/* Indexes from @first on: the types of a module follow those of the kernel, which may have another
 * function of the name. Of several the first counts, as in libbpf. */
static void make_index(struct described *described, uint32_t first)
{
	for (uint32_t id = first; id < btf__type_cnt(described->types); id++) {
		const char *name;
		uint64_t hash;
		uint32_t other;

		if (!btf_is_func(btf__type_by_id(described->types, id)))
			continue;
		name = name_of(described->types, id);
		hash = hash_bytes(name, strlen(name));
		if (!hashidx_find(&described->by_name, hash, has_name, described->types, name,
				  &other))
			hashidx_add(&described->by_name, hash, id);
	}
	described->indexed = true;
}

/* The types that describe a function, and its id there; negative: none. */
static int find(struct probe_functions *functions, const char *module, const char *name,
		const struct btf **ret_types, int *ret_module_fd)
{
	struct module *found = module ? find_module(functions, module) : NULL;
	struct described *described = found ? &found->described : &functions->kernel;
	uint32_t id;

	if (module && !found)
		return -ENOENT;
	if (!described->indexed)
		make_index(described, found ? btf__type_cnt(functions->kernel.types) : 1);
	*ret_types = described->types;
	*ret_module_fd = found ? found->fd : 0;
	if (!hashidx_find(&described->by_name, hash_bytes(name, strlen(name)), has_name,
			  described->types, name, &id))
		return -ENOENT;
	return (int)id;
}

int probe_functions_find(struct probe_functions *functions, const char *module, const char *name,
			 struct probe_function *ret_function)
{
	const struct btf *types;
	int module_fd, id = find(functions, module, name, &types, &module_fd);

	if (id < 0)
		return id;
	*ret_function = (struct probe_function){ .id = (uint32_t)id, .module_fd = module_fd };
	return 0;
}

/* ---- what they return ---- */

/* Types of kernels before 6.1 do not record whether an enumeration is signed. If types record it,
 * at least one enumeration is signed: every kernel has one with negative errors. */
static bool tells_signs(struct probe_functions *functions)
{
	for (uint32_t id = 1; functions->signs == NOT_ASKED; id++) {
		const struct btf_type *type = btf__type_by_id(functions->kernel.types, id);

		if (!type)
			functions->signs = NOT_TOLD;
		else if (btf_is_any_enum(type) && btf_kflag(type))
			functions->signs = TOLD;
	}
	return functions->signs == TOLD;
}

static bool has_negative(const struct btf_type *type)
{
	const struct btf_enum *members = btf_enum(type);

	for (uint16_t i = 0; i < btf_vlen(type); i++) {
		if (members[i].val < 0)
			return true;
	}
	return false;
}

/* A structure is returned in a register: no kernel function returns a larger one. */
static struct probe_return what_returns(struct probe_functions *functions,
					const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return probe_return_number(btf_int_encoding(type) & BTF_INT_SIGNED, type->size);
	case BTF_KIND_PTR:
		return (struct probe_return){ .kind = PROBE_RETURN_POINTER, .bits = 64 };
	case BTF_KIND_ENUM:
		return probe_return_number(btf_kflag(type) ||
						   (has_negative(type) && !tells_signs(functions)),
					   type->size);
	case BTF_KIND_ENUM64:
		return probe_return_number(btf_kflag(type), type->size);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return probe_return_number(false, type->size);
	default:
		return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
	}
}

/* Skips typedefs, const and so on; NULL: damaged. */
static const struct btf_type *strip(const struct btf *types, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(types, id);

	for (int i = 0; i < MOST_NAMES_OF_A_TYPE && type; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type))
			return type;
		type = btf__type_by_id(types, type->type);
	}
	return NULL;
}

struct probe_return probe_functions_returns(struct probe_functions *functions, const char *module,
					    const char *name)
{
	const struct btf_type *function, *prototype, *type = NULL;
	const struct btf *types;
	int module_fd, id = find(functions, module, name, &types, &module_fd);

	function = id < 0 ? NULL : btf__type_by_id(types, (uint32_t)id);
	prototype = function ? btf__type_by_id(types, function->type) : NULL;
	if (prototype)
		type = strip(types, prototype->type);
	return type ? what_returns(functions, type)
		    : (struct probe_return){ .kind = PROBE_RETURN_UNKNOWN };
}
