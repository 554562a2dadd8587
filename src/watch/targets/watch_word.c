/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scan.h"
#include "base/xalloc.h"
#include "watch/targets/watch_files.h"

static char *copy(const char *text, size_t length)
{
	char *made = xmalloc(length + 1);

	memcpy(made, text, length);
	made[length] = '\0';
	return made;
}

/* The next single colon; NULL: none. */
static const char *next_colon(const char *text)
{
	for (; *text; text++) {
		if (*text != ':')
			continue;
		if (text[1] != ':')
			return text;
		text++;
	}
	return NULL;
}

/* The colon between file and name: the first one after an existing path, else the first. */
static const char *find_colon(struct foreign *foreign, const char *word)
{
	const char *first = next_colon(word);

	for (const char *at = first; at; at = next_colon(at + 1)) {
		char *path = copy(word, (size_t)(at - word));
		struct stat st;
		bool there = strchr(path, '/') && watch_files_stat(foreign, path, &st) == 0;

		free(path);
		if (there)
			return at;
	}
	return first;
}

int watch_word_displacement(const char *text, uint64_t *ret_displacement, struct err *err)
{
	if (!scan_whole_number(text + (*text == '+'), 0, ret_displacement))
		return err_set(err, -EINVAL, "invalid offset '%s': expected a form such as +0x1c",
			       text);
	return 0;
}

/* Moves "+0x1c" from the name to the displacement. */
static void take_displacement(struct watch_word *word)
{
	char *plus = strrchr(word->name, '+');

	if (!plus || plus == word->name || !scan_whole_number(plus + 1, 0, &word->displacement))
		return;
	word->has_displacement = true;
	*plus = '\0';
}

static void take_version(struct watch_word *word)
{
	char *at = strchr(word->name, '@');

	if (!at || at == word->name)
		return;
	word->version = xstrdup(at + strspn(at, "@"));
	*at = '\0';
}

int watch_word_parse(struct foreign *foreign, const char *text, struct watch_word *ret_word,
		     struct err *err)
{
	const char *colon = find_colon(foreign, text);
	struct watch_word word = { .file = colon ? copy(text, (size_t)(colon - text)) : NULL };

	word.is_file = !colon && strchr(text, '/') && !strchr(text, ' ') && !strchr(text, '(');
	if (word.is_file)
		word.file = xstrdup(text);
	word.name = xstrdup(word.is_file ? "" : colon ? colon + 1 : text);
	take_displacement(&word);
	word.has_address = strncmp(word.name, "0x", 2) == 0;
	if ((!*word.name && !word.is_file) || (word.file && !*word.file) ||
	    (word.has_address &&
	     (!scan_whole_number(word.name, 0, &word.address) || word.has_displacement))) {
		watch_word_done(&word);
		return err_set(err, -EINVAL,
			       "invalid function '%s': expected NAME, FILE:NAME or FILE:0xADDRESS",
			       text);
	}
	take_version(&word);
	*ret_word = word;
	return 0;
}

void watch_word_done(struct watch_word *word)
{
	free(word->file);
	free(word->name);
	free(word->version);
	*word = (struct watch_word){ .file = NULL };
}

int watch_word_line(const char *text, char **ret_file, uint32_t *ret_line, struct err *err)
{
	const char *colon = strrchr(text, ':');
	uint64_t line;

	if (!colon || colon == text || !scan_whole_number(colon + 1, 0, &line) || line == 0 ||
	    line > UINT32_MAX)
		return err_set(err, -EINVAL, "invalid line '%s': expected FILE:LINE", text);
	*ret_file = copy(text, (size_t)(colon - text));
	*ret_line = (uint32_t)line;
	return 0;
}
