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
	MAX_COMM = 15,	      /* bytes of a name in the kernel */
	MAX_PID = 4194304,    /* PID_MAX_LIMIT of the kernel */
	PERIOD_COLUMNS = 11,  /* "%10u" and the blank before; a pid has at most 8 */
	ADDRESS_COLUMNS = 17, /* "%16x" and the blank before */
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

/* The columns from the end of the word before. */
static size_t width_of(const struct words *words, size_t word)
{
	return (size_t)(words->ends[word] - words->ends[word - 1]);
}

/* A number that is no task, by its columns or its size. */
static bool is_surely_period(const struct words *words, size_t word)
{
	return word > 0 && is_number(words, word) &&
	       (width_of(words, word) >= PERIOD_COLUMNS ||
		strtoull(words->items[word], NULL, 10) > MAX_PID);
}

/* True for "PID/TID" and the width of "%5d" or "%7d" and the blank before, as perf prints tasks. */
static bool is_as_wide_as_task(const struct words *words, size_t word)
{
	const char *slash = memchr(words->items[word], '/', length_of(words, word));

	return word > 0 && (slash || width_of(words, word) == 6 || width_of(words, word) == 8);
}

/* Letters of -F misc. */
static bool is_misc(const struct words *words, size_t word)
{
	return strspn(words->items[word], "KUHGgMESpsFx") == length_of(words, word);
}

/* ---- the line of an event ---- */

/* Indices of words in an event's line; the number of words: missing. */
struct places {
	size_t task, cpu, time, period;
	size_t name, event; /* first and last word of the event's name */
	size_t rest;	    /* what follows */
};

static bool has_anchor(const struct words *words, const struct places *places)
{
	return places->cpu < words->count || places->time < words->count;
}

/* True if nothing follows the event, or only the one frame of a sample without a call chain. */
static bool ends_event(const struct words *words, size_t event)
{
	return event + 1 == words->count ||
	       strspn(words->items[event + 1], "0123456789abcdef") == length_of(words, event + 1);
}

/* "raw 0x1a8:" is the only name of perf's own with a blank. */
static void match_event(const struct words *words, size_t at, struct places *places)
{
	size_t count = words->count;
	bool is_raw;

	if (at + 1 < count && is_number(words, at))
		places->period = at++;
	is_raw = at + 1 < count && length_of(words, at) == 3 &&
		 strncmp(words->items[at], "raw", 3) == 0;
	if (at + is_raw < count && is_event(words, at + is_raw)) {
		places->name = at;
		places->event = at + is_raw;
		places->rest = at + is_raw + 1;
	} else {
		places->rest = places->period < count ? places->period : at;
		places->period = count;
	}
}

/* The fields after the comm, which ends before word @at: [TASK] [CPU] [MISC] [TIME] [PERIOD] [EVENT].
 * Without CPU and time only with a task, and with an event that ends the line or has an address after
 * it. */
static bool match(const struct words *words, size_t at, bool with_task, struct places *places)
{
	size_t none = words->count;

	*places = (struct places){ none, none, none, none, none, none, none };
	if (with_task) {
		if (!is_task(words, at))
			return false;
		places->task = at++;
	}
	if (at < none && is_cpu(words, at))
		places->cpu = at++;
	if (at + 1 < none && is_misc(words, at) && is_time(words, at + 1))
		at++;
	if (at < none && is_time(words, at))
		places->time = at++;
	match_event(words, at, places);
	if (has_anchor(words, places))
		return true;
	return with_task && places->event < none && ends_event(words, places->event) &&
	       !is_surely_period(words, places->task);
}

static bool is_short_comm(const struct words *words, size_t at)
{
	return at == 0 || words->ends[at - 1] - words->items[0] <= MAX_COMM;
}

/*
 * A name may look like any of the other fields ("DOM Worker 3", "3 [001]", "a: b"), but it has at most
 * MAX_COMM bytes. So the last place counts where the other fields can begin after so short a name; but
 * for the period of a place with CPU or time, which looks like a task before the event. If the name is
 * longer, as ours may be, the first place with CPU or time counts.
 */
static bool find_places(const struct words *words, bool with_task, struct places *ret_places)
{
	struct places places;
	bool found = false, anchored = false;

	for (size_t i = 0; i < words->count && (!found || is_short_comm(words, i)); i++) {
		if (!match(words, i, with_task, &places) ||
		    (!has_anchor(words, &places) && !is_short_comm(words, i)))
			continue;
		if (anchored && !has_anchor(words, &places) && ret_places->period == i &&
		    (ret_places->time < words->count || !is_as_wide_as_task(words, i)))
			continue;
		*ret_places = places;
		found = true;
		anchored = has_anchor(words, &places);
	}
	return found;
}

static void take_task(const char *text, struct perf_script_sample *sample)
{
	char *end;

	sample->pid = sample->tid = (int32_t)strtol(text, &end, 10);
	if (*end == '/')
		sample->tid = (int32_t)strtol(end + 1, NULL, 10);
}

/* The comm is everything before the word @at, including blanks. */
static const char *take_comm(const struct words *words, size_t at)
{
	if (at == 0)
		return "";
	*words->ends[at - 1] = '\0';
	return words->items[0];
}

static size_t first_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Parses the line of an event, without frames. *ret_sample borrows @line, which is changed. *ret_rest:
 * what follows the event. False: not such a line. */
static bool parse_event(char *line, bool with_task, struct perf_script_sample *ret_sample,
			const char **ret_rest)
{
	struct perf_script_sample sample = {
		.cpu = PERF_SCRIPT_NO_CPU, .pid = -1, .tid = -1, .event = "", .has_task = with_task
	};
	struct words words;
	struct places places;
	size_t none;

	split(line, &words);
	none = words.count;
	if (words.count < 2 || !find_places(&words, with_task, &places))
		return false;
	if (with_task)
		take_task(words.items[places.task], &sample);
	if (places.cpu < none)
		sample.cpu = (int)strtol(words.items[places.cpu] + 1, NULL, 10);
	if (places.time < none)
		sample.time_ns = time_of(words.items[places.time]);
	if (places.period < none) {
		sample.period = strtoull(words.items[places.period], NULL, 10);
		sample.has_period = true;
	}
	*ret_rest = places.rest < none ? words.ends[places.rest - 1] : "";
	if (places.event < none) {
		*(words.ends[places.event] - 1) = '\0'; /* its colon */
		sample.event = words.items[places.name];
	}
	sample.comm =
		take_comm(&words, with_task ? places.task : first_of(places.cpu, places.time));
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

/* Registers and branches may follow the last frame (-F iregs,uregs,insn,insnlen,brstack). */
static void cut_other_fields(char *line)
{
	static const char *const marks[] = { " ABI:", " insn:", " ilen:" };
	char *at;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		at = strstr(line, marks[i]);
		if (at)
			*at = '\0';
	}
	for (at = line; (at = strstr(at, " 0x")) != NULL; at++) {
		if (strncmp(at + 3 + strspn(at + 3, "0123456789abcdef"), "/0x", 3) != 0)
			continue;
		*at = '\0';
		return;
	}
}

/* Parses the line of a frame; the same holds. */
static bool parse_frame(char *line, struct perf_script_frame *ret_frame)
{
	struct perf_script_frame frame = { .symbol = "" };
	char *text;

	cut_other_fields(line);
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
	bool with_task; /* the events' lines have a process or thread number */
	bool open;	/* the frames of a sample are being read */
	struct perf_script_sample sample;
	char *event_line; /* of the sample; owned, as are the frames' */
	VEC(struct perf_script_frame) frames;
	VEC(char *) lines;
	bool tabs; /* frames of the sample began with a tab */
	uint64_t odd;
};

static void forget(struct script *script)
{
	for (size_t i = 0; i < script->lines.count; i++)
		free(script->lines.items[i]);
	script->lines.count = script->frames.count = 0;
	free(script->event_line);
	script->event_line = NULL;
	script->open = script->tabs = false;
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

/* No frame has a CPU or a time, or a task and an event after its symbol. Without call chains no
 * empty line separates the samples. */
static bool is_surely_event(const struct script *script, const char *line)
{
	_cleanup_free_ char *copy = xstrdup(line);
	struct places places;
	struct words words;

	split(copy, &words);
	if (!find_places(&words, script->with_task, &places))
		return false;
	return has_anchor(&words, &places) ||
	       (line[0] != '\t' && is_short_comm(&words, places.task));
}

/* Finds the one frame of a sample without a call chain after the event: addresses of data, and other
 * numbers as wide, may come before (-F addr,data_src,weight) and after it (phys_addr). NULL: none. */
static char *find_frame(char *rest)
{
	_cleanup_free_ char *copy = xstrdup(rest);
	bool was_address = false;
	struct words words;
	char *frame = NULL;

	split(copy, &words);
	for (size_t i = words.count; i-- > 0;) {
		size_t length = length_of(&words, i);
		bool is_wide = i == 0 || width_of(&words, i) >= ADDRESS_COLUMNS;
		bool is_address = is_wide && length <= 16 &&
				  strspn(words.items[i], "0123456789abcdef") == length;

		if (is_address && (!frame || was_address))
			frame = rest + (words.items[i] - copy);
		if (is_address && i + 1 < words.count && !was_address)
			return rest + (words.items[i] - copy);
		was_address = is_address;
	}
	return frame;
}

/* Takes what follows the event on its line: the one frame, if there are no call chains. */
static void take_rest(struct script *script, const char *text)
{
	char *rest = xstrdup(text);
	struct perf_script_frame frame;
	char *at = find_frame(rest);

	*vec_push(&script->lines) = rest;
	if (at && parse_frame(at, &frame) && frame.has_address)
		*vec_push(&script->frames) = frame;
}

/* True for what is printed like an event, but is none: records of other types between the samples
 * (--show-mmap-events ...), metrics (-F metric). */
static bool is_other_record(const char *line)
{
	return strstr(line, ": PERF_RECORD_") != NULL || strstr(line, "\tmetric: ") != NULL;
}

/* A line that is no event, such as a warning, does not end the sample that it interrupts. */
static int take_event(struct script *script, const char *line)
{
	_cleanup_free_ char *copy = xstrdup(line);
	struct perf_script_sample sample;
	_cleanup_free_ char *rest = NULL;
	const char *at;
	int rc;

	if (!parse_event(copy, script->with_task, &sample, &at)) {
		script->odd++;
		if (!script->event_line)
			script->event_line = steal_ptr(copy);
		return 0;
	}
	rest = xstrdup(*at ? line + (at - copy) : "");
	rc = end_sample(script);
	if (rc < 0)
		return rc;
	script->sample = sample;
	script->event_line = steal_ptr(copy);
	script->open = !is_other_record(line);
	if (script->open)
		take_rest(script, rest);
	return 0;
}

/* Frames are indented far; source lines (-F srcline) by two blanks. */
static bool is_source_line(const char *line)
{
	return line[0] == ' ' && line[1] == ' ' && !isspace((unsigned char)line[2]);
}

/* True for other fields of a sample with a call chain: they have no tab before them, as the frames
 * with addresses have. */
static bool is_field(const char *line)
{
	return line[0] == ' ';
}

/* True for a line among the frames that is none. */
static bool is_foreign(const struct script *script, const char *line,
		       const struct perf_script_frame *frame)
{
	if (!script->sample.has_chain)
		return false;
	return (script->tabs && is_field(line)) ||
	       (script->frames.items[0].has_address && !frame->has_address && !*frame->image);
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
	if (!parse_frame(copy, &frame) || is_foreign(script, line, &frame)) {
		script->odd += !is_field(line);
		return;
	}
	script->tabs |= line[0] == '\t';
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

/* True for an event of a program whose name begins with the mark of remarks. */
static bool is_marked_event(const char *line, bool with_task)
{
	_cleanup_free_ char *copy = xstrdup(line);
	struct places places;
	struct words words;

	split(copy, &words);
	if (!find_places(&words, with_task, &places))
		return false;
	if (has_anchor(&words, &places) && places.event < words.count)
		return true;
	return places.task < words.count && is_short_comm(&words, places.task) &&
	       is_as_wide_as_task(&words, places.task);
}

static int take_line(struct script *script, char *line)
{
	size_t length = strlen(line);

	while (length > 0 && isspace((unsigned char)line[length - 1]))
		line[--length] = '\0';
	if (length == 0)
		return end_sample(script);
	if (line[0] == '#' && !is_marked_event(line, script->with_task)) {
		take_head(script, line);
		return 0;
	}
	if (isspace((unsigned char)line[0]) && script->event_line &&
	    !is_surely_event(script, line)) {
		take_frame(script, line);
		return 0;
	}
	return take_event(script, line);
}

/* ---- what kind of text it is ---- */

/* The first lines with content, of the text that begins with @bytes. */
struct look {
	size_t numbered, unnumbered; /* events with and without a task, with CPU or time */
	size_t lines, others;	     /* of any kind; that are neither events nor indented */
	bool begins;		     /* the first line is an event */
	bool sure;		     /* a later one surely is */
};

static void look_at(const char *line, struct look *look)
{
	_cleanup_free_ char *copy = xstrdup(line);
	struct places places;
	struct words words;
	bool found;

	split(copy, &words);
	found = words.count > 1 && find_places(&words, true, &places);
	if (found && has_anchor(&words, &places))
		look->numbered++;
	else if (!found && words.count > 1 && find_places(&words, false, &places) &&
		 line[0] != '\t')
		look->unnumbered++;
	else if (!found && !isspace((unsigned char)line[0]))
		look->others++;
	look->begins |= found && look->lines == 0;
	look->sure |=
		found && (has_anchor(&words, &places) ||
			  (places.rest == words.count && is_as_wide_as_task(&words, places.task)) ||
			  (places.rest < words.count && length_of(&words, places.rest) >= 8));
	look->lines++;
}

static struct look look_around(const void *bytes, size_t size)
{
	_cleanup_free_ char *text = xstrndup(bytes, size);
	struct look look = { .lines = 0 };
	char *rest = text, *line;

	while (look.lines < PEEK_LINES && (line = strsep(&rest, "\n")) != NULL) {
		line[strcspn(line, "\r")] = '\0';
		if (line[strspn(line, " \t")] && (line[0] != '#' || is_marked_event(line, true)))
			look_at(line, &look);
	}
	return look;
}

bool perf_script_is(const void *bytes, size_t size)
{
	struct look look;

	if (size == 0 || memchr(bytes, '\0', size))
		return false;
	look = look_around(bytes, size);
	return look.begins || look.sure || look.unnumbered > look.others;
}

int perf_script_read(struct perf_data_input *input, const struct perf_script_visitor *visitor,
		     uint64_t *ret_odd)
{
	struct script script = { .visitor = visitor };
	_cleanup_(buf_done) struct buf line = { 0 };
	const uint8_t *bytes;
	size_t size = perf_data_input_peek(input, PERF_DATA_BUFFER_BYTES, &bytes);
	struct look look = look_around(bytes, size);
	bool cut;
	int rc = 0;

	script.with_task = look.unnumbered <= look.numbered;
	while (rc == 0 && perf_data_input_line(input, PERF_SCRIPT_MAX_LINE, &line, &cut)) {
		buf_text(&line);
		rc = take_line(&script, line.bytes);
	}
	if (rc == 0)
		rc = end_sample(&script);
	forget(&script);
	vec_free(&script.frames);
	vec_free(&script.lines);
	*ret_odd = script.odd;
	return rc;
}
