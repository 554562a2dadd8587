# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # run.sh has them
# bench part lines: lines and inlined functions of a program with about 16 MB of .debug_info, or of
# BENCH_LINES_FILE. What an index costs once and an address then, beside the tools there are.

# A C++ program of many units that are alike but for the names of their functions.
many_units() {
	local unit
	g++ -O2 -g -S -o "$scratch/unit.s" "$here/../tests/oracle/lines/templates.cc" || return 1
	for unit in $(seq 100 269); do
		sed "s/_Z5total/_Z9total_$unit/g; s/\\bmain\\b/main_$unit/g" "$scratch/unit.s" |
			as -o "$scratch/unit-$unit.o" -
	done
	g++ -g -o "$scratch/units" -x c++ <(echo 'int main() {}') -x none "$scratch"/unit-*.o
}

# The CPU seconds of "$@" < $scratch/addresses, and the memory in MB into $scratch/rss.
cpu_of() {
	"$scratch/measure" "$scratch/measures" "$@" <"$scratch/addresses" >/dev/null 2>&1
	awk '{ printf "%.1f", $4 / 1024 }' "$scratch/measures" >"$scratch/rss"
	awk '{ print $2 + $3 }' "$scratch/measures"
}

# What addresses beyond the first ones cost: row LABEL FEW MANY COMMAND...
lines_row() {
	local label=$1 few=$2 many=$3 i a b
	shift 3
	rm -f "$scratch"/l-*
	for ((i = 0; i < ${BENCH_PAIRS:-3}; i++)); do
		head -n "$few" "$scratch/all" >"$scratch/addresses"
		a=$(cpu_of "$@")
		head -n "$many" "$scratch/all" >"$scratch/addresses"
		b=$(cpu_of "$@")
		echo "$a" >>"$scratch/l-few"
		awk -v a="$a" -v b="$b" -v n="$((many - few))" \
			'BEGIN { print 1e6 * (b - a) / n }' >>"$scratch/l-each"
	done
	rows+=("$label|$(median %.3f <"$scratch/l-few") ($few)|$(median %.2f <"$scratch/l-each")|$(cat "$scratch/rss")")
}

lines() {
	local file=${BENCH_LINES_FILE:-$scratch/units} tool bytes
	local rows=("tool|first addresses, CPU s|each more, us|memory, MB")
	[ -n "${BENCH_LINES_FILE:-}" ] || many_units || return
	bytes=$(readelf -SW "$file" | sed -n 's/.*\.debug_info *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	# addresses in functions of all units, in no order
	nm -S "$file" | awk '$3 ~ /[tTwW]/ && NF == 4 { print $1, $2 }' | while read -r start size; do
		for part in 0 3 7 11; do
			printf '%x\n' $((0x$start + 0x$size * part / 12))
		done
	done | sort -u | shuf --random-source=<(yes) >"$scratch/some"
	for _ in $(seq 40); do cat "$scratch/some"; done | head -n 200000 >"$scratch/all"
	local count
	count=$(wc -l <"$scratch/some")
	lines_row "prospect, no cache" "$count" 200000 "$prospect" symbolize --no-cache -e "$file"
	"$prospect" symbolize -e "$file" <"$scratch/some" >/dev/null
	lines_row "prospect, cached" "$count" 200000 "$prospect" symbolize -e "$file"
	for tool in addr2line eu-addr2line llvm-addr2line; do
		have $tool || continue
		lines_row "$tool -afi" 20 200 $tool -afi -e "$file"
	done
	echo "== Lines and inlined functions: $((0x${bytes:-0} / 1000000)) MB of .debug_info, $count addresses in all units"
	table "${rows[@]}"
}
