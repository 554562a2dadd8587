/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings that change all the time in one thread while the main thread works in a stack that leads
 * through none of them: main, DEPTH times down, the C library's qsort, compare, leaf. Whatever is
 * mapped is called by a function of its own, so that each stack tells whether it is right:
 *
 *   in_a;a_first  in_b;b_first  of the two libraries, which take each other's place
 *   in_code       code made in memory, in the same place (x86-64 only)
 *   child;down..  a child that is forked in the middle of it
 *
 * Prints "turns N". Usage: storm SECONDS LIBRARY LIBRARY [code] [fork]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { DEPTH = 30, BATCH = 64, CODE_BYTES = 16384, TURNS_PER_CHILD = 400 };

/* Keeps a call from becoming a jump, and functions apart that are alike but for their names. */
#define AFTERWARDS() __asm__ volatile("# %0" ::"i"(__LINE__) : "memory")

typedef void work_fn(uint64_t rounds);

static atomic_int over;
static const char *const *libraries;
static int with_code, with_fork;

static NOINLINE int leaf(int a, int b)
{
	SPIN(2000);
	return a - b;
}

static NOINLINE int compare(const void *a, const void *b)
{
	int order = leaf(*(const int *)a, *(const int *)b);

	AFTERWARDS();
	return order;
}

static NOINLINE void down(int depth)
{
	int numbers[BATCH];

	if (depth > 0) {
		down(depth - 1);
	} else {
		for (int i = 0; i < BATCH; i++)
			numbers[i] = i * 7 % BATCH;
		qsort(numbers, BATCH, sizeof(*numbers), compare);
	}
	AFTERWARDS();
}

static NOINLINE void in_a(work_fn *work)
{
	work(5000);
	AFTERWARDS();
}

static NOINLINE void in_b(work_fn *work)
{
	work(5001);
	AFTERWARDS();
}

static NOINLINE void in_code(work_fn *work)
{
	work(5002);
	AFTERWARDS();
}

static void load(const char *path, const char *name, void (*call)(work_fn *work))
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	work_fn *work = library ? (work_fn *)dlsym(library, name) : NULL;

	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	call(work);
	dlclose(library);
}

/* push %rbp; mov %rsp,%rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static void make_code(void)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
					      0xcf, 0x75, 0xfb, 0x5d, 0xc3 };
	void *memory =
		mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memcpy(memory, code, sizeof(code));
	mprotect(memory, CODE_BYTES, PROT_READ | PROT_EXEC);
	in_code((work_fn *)memory);
	munmap(memory, CODE_BYTES);
}

static NOINLINE void child(void)
{
	down(DEPTH);
	AFTERWARDS();
	_exit(0);
}

static void fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		child();
	waitpid(pid, NULL, 0);
}

static void *storm(void *context)
{
	long *turns = context;

	while (!over) {
		load(libraries[0], "a_first", in_a);
		load(libraries[1], "b_first", in_b);
		if (with_code)
			make_code();
		if (with_fork && *turns % TURNS_PER_CHILD == 0)
			fork_child();
		(*turns)++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = spin_clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;
	long turns = 0;

	if (argc < 4)
		return 2;
	libraries = (const char *const *)argv + 2;
	for (int i = 4; i < argc; i++) {
		with_code |= strcmp(argv[i], "code") == 0;
		with_fork |= strcmp(argv[i], "fork") == 0;
	}
	if (pthread_create(&thread, NULL, storm, &turns))
		return 1;
	while ((double)(spin_clock_ns(CLOCK_MONOTONIC) - start_ns) < atof(argv[1]) * 1e9)
		down(DEPTH);
	over = 1;
	pthread_join(thread, NULL);
	printf("turns %ld\n", turns);
	return 0;
}
