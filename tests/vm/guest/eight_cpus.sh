# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names

# Program spinN runs on CPU N from its first instruction on.
spin_on() {
	taskset -c "$1" $BIN/spin"$1" "$2"
}

spin_everywhere() {
	local cpu
	for cpu in 0 1 2 3 4 5 6 7; do
		spin_on $cpu 6 &
	done
	wait
}

# What arrives at the loopback device is for CPU 2 to handle; it is sent from CPU 1.
echo 4 > /sys/class/net/lo/queues/rx-0/rps_cpus

flood_idle() {
	taskset -c 1 $BIN/flood 4
}

flood_busy() {
	taskset -c 1 $BIN/flood 5 &
	spin_on 2 5 > $EXCHANGE/flooded.stdout
	wait
}

export -f spin_on spin_everywhere flood_idle flood_busy
# Eight processors that are busy at once have few of the host's between them: a timer of 997 Hz
# would mostly be late.
record together -F 199 -- bash -c spin_everywhere
record_modules
record quiet -- sleep 4
record flood_idle -- bash -c flood_idle
record flood_busy -F 499 -- bash -c flood_busy
