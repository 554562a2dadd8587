/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library has instead of a C library: it must not call the program's, whose functions may be in
 * any state when a signal comes. System calls return a negative errno.
 */
#ifndef PRELOAD_RAW_H
#define PRELOAD_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#if defined(__x86_64__)

static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline void raw_copy(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

#elif defined(__aarch64__)

static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static inline void raw_copy(void *to, const void *from, size_t size)
{
	char *out = to;
	const char *in = from;

	for (; size >= 8; size -= 8, out += 8, in += 8)
		*(uint64_t *)out = *(const uint64_t *)in;
	while (size-- > 0)
		*out++ = *in++;
}

#else
#error "the preloaded library knows x86-64 and arm64"
#endif

#define RAW_COUNT(_0, _1, _2, _3, _4, _5, _6, count, ...) count
#define RAW_0(n)					  raw_call(n, 0, 0, 0, 0, 0, 0)
#define RAW_1(n, a)					  raw_call(n, (long)(a), 0, 0, 0, 0, 0)
#define RAW_2(n, a, b)					  raw_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define RAW_3(n, a, b, c)				  raw_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define RAW_4(n, a, b, c, d)				  raw_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define RAW_5(n, a, b, c, d, e) \
	raw_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define RAW_6(n, a, b, c, d, e, f) \
	raw_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define RAW_PASTE(count) RAW_##count
#define RAW_CALL(count)	 RAW_PASTE(count)
/* RAW(getpid), RAW(close, fd) ... */
#define RAW(name, ...)                                             \
	RAW_CALL(RAW_COUNT(0, ##__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)) \
	(__NR_##name, ##__VA_ARGS__)

static inline size_t raw_length(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

static inline bool raw_begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

static inline bool raw_equal(const void *a, const void *b, size_t size)
{
	const char *left = a, *right = b;

	for (size_t i = 0; i < size; i++) {
		if (left[i] != right[i])
			return false;
	}
	return true;
}

static inline uint64_t raw_time(int clock)
{
	struct {
		int64_t seconds, ns;
	} time = { 0, 0 };

	RAW(clock_gettime, clock, &time);
	return (uint64_t)time.seconds * 1000000000U + (uint64_t)time.ns;
}

#endif
