/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/diff_view.h"

#include <math.h>

#include "base/clock.h"
#include "base/json_add.h"
#include "present/paragraph.h"
#include "present/safe.h"

static const struct diff_event *event_of(const struct diff *diff)
{
	return &diff->events.items[diff->main_event];
}

/* A value in the condition's unit, not a ratio. */
static void add_value(const struct diff *diff, const struct condition *condition, double value,
		      bool sign, struct buf *buf)
{
	bool seconds = event_of(diff)->is_time;

	if (condition->what == CONDITION_SHARE)
		buf_printf(buf, sign ? "%+.2f %%" : "%.2f %%", 100 * value);
	else if (seconds && condition->what != CONDITION_SAMPLES)
		buf_printf(buf, sign ? "%+.4f s" : "%.4f s", value / (double)NS_PER_S);
	else
		buf_printf(buf, sign ? "%+.0f" : "%.0f", value);
	if (condition->what == CONDITION_RATE)
		buf_add_str(buf, "/s");
}

/* In the form of the condition: ratio, difference or level. */
static void add_compared(const struct diff *diff, const struct condition *condition, double value,
			 struct buf *buf)
{
	if (condition->of != CONDITION_RATIO)
		add_value(diff, condition, value, condition->of == CONDITION_DIFFERENCE, buf);
	else if (isfinite(value))
		buf_printf(buf, "%.3fx", value);
	else
		buf_add_str(buf, "infinity");
}

static void add_sides(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf)
{
	const struct diff_row *row = result->row;
	enum diff_measure measure = condition_measure(condition);
	bool samples = condition->what == CONDITION_SAMPLES;

	add_value(diff, condition,
		  samples ? (double)row->samples[DIFF_OLD] : row->by[measure].before, false, buf);
	buf_add_str(buf, " became ");
	add_value(diff, condition,
		  samples ? (double)row->samples[DIFF_NEW] : row->by[measure].after, false, buf);
}

/* Explains why the interval alone does not make a change significant. */
static void add_chance(const struct diff *diff, const struct condition *condition,
		       const struct condition_result *result, struct buf *buf)
{
	if (isnan(result->chance))
		buf_add_str(buf, "; too few samples to tell");
	else if (result->chance > 0)
		buf_printf(buf, "; within noise: %s is %.3f, and the limit %.2f",
			   condition->any ? "q" : "p", result->chance, diff->limit);
}

void diff_answers_add(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf)
{
	struct buf name = { 0 };

	safe_text(buf, condition->text);
	buf_add_str(buf, ": ");
	if (!result->row || !result->found) {
		buf_printf(buf, "no samples%s on either side",
			   diff->command_only
				   ? " of the profiled command (--machine: of everything)"
				   : "");
		return;
	}
	if (condition->any) {
		diff_text(diff, result->row, 0, &name);
		safe_text(buf, buf_text(&name));
		buf_add_str(buf, ": ");
		buf_done(&name);
	}
	add_sides(diff, condition, result, buf);
	if (condition->what == CONDITION_SAMPLES)
		return;
	buf_add_str(buf, " (");
	if (condition->of == CONDITION_RATIO && isinf(result->value))
		buf_add_str(buf, "new, ");
	else if (condition->of != CONDITION_LEVEL) {
		add_compared(diff, condition, result->value, buf);
		buf_add_str(buf, ", ");
	}
	buf_add_str(buf, "95 % interval ");
	add_compared(diff, condition, result->interval.low, buf);
	buf_add_str(buf, " to ");
	add_compared(diff, condition, result->interval.high, buf);
	add_chance(diff, condition, result, buf);
	if (condition->of != CONDITION_LEVEL && !result->holds && isfinite(result->detectable)) {
		buf_add_str(buf, "; a change of ");
		add_value(diff, condition, result->detectable, false, buf);
		buf_add_str(buf, " would have been detected");
	}
	buf_add_char(buf, ')');
}

static void add_alone(const struct diff *diff, const struct condition *condition,
		      const struct condition_result *result, struct buf *buf)
{
	static const char *const measured[] = { [CONDITION_SHARE] = "",
						[CONDITION_TIME] = "time ",
						[CONDITION_RATE] = "rate ",
						[CONDITION_SAMPLES] = "samples " };
	struct buf name = { 0 };

	if (condition->any)
		diff_text(diff, result->row, 0, &name);
	else
		buf_add_str(&name, condition->names ? condition->names : "everything");
	safe_text(buf, buf_text(&name));
	buf_printf(buf, ": %s", measured[condition->what]);
	if (condition->of == CONDITION_RATIO && isinf(result->value))
		buf_add_str(buf, "new");
	else
		add_compared(diff, condition, result->value, buf);
	if (condition->what == CONDITION_SAMPLES)
		buf_add_str(buf, ", counts compared without a test for noise");
	else if (condition->certainty == CONDITION_POINT)
		buf_add_str(buf, ", measured value without a test for noise ('point')");
	else
		buf_add_str(buf, ", significant when tested alone");
	buf_done(&name);
}

size_t diff_answers_add_alone(const struct diff *diff, const struct diff_answer *answers,
			      size_t count, struct buf *buf)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t at = 0; at < answers[i].asked->items.count; at++) {
			const struct condition *condition = &answers[i].asked->items.items[at];
			const struct condition_result *result = &answers[i].results[at];

			if (!result->holds || !condition_asks_change(condition) ||
			    condition_is_shown(condition, diff))
				continue;
			add_alone(diff, condition, result, buf);
			buf_add_char(buf, '\n');
			found++;
		}
	}
	return found;
}

/* A condition that holds does not fail the diff if another one, joined by "and", does not hold. */
static const char *word_of(const struct diff_answer *answer, const struct condition_result *result)
{
	return answer->holds ? "FAILS" : result->holds ? "holds" : "ok";
}

void diff_answers_print(const struct diff_view *view, FILE *out)
{
	struct buf line = { 0 };

	if (view->answer_count)
		fputs("\nConditions of --fail-if\n", out);
	for (size_t i = 0; i < view->answer_count; i++) {
		const struct diff_answer *answer = &view->answers[i];

		for (size_t at = 0; at < answer->asked->items.count; at++) {
			const struct condition_result *result = &answer->results[at];

			buf_clear(&line);
			buf_printf(&line, "%-5s ", word_of(answer, result));
			diff_answers_add(view->diff, &answer->asked->items.items[at], result,
					 &line);
			paragraph_text(buf_text(&line), &view->screen, out);
		}
	}
	buf_done(&line);
}

static void add_number(struct buf *json, const char *name, double value)
{
	json_add_name(json, name);
	if (isfinite(value))
		buf_printf(json, "%.9g", value);
	else
		buf_add_str(json, "null");
}

void diff_answers_add_json(const struct diff *diff, const struct diff_answer *answers, size_t count,
			   struct buf *json)
{
	buf_add_char(json, '[');
	for (size_t i = 0; i < count; i++) {
		for (size_t at = 0; at < answers[i].asked->items.count; at++) {
			const struct condition *condition = &answers[i].asked->items.items[at];
			const struct condition_result *result = &answers[i].results[at];

			if (i || at)
				json_add_line(json);
			json_add_begin(json, NULL, '{');
			json_add_text(json, "fail_if", answers[i].asked->text);
			json_add_text(json, "condition", condition->text);
			json_add_bool(json, "holds", result->holds);
			json_add_bool(json, "found", result->found);
			add_number(json, "value", result->value);
			add_number(json, "low", result->interval.low);
			add_number(json, "high", result->interval.high);
			add_number(json, "detectable", result->detectable);
			buf_add_char(json, '}');
		}
	}
	buf_add_char(json, ']');
}
