/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate_name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "load/section_names.h"

/* ---- what was typed ---- */

/* The length of a name without the blanks at its end. */
static size_t without_blanks(const char *text, size_t length)
{
	while (length && text[length - 1] == ' ')
		length--;
	return length;
}

/* Removes "(3 times)" from the end. */
static void drop_times(char *name)
{
	static const char times[] = " times)";
	size_t length = strlen(name), end = sizeof(times) - 1;
	size_t at = length > end ? length - end : 0;

	if (!at || strcmp(name + at, times) != 0)
		return;
	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	if (at > 1 && name[at - 1] == '(')
		name[without_blanks(name, at - 1)] = '\0';
}

/* Removes what names a section with interrupts off. */
static void drop_section(char *name)
{
	char *mark = strstr(name, SECTION_NAME_MARK);

	if (mark && mark != name)
		*mark = '\0';
}

/* Moves "[FILE]" from the end to *ret_file. "[unknown]" alone is a name. */
static void take_file(char *name, char **ret_file)
{
	size_t length = strlen(name);
	char *open = strrchr(name, '[');
	size_t before = open ? without_blanks(name, (size_t)(open - name)) : 0;

	if (!before || name[length - 1] != ']' || (open[-1] != ' ' && strcmp(open, "[k]") != 0))
		return;
	if (strcmp(open, "[k]") == 0 || strcmp(open, "[kernel]") == 0)
		*ret_file = xstrdup("[k]");
	else
		*ret_file = xstrndup(open + 1, strlen(open) - 2);
	if (open[-1] == '_')
		before--; /* "name_[k]", as collapsed stacks have it */
	name[before] = '\0';
}

/* "program+0x123" */
static void take_place(struct annotate_name *name)
{
	char *plus = strrchr(name->name, '+'), *end;

	if (!plus || plus == name->name || strncmp(plus, "+0x", 3) != 0 ||
	    !isxdigit((unsigned char)plus[3]))
		return;
	name->start = strtoull(plus + 1, &end, 16);
	if (*end)
		return;
	free(name->file);
	name->file = xstrndup(name->name, (size_t)(plus - name->name));
	name->is_place = true;
}

/* A pattern in which only "..." stands for anything; NULL: there is none. */
static char *make_glob(const char *name)
{
	struct buf glob = { 0 };
	char *made;

	if (!strstr(name, "..."))
		return NULL;
	while (*name) {
		if (strncmp(name, "...", 3) == 0) {
			buf_add_char(&glob, '*');
			name += 3;
			continue;
		}
		if (strchr("*?[]\\", *name))
			buf_add_char(&glob, '\\');
		buf_add_char(&glob, *name++);
	}
	made = xstrdup(buf_text(&glob));
	buf_done(&glob);
	return made;
}

void annotate_name_parse(const char *typed, struct annotate_name *ret_name)
{
	*ret_name = (struct annotate_name){ .typed = typed };
	if (!typed)
		return;
	ret_name->name = xstrdup(typed);
	take_file(ret_name->name, &ret_name->file);
	drop_times(ret_name->name);
	drop_section(ret_name->name);
	take_place(ret_name);
	ret_name->glob = make_glob(ret_name->name);
}

void annotate_name_done(struct annotate_name *name)
{
	free(name->name);
	free(name->file);
	free(name->glob);
}

/* ---- what fits ---- */

/* Where the parameters begin: the first parenthesis outside template arguments that is not part of
 * "operator()" or "(anonymous namespace)". */
static size_t without_parameters(const char *text)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;
	int depth = 0;

	for (size_t i = 0; text[i]; i++) {
		depth += (text[i] == '<') - (text[i] == '>');
		if (text[i] != '(' || depth > 0 || strncmp(text + i, "(anonymous", 10) == 0)
			continue;
		if (i < length || strncmp(text + i - length, word, length) != 0)
			return i;
	}
	return strlen(text);
}

static bool is_in_file(const struct annotate_name *name, const struct labels *labels,
		       uint32_t image)
{
	const struct image *row = &labels->profile->images.items[image];
	bool kernel = row->kind == IMAGE_KERNEL || row->kind == IMAGE_MODULE;

	if (!name->file)
		return true;
	if (strcmp(name->file, "[k]") == 0)
		return kernel;
	return strcmp(file_base(profile_text(labels->profile, row->path)), name->file) == 0;
}

/* Raises *best to how well the text fits. @in_file: also without the file that was typed. */
static void fit_text(const struct annotate_name *name, const char *text, bool in_file,
		     enum annotate_fit *best)
{
	enum annotate_fit fit = FIT_NOT;

	if (strcmp(text, name->typed) == 0 || (in_file && strcmp(text, name->name) == 0))
		fit = FIT_EXACT;
	else if (fnmatch(name->typed, text, 0) == 0 ||
		 (in_file && fnmatch(name->name, text, 0) == 0))
		fit = FIT_GLOB;
	else if (in_file && name->glob && fnmatch(name->glob, text, 0) == 0)
		fit = FIT_SHORTENED;
	if (fit > *best)
		*best = fit;
}

/* A readable name, whole and without its parameters. */
static void fit_readable(const struct annotate_name *name, struct buf *text, bool in_file,
			 enum annotate_fit *best)
{
	fit_text(name, buf_text(text), in_file, best);
	if (!text->size)
		return;
	text->bytes[without_parameters(text->bytes)] = '\0';
	fit_text(name, text->bytes, in_file, best);
}

enum annotate_fit annotate_name_fit(const struct annotate_name *name, const struct labels *labels,
				    uint32_t symbol, struct buf *text)
{
	const struct symbol *row = &labels->profile->symbols.items[symbol];
	enum annotate_fit best = FIT_NOT;
	bool in_file;

	if (!name->typed)
		return FIT_EXACT;
	in_file = is_in_file(name, labels, row->image);
	if (name->is_place && in_file && row->start == name->start)
		return FIT_EXACT;
	fit_text(name, profile_text(labels->profile, row->name), in_file, &best);
	buf_clear(text);
	labels_function(labels, symbol, text);
	fit_text(name, buf_text(text), in_file, &best);
	buf_clear(text);
	labels_routine(labels, symbol, text);
	fit_text(name, buf_text(text), in_file, &best);
	buf_clear(text);
	labels_name(labels, row->name, text);
	fit_readable(name, text, in_file, &best);
	return best;
}

enum annotate_fit annotate_name_fit_inlined(const struct annotate_name *name,
					    const struct labels *labels, uint32_t image,
					    const char *linkage, struct buf *text)
{
	bool in_file = is_in_file(name, labels, image);
	enum annotate_fit best = FIT_NOT;

	if (!name->typed || !*linkage)
		return FIT_NOT;
	fit_text(name, linkage, in_file, &best);
	buf_clear(text);
	buf_add_str(text, labels->demangle(labels->demangle_context, linkage));
	fit_readable(name, text, in_file, &best);
	return best;
}
