/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps an ELF file that lies within another file, segment by segment as a loader does but without
 * relocating anything, and works in a function of it. Usage: embedded SECONDS CONTAINER BASE ADDRESS
 * [BASE ADDRESS], where BASE is its offset in the container and ADDRESS the ELF virtual address of the
 * function. Once built with -shared it is such a file: the parts that need nothing from outside.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

#ifdef NAME
#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

static NOINLINE uint64_t NAMED(NAME, _inner)(uint64_t rounds)
{
	SPIN(rounds);
	return rounds;
}

static NOINLINE uint64_t NAMED(NAME, _middle)(uint64_t rounds)
{
	return NAMED(NAME, _inner)(rounds) + 1;
}

uint64_t NAMED(NAME, _outer)(uint64_t rounds);

uint64_t NAMED(NAME, _outer)(uint64_t rounds)
{
	return NAMED(NAME, _middle)(rounds) + 1;
}
#else

typedef uint64_t work_fn(uint64_t rounds);

enum { PAGE = 4096, SPAN = 64 * 1024 * 1024, MOST_SEGMENTS = 16 };

static void map_segment(int fd, off_t base, char *at, const Elf64_Phdr *segment)
{
	size_t before = segment->p_vaddr % PAGE;
	int rights = (segment->p_flags & PF_R ? PROT_READ : 0) |
		     (segment->p_flags & PF_W ? PROT_WRITE : 0) |
		     (segment->p_flags & PF_X ? PROT_EXEC : 0);

	if (mmap(at + segment->p_vaddr - before, segment->p_filesz + before, rights,
		 MAP_PRIVATE | MAP_FIXED, fd,
		 base + (off_t)(segment->p_offset - before)) == MAP_FAILED)
		exit(1);
}

static work_fn *load(const char *path, off_t base, uint64_t address)
{
	char *at = mmap(NULL, SPAN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr segments[MOST_SEGMENTS];
	Elf64_Ehdr head;

	if (fd < 0 || at == MAP_FAILED ||
	    pread(fd, &head, sizeof(head), base) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phnum > MOST_SEGMENTS ||
	    pread(fd, segments, sizeof(segments), base + (off_t)head.e_phoff) < 0)
		exit(1);
	for (int i = 0; i < head.e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD)
			map_segment(fd, base, at, &segments[i]);
	}
	close(fd);
	return (work_fn *)(void *)(at + address);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;

	if (argc < 5)
		return 2;
	for (int i = 3; i + 1 < argc; i += 2) {
		work_fn *work =
			load(argv[2], strtol(argv[i], NULL, 0), strtoull(argv[i + 1], NULL, 0));
		uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		do
			work(200000);
		while (spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns <
		       (uint64_t)(seconds * 1e9));
	}
	return 0;
}
#endif
