/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locked_memory FILE [made]: maps FILE, writes to it and says "ready". At SIGUSR1, when the file system
 * does not answer any more, one thread puts another mapping in that place: the kernel then writes
 * the page back and waits for it with the lock of the memory held, so that nobody gets at anything
 * in the memory of this process. Says "free" when the kernel did not wait. Its first thread
 * computes half of the time, in burn(); with "made" in a copy of burn() that no file has.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char *place;

__attribute__((noipa)) unsigned long burn(unsigned long n)
{
	unsigned long sum = 0;

	while (n--)
		sum += (n * n) ^ (sum >> 3);
	return sum;
}

typedef unsigned long function(unsigned long);

/* burn() has less than a page of code, and refers to nothing outside. */
static function *make_copy(void)
{
	void *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return copy == MAP_FAILED ? NULL : memcpy(copy, (void *)(uintptr_t)burn, PAGE / 16);
}

static void *lock_memory(void *signals)
{
	int number;

	sigwait(signals, &number);
	if (mmap(place, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		perror("locked_memory");
	puts("free");
	fflush(stdout);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	pthread_t thread;
	sigset_t signals;
	int fd = argc >= 2 ? open(argv[1], O_RDWR) : -1;
	function *work = argc == 3 ? make_copy() : burn;

	if (fd < 0 || !work)
		return 1;
	place = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (place == MAP_FAILED)
		return 1;
	*place = 'x';
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (pthread_create(&thread, NULL, lock_memory, &signals))
		return 1;
	/* Later the process may not get at a page for the first time. */
	usleep(1);
	sum += work(1);
	puts("ready");
	fflush(stdout);
	for (;;) {
		usleep(2000);
		sum += work(1000000);
	}
	return sum == 1;
}
