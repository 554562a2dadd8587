/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of known shapes in code that may be compiled without frame descriptions; its assembly never
 * has any. Usage: undescribed CPU-SECONDS. Everything is called by work, which main calls:
 *   frameless   a loop without a frame
 *   middle      calls tiny: half of the samples are in prologues and epilogues
 *   spills      has locals without a frame pointer, among them a return address of another call
 *   interrupted is interrupted by signals; their handler returns by "restore_eax" or "restore_rax"
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

enum { ROUNDS = 3000, KERNEL_SA_RESTORER = 0x04000000 };

static volatile uint64_t sink;

NOINLINE uint64_t frameless(uint64_t value)
{
	for (int i = 0; i < ROUNDS; i++)
		value = value * 31 + (value >> 7);
	return value;
}

NOINLINE uint64_t tiny(uint64_t value)
{
	return value / (sink | 1); /* long enough for interrupts to find it */
}

NOINLINE uint64_t middle(uint64_t value)
{
	for (int i = 0; i < ROUNDS / 4; i++)
		value += tiny(value);
	return value + 1;
}

uint64_t spills(uint64_t rounds);
void restore_eax(void);
void restore_rax(void);

__asm__(".text\n"
	".type spills, @function\n"
	"spills: sub $40, %rsp\n"
	"	call 1f\n"
	"1:	pop %rax\n"
	"	mov %rax, (%rsp)\n" /* follows a call, and is no caller */
	"	mov %rax, 8(%rsp)\n"
	"2:	dec %rdi\n"
	"	jnz 2b\n"
	"	add $40, %rsp\n"
	"	ret\n"
	".size spills, . - spills\n" /* its return is the byte before the next one */
	".type restore_eax, @function\n"
	"restore_eax: mov $15, %eax\n"
	"	syscall\n"
	"	hlt\n"
	".size restore_eax, . - restore_eax\n"
	".type restore_rax, @function\n"
	"restore_rax: .byte 0x48, 0xc7, 0xc0, 15, 0, 0, 0\n" /* mov $15, %rax */
	"	syscall\n"
	"	hlt\n"
	".size restore_rax, . - restore_rax\n");

/* The kernel's own struct sigaction. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

NOINLINE void handler(int number)
{
	sink += frameless((uint64_t)number);
}

NOINLINE void set_handler(void (*restorer)(void))
{
	const struct kernel_action action = { .handler = handler,
					      .flags = KERNEL_SA_RESTORER,
					      .restorer = restorer };

	if (syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof(action.mask)) < 0)
		abort();
}

/* A signal to itself comes in the middle of the loop's system call. */
NOINLINE void interrupted(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

NOINLINE void work(int round)
{
	sink += frameless(sink);
	sink += middle(sink);
	sink += spills(ROUNDS * 4);
	set_handler(round % 2 ? restore_eax : restore_rax);
	interrupted();
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	uint64_t end_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000000 : 0;

	for (int round = 0; spin_clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns; round++)
		work(round);
	return 0;
}
