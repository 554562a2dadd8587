/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/select.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"

struct pattern {
	char *text;	      /* owned */
	char *plain;	      /* without backslashes; owned */
	uint64_t first, last; /* of KEY_NUMBER */
};

/* What we know about a value: patterns are tried once for each. */
enum verdict { VERDICT_UNKNOWN, VERDICT_NO, VERDICT_YES };

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

static int parse_number(const char **text, uint64_t *ret_value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	*ret_value = strtoull(*text, &end, strncmp(*text, "0x", 2) == 0 ? 16 : 10);
	*text = end;
	return errno ? -EINVAL : 0;
}

/* "2.5" for a key measured in units of 1 / @parts: the range of all values that begin with these
 * digits. */
static int parse_decimal(const char **text, uint64_t parts, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t value;
	int rc = parse_number(text, &value);

	if (rc < 0 || value > UINT64_MAX / parts - 1)
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

static int parse_range(const struct key *key, struct pattern *pattern, struct err *err)
{
	const char *text = pattern->text;
	uint64_t parts = key->measure ? key->parts : 1, begin;
	int rc = parse_decimal(&text, parts, &pattern->first, &pattern->last);

	if (rc == 0 && *text == '-') {
		text++;
		rc = parse_decimal(&text, parts, &begin, &pattern->last);
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
	const char *behind = text + length;

	return *behind == '=' || (*behind == '!' && behind[1] == '=') ? length : 0;
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
	if (!key->alias)
		return false;
	buf_clear(&select->scratch);
	key->alias(select->labels, value, &select->scratch);
	return any_matches(clause, buf_text(&select->scratch));
}

static bool clause_holds(struct select *select, struct clause *clause, const struct point *point)
{
	uint64_t value = clause->key->measure ? clause->key->measure(select->labels, point)
					      : clause->key->value(select->labels, point);
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

int select_explain(const struct select *select, struct err *err)
{
	uint64_t before = select->seen;

	for (size_t i = 0; i < select->clauses.count; i++) {
		const struct clause *clause = &select->clauses.items[i];

		if (!clause->passed)
			return err_set(err, -ENODATA,
				       "no samples match --select '%s' (%" PRIu64
				       " before this filter)",
				       clause->text, before);
		before = clause->passed;
	}
	return 0;
}
