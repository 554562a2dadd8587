/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/unnamed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

/* Runtimes that make code, and what makes them tell its names. */
static const struct runtime {
	const char *exe;     /* how the name of the executable begins */
	const char *library; /* the same of a library that others load; NULL: none */
	const char *runs;
	const char *since; /* the first version that can; NULL: all that are in use */
} runtimes[] = {
	{ "java", "libjvm.so", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
	  "Java 17" },
	{ "node", "libnode.so", "node --perf-basic-prof", NULL },
	{ "ruby", "libruby", "ruby --yjit-perf", "Ruby 3.3" },
	{ "beam.smp", NULL, "erl +JPperf true", "Erlang 24" },
	{ "dotnet", "libcoreclr.so", "DOTNET_PerfMapEnabled=1 dotnet", ".NET 6" },
};

static const char python[] = "python3.", libpython[] = "libpython3.";

/* Weights by image and by process. */
struct weights {
	uint64_t *in_file;	/* by image */
	uint64_t *jit, *python; /* by process */
};

static const struct frame *leaf_of(const struct profile *profile, const struct total *total)
{
	return &profile->frames.items[profile->stacks.items[total->stack].frame];
}

static const char *exe_of(const struct profile *profile, uint32_t process)
{
	return file_base(profile_text(profile, profile->processes.items[process].exe));
}

static bool begins(const char *text, const char *word)
{
	return word && strncmp(text, word, strlen(word)) == 0;
}

/* "node" and "node20", but not "nodemon". */
static bool is_called(const char *name, const char *word)
{
	return begins(name, word) && !isalpha((unsigned char)name[strlen(word)]);
}

/* Python with -X perf gives each function a name of this form. */
static bool tells_python(const struct profile *profile)
{
	for (size_t i = 1; i < profile->symbols.count; i++) {
		if (begins(profile_text(profile, profile->symbols.items[i].name),
			   UNNAMED_PYTHON_FUNCTION))
			return true;
	}
	return false;
}

static bool is_python(const struct profile *profile, uint32_t process, const struct image *image)
{
	const char *file = file_base(profile_text(profile, image->path));

	return begins(exe_of(profile, process), python) && image->kind == IMAGE_FILE &&
	       (begins(file, python) || begins(file, libpython));
}

static void add(const struct profile *profile, const struct total *total,
		const struct weights *weights, struct unnamed *unnamed)
{
	const struct frame *leaf = leaf_of(profile, total);
	const struct image *image = &profile->images.items[leaf->image];
	enum symbol_kind kind = profile->symbols.items[leaf->symbol].kind;
	bool named = kind != SYMBOL_NONE && kind != SYMBOL_BRACKET;
	uint32_t process = profile->tasks.items[total->task].process;

	unnamed->whole += total->weight;
	if (is_python(profile, process, image))
		weights->python[process] += total->weight;
	if (named)
		return;
	if (image->kind == IMAGE_FILE)
		weights->in_file[leaf->image] += total->weight;
	else if (image->kind == IMAGE_ANON)
		weights->jit[process] += total->weight;
}

/* Adds up to *ret_sum. Returns the place of the largest. */
static uint32_t largest(const uint64_t *weights, size_t count, uint64_t *ret_sum)
{
	uint32_t found = 0;

	*ret_sum = 0;
	for (uint32_t i = 0; i < count; i++) {
		*ret_sum += weights[i];
		if (weights[i] > weights[found])
			found = i;
	}
	return weights[found] ? found : 0;
}

static const struct runtime *runtime_by_exe(const struct profile *profile, uint32_t process)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (is_called(exe_of(profile, process), runtimes[i].exe))
			return &runtimes[i];
	}
	return NULL;
}

static const struct runtime *runtime_by_library(const struct profile *profile, uint32_t stack)
{
	for (; stack; stack = profile->stacks.items[stack].parent) {
		uint32_t frame = profile->stacks.items[stack].frame;
		const struct image *image =
			&profile->images.items[profile->frames.items[frame].image];
		const char *file = file_base(profile_text(profile, image->path));

		for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
			if (image->kind == IMAGE_FILE && begins(file, runtimes[i].library))
				return &runtimes[i];
		}
	}
	return NULL;
}

/* NULL: not known. */
static const struct runtime *find_runtime(const struct profile *profile, const struct total *totals,
					  size_t count, uint32_t process)
{
	const struct runtime *runtime = runtime_by_exe(profile, process);

	for (size_t i = 0; i < count && !runtime; i++) {
		if (profile->tasks.items[totals[i].task].process == process)
			runtime = runtime_by_library(profile, totals[i].stack);
	}
	return runtime;
}

static void find_jit(const struct profile *profile, const struct total *totals, size_t count,
		     uint32_t process, struct unnamed *unnamed)
{
	const struct runtime *runtime = find_runtime(profile, totals, count, process);

	unnamed->jit_program = profile->processes.items[process].program;
	unnamed->runs = runtime ? runtime->runs : NULL;
	unnamed->since = runtime ? runtime->since : NULL;
}

void unnamed_find(const struct profile *profile, const struct total *totals, size_t count,
		  struct unnamed *ret_unnamed)
{
	_cleanup_free_ uint64_t *in_file = xcalloc(profile->images.count, sizeof(uint64_t));
	_cleanup_free_ uint64_t *jit = xcalloc(profile->processes.count, sizeof(uint64_t));
	_cleanup_free_ uint64_t *of_python = xcalloc(profile->processes.count, sizeof(uint64_t));
	const struct weights weights = { in_file, jit, of_python };
	uint32_t process;

	*ret_unnamed = (struct unnamed){ 0 };
	for (size_t i = 0; i < count; i++)
		add(profile, &totals[i], &weights, ret_unnamed);
	ret_unnamed->file = largest(in_file, profile->images.count, &ret_unnamed->in_files);
	process = largest(jit, profile->processes.count, &ret_unnamed->jit);
	if (process)
		find_jit(profile, totals, count, process, ret_unnamed);
	process = largest(of_python, profile->processes.count, &ret_unnamed->python);
	if (!process || tells_python(profile)) {
		ret_unnamed->python = 0;
		return;
	}
	ret_unnamed->python_exe = profile->processes.items[process].exe;
	ret_unnamed->python_minor =
		(unsigned)strtoul(exe_of(profile, process) + strlen(python), NULL, 10);
}
