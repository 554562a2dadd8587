/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/keys.h"

#include <errno.h>
#include <string.h>

#include "aggregate/key_table.h"
#include "base/text.h"

enum { MAX_KEY_LETTERS = 31 };

const struct key *keys_stack_id(void)
{
	return &key_of_stack_id;
}

const struct key *keys_all(void)
{
	return key_table;
}

/* How many letters of a word may be wrong: a third, at least two, but never half of a short one. */
static unsigned wrong_letters(size_t length)
{
	size_t most = length / 3 < 2 ? 2 : length / 3;

	return (unsigned)(2 * most < length ? most : length ? (length - 1) / 2 : 0);
}

/* A key that begins with @name, else the one with the fewest wrong letters; NULL: none is near. */
static const char *nearest(const char *name, size_t length)
{
	char word[MAX_KEY_LETTERS + 1];
	unsigned best = wrong_letters(length) + 1;
	const char *found = NULL;

	if (length > MAX_KEY_LETTERS)
		return NULL;
	memcpy(word, name, length);
	word[length] = '\0';
	for (const struct key *key = key_table; key->name; key++) {
		unsigned here = text_distance(word, key->name, best - 1);

		if (length >= 2 && strncmp(key->name, word, length) == 0)
			return key->name;
		if (here < best) {
			best = here;
			found = key->name;
		}
	}
	return found;
}

/* Names of keys in other tools. */
static const char *const aliases[][2] = {
	{ "application", "program" }, { "comm", "thread" },   { "command", "program" },
	{ "dso", "image" },	      { "processor", "cpu" }, { "tgid", "pid" },
};

static bool is_name(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

const struct key *keys_find(const char *name, size_t length, struct err *err)
{
	const char *near;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (is_name(name, length, aliases[i][0]))
			return keys_find(aliases[i][1], strlen(aliases[i][1]), err);
	}

	for (const struct key *key = key_table; key->name; key++) {
		if (is_name(name, length, key->name))
			return key;
	}
	near = nearest(name, length);
	if (near)
		err_set(err, -EINVAL,
			"unknown key '%.*s': did you mean '%s'? --help lists all keys", (int)length,
			name, near);
	else
		err_set(err, -EINVAL, "unknown key '%.*s': --help lists all keys", (int)length,
			name);
	return NULL;
}

static int add_key(const char *option, const char *name, size_t length, struct key_list *list,
		   struct err *err)
{
	const struct key *key;

	if (!length)
		return err_set(err, -EINVAL,
			       "empty key in %s: expected keys such as %s process,symbol", option,
			       option);
	key = keys_find(name, length, err);
	if (!key)
		return err_prefix(err, -EINVAL, "%s", option);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i] == key)
			return err_set(err, -EINVAL, "%s: key '%s' is given twice", option,
				       key->name);
	}
	if (list->count == KEYS_MAX)
		return err_set(err, -EINVAL, "%s: at most %d keys are allowed", option, KEYS_MAX);
	list->items[list->count++] = key;
	return 0;
}

int keys_parse(const char *text, struct key_list *ret_list, struct err *err)
{
	return keys_parse_of("--by", text, ret_list, err);
}

int keys_parse_of(const char *option, const char *text, struct key_list *ret_list, struct err *err)
{
	struct key_list list = { 0 };

	for (;; text++) {
		size_t length = strcspn(text, ",");
		int rc = add_key(option, text, length, &list, err);

		if (rc < 0)
			return rc;
		text += length;
		if (!*text)
			break;
	}
	*ret_list = list;
	return 0;
}

unsigned keys_use(const struct key_list *list)
{
	unsigned uses = 0;

	for (size_t i = 0; i < list->count; i++)
		uses |= list->items[i]->uses;
	return uses;
}

bool keys_need_samples(const struct key_list *list)
{
	return keys_use(list) & SAMPLE_NOT_IN_TOTALS;
}

bool keys_is_frame(const struct key *key)
{
	return strcmp(key->name, "address") == 0;
}
