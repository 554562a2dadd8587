#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/checks/run.sh [PROSPECT]: a check that cannot fail is worth nothing. Each case breaks a copy
# of the tree in one place and wants the check to say so. That the tree as it is passes is shown by
# tools/run-tests, which runs the checks themselves first. Two cases run at a time.
# shellcheck disable=SC2016 # what is written into the copy is meant as it is
set -u
prospect=$(realpath "${1:-build/prospect}")
cd "$(dirname "$0")/../.." || exit 2
# In memory where that is possible: the tree is copied for each case.
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
held=$scratch/held
mkdir "$held"
# shellcheck source=../runner.sh
. tests/runner.sh

broken() { try broken_copy "$@"; }
unhardened() { try unhardened_program "$@"; }
refused() { try refused_bench "$@"; }
unjudged() { try unjudged_program "$@"; }
unloadable() { try unloadable_program "$@"; }

# try CASE NAME ...: beside others, in a folder of its own, $case.
tried=0
try() {
	tried=$((tried + 1))
	begin in_case "$scratch/case-$tried" "$@"
}

in_case() {
	case=$1
	mkdir "$case"
	timed "checks/$3" "${@:2}"
	rm -rf "$case"
}

fresh_copy() {
	mkdir "$1"
	cp -r src man tools tests docs .ci Makefile meson.build ./*.md "$1"
}

# broken_copy NAME CHECK EXPECTED COMMAND...: COMMAND runs in the copy and breaks it; then CHECK must
# fail and print EXPECTED, a basic regular expression.
broken_copy() {
	local name=$1 check=$2 expected=$3 status
	shift 3
	fresh_copy "$case/tree"
	(cd "$case/tree" && "$@")
	"tools/$check" "$case/tree" "$prospect" >"$case/output" 2>&1
	status=$?
	if [ $status = 77 ]; then
		echo "skip $check sees $name: $(tail -n 1 "$case/output")"
	elif [ $status != 0 ] && grep -q "$expected" "$case/output"; then
		echo "ok $check sees $name"
	else
		cat "$case/output"
		echo "not ok $check sees $name: status $status"
	fi
}

# unhardened_program NAME EXPECTED OPTION...: a program built with all of the hardening, but what the
# options undo. No options: nothing is missing.
unhardened_program() {
	local name=$1 expected=$2 status
	shift 2
	{
		printf '#include <stdio.h>\n#include <unistd.h>\nint n;\n'
		for i in $(seq 50); do
			printf 'int f%d(char *a){char s[90], l[%d]; snprintf(s,n,"%%d%%s",n,a);
				return read(n,s,n)+read(n,l,n)+s[n]+l[n];}\n' "$i" $((9000 + i))
		done
		printf 'int main(void){return n;}\n'
	} >"$case/program.c"
	# shellcheck disable=SC2086 # it may be several words
	${CC:-cc} -O2 -w -fPIE -pie -fstack-protector-strong -fstack-clash-protection \
		-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "$landing_pads" \
		-Wl,-z,relro,-z,now,-z,noexecstack "$@" -o "$case/program" "$case/program.c" ||
		{ echo "not ok check-hardening sees $name" && return; }
	tools/check-hardening . "$case/program" >"$case/output" 2>&1
	status=$?
	if [ $status = 77 ]; then
		echo "skip check-hardening sees $name: $(tail -n 1 "$case/output")"
	elif [ $status = $(($# > 0)) ] && grep -q "$expected" <<<"$(cat "$case/output")"; then
		echo "ok check-hardening sees $name"
	else
		cat "$case/output"
		echo "not ok check-hardening sees $name: status $status"
	fi
}

# unloadable_program NAME EXPECTED STATUS LAST: a program for the kernel with a loop whose start is reached by a
# jump, and again after LAST.
unloadable_program() {
	local name=$1 expected=$2 wanted=$3 status
	mkdir -p "$case/src/bpf"
	cat >"$case/loop.c" <<-C
		__attribute__((naked)) int loop(void)
		{
			asm volatile("r0 = 5; goto 1f; 0: r0 += -1; $4 1: if r0 != 0 goto 0b; exit");
		}
	C
	clang -target bpf -c "$case/loop.c" -o "$case/src/bpf/loop.bpf.o" ||
		{ echo "not ok check-verifier sees $name" && return; }
	tools/check-verifier . "$case/prospect" >"$case/output" 2>&1
	status=$?
	if [ $status = "$wanted" ] && grep -q "$expected" <<<"$(cat "$case/output")"; then
		echo "ok check-verifier sees $name"
	else
		cat "$case/output"
		echo "not ok check-verifier sees $name: status $status"
	fi
}

append() { printf '%s\n' "$2" >>"$1"; }
# long_function FILE
long_function() {
	{
		printf 'void too_long(int x);\nvoid too_long(int x)\n{\n'
		for _ in $(seq 121); do printf '\tx++;\n'; done
		printf '}\n'
	} >>"$1"
}
# long_file FILE
long_file() { for _ in $(seq 801); do echo '/* */'; done >>"$1"; }
nested_folder() { mkdir src/base/drawer && echo '#include "base/err.h"' >src/base/drawer/drawer.c; }
new_folder() { mkdir src/drawer && echo >src/drawer/drawer.c; }
stray_file() { git init -q . && touch 0; }
bad_commit() {
	local git=(git -c user.name=x -c user.email=x@localhost)
	git init -q .
	"${git[@]}" commit -q --allow-empty -m 'checks: begin'
	git rev-parse HEAD >tools/commits-after
	"${git[@]}" commit -q --allow-empty -m 'Two topics; in one'
}
new_row() {
	local git=(git -c user.name=x -c user.email=x@localhost)
	git init -q .
	git add tests/untested
	"${git[@]}" commit -q -m 'tests: list modules without one'
	cp src/base/err.c src/base/untested.c
	append tests/untested base/untested
}
# only FOLDER FILE TEXT: what a check of each file would say of the other rooms takes long, and is known.
# Without them FILE must still pass the check, so that TEXT is what breaks it.
only() {
	find src -type f ! -path "src/$1/*" -delete
	append "${@:2}"
}
# The only one.
broken_script() {
	rm -r .ci tests
	find tools -type f ! -name check-shell -delete
	printf '#!/bin/sh\ncd /somewhere\nrm -r things\n' >tools/broken
}

# The words that check-words looks for are put together here, so that this file has none of them.
later="TO""DO: later"

broken 'an include upwards' check-layers 'src/base/err.c:.*base may not include model' \
	append src/base/err.c '#include "model/loss.h"'
broken 'an include between stages' check-layers 'perf may not include store' \
	append src/perf/ring.c '#include "store/store.h"'
broken 'a library in the wrong folder' check-layers '<sqlite3.h> belongs to store alone' \
	append src/cmd/help.c '#include <sqlite3.h>'
broken 'an unknown library' check-layers '<ncurses.h> is not in tools/layers' \
	append src/store/store.h '#include <ncurses.h>'
broken 'a path not written from src' check-layers '"err.h" is not written from src/' \
	append src/base/buf.c '#include "err.h"'
broken 'a test that reaches too far' check-layers 'base may not include model' \
	append tests/unit/base/test_err.c '#include "model/loss.h"'
broken 'a room entered past its door' check-layers 'cmd may include of watch only its door watch/watch.h' \
	append src/cmd/help.c '#include "watch/watch_budget.h"'
broken 'an include between folders of a room' check-layers 'watch/probes may not include watch/show' \
	append src/watch/probes/probes.c '#include "watch/show/metric.h"'
broken 'a test inside two rooms' check-layers 'the inside of one room, not of watch and count' \
	append tests/fuzz/fuzz_words.c '#include "count/count_split.h"'
broken 'a nested folder without a row' check-layers 'the folder base/drawer is not in' nested_folder
broken 'cmocka outside of tests' check-layers '<cmocka.h> belongs to tests alone' \
	append src/base/err.c '#include <cmocka.h>'
broken 'a header that needs its includer' check-headers 'src/base/err.h:1: does not compile alone' \
	only base src/base/err.h 'struct needs_include { uint64_t x; };'
broken 'a nested header that needs its includer' check-headers \
	'src/store/sql/query_names.h:1: does not compile alone' \
	only store/sql src/store/sql/query_names.h 'struct needs_include { unknown_t x; };'
broken 'a folder nobody described' check-architecture 'src/drawer: has no line' new_folder
broken 'a nested folder nobody described' check-architecture 'src/base/drawer: has no line' nested_folder
broken 'a folder that is gone' check-architecture 'src/gone does not exist' \
	append ARCHITECTURE.md '- `src/gone/` was here once'
broken 'a folder described twice' check-architecture 'src/base: has several lines' \
	append ARCHITECTURE.md '- `src/base/` again'
broken 'a document that names a file that is gone' check-architecture \
	'docs/store.md:.*store/gone.c does not exist' append docs/store.md 'See `store/gone.c`.'
broken 'a document that names a function that is gone' check-architecture \
	'ARCHITECTURE.md:.*nothing in src is called gone_by' append ARCHITECTURE.md '    store gone_by'
broken 'an option missing from a page' check-man "prospect-help.1: lacks the option '--commands'" \
	sed -i '/Fl Fl commands/d' man/prospect-help.1
broken 'an option that is none' check-man "'--commandos' is no option of prospect help" \
	sed -i 's/Fl Fl commands/Fl Fl commandos/' man/prospect-help.1
broken 'an option without its value' check-man "lacks the option '-F, --rate HZ'" \
	sed -i 's/^\.It Fl F , Fl Fl rate Ar HZ/.It Fl F , Fl Fl rate/' man/prospect-run.1
broken 'a missing page' check-man 'man/prospect-run.1: is not there' rm man/prospect-run.1
broken 'a page without a command' check-man 'prospect-gone.1: no command is called so' \
	cp man/prospect-help.1 man/prospect-gone.1
broken 'a page the first page does not name' check-man 'does not name prospect-record(1)' \
	sed -i '/prospect-record/d' man/prospect.1
broken 'a command below another heading' check-man 'man/prospect.1: has other headings than prospect help' \
	sed -i 's/^\.Ss Compare/.Ss Contrast/' man/prospect.1
broken 'a page that is not installed' check-man 'man/prospect-diff.1: is not in man/meson.build' \
	sed -i '/prospect-diff/d' man/meson.build
broken 'several words in one pair of quotes' check-man 'prospect-help.1:.*quotes of its own' \
	append man/prospect-help.1 '.Ql one , two'
broken 'an option that is shown and none' check-man 'shows prospect graph with --upside' \
	append man/prospect-help.1 '.Ql prospect graph --upside-down x'
broken 'such an option in README.md' check-man 'README.md: shows prospect diff with --sidewards' \
	append README.md '    build/prospect diff --sidewards'
broken 'a fault of a page' check-man 'prospect-help.1:.*unknown' \
	append man/prospect-help.1 '.Unknown macro'
broken 'a test with the time limit of meson' check-patience 'unit/meson.build:.*timeout' \
	sed -i 's/^      timeout: patience//' tests/unit/meson.build
broken 'a test of no module' check-tests 'test_gone.c: src/base has no module' \
	cp tests/unit/base/test_err.c tests/unit/base/test_gone.c
broken 'a nested test that does not run' check-tests 'test_metric.c: is not in tests/unit/meson.build' \
	sed -i "s/'metric', //" tests/unit/meson.build
for row in 'base/gone a reason:src has no module base/gone' 'base/err a reason:base/err has a unit test' \
	'main:main has no reason'; do
	broken "the row '${row%%:*}' for coverage" check-tests "tests/coverage: ${row#*:}" \
		eval "echo '${row%%:*}' >>tests/coverage"
done
broken 'a module without a test' check-tests 'base/untested: has no unit test' \
	cp src/base/err.c src/base/untested.c
broken 'the row of a tested module' check-tests 'untested: base/err has a unit test' \
	append tests/untested base/err
broken 'a new row for a module without a test' check-tests 'a new row, base/untested' new_row
for row in stacks 'vm-4 ' 'measure '; do
	broken "check-all without $row" check-tests 'tests/heavy/parts: has no row for' \
		sed -i "/^$row/d" tests/heavy/parts
done
for file in src/base/err.c tests/unit/base/test_err.c; do
	broken "a long function in ${file%%/*}" check-size "$file:.*a function of 121 lines" \
		long_function $file
	broken "a long file in ${file%%/*}" check-size "$file:800: a file of" long_file $file
done
broken 'work left for later' check-words "src/base/err.c:.*$later" \
	append src/base/err.c "/* $later */"
broken 'a stage that prints' check-words 'src/perf/ring.c:.*printf' \
	append src/perf/ring.c 'int x = printf("x");'
broken 'a stage that prints to stderr' check-words 'src/store/packed.c:.*stderr' \
	append src/store/packed.c '	fprintf(stderr, "x");'
broken 'a stage that exits' check-words 'src/base/err.c:.*exit' append src/base/err.c '	exit(1);'
broken 'an allocation that may fail' check-words 'src/cmd/count.c:.*strdup' \
	append src/cmd/count.c '	char *x = strdup("x");'
broken 'an old word in a document' check-words 'docs/store.md:.*whoever' \
	append docs/store.md 'For whoever reads it.'
broken 'an old word in a message' check-words 'src/base/err.c:.*nobody' \
	append src/base/err.c 'const char *x = "nobody is there";'
broken 'a script with a fault' check-shell 'tools/broken:.*SC2164' broken_script
broken 'a stray file in the root folder' check-root '^0: has no place' stray_file
broken 'a commit of two topics' check-commits 'Two topics.*has a semicolon\|does not read' bad_commit
broken 'a source without a licence' check-licence 'src/base/vec.h:1: has no SPDX' \
	sed -i 1d src/base/vec.h
broken 'a fault of the code' check-cppcheck 'src/base/err.c:.*\(null\|Null\)' \
	only base src/base/err.c 'int broken(void); int broken(void) { int *p = 0; return *p; }'

landing_pads=-fcf-protection=full
[ "$(uname -m)" = aarch64 ] && landing_pads=-mbranch-protection=standard
unhardened 'that nothing is missing' '^$'
unhardened 'a program at fixed addresses' 'no position-independent code' -no-pie -fno-pie
unhardened 'relocations that stay writable' 'no read-only relocations' -Wl,-z,norelro
unhardened 'late binding' 'no immediate binding' -Wl,-z,lazy
unhardened 'code on the stack' 'no stack without execution' -Wl,-z,execstack
unhardened 'an unprotected stack' 'no stack protector' -fno-stack-protector
unhardened 'calls without a check' 'no fortified C library calls' -U_FORTIFY_SOURCE
unhardened 'pages of stack that are jumped over' 'no stack clash' -fno-stack-clash-protection
unhardened 'functions without landing pads' 'no landing pads' "${landing_pads%=*}=none"

unloadable 'that a way back is a jump' '^$' 0 'goto 1f;'
unloadable 'a way back without a jump' 'loop: instruction 2 goes on to 3' 1 ''

# refused_bench EXPECTED ARGUMENT...: the bench says in one line what is wrong with these, and measures
# nothing.
refused_bench() {
	local expected=$1 status
	shift
	timeout 300 bench/run.sh "$@" >"$case/output" 2>&1
	status=$?
	if [ $status = 2 ] && [ "$(wc -l <"$case/output")" = 1 ] &&
		grep -q "$expected.*usage:.* parts: overhead " "$case/output"; then
		echo "ok the bench refuses '$*'"
	else
		cat "$case/output"
		echo "not ok the bench refuses '$*': status $status"
	fi
}

refused 'no program to measure'
refused "'watch' is no program" watch
refused "'tests' is no program" tests
refused "'nonsense' is no part" "$prospect" nonsense
refused "'' is no part" "$prospect" start ''

# unjudged_program NAME EXPECTED FAULT: a system test that is not judged fails when the program's
# sanitizers report something, and only then.
unjudged_program() {
	local name=$1 expected=$2 status
	cat >"$case/program.c" <<-'END'
		#include <limits.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			volatile char *bytes = malloc(10);
			volatile int most = INT_MAX;
			FAULT;
			free((void *)bytes);
			return 1;
		}
	END
	# shellcheck disable=SC2086 # it may be several words
	${CC:-cc} -g -w -fsanitize=address,undefined -fsanitize-undefined-trap-on-error -D"FAULT=$3" -o "$case/program" "$case/program.c" ||
		{ echo "not ok system tests with $name" && return; }
	tests/system/run.sh "$case/program" --unjudged version_and_help >"$case/output" 2>&1
	status=$?
	if [ $status = $((${#expected} > 0)) ] && grep -q "$expected" "$case/output"; then
		echo "ok system tests with $name"
	else
		cat "$case/output"
		echo "not ok system tests with $name: status $status"
	fi
}

unjudged 'a program that does nothing' '' 0
unjudged 'a use after free' 'heap-use-after-free' 'free((void *)bytes); bytes[0] = 0'
unjudged 'a leak' 'LeakSanitizer' 'bytes = 0'
unjudged 'an overflow' 'AddressSanitizer: \(ILL\|TRAP\)' 'most += argc'

finish >"$scratch/lines"
cat "$scratch/lines"
sum_up "$scratch/lines"
