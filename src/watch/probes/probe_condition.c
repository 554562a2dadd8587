/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_condition.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/scan.h"

enum { MAX_NESTING = 64 }; /* of parentheses and "!" */

struct parser {
	struct scan *scan;
	struct probe_condition *condition;
	int depth;
};

/* ---- steps ---- */

static int add(struct parser *parser, const struct probe_step *step)
{
	struct probe_condition *condition = parser->condition;

	if (condition->count == PROBE_CONDITION_STEPS)
		return err_set(
			parser->scan->err, -E2BIG,
			"%s '%s': the condition is too long (at most %d comparisons and operators)",
			parser->scan->option, parser->scan->text, PROBE_CONDITION_STEPS);
	condition->steps[condition->count++] = *step;
	return 0;
}

static int add_sign(struct parser *parser, enum probe_step_kind kind)
{
	const struct probe_step step = { .kind = (uint8_t)kind };

	return add(parser, &step);
}

/* ---- values ---- */

static const struct {
	const char *name;
	uint8_t operand, bits, sign;
} values[] = {
	{ "arg1", PROBE_OPERAND_ARGUMENT, 64, 1 },
	{ "arg2", PROBE_OPERAND_ARGUMENT + 1, 64, 1 },
	{ "arg3", PROBE_OPERAND_ARGUMENT + 2, 64, 1 },
	{ "arg4", PROBE_OPERAND_ARGUMENT + 3, 64, 1 },
	{ "arg5", PROBE_OPERAND_ARGUMENT + 4, 64, 1 },
	{ "arg6", PROBE_OPERAND_ARGUMENT + 5, 64, 1 },
	{ "pid", PROBE_OPERAND_PID, 64, 1 },
	{ "tid", PROBE_OPERAND_TID, 64, 1 },
	{ "cpu", PROBE_OPERAND_CPU, 64, 1 },
	{ "uid", PROBE_OPERAND_UID, 64, 1 },
	{ "retval", PROBE_OPERAND_RETURNED, 64, 1 },
};

static const struct {
	const char *name;
	uint8_t bits, sign;
} widths[] = {
	{ "s8", 8, 1 },	  { "u8", 8, 0 },   { "s16", 16, 1 }, { "u16", 16, 0 },
	{ "s32", 32, 1 }, { "u32", 32, 0 }, { "s64", 64, 1 }, { "u64", 64, 0 },
};

static int parse_width(struct parser *parser, struct probe_step *step)
{
	if (!scan_sign(parser->scan, ":"))
		return 0;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		if (scan_word(parser->scan, widths[i].name)) {
			step->bits = widths[i].bits;
			step->sign = widths[i].sign;
			return 0;
		}
	}
	return scan_fail(parser->scan, "expected a width (s8, u8 ... s64, u64)");
}

static int parse_value(struct parser *parser, struct probe_step *step)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!scan_word(parser->scan, values[i].name))
			continue;
		*step = (struct probe_step){ .operand = values[i].operand,
					     .bits = values[i].bits,
					     .sign = values[i].sign };
		return parse_width(parser, step);
	}
	return scan_fail(parser->scan, "expected arg1 to arg6, retval, pid, tid, cpu, uid or comm");
}

static uint64_t take_unit(struct parser *parser)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = { { "k", 1 << 10 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (*parser->scan->at == *units[i].name) {
			parser->scan->at++;
			return units[i].factor;
		}
	}
	return 1;
}

static int parse_number(struct parser *parser, uint64_t *ret_number)
{
	bool negative;
	uint64_t number, unit;

	if (scan_word(parser->scan, "NULL")) {
		*ret_number = 0;
		return 0;
	}
	negative = scan_sign(parser->scan, "-");
	scan_blanks(parser->scan);
	if (!isdigit((unsigned char)*parser->scan->at))
		return scan_fail(parser->scan, "expected a number");
	if (!scan_number(&parser->scan->at, 0, &number))
		return scan_fail(parser->scan, "expected a number of at most 64 bits");
	unit = take_unit(parser);
	if (scan_is_word(*parser->scan->at) || __builtin_mul_overflow(number, unit, &number) ||
	    (negative && number > (uint64_t)INT64_MAX))
		return scan_fail(parser->scan, "expected a number of at most 64 bits");
	*ret_number = negative ? -number : number;
	return 0;
}

/* ---- tests ---- */

/* value < number, value == number ...; "not" and these express all other tests. */
static int add_test(struct parser *parser, struct probe_step step, enum probe_step_kind kind,
		    uint64_t number, bool not )
{
	int rc;

	step.kind = (uint8_t)kind;
	step.constants[0] = number;
	rc = add(parser, &step);
	return rc == 0 && not ? add_sign(parser, PROBE_STEP_NOT) : rc;
}

/* value > number (@above), or value <= number. The largest number has no successor, so it needs its
 * own test. */
static int add_above(struct parser *parser, struct probe_step step, uint64_t number, bool above)
{
	uint64_t last = step.sign ? (uint64_t)INT64_MAX : UINT64_MAX;
	int rc;

	if (number != last)
		return add_test(parser, step, PROBE_STEP_LESS, number + 1, above);
	rc = add_test(parser, step, PROBE_STEP_EQUAL, number, false);
	if (rc == 0)
		rc = add_test(parser, step, PROBE_STEP_LESS, number, false);
	if (rc == 0)
		rc = add_sign(parser, PROBE_STEP_OR);
	return rc == 0 && above ? add_sign(parser, PROBE_STEP_NOT) : rc;
}

static int parse_range(struct parser *parser, const struct probe_step *value)
{
	uint64_t low = 0, high = 0;
	int rc = parse_number(parser, &low);

	if (rc == 0 && !scan_sign(parser->scan, ".."))
		rc = scan_fail(parser->scan, "expected '..'");
	if (rc == 0)
		rc = parse_number(parser, &high);
	if (rc == 0)
		rc = add_test(parser, *value, PROBE_STEP_LESS, low, true);
	if (rc == 0)
		rc = add_above(parser, *value, high, false);
	return rc < 0 ? rc : add_sign(parser, PROBE_STEP_AND);
}

enum comparison { EQUAL, NOT_EQUAL, UP_TO, FROM, LESS, MORE, BITS };

/* Longer signs first. "&&" is not a comparison. */
static int parse_comparison(struct parser *parser, enum comparison *ret_comparison)
{
	static const struct {
		const char *sign;
		enum comparison comparison;
	} signs[] = {
		{ "==", EQUAL }, { "!=", NOT_EQUAL }, { "<=", UP_TO }, { ">=", FROM },
		{ "<", LESS },	 { ">", MORE },	      { "&", BITS },
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		scan_blanks(parser->scan);
		if (strncmp(parser->scan->at, "&&", 2) != 0 &&
		    scan_sign(parser->scan, signs[i].sign)) {
			*ret_comparison = signs[i].comparison;
			return 0;
		}
	}
	return scan_fail(parser->scan, "expected ==, !=, <, <=, >, >=, & or in");
}

static int add_comparison(struct parser *parser, const struct probe_step *value,
			  enum comparison comparison, uint64_t number)
{
	switch (comparison) {
	case EQUAL:
	case NOT_EQUAL:
		return add_test(parser, *value, PROBE_STEP_EQUAL, number, comparison == NOT_EQUAL);
	case LESS:
	case FROM:
		return add_test(parser, *value, PROBE_STEP_LESS, number, comparison == FROM);
	case UP_TO:
	case MORE:
		return add_above(parser, *value, number, comparison == MORE);
	default:
		return add_test(parser, *value, PROBE_STEP_BITS, number, false);
	}
}

static int parse_comm(struct parser *parser)
{
	struct probe_step step = { .kind = PROBE_STEP_COMM };
	bool not = scan_sign(parser->scan, "!=");
	const char *end;
	size_t length;
	int rc;

	if (!not &&!scan_sign(parser->scan, "=="))
		return scan_fail(parser->scan, "expected == or !=");
	if (!scan_sign(parser->scan, "\""))
		return scan_fail(parser->scan, "expected a name in \"quotes\"");
	end = strchr(parser->scan->at, '"');
	if (!end)
		return scan_fail(parser->scan, "expected the closing quote");
	length = (size_t)(end - parser->scan->at);
	if (length >= PROBE_COMM_SIZE) /* truncate like the kernel */
		length = PROBE_COMM_SIZE - 1;
	memcpy(step.constants, parser->scan->at, length);
	parser->scan->at = end + 1;
	rc = add(parser, &step);
	return rc == 0 && not ? add_sign(parser, PROBE_STEP_NOT) : rc;
}

static int parse_test(struct parser *parser)
{
	struct probe_step value;
	enum comparison comparison = EQUAL;
	uint64_t number = 0;
	int rc;

	if (scan_word(parser->scan, "comm"))
		return parse_comm(parser);
	rc = parse_value(parser, &value);
	if (rc < 0)
		return rc;
	if (scan_word(parser->scan, "in"))
		return parse_range(parser, &value);
	rc = parse_comparison(parser, &comparison);
	if (rc == 0)
		rc = parse_number(parser, &number);
	return rc < 0 ? rc : add_comparison(parser, &value, comparison, number);
}

/* ---- the condition ---- */

static int parse_or(struct parser *parser);

static int parse_not(struct parser *parser)
{
	bool not ;
	int rc;

	if (parser->depth++ >= MAX_NESTING)
		return err_set(parser->scan->err, -E2BIG, "%s: parentheses are nested too deeply",
			       parser->scan->option);
	not = scan_sign(parser->scan, "!");
	if (not ) {
		rc = parse_not(parser);
		if (rc == 0)
			rc = add_sign(parser, PROBE_STEP_NOT);
	} else if (scan_sign(parser->scan, "(")) {
		rc = parse_or(parser);
		if (rc == 0 && !scan_sign(parser->scan, ")"))
			rc = scan_fail(parser->scan, "expected ')'");
	} else {
		rc = parse_test(parser);
	}
	parser->depth--;
	return rc;
}

static int parse_and(struct parser *parser)
{
	int rc = parse_not(parser);

	while (rc == 0 && scan_sign(parser->scan, "&&")) {
		rc = parse_not(parser);
		if (rc == 0)
			rc = add_sign(parser, PROBE_STEP_AND);
	}
	return rc;
}

static int parse_or(struct parser *parser)
{
	int rc = parse_and(parser);

	while (rc == 0 && scan_sign(parser->scan, "||")) {
		rc = parse_and(parser);
		if (rc == 0)
			rc = add_sign(parser, PROBE_STEP_OR);
	}
	return rc;
}

int probe_condition_parse(const char *option, const char *text,
			  struct probe_condition *ret_condition, struct err *err)
{
	struct probe_condition condition = { .count = 0 };
	struct scan scan = { option, text, text, err };
	struct parser parser = { .scan = &scan, .condition = &condition };
	int rc = parse_or(&parser);

	scan_blanks(&scan);
	if (rc == 0 && *scan.at)
		rc = scan_fail(&scan, "expected && or ||");
	if (rc == 0)
		*ret_condition = condition;
	return rc;
}

/* ---- what is known when ---- */

static bool is_test(const struct probe_step *step)
{
	return step->kind < PROBE_STEP_COMM;
}

bool probe_condition_uses_arguments(const struct probe_condition *condition)
{
	for (size_t i = 0; i < condition->count; i++) {
		if (is_test(&condition->steps[i]) && condition->steps[i].operand < PROBE_ARGUMENTS)
			return true;
	}
	return false;
}

static bool uses_returned(const struct probe_condition *condition)
{
	for (size_t i = 0; i < condition->count; i++) {
		if (is_test(&condition->steps[i]) &&
		    condition->steps[i].operand == PROBE_OPERAND_RETURNED)
			return true;
	}
	return false;
}

/* The first of the steps that compute the value of step @last. */
static size_t first_of(const struct probe_condition *condition, size_t last)
{
	size_t wanted = 1, at = last + 1;

	while (wanted) {
		uint8_t kind = condition->steps[--at].kind;

		if (kind == PROBE_STEP_AND || kind == PROBE_STEP_OR)
			wanted++;
		else if (kind != PROBE_STEP_NOT)
			wanted--;
	}
	return at;
}

static void join(struct probe_condition *condition, const struct probe_condition *part)
{
	bool both = condition->count > 0;

	for (size_t i = 0; i < part->count; i++)
		condition->steps[condition->count++] = part->steps[i];
	if (both)
		condition->steps[condition->count++] =
			(struct probe_step){ .kind = PROBE_STEP_AND };
}

static int split(const struct probe_condition *whole, size_t first, size_t last,
		 struct probe_condition *entry, struct probe_condition *at_return)
{
	struct probe_condition part = { .count = last + 1 - first };
	size_t middle;
	int rc;

	if (whole->steps[last].kind == PROBE_STEP_AND) {
		middle = first_of(whole, last - 1);
		rc = split(whole, first, middle - 1, entry, at_return);
		return rc < 0 ? rc : split(whole, middle, last - 1, entry, at_return);
	}
	memcpy(part.steps, &whole->steps[first], part.count * sizeof(part.steps[0]));
	if (uses_returned(&part) && probe_condition_uses_arguments(&part))
		return -EINVAL;
	join(uses_returned(&part) ? at_return : entry, &part);
	return 0;
}

int probe_condition_split(const struct probe_condition *whole, struct probe_condition *ret_entry,
			  struct probe_condition *ret_return)
{
	*ret_entry = *ret_return = (struct probe_condition){ .count = 0 };
	return whole->count ? split(whole, 0, whole->count - 1, ret_entry, ret_return) : 0;
}
