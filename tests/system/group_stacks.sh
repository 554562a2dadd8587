# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Are stacks whole, and are they the right ones?

# stacks_of FILE SELECTION [REPORT OPTION...]: samples and stack, a tab between, outermost frame first.
stacks_of() {
	local file=$1 selection=$2
	shift 2
	own_rows "$file" stack --select "$selection" "$@" | awk -F '\t' '{ print $3 "\t" $1 }'
}

# expect_stacks WHAT FILE SELECTION PATTERN PERMILLE [LEAST [REPORT OPTION...]]: so many of the samples (LEAST
# of them, or 100) have a stack like that. What a busy machine lost of stacks is in the head, and not judged.
expect_stacks() {
	stacks_of "$2" "$3" "${@:7}" | grep -v '\[cut:lost\]' > "$T/.stacks"
	grep -E $'^[0-9]+\t'"($4)" "$T/.stacks" > "$T/.right"
	grep -Ev $'^[0-9]+\t'"($4)" "$T/.stacks" | sort -rn > "$T/.wrong"
	all=$(sum 1 < "$T/.stacks")
	right=$(sum 1 < "$T/.right")
	[ "$all" -ge "${6:-100}" ] || fail "$1: only $all samples"
	holds "$right * 1000 >= $all * $5" ||
		fail "$1: $right of $all samples have the stack $4; others:" \
			"$(head -n 8 "$T/.wrong" | cut -c 1-400)"
}

need_stacks() {
	need_root
	[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
}

# Stacks that are unwound where they are, and not copied.
need_unwinding() {
	need_stacks
	said 0 "$PROSPECT" check --quick --format json
	json_points ok | grep -qx stacks || skip "this kernel finds no stacks by BPF"
}

# shape NAME [DEPTH]: a recording of stacks.c.
shape() {
	record "$T/prof" --max-depth 1024 -- "$BIN/stacks" "$1" 1 "${2:-1}"
}

of_stacks="program=stacks mode=user"

test_recursion_200() {
	need_stacks
	shape recursion 200
	expect_stacks "recursion of depth 200" "$T/prof" "$of_stacks symbol=leaf" \
		'_start;([^;]*;)*main;(down;){200}leaf$' 995
}

# expect_stacks_once_known WHAT PATTERN: of "stacks", in the second half of its time. A program that is not
# known yet may have cut stacks, but no other ones.
expect_stacks_once_known() {
	expect_stacks "$1, at first" "$T/prof" "$of_stacks symbol=leaf" "\\[cut:[^;]*;|$2" 990 100 --until 50%
	expect_stacks "$1" "$T/prof" "$of_stacks symbol=leaf" "$2" 990 100 --since 50%
}

# Its stack is larger than what is copied of a program that is not known yet.
test_recursion_1000() {
	need_unwinding
	shape recursion 1000
	expect_stacks_once_known "recursion of depth 1000" '_start;([^;]*;)*main;(down;){1000}leaf$'
}

test_frames_of_uneven_size() {
	need_stacks
	shape uneven 100
	expect_stacks "frames of different sizes" "$T/prof" "$of_stacks symbol=leaf" \
		'_start;([^;]*;)*main;(uneven;){100}leaf$' 995
}

test_stacks_too_deep() {
	need_stacks
	record "$T/prof" --max-depth 50 -- "$BIN/stacks" recursion 0.5 200
	expect_stacks "stacks deeper than allowed" "$T/prof" "$of_stacks symbol=leaf" \
		'\[cut:too deep\];(down;)*leaf$' 995
	"$PROSPECT" report "$T/prof" | tr -s '\n ' ' ' > "$T/report"
	grep -q "stacks are deeper than the recording's limit.*--max-depth" "$T/report" ||
		fail "the report does not say so:" "$(cat "$T/report")"
}

test_stacks_in_signal_handlers() {
	need_stacks
	shape signal
	expect_stacks "a signal handler" "$T/prof" "$of_stacks symbol=leaf" \
		'_start;([^;]*;)*main;interrupted;([^;]*;)+handler;leaf$' 990
}

# undescribed NAME FLAG...: stacks of undescribed.c, compiled without frame descriptions, by its own list. A
# sample in another function may come from the C library or its start.
undescribed() {
	local name=$1 start='_start;([^;]*;)*main;work' handled symbol restorer
	shift
	compile "$name" undescribed.c -g0 -fno-asynchronous-unwind-tables -fno-unwind-tables "$@"
	record "$T/prof" -F 1999 -- "$BIN/$name" 1
	handled="$start;interrupted;syscall;restore_[er]ax;handler;frameless$"
	for symbol in spills frameless 'middle;tiny' middle; do
		expect_stacks "$name" "$T/prof" "program=$name mode=user symbol=${symbol#*;}" \
			"$start;$symbol$|$handled" 1000 1
	done
	for restorer in restore_eax restore_rax; do
		stacks_of "$T/prof" "program=$name stack=*$restorer*" | grep -q . || fail "no $restorer"
	done
}

test_stacks_without_descriptions() {
	need_unwinding
	undescribed undescribed-fp -fno-omit-frame-pointer
	undescribed undescribed-nofp -fomit-frame-pointer
}

# The C library of musl has no .symtab. Of its assembler code, its dynamic symbols name some functions, without
# sizes, and not those that return from signal handlers and begin threads.
test_stacks_through_functions_without_names() {
	need_stacks
	need musl-gcc
	CC=musl-gcc compile stacks-musl stacks.c -pthread -fomit-frame-pointer -fno-builtin ||
		fail "stacks.c does not compile with musl-gcc"
	record "$T/prof" -- "$BIN/stacks-musl" signal 1
	expect_stacks "a signal handler" "$T/prof" "program=stacks-musl mode=user symbol=leaf" \
		'_start;([^;]*;)*main;interrupted;([^;]*;)*(setjmp->[^;]*|__restore_rt);handler;leaf$' 990
	record "$T/prof" -- "$BIN/stacks-musl" thread 1
	expect_stacks "a thread" "$T/prof" "program=stacks-musl mode=user symbol=leaf" \
		'(memset->[^;]*|__clone);[^;]*;worker;leaf$' 990
}

# A copy of a stack does not lead from one stack to the other: a program that is not known yet has none.
test_stacks_in_handlers_on_another_stack() {
	need_unwinding
	shape altstack
	expect_stacks_once_known "a signal handler on a stack of its own" \
		'_start;([^;]*;)*main;interrupted;([^;]*;)+handler;leaf$'
}

test_stacks_of_threads() {
	need_stacks
	shape thread
	expect_stacks "a thread" "$T/prof" "$of_stacks symbol=leaf" \
		'[^[;][^;]*;[^;]*;worker;leaf$' 995
}

# Which functions the vDSO has inside differs by kernel, and not each has a name: the innermost frames are
# its own, called by the C library's clock_gettime.
test_stacks_in_the_vdso() {
	need_stacks
	shape clock
	[ "$(stacks_of "$T/prof" "program=stacks mode=kernel stack=*clock_gettime*" | sum 1)" -lt 500 ] ||
		skip "the clock is read in the kernel here"
	expect_stacks "the vdso's clock" "$T/prof" "$of_stacks image=[vdso]" \
		'_start;([^;]*;)*main;repeat;(ask|is_over);[^;]*clock_gettime[^;]*(;[^;]*){0,3}$' 990
}

# Half of the samples are at the first or last instructions of a function or before its frame is
# laid out: whatever the instruction, the callers are the same.
test_stacks_at_entry_and_exit() {
	need_stacks
	shape calls
	expect_stacks "a function of a few instructions" "$T/prof" "$of_stacks symbol=tiny" \
		'_start;([^;]*;)*main;repeat;calls;tiny$' 995
	expect_stacks "its caller" "$T/prof" "$of_stacks symbol=calls" \
		'_start;([^;]*;)*main;repeat;calls$' 995 20
}

test_stacks_through_the_plt() {
	need_stacks
	shape plt
	expect_stacks "calls by the PLT" "$T/prof" "$of_stacks symbol!=main,repeat" \
		'_start;([^;]*;)*main;repeat;(through_plt;?[^[]*|is_over;?[^[]*)$' 990
}

# Without a row and without a frame pointer, as those of CPython for profilers.
test_stacks_through_trampolines() {
	need_stacks
	shape trampoline
	expect_stacks "a trampoline" "$T/prof" "$of_stacks symbol=leaf" \
		'_start;([^;]*;)*main;repeat;through_trampoline;\[anon\];leaf$' 990
}

# Which functions a system call leads through differs by kernel. One of them has the name of the call,
# and all are functions of this kernel.
test_stacks_of_the_kernel() {
	need_stacks
	shape system
	expect_stacks "a system call" "$T/prof" "program=stacks mode=kernel stack=*getrandom*" \
		'_start;([^;]*;)*main;repeat;ask_kernel;syscall;([^;]+;)+[^;]*getrandom' 990
	sed 's/.*;syscall;//; s/;/\n/g' "$T/.right" | sed 's/ (end of interrupts-off section.*//' |
		sort -u > "$T/called"
	awk '{ print $3 }' /proc/kallsyms | sort -u | comm -23 "$T/called" - > "$T/unknown"
	[ ! -s "$T/unknown" ] || fail "the kernel has no such functions:" "$(cat "$T/unknown")"
}

test_stacks_of_loaded_libraries() {
	need_stacks
	record "$T/prof" -- "$BIN/loader" 1 "$BIN/liba.so" a_first
	expect_stacks "code that was just loaded" "$T/prof" "program=loader mode=user symbol=a_first" \
		'_start;([^;]*;)*main;(work_in;)?a_first$' 990
}

# LLD and others let code begin in a page of the file whose first bytes are another segment's.
test_stacks_of_segments_that_share_a_page() {
	need_stacks
	need ld.lld
	cc -O2 -g -pthread -fomit-frame-pointer -fno-builtin -fuse-ld=lld -o "$T/shared" \
		"$(dirname "${BASH_SOURCE[0]}")/programs/stacks.c" || fail "cc cannot link with lld"
	readelf -lW "$T/shared" > "$T/segments"
	grep -Eq '^ +LOAD +0x[0-9a-f]+(00[1-9a-f]|0[1-9a-f][0-9a-f]|[1-9a-f][0-9a-f]{2}) .* R E ' \
		"$T/segments" || skip "this lld separates segments by pages"
	record "$T/prof" -- "$T/shared" recursion 1 20
	expect_stacks "code that shares a page" "$T/prof" "program=shared mode=user symbol=leaf" \
		'_start;([^;]*;)*main;(down;){20}leaf$' 990
}

# Two libraries by turns at the same addresses: until that is noticed stacks are not believed, and
# never wrong.
test_stacks_of_replaced_libraries() {
	need_stacks
	record "$T/prof" -- "$BIN/loader" 1 "$BIN/liba.so" a_first "$BIN/libb.so" b_first
	expect_stacks "code in the place of other code" "$T/prof" \
		"program=loader mode=user symbol=a_first,b_first" \
		'(_start;([^;]*;)*main;(work_in;)?|\[cut:mappings changed\];)[ab]_first$' 990
}

# Libraries, code in memory and children come and go in one thread: stacks that lead through none of
# them stay whole, those that do are right or cut.
test_stacks_beside_mappings_that_change() {
	need_stacks
	local right
	record "$T/prof" -- "$BIN/storm" 2 "$BIN/liba.so" "$BIN/libb.so" code fork
	expect_stacks "code beside mappings that change" "$T/prof" "program=storm mode=user symbol=leaf" \
		'(_start;([^;]*;)*main|clone3;start_thread;([^;]*;)*child);(down;){31}([^;]*;)+compare;leaf$' 950
	right='clone3;start_thread;storm;((load;)?in_a;a_first|(load;)?in_b;b_first|(make_code;)?(in_code;)?\[anon\])$'
	stacks_of "$T/prof" 'program=storm mode=user' |
		awk -F '\t' -v right="$right" '$2 ~ /(a_first|b_first|\[anon\])$/ &&
			$2 !~ /^\[cut:/ && $2 !~ right' > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "wrong stacks through what changes:" "$(head -n 5 "$T/wrong")"
}

# A compiler driver, its children and make: most live for less than a drain.
test_stacks_of_short_processes() {
	need_stacks
	local i
	for i in $(seq 40); do
		printf '#include <stdio.h>\n#include <stdlib.h>\nint f%d(int a) { return a + %d; }\n' \
			"$i" "$i" > "$T/f$i.c"
	done
	printf 'all: %s\n%%.o: %%.c\n\tcc -O2 -c -o $@ $<\n' \
		"$(seq -f 'f%g.o' -s ' ' 40)" > "$T/Makefile"
	record "$T/prof" "${MEASURING[@]}" -- make -s -j2 -C "$T"
	complete_share "make -j2 of 40 files" "$T/prof" 'program=cc1,as,make,gcc,cc,sh,collect2' 0.99
}

test_stacks_of_two_thousand_true() {
	need_stacks
	# shellcheck disable=SC2016
	record "$T/prof" "${MEASURING[@]}" -- bash -c 'for i in $(seq 2000); do /bin/true; done'
	knows_every_process "$T/prof"
	complete_share "2,000 x true" "$T/prof" 'program=true,bash' 0.99
}

# complete_share WHAT FILE SELECTION LEAST: so many of its stacks are complete. Samples in exec and exit have
# no user stack to find.
complete_share() {
	local cut all
	stacks_of "$2" "$3" | grep -Ev $'^[0-9]+\t\\[cut:(in exec|process gone|lost)\\]' > "$T/whole"
	grep -o $'^[0-9]*\t\\[cut:[^]]*\\]' "$T/whole" > "$T/cut"
	cut=$(sum 1 < "$T/cut")
	all=$(sum 1 < "$T/whole")
	cat "$T/cut"
	check_least "complete stacks of $1" "$4" $((all - cut)) "$all"
}

# Incomplete stacks come with the fix, by program.
test_stacks_have_remedies() {
	need_stacks
	# The instructions do not say where the stack pointer was: r11 is any register.
	cat > "$T/bare.c" <<- 'C'
		void leaf(long rounds);
		__asm__(".type leaf, @function\n"
			"leaf: mov %rsp, %r11; and $-64, %rsp; 1: dec %rdi; jnz 1b; mov %r11, %rsp; ret\n"
			".size leaf, . - leaf\n");
		int main(void) { for (int i = 0; i < 1000; i++) leaf(1000000); return 0; }
	C
	cc -O2 -fomit-frame-pointer -fno-unwind-tables -fno-asynchronous-unwind-tables -o "$T/bare" "$T/bare.c" ||
		fail "bare.c does not compile"
	record "$T/prof" -- "$T/bare"
	expect_stacks "code without unwind tables" "$T/prof" "program=bare mode=user symbol=leaf" \
		'\[cut:no rows\];leaf$' 990
	"$PROSPECT" report -V3 "$T/prof" > "$T/report"
	grep -Eq '^bare: [0-9,]+ of [0-9,]+ stacks end in a file .*-fasynchronous-unwind-tables\)$' \
		"$T/report" || fail "the report does not say how to fix them"
	shape recursion 200
	"$PROSPECT" report -V3 "$T/prof" > "$T/report"
	! grep -E '^stacks: ' "$T/report" || fail "complete stacks have a remedy"
}

test_no_stacks() {
	record "$T/prof" --stacks none -- "$BIN/stacks" recursion 0.5 20
	expect_stacks "stacks that were not asked for" "$T/prof" "$of_stacks symbol=leaf" 'leaf$' \
		1000
}

test_stacks_by_frame_pointers() {
	need_stacks
	record "$T/prof" --stacks fp -- "$BIN/stacks-fp" recursion 0.5 20
	expect_stacks "stacks by frame pointers" "$T/prof" "program=stacks-fp mode=user symbol=leaf" \
		'\[cut:frame pointers\];([^;]*;)*main;(down;){19,20}leaf$' 990
}

# Of 32-bit programs the kernel side knows no unwind tables: their stacks are labelled.
test_stacks_of_32_bit_programs() {
	need_stacks
	cc -m32 -nostdlib -static -ffreestanding -fno-pic -no-pie -fno-omit-frame-pointer \
		-fno-stack-protector -fcf-protection=none -O1 -o "$T/narrow" \
		"$(dirname "${BASH_SOURCE[0]}")/programs/narrow.c" 2> "$T/cc" ||
		skip "cc cannot make 32-bit programs"
	"$T/narrow" || skip "32-bit programs do not run here"
	record "$T/prof" -- "$T/narrow"
	expect_stacks "a 32-bit program" "$T/prof" "program=narrow mode=user symbol=leaf" \
		'\[cut:frame pointers\];([^;]*;)?_start;(down;){5}leaf$' 990
}
