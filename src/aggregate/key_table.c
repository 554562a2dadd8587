/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/key_table.h"

#include <inttypes.h>
#include <string.h>

#include "aggregate/key_code.h"
#include "base/clock.h"
#include "base/file.h"

enum { MAX_CPUS = 1 << 16 };

static const struct process *process_of(const struct labels *labels, const struct point *point)
{
	const struct profile *profile = labels->profile;

	return &profile->processes.items[profile->tasks.items[point->total.task].process];
}

static uint32_t leaf_of(const struct labels *labels, const struct point *point)
{
	return labels->profile->stacks.items[point->total.stack].frame;
}

static uint64_t value_process(const struct labels *labels, const struct point *point)
{
	return labels->profile->tasks.items[point->total.task].process;
}

static uint64_t value_program(const struct labels *labels, const struct point *point)
{
	return process_of(labels, point)->program;
}

static uint64_t value_pid(const struct labels *labels, const struct point *point)
{
	return (uint64_t)(int64_t)process_of(labels, point)->pid;
}

static uint64_t value_tid(const struct labels *labels, const struct point *point)
{
	return (uint64_t)(int64_t)labels->profile->tasks.items[point->total.task].tid;
}

static uint64_t value_thread(const struct labels *labels, const struct point *point)
{
	return labels->profile->tasks.items[point->total.task].comm;
}

static uint64_t value_user(const struct labels *labels, const struct point *point)
{
	return process_of(labels, point)->uid;
}

static uint64_t value_cgroup(const struct labels *labels, const struct point *point)
{
	return process_of(labels, point)->cgroup;
}

static uint64_t value_container(const struct labels *labels, const struct point *point)
{
	return process_of(labels, point)->container;
}

static uint64_t image_of_frame(const struct labels *labels, uint32_t frame)
{
	const struct profile *profile = labels->profile;

	return profile->images.items[profile->frames.items[frame].image].path;
}

static uint64_t value_image(const struct labels *labels, const struct point *point)
{
	return image_of_frame(labels, leaf_of(labels, point));
}

static uint64_t symbol_of_frame(const struct labels *labels, uint32_t frame)
{
	const struct profile *profile = labels->profile;

	return profile->symbols.items[profile->frames.items[frame].symbol].name;
}

static uint64_t value_symbol(const struct labels *labels, const struct point *point)
{
	return symbol_of_frame(labels, leaf_of(labels, point));
}

static uint64_t function_of_frame(const struct labels *labels, uint32_t frame)
{
	return labels->profile->frames.items[frame].symbol;
}

static uint64_t value_function(const struct labels *labels, const struct point *point)
{
	return function_of_frame(labels, leaf_of(labels, point));
}

static uint64_t address_of_frame(const struct labels *labels, uint32_t frame)
{
	return frame;
}

static uint64_t value_address(const struct labels *labels, const struct point *point)
{
	return address_of_frame(labels, leaf_of(labels, point));
}

static uint64_t value_stack(const struct labels *labels, const struct point *point)
{
	return stack_names_first(labels->stacks, point->total.stack);
}

static uint64_t value_stack_id(const struct labels *labels, const struct point *point)
{
	return point->total.stack;
}

static uint64_t line_of_frame(const struct labels *labels, uint32_t frame)
{
	return labels->places ? labels->places->line(labels->places->context, frame) : 0;
}

static uint64_t value_line(const struct labels *labels, const struct point *point)
{
	return line_of_frame(labels, leaf_of(labels, point));
}

static uint64_t source_of_frame(const struct labels *labels, uint32_t frame)
{
	return labels->places ? labels->places->source(labels->places->context, frame) : 0;
}

static uint64_t value_source(const struct labels *labels, const struct point *point)
{
	return source_of_frame(labels, leaf_of(labels, point));
}

static uint64_t inline_of_frame(const struct labels *labels, uint32_t frame)
{
	return labels->places ? labels->places->function(labels->places->context, frame) : 0;
}

static uint64_t value_inline(const struct labels *labels, const struct point *point)
{
	return inline_of_frame(labels, leaf_of(labels, point));
}

static uint64_t value_start(const struct labels *labels, const struct point *point)
{
	return function_of_frame(labels, leaf_of(labels, point));
}

static uint64_t value_mode(const struct labels *labels, const struct point *point)
{
	return point->total.mode;
}

static uint64_t value_context(const struct labels *labels, const struct point *point)
{
	return point->total.context;
}

static uint64_t value_wait(const struct labels *labels, const struct point *point)
{
	return labels_wait(labels, point->total.stack);
}

static uint64_t value_waker(const struct labels *labels, const struct point *point)
{
	return labels_waker(labels, point->total.stack);
}

static uint64_t value_event(const struct labels *labels, const struct point *point)
{
	return point->total.event;
}

static uint64_t value_cpu(const struct labels *labels, const struct point *point)
{
	return point->cpu;
}

static uint64_t slice_ns(const struct labels *labels)
{
	return labels->slice_ns ? labels->slice_ns : NS_PER_S;
}

static uint64_t measure_time(const struct labels *labels, const struct point *point)
{
	uint64_t start_ns = labels->profile->run.start_ns;

	return point->time_ns > start_ns ? point->time_ns - start_ns : 0;
}

static uint64_t value_time(const struct labels *labels, const struct point *point)
{
	return measure_time(labels, point) / slice_ns(labels);
}

static void text_process(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_process(labels, (uint32_t)value, buf);
}

static void alias_process(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf,
		    profile_text(labels->profile, labels->profile->processes.items[value].program));
}

static void text_string(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, profile_text(labels->profile, (str_id)value));
}

static void text_path(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, value ? profile_text(labels->profile, (str_id)value) : "[unknown]");
}

static void alias_path(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, file_base(profile_text(labels->profile, (str_id)value)));
}

static void text_symbol(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_name(labels, (str_id)value, buf);
}

static void text_function(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_function(labels, (uint32_t)value, buf);
}

static void beside_function(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_routine(labels, (uint32_t)value, buf);
}

static void alias_function(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_name(labels, labels->profile->symbols.items[value].name, buf);
}

static void text_user(const struct labels *labels, uint64_t value, struct buf *buf)
{
	labels_user(labels, (uint32_t)value, buf);
}

static void text_number(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_printf(buf, "%" PRId64, (int64_t)value);
}

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

static void text_start(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_printf(buf, "0x%" PRIx64, number_start(labels, value));
}

static void text_stack(const struct labels *labels, uint64_t value, struct buf *buf)
{
	stack_names_text(labels, (uint32_t)value, buf);
}

static uint64_t number_address(const struct labels *labels, uint64_t value)
{
	return labels->profile->frames.items[value].address;
}

static const char *place_text(const struct labels *labels, uint64_t value)
{
	const struct label_places *places = labels->places;

	return places ? places->text(places->context, (uint32_t)value) : "[unknown]";
}

static void text_line(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, place_text(labels, value));
}

static void alias_line(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, file_base(place_text(labels, value)));
}

static void text_inline(const struct labels *labels, uint64_t value, struct buf *buf)
{
	const char *name = place_text(labels, value);

	buf_add_str(buf,
		    labels->demangle ? labels->demangle(labels->demangle_context, name) : name);
}

static void text_mode(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, mode_name((enum mode)value));
}

static void text_context(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, context_name((enum context)value));
}

static void text_wait(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, wait_name((enum wait)value));
}

static void text_waker(const struct labels *labels, uint64_t value, struct buf *buf)
{
	if (value)
		labels_process(labels, (uint32_t)value, buf);
	else
		buf_add_str(buf, "[none]");
}

static void text_event(const struct labels *labels, uint64_t value, struct buf *buf)
{
	buf_add_str(buf, profile_text(labels->profile, labels->profile->events[value].name));
}

static size_t bound_process(const struct labels *labels)
{
	return labels->profile->processes.count;
}

static size_t bound_string(const struct labels *labels)
{
	return strpool_count(&labels->profile->strings);
}

static size_t bound_function(const struct labels *labels)
{
	return labels->profile->symbols.count;
}

static size_t bound_stack(const struct labels *labels)
{
	return labels->profile->stacks.count;
}

static size_t bound_mode(const struct labels *labels)
{
	return MODE_COUNT;
}

static size_t bound_context(const struct labels *labels)
{
	return CONTEXT_COUNT;
}

static size_t bound_wait(const struct labels *labels)
{
	return WAIT_COUNT;
}

/* CPU numbers may have gaps: this bound holds for most machines. */
static size_t bound_cpu(const struct labels *labels)
{
	uint64_t cpus = labels->profile->run.cpus;

	return cpus < MAX_CPUS ? (size_t)cpus : MAX_CPUS;
}

static size_t bound_event(const struct labels *labels)
{
	return labels->profile->event_count;
}

const struct key key_table[] = {
	{ "process", "one run of a program, as name#instance", KEY_TEXT, .uses = SAMPLE_TASK,
	  .value = value_process, .text = text_process, .alias = alias_process,
	  .bound = bound_process },
	{ "program", "the executable's name, all its instances together", KEY_TEXT,
	  .uses = SAMPLE_TASK, .value = value_program, .text = text_string, .bound = bound_string },
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
	  .value = value_image, .of_frame = image_of_frame, .text = text_path, .alias = alias_path,
	  .bound = bound_string },
	{ "symbol", "the routine's name, equal names together", KEY_TEXT, .uses = SAMPLE_STACK,
	  .value = value_symbol, .of_frame = symbol_of_frame, .text = text_symbol,
	  .alias = text_string, .bound = bound_string },
	{ "function", "the routine, equal names at different places apart", KEY_TEXT,
	  .uses = SAMPLE_STACK, .value = value_function, .of_frame = function_of_frame,
	  .text = text_function, .beside = beside_function, .alias = alias_function,
	  .bound = bound_function },
	{ "start", "where the routine begins, as objdump shows it", KEY_NUMBER,
	  .uses = SAMPLE_STACK, .value = value_start, .of_frame = function_of_frame,
	  .text = text_start, .number = number_start, .bound = bound_function },
	{ "line", "source line, as file:line", KEY_TEXT, .uses = SAMPLE_STACK, .value = value_line,
	  .of_frame = line_of_frame, .text = text_line, .alias = alias_line },
	{ "source", "source file, without the line", KEY_TEXT, .uses = SAMPLE_STACK,
	  .value = value_source, .of_frame = source_of_frame, .text = text_line,
	  .alias = alias_line },
	{ "inline", "the routine, or what was inlined into it there", KEY_TEXT,
	  .uses = SAMPLE_STACK, .value = value_inline, .of_frame = inline_of_frame,
	  .text = text_inline, .alias = text_line },
	{ "address", "where in the image, as objdump shows it", KEY_NUMBER, .uses = SAMPLE_STACK,
	  .value = value_address, .of_frame = address_of_frame, .text = text_address,
	  .number = number_address },
	{ "stack", "the routines' names from the root on, joined by ';'", KEY_TEXT,
	  .uses = SAMPLE_STACK, .value = value_stack, .text = text_stack, .bound = bound_stack },
	{ "mode", "user or kernel", KEY_TEXT, .uses = SAMPLE_MODE, .closed = true,
	  .value = value_mode, .text = text_mode, .bound = bound_mode },
	{ "context", "task, or the softirq or hardirq that interrupted it", KEY_TEXT,
	  .uses = SAMPLE_CONTEXT, .closed = true, .value = value_context, .text = text_context,
	  .bound = bound_context },
	{ "code", "own: the program's own file; library, kernel, made (JIT code), other", KEY_TEXT,
	  .uses = SAMPLE_TASK | SAMPLE_STACK, .closed = true, .value = key_code_value,
	  .text = key_code_text, .bound = key_code_bound },
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

const struct key key_of_stack_id = {
	"stack id",	     "", KEY_TEXT, .uses = SAMPLE_STACK, .value = value_stack_id,
	.bound = bound_stack
};
