/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of callgrind (valgrind.org/docs/manual/cl-format.html): for each function its own cost
 * by line, and the cost of its calls by line and callee. Each event has two columns: weight and
 * number of samples.
 *
 * Samples do not count calls, so the number of samples takes the place of the number of calls. If a
 * function occurs several times in a stack, only the calls of its innermost occurrence count. So
 * the sum of a function's own cost and its calls is its total, even for recursion.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "export/formats.h"
#include "load/output.h"

/* The own cost of a line, or the cost of calls from there to another function. */
struct cost {
	uint32_t function, line;
	uint32_t callee; /* 0: its own cost */
	uint64_t samples;
};

struct callgrind {
	const struct export_data *data;
	FILE *out;
	VEC(struct cost) costs;
	VEC(uint64_t) values; /* the columns of each cost */
	struct hashidx index; /* of costs */
	size_t columns[PROFILE_MAX_EVENTS];
	size_t column_count;
	uint32_t *last_row; /* by function: the last row with it, plus 1 */
	bool *named_functions, *named_images;
	VEC(bool) named_files;
	struct export_frames path;
	struct buf text;
};

/* ---- adding up ---- */

DEFINE_EQUAL(same_cost, struct callgrind, costs.items, struct cost,
	     a->function == b->function && a->line == b->line && a->callee == b->callee)

static void charge(struct callgrind *callgrind, const struct cost *key, const struct total *row)
{
	uint64_t hash = hash_combine(hash_combine(hash_u64(key->function), key->line), key->callee);
	uint32_t id;
	size_t at;

	if (!hashidx_find(&callgrind->index, hash, same_cost, callgrind, key, &id)) {
		id = (uint32_t)callgrind->costs.count;
		*vec_push(&callgrind->costs) = *key;
		hashidx_add(&callgrind->index, hash, id);
		for (size_t i = 0; i < callgrind->column_count; i++)
			*vec_push(&callgrind->values) = 0;
	}
	callgrind->costs.items[id].samples += row->samples;
	at = id * callgrind->column_count + callgrind->columns[row->event];
	callgrind->values.items[at] += row->weight;
	callgrind->values.items[at + 1] += row->samples;
}

/* From the innermost level to the root. */
static void charge_row(struct callgrind *callgrind, uint32_t number)
{
	const struct export_data *data = callgrind->data;
	const struct total *row = &data->rows[number];
	uint32_t callee = 0;

	export_stack(data, row->stack, &callgrind->path);
	for (size_t i = 0; i < callgrind->path.list.count; i++) {
		size_t count;
		const struct export_level *levels =
			export_code_levels(data->code, callgrind->path.list.items[i], &count);

		for (size_t j = 0; j < count; j++) {
			const struct cost key = { levels[j].function, levels[j].line, callee, 0 };

			if (callgrind->last_row[key.function] != number + 1)
				charge(callgrind, &key, row);
			callgrind->last_row[key.function] = number + 1;
			callee = key.function;
		}
	}
}

/* ---- names ---- */

/* "(3) name" the first time, then "(3)", so that no name is read as a number. */
static void print_name(struct callgrind *callgrind, const char *what, uint32_t id, bool *named,
		       const char *name)
{
	fprintf(callgrind->out, "%s=(%" PRIu32 ")", what, id + 1);
	if (!*named) {
		buf_clear(&callgrind->text);
		text_escape(&callgrind->text, *name ? name : "???", "");
		fprintf(callgrind->out, " %s", buf_text(&callgrind->text));
	}
	*named = true;
	fputs("\n", callgrind->out);
}

static void print_file(struct callgrind *callgrind, const char *what, str_id file)
{
	while (callgrind->named_files.count <= file)
		*vec_push(&callgrind->named_files) = false;
	print_name(callgrind, what, file, &callgrind->named_files.items[file],
		   strpool_get(&callgrind->data->code->texts, file));
}

static void print_function(struct callgrind *callgrind, bool called, uint32_t id)
{
	const struct export_code *code = callgrind->data->code;
	const struct profile *profile = callgrind->data->profile;
	const struct export_function *function = &code->functions.items[id];

	print_name(callgrind, called ? "cob" : "ob", function->image,
		   &callgrind->named_images[function->image],
		   profile_text(profile, profile->images.items[function->image].path));
	print_file(callgrind, called ? "cfi" : "fl", function->file);
	print_name(callgrind, called ? "cfn" : "fn", id, &callgrind->named_functions[id],
		   export_code_name(code, id));
}

/* ---- costs ---- */

static int by_place(const void *first, const void *second, void *context)
{
	const struct cost *costs = ((const struct callgrind *)context)->costs.items;
	const struct cost *a = &costs[*(const uint32_t *)first];
	const struct cost *b = &costs[*(const uint32_t *)second];

	return COMPARE(a->function, b->function) ?: COMPARE(a->line, b->line) ?:
	       COMPARE(a->callee, b->callee);
}

static void print_values(struct callgrind *callgrind, const uint64_t *values)
{
	for (size_t i = 0; i < callgrind->column_count; i++)
		fprintf(callgrind->out, " %" PRIu64, values[i]);
	fputs("\n", callgrind->out);
}

static void print_cost(struct callgrind *callgrind, uint32_t id)
{
	const struct cost *cost = &callgrind->costs.items[id];

	if (cost->callee) {
		print_function(callgrind, true, cost->callee);
		fprintf(callgrind->out, "calls=%" PRIu64 " %" PRIu32 "\n", cost->samples,
			callgrind->data->code->functions.items[cost->callee].declared);
	}
	fprintf(callgrind->out, "%" PRIu32, cost->line);
	print_values(callgrind, &callgrind->values.items[id * callgrind->column_count]);
}

static void print_costs(struct callgrind *callgrind)
{
	uint32_t *order = xcalloc(callgrind->costs.count, sizeof(*order));
	uint32_t function = 0;

	for (uint32_t i = 0; i < callgrind->costs.count; i++)
		order[i] = i;
	qsort_r(order, callgrind->costs.count, sizeof(*order), by_place, callgrind);
	for (size_t i = 0; i < callgrind->costs.count; i++) {
		const struct cost *cost = &callgrind->costs.items[order[i]];

		if (cost->function != function) {
			fputs("\n", callgrind->out);
			print_function(callgrind, false, cost->function);
		}
		function = cost->function;
		print_cost(callgrind, order[i]);
	}
	free(order);
}

/* ---- the whole ---- */

/* callgrind's event names are identifiers. */
static void print_event(FILE *out, const char *name, const char *suffix)
{
	fputs(" ", out);
	for (; *name; name++)
		fputc(isalnum((unsigned char)*name) ? *name : '_', out);
	fputs(suffix, out);
}

static void print_head(struct callgrind *callgrind)
{
	const struct export_data *data = callgrind->data;

	buf_clear(&callgrind->text);
	text_escape(&callgrind->text, output_title(NULL, data->profile), "");
	fprintf(callgrind->out,
		"# callgrind format\nversion: 1\ncreator: prospect " PROSPECT_VERSION
		"\ncmd: %s\npositions: line\nevents:",
		buf_text(&callgrind->text));
	for (size_t event = 0; event < data->profile->event_count; event++) {
		if (!data->sums[event].samples)
			continue;
		callgrind->columns[event] = callgrind->column_count;
		callgrind->column_count += 2;
		print_event(callgrind->out, export_event(data, event), "");
		print_event(callgrind->out, export_event(data, event), "_samples");
	}
	fputs("\nsummary:", callgrind->out);
	for (size_t event = 0; event < data->profile->event_count; event++) {
		if (data->sums[event].samples)
			fprintf(callgrind->out, " %" PRIu64 " %" PRIu64, data->sums[event].weight,
				data->sums[event].samples);
	}
	fputs("\n", callgrind->out);
}

static int callgrind_write(const struct export_data *data, FILE *out, struct export_note *note,
			   struct err *err)
{
	struct callgrind callgrind = {
		.data = data,
		.out = out,
		.last_row = xcalloc(data->code->functions.count, sizeof(uint32_t)),
		.named_functions = xcalloc(data->code->functions.count, sizeof(bool)),
		.named_images = xcalloc(data->profile->images.count, sizeof(bool)),
	};

	print_head(&callgrind);
	for (uint32_t i = 0; i < data->count; i++)
		charge_row(&callgrind, i);
	print_costs(&callgrind);
	vec_free(&callgrind.costs);
	vec_free(&callgrind.values);
	hashidx_done(&callgrind.index);
	vec_free(&callgrind.named_files);
	vec_free(&callgrind.path.list);
	buf_done(&callgrind.text);
	free(callgrind.last_row);
	free(callgrind.named_functions);
	free(callgrind.named_images);
	return 0;
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.help = "KCachegrind, callgrind_annotate: costs by line, calls",
	.lines = true,
	.write = callgrind_write,
};
