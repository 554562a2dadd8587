/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	MAX_WORDS = 64, /* words looked at in an event's line */
	PEEK_LINES = 200,
};

#define NS_PER_SECOND 1000000000ULL

/* ---- words ---- */

struct words {
	char *items[MAX_WORDS];
	char *ends[MAX_WORDS]; /* after the last character */
	size_t count;
};

static void split(char *line, struct words *words)
{
	words->count = 0;
	while (words->count < MAX_WORDS) {
		line += strspn(line, " \t");
		if (!*line)
			return;
		words->items[words->count] = line;
		line += strcspn(line, " \t");
		words->ends[words->count++] = line;
	}
}

static size_t length_of(const struct words *words, size_t word)
{
	return (size_t)(words->ends[word] - words->items[word]);
}

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

static bool is_number(const struct words *words, size_t word)
{
	return digits(words->items[word]) == length_of(words, word);
}

/* "123", "-1" or "123/124". */
static bool is_task(const struct words *words, size_t word)
{
	const char *text = words->items[word];
	size_t at = text[0] == '-' && isdigit((unsigned char)text[1]);

	at += digits(text + at);
	if (at > 0 && text[at] == '/')
		at += 1 + (text[at + 1] == '-');
	at += digits(text + at);
	return at == length_of(words, word) && isdigit((unsigned char)text[at - 1]);
}

/* "[003]" */
static bool is_cpu(const struct words *words, size_t word)
{
	const char *text = words->items[word];
	size_t count = text[0] == '[' ? digits(text + 1) : 0;

	return count > 0 && count + 2 == length_of(words, word) && text[count + 1] == ']';
}

/* "1234.567890:" */
static bool is_time(const struct words *words, size_t word)
{
	const char *text = words->items[word];
	size_t whole = digits(text);
	size_t part = whole && text[whole] == '.' ? digits(text + whole + 1) : 0;

	return part > 0 && whole + part + 2 == length_of(words, word) &&
	       text[whole + part + 1] == ':';
}

/* "cycles:", "sched:sched_switch:" but not "12:" */
static bool is_event(const struct words *words, size_t word)
{
	size_t length = length_of(words, word);

	return length > 1 && words->items[word][length - 1] == ':' && !is_time(words, word) &&
	       digits(words->items[word]) + 1 != length;
}

static uint64_t time_of(const char *text)
{
	char *end;
	uint64_t ns = strtoull(text, &end, 10) * NS_PER_SECOND;
	uint64_t unit = NS_PER_SECOND / 10;

	for (end++; isdigit((unsigned char)*end); end++, unit /= 10)
		ns += (uint64_t)(*end - '0') * unit;
	return ns;
}

/* ---- the line of an event ---- */

/* Indices of words in an event's line; the number of words: missing. */
struct places {
	size_t task, cpu, time, event;
};

/* True if nothing follows the event, or only the one frame of a sample without a call chain. */
static bool ends_event(const struct words *words, size_t event)
{
	return event + 1 == words->count ||
	       strspn(words->items[event + 1], "0123456789abcdef") == length_of(words, event + 1);
}

/* CPU and time have forms that names hardly have, and the task comes before them. Without both, the
 * task is the number before the event, with at most one more number (the period) between. */
static bool find_places(const struct words *words, struct places *places)
{
	size_t none = words->count, first;

	*places = (struct places){ none, none, none, none };
	for (size_t i = 1; i < words->count && places->time == none; i++) {
		if (places->cpu == none && is_cpu(words, i) && is_task(words, i - 1))
			places->cpu = i;
		else if (is_time(words, i))
			places->time = i;
	}
	first = places->cpu < places->time ? places->cpu : places->time;
	/* Letters (-F misc) may come between. */
	for (size_t i = first < none ? first : 0; i-- > 1 && places->task == none;) {
		if (is_task(words, i))
			places->task = i;
	}
	for (size_t i = first < none ? first + 1 : 2; i < words->count; i++) {
		if (is_event(words, i)) {
			places->event = i;
			break;
		}
	}
	if (places->task < none || first < none)
		return places->task < none;
	if (places->event == none || !ends_event(words, places->event))
		return false;
	places->task = places->event - 1;
	if (places->task >= 2 && is_number(words, places->task) && is_task(words, places->task - 1))
		places->task--;
	return is_task(words, places->task);
}

static void take_task(const char *text, struct perf_script_sample *sample)
{
	char *end;

	sample->pid = sample->tid = (int32_t)strtol(text, &end, 10);
	if (*end == '/')
		sample->tid = (int32_t)strtol(end + 1, NULL, 10);
}

/* The comm is everything before the task, including blanks. */
static const char *take_comm(const struct words *words, size_t task)
{
	*words->ends[task - 1] = '\0';
	return words->items[0];
}

/* Parses the line of an event, without frames. *ret_sample borrows @line, which is changed. False:
 * not such a line. */
static bool parse_event(char *line, struct perf_script_sample *ret_sample)
{
	struct perf_script_sample sample = { .cpu = PERF_SCRIPT_NO_CPU, .event = "" };
	struct words words;
	struct places places;
	size_t none;

	split(line, &words);
	none = words.count;
	if (words.count < 2 || !find_places(&words, &places) || places.task == 0)
		return false;
	take_task(words.items[places.task], &sample);
	if (places.cpu < none)
		sample.cpu = (int)strtol(words.items[places.cpu] + 1, NULL, 10);
	if (places.time < none)
		sample.time_ns = time_of(words.items[places.time]);
	if (places.event < none && places.event - 1 > places.task &&
	    is_number(&words, places.event - 1)) {
		sample.period = strtoull(words.items[places.event - 1], NULL, 10);
		sample.has_period = true;
	}
	if (places.event < none) {
		*(words.ends[places.event] - 1) = '\0'; /* its colon */
		sample.event = words.items[places.event];
	}
	sample.comm = take_comm(&words, places.task);
	*ret_sample = sample;
	return true;
}

/* ---- the line of a frame ---- */

/* Cuts the "(IMAGE)" off the end; it may have parentheses in it. "" if there is none. */
static const char *take_image(char *line)
{
	size_t length = strlen(line);
	int depth = 0;

	while (length > 0 && isspace((unsigned char)line[length - 1]))
		line[--length] = '\0';
	if (length == 0 || line[length - 1] != ')')
		return "";
	for (size_t i = length; i-- > 0;) {
		depth += line[i] == ')';
		depth -= line[i] == '(';
		if (depth > 0)
			continue;
		/* Otherwise it is the end of a symbol: "operator()", "f(int)". */
		if (i == 0 || !isspace((unsigned char)line[i - 1]))
			return "";
		line[length - 1] = '\0';
		line[i] = '\0';
		return line + i + 1;
	}
	return "";
}

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* An address alone differs from a symbol alone by having a digit. */
static char *take_address(char *text, struct perf_script_frame *frame)
{
	size_t length = strspn(text, "0123456789abcdef");
	bool alone = text[length] == '\0';

	if (length == 0 || length > 16 || (!alone && !isspace((unsigned char)text[length])) ||
	    (alone && !strpbrk(text, "0123456789")))
		return text;
	frame->address = strtoull(text, NULL, 16);
	frame->has_address = true;
	return trim(text + length);
}

/* "symbol+0x12" */
static void take_offset(char *symbol, struct perf_script_frame *frame)
{
	char *plus = strrchr(symbol, '+');
	char *end;

	if (!plus || plus == symbol || strncmp(plus, "+0x", 3) != 0)
		return;
	frame->offset = strtoull(plus + 1, &end, 16);
	if (*end)
		return;
	frame->has_offset = true;
	*plus = '\0';
}

/* Parses the line of a frame; the same holds. */
static bool parse_frame(char *line, struct perf_script_frame *ret_frame)
{
	struct perf_script_frame frame = { .symbol = "" };
	char *text;

	frame.image = take_image(line);
	text = take_address(trim(line), &frame);
	take_offset(text, &frame);
	frame.symbol = text;
	*ret_frame = frame;
	return frame.has_address || *frame.symbol;
}

/* ---- the whole text ---- */

struct script {
	const struct perf_script_visitor *visitor;
	bool open; /* the frames of a sample are being read */
	struct perf_script_sample sample;
	char *event_line; /* of the sample; owned, as are the frames' */
	VEC(struct perf_script_frame) frames;
	VEC(char *) lines;
	uint64_t odd;
};

static void forget(struct script *script)
{
	for (size_t i = 0; i < script->lines.count; i++)
		free(script->lines.items[i]);
	script->lines.count = script->frames.count = 0;
	free(script->event_line);
	script->event_line = NULL;
	script->open = false;
}

static int end_sample(struct script *script)
{
	int rc = 0;

	if (script->open) {
		script->sample.frames = script->frames.items;
		script->sample.frame_count = script->frames.count;
		rc = script->visitor->sample(script->visitor->context, &script->sample);
	}
	forget(script);
	return rc;
}

/* True for at least eight hexadecimal digits, with which a frame begins, but hardly a comm. */
static bool begins_with_address(const struct words *words)
{
	return strspn(words->items[0], "0123456789abcdef") == length_of(words, 0) &&
	       length_of(words, 0) >= 8;
}

/* No frame has a CPU or a time, or a task and an event after its symbol. Without call chains no
 * empty line separates the samples. */
static bool is_surely_event(const char *line)
{
	_cleanup_free_ char *copy = xstrdup(line);
	struct places places;
	struct words words;

	split(copy, &words);
	for (size_t i = 2; i < words.count; i++) {
		if (is_time(&words, i) || (is_cpu(&words, i) && is_task(&words, i - 1)))
			return true;
	}
	return !begins_with_address(&words) && find_places(&words, &places) && places.task > 0;
}

/* Takes what follows the event on its line: the one frame, if there are no call chains. */
static void take_rest(struct script *script, const char *line)
{
	const char *event = script->sample.event;
	size_t at = *event ? (size_t)(event - script->event_line) + strlen(event) + 1 : 0;
	struct perf_script_frame frame;
	char *rest;

	if (!at || at >= strlen(line))
		return;
	rest = xstrdup(line + at);
	*vec_push(&script->lines) = rest;
	if (parse_frame(rest, &frame) && frame.has_address)
		*vec_push(&script->frames) = frame;
}

/* True for records of other types between the samples (--show-mmap-events ...). */
static bool is_other_record(const char *line)
{
	return strstr(line, ": PERF_RECORD_") != NULL;
}

static int take_event(struct script *script, const char *line)
{
	int rc = end_sample(script);

	if (rc < 0)
		return rc;
	script->event_line = xstrdup(line);
	script->open = parse_event(script->event_line, &script->sample);
	if (!script->open) {
		script->odd++;
		return 0;
	}
	if (is_other_record(line))
		script->open = false;
	else
		take_rest(script, line);
	return 0;
}

/* Frames are indented far; source lines (-F srcline) by two blanks. */
static bool is_source_line(const char *line)
{
	return line[0] == ' ' && line[1] == ' ' && !isspace((unsigned char)line[2]);
}

static void take_frame(struct script *script, const char *line)
{
	struct perf_script_frame frame;
	char *copy;

	if (!script->open || script->frames.count >= PERF_SCRIPT_MAX_FRAMES ||
	    (is_source_line(line) && script->frames.count > 0))
		return;
	copy = xstrdup(line);
	*vec_push(&script->lines) = copy;
	if (!parse_frame(copy, &frame)) {
		script->odd++;
		return;
	}
	if (!script->sample.has_chain)
		script->frames.count = 0;
	script->sample.has_chain = true;
	*vec_push(&script->frames) = frame;
}

static void take_head(const struct script *script, const char *line)
{
	_cleanup_free_ char *copy = xstrdup(line + 1);
	char *colon = strstr(copy, " :");

	if (!colon || !script->visitor->head)
		return;
	*colon = '\0';
	script->visitor->head(script->visitor->context, trim(copy), trim(colon + 2));
}

static int take_line(struct script *script, const char *line)
{
	if (line[0] == '#') {
		take_head(script, line);
		return 0;
	}
	if (line[strspn(line, " \t\r")] == '\0')
		return end_sample(script);
	if (isspace((unsigned char)line[0]) && (script->open || script->event_line) &&
	    !is_surely_event(line)) {
		take_frame(script, line);
		return 0;
	}
	return take_event(script, line);
}

int perf_script_read(struct perf_data_input *input, const struct perf_script_visitor *visitor,
		     uint64_t *ret_odd)
{
	struct script script = { .visitor = visitor };
	_cleanup_(buf_done) struct buf line = { 0 };
	bool cut;
	int rc = 0;

	while (rc == 0 && perf_data_input_line(input, PERF_SCRIPT_MAX_LINE, &line, &cut))
		rc = take_line(&script, buf_text(&line));
	if (rc == 0)
		rc = end_sample(&script);
	forget(&script);
	vec_free(&script.frames);
	vec_free(&script.lines);
	*ret_odd = script.odd;
	return rc;
}

/* True if the first line with content is that of an event. */
bool perf_script_is(const void *bytes, size_t size)
{
	_cleanup_free_ char *text = NULL;
	struct perf_script_sample sample;
	char *line, *next;

	if (size == 0 || memchr(bytes, '\0', size))
		return false;
	text = xmalloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	line = text;
	for (int i = 0; i < PEEK_LINES && line; i++, line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (line[0] == '#' || line[strspn(line, " \t\r")] == '\0')
			continue;
		return parse_event(line, &sample);
	}
	return false;
}
