# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
. /run/vm/guest/lib.sh
keep_names
record work -- $BIN/work

# count NAME [OPTION...] -- COMMAND...: leaves NAME.csv.
count() {
	local name=$1
	shift
	$BIN/prospect count --format csv -f "/tmp/$name.csv" "$@" 2> $EXCHANGE/"$name.stderr" &&
		cp "/tmp/$name.csv" $EXCHANGE/
}

count whole -e '{cycles,instructions},task-clock' -- $BIN/rounds 50000000
count modes -e instructions:u,instructions:k,instructions -- $BIN/rounds 50000000
count programs --by program -e instructions:u -- \
	sh -c "$BIN/rounds 50000000; $BIN/rounds 25000000; true"
count cpus -a --by program -e instructions:u -- $BIN/rounds 50000000
count turns -e cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,instructions:u \
	-- $BIN/rounds 50000000

# Calls whose instructions are known.
$BIN/prospect watch -i 0 --budget 0 --format csv \
	-m entries,exits,instructions/invoc,cycles/invoc,IPC,CPI \
	$BIN/looped:brief $BIN/looped:long_one -- $BIN/looped 40 \
	> $EXCHANGE/looped.csv 2> $EXCHANGE/looped.stderr
