# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Linux 6.1, x86, eight processors: all of them sampled, modules that come and go, interrupts. They
# share the host's processors, so that the guest's timers are often late: nothing here is about how
# much time something took, only about whose it was.

boot_eight_cpus() {
	local cpu
	put prospect "$PROSPECT"
	build spin "$HERE/programs/spin.c"
	for cpu in 0 1 2 3 4 5 6 7; do
		put spin$cpu "$EXCHANGE/bin/spin"
	done
	build hash-wp512 "$HERE/programs/hash.c"
	put hash-rmd160 "$EXCHANGE/bin/hash-wp512"
	build flood "$HERE/programs/flood.c"
	boot eight_cpus -c 8
}

test_eight_cpus_at_once() {
	local cpu
	recorded together
	rows "$FILE" program,cpu > "$T/rows"
	awk -F '\t' '$1 ~ /^spin[0-7]$/ && $1 != "spin" $2' "$T/rows" |
		expect_no_rows "hits on another processor"
	for cpu in 0 1 2 3 4 5 6 7; do
		awk -F '\t' -v cpu=$cpu '$1 == "spin" cpu { n += $4 } END { exit n < 30 }' \
			"$T/rows" || fail "CPU $cpu was hardly sampled:" "$(cat "$T/rows")"
	done
}

test_eight_cpus_kernel_names() {
	recorded together
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
}

test_eight_cpus_modules_at_one_address() {
	check_modules_at_one_address 0.6
}

test_eight_cpus_modules_swapped_unseen() {
	check_modules_swapped_unseen
}

# interrupted FILE CPU PROGRAM: samples of softirqs while that ran there
interrupted() {
	rows "$1" program,cpu,context --select "cpu=$2" --select context=softirq |
		awk -F '\t' -v program="$3" '$1 == program { n += $5 } END { print n + 0 }'
}

# of_the_network FILE CPU: the network's functions that softirqs ran on that CPU
of_the_network() {
	rows "$1" symbol --select "cpu=$2" --select context=softirq |
		grep '^__netif_receive_skb\|^ip_\|^_*udp\|^_*skb_\|^process_backlog\|^net_rx_action'
}

# CPU 2 has nothing to do but what arrives from the network; CPU 5 has nothing to do at all. The
# guest's kernel may run the timers of the whole machine on either; they are softirqs, too.
test_eight_cpus_flood_of_an_idle_cpu() {
	local flooded quiet
	recorded quiet
	quiet=$FILE
	recorded flood_idle
	[ "$(cut -d ' ' -f 2 "$EXCHANGE/flood_idle.stdout")" -gt 5000 ] || fail "no flood"
	flooded=$(interrupted "$FILE" 2 '[idle]')
	[ "$flooded" -ge 30 ] || fail "only $flooded samples of softirqs on the idle CPU"
	[ "$flooded" -gt $((2 * $(interrupted "$FILE" 5 '[idle]'))) ] ||
		fail "not twice as many softirqs as on a CPU that was left alone"
	[ "$flooded" -gt $((2 * $(interrupted "$quiet" 2 '[idle]'))) ] ||
		fail "not twice as many softirqs as without any flood"
	# Timers of a guest that had to wait for its host come as soon as interrupts are allowed again,
	# which is in handle_softirqs. Of the samples that are elsewhere two in three are the network's.
	rows "$FILE" symbol --select cpu=2 --select context=softirq | grep -v '^handle_softirqs	' > "$T/rows"
	[ "$(sum 3 < "$T/rows")" -lt 15 ] || of_the_network "$FILE" 2 > "$T/network" ||
		fail "nothing of the network was seen on CPU 2"
	! of_the_network "$FILE" 5 > "$T/network" ||
		fail "the network was seen on a CPU that was left alone:" "$(cat "$T/network")"
	! of_the_network "$quiet" 2 > "$T/network" ||
		fail "the network was seen without any flood:" "$(cat "$T/network")"
}

# spin2 makes no system call between its start and its end, yet the kernel's own account charges it
# for the network of others.
test_eight_cpus_flood_beside_a_program() {
	local all samples least most
	recorded flood_busy
	awk '$1 == "rusage" { exit $3 < 0.2 * $2 }' "$EXCHANGE/flooded.stdout" ||
		fail "the kernel charged spin2 with no system time: not the case that is meant"
	rows "$FILE" program,mode,context --select time=2-5 | grep '^spin2	' > "$T/rows"
	all=$(sum 6 < "$T/rows")
	samples=$(sum 5 < "$T/rows")
	[ "$samples" -ge 30 ] || fail "hardly any samples:" "$(cat "$T/rows")"
	read -r _ most <<< "$(surely "$(grep 'irq' "$T/rows" | sum 6)" "$all" "$samples")"
	holds "$most > 0.1" || fail "no interrupts:" "$(cat "$T/rows")"
	# What is left is the scheduler's part when another thread wants the CPU.
	read -r least _ <<< "$(surely "$(grep 'kernel	task' "$T/rows" | sum 6)" "$all" "$samples")"
	holds "$least < 0.04" || fail "charged to spin2:" "$(cat "$T/rows")"
	read -r _ most <<< "$(surely "$(grep 'user	task' "$T/rows" | sum 6)" "$all" "$samples")"
	holds "$most > 0.1" || fail "its own time is gone:" "$(cat "$T/rows")"
}
