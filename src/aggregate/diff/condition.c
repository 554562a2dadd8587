/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/condition.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/diff/rebuilt.h"
#include "base/scan.h"
#include "base/xalloc.h"

static int parse_what(struct scan *scan, struct condition *condition)
{
	static const struct {
		const char *word;
		enum condition_what what;
	} words[] = { { "share", CONDITION_SHARE }, { "time", CONDITION_TIME },
		      { "weight", CONDITION_TIME }, { "total", CONDITION_TIME },
		      { "rate", CONDITION_RATE },   { "samples", CONDITION_SAMPLES } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!scan_word(scan, words[i].word))
			continue;
		condition->what = words[i].what;
		return 0;
	}
	return scan_fail(scan, "expected share, time, rate, samples or total");
}

/* Parses up to the matching parenthesis: names contain pairs of them. */
static int parse_names(struct scan *scan, struct condition *condition)
{
	const char *begin, *end;
	int depth = 1;

	if (!scan_sign(scan, "("))
		return 0;
	scan_blanks(scan);
	begin = scan->at;
	for (; *scan->at && depth; scan->at++)
		depth += (*scan->at == '(') - (*scan->at == ')');
	if (depth)
		return scan_fail(scan, "expected a closing parenthesis");
	end = scan->at - 1;
	while (end > begin && end[-1] == ' ')
		end--;
	if (end == begin)
		return 0;
	condition->names = xstrndup(begin, (size_t)(end - begin));
	begin = condition->names + strspn(condition->names, "abcdefghijklmnopqrstuvwxyz");
	condition->selects = begin > condition->names &&
			     (*begin == '=' || (*begin == '!' && begin[1] == '=')) &&
			     strncmp(condition->names, "operator", 8) != 0;
	return 0;
}

static int parse_operator(struct scan *scan, struct condition *condition)
{
	condition->less = scan_sign(scan, "<");
	if (!condition->less && !scan_sign(scan, ">"))
		return scan_fail(scan, "expected an operator (> >= < <=)");
	condition->or_equal = *scan->at == '=';
	scan->at += condition->or_equal;
	return 0;
}

struct unit {
	double scale;
	bool is_part;  /* percent or points */
	bool is_times; /* a ratio of the new side to the old one */
	bool is_time;
};

static struct unit parse_unit(struct scan *scan)
{
	const char *end;
	uint64_t ns;

	if (scan_sign(scan, "%") || scan_word(scan, "points"))
		return (struct unit){ .scale = 0.01, .is_part = true };
	if (scan_word(scan, "x"))
		return (struct unit){ .scale = 1, .is_times = true };
	end = scan->at;
	if (!scan_time_unit(&end, &ns) || scan_is_word(*end))
		return (struct unit){ .scale = 1 };
	scan->at = end;
	return (struct unit){ .scale = (double)ns, .is_time = true };
}

/* Sets which result a number of this unit is compared with. */
static int find_meaning(struct scan *scan, struct condition *condition, const struct unit *unit,
			bool sign, double number)
{
	bool share = condition->what == CONDITION_SHARE;

	condition->of = unit->is_times ? CONDITION_RATIO
			: sign	       ? CONDITION_DIFFERENCE
				       : CONDITION_LEVEL;
	condition->value = number * unit->scale;
	if (share && !unit->is_part && !unit->is_times)
		return scan_fail(scan, "expected a share such as +2%, 30% or 1.1x");
	if (unit->is_time && condition->what == CONDITION_SAMPLES)
		return scan_fail(scan, "expected a number of samples");
	if (unit->is_times && (sign || number <= 0))
		return scan_fail(scan, "expected a factor above 0 without a sign, such as 1.1x,");
	if (share || !unit->is_part)
		return 0;
	if (!sign)
		return scan_fail(scan, "expected a change with its sign, such as +5%,");
	condition->of = CONDITION_RATIO;
	condition->value += 1;
	return 0;
}

static int parse_value(struct scan *scan, struct condition *condition)
{
	struct unit unit;
	bool sign;
	double number;

	scan_blanks(scan);
	sign = *scan->at == '+' || *scan->at == '-';
	if (!scan_decimal(&scan->at, &number))
		return scan_fail(scan, "expected a number");
	unit = parse_unit(scan);
	return find_meaning(scan, condition, &unit, sign, number);
}

static int parse_condition(struct scan *scan, struct condition *condition)
{
	const char *begin;
	int rc;

	scan_blanks(scan);
	begin = scan->at;
	condition->any = scan_word(scan, "any");
	if (scan_word(scan, "surely"))
		condition->certainty = CONDITION_SURELY;
	else if (scan_word(scan, "point"))
		condition->certainty = CONDITION_POINT;
	else
		scan_word(scan, "likely");
	rc = parse_what(scan, condition);
	if (rc == 0)
		rc = parse_names(scan, condition);
	if (rc == 0 && condition->any && condition->selects)
		rc = scan_fail(scan,
			       "'any' needs row names, such as any share(parse*), not KEY=VALUE,");
	if (rc == 0)
		rc = parse_operator(scan, condition);
	if (rc == 0)
		rc = parse_value(scan, condition);
	if (rc == 0)
		condition->text = xstrndup(begin, (size_t)(scan->at - begin));
	return rc;
}

static int parse_conditions(struct scan *scan, struct conditions *conditions)
{
	for (;;) {
		struct condition *condition = vec_push(&conditions->items);
		int rc;

		*condition = (struct condition){ 0 };
		rc = parse_condition(scan, condition);
		if (rc < 0)
			return rc;
		scan_blanks(scan);
		if (!*scan->at)
			return 0;
		if (!scan_word(scan, "and") && !scan_sign(scan, "&&"))
			return scan_fail(scan, "expected 'and' or the end");
	}
}

int condition_parse(const char *text, struct conditions *ret_conditions, struct err *err)
{
	struct scan scan = { "invalid --fail-if", text, text, err };
	struct conditions conditions = { .text = text };
	int rc = parse_conditions(&scan, &conditions);

	if (rc < 0)
		condition_done(&conditions);
	else
		*ret_conditions = conditions;
	return rc;
}

void condition_done(struct conditions *conditions)
{
	for (size_t i = 0; i < conditions->items.count; i++) {
		free(conditions->items.items[i].text);
		free(conditions->items.items[i].names);
	}
	vec_free(&conditions->items);
}

static bool matches(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* Where the parameters of a demangled C++ or Rust name begin; 0: it has none. */
static size_t parameters_of(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	for (; end && end > name; end--) {
		depth += (*end == ')') - (*end == '(');
		if (!depth)
			return (size_t)(end - name);
	}
	return 0;
}

bool condition_names(const struct condition *condition, const char *name)
{
	struct buf rebuilt = { 0 };
	size_t parameters;
	bool found;

	if (!condition->names || matches(condition->names, name))
		return true;
	rebuilt_name_of_function(name, &rebuilt);
	found = matches(condition->names, buf_text(&rebuilt));
	parameters = parameters_of(buf_text(&rebuilt));
	if (!found && parameters) {
		rebuilt.bytes[parameters] = '\0';
		found = matches(condition->names, rebuilt.bytes);
	}
	buf_done(&rebuilt);
	return found;
}

enum diff_measure condition_measure(const struct condition *condition)
{
	return condition->what == CONDITION_SHARE  ? DIFF_SHARE
	       : condition->what == CONDITION_RATE ? DIFF_RATE
						   : DIFF_TIME;
}

/* Samples are counted exactly: the interval is the value. */
static void compare_samples(const struct condition *condition, struct condition_result *result)
{
	double old = (double)result->row->samples[DIFF_OLD];
	double new = (double)result->row->samples[DIFF_NEW];

	result->value = condition->of == CONDITION_LEVEL	? new
			: condition->of == CONDITION_DIFFERENCE ? new - old
								: new / old;
	result->interval = (struct interval){ result->value, result->value };
}

static void compare_change(const struct condition *condition, struct condition_result *result)
{
	enum diff_measure measure = condition_measure(condition);
	const struct change *change = &result->row->by[measure];
	enum measured_kind kind = measure == DIFF_SHARE ? MEASURED_SHARE : MEASURED_AMOUNT;
	struct measured after = { change->after, change->after_exposure };

	switch (condition->of) {
	case CONDITION_DIFFERENCE:
		result->value = change->after - change->before;
		result->interval = change->difference;
		break;
	case CONDITION_RATIO:
		result->value = change->after / change->before;
		result->interval = change->ratio;
		break;
	case CONDITION_LEVEL:
		result->value = change->after;
		result->interval = change_level(kind, &after, change->unevenness, change->freedom);
		break;
	}
}

static bool is_beyond(const struct condition *condition, double value)
{
	if (condition->less)
		return condition->or_equal ? value <= condition->value : value < condition->value;
	return condition->or_equal ? value >= condition->value : value > condition->value;
}

/* The end of the interval that passes the value last. */
static double last_end(const struct condition *condition, const struct interval *interval)
{
	return condition->less ? interval->high : interval->low;
}

/* The result if nothing changed. */
static double no_change(const struct condition *condition)
{
	return condition->of == CONDITION_RATIO ? 1 : 0;
}

bool condition_asks_change(const struct condition *condition)
{
	double none = no_change(condition);

	return condition->of != CONDITION_LEVEL &&
	       (condition->less ? condition->value <= none : condition->value >= none);
}

/* True if a required change is real: its interval lies on one side of "no change", and its
 * probability is within the table's limit. A condition that allows no change ("> -5%") needs no
 * proof. */
static bool is_real(const struct condition *condition, const struct diff *diff,
		    const struct condition_result *result)
{
	double none = no_change(condition);
	double end = last_end(condition, &result->interval);

	if (!condition_asks_change(condition))
		return true;
	return (condition->less ? end < none : end > none) &&
	       result->row->by[condition_measure(condition)].p <= diff->limit;
}

static bool holds(const struct condition *condition, const struct diff *diff,
		  const struct condition_result *result)
{
	bool is_change = condition->of != CONDITION_LEVEL;

	if (!is_beyond(condition, result->value))
		return false;
	if (condition->certainty == CONDITION_POINT || condition->what == CONDITION_SAMPLES)
		return true;
	if ((condition->certainty == CONDITION_SURELY || !is_change) &&
	    !is_beyond(condition, last_end(condition, &result->interval)))
		return false;
	if (condition->any && is_change)
		return result->row->q_by[condition_measure(condition)] <= diff->limit;
	return !is_change || is_real(condition, diff, result);
}

/* True if only the probability limit keeps the condition from holding. */
static bool fails_by_limit(const struct condition *condition, const struct diff *diff,
			   const struct condition_result *result)
{
	double none = no_change(condition);
	double end = last_end(condition, &result->interval);

	return !result->holds && condition->what != CONDITION_SAMPLES &&
	       condition_asks_change(condition) && is_beyond(condition, result->value) &&
	       (condition->certainty != CONDITION_SURELY || is_beyond(condition, end)) &&
	       (condition->less ? end < none : end > none);
}

static struct condition_result judge_row(const struct condition *condition, const struct diff *diff,
					 const struct diff_row *row)
{
	struct condition_result result = { .row = row };

	result.found = row->samples[DIFF_OLD] || row->samples[DIFF_NEW];
	result.detectable =
		change_detectable(&row->by[condition_measure(condition)], diff->limit, diff_found);
	if (condition->what == CONDITION_SAMPLES)
		compare_samples(condition, &result);
	else
		compare_change(condition, &result);
	/* 0 / 0 is not a number. */
	result.holds = !isnan(result.value) && holds(condition, diff, &result);
	if (fails_by_limit(condition, diff, &result))
		result.chance = condition->any ? row->q_by[condition_measure(condition)]
					       : row->by[condition_measure(condition)].p;
	return result;
}

/* The key that names a row. */
static size_t naming_key(const struct diff *diff)
{
	static const char *const names[] = { "symbol", "function", "inline" };

	for (size_t key = 0; key < diff->keys.count; key++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strcmp(diff->keys.items[key]->name, names[i]) == 0)
				return key;
		}
	}
	return 0;
}

static bool is_worse(const struct condition *condition, const struct condition_result *a,
		     const struct condition_result *b)
{
	if (a->holds != b->holds)
		return a->holds;
	return condition->less ? a->value < b->value : a->value > b->value;
}

/* By what is shown or, of code without a name, by the symbols around it. */
static bool names_row(const struct condition *condition, const struct diff *diff,
		      const struct diff_row *row, size_t key)
{
	struct buf shown = { 0 };
	bool found;

	diff_text(diff, row, key, &shown);
	found = condition_names(condition, buf_text(&shown)) ||
		condition_names(condition, diff_symbol(diff, row, key));
	buf_done(&shown);
	return found;
}

bool condition_is_shown(const struct condition *condition, const struct diff *diff)
{
	size_t key = naming_key(diff);
	bool found = false;

	for (size_t i = 0; !found && i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.items[i];

		if (row->event != diff->main_event || row->verdict == DIFF_WITHIN_NOISE)
			continue;
		found = condition->selects || names_row(condition, diff, row, key);
	}
	return found;
}

static struct condition_result judge_any(const struct condition *condition, const struct diff *diff)
{
	struct condition_result worst = { 0 };
	size_t key = naming_key(diff);

	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.items[i];
		struct condition_result result;

		if (row->event != diff->main_event || !names_row(condition, diff, row, key))
			continue;
		result = judge_row(condition, diff, row);
		if (!worst.row || is_worse(condition, &result, &worst))
			worst = result;
	}
	return worst;
}

struct condition_result condition_judge(const struct condition *condition, const struct diff *diff,
					const struct diff_row *probe)
{
	return condition->any ? judge_any(condition, diff) : judge_row(condition, diff, probe);
}
