/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed work for measuring what a profiler costs: the three programs of paper 004 (a loop, calls, a tree).
 * Usage: work loop|call|btree ROUNDS. It prints its own CPU time in seconds: the interrupts that hit it are
 * in there, the profiler's own processes are not.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;

static void loop(uint64_t rounds)
{
	uint64_t value = 1;

	for (uint64_t i = 0; i < rounds * 10; i++) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(value));
	}
	sink = value;
}

static NOINLINE uint64_t leaf(uint64_t value)
{
	__asm__ volatile("");
	return value * 3 + 1;
}

/* Depth and path change with the value, so that there are many different stacks. */
static NOINLINE uint64_t descend(uint64_t value, int depth)
{
	if (depth == 0)
		return leaf(value);
	if (value & 1)
		return descend(value >> 1, depth - 1) + 1;
	return descend(value >> 1 | value << 63, depth - 1) + 2;
}

static void call(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds / 4; i++)
		sink += descend(i * 0x9e3779b97f4a7c15ULL, 4 + (int)(i & 15));
}

struct node {
	uint32_t key;
	struct node *child[2];
};

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

static NOINLINE void insert(struct node **root, uint32_t key)
{
	while (*root)
		root = &(*root)->child[key > (*root)->key];
	*root = calloc(1, sizeof(**root));
	if (*root)
		(*root)->key = key;
}

static NOINLINE void drop(struct node *node)
{
	if (!node)
		return;
	drop(node->child[0]);
	drop(node->child[1]);
	free(node);
}

static void btree(uint64_t rounds)
{
	uint64_t state = 7;

	for (uint64_t tree = 0; tree < rounds / 16384 + 1; tree++) {
		struct node *root = NULL;

		for (int i = 0; i < 2048; i++)
			insert(&root, next_random(&state));
		drop(root);
	}
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct rusage usage;

	if (!rounds) {
		fputs("usage: work loop|call|btree ROUNDS\n", stderr);
		return 2;
	}
	if (strcmp(argv[1], "loop") == 0)
		loop(rounds);
	else if (strcmp(argv[1], "call") == 0)
		call(rounds);
	else
		btree(rounds);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.6f\n", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	return 0;
}
