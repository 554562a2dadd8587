/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads with names that look like other fields of perf script's lines. Each touches 40 pages. */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PAGES = 40 };

static void *run(void *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *bytes;

	prctl(PR_SET_NAME, name);
	bytes = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	madvise((void *)bytes, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; bytes != MAP_FAILED && i < PAGES; i++)
		bytes[i * page] = 1;
	return NULL;
}

int main(void)
{
	static const char *const names[] = {
		"DOM Worker 3", "",	"123",	    "[001]",	  "3 [001]",	"a: b",
		"x y z:",	"1.5:", "12/13",    "Worker 1/2", "f(int) [k]", "a;b",
		"77 cycles:",	"-1",	"7 3.5: 9", "# no",	  "deadbeef12", "cycles: 1",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, (void *)names[i]) != 0)
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
