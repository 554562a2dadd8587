# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The kernel of Debian's backports (6.12 or newer), x86: names and types of much have changed since
# 6.1. Timers are never late.
# shellcheck disable=SC2034 # for boot
SUITE=bookworm-backports

# The unit test of live kernel text: this kernel has the /proc/kcore that the host may lack.
KERNEL_TEXT=$HERE/../../build-check/tests/unit/test_place_kernel_kernel_text

boot_newer() {
	put prospect "$PROSPECT"
	put work "$HERE/programs/work.sh"
	build shares "$SYSTEM/programs/shares.c"
	build hash-wp512 "$HERE/programs/hash.c"
	put hash-rmd160 "$EXCHANGE/bin/hash-wp512"
	[ ! -x "$KERNEL_TEXT" ] || put kernel_text "$KERNEL_TEXT"
	put_unit sampler_stacks sampling
	put_unit off_cpu sampling
	boot newer -c 1 -i 1
}

test_newer_shares_and_time() {
	recorded work
	check_work "$EXCHANGE/work.stdout" cpu-clock --select mode=user
	check_work_time "$EXCHANGE/work.stdout"
	account_closes
}

test_newer_kernel_names() {
	recorded work
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
}

test_newer_modules_at_one_address() {
	check_modules_at_one_address 0.9
}

test_newer_modules_swapped_unseen() {
	check_modules_swapped_unseen
}

# What objdump has of the module's .text, as lines of ADDRESS<tab>INSTRUCTION: without those that the
# kernel fills in when it loads the module, and of branches only what they are.
dump_module() {
	objdump -dr --no-show-raw-insn -j .text "$1" | awk -F '\t' '
		/R_X86_64/ { told = 0; next }
		told { print address "\t" text }
		{ told = 0 }
		/^ *[0-9a-f]+:\t/ {
			address = $1; text = $2
			gsub(/[ :]/, "", address)
			sub(/ *[#<].*/, "", text)
			if (text ~ /^(j|call)/)
				sub(/ .*/, "", text)
			sub(/ *$/, "", text)
			address = "0x" address
			told = 1
		}
		END { if (told) print address "\t" text }'
}

# compare_module_code NAME: the guest's listing NAME with the module's file.
compare_module_code() {
	need objdump
	local kernel compared
	recorded module_code
	kernel=$("$HERE/vm-kernel" amd64 "$SUITE")
	dump_module "$(find "$kernel/lib/modules" -name rmd160.ko)" > "$T/objdump"
	csv_to_tabs < "$EXCHANGE/$1.csv" | cut -f 1,8 > "$T/rows"
	[ -s "$T/rows" ] || fail "nothing is listed:" "$(cat "$EXCHANGE/$1.err")"
	awk -F '\t' '
		FNR == NR { text[$1] = $2; next }
		!($1 in text) { next }
		{
			got = $2
			sub(/ *[#<].*/, "", got)
			if (got ~ /^(j|call)/)
				sub(/ .*/, "", got)
			compared++
		}
		got != text[$1] { print $1 ": \"" $2 "\", objdump: \"" text[$1] "\""; bad = 1 }
		END { print compared + 0; exit bad }' "$T/objdump" "$T/rows" > "$T/compared" ||
		fail "not what objdump says:" "$(head -n 8 "$T/compared")"
	compared=$(tail -n 1 "$T/compared")
	[ "$compared" -ge 50 ] || fail "only $compared instructions were compared:" \
		"$(head -n 8 "$T/rows")"
}

test_newer_module_code() {
	compare_module_code loaded
}

# The recording kept what it needs of the module.
test_newer_module_code_when_it_is_gone() {
	compare_module_code gone
}

# Read by BPF, the kernel's code is byte for byte what /proc/kcore shows.
test_newer_live_text_equals_kcore() {
	[ -x "$KERNEL_TEXT" ] || skip "the unit tests are not built ('make check' builds them)"
	grep -q 'OK.*test_kcore_agrees' "$EXCHANGE/kernel_text.out" ||
		fail "in the guest:" "$(tail -n 12 "$EXCHANGE/kernel_text.out")"
	[ "$(cat "$EXCHANGE/kernel_text.status")" = 0 ] || fail "$(cat "$EXCHANGE/kernel_text.out")"
}

# in_the_history PROGRAM OPTION...: its samples.
in_the_history() {
	local program=$1
	shift
	"$PROSPECT" report --format csv --by program --select "program=$program" "$@" "$EXCHANGE/history" 2> /dev/null |
		awk -F, 'NR > 1 { sum += $3 } END { print sum + 0 }'
}

# What ran before the clock was set is at its time, and what ran afterwards is an hour later.
test_newer_clock_is_set() {
	local set
	set=$(cat "$EXCHANGE/history.set")
	[ "$(find "$EXCHANGE/history" -name '*.prof' | wc -l)" = 2 ] ||
		fail "profiles:" "$(ls "$EXCHANGE/history")" "$(cat "$EXCHANGE/history.stderr")"
	[ "$(in_the_history before --until "@$((set - 1800))")" -gt 10 ] || fail "what ran before is not there"
	[ "$(in_the_history before --since "@$((set - 1800))")" = 0 ] || fail "what ran before is later"
	[ "$(in_the_history after --since "@$set")" -gt 10 ] || fail "what ran afterwards is not there"
	[ "$(in_the_history after --until "@$set")" = 0 ] || fail "what ran afterwards is earlier"
	"$PROSPECT" report --quality "$EXCHANGE/history" | grep -q 'not recorded 9[0-9]' ||
		fail "the hour is not in the account" "$("$PROSPECT" report --quality "$EXCHANGE/history" | grep -A 1 Account)"
}

# The program that walks stacks is taken by this kernel, and what it finds is right.
test_newer_stacks_in_the_interrupt() {
	unit_passes sampler_stacks
	grep -q '^context: task' "$EXCHANGE/sampler_stacks.out" || fail "contexts are not told"
}

# So are those that tell where threads wait.
test_newer_waits() {
	unit_passes off_cpu
}
