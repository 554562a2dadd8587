/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/words.h"

#include <stddef.h>
#include <string.h>

static size_t by_name(const char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count && strcmp(names[i], name) != 0; i++)
		;
	return i;
}

#define NAME_OF(id, name, ...) name,

/* Word to name and name to word, for one list. */
#define DEFINE_WORD(word, LIST, COUNT)                                \
	static const char *const word##_names[] = { LIST(NAME_OF) };  \
	const char *word##_name(enum word value)                      \
	{                                                             \
		return word##_names[value];                           \
	}                                                             \
	enum word word##_by_name(const char *name)                    \
	{                                                             \
		return (enum word)by_name(word##_names, COUNT, name); \
	}

DEFINE_WORD(mode, MODES, MODE_COUNT)
DEFINE_WORD(context, CONTEXTS, CONTEXT_COUNT)
DEFINE_WORD(frame_kind, FRAME_KINDS, FRAME_KIND_COUNT)
DEFINE_WORD(stack_end, STACK_ENDS, STACK_END_COUNT)
DEFINE_WORD(image_kind, IMAGE_KINDS, IMAGE_KIND_COUNT)
DEFINE_WORD(image_state, IMAGE_STATES, IMAGE_STATE_COUNT)
DEFINE_WORD(symbol_kind, SYMBOL_KINDS, SYMBOL_KIND_COUNT)
DEFINE_WORD(clock_kind, CLOCKS, CLOCK_KIND_COUNT)
DEFINE_WORD(wait, WAITS, WAIT_COUNT)

#define TEXT_OF(id, name, text) text,

#define DEFINE_TEXT(word, LIST)                                       \
	const char *word##_text(enum word value)                      \
	{                                                             \
		static const char *const texts[] = { LIST(TEXT_OF) }; \
                                                                      \
		return texts[value];                                  \
	}

DEFINE_TEXT(stack_end, STACK_ENDS)
DEFINE_TEXT(image_state, IMAGE_STATES)
DEFINE_TEXT(wait, WAITS)

bool image_kind_is_kernel(enum image_kind kind)
{
	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF;
}
