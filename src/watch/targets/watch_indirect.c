/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_indirect.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

/* Searches the loaded objects for a file. */
struct loaded_search {
	const struct door_file *wanted;
	bool found;
	uint64_t base;
	const char *name; /* borrowed from the loader */
};

static int take_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	struct loaded_search *search = context;
	struct stat st;

	(void)size;
	if (!info->dlpi_name || !*info->dlpi_name || stat(info->dlpi_name, &st) < 0 ||
	    st.st_ino != search->wanted->inode || st.st_dev != search->wanted->device)
		return 0;
	search->found = true;
	search->base = info->dlpi_addr;
	search->name = info->dlpi_name;
	return 1;
}

bool watch_indirect_chosen(const struct watch_candidate *candidate, uint64_t *ret_address)
{
	struct loaded_search search = { .wanted = watch_image_file(candidate->image) };
	void *handle, *symbol;

	dl_iterate_phdr(take_loaded, &search);
	handle = search.found ? dlopen(search.name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!handle)
		return false;
	symbol = dlsym(handle, candidate->name);
	dlclose(handle);
	if (!symbol || (uint64_t)symbol < search.base)
		return false;
	*ret_address = (uint64_t)symbol - search.base;
	return true;
}

/* "lea 0x1234(%rip),%rax        # 9f2a0 <...>" */
static void take_step(const struct function_list *functions, const char *text,
		      struct watch_addresses *choices)
{
	const char *comment = strncmp(text, "lea", 3) == 0 ? strstr(text, "# ") : NULL;
	uint64_t address = comment ? strtoull(comment + 2, NULL, 16) : 0;

	if (!address || function_list_find(functions, address) == function_list_count(functions))
		return;
	for (size_t i = 0; i < choices->list.count; i++) {
		if (choices->list.items[i] == address)
			return;
	}
	*vec_push(&choices->list) = address;
}

void watch_indirect_choices(const struct watch_candidate *candidate,
			    struct watch_addresses *choices)
{
	const struct function_list *functions = watch_image_functions(candidate->image);
	struct code_blocks blocks = { .data = false };

	if (watch_image_code(candidate->image, candidate->address,
			     candidate->address + candidate->size, &blocks, NULL) == 0) {
		for (size_t i = 0; i < blocks.steps.count; i++)
			take_step(functions, code_blocks_text(&blocks, &blocks.steps.items[i]),
				  choices);
	}
	code_blocks_done(&blocks);
}
