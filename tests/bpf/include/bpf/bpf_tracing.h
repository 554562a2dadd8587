/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the place of libbpf's header. */
#ifndef TESTS_BPF_BPF_TRACING_H
#define TESTS_BPF_BPF_TRACING_H

/* A program that takes one argument, a pointer, out of its context. */
#define BPF_PROG(name, argument)                                      \
	name(unsigned long long *ctx);                                \
	static int name##_of(unsigned long long *ctx, argument);      \
	int name(unsigned long long *ctx)                             \
	{                                                             \
		return name##_of(ctx, (void *)(unsigned long)ctx[0]); \
	}                                                             \
	static int name##_of(unsigned long long *ctx, argument)

#endif
