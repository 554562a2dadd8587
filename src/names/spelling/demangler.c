/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/spelling/demangler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "names/spelling/mangling.h"
#include "names/spelling/short_names.h"

/* Names and their answers have the same index. */
struct demangler {
	enum demangler_style style;
	struct strpool names;
	VEC(const char *) answers; /* NULL: not demangled yet */
	struct strpool texts;
	struct buf text;  /* current answer */
	struct buf whole; /* a name to shorten */
};

enum demangler_style demangler_style_by_name(const char *name)
{
	static const char *const names[DEMANGLER_STYLE_COUNT] = { "none", "normal", "smart" };
	int style = 0;

	if (!name)
		return DEMANGLER_NORMAL;
	while (style < DEMANGLER_STYLE_COUNT && strcmp(names[style], name) != 0)
		style++;
	return (enum demangler_style)style;
}

int demangler_style_check(const char *name, struct err *err)
{
	if (demangler_style_by_name(name) == DEMANGLER_STYLE_COUNT)
		return err_set(err, -EINVAL,
			       "invalid --demangle '%s': expected none, normal or smart", name);
	return 0;
}

struct demangler *demangler_new(enum demangler_style style)
{
	struct demangler *demangler = xcalloc(1, sizeof(*demangler));

	demangler->style = style;
	return demangler;
}

void demangler_free(struct demangler *demangler)
{
	if (!demangler)
		return;
	strpool_done(&demangler->names);
	strpool_done(&demangler->texts);
	vec_free(&demangler->answers);
	buf_done(&demangler->text);
	buf_done(&demangler->whole);
	free(demangler);
}

static void append_readable(struct demangler *demangler, const char *mangled)
{
	struct buf *text = &demangler->text;
	enum mangling language;

	if (demangler->style != DEMANGLER_SMART) {
		if (mangling_read(mangled, text) == MANGLING_NONE)
			buf_add_str(text, mangled);
		return;
	}
	buf_clear(&demangler->whole);
	language = mangling_read(mangled, &demangler->whole);
	if (language == MANGLING_CPP)
		short_names_add(buf_text(&demangler->whole), text);
	else
		buf_add_str(text, language ? buf_text(&demangler->whole) : mangled);
}

/* Appends one symbol, maybe with "@plt": demangled, or unchanged. */
static void append_symbol(struct demangler *demangler, const char *name, size_t length)
{
	struct buf *text = &demangler->text;
	size_t suffix = length > 4 && memcmp(name + length - 4, "@plt", 4) == 0 ? 4 : 0;
	_cleanup_free_ char *mangled = xmemdup(name, length + 1);

	mangled[length - suffix] = '\0';
	if (mangling_is(mangled))
		append_readable(demangler, mangled);
	else
		buf_add_str(text, mangled);
	buf_add(text, name + length - suffix, suffix);
}

static const char *work_out(struct demangler *demangler, const char *name)
{
	struct buf *text = &demangler->text;
	const char *arrow = strstr(name, "->");

	buf_clear(text);
	if (arrow) {
		append_symbol(demangler, name, (size_t)(arrow - name));
		buf_add_str(text, "->");
		name = arrow + 2;
	}
	append_symbol(demangler, name, strlen(name));
	return strpool_get(&demangler->texts, strpool_intern(&demangler->texts, buf_text(text)));
}

const char *demangler_text(struct demangler *demangler, const char *name)
{
	str_id id;

	if (demangler->style == DEMANGLER_NONE || (!mangling_is(name) && !strstr(name, "->")))
		return name;
	id = strpool_intern(&demangler->names, name);
	while (demangler->answers.count <= id)
		*vec_push(&demangler->answers) = NULL;
	if (!demangler->answers.items[id])
		demangler->answers.items[id] = work_out(demangler, name);
	return demangler->answers.items[id];
}
