#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/export.sh PROSPECT: exported profiles in the tools they are for (go tool pprof,
# callgrind_annotate, speedscope's schema, the Firefox Profiler's own reader), whose numbers must be
# those of the report. A real recording, and the fixed profiles with several events and hostile
# names. And pprof files that were changed, which pprof judges as well. What npm brings goes into a scratch folder.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
prospect=$(realpath "$1")
here=$top/tests/heavy/export
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0

wrong() {
	echo "not ok export: $1"
	bad=1
}

# The profiles: NAME.prof each.
make_profiles() {
	"$top/tools/build" build-check tests/golden/make_profile || exit 1
	for name in stacks losses hostile names; do
		"$top/build-check/tests/golden/make_profile" $name "$scratch/$name.prof" || exit 1
	done
	cc -O2 -g -D_GNU_SOURCE -pthread -o "$scratch/threads" "$top/tests/system/programs/threads.c" &&
		"$prospect" record -o "$scratch/real.prof" -- "$scratch/threads" 1 >/dev/null 2>&1 ||
		echo "skip export: no recording here"
}

# export_as NAME FORMAT FILE [OPTION...]
export_as() {
	local name=$1 format=$2 file=$3
	shift 3
	"$prospect" export --format "$format" -q --no-inlines -o "$scratch/$file" "$@" \
		"$scratch/$name.prof" || wrong "$name as $format"
}

# Symbols of one event with weights, as the report has them: name, tab, weight.
symbols() {
	"$prospect" report --by symbol,event --format csv "$scratch/$1.prof" >"$scratch/symbols.csv" &&
		python3 "$here/symbols.py" "$scratch/symbols.csv" "$2" >"$scratch/wanted"
}

check_pprof() {
	local event
	command -v go >/dev/null || { echo "skip export pprof: go is not installed"; return; }
	export_as "$1" pprof a.pb.gz
	for event in cpu-clock cycles; do
		symbols "$1" $event
		[ -s "$scratch/wanted" ] || continue
		HOME=$scratch PPROF_TMPDIR=$scratch go tool pprof -sample_index=$event -nodecount=1000000 \
			-nodefraction=0 -edgefraction=0 -symbolize=none -unit=ns -top "$scratch/a.pb.gz" \
			>"$scratch/top" 2>"$scratch/err" || wrong "pprof does not read $1: $(cat "$scratch/err")"
		python3 "$here/pprof.py" "$scratch/top" "$scratch/wanted" ||
			{ wrong "pprof has other numbers: $1, $event"; continue; }
		echo "ok export pprof $1 $event: $(wc -l <"$scratch/wanted") functions"
	done
}

check_callgrind() {
	command -v callgrind_annotate >/dev/null ||
		{ echo "skip export callgrind: valgrind is not installed"; return; }
	export_as "$1" callgrind callgrind.out
	symbols "$1" cpu-clock
	callgrind_annotate --threshold=100 --show=cpu_clock --sort=cpu_clock --auto=no \
		"$scratch/callgrind.out" >"$scratch/flat" 2>"$scratch/err" || wrong "callgrind_annotate: $1"
	python3 "$here/callgrind.py" "$scratch/flat" "$scratch/wanted" ||
		{ wrong "callgrind_annotate has other numbers: $1"; return; }
	echo "ok export callgrind $1: $(wc -l <"$scratch/wanted") functions"
}

check_speedscope() {
	export_as "$1" speedscope "$1.speedscope.json"
	(cd "$scratch" && node speedscope.mjs "$1.speedscope.json") || wrong "speedscope's schema: $1"
}

# The reader wants a newer node than Debian has.
check_firefox() {
	local node=$scratch/node_modules/.bin/node
	local reader=$scratch/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
	local only=()
	# A whole machine has more threads than it takes well.
	[ "$1" != real ] || only=(--select program=threads)
	export_as "$1" firefox "$1.firefox.json" "${only[@]}"
	"$prospect" report --by pid,tid,symbol --format csv "${only[@]}" "$scratch/$1.prof" \
		>"$scratch/threads.csv"
	HOME=$scratch python3 "$here/firefox.py" "$node" "$reader" "$scratch/$1.firefox.json" \
		"$scratch/threads.csv" || wrong "the Firefox Profiler has other numbers: $1"
}

# What pprof refuses is refused, and what it accepts is accepted, of files that were changed.
check_mutations() {
	local name bases=()
	command -v go >/dev/null || { echo "skip export mutations: go is not installed"; return; }
	for name in stacks losses hostile names; do
		export_as $name pprof $name.pb.gz
		bases+=("$scratch/$name.pb.gz")
	done
	HOME=$scratch PPROF_TMPDIR=$scratch python3 "$here/mutations.py" "$prospect" "$(go tool -n pprof)" \
		"$scratch" 400 "${bases[@]}" >"$scratch/mutations" ||
		{ wrong "pprof judges changed files differently: $(cat "$scratch/mutations")"; return; }
	echo "ok export pprof mutations: $(cat "$scratch/mutations")"
}

command -v python3 >/dev/null || { echo "skip export: python3 is not installed" && exit 0; }
make_profiles
for name in stacks losses hostile names real; do
	[ -s "$scratch/$name.prof" ] || continue
	check_pprof $name
	check_callgrind $name
done
check_mutations
cp "$here"/*.mjs "$scratch"
if (cd "$scratch" && npm install --no-audit --no-fund --silent speedscope@1.25.0 ajv@8.20.0 node@24.21.0 \
	@firefox-devtools/profiler-cli@0.10.0) >"$scratch/npm" 2>&1; then
	for name in stacks losses hostile names real; do
		[ -s "$scratch/$name.prof" ] || continue
		check_speedscope $name
		check_firefox $name
	done
else
	echo "skip export: npm could not install the readers: $(tail -n 1 "$scratch/npm")"
fi
exit $bad
