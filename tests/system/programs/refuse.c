/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a command as a container without perf_event_open(2) would, or, when the number begins with
 * "bpf:", without bpf(2). Usage: refuse [bpf:]ERRNO COMMAND... */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool bpf = argc > 2 && strncmp(argv[1], "bpf:", 4) == 0;
	unsigned refusal = argc > 2 ? (unsigned)atoi(argv[1] + (bpf ? 4 : 0)) : 0;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bpf ? SYS_bpf : SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | refusal),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (argc < 3)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("seccomp");
		return 3;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
