/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate_work.h"

#include "code/jump_target.h"

enum { MAX_FUNCTION_BYTES = 8 << 20 }; /* of listed code */

struct instructions_range annotate_code_range(const struct annotate_work *work)
{
	size_t last = work->function->frames.count - 1;
	struct instructions_range range = {
		.frame = work->function->frames.items[0].frame,
		.end = annotate_work_frame(work, last)->address + 1,
	};
	bool named = work->symbol->kind == SYMBOL_NAMED || work->symbol->kind == SYMBOL_PLT;

	if (named && work->symbol->start <= annotate_work_frame(work, 0)->address)
		range.start = work->symbol->start;
	if (named && work->symbol->start + work->symbol->size > range.end)
		range.end = work->symbol->start + work->symbol->size;
	if (range.start && range.end - range.start > MAX_FUNCTION_BYTES)
		range.end = range.start + MAX_FUNCTION_BYTES;
	return range;
}

static bool take_code(void *context, const struct code_line *line)
{
	struct annotate_work *work = context;
	struct annotate_code code = { .address = line->address, .length = line->length };

	code.text = annotation_text(work->annotation, line->text);
	jump_target(line->text, &code.target);
	*vec_push(&work->code) = code;
	return true;
}

/* Adds each hit to the instruction at its address; both are sorted by address. */
static void hit_code(struct annotate_work *work)
{
	size_t at = 0;

	for (size_t i = 0; i < work->function->frames.count; i++) {
		uint64_t address = annotate_work_frame(work, i)->address;

		while (at + 1 < work->code.count && work->code.items[at + 1].address <= address)
			at++;
		if (at < work->code.count &&
		    address - work->code.items[at].address < work->code.items[at].length)
			annotate_work_add(work, &work->code.items[at].hits,
					  work->function->frames.items[i].hits);
	}
}

void annotate_code_list(struct annotate_work *work)
{
	struct instructions_range range = annotate_code_range(work);
	uint64_t shift = 0;
	int rc = instructions_each(work->annotate->instructions, &range, take_code, work, &shift,
				   &work->why);

	if (rc < 0 && work->code.count == 0)
		work->no_code = work->why.text;
	for (size_t i = 0; i < work->code.count; i++) {
		if (work->code.items[i].target)
			work->code.items[i].target -= shift;
	}
	hit_code(work);
}

void annotate_code_add(struct annotate_work *work, const struct annotate_code *code)
{
	struct annotation_row *row = vec_push(&work->annotation->rows);

	*row = (struct annotation_row){ .kind = ANNOTATION_CODE,
					.number = code->address,
					.hits = code->hits,
					.text = code->text,
					.target = code->target };
}

void annotate_code_add_all(struct annotate_work *work)
{
	for (size_t i = 0; i < work->code.count; i++)
		annotate_code_add(work, &work->code.items[i]);
}
