/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <inttypes.h>

#include "base/json_add.h"

enum { NAME_WIDTH = 17, REAL_DIGITS = 17 };

static void print_points(const struct check_report *report, FILE *out)
{
	for (size_t i = 0; i < report->point_count; i++) {
		const struct check_point *point = &report->points[i];

		fprintf(out, "%-*s %-8s %s\n", NAME_WIDTH, point->name,
			check_state_name(point->state), point->text);
		if (point->fix[0])
			fprintf(out, "%-*s %-8s -> %s\n", NAME_WIDTH, "", "", point->fix);
	}
}

static void print_cost(const struct check_report *report, FILE *out)
{
	const struct interrupt_cost *cost = &report->cost;

	if (report->cost_known)
		fprintf(out,
			"\nOne sampling interrupt costs %.1f us here (middle half of the runs: "
			"%.1f to "
			"%.1f; %" PRIu64 " ticks).\n",
			cost->ns / 1e3, cost->low_ns / 1e3, cost->high_ns / 1e3, cost->ticks);
	else
		fprintf(out, "\nThe cost of a sampling interrupt could not be measured.\n");
}

static void print_result(const struct calibration_result *result, FILE *out)
{
	const char *unit = result->is_share ? " %" : " s";
	int digits = result->is_share ? 2 : 3;

	fprintf(out, "%-13s  %-20s %8.*f%s %8.*f%s  %7.*f to %7.*f  %s\n", result->part,
		result->what, digits, result->truth, unit, digits, result->measured, unit, digits,
		result->low, digits, result->high, result->right ? "right" : "WRONG");
}

static void print_calibration(const struct check_report *report, FILE *out)
{
	const struct calibration *calibration = &report->calibration;

	if (!report->calibrated) {
		fprintf(out, "\nNo calibration: %s\n", report->calibration_err.text);
		return;
	}
	fprintf(out, "\nCalibration: a program with known behaviour, %" PRIu64 " samples",
		calibration->samples);
	if (calibration->lost)
		fprintf(out, "; %" PRIu64 " were lost, which the ranges allow for",
			calibration->lost);
	putc('\n', out);
	fprintf(out, "%-13s  %-20s %10s %10s  %s\n", "part", "what", "true", "measured",
		"within (99.99 % for all together)");
	for (size_t i = 0; i < calibration->results.count; i++)
		print_result(&calibration->results.items[i], out);
	fprintf(out, "%s\n",
		calibration->right ? "All results are right."
				   : "A result is wrong: do not trust profiles from this machine.");
}

void check_report_text(const struct check_report *report, FILE *out)
{
	print_points(report, out);
	if (report->quick)
		return;
	print_cost(report, out);
	print_calibration(report, out);
}

static void add_points(const struct check_report *report, struct buf *json)
{
	json_add_begin(json, "points", '[');
	for (size_t i = 0; i < report->point_count; i++) {
		const struct check_point *point = &report->points[i];

		json_add_begin(json, NULL, '{');
		json_add_text(json, "name", point->name);
		json_add_text(json, "state", check_state_name(point->state));
		json_add_text(json, "text", point->text);
		json_add_text_or_null(json, "fix", point->fix);
		json_add_end(json, '}');
	}
	json_add_end(json, ']');
}

static void add_real(struct buf *json, const char *name, double value)
{
	json_add_real(json, name, value, REAL_DIGITS);
}

static void add_result(const struct calibration_result *result, struct buf *json)
{
	json_add_begin(json, NULL, '{');
	json_add_text(json, "part", result->part);
	json_add_text(json, "what", result->what);
	json_add_text(json, "unit", result->is_share ? "%" : "s");
	add_real(json, "truth", result->truth);
	add_real(json, "measured", result->measured);
	add_real(json, "low", result->low);
	add_real(json, "high", result->high);
	json_add_bool(json, "right", result->right);
	json_add_end(json, '}');
}

static void add_calibration(const struct check_report *report, struct buf *json)
{
	const struct calibration *calibration = &report->calibration;

	if (!report->calibrated) {
		json_add_null(json, "calibration");
		return;
	}
	json_add_begin(json, "calibration", '{');
	json_add_number(json, "samples", calibration->samples);
	json_add_number(json, "lost", calibration->lost);
	json_add_bool(json, "right", calibration->right);
	json_add_begin(json, "results", '[');
	for (size_t i = 0; i < calibration->results.count; i++)
		add_result(&calibration->results.items[i], json);
	json_add_end(json, ']');
	json_add_end(json, '}');
}

static void add_cost(const struct check_report *report, struct buf *json)
{
	if (!report->cost_known) {
		json_add_null(json, "interrupt_cost_ns");
		return;
	}
	json_add_begin(json, "interrupt_cost_ns", '{');
	add_real(json, "median", report->cost.ns);
	add_real(json, "low", report->cost.low_ns);
	add_real(json, "high", report->cost.high_ns);
	json_add_end(json, '}');
}

void check_report_json(const struct check_report *report, FILE *out)
{
	bool failed = !report->quick && !report->calibrated;
	struct buf json = { 0 };

	json_add_begin(&json, NULL, '{');
	add_points(report, &json);
	add_cost(report, &json);
	add_calibration(report, &json);
	json_add_text_or_null(&json, "error", failed ? report->calibration_err.text : "");
	json_add_bool(&json, "right", check_report_right(report));
	json_add_end(&json, '}');
	json_add_print(&json, 2, out);
}

/* ---- check --stacks ---- */

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
	struct buf json = { 0 };

	json_add_begin(&json, NULL, '{');
	json_add_number(&json, "samples", counts->samples);
	json_add_number(&json, "complete", counts->complete);
	json_add_number(&json, "frames", counts->frames);
	json_add_begin(&json, "verdicts", '{');
	for (int i = 0; i < STACK_VERDICT_COUNT; i++)
		json_add_number(&json, stack_verdict_name((enum stack_verdict)i),
				counts->verdicts[i]);
	json_add_end(&json, '}');
	json_add_begin(&json, "examples", '[');
	for (size_t i = 0; i < counts->examples.count; i++)
		json_add_text(&json, NULL, counts->examples.items[i]);
	json_add_end(&json, ']');
	json_add_end(&json, '}');
	json_add_print(&json, 2, out);
}
