/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes code at run time, at one and the same address three times, and announces it under the names
 * first, second and third. Prints "share NAME FRACTION" of the processor time each took, and "span
 * NAME START END" by CLOCK_MONOTONIC in ns. Usage: jit
 * map|dump|v8 SECONDS [fork|wait]; "dump" and "v8" write jit-PID.dump where it stands, with "fork"
 * a child does the work, with "wait" each function works until there is a file of its name. In a
 * dump the code from its bytes 0, 4 and 20 on is of the lines 1, 2 and 3 of "/made/NAME"; "v8" tells
 * that as V8 does: 64 bytes further on.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { CODE_BYTES = 128, PARTS = 3, PATIENCE_MS = 30000 };

static const char *const names[PARTS] = { "first", "second", "third" };

/* What is copied: it refers to nothing outside. */
NOINLINE static uint64_t work(uint64_t rounds)
{
	uint64_t sum = 1;

	SPIN(rounds);
	for (uint64_t i = 0; i < rounds; i++) {
		sum = sum * 3 + i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

struct dump {
	int fd;
	void *mark;	      /* the mapping by which profilers find the file */
	uint64_t lines_shift; /* of the addresses of lines */
};

static void put(struct dump *dump, const void *bytes, size_t size)
{
	if (write(dump->fd, bytes, size) != (ssize_t)size)
		abort();
}

/* linux:tools/perf/Documentation/jitdump-specification.txt */
static void begin_dump(struct dump *dump)
{
	char path[64];
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = { 0x4A695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(), 0, 0 };

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	header.time = spin_clock_ns(CLOCK_MONOTONIC);
	put(dump, &header, sizeof(header));
	dump->mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump->fd, 0);
	if (dump->fd < 0 || dump->mark == MAP_FAILED)
		abort();
}

/* What comes before the code it is about. */
static void announce_lines(struct dump *dump, const void *code, const char *name)
{
	static const uint64_t begins[] = { 0, 4, 20 };
	char file[32];
	size_t file_size = (size_t)snprintf(file, sizeof(file), "/made/%s", name) + 1;
	struct {
		uint32_t id, size;
		uint64_t time, address, count;
	} head = { 2, (uint32_t)(sizeof(head) + 3 * (16 + file_size)),
		   spin_clock_ns(CLOCK_MONOTONIC), (uint64_t)(uintptr_t)code, 3 };

	put(dump, &head, sizeof(head));
	for (uint32_t i = 0; i < 3; i++) {
		struct {
			uint64_t address;
			uint32_t line, discriminator;
		} line = { head.address + begins[i] + dump->lines_shift, i + 1, 0 };

		put(dump, &line, sizeof(line));
		put(dump, file, file_size);
	}
}

static void announce(struct dump *dump, const void *code, const char *name, uint64_t index)
{
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, index;
	} load = { 0,
		   (uint32_t)(sizeof(load) + strlen(name) + 1 + CODE_BYTES),
		   spin_clock_ns(CLOCK_MONOTONIC),
		   (uint32_t)getpid(),
		   (uint32_t)getpid(),
		   (uint64_t)(uintptr_t)code,
		   (uint64_t)(uintptr_t)code,
		   CODE_BYTES,
		   index };

	put(dump, &load, sizeof(load));
	put(dump, name, strlen(name) + 1);
	put(dump, code, CODE_BYTES);
}

struct map {
	FILE *file;
	char path[64];
	int watch; /* tells when somebody reads on */
};

static void begin_map(struct map *map)
{
	snprintf(map->path, sizeof(map->path), "/tmp/perf-%d.map", getpid());
	map->file = fopen(map->path, "w");
	map->watch = inotify_init1(IN_CLOEXEC);
	if (!map->file || inotify_add_watch(map->watch, map->path, IN_ACCESS) < 0)
		abort();
	setlinebuf(map->file);
}

/* A map has no times: who follows it knows a line's by when it came, which may be late on a busy
 * machine. Waits until somebody has read on; nobody may. */
static void await_reader(const struct map *map)
{
	struct pollfd watch = { .fd = map->watch, .events = POLLIN };
	char events[4096];

	if (poll(&watch, 1, PATIENCE_MS) == 1 && read(map->watch, events, sizeof(events)) <= 0)
		abort();
}

/* The code of before has been seen by who reads, and so is the line before its code runs. */
static void announce_in_map(const struct map *map, const void *code, int index)
{
	if (index == 1)
		await_reader(map);
	fprintf(map->file, "%lx %x %s\n", (unsigned long)(uintptr_t)code, CODE_BYTES, names[index]);
	if (index > 0)
		await_reader(map);
}

static void end_map(const struct map *map)
{
	fclose(map->file);
	unlink(map->path); /* who followed it has it open */
}

/* With a name until there is a file of that name. */
static uint64_t run_for(const void *code, double seconds, const char *file)
{
	uint64_t (*function)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)code;
	uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID), took_ns;

	do {
		function(100000);
		took_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
	} while (file ? access(file, F_OK) < 0 : (double)took_ns < seconds * 1e9);
	return took_ns;
}

static void run(const char *how, double seconds, int waits)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int is_dump = strcmp(how, "map") != 0;
	struct map map;
	struct dump dump = { -1, NULL, strcmp(how, "v8") == 0 ? 64 : 0 };
	uint64_t took_ns[PARTS], starts_ns[PARTS], ends_ns[PARTS], sum_ns = 0;

	if (code == MAP_FAILED)
		abort();
	if (is_dump)
		begin_dump(&dump);
	else
		begin_map(&map);
	/* A recording loses some samples while it starts. */
	work((uint64_t)(0.3e6) * spin_rounds_per_us());
	for (int i = 0; i < PARTS; i++) {
		memcpy(code, (const void *)(uintptr_t)work, CODE_BYTES);
		__builtin___clear_cache((char *)code, (char *)code + CODE_BYTES);
		if (is_dump) {
			announce_lines(&dump, code, names[i]);
			announce(&dump, code, names[i], (uint64_t)i);
		} else {
			announce_in_map(&map, code, i);
		}
		starts_ns[i] = spin_clock_ns(CLOCK_MONOTONIC);
		took_ns[i] = run_for(code, seconds * (i + 1) / 6, waits ? names[i] : NULL);
		ends_ns[i] = spin_clock_ns(CLOCK_MONOTONIC);
		sum_ns += took_ns[i];
	}
	if (!is_dump)
		end_map(&map);
	for (int i = 0; i < PARTS; i++)
		printf("share\t%s\t%.6f\nspan\t%s\t%" PRIu64 "\t%" PRIu64 "\n", names[i],
		       (double)took_ns[i] / (double)sum_ns, names[i], starts_ns[i], ends_ns[i]);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "map";
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	int status;

	if (argc <= 3 || strcmp(argv[3], "wait") == 0) {
		run(how, seconds, argc > 3);
		return 0;
	}
	if (fork() == 0) {
		run(how, seconds, 0);
		fflush(stdout);
		_exit(0);
	}
	return wait(&status) < 0 || status != 0;
}
