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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The first number at the end of @line[0, length), after a blank. NULL: the last word is none. Also
 * NULL if no word is before it. */
static char *find_number(char *line, size_t length)
{
	size_t at = length, first;
	char *end;

	while (at > 0 && !is_blank(line[at - 1]))
		at--;
	for (first = at; first > 0 && is_blank(line[first - 1]);)
		first--;
	if (first == 0 || at == length)
		return NULL;
	end = line + at + (line[at] == '-');
	if (!isdigit((unsigned char)*end))
		return NULL;
	end += strspn(end, decimals);
	if (*end == '.')
		end += 1 + strspn(end + 1, decimals);
	return end == line + length ? line + at : NULL;
}

/* The line without indentation, and without blanks at its end. */
static char *strip(char *line)
{
	size_t length;

	line += strspn(line, " \t");
	length = strlen(line);
	while (length > 0 && (is_blank(line[length - 1]) || line[length - 1] == '\r'))
		line[--length] = '\0';
	return line;
}

/* The length of the stack before the count. */
static size_t stack_length(const char *line, const char *count)
{
	while (count > line && is_blank(count[-1]))
		count--;
	return (size_t)(count - line);
}

/* How many numbers a stripped line has at its end: 0, 1 or 2. */
static int count_numbers(char *line)
{
	char *last = find_number(line, strlen(line));

	if (!last)
		return 0;
	return find_number(line, stack_length(line, last)) ? 2 : 1;
}

/* Cuts the stripped @line at its count, so that only the stack is left. Rounds a fraction, which
 * some tools write. What is wrong; NULL: nothing. */
static const char *take_count(char *line, uint64_t *ret_count, struct collapsed_facts *facts)
{
	char *number = find_number(line, strlen(line)), *end;
	size_t length;
	uint64_t count;

	if (!number)
		return "a stack has no count";
	if (*number == '-')
		return "negative count";
	errno = 0;
	count = strtoull(number, &end, 10);
	if (errno)
		return "count too large";
	if (*end == '.' && end[1 + strspn(end + 1, "0")]) {
		count += end[1] >= '5' && count < UINT64_MAX;
		facts->rounded++;
		facts->to_zero += count == 0;
	}
	length = stack_length(line, number);
	facts->numbered += find_number(line, length) != NULL;
	line[length] = '\0';
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
	size_t length = text->size;
	struct collapsed_stack stack;
	const char *fault = cut ? "line too long" : NULL;
	char *line;

	reading->line_number++;
	if (!fault && memchr(text->bytes, '\0', length))
		fault = "NUL byte in the line";
	line = strip(text->bytes);
	if (!fault && (!*line || *line == '#'))
		return 0;
	if (!fault)
		fault = parse(reading, line, &stack);
	if (fault) {
		note_fault(reading, fault);
		return 0;
	}
	return stack.count > 0 ? reading->take(reading->context, &stack) : 0;
}

/* How many of the first lines have how many numbers at their end. */
struct peek {
	size_t lines[3];
};

/* The last line may be incomplete; it counts only if no stack came before it. */
static struct peek peek_at(const void *bytes, size_t size, size_t most)
{
	const char *line = bytes, *end = line + size;
	struct peek peek = { { 0 } };

	while (most-- > 0 && line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		_cleanup_free_ char *copy = xstrndup(line, (size_t)((next ? next : end) - line));
		char *text = strip(copy);

		if (!next && peek.lines[1] + peek.lines[2] > 0)
			break;
		if (*text && *text != '#')
			peek.lines[count_numbers(text)]++;
		line = next ? next + 1 : end;
	}
	return peek;
}

int collapsed_read(struct perf_data_input *input,
		   int (*take)(void *context, const struct collapsed_stack *stack), void *context,
		   struct collapsed_facts *ret_facts)
{
	struct reading reading = { .take = take, .context = context };
	_cleanup_(buf_done) struct buf line = { 0 };
	const uint8_t *bytes;
	size_t size = perf_data_input_peek(input, PERF_DATA_BUFFER_BYTES, &bytes);
	struct peek peek = peek_at(bytes, size, SIZE_MAX);
	bool cut;
	int rc = 0;

	reading.facts.differential = peek.lines[2] > 0 && peek.lines[1] == 0;
	while (rc == 0 && !reading.facts.differential &&
	       perf_data_input_line(input, COLLAPSED_MAX_LINE, &line, &cut))
		rc = take_line(&reading, &line, cut);
	vec_free(&reading.frames);
	*ret_facts = reading.facts;
	return rc;
}

/* True if most lines are stacks. */
bool collapsed_is(const void *bytes, size_t size)
{
	struct peek peek;

	if (size == 0 || memchr(bytes, '\0', size))
		return false;
	peek = peek_at(bytes, size, PEEK_LINES);
	return peek.lines[1] + peek.lines[2] > peek.lines[0];
}
