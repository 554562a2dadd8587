/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/collapsed.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	MARK_LENGTH = 4, /* of "_[k]" */
	MAX_DIGITS = 10, /* of a process id */
	PEEK_LINES = 20,
};

struct reading {
	VEC(struct collapsed_frame) frames;
	uint64_t line_number;
	struct collapsed_facts facts;
	int (*take)(void *context, const struct collapsed_stack *stack);
	void *context;
};

static const char decimals[] = "0123456789";

/* The blank before the count, the last word of the line. NULL: no count, not even an unusable
 * one. */
static char *find_count(char *line)
{
	char *blank = strrchr(line, ' '), *end;

	if (!blank || blank == line)
		return NULL;
	end = blank + 1 + (blank[1] == '-');
	if (!isdigit((unsigned char)*end))
		return NULL;
	end += strspn(end, decimals);
	if (*end == '.')
		end += 1 + strspn(end + 1, decimals);
	return *end ? NULL : blank;
}

/* Cuts @line at its count, so that only the stack is left. Rounds a fraction, which some tools
 * write. What is wrong; NULL: nothing. */
static const char *take_count(char *line, uint64_t *ret_count, struct collapsed_facts *facts)
{
	char *blank = find_count(line), *end;
	uint64_t count;

	if (!blank)
		return "a stack has no count";
	if (blank[1] == '-')
		return "negative count";
	errno = 0;
	count = strtoull(blank + 1, &end, 10);
	if (errno)
		return "count too large";
	if (*end == '.' && end[1 + strspn(end + 1, "0")]) {
		count += end[1] >= '5' && count < UINT64_MAX;
		facts->rounded++;
		facts->to_zero += count == 0;
	}
	*blank = '\0';
	*ret_count = count;
	return NULL;
}

/* Ends @text before "-123" (or '/' for '-') and returns the number. False: no such ending. */
static bool take_number(char *text, char before, int32_t *ret_number)
{
	char *at = text + strlen(text);
	size_t digits = 0;
	long number;

	while (at > text && isdigit((unsigned char)at[-1]) && digits < MAX_DIGITS) {
		at--;
		digits++;
	}
	if (digits == 0)
		return false;
	if (at - text >= 2 && at[-1] == '-' && at[-2] == before)
		at--;
	if (at - text < 2 || at[-1] != before)
		return false;
	number = strtol(at, NULL, 10);
	if (number > INT32_MAX || number < INT32_MIN)
		return false;
	at[-1] = '\0';
	*ret_number = (int32_t)number;
	return true;
}

/* "COMM-PID/TID" */
static bool take_thread(char *name, struct collapsed_stack *stack)
{
	size_t length = strlen(name);
	char *slash = strrchr(name, '/');

	if (!slash || length < 5 || !take_number(name, '/', &stack->tid))
		return false;
	if (!take_number(name, '-', &stack->pid)) {
		*slash = '/';
		return false;
	}
	stack->comm = name;
	return true;
}

static struct collapsed_frame frame_of(char *name)
{
	struct collapsed_frame frame = { .name = name };
	size_t length = strlen(name);
	char *end = name + length - MARK_LENGTH;

	if (length > MARK_LENGTH && strncmp(end, "_[", 2) == 0 && end[3] == ']' &&
	    strchr("kijw", end[2])) {
		frame.mark = end[2];
		*end = '\0';
	}
	return frame;
}

static const char *parse(struct reading *reading, char *line, struct collapsed_stack *stack)
{
	char *name, *rest = line;
	const char *fault;

	*stack = (struct collapsed_stack){ .comm = NULL };
	reading->frames.count = 0;
	fault = take_count(line, &stack->count, &reading->facts);
	if (fault)
		return fault;
	while ((name = strsep(&rest, ";")) != NULL) {
		if (name == line && rest && take_thread(name, stack))
			continue;
		if (reading->frames.count < COLLAPSED_MAX_FRAMES)
			*vec_push(&reading->frames) = frame_of(name);
	}
	stack->frames = reading->frames.items;
	stack->frame_count = reading->frames.count;
	return NULL;
}

static void note_fault(struct reading *reading, const char *fault)
{
	if (reading->facts.odd++)
		return;
	reading->facts.odd_line = reading->line_number;
	reading->facts.fault = fault;
}

/* @cut: the line was longer than COLLAPSED_MAX_LINE. */
static int take_line(struct reading *reading, const struct buf *text, bool cut)
{
	char *line = text->bytes;
	size_t length = text->size;
	struct collapsed_stack stack;
	const char *fault = cut ? "line too long" : NULL;

	reading->line_number++;
	if (length > 0 && line[length - 1] == '\r')
		line[--length] = '\0';
	if (length == 0 || line[0] == '#')
		return 0;
	if (!fault && memchr(line, '\0', length))
		fault = "NUL byte in the line";
	if (!fault)
		fault = parse(reading, line, &stack);
	if (fault) {
		note_fault(reading, fault);
		return 0;
	}
	return stack.count > 0 ? reading->take(reading->context, &stack) : 0;
}

int collapsed_read(struct perf_data_input *input,
		   int (*take)(void *context, const struct collapsed_stack *stack), void *context,
		   struct collapsed_facts *ret_facts)
{
	struct reading reading = { .take = take, .context = context };
	_cleanup_(buf_done) struct buf line = { 0 };
	bool cut;
	int rc = 0;

	while (rc == 0 && perf_data_input_line(input, COLLAPSED_MAX_LINE, &line, &cut))
		rc = take_line(&reading, &line, cut);
	vec_free(&reading.frames);
	*ret_facts = reading.facts;
	return rc;
}

static bool is_stack(const char *line, size_t length)
{
	_cleanup_free_ char *copy = xmalloc(length + 1);

	memcpy(copy, line, length);
	copy[length] = '\0';
	return find_count(copy) != NULL;
}

/* True if most lines are stacks. The last line may be incomplete; it counts only if no stack came
 * before it. */
bool collapsed_is(const void *bytes, size_t size)
{
	const char *line = bytes, *end = line + size;
	size_t stacks = 0, others = 0;

	if (size == 0 || memchr(bytes, '\0', size))
		return false;
	for (int i = 0; i < PEEK_LINES && line < end; i++) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((next ? next : end) - line);

		if (!next && stacks > 0)
			break;
		if (length > 0 && line[length - 1] == '\r')
			length--;
		if (length > 0 && *line != '#')
			*(is_stack(line, length) ? &stacks : &others) += 1;
		line = next ? next + 1 : end;
	}
	return stacks > others;
}
