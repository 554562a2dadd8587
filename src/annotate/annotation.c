/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t annotation_text(struct annotation *annotation, const char *text)
{
	size_t at;

	if (!annotation->texts.size)
		buf_add_char(&annotation->texts, '\0'); /* offset 0 means no text */
	at = annotation->texts.size;
	buf_add(&annotation->texts, text, strlen(text) + 1);
	return at;
}

struct annotation_row *annotation_add(struct annotation *annotation, enum annotation_kind kind,
				      uint64_t number, const char *text)
{
	size_t at = annotation_text(annotation, text);
	struct annotation_row *row = vec_push(&annotation->rows);

	*row = (struct annotation_row){ .kind = kind, .number = number, .text = at };
	return row;
}

void annotation_note(struct annotation *annotation, const char *format, ...)
{
	char text[1024];
	va_list args;
	size_t at;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at = annotation_text(annotation, text);
	*vec_push(&annotation->notes) = at;
}

void annotation_done(struct annotation *annotation)
{
	vec_free(&annotation->rows);
	vec_free(&annotation->notes);
	buf_done(&annotation->texts);
}
