/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum { NAME_WIDTH = 17 };

static void print_points(const struct check_report *report, FILE *out)
{
	for (size_t i = 0; i < report->point_count; i++) {
		const struct check_point *point = &report->points[i];

		fprintf(out, "%-*s %-8s %s\n", NAME_WIDTH, point->name,
			check_state_name(point->state), point->text);
		if (point->mend[0])
			fprintf(out, "%-*s %-8s -> %s\n", NAME_WIDTH, "", "", point->mend);
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

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *points_json(const struct check_report *report)
{
	json_t *points = json_array();

	for (size_t i = 0; i < report->point_count; i++) {
		const struct check_point *point = &report->points[i];

		json_array_append_new(points,
				      json_pack("{s:s, s:s, s:s, s:o}", "name", point->name,
						"state", check_state_name(point->state), "text",
						point->text, "mend", text_or_null(point->mend)));
	}
	return points;
}

static json_t *calibration_json(const struct check_report *report)
{
	json_t *results = json_array();

	if (!report->calibrated) {
		json_decref(results);
		return json_null();
	}
	for (size_t i = 0; i < report->calibration.results.count; i++) {
		const struct calibration_result *result = &report->calibration.results.items[i];

		json_array_append_new(
			results,
			json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "part", result->part,
				  "what", result->what, "unit", result->is_share ? "%" : "s",
				  "truth", result->truth, "measured", result->measured, "low",
				  result->low, "high", result->high, "right", result->right));
	}
	return json_pack("{s:I, s:I, s:b, s:o}", "samples", (json_int_t)report->calibration.samples,
			 "lost", (json_int_t)report->calibration.lost, "right",
			 report->calibration.right, "results", results);
}

static json_t *cost_json(const struct check_report *report)
{
	if (!report->cost_known)
		return json_null();
	return json_pack("{s:f, s:f, s:f}", "median", report->cost.ns, "low", report->cost.low_ns,
			 "high", report->cost.high_ns);
}

void check_report_json(const struct check_report *report, FILE *out)
{
	bool failed = !report->quick && !report->calibrated;
	json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:b}", "points", points_json(report),
				 "interrupt_cost_ns", cost_json(report), "calibration",
				 calibration_json(report), "error",
				 text_or_null(failed ? report->calibration_err.text : ""), "right",
				 check_report_right(report));

	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
}
