/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/preload.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

enum { NS_PER_MS = 1000000, SAME_CLOCK_MS = 50 };

struct preload_head *preload_head;
struct preload_state *preload_state;
static int64_t clock_shift_ns; /* our CLOCK_MONOTONIC less the reader's */

/* The C library's, if there is one: both of glibc and musl have these. */
extern char **environ __attribute__((weak));
extern void *dlsym(void *library, const char *name) __attribute__((weak));
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *library) __attribute__((weak));
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
	__attribute__((weak));

/* The compiler makes calls of these. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

__attribute__((visibility("hidden"))) void *memcpy(void *to, const void *from, size_t size)
{
	raw_copy(to, from, size);
	return to;
}

__attribute__((visibility("hidden"))) void *memset(void *to, int byte, size_t size)
{
	for (volatile char *at = to; size > 0; size--)
		*at++ = (char)byte;
	return to;
}

static void *nexts[PRELOAD_NEXT_COUNT];

void *preload_next(enum preload_next which)
{
#define NEXT_NAME(name) [PRELOAD_NEXT_##name] = #name,
	static const char *const names[] = { PRELOAD_NEXTS(NEXT_NAME) };

	if (!nexts[which] && dlsym)
		nexts[which] = dlsym((void *)-1L /* RTLD_NEXT */, names[which]);
	return nexts[which];
}

static void find_nexts(void)
{
	for (size_t i = 0; i < PRELOAD_NEXT_COUNT; i++)
		(void)preload_next((enum preload_next)i);
}

uint64_t preload_now(void)
{
	return raw_time(CLOCK_MONOTONIC) - (uint64_t)clock_shift_ns;
}

/* The same moment by both clocks, here and where prospect runs. */
static void compare_clocks(void)
{
	int64_t distance = (int64_t)(raw_time(CLOCK_REALTIME) - raw_time(CLOCK_MONOTONIC));
	int64_t shift = preload_head->clock_distance_ns - distance;

	if (shift > SAME_CLOCK_MS * NS_PER_MS || shift < -SAME_CLOCK_MS * NS_PER_MS)
		clock_shift_ns = shift;
}

static const char *variable(char *const *environment, const char *name)
{
	size_t length = raw_length(name);

	for (; environment && *environment; environment++) {
		if (raw_begins(*environment, name) && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

/* MAP_FAILED and its like. */
static bool failed(long result)
{
	return result < 0 && result > -PRELOAD_HEAD_BYTES;
}

static struct preload_head *map_memory(const char *path)
{
	long fd = RAW(openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0), memory;
	struct stat file;
	struct preload_head *head;

	if (fd < 0)
		return NULL;
	memory = RAW(fstat, fd, &file);
	if (memory == 0 && file.st_size > PRELOAD_HEAD_BYTES)
		memory = RAW(mmap, NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	RAW(close, fd);
	if (memory == 0 || failed(memory))
		return NULL;
	head = (struct preload_head *)memory;
	if (head->magic == PRELOAD_MAGIC && head->period_ns && head->chunk_count &&
	    (uint64_t)file.st_size >= preload_chunk_at(head->chunk_count, head->chunk_count))
		return head;
	RAW(munmap, memory, file.st_size);
	return NULL;
}

static struct preload_state *make_state(void)
{
	long memory = RAW(mmap, NULL, sizeof(struct preload_state), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (failed(memory))
		return NULL;
	if (RAW(madvise, memory, sizeof(struct preload_state), MADV_WIPEONFORK) < 0) {
		RAW(munmap, memory, sizeof(struct preload_state));
		return NULL;
	}
	return (struct preload_state *)memory;
}

static void set_process(struct preload_state *state)
{
	struct stat file;

	state->pid = (int32_t)RAW(getpid);
	if (RAW(newfstatat, AT_FDCWD, "/proc/self/ns/pid", &file, 0) == 0)
		state->pid_namespace = (uint32_t)file.st_ino;
	state->ready = 1;
}

/* ---- after fork ---- */

/* The child has the memory, but neither its state nor its timers. */
static struct preload_state *begin_child(void)
{
	struct preload_state *state = preload_state;
	int32_t parent = (int32_t)RAW(getppid);

	set_process(state);
	preload_put_fork(state, state->pid, parent, state->pid, parent, preload_now());
	preload_add_thread(state);
	if (preload_head->clock == PRELOAD_CLOCK_WALL)
		preload_start_looker(state);
	return state;
}

static uint32_t retired;

bool preload_has_retired(void)
{
	return __atomic_load_n(&retired, __ATOMIC_ACQUIRE);
}

/* Other threads are about to finish what they do for us; they may not go on before. */
static void await_others(const struct preload_state *state)
{
	enum { MOST_TURNS = 10000 };

	for (int i = 0; i < MOST_TURNS && (__atomic_load_n(&state->sampling, __ATOMIC_ACQUIRE) ||
					   __atomic_load_n(&state->looker, __ATOMIC_ACQUIRE));
	     i++)
		RAW(sched_yield);
}

void preload_retire(enum preload_refusal why)
{
	struct preload_state *state = preload_own();

	if (!state)
		return;
	preload_report_end(why);
	preload_finish();
	preload_remove_timers(state);
	__atomic_store_n(&retired, 1, __ATOMIC_RELEASE);
	await_others(state);
}

bool preload_is_over(void)
{
	return preload_has_retired() || __atomic_load_n(&preload_head->stopped, __ATOMIC_RELAXED);
}

struct preload_state *preload_own(void)
{
	struct preload_state *state = preload_state;

	if (!state || preload_is_over())
		return NULL;
	if (!state->ready)
		return begin_child();
	return state->pid == (int32_t)RAW(getpid) ? state : NULL;
}

static void in_child(void)
{
	(void)preload_own();
}

static void follow_forks(void)
{
	if (__register_atfork)
		__register_atfork(NULL, NULL, in_child, NULL);
	else if (pthread_atfork)
		pthread_atfork(NULL, NULL, in_child);
}

/* ---- when a program loads it ---- */

static void say_hello(struct preload_state *state)
{
	uint64_t now_ns = preload_now();
	int32_t parent = (int32_t)RAW(getppid);
	char comm[16] = { 0 };

	RAW(prctl, PR_GET_NAME, comm);
	preload_put_fork(state, state->pid, parent, state->pid, parent, now_ns);
	preload_put_comm(state, state->pid, comm, true, now_ns);
	preload_read_maps(state, now_ns);
}

static void begin(const char *memory_path)
{
	struct preload_state *state;

	preload_head = map_memory(memory_path);
	state = preload_head ? make_state() : NULL;
	if (!state) {
		preload_head = NULL;
		return;
	}
	compare_clocks();
	set_process(state);
	preload_state = state;
	follow_forks();
	if (preload_catch())
		preload_ignore();
	preload_unblock(false);
	say_hello(state);
	preload_look(state, preload_now());
	if (preload_head->clock == PRELOAD_CLOCK_WALL)
		preload_start_looker(state);
}

/* glibc passes the environment to constructors, before its variable is set; musl has set the variable,
 * and passes nothing. */
static void load(int argc, char **argv, char **from_loader)
{
	char **environment = &environ && environ ? environ : from_loader;
	const char *path = variable(environment, PRELOAD_VARIABLE);

	(void)argc;
	(void)argv;
	if (!path || preload_state)
		return;
	find_nexts();
	preload_keep_environment(environment);
	begin(path);
}

static void unload(void)
{
	preload_finish();
}

typedef void (*loader_calls)(int, char **, char **);
__attribute__((section(".init_array"), used)) static loader_calls first = load;
__attribute__((section(".fini_array"), used)) static void (*last)(void) = unload;
