/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/near_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/xalloc.h"

enum {
	LEAST_PART = 2,	     /* letters of a text that is looked for in others */
	MAX_LETTERS = 60,    /* of a text whose letters are compared */
	MAX_WIDTH = 80,	     /* of a value in the message */
	MAX_EXTRA = 1 << 16, /* a larger difference in length counts as this */
	NOT_NEAR = 1 << 20,
};

/* Kinds of nearness, the nearest first. */
enum kind { BEGINS, CONTAINS, LETTERS };

static uint64_t score_of(enum kind kind, size_t difference)
{
	return (uint64_t)kind * MAX_EXTRA + (difference < MAX_EXTRA ? difference : MAX_EXTRA - 1);
}

/* The first letters of a text in lower case. */
static void fold(const char *text, size_t letters, char *ret_folded)
{
	size_t i = 0;

	for (; i < letters && i < MAX_LETTERS && text[i]; i++)
		ret_folded[i] = (char)tolower((unsigned char)text[i]);
	ret_folded[i] = '\0';
}

/* Letters that differ, of the whole text or of what it begins with. Above @limit: too many. */
static unsigned letters_of(const char *wanted, const char *text, unsigned limit)
{
	size_t length = strlen(wanted);
	char a[MAX_LETTERS + 1], b[MAX_LETTERS + 1];
	unsigned best = limit + 1;

	fold(wanted, length, a);
	for (size_t letters = length - 1; letters <= length + 1; letters++) {
		unsigned distance;

		fold(text, letters, b);
		distance = text_distance(a, b, limit) + (strlen(text) > letters);
		if (distance < best)
			best = distance;
	}
	fold(text, strlen(text), b);
	if (strlen(text) <= MAX_LETTERS && text_distance(a, b, limit) < best)
		best = text_distance(a, b, limit);
	return best;
}

static uint64_t score(const char *wanted, const char *text)
{
	size_t length = strlen(wanted), other = strlen(text);
	size_t difference = length < other ? other - length : length - other;
	unsigned limit = text_most_wrong(length), wrong;

	if (!length)
		return NOT_NEAR;
	if (strncasecmp(text, wanted, length) == 0)
		return score_of(BEGINS, difference);
	if ((length >= LEAST_PART && strcasestr(text, wanted)) ||
	    (other > LEAST_PART && strcasestr(wanted, text)))
		return score_of(CONTAINS, difference);
	if (length > MAX_LETTERS)
		return NOT_NEAR;
	wrong = letters_of(wanted, text, limit);
	return wrong > limit ? NOT_NEAR : score_of(LETTERS, wrong);
}

/* True if a value of this score and text comes before @other. */
static bool is_before(uint64_t score, const char *text, const struct near_value *other)
{
	return score != other->score ? score < other->score : strcmp(text, other->text) < 0;
}

static void keep(struct near_values *near, uint64_t score, const char *text)
{
	size_t at = near->count;

	for (size_t i = 0; i < near->count; i++) {
		if (strcmp(near->best[i].text, text) == 0)
			return;
	}
	while (at && is_before(score, text, &near->best[at - 1]))
		at--;
	if (at == NEAR_VALUES)
		return;
	if (near->count == NEAR_VALUES)
		free(near->best[--near->count].text);
	memmove(&near->best[at + 1], &near->best[at], (near->count - at) * sizeof(*near->best));
	near->best[at] = (struct near_value){ xstrdup(text), score };
	near->count++;
}

static void note(struct near_values *near, const char *text)
{
	for (size_t i = 0; i < near->first_count; i++) {
		if (strcmp(near->first[i], text) == 0)
			return;
	}
	if (near->first_count == NEAR_VALUES)
		near->more = true;
	else
		near->first[near->first_count++] = xstrdup(text);
}

/* The letters that a glob has besides its wildcards. */
static char *without_wildcards(const char *glob)
{
	char *plain = xstrdup(glob), *end = plain;

	for (; *glob; glob++) {
		if (!strchr("*?[]\\", *glob))
			*end++ = *glob;
	}
	*end = '\0';
	return plain;
}

void near_values_add(struct near_values *near, const char *wanted, const char *text)
{
	char *plain = without_wildcards(wanted);
	uint64_t here = score(plain, text);

	free(plain);
	if (!*text)
		return;
	note(near, text);
	if (here < NOT_NEAR)
		keep(near, here, text);
}

void near_values_add_number(struct near_values *near, uint64_t distance, const char *text)
{
	keep(near, distance, text);
}

bool near_values_wants(const struct near_values *near, uint64_t distance)
{
	return near->count < NEAR_VALUES || distance <= near->best[NEAR_VALUES - 1].score;
}

/* Cuts long texts, and ends them with a star: as a pattern they still match. */
static void add_value(struct buf *text, const char *value)
{
	size_t letters = 0;

	buf_add_char(text, '\'');
	for (; *value && letters < MAX_WIDTH; value++, letters++) {
		if (*value == ',')
			buf_add_char(text, '\\');
		buf_add_char(text, *value);
	}
	buf_add_str(text, *value ? "*'" : "'");
}

static const char *separator(size_t at, size_t count, const char *last)
{
	return at == 0 ? "" : at + 1 == count ? last : ", ";
}

void near_values_text(const struct near_values *near, struct buf *text)
{
	if (near->count) {
		buf_add_str(text, ": did you mean ");
		for (size_t i = 0; i < near->count; i++) {
			buf_add_str(text, separator(i, near->count, " or "));
			add_value(text, near->best[i].text);
		}
		buf_add_char(text, '?');
	} else if (near->first_count && !near->more) {
		buf_add_str(text, near->first_count > 1 ? ": the only values are "
							: ": the only value is ");
		for (size_t i = 0; i < near->first_count; i++) {
			buf_add_str(text, separator(i, near->first_count, " and "));
			add_value(text, near->first[i]);
		}
	}
}

void near_values_done(struct near_values *near)
{
	for (size_t i = 0; i < near->count; i++)
		free(near->best[i].text);
	for (size_t i = 0; i < near->first_count; i++)
		free(near->first[i]);
	*near = (struct near_values){ 0 };
}
