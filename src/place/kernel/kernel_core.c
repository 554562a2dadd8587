/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_core.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const bound_names[KERNEL_BOUND_COUNT] = {
	[KERNEL_BOUND_TEXT] = "_text",		 [KERNEL_BOUND_STEXT] = "_stext",
	[KERNEL_BOUND_ETEXT] = "_etext",	 [KERNEL_BOUND_SINITTEXT] = "_sinittext",
	[KERNEL_BOUND_EINITTEXT] = "_einittext",
};

const char *kernel_core_bound_name(enum kernel_bound bound)
{
	return bound < KERNEL_BOUND_COUNT ? bound_names[bound] : "";
}

static void note_bound(struct kernel_core *core, const struct kallsyms_line *line)
{
	for (int i = 0; i < KERNEL_BOUND_COUNT; i++) {
		if (strcmp(line->name, bound_names[i]) == 0)
			core->bounds[i] = line->address;
	}
}

/* Kernel code spans much less than 2 GB on every machine: offsets have 31 bits. */
static bool is_near(uint64_t address, uint64_t origin)
{
	return address - origin + INT32_MAX <= UINT32_MAX - 1;
}

void kernel_core_add(struct kernel_core *core, const struct kallsyms_line *line)
{
	if (*line->module || !line->address)
		return;
	/* Of any type: on arm64 _etext is data. */
	if (line->name[0] == '_' && line->name[1] != '_')
		note_bound(core, line);
	if (!kallsyms_is_code(line))
		return;
	if (!core->first)
		core->first = line->address;
	if (is_near(line->address, core->first))
		kernel_table_add(&core->table, (uint32_t)(line->address - core->first), 0,
				 line->name, kernel_table_rank(line->type));
}

static void add_segment(struct kernel_core *core, uint64_t start, uint64_t end)
{
	if (start < core->text || start >= end || end - core->text > INT32_MAX)
		return;
	core->segments[core->segment_count++] =
		(struct kernel_segment){ (uint32_t)(start - core->text),
					 (uint32_t)(end - core->text) };
}

void kernel_core_finish(struct kernel_core *core, enum kernel_bound origin)
{
	const uint64_t *bounds = core->bounds;
	uint32_t shift;

	if (origin == KERNEL_BOUND_COUNT)
		origin = bounds[KERNEL_BOUND_TEXT] ? KERNEL_BOUND_TEXT : KERNEL_BOUND_STEXT;
	core->origin = origin;
	core->text = bounds[origin];
	if (!core->text)
		return;
	shift = (uint32_t)(core->first - core->text);
	for (size_t i = 0; i < core->table.list.count; i++)
		core->table.list.items[i].start += shift;
	add_segment(core, core->text, bounds[KERNEL_BOUND_ETEXT]);
	add_segment(core, bounds[KERNEL_BOUND_SINITTEXT], bounds[KERNEL_BOUND_EINITTEXT]);
}

void kernel_core_move(struct kernel_core *core, enum kernel_bound bound, uint64_t address,
		      uint64_t size)
{
	if (core->text) {
		core->text = address - (core->bounds[bound] ? core->bounds[bound] - core->text : 0);
		return;
	}
	core->origin = bound;
	core->text = address;
	if (address)
		add_segment(core, address, address + (size < INT32_MAX ? size : INT32_MAX));
}

void kernel_core_done(struct kernel_core *core)
{
	kernel_table_done(&core->table);
	*core = (struct kernel_core){ 0 };
}

static void add_line(void *context, const struct kallsyms_line *line)
{
	kernel_core_add(context, line);
}

int kernel_core_use_map(struct kernel_core *core, const char *path, struct err *err)
{
	_cleanup_(kernel_core_done) struct kernel_core map = { 0 };
	struct kernel_table running;
	size_t missing;
	int rc;

	if (!core->text)
		return err_set(
			err, -EINVAL,
			"%s: cannot be checked against the running kernel, whose addresses are "
			"hidden: run as root, or set kernel.kptr_restrict to 0",
			path);
	rc = kallsyms_read(path, add_line, &map, err);
	if (rc < 0)
		return rc;
	kernel_core_finish(&map, core->origin);
	if (!map.text)
		return err_set(err, -EINVAL, "%s: not a System.map: no symbol %s", path,
			       kernel_core_bound_name(core->origin));
	missing = kernel_table_missing(&core->table, &map.table);
	if (missing)
		return err_set(err, -EINVAL,
			       "%s does not match the running kernel: %zu of the %zu functions in "
			       "/proc/kallsyms are missing or at other addresses; without -K names "
			       "come from /proc/kallsyms",
			       path, missing, core->table.list.count);
	running = core->table;
	core->table = map.table;
	map.table = running;
	return 0;
}
