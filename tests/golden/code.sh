# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Makes code.elf, the program of the profile "code", vmlinux, its kernel, and odd.ko, the module of the
# profile "module", with lines; their instructions and build ids are always the same. Read by the cases that show instructions.
[ "$(uname -m)" = x86_64 ] || exit 77
as -o code.o - <<'EOT' || exit 2
	.globl work
	.type work, @function
work:	push	%rbp
	mov	%rsp, %rbp
	call	work
	movzwl	(%rax,%rdx,2), %ecx
	add	$1, %rcx
	leave
	ret
	.size	work, . - work
	.nops	3
	xor	%eax, %eax
	jmp	work
EOT
ld --build-id=0x1111111111111111111111111111111111111111 -Ttext=0x401000 -e work -o code.elf code.o ||
	exit 2
as -o kernel.o - <<'EOT' || exit 2
	.globl tcp_sendmsg
	.type tcp_sendmsg, @function
tcp_sendmsg:
	endbr64
	movb	$1, %gs:8(%rdi)
	ud2
	.size	tcp_sendmsg, . - tcp_sendmsg
EOT
ld --build-id=0x2222222222222222222222222222222222222222 -Ttext=0xffffffff81081000 -e tcp_sendmsg \
	-o vmlinux kernel.o || exit 2
cat > odd.s <<'EOT'
	.section .note.gnu.build-id, "a", %note
	.long 4, 20, 3
	.asciz "GNU"
	.fill 20, 1, 0x44
	.section .text.far, "ax"
	.type odd_far, @function
odd_far: nop
	nop
	ret
	.size odd_far, . - odd_far
	.text
	.type odd_rx, @function
odd_rx:	xor	%eax, %eax
	inc	%eax
	nop
	ret
	.size odd_rx, . - odd_rx
EOT
as -g -o odd.ko odd.s || exit 2
