/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/probe_functions.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"

enum { MODULE_NAME = 64 };

struct module {
	char name[MODULE_NAME];
	struct btf *types;
	int fd;
};

struct probe_functions {
	struct btf *kernel;
	VEC(struct module) modules; /* that were asked for */
};

int probe_functions_new(struct probe_functions **ret_functions)
{
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!kernel)
		return -errno;
	*ret_functions = xcalloc(1, sizeof(**ret_functions));
	(*ret_functions)->kernel = kernel;
	return 0;
}

void probe_functions_free(struct probe_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->modules.count; i++) {
		btf__free(functions->modules.items[i].types);
		close(functions->modules.items[i].fd);
	}
	vec_free(&functions->modules);
	btf__free(functions->kernel);
	free(functions);
}

/* A descriptor of the types that the kernel has under this name. */
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

static const struct module *find_module(struct probe_functions *functions, const char *name)
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
	module.types = module.fd < 0 ? NULL : btf__load_module_btf(name, functions->kernel);
	if (!module.types) {
		if (module.fd >= 0)
			close(module.fd);
		return NULL;
	}
	*vec_push(&functions->modules) = module;
	return &functions->modules.items[functions->modules.count - 1];
}

int probe_functions_find(struct probe_functions *functions, const char *module, const char *name,
			 struct probe_function *ret_function)
{
	const struct module *found = module ? find_module(functions, module) : NULL;
	int id;

	if (module && !found)
		return -ENOENT;
	id = btf__find_by_name_kind(module ? found->types : functions->kernel, name, BTF_KIND_FUNC);
	if (id < 0)
		return -ENOENT;
	*ret_function =
		(struct probe_function){ .id = (uint32_t)id, .module_fd = module ? found->fd : 0 };
	return 0;
}
