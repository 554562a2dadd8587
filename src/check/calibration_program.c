/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the calibration program. Each part is forked, gives its thread the part's name and
 * never execs. So it also shows that such a process keeps its program's name. The functions are
 * exported, so a stripped prospect still has their names.
 */
#include "check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"

enum {
	PART_MS = 1200, /* of CPU time */
	ROUND_MS = 10,	/* of parts that alternate */
	SLEEP_MS = 300,
	ZERO_BYTES = 1 << 20,
};

#define EXPORTED __attribute__((visibility("default"), noinline))

static uint64_t cpu_ns(void)
{
	return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* Arithmetic that the compiler cannot remove. */
static inline __attribute__((always_inline)) void spin(uint64_t rounds)
{
	uint64_t value = rounds;

	for (uint64_t i = 0; i < rounds; i++) {
		value = value * 6364136223846793005ULL + 1;
		__asm__ volatile("" : "+r"(value));
	}
}

EXPORTED void check_share_20(uint64_t rounds);
EXPORTED void check_share_30(uint64_t rounds);
EXPORTED void check_share_50(uint64_t rounds);
EXPORTED void check_rhythm_first(uint64_t rounds);
EXPORTED void check_rhythm_second(uint64_t rounds);
EXPORTED void check_user_work(uint64_t rounds);
EXPORTED void check_forked(uint64_t rounds);

void check_share_20(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_share_30(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_share_50(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_rhythm_first(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_rhythm_second(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_user_work(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

void check_forked(uint64_t rounds)
{
	spin(rounds);
	__asm__ volatile("");
}

/* What a part gets: where to write its truths, and how many rounds of spin() take a millisecond. */
struct part_context {
	const char *part;
	FILE *truths;
	uint64_t rounds_per_ms;
};

static void tell(const struct part_context *context, const char *key, const char *name, uint64_t ns)
{
	fprintf(context->truths, "%s %s %s %llu\n", context->part, key, name,
		(unsigned long long)ns);
}

/* Adds the CPU time of one call to *sum. */
#define TIMED(call, sum)                       \
	do {                                   \
		uint64_t start_ns = cpu_ns();  \
		call;                          \
		*(sum) += cpu_ns() - start_ns; \
	} while (0)

/* A number below @limit. Parts that do not test a rhythm take turns in random order: regular turns
 * would be in step with the samples at some machine speed. */
static unsigned draw(uint32_t *state, unsigned limit)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % limit;
}

static void run_shares(const struct part_context *context)
{
	static const struct {
		void (*work)(uint64_t rounds);
		const char *name;
		unsigned tenths;
	} shares[] = {
		{ check_share_20, "check_share_20", 2 },
		{ check_share_30, "check_share_30", 3 },
		{ check_share_50, "check_share_50", 5 },
	};
	uint64_t unit = context->rounds_per_ms * ROUND_MS / 10, sums[3] = { 0 };
	uint32_t state = 1;

	for (int i = 0; i < PART_MS / ROUND_MS; i++) {
		unsigned first = draw(&state, 3), step = 1 + draw(&state, 2);

		for (unsigned j = 0; j < 3; j++) {
			unsigned turn = (first + j * step) % 3;

			TIMED(shares[turn].work(shares[turn].tenths * unit), &sums[turn]);
		}
	}
	for (int i = 0; i < 3; i++)
		tell(context, "symbol", shares[i].name, sums[i]);
}

/* A beat of one millisecond: a 1000 Hz clock without jitter would always hit the same half. */
static void run_rhythm(const struct part_context *context)
{
	uint64_t half = context->rounds_per_ms / 2;
	uint64_t sums[2] = { 0 };

	for (int i = 0; i < PART_MS; i++) {
		TIMED(check_rhythm_first(half), &sums[0]);
		TIMED(check_rhythm_second(half), &sums[1]);
	}
	tell(context, "symbol", "check_rhythm_first", sums[0]);
	tell(context, "symbol", "check_rhythm_second", sums[1]);
}

/* Kernel time: reading zeroes is one long copy in the kernel. */
static void run_modes(const struct part_context *context)
{
	_cleanup_close_ int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *buffer = xcalloc(1, ZERO_BYTES);
	uint64_t user = 0, kernel = 0;
	uint32_t state = 1;

	for (int i = 0; zero >= 0 && i < PART_MS / ROUND_MS; i++) {
		uint64_t until = kernel + ROUND_MS / 2 * NS_PER_MS;
		bool user_first = draw(&state, 2) != 0;

		if (user_first)
			TIMED(check_user_work(context->rounds_per_ms * ROUND_MS / 2), &user);
		while (kernel < until)
			TIMED(if (read(zero, buffer, ZERO_BYTES) < 0) return, &kernel);
		if (!user_first)
			TIMED(check_user_work(context->rounds_per_ms * ROUND_MS / 2), &user);
	}
	tell(context, "mode", "user", user);
	tell(context, "mode", "kernel", kernel);
}

static void run_forked(const struct part_context *context)
{
	char path[PATH_MAX] = "prospect";
	uint64_t sum = 0;

	/* The program may have another name: a copy, or a package's. */
	(void)!readlink("/proc/self/exe", path, sizeof(path) - 1);
	TIMED(check_forked(context->rounds_per_ms * PART_MS / 3), &sum);
	tell(context, "program", file_base(path), sum);
}

static void run_asleep(const struct part_context *context)
{
	struct timespec time = { 0, SLEEP_MS * NS_PER_MS };

	while (nanosleep(&time, &time) < 0)
		;
}

static const struct {
	const char *name; /* also the thread's: at most 15 characters */
	void (*run)(const struct part_context *context);
} parts[] = {
	{ "check-shares", run_shares }, { "check-rhythm", run_rhythm },
	{ "check-modes", run_modes },	{ "check-forked", run_forked },
	{ "check-asleep", run_asleep },
};

static uint64_t calibrate(void)
{
	uint64_t rounds = 1 << 16, took;

	for (;;) {
		uint64_t start = cpu_ns();

		spin(rounds);
		took = cpu_ns() - start;
		if (took > 5 * NS_PER_MS)
			return rounds * NS_PER_MS / took;
		rounds *= 2;
	}
}

/* Stores in *unnamed_ns, which the parent shares, the time of the thread before it had its name. */
static _Noreturn void be_part(struct part_context *context,
			      void (*run)(const struct part_context *), uint64_t *unnamed_ns)
{
	prctl(PR_SET_NAME, context->part);
	*unnamed_ns = cpu_ns();
	run(context);
	_exit(fflush(context->truths) == 0 ? 0 : 1);
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* Runs a part in a process of its own. Its total time is what the kernel counted until its end: an
 * exit that frees the memory takes longer than some parts. */
static int run_part(struct part_context *context, void (*run)(const struct part_context *),
		    uint64_t *unnamed_ns)
{
	pid_t pid = fork();
	struct rusage usage;
	int status;

	if (pid == 0)
		be_part(context, run, unnamed_ns);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status != 0)
		return -EIO;
	tell(context, "thread", context->part,
	     timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime) - *unnamed_ns);
	return fflush(context->truths) == 0 ? 0 : -EIO;
}

int calibration_program(const char *path, struct err *err)
{
	_cleanup_fclose_ FILE *truths = fopen(path, "we");
	struct part_context context = { .truths = truths };
	uint64_t *unnamed_ns;
	int rc = 0;

	if (!truths)
		return err_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
	unnamed_ns = mmap(NULL, sizeof(*unnamed_ns), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (unnamed_ns == MAP_FAILED)
		return err_set(err, -errno, "cannot share memory: %s", strerror(errno));
	context.rounds_per_ms = calibrate();
	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		context.part = parts[i].name;
		rc = run_part(&context, parts[i].run, unnamed_ns);
	}
	munmap(unnamed_ns, sizeof(*unnamed_ns));
	return rc < 0 ? err_set(err, rc, "the calibration program's part %s failed", context.part)
		      : 0;
}
