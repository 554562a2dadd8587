/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/select.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/near_values.h"
#include "base/scan.h"
#include "base/vec.h"
#include "base/xalloc.h"

struct pattern {
	char *text;	      /* owned */
	char *plain;	      /* without backslashes; owned */
	uint64_t first, last; /* of KEY_NUMBER */
};

/* What we know about a value: patterns are tried once for each. */
enum verdict {
	VERDICT_UNKNOWN,
	VERDICT_NO,
	VERDICT_YES,
	/* No, and select_look_again has considered its name, of a sample that is viewed or not. */
	VERDICT_NAMED,
	VERDICT_NAMED_OUTSIDE,
};

struct clause {
	const struct key *key;
	char *text; /* as typed, for the explanation; owned */
	bool excludes;
	VEC(struct pattern) patterns;
	uint8_t *verdicts; /* by value, if values are bounded; owned */
	size_t bound;
	uint64_t passed; /* samples that this clause and all before it accepted */
};

struct select {
	VEC(struct clause) clauses;
	const struct labels *labels;
	struct buf scratch;
	uint64_t seen; /* samples */
	/* Of the clause that nothing passed: values within the scope and outside it. */
	struct near_values near, near_outside;
	uint64_t outside; /* samples outside the scope that match */
};

struct select *select_new(void)
{
	return xcalloc(1, sizeof(struct select));
}

static void clause_done(struct clause *clause)
{
	for (size_t i = 0; i < clause->patterns.count; i++) {
		free(clause->patterns.items[i].text);
		free(clause->patterns.items[i].plain);
	}
	vec_free(&clause->patterns);
	free(clause->text);
	free(clause->verdicts);
}

void select_free(struct select *select)
{
	if (!select)
		return;
	for (size_t i = 0; i < select->clauses.count; i++)
		clause_done(&select->clauses.items[i]);
	vec_free(&select->clauses);
	buf_done(&select->scratch);
	near_values_done(&select->near);
	near_values_done(&select->near_outside);
	free(select);
}

static char *copy(const char *text, size_t length)
{
	char *copied = xmalloc(length + 1);

	memcpy(copied, text, length);
	copied[length] = '\0';
	return copied;
}

/* The pattern read as plain text. */
static char *without_backslashes(const char *text)
{
	char *plain = xmalloc(strlen(text) + 1);
	char *end = plain;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		*end++ = *text;
	}
	*end = '\0';
	return plain;
}

static bool matches_text(const struct pattern *pattern, const char *text)
{
	return strcmp(pattern->text, text) == 0 || strcmp(pattern->plain, text) == 0 ||
	       fnmatch(pattern->text, text, 0) == 0;
}

/* "2.5" for a key measured in units of 1 / @parts: the range of all values that begin with these
 * digits. */
static int parse_decimal(const char **text, uint64_t parts, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t value;

	if (!scan_number(text, 0, &value) || value > UINT64_MAX / parts - 1)
		return -EINVAL;
	value *= parts;
	if (**text == '.' && parts > 1) {
		(*text)++;
		if (!isdigit((unsigned char)**text))
			return -EINVAL;
		for (; isdigit((unsigned char)**text) && parts > 1; (*text)++) {
			parts /= 10;
			value += (uint64_t)(**text - '0') * parts;
		}
	}
	*ret_first = value;
	*ret_last = value + (parts - 1);
	return 0;
}

/* A range includes its last number. Ranges with decimals lead from one moment to another: "2.5-3" ends
 * where 3 begins. */
static int parse_range(const struct key *key, struct pattern *pattern, struct err *err)
{
	const char *text = pattern->text;
	uint64_t parts = key->measure ? key->parts : 1, end;
	int rc = parse_decimal(&text, parts, &pattern->first, &pattern->last);

	if (rc == 0 && *text == '-') {
		text++;
		rc = parse_decimal(&text, parts, &end, &pattern->last);
		if (rc == 0 && strchr(pattern->text, '.')) {
			rc = end > pattern->first ? 0 : -EINVAL;
			pattern->last = end - 1;
		}
	}
	if (rc < 0 || *text || pattern->last < pattern->first)
		return err_set(
			err, -EINVAL,
			"invalid --select %s value '%s': expected a number or a range such as 2-5",
			key->name, pattern->text);
	return 0;
}

/* Rejects a word that a closed list does not have: it would never match. */
static int check_word(const struct key *key, const struct pattern *pattern, struct err *err)
{
	struct buf words = { 0 };
	size_t bound = key->bound(NULL);
	bool found = false;
	int rc = 0;

	for (size_t value = 0; value < bound && !found; value++) {
		buf_clear(&words);
		key->text(NULL, value, &words);
		found = matches_text(pattern, buf_text(&words));
	}
	buf_clear(&words);
	for (size_t value = 0; value < bound && !found; value++) {
		buf_add_str(&words, value ? ", " : "");
		key->text(NULL, value, &words);
	}
	if (!found)
		rc = err_set(err, -EINVAL, "invalid --select %s value '%s': expected one of %s",
			     key->name, pattern->text, buf_text(&words));
	buf_done(&words);
	return rc;
}

static int add_pattern(struct clause *clause, const char *text, size_t length, struct err *err)
{
	struct pattern *pattern;

	if (!length)
		return err_set(err, -EINVAL, "empty --select %s value", clause->key->name);
	pattern = vec_push(&clause->patterns);
	*pattern = (struct pattern){ .text = copy(text, length) };
	pattern->plain = without_backslashes(pattern->text);
	if (clause->key->kind == KEY_NUMBER)
		return parse_range(clause->key, pattern, err);
	return clause->key->closed ? check_word(clause->key, pattern, err) : 0;
}

/* The length up to the next comma without a backslash. */
static size_t pattern_length(const char *text, size_t limit)
{
	size_t at = 0;

	while (at < limit && text[at] != ',')
		at += text[at] == '\\' && at + 1 < limit ? 2 : 1;
	return at;
}

static int add_patterns(struct clause *clause, const char *text, size_t length, struct err *err)
{
	const char *end = text + length;

	for (;; text++) {
		size_t here = pattern_length(text, (size_t)(end - text));
		int rc = add_pattern(clause, text, here, err);

		if (rc < 0)
			return rc;
		text += here;
		if (text == end)
			return 0;
	}
}

/* The length of the key if "key=" or "key!=" begins here, else 0. */
static size_t key_length(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	const char *after = text + length;

	return *after == '=' || (*after == '!' && after[1] == '=') ? length : 0;
}

/* A clause ends at a blank that is followed by the next clause. Other blanks belong to the value:
 * names of threads contain some. */
static size_t clause_length(const char *text)
{
	size_t at = 0;

	while (text[at]) {
		size_t blanks = strspn(text + at, " ");

		if (blanks && (!text[at + blanks] || key_length(text + at + blanks)))
			return at;
		at += blanks ? blanks : 1;
	}
	return at;
}

/* True if a value may be FILE+0xSTART. A symbol is a name, which several such places share. */
static bool names_place(const char *text, size_t length)
{
	return memmem(text, length, "+0x", strlen("+0x"));
}

static int add_clause(struct select *select, const char *text, size_t length, struct err *err)
{
	size_t letters = key_length(text);
	struct clause *clause;
	const struct key *key;
	const char *value;

	if (!letters)
		return err_set(err, -EINVAL,
			       "invalid --select '%.*s': expected KEY=VALUE, e.g. mode=kernel",
			       (int)length, text);
	key = keys_find(text, letters, err);
	if (!key)
		return err_prefix(err, -EINVAL, "--select");
	value = text + letters;
	if (strcmp(key->name, "symbol") == 0 && names_place(value, length - letters))
		key = keys_find("function", strlen("function"), NULL);
	clause = vec_push(&select->clauses);
	*clause = (struct clause){ .key = key,
				   .text = copy(text, length),
				   .excludes = text[letters] == '!' };
	value = text + letters + (clause->excludes ? 2 : 1);
	return add_patterns(clause, value, length - (size_t)(value - text), err);
}

int select_add(struct select *select, const char *text, struct err *err)
{
	text += strspn(text, " ");
	if (!*text)
		return err_set(err, -EINVAL,
			       "empty --select: expected KEY=VALUE, e.g. mode=kernel");
	while (*text) {
		size_t length = clause_length(text);
		int rc = add_clause(select, text, length, err);

		if (rc < 0)
			return rc;
		text += length;
		text += strspn(text, " ");
	}
	return 0;
}

unsigned select_uses(const struct select *select)
{
	unsigned uses = 0;

	for (size_t i = 0; i < select->clauses.count; i++)
		uses |= select->clauses.items[i].key->uses;
	return uses;
}

void select_bind(struct select *select, const struct labels *labels)
{
	select->labels = labels;
	for (size_t i = 0; i < select->clauses.count; i++) {
		struct clause *clause = &select->clauses.items[i];

		clause->bound = clause->key->bound ? clause->key->bound(labels) : 0;
		free(clause->verdicts);
		clause->verdicts = clause->bound ? xcalloc(clause->bound, 1) : NULL;
	}
}

static bool in_ranges(const struct clause *clause, uint64_t number)
{
	for (size_t i = 0; i < clause->patterns.count; i++) {
		const struct pattern *pattern = &clause->patterns.items[i];

		if (pattern->first <= number && number <= pattern->last)
			return true;
	}
	return false;
}

static bool any_matches(const struct clause *clause, const char *text)
{
	for (size_t i = 0; i < clause->patterns.count; i++) {
		if (matches_text(&clause->patterns.items[i], text))
			return true;
	}
	return false;
}

static bool value_matches(struct select *select, const struct clause *clause, uint64_t value)
{
	const struct key *key = clause->key;

	if (key->kind == KEY_NUMBER)
		return in_ranges(clause, key->number ? key->number(select->labels, value) : value);
	buf_clear(&select->scratch);
	key->text(select->labels, value, &select->scratch);
	if (any_matches(clause, buf_text(&select->scratch)))
		return true;
	buf_clear(&select->scratch);
	if (key->place && key->place(select->labels, value, &select->scratch) &&
	    any_matches(clause, buf_text(&select->scratch)))
		return true;
	if (!key->alias)
		return false;
	buf_clear(&select->scratch);
	key->alias(select->labels, value, &select->scratch);
	return any_matches(clause, buf_text(&select->scratch));
}

static bool clause_holds(struct select *select, struct clause *clause, const struct point *point)
{
	uint64_t value = clause->key->measure ? clause->key->measure(select->labels, point)
					      : keys_value(clause->key, select->labels, point);
	uint8_t *verdict = value < clause->bound ? &clause->verdicts[value] : NULL;
	bool matches;

	if (verdict && *verdict != VERDICT_UNKNOWN)
		return (*verdict == VERDICT_YES) != clause->excludes;
	matches = value_matches(select, clause, value);
	if (verdict)
		*verdict = matches ? VERDICT_YES : VERDICT_NO;
	return matches != clause->excludes;
}

bool select_match(struct select *select, const struct point *point)
{
	select->seen += point->total.samples;
	for (size_t i = 0; i < select->clauses.count; i++) {
		struct clause *clause = &select->clauses.items[i];

		if (!clause_holds(select, clause, point))
			return false;
		clause->passed += point->total.samples;
	}
	return true;
}

/* ---- what would match ---- */

/* The first clause that nothing passed; the number of clauses if there is none. */
static size_t find_failed(const struct select *select)
{
	size_t at = 0;

	while (at < select->clauses.count && select->clauses.items[at].passed)
		at++;
	return at;
}

/* How far a number is from what the clause wants. */
static uint64_t distance_to(const struct clause *clause, uint64_t number)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < clause->patterns.count; i++) {
		const struct pattern *pattern = &clause->patterns.items[i];
		uint64_t here =
			number < pattern->first ? pattern->first - number : number - pattern->last;

		if (here < least)
			least = here;
	}
	return least;
}

static void consider_number(struct select *select, const struct clause *clause,
			    const struct point *point, struct near_values *near)
{
	const struct key *key = clause->key;
	uint64_t value = keys_value(key, select->labels, point);
	uint64_t number = key->measure	? key->measure(select->labels, point)
			  : key->number ? key->number(select->labels, value)
					: value;
	uint64_t distance = distance_to(clause, number);

	if (!near_values_wants(near, distance))
		return;
	buf_clear(&select->scratch);
	key->text(select->labels, value, &select->scratch);
	/* Buckets have negative process ids, which cannot be selected. */
	if (*buf_text(&select->scratch) != '-')
		near_values_add_number(near, distance, buf_text(&select->scratch));
}

static void consider_text(struct select *select, const struct clause *clause, uint64_t value,
			  void (*text)(const struct labels *labels, uint64_t value,
				       struct buf *buf),
			  struct near_values *near)
{
	buf_clear(&select->scratch);
	text(select->labels, value, &select->scratch);
	for (size_t i = 0; i < clause->patterns.count; i++)
		near_values_add(near, clause->patterns.items[i].text, buf_text(&select->scratch));
}

/* True, once for each value, if its name was not considered yet. */
static bool is_new(uint8_t *verdict, bool viewed)
{
	if (*verdict == VERDICT_NAMED || (*verdict == VERDICT_NAMED_OUTSIDE && !viewed))
		return false;
	*verdict = viewed ? VERDICT_NAMED : VERDICT_NAMED_OUTSIDE;
	return true;
}

static void consider(struct select *select, struct clause *clause, const struct point *point,
		     bool viewed)
{
	struct near_values *near = viewed ? &select->near : &select->near_outside;
	const struct key *key = clause->key;
	uint64_t value = keys_value(key, select->labels, point);

	if (key->kind == KEY_NUMBER) {
		consider_number(select, clause, point, near);
		return;
	}
	if (value < clause->bound && !is_new(&clause->verdicts[value], viewed))
		return;
	if (key->alias)
		consider_text(select, clause, value, key->alias, near);
	consider_text(select, clause, value, key->text, near);
}

void select_look_again(struct select *select, const struct point *point, bool viewed)
{
	size_t failed = find_failed(select), at = 0;

	while (at < select->clauses.count &&
	       clause_holds(select, &select->clauses.items[at], point))
		at++;
	if (at == select->clauses.count && !viewed)
		select->outside += point->total.samples;
	else if (at == failed && !select->clauses.items[at].excludes)
		consider(select, &select->clauses.items[at], point, viewed);
}

/* Appends what would match, if anything is close. */
static void add_near(const struct select *select, struct buf *text)
{
	if (select->near.count || !select->near_outside.count) {
		near_values_text(&select->near, text);
		return;
	}
	near_values_text(&select->near_outside, text);
	buf_add_str(text, " It is outside the command: add --machine");
}

int select_explain(const struct select *select, struct err *err)
{
	size_t failed = find_failed(select);
	const struct clause *clause = &select->clauses.items[failed];
	struct buf near = { 0 };
	uint64_t before;

	if (failed == select->clauses.count)
		return 0;
	if (select->outside)
		return err_set(err, -ENODATA,
			       "no samples of the command match --select '%s', but %" PRIu64
			       " others do: add --machine",
			       clause->text, select->outside);
	before = failed ? clause[-1].passed : select->seen;
	add_near(select, &near);
	err_set(err, -ENODATA, "no samples match --select '%s' (%" PRIu64 " before this filter)%s",
		clause->text, before, near.size ? buf_text(&near) : "");
	buf_done(&near);
	return -ENODATA;
}
