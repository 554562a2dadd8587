/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <inttypes.h>
#include <jansson.h>

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void stack_check_report_text(const struct stack_check_counts *counts, FILE *out)
{
	fprintf(out,
		"%" PRIu64 " user stacks, unwound in the interrupt and by libdwfl from the same "
		"memory; %" PRIu64 " equal frames\n",
		counts->samples, counts->frames);
	for (int i = 0; i < STACK_VERDICT_COUNT; i++)
		fprintf(out, "%-10s %8" PRIu64 " %7.3f %%  %s\n",
			stack_verdict_name((enum stack_verdict)i), counts->verdicts[i],
			percent(counts->verdicts[i], counts->samples),
			stack_verdict_text((enum stack_verdict)i));
	fprintf(out, "%-10s %8" PRIu64 " %7.3f %%  reach the start of their thread\n", "complete",
		counts->complete, percent(counts->complete, counts->samples));
	for (size_t i = 0; i < counts->examples.count; i++)
		fprintf(out, "%s\n", counts->examples.items[i]);
}

void stack_check_report_json(const struct stack_check_counts *counts, FILE *out)
{
	json_t *verdicts = json_object(), *examples = json_array(), *report;

	for (int i = 0; i < STACK_VERDICT_COUNT; i++)
		json_object_set_new(verdicts, stack_verdict_name((enum stack_verdict)i),
				    json_integer((json_int_t)counts->verdicts[i]));
	for (size_t i = 0; i < counts->examples.count; i++)
		json_array_append_new(examples, json_string(counts->examples.items[i]));
	report = json_pack("{s:I, s:I, s:I, s:o, s:o}", "samples", (json_int_t)counts->samples,
			   "complete", (json_int_t)counts->complete, "frames",
			   (json_int_t)counts->frames, "verdicts", verdicts, "examples", examples);
	json_dumpf(report, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(report);
}
