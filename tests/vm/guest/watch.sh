# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh

# watched NAME [OPTION and FUNCTION...] -- COMMAND...: leaves NAME.{csv,stderr,status}.
watched() {
	local name=$1
	shift
	$BIN/prospect watch -i 0 --budget 0 --yes --format csv "$@" \
		> $EXCHANGE/"$name.csv" 2> $EXCHANGE/"$name.stderr"
	echo $? > $EXCHANGE/"$name.status"
}

METRICS=entries,exits,walltime,vtime,errors,page-faults,locality

watched few -m $METRICS vfs_read read_zero hrtimer_nanosleep handle_mm_fault -- $BIN/calls 4 50
# More functions than are reached by fentry: kprobe.multi or kprobes.
watched many -m $METRICS vfs_read read_zero hrtimer_nanosleep handle_mm_fault 'vfs_r*' 'vfs_s*' \
	'vfs_w*' -- $BIN/calls 4 50
watched by_cpu --by cpu -m entries,exits vfs_read --if 'arg3 == 1' -- $BIN/calls 4 50
watched programs -m entries,exits $BIN/called:work $BIN/called:nap -- $BIN/called 200
# All that programs' functions can be asked at a time, which old verifiers find much.
ALL=$METRICS,latency-p99,context-switches
$BIN/prospect watch -i 0 --budget 0 -r --by thread --format json -m $ALL --error-if 'retval == -1' \
	$BIN/called:work -- $BIN/called 200 > $EXCHANGE/whole.json 2>&1
watched chosen --by thread -m $ALL --if 'arg1 >= 100 && retval == -1' $BIN/called:work -- \
	$BIN/called 200
for how in block thread; do
	watched fibers_$how -m entries,exits,abandoned,stack-switched,walltime \
		$BIN/fibers:waiting $BIN/fibers:busy -- $BIN/fibers $how
done
for how in block stack; do
	watched switches_$how -m entries,exits,abandoned,stack-switched,walltime \
		$BIN/switches:waiting $BIN/switches:busy -- $BIN/switches $how
done
for how in site nested signals thread unseen other last; do
	watched leaps_$how \
		-m entries,exits,abandoned,end-not-seen,stack-switched,errors,walltime \
		$BIN/leaps:{either,keep,leap,deeper,outermost,middle,innermost} \
		$BIN/leaps:{interrupted,handling,leaving,pass_on,vanish,later} -- $BIN/leaps $how
done
if [ -x $BIN/tails ]; then
	watched tails --by sum -m entries,exits,exits-jump,walltime,errors $BIN/tails:direct \
		$BIN/tails:indirect -- $BIN/tails
	watched coroutines --by sum \
		-m entries,exits,exits-jump,abandoned,end-not-seen,stack-switched,walltime \
		"$BIN/coroutines:*.actor" $BIN/coroutines:step -- $BIN/coroutines
fi
if [ -x $BIN/goroutines ]; then
	$BIN/prospect watch -i 0 --budget 0 --yes --format csv -f $EXCHANGE/goroutines.csv \
		-m entries,exits,abandoned,end-not-seen,walltime,vtime,page-faults \
		"$BIN/goroutines:main.call*" -- $BIN/goroutines 5 \
		> $EXCHANGE/goroutines.stdout 2> $EXCHANGE/goroutines.stderr
	echo $? > $EXCHANGE/goroutines.status
fi
if load drivers/net/dummy; then
	watched module -d 200ms --module dummy -m entries dummy_xmit
fi
watched instruction -m entries vfs_read+0x0 -- $BIN/calls 1 50
# What is announced, and what is done.
$BIN/prospect watch --list vfs_read > $EXCHANGE/list.txt 2>&1
$BIN/prospect watch --dry-run vfs_read > $EXCHANGE/dry.txt 2>&1
$BIN/prospect watch -i 0 -d 100ms --budget 0 --format json vfs_read > $EXCHANGE/done.json 2>&1
