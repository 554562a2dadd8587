/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

enum {
	MAX_CPUS = 1 << 16,
	MAX_KEY_LETTERS = 31,
};

/* The functions of struct key that consist of one expression, and are named after their keys. */
#define VALUE(name, expression)                                                              \
	static uint64_t value_##name(const struct labels *labels, const struct point *point) \
	{                                                                                    \
		return (expression);                                                         \
	}
#define OF_FRAME(name, expression)                                                   \
	static uint64_t name##_of_frame(const struct labels *labels, uint32_t frame) \
	{                                                                            \
		return (expression);                                                 \
	}
#define TEXT(name, call)                                                                      \
	static void text_##name(const struct labels *labels, uint64_t value, struct buf *buf) \
	{                                                                                     \
		call;                                                                         \
	}
#define ALIAS(name, call)                                                                      \
	static void alias_##name(const struct labels *labels, uint64_t value, struct buf *buf) \
	{                                                                                      \
		call;                                                                          \
	}
#define BOUND(name, count)                                      \
	static size_t bound_##name(const struct labels *labels) \
	{                                                       \
		return (count);                                 \
	}

/* ---- values ---- */

static const struct process *process_of(const struct labels *labels, const struct point *point)
{
	const struct profile *profile = labels->profile;

	return &profile->processes.items[profile->tasks.items[point->total.task].process];
}

static uint32_t leaf_of(const struct labels *labels, const struct point *point)
{
	return labels->profile->stacks.items[point->total.stack].frame;
}

VALUE(process, labels->profile->tasks.items[point->total.task].process)
VALUE(program, process_of(labels, point)->program)

/* Where it is unknown, as in profiles of older versions, or where there is none, the program. */
static uint64_t value_exe(const struct labels *labels, const struct point *point)
{
	const struct process *process = process_of(labels, point);

	return process->exe ? process->exe : process->program;
}

VALUE(pid, (uint64_t)(int64_t)process_of(labels, point)->pid)
VALUE(tid, (uint64_t)(int64_t)labels->profile->tasks.items[point->total.task].tid)
VALUE(thread, labels->profile->tasks.items[point->total.task].comm)
VALUE(user, process_of(labels, point)->uid)
VALUE(cgroup, process_of(labels, point)->cgroup)
VALUE(container, process_of(labels, point)->container)

static uint64_t image_of_frame(const struct labels *labels, uint32_t frame)
{
	const struct profile *profile = labels->profile;

	return profile->images.items[profile->frames.items[frame].image].path;
}

OF_FRAME(symbol, labels_number(labels, labels->profile->frames.items[frame].symbol))
OF_FRAME(function, labels->profile->frames.items[frame].symbol)
OF_FRAME(address, frame)
VALUE(stack, labels_first_stack(labels, point->total.stack))
VALUE(stack_id, point->total.stack)
OF_FRAME(line, labels->places ? labels->places->line(labels->places->context, frame) : 0)
OF_FRAME(source, labels->places ? labels->places->source(labels->places->context, frame) : 0)
VALUE(mode, point->total.mode)
VALUE(context, point->total.context)
VALUE(wait, labels_wait(labels, point->total.stack))
VALUE(waker, labels_waker(labels, point->total.stack))

static const char *place_text(const struct labels *labels, uint64_t value)
{
	const struct label_places *places = labels->places;

	return places ? places->text(places->context, (uint32_t)value) : "[unknown]";
}

/* A function without a name that nothing was inlined into has the number of its place. */
static uint64_t inline_of_frame(const struct labels *labels, uint32_t frame)
{
	const struct label_places *places = labels->places;
	const struct profile *profile = labels->profile;
	uint32_t symbol = profile->frames.items[frame].symbol, value;
	str_id name = profile->symbols.items[symbol].name;

	if (!places)
		return 0;
	value = places->function(places->context, frame);
	if (labels_is_place(labels, symbol) &&
	    strcmp(places->text(places->context, value), profile_text(profile, name)) == 0)
		return labels_number(labels, symbol);
	return value;
}

/* The key "code": how the code that ran relates to the program: its own, a library ... JIT code has
 * the value "made". */
enum code { CODE_OWN, CODE_LIBRARY, CODE_KERNEL, CODE_JIT, CODE_OTHER, CODE_COUNT };

static const char *const code_names[CODE_COUNT] = {
	[CODE_OWN] = "own",  [CODE_LIBRARY] = "library", [CODE_KERNEL] = "kernel",
	[CODE_JIT] = "made", [CODE_OTHER] = "other",
};

/* True if the file has the name of the executable of the sampled process. */
static bool is_own(const struct labels *labels, const struct image *image,
		   const struct point *point)
{
	const struct profile *profile = labels->profile;
	const char *exe = profile_text(profile, (str_id)value_exe(labels, point));

	return strcmp(file_base(profile_text(profile, image->path)), file_base(exe)) == 0;
}

static uint64_t value_code(const struct labels *labels, const struct point *point)
{
	const struct profile *profile = labels->profile;
	const struct frame *leaf = &profile->frames.items[leaf_of(labels, point)];
	const struct image *image = &profile->images.items[leaf->image];

	switch (image->kind) {
	case IMAGE_FILE:
		return is_own(labels, image, point) ? CODE_OWN : CODE_LIBRARY;
	case IMAGE_VDSO:
		return CODE_LIBRARY;
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
	case IMAGE_BPF:
		return CODE_KERNEL;
	case IMAGE_ANON:
		return CODE_JIT;
	default:
		return CODE_OTHER;
	}
}

TEXT(code, buf_add_str(buf, code_names[value]))
BOUND(code, CODE_COUNT)

VALUE(event, point->total.event)
VALUE(cpu, point->cpu)

static uint64_t slice_ns(const struct labels *labels)
{
	return labels->slice_ns ? labels->slice_ns : NS_PER_S;
}

static uint64_t measure_time(const struct labels *labels, const struct point *point)
{
	uint64_t start_ns = labels->profile->run.start_ns;

	return point->time_ns > start_ns ? point->time_ns - start_ns : 0;
}

VALUE(time, measure_time(labels, point) / slice_ns(labels))

/* ---- texts ---- */

TEXT(process, labels_process(labels, (uint32_t)value, buf))
ALIAS(process, buf_add_str(buf, profile_text(labels->profile,
					     labels->profile->processes.items[value].program)))
TEXT(string, buf_add_str(buf, profile_text(labels->profile, (str_id)value)))
TEXT(path, buf_add_str(buf, value ? profile_text(labels->profile, (str_id)value) : "[unknown]"))
ALIAS(path, buf_add_str(buf, file_base(profile_text(labels->profile, (str_id)value))))
TEXT(symbol, labels_name(labels, value, buf))
TEXT(function, labels_function(labels, (uint32_t)value, buf))

static void beside_function(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_routine(labels, (uint32_t)value, buf);
}

static bool place_function(const struct labels *labels, uint64_t value, struct buf *buf)
{
	return labels_place(labels, (uint32_t)value, buf);
}

/* The name in the symbol table of a number of labels_number. */
static str_id name_of(const struct labels *labels, uint64_t number)
{
	uint32_t place = labels_place_of(number);

	return place ? labels->profile->symbols.items[place].name : (str_id)number;
}

/* As in the symbol table: "_ZN3FooEv". */
ALIAS(symbol, buf_add_str(buf, profile_text(labels->profile, name_of(labels, value))))

static bool place_symbol(const struct labels *labels, uint64_t value, struct buf *buf)
{
	if (!labels_place_of(value))
		return false;
	labels_name(labels, name_of(labels, value), buf);
	return true;
}

static uint32_t placed_symbol(const struct labels *labels, uint64_t value)
{
	return labels->by_start ? labels_place_of(value) : 0;
}

static uint32_t placed_function(const struct labels *labels, uint64_t value)
{
	return labels_is_place(labels, (uint32_t)value) ? (uint32_t)value : 0;
}

ALIAS(function, labels_name(labels, labels->profile->symbols.items[value].name, buf))
TEXT(user, labels_user(labels, (uint32_t)value, buf))
TEXT(number, buf_printf(buf, "%" PRId64, (int64_t)value))

/* The start of the slice, in seconds with as many decimals as slices need. */
static void text_time(const struct labels *labels, uint64_t value, struct buf *buf)
{
	uint64_t slice = slice_ns(labels), begin_ns = value * slice;
	uint64_t fraction = NS_PER_S;
	int decimals = 0;

	for (; slice % fraction && fraction > 1; fraction /= 10)
		decimals++;
	buf_printf(buf, "%" PRIu64, (uint64_t)(begin_ns / NS_PER_S));
	if (decimals)
		buf_printf(buf, ".%0*" PRIu64, decimals,
			   (uint64_t)(begin_ns % NS_PER_S / fraction));
}

static void text_address(const struct labels *labels, uint64_t value, struct buf *buf)
{
	const struct profile *profile = labels->profile;
	const struct frame *frame = &profile->frames.items[value];

	/* Without the file's program headers only the file offset is known. */
	if (!frame->address_known && profile->images.items[frame->image].kind == IMAGE_FILE)
		buf_printf(buf, "offset 0x%" PRIx64, frame->offset);
	else
		buf_printf(buf, "0x%" PRIx64, frame->address);
}

static uint64_t number_start(const struct labels *labels, uint64_t value)
{
	return labels->profile->symbols.items[value].start;
}

TEXT(start, buf_printf(buf, "0x%" PRIx64, number_start(labels, value)))
TEXT(stack, labels_stack(labels, (uint32_t)value, buf))

/* With the names of symbol tables. */
static bool place_stack(const struct labels *labels, uint64_t value, struct buf *buf)
{
	struct labels named = *labels;

	if (!labels->by_start)
		return false;
	named.by_start = false;
	labels_stack(&named, (uint32_t)value, buf);
	return true;
}

static uint64_t number_address(const struct labels *labels, uint64_t value)
{
	return labels->profile->frames.items[value].address;
}

TEXT(line, buf_add_str(buf, place_text(labels, value)))
ALIAS(line, buf_add_str(buf, file_base(place_text(labels, value))))

static void text_inline(const struct labels *labels, uint64_t value, struct buf *buf)
{
	const char *name;

	if (labels_place_of(value)) {
		labels_name(labels, value, buf);
		return;
	}
	name = place_text(labels, value);
	buf_add_str(buf,
		    labels->demangle ? labels->demangle(labels->demangle_context, name) : name);
}

/* As debug information has it. */
ALIAS(inline, buf_add_str(buf, labels_place_of(value)
				       ? profile_text(labels->profile, name_of(labels, value))
				       : place_text(labels, value)))

TEXT(mode, buf_add_str(buf, mode_name((enum mode)value)))
TEXT(context, buf_add_str(buf, context_name((enum context)value)))
TEXT(wait, buf_add_str(buf, wait_name((enum wait)value)))

static void text_waker(const struct labels *labels, uint64_t value, struct buf *buf)
{
	if (value)
		labels_process(labels, (uint32_t)value, buf);
	else
		buf_add_str(buf, "[none]");
}

TEXT(event, buf_add_str(buf, profile_text(labels->profile, labels->profile->events[value].name)))

/* ---- bounds ---- */

BOUND(process, labels->profile->processes.count)
BOUND(string, strpool_count(&labels->profile->strings))
BOUND(function, labels->profile->symbols.count)
BOUND(stack, labels->profile->stacks.count)
BOUND(mode, MODE_COUNT)
BOUND(context, CONTEXT_COUNT)
BOUND(wait, WAIT_COUNT)
BOUND(event, labels->profile->event_count)

/* CPU numbers may have gaps: this bound holds for most machines. */
static size_t bound_cpu(const struct labels *labels)
{
	uint64_t cpus = labels->profile->run.cpus;

	return cpus < MAX_CPUS ? (size_t)cpus : MAX_CPUS;
}

/* Ended by a row without a name. */
static const struct key key_table[] = {
	{ "process", "one run of a program, as name#instance", KEY_TEXT, .uses = SAMPLE_TASK,
	  .value = value_process, .text = text_process, .alias = alias_process,
	  .bound = bound_process },
	{ "program", "the name it was started by, all its instances together", KEY_TEXT,
	  .uses = SAMPLE_TASK, .value = value_program, .text = text_string, .bound = bound_string },
	{ "exe", "the executable; of a script, the interpreter's", KEY_TEXT, .uses = SAMPLE_TASK,
	  .value = value_exe, .text = text_path, .alias = alias_path, .bound = bound_string },
	{ "pid", "process id", KEY_NUMBER, .uses = SAMPLE_TASK, .value = value_pid,
	  .text = text_number },
	{ "tid", "thread id", KEY_NUMBER, .uses = SAMPLE_TASK, .value = value_tid,
	  .text = text_number },
	{ "thread", "the thread's name when it was sampled", KEY_TEXT, .uses = SAMPLE_TASK,
	  .value = value_thread, .text = text_string, .bound = bound_string },
	{ "user", "the user it ran as", KEY_TEXT, .uses = SAMPLE_TASK, .value = value_user,
	  .text = text_user, .alias = text_number },
	{ "cgroup", "control group", KEY_TEXT, .uses = SAMPLE_TASK, .value = value_cgroup,
	  .text = text_string, .bound = bound_string },
	{ "container", "short id or name of the container", KEY_TEXT, .uses = SAMPLE_TASK,
	  .value = value_container, .text = text_string, .bound = bound_string },
	{ "image", "the file (or kernel, module) whose code ran", KEY_TEXT, .uses = SAMPLE_STACK,
	  .of_frame = image_of_frame, .text = text_path, .alias = alias_path,
	  .bound = bound_string },
	{ "symbol", "the routine's name, equal names together", KEY_TEXT, .uses = SAMPLE_STACK,
	  .of_frame = symbol_of_frame, .text = text_symbol, .alias = alias_symbol,
	  .place = place_symbol, .placed = placed_symbol, .bound = bound_string },
	{ "function", "the routine, equal names at different places apart", KEY_TEXT,
	  .uses = SAMPLE_STACK, .of_frame = function_of_frame, .text = text_function,
	  .beside = beside_function, .alias = alias_function, .place = place_function,
	  .placed = placed_function, .bound = bound_function },
	{ "start", "where the routine begins, as objdump shows it", KEY_NUMBER,
	  .uses = SAMPLE_STACK, .of_frame = function_of_frame, .text = text_start,
	  .number = number_start, .bound = bound_function },
	{ "line", "source line, as file:line", KEY_TEXT, .uses = SAMPLE_STACK,
	  .of_frame = line_of_frame, .text = text_line, .alias = alias_line },
	{ "source", "source file, without the line", KEY_TEXT, .uses = SAMPLE_STACK,
	  .of_frame = source_of_frame, .text = text_line, .alias = alias_line },
	{ "inline", "the routine, or what was inlined into it there", KEY_TEXT,
	  .uses = SAMPLE_STACK, .of_frame = inline_of_frame, .text = text_inline,
	  .alias = alias_inline, .place = place_symbol, .placed = placed_symbol },
	{ "address", "where in the image, as objdump shows it", KEY_NUMBER, .uses = SAMPLE_STACK,
	  .of_frame = address_of_frame, .text = text_address, .number = number_address },
	{ "stack", "the routines' names from the root on, joined by ';'", KEY_TEXT,
	  .uses = SAMPLE_STACK, .value = value_stack, .text = text_stack, .place = place_stack,
	  .bound = bound_stack },
	{ "mode", "user or kernel", KEY_TEXT, .uses = SAMPLE_MODE, .closed = true,
	  .value = value_mode, .text = text_mode, .bound = bound_mode },
	{ "context", "task, or the softirq or hardirq that interrupted it", KEY_TEXT,
	  .uses = SAMPLE_CONTEXT, .closed = true, .value = value_context, .text = text_context,
	  .bound = bound_context },
	{ "code", "own: the program's own file; library, kernel, made (JIT code), other", KEY_TEXT,
	  .uses = SAMPLE_TASK | SAMPLE_STACK, .closed = true, .value = value_code,
	  .text = text_code, .bound = bound_code },
	{ "wait", "what the thread waited for: lock, disk ...; running if it did not", KEY_TEXT,
	  .uses = SAMPLE_STACK, .closed = true, .value = value_wait, .text = text_wait,
	  .bound = bound_wait },
	{ "waker", "the process that ended the wait", KEY_TEXT, .uses = SAMPLE_STACK,
	  .value = value_waker, .text = text_waker, .alias = alias_process,
	  .bound = bound_process },
	{ "cpu", "processor number", KEY_NUMBER, .uses = SAMPLE_CPU, .value = value_cpu,
	  .bound = bound_cpu, .text = text_number },
	{ "event", "what was sampled", KEY_TEXT, .value = value_event, .text = text_event,
	  .bound = bound_event },
	{ "time", "second since the start, or where the slice (--slice) begins", KEY_NUMBER,
	  .uses = SAMPLE_TIME, .value = value_time, .text = text_time, .measure = measure_time,
	  .parts = NS_PER_S },
	{ 0 },
};

static const struct key key_of_stack_id = {
	"stack id",	     "", KEY_TEXT, .uses = SAMPLE_STACK, .value = value_stack_id,
	.bound = bound_stack
};

uint64_t keys_value(const struct key *key, const struct labels *labels, const struct point *point)
{
	if (key->of_frame)
		return key->of_frame(labels, leaf_of(labels, point));
	return key->value(labels, point);
}

/* ---- finding keys ---- */

const struct key *keys_stack_id(void)
{
	return &key_of_stack_id;
}

const struct key *keys_all(void)
{
	return key_table;
}

/* A key that begins with @name, else the one with the fewest wrong letters; NULL: none is near. */
static const char *nearest(const char *name, size_t length)
{
	char word[MAX_KEY_LETTERS + 1];
	unsigned best = text_most_wrong(length) + 1;
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
	if (keys_has(list, key))
		return err_set(err, -EINVAL, "%s: key '%s' is given twice", option, key->name);
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

bool keys_has(const struct key_list *list, const struct key *key)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i] == key)
			return true;
	}
	return false;
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
