/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All instructions of a function, not only the sampled ones. */
#include "code/instructions_parts.h"

#include <errno.h>

#include "code/kept_code.h"

/* Passes lines on; their addresses are @shift above those of frames. */
struct moved_visit {
	code_visit visit;
	void *context;
	uint64_t shift;
};

static bool visit_moved(void *context, const struct code_line *line)
{
	const struct moved_visit *moved = context;
	struct code_line back = *line;

	back.address -= moved->shift;
	return moved->visit(moved->context, &back);
}

static int each_of_image(struct instructions_group *group, const struct instructions_range *range,
			 struct moved_visit *moved, struct err *err)
{
	uint64_t start = range->start + group->shift;

	moved->shift = group->shift;
	if (!range->start) {
		int rc = instructions_start(group, &start, err);

		if (rc < 0)
			return rc;
	}
	return disassembler_function(group->instructions->disassembler, group->image, start,
				     range->end + group->shift, visit_moved, moved, err);
}

static int each_kept(struct instructions_group *group, const struct instructions_range *range,
		     struct moved_visit *moved, struct err *err)
{
	moved->shift = 0;
	return kept_code_list(group->instructions->profile, group->instructions->disassembler,
			      range->frame, range->end, visit_moved, moved, err);
}

static int each_live(struct instructions_group *group, const struct instructions_range *range,
		     struct moved_visit *moved, struct err *err)
{
	struct instructions *instructions = group->instructions;
	const struct symbol *symbol = group->symbol;
	uint64_t start = range->start ? range->start : symbol->start;
	int rc = kernel_code_shift(instructions->kernel_code, symbol, &moved->shift, err);

	if (rc < 0)
		return rc;
	if (instructions_files_is_changed(instructions, range->frame, moved->shift))
		return each_kept(group, range, moved, err);
	return kernel_code_list(instructions->kernel_code, instructions->disassembler,
				start + moved->shift, range->end + moved->shift,
				symbol->size ? symbol->start + symbol->size + moved->shift : 0,
				visit_moved, moved, err);
}

static int each_of_kernel(struct instructions_group *group, const struct instructions_range *range,
			  struct moved_visit *moved, struct err *err)
{
	struct instructions *instructions = group->instructions;
	struct err why = { "" };

	if (instructions_files_open_kernel(instructions, &why) == 0)
		return each_live(group, range, moved, err);
	if (group->kind != IMAGE_KERNEL || instructions->vmlinux_fd < 0)
		return err_set(err, -EACCES, "%s",
			       why.text[0] ? why.text : instructions->kernel_reason);
	group->shift = instructions->vmlinux_shift;
	return each_of_image(group, range, moved, err);
}

int instructions_each(struct instructions *instructions, const struct instructions_range *range,
		      code_visit visit, void *context, uint64_t *ret_shift, struct err *err)
{
	struct instructions_group group = instructions_group_of(instructions, range->frame);
	struct moved_visit moved = { .visit = visit, .context = context };
	enum instructions_way way = instructions_way_to(group.kind);
	struct err kept;
	int rc;

	if (way == INSTRUCTIONS_OF_KERNEL)
		rc = each_of_kernel(&group, range, &moved, err);
	else if (way == INSTRUCTIONS_OF_IMAGE)
		rc = each_of_image(&group, range, &moved, err);
	else
		rc = instructions_no_code(&group, err);
	if (rc < 0 && each_kept(&group, range, &moved, &kept) == 0)
		rc = 0;
	*ret_shift = moved.shift;
	return rc;
}
