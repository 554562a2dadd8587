# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
unit sampler_stacks # as root
unit off_cpu
keep_names

# as_user CAPABILITIES: the recordings that follow are a plain user's, with these alone.
# shellcheck disable=SC2034 # for record
as_user() {
	AS=(setpriv --reuid 1000 --regid 1000 --clear-groups "--inh-caps=$1" "--ambient-caps=$1"
		-- env HOME=/tmp/user)
}

paranoid() {
	echo "$1" > /proc/sys/kernel/perf_event_paranoid
}

mkdir -m 777 /tmp/user
$BIN/background 600 &
background=$!

record root -- $BIN/work
as_user -all
paranoid 0
record level_0 -- $BIN/work
paranoid 1
record level_1 -- $BIN/work
record level_1_all -a --duration 1
record level_1_other -p $background --duration 1
paranoid 2
record level_2 -- $BIN/work
paranoid 3
record level_3 -- touch $EXCHANGE/it-ran

paranoid 2
as_user +perfmon,+bpf,+syslog,+sys_ptrace
record capable -- $BIN/work
as_user +perfmon
record nameless -- $BIN/work
paranoid 3
as_user +perfmon,+bpf,+syslog,+sys_ptrace
record capable_refused -- true
kill $background
