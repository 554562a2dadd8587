# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names
record work -- $BIN/work
record_modules
record_module_code

if [ -x $BIN/kernel_text ]; then
	$BIN/kernel_text > $EXCHANGE/kernel_text.out 2>&1
	echo $? > $EXCHANGE/kernel_text.status
fi
# The clock is set an hour forward while the history is recorded.
cp $BIN/shares $BIN/before
cp $BIN/shares $BIN/after
$BIN/prospect start --history /tmp/history --segment 1d > $EXCHANGE/history.stderr 2>&1
$BIN/before 1
date -s "@$(($(date +%s) + 3600))" > /dev/null
date +%s > $EXCHANGE/history.set
for _ in $(seq 60); do
	[ "$(find /tmp/history -name '*.prof' | wc -l)" = 1 ] || break
	sleep 1
done
sleep 5 # longer than the cut is away
$BIN/after 1
$BIN/prospect stop --history /tmp/history
cp -r /tmp/history $EXCHANGE/
unit sampler_stacks
unit off_cpu
