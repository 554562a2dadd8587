# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the scripts in the guest share. They only do and record; whether the profiles are right is
# asked on the host, by the same reporter, away from the machine they are of. Whatever happens, they
# go on: what is missing afterwards fails the test that wants it.
EXCHANGE=/run/vm
BIN=/tmp/bin
cp -r $EXCHANGE/bin $BIN
chmod -R a+rX $BIN
cd /tmp || exit 1
# An emulated processor is slow: the kernel would take our interrupts for too expensive and lower
# the rate that it permits.
echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
AS=()

# record NAME [OPTION...] [-- COMMAND...]: leaves NAME.{prof,stdout,stderr,status} on
# the host. AS goes before prospect. The profile is made on a file system of the guest's own.
record() {
	local name=$1
	shift
	"${AS[@]}" $BIN/prospect record -o "/tmp/$name.prof" "$@" \
		> $EXCHANGE/"$name.stdout" 2> $EXCHANGE/"$name.stderr"
	echo $? > $EXCHANGE/"$name.status"
	[ ! -e "/tmp/$name.prof" ] || cp "/tmp/$name.prof" $EXCHANGE/
}

# unit NAME: runs a unit test, if it was put here; leaves NAME.out and NAME.status.
unit() {
	[ -x "$BIN/$1" ] || return 0
	"$BIN/$1" > $EXCHANGE/"$1.out" 2>&1
	echo $? > $EXCHANGE/"$1.status"
}

# The kernel's names, as they are now.
keep_names() {
	cat /proc/kallsyms > $EXCHANGE/kallsyms
}

# The folder with the modules of this kernel.
MODULES=/run/kernel/lib/modules/$(uname -r)/kernel

load() {
	/run/busybox/busybox insmod "$MODULES/$1.ko"
}

unload() {
	/run/busybox/busybox rmmod "$1"
}

# Loads the second module where the first was: the kernel gives memory back in its own time, and others
# may have taken it meanwhile.
place_of_the_first() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		load crypto/wp512
		grep '^wp512 ' /proc/modules > $EXCHANGE/wp512.loaded
		[ "$(cut -d ' ' -f 6 $EXCHANGE/wp512.loaded)" != \
			"$(cut -d ' ' -f 6 $EXCHANGE/rmd160.loaded)" ] || return
		unload wp512
		sleep 1
	done
	load crypto/wp512
}

# Waits until prospect has read what the kernel told it of modules (NETLINK_KOBJECT_UEVENT is 15): in
# a slow guest that takes seconds.
until_noticed() {
	local looks=0
	while awk '$2 == 15 && $5 > 0 { unread = 1 } END { exit !unread }' /proc/net/netlink; do
		looks=$((looks + 1))
		[ $looks -lt 600 ] || { echo "prospect does not read about modules" >&2; return 1; }
		sleep 0.1
	done
}

# Two modules, one after the other, at one address. prospect notices each change before the next.
hash_with_modules() {
	load crypto/rmd160
	grep '^rmd160 ' /proc/modules > $EXCHANGE/rmd160.loaded
	until_noticed
	$BIN/hash-rmd160 rmd160 2
	unload rmd160
	until_noticed
	place_of_the_first
	until_noticed
	$BIN/hash-wp512 wp512 2
	unload wp512
}

# The same, with the change made and the new module used while prospect, our parent, is stopped.
hash_behind_the_back() {
	load crypto/rmd160
	sleep 2
	$BIN/hash-rmd160 rmd160 0.5
	kill -STOP $PPID
	unload rmd160
	load crypto/wp512
	$BIN/hash-wp512 wp512 0.5
	kill -CONT $PPID
	sleep 2
	unload wp512
}

# Leaves modules.prof and swap.prof.
record_modules() {
	load crypto/af_alg
	load crypto/algif_hash
	record modules -- bash -c hash_with_modules
	record swap -- bash -c hash_behind_the_back
}

# list_module_code NAME: the instructions of module_code.prof that were hit, to NAME.csv.
list_module_code() {
	$BIN/prospect report -d --by address --select 'image=\[rmd160\]' --format csv \
		/tmp/module_code.prof > $EXCHANGE/"$1.csv" 2> $EXCHANGE/"$1.err"
}

# A module's code while it is loaded, and when it is gone. After record_modules, for what it needs.
record_module_code() {
	load crypto/rmd160
	record module_code -- $BIN/hash-rmd160 rmd160 2
	list_module_code loaded
	unload rmd160 && list_module_code gone
}

export EXCHANGE BIN MODULES
export -f load unload place_of_the_first until_noticed hash_with_modules hash_behind_the_back
