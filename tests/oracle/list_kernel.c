/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_kernel: every function of the kernel proper that /proc/kallsyms knows, read live and
 * disassembled, each up to the next. Prints "functions N lines N bad N calls N starts N": lines
 * that are no instruction, direct calls, and those of them that lead to where a function starts.
 * list_kernel NAME: that function's lines. 77: kernel code cannot be read here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "place/kernel/kernel_text.h"

struct function {
	uint64_t start;
	char name[128];
};

struct kernel {
	VEC(struct function) functions; /* by start */
	struct kernel_text *text;
	struct disassembler *disassembler;
	size_t listed, lines, bad, calls, starts;
	bool print;
};

static int by_start(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Of [_text, _etext), one name per address, and an end. */
static bool read_functions(struct kernel *kernel)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t text = 0, end = 0;
	struct function function;
	size_t kept = 0;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char type;

		if (sscanf(line, "%" SCNx64 " %c %127s", &function.start, &type, function.name) !=
		    3)
			continue;
		if (strcmp(function.name, "_text") == 0)
			text = function.start;
		if (strcmp(function.name, "_etext") == 0)
			end = function.start;
		if (strchr("tTwW", type) && strchr(line, '[') == NULL)
			*vec_push(&kernel->functions) = function;
	}
	if (text == 0 || end == 0)
		return false;
	qsort(kernel->functions.items, kernel->functions.count, sizeof(function), by_start);
	for (size_t i = 0; i < kernel->functions.count; i++) {
		function = kernel->functions.items[i];
		if (function.start >= text && function.start <= end &&
		    (kept == 0 || kernel->functions.items[kept - 1].start != function.start))
			kernel->functions.items[kept++] = function;
	}
	kernel->functions.count = kept;
	return kept > 1;
}

static bool name_of(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct kernel *kernel = context;
	size_t low = 0, high = kernel->functions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kernel->functions.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || low == kernel->functions.count)
		return false;
	*ret_start = kernel->functions.items[low - 1].start;
	buf_add_str(name, kernel->functions.items[low - 1].name);
	return true;
}

static bool take_line(void *context, const struct code_line *line)
{
	struct kernel *kernel = context;

	kernel->lines++;
	kernel->bad += strstr(line->text, "(bad)") || strncmp(line->text, ".byte", 5) == 0;
	if (strncmp(line->text, "call ", 5) == 0 && !strchr(line->text, '*')) {
		kernel->calls++;
		kernel->starts += strchr(line->text, '<') && !strstr(line->text, "+0x");
	}
	if (kernel->print)
		printf("%" PRIx64 ":\t%s\n", line->address, line->text);
	return true;
}

static int list(struct kernel *kernel, size_t index)
{
	uint64_t start = kernel->functions.items[index].start;
	size_t size = kernel->functions.items[index + 1].start - start;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct disassembler_bytes code = { .machine = code_machine_host(),
					   .start = start,
					   .size = size,
					   .name = name_of,
					   .context = kernel };
	struct err err;
	int rc;

	if (size > KERNEL_TEXT_MAX)
		return 0;
	code.bytes = bytes = xmalloc(size);
	rc = kernel_text_read(kernel->text, start, bytes, size, &err);
	if (rc == 0)
		rc = disassembler_bytes(kernel->disassembler, &code, take_line, kernel, &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", kernel->functions.items[index].name, err.text);
	kernel->listed += rc == 0;
	return rc;
}

static int list_all(struct kernel *kernel, const char *name)
{
	int rc = 0;

	kernel->print = name;
	for (size_t i = 0; rc == 0 && i + 1 < kernel->functions.count; i++)
		if (!name || strcmp(kernel->functions.items[i].name, name) == 0)
			rc = list(kernel, i);
	if (rc == 0 && !name)
		printf("functions %zu lines %zu bad %zu calls %zu starts %zu\n", kernel->listed,
		       kernel->lines, kernel->bad, kernel->calls, kernel->starts);
	return rc;
}

int main(int argc, char **argv)
{
	const struct disassembler_options options = { 0 };
	struct kernel kernel = { 0 };
	struct err err = { "kernel addresses are hidden" };
	int rc;

	if (!read_functions(&kernel) || kernel_text_open(&kernel.text, &err) < 0) {
		printf("%s\n", err.text);
		vec_free(&kernel.functions);
		return 77;
	}
	kernel.disassembler = disassembler_new(&options);
	rc = list_all(&kernel, argc > 1 ? argv[1] : NULL);
	disassembler_free(kernel.disassembler);
	kernel_text_free(kernel.text);
	vec_free(&kernel.functions);
	return rc < 0;
}
