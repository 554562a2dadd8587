# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Ten everyday jobs, as a new user profiles them: the first screen has the answer or says what is
# missing, fits wherever it is shown, and what it advises works. Those of compilers and interpreters are
# in "make check-all".

# job COMMAND...: its screen goes to $T/screen; it is sound wherever it is shown.
job() {
	local lines columns
	first_screen "$@" || fail "exit status $?:" "$(cat "$T/screen")"
	is_sound
	cp "$T/screen" "$T/first"
	CI=true XDG_STATE_HOME=$T "$PROSPECT" report > "$T/screen" 2>&1
	cmp "$T/first" "$T/screen" || fail "report shows another screen:" "$(cat "$T/screen")"
	for lines in 24 50; do
		for columns in 80 200; do
			sized $lines $columns
			fits $lines $columns
			is_sound
		done
	done
	cp "$T/first" "$T/screen"
}

# Words that stand for something, figures that cannot be, tables without a row.
is_sound() {
	lacks '(^|[ =])(NAME|COMMAND|CMD|PROGRAM|FILE|PID)([ .;:]|$)|\(null\)|CPUs? \(\)|%[sdzlu]'
	lacks '(^|[ (])-?(nan|inf)([ )]|$)|(^| )-[0-9.]+ (s|%)'
	awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^%/ && $(i - 1) + 0 > 100) { print; exit 1 } }' \
		"$T/screen" || fail "more than all:" "$(cat "$T/screen")"
	awk 'titles && !NF { exit 1 } { titles = /^ *self +total / }' "$T/screen" ||
		fail "a table without a row:" "$(cat "$T/screen")"
}

# lock_seconds: that the threads of the command were blocked, by the screen.
lock_seconds() {
	tr -s '\n ' ' ' < "$T/screen" | sed -n 's/.*threads blocked on locks \([0-9.]*\) s.*/\1/p'
}

# program_share NAME: percent of the command's time, in the line of programs.
program_share() {
	tr -s '\n ' ' ' < "$T/screen" | grep -o 'Programs .*' | grep -o "[ ,]$1 [0-9]* %" | head -n 1 |
		awk '{ print $2 }'
}

# served_folder FILE: makes the folder from which a debuginfod serves the debug file of FILE.
served_folder() {
	local folder
	folder=$T/served/buildid/$(readelf -n "$1" | awk '/Build ID/ { print $3; exit }')
	mkdir -p "$folder"
	echo "$folder"
}

# starts_in FILE: of the functions of the last profile that lie in the file and have no name: NAME+0xSTART.
starts_in() {
	"$PROSPECT" export --command -q --format collapsed -o "$T/collapsed" "$T/prospect/last.prof" 2> "$T/stderr" ||
		fail "$(cat "$T/stderr")"
	grep -o "${1##*/}+0x[0-9a-f]*" "$T/collapsed" | sort -u
}

# names_come_from_a_server FILE: a debuginfod that names these functions named_0xSTART gives their names.
names_come_from_a_server() {
	local name=${1##*/} text start shown options=()
	has "${name//+/\\+} is stripped; install .*, or set DEBUGINFOD_URLS for report --debuginfod"
	shown=$(grep -o "$name+0x[0-9a-f]*" "$T/screen" | head -n 1)
	text=0x$(objdump -h -j .text "$1" | awk '$2 == ".text" { print $4 }')
	for start in $(starts_in "$1" | sed 's/.*+//'); do
		options+=(--add-symbol "named_$start=.text:$((start - text)),function,global")
	done
	[ ${#options[@]} != 0 ] || fail "no function by its start:" "$(cat "$T/screen")"
	objcopy --only-keep-debug "${options[@]}" "$1" "$(served_folder "$1")/debuginfo"
	serve_debug_files "$T/served"
	XDG_STATE_HOME=$T "$PROSPECT" report --debuginfod > "$T/screen" 2> "$T/stderr"
	[ -z "$shown" ] || has "named_${shown##*+} "
	lacks "$name is stripped"
}

# show_waits COMMAND...: its screen with --off-cpu. The more waits there are on the machine, the fewer of
# them are recorded; a command that has only a few may then have none.
show_waits() {
	first_screen --off-cpu "$@"
	if grep -q '^Where the command waited' "$T/screen" &&
		! grep -q 'something that was not recorded' "$T/screen"; then
		return
	fi
	grep -Eq ' (9[0-9]|100) % busy' "$T/screen" || fail "no waits:" "$(cat "$T/screen")"
	skip "the machine is too busy: its waits were not recorded"
}

test_job_that_sleeps() {
	need_reasons
	job sleep 1
	has '^sleep 1: [0-9.]+ s, CPU [0-9.]+ s \(.*\), 1 process; waited [0-9.]+ s \([0-9]+ %\): sleep [0-9]+ %'
	holds "$(header "$T/prospect/last.prof" sleep) >= 0.95" || fail "it slept longer:" "$(cat "$T/screen")"
	has 'Functions (only [0-9]+ samples?: too few|no samples)'
	has 'Next prospect --off-cpu sleep 1 '
	show_waits sleep 1
	has '[0-9.]+ sleep [a-z_]*nanosleep '
	lacks '^Next .*--off-cpu'
}

test_job_of_threads_that_wait_for_a_lock() {
	local seconds
	need_reasons
	job "$BIN/pauses" locks
	seconds=$(lock_seconds)
	holds "${seconds:-0} * 1.005 >= $(own_clocks least) && ${seconds:-0} * 0.995 <= $(own_clocks most)" ||
		fail "blocked for ${seconds:-no} s, by the clocks from $(own_clocks least) to $(own_clocks most)" \
			"$(cat "$T/screen")"
	holds "$(own_share ' spin_ms ') > 80" || fail "spin_ms is not the hottest:" "$(cat "$T/screen")"
	show_waits "$BIN/pauses" locks
	has '[0-9.]+ lock futex_[a-z_]+ [a-z_]*lock_wait '
	has ' want_lock '
}

test_job_of_short_processes() {
	need_root
	job sh -c "i=0; while [ \$i -lt 1500 ]; do $(type -P true); i=\$((i + 1)); done"
	knows_every_process "$T/prospect/last.prof"
	has ', 1501 processes;'
	has 'Programs .*true [0-9]+ % \(1500 runs\)'
	lacks 'true.*true [0-9]+ %'
	has 'Next prospect flame \| prospect graph \| the same with --off-cpu '
}

# Its name is known to nobody, until somebody serves its debug file.
test_job_of_a_stripped_program() {
	local folder
	need python3
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "needs libdebuginfod1"
	strip -o "$T/bare" "$BIN/shares"
	job "$T/bare" 2
	has 'bare\+0x[0-9a-f]+ bare'
	has '[0-9]+ % of the samples have no function name: bare is stripped; do not strip it'
	folder=$(served_folder "$T/bare")
	objcopy --only-keep-debug "$BIN/shares" "$folder/debuginfo"
	serve_debug_files "$T/served"
	XDG_STATE_HOME=$T "$PROSPECT" report --debuginfod > "$T/screen" 2> "$T/stderr"
	check_screen_shares ' NAME +bare( |$)'
	lacks 'bare is stripped'
}

# Of the processors' time in /proc/stat, in ticks: "BUSY ALL".
ticks() {
	awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat
}

# How busy the machine was; that it was idle, if it was.
test_job_of_nobody() {
	local before after busy said
	need_root
	before=$(ticks)
	record "$T/prof" -a --duration 2
	after=$(ticks)
	"$PROSPECT" report "$T/prof" > "$T/screen"
	is_sound
	busy=$(calc "$(awk '{ print 100 * ($3 - $1) / ($4 - $2) }' <<< "$before $after")")
	said=$(sed -n 's/^Machine .*[ ,]\([0-9]*\) % busy.*/\1/p' "$T/screen")
	[ -n "$said" ] || fail "nothing of how busy it was:" "$(cat "$T/screen")"
	if holds "$said < 5"; then
		has 'Machine [0-9]+ CPUs?, idle: [0-4] % busy'
	else
		lacks 'idle: '
		skip "the machine is not idle: $said % of the processors' time, by /proc/stat $busy %"
	fi
}

# ---- compilers, interpreters and servers ----

# is_stripped FILE: it has no symbol table.
is_stripped() {
	! readelf -SW "$1" | grep -q ' \.symtab '
}

# forget_map: removes the perf map of the last command.
forget_map() {
	rm -f "/tmp/perf-$("$PROSPECT" query --format csv 'select pid from processes where in_command = 1' \
		"$T/prospect/last.prof" | sed -n 2p).map"
}

# Beside the assembler and the linker, by the compiler's own clock.
test_job_of_a_compiler() {
	local compiler
	need g++
	compiler=$(g++ -print-prog-name=cc1plus)
	cd "$T" || exit
	cat > "$T/hello.cpp" <<- 'END'
		#include <iostream>
		#include <map>
		#include <string>
		int main()
		{
			std::map<std::string, int> words;
			for (std::string word; std::cin >> word;)
				words[word]++;
			for (const auto &[word, count] : words)
				std::cout << word << ' ' << count << '\n';
		}
	END
	job g++ -time=times -std=c++17 -O2 hello.cpp
	check_share cc1plus "$(calc "$(awk '{ all += $1 + $2; if ($3 == "cc1plus") it += $1 + $2 }
		END { print it / all }' "$T/times")")" "$(program_share cc1plus)" 100 \
		"$(header "$T/prospect/last.prof" samples)"
	holds "$(own_share ' cc1plus( |$)') > 1" || fail "none of its functions:" "$(cat "$T/screen")"
	! is_stripped "$compiler" || names_come_from_a_server "$compiler"
}

# Before 3.12 it cannot tell names.
test_job_of_python() {
	local python minor
	python=$(type -P /usr/bin/python3) || skip "needs python3"
	minor=$("$python" -c 'import sys; print(sys.version_info.minor)')
	cat > "$T/hot.py" <<- 'END'
		import time
		def burn(n):
		    s = 0
		    for i in range(n):
		        s = (s * 31 + i) & 0xffff
		    return s
		end = time.process_time() + 1.5
		while time.process_time() < end:
		    burn(10000)
	END
	cd "$T" || exit
	job "$python" hot.py
	has 'Programs python3[.0-9]* (9[0-9]|100) %'
	has '_PyEval_EvalFrameDefault python3'
	if [ "$minor" -lt 12 ]; then
		has "in python3\.$minor itself, .*Python 3\.12 and later can, with '-X perf'"
	else
		has "'python3\.$minor -X perf' gives them"
	fi
}

# The table has the functions of the interpreter, a line those of Python.
test_job_of_python_with_names() {
	local python name parts
	python=$(for name in python3.14 python3.13 python3.12 /usr/bin/python3; do
		"$name" -c 'import sys; sys.version_info >= (3, 12) and print(sys.executable)' 2> /dev/null
	done | head -n 1)
	[ -n "$python" ] || skip "needs Python 3.12"
	cat > "$T/hot.py" <<- 'END'
		import time
		def seventy(n):
		    s = 0
		    for i in range(7 * n):
		        s = (s * 31 + i) & 0xffff
		def thirty(n):
		    s = 0
		    for i in range(3 * n):
		        s = (s * 31 + i) & 0xffff
		spent = [0, 0]
		while sum(spent) < 1.5:
		    for i, burn in enumerate([seventy, thirty]):
		        begin = time.process_time()
		        burn(1000)
		        spent[i] += time.process_time() - begin
		print(spent[0] / sum(spent))
	END
	cd "$T" || exit
	job "$python" -X perf hot.py
	forget_map
	lacks 'Python functions'
	has 'Python seventy \(hot\.py\) [0-9]+ %, thirty \(hot\.py\) [0-9]+ %'
	parts=$(tr -s '\n ' ' ' < "$T/screen" |
		sed -n 's/.*Python seventy (hot.py) \([0-9]*\) %, thirty (hot.py) \([0-9]*\) %.*/\1 + \2/p')
	check_share seventy "$(cat "$T/stdout")" "$(calc "100 * ${parts%% *} / ($parts)")" 100 \
		"$(header "$T/prospect/last.prof" samples)"
}

# More functions than a compiler makes into one are called in one place. Each says how long it took.
test_job_of_node() {
	need node
	cat > "$T/hot.js" <<- 'END'
		function burn_fifty(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
		function burn_thirty(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
		function burn_twenty(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
		function a(n) { return n + 1; }
		function b(n) { return n + 2; }
		function c(n) { return n + 3; }
		const all = [burn_fifty, a, burn_thirty, b, burn_twenty, c];
		const rounds = [5e5, 1, 3e5, 1, 2e5, 1], spent = [0, 0, 0, 0, 0, 0];
		const used = () => process.cpuUsage().user + process.cpuUsage().system;
		while (used() < 3e6)
			for (let i = 0; i < 6; i++) {
				const begin = used();
				all[i](rounds[i]);
				spent[i] += used() - begin;
			}
		for (const i of [0, 2, 4])
			console.log(['share', all[i].name, spent[i] / (spent[0] + spent[2] + spent[4])].join('\t'));
	END
	cd "$T" || exit
	job node hot.js
	has '^node hot\.js: '
	has "JIT code of node without function names: 'node --perf-basic-prof' gives them"
	job node --perf-basic-prof hot.js
	forget_map
	check_screen_shares ' JS:[~^*+]*NAME .*hot\.js'
	lacks 'without function names'
}

test_job_of_java() {
	need javac
	cat > "$T/Hot.java" <<- 'END'
		import java.lang.management.*;
		abstract class Work { abstract int burn(int n); }
		class Fifty extends Work {
			int burn(int n) { int s = 0; for (int i = 0; i < 5 * n; i++) s = s * 31 + i; return s; }
		}
		class Thirty extends Work {
			int burn(int n) { int s = 0; for (int i = 0; i < 3 * n; i++) s = s * 31 + i; return s; }
		}
		class Twenty extends Work {
			int burn(int n) { int s = 0; for (int i = 0; i < 2 * n; i++) s = s * 31 + i; return s; }
		}
		public class Hot {
			public static void main(String[] args) {
				ThreadMXBean thread = ManagementFactory.getThreadMXBean();
				Work[] all = { new Fifty(), new Thirty(), new Twenty() };
				long[] spent = new long[3];
				long sum = 0, numbers = 0;
				while (sum < 3000000000L)
					for (int i = 0; i < 3; i++) {
						long begin = thread.getCurrentThreadCpuTime();
						numbers += all[i].burn(100000);
						begin = thread.getCurrentThreadCpuTime() - begin;
						spent[i] += begin;
						sum += begin;
					}
				for (int i = 0; i < 3; i++)
					System.out.println("share\t" + all[i].getClass().getName() + "\t" +
						(double)spent[i] / sum);
				System.out.println(numbers);
			}
		}
	END
	cd "$T" || exit
	javac Hot.java || fail "javac fails"
	job java Hot
	has "JIT code of java without function names: 'java -XX:\+UnlockDiagnosticVMOptions -XX:\+DumpPerfMapAtExit' gives them"
	job java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Hot
	forget_map
	check_screen_shares ' int NAME\.burn\(int\)'
	lacks 'without function names'
}

test_job_of_go() {
	need go
	cat > "$T/hot.go" <<- 'END'
		package main

		import (
			"fmt"
			"runtime"
			"syscall"
		)

		//go:noinline
		func burnFifty(n int) (s int) { for i := 0; i < 5*n; i++ { s = s*31 + i }; return }
		//go:noinline
		func burnThirty(n int) (s int) { for i := 0; i < 3*n; i++ { s = s*31 + i }; return }
		//go:noinline
		func burnTwenty(n int) (s int) { for i := 0; i < 2*n; i++ { s = s*31 + i }; return }

		func used() int64 {
			var r syscall.Rusage
			syscall.Getrusage(1, &r) // of the thread
			return r.Utime.Nano() + r.Stime.Nano()
		}

		func main() {
			runtime.LockOSThread()
			all := []func(int) int{burnFifty, burnThirty, burnTwenty}
			names := []string{"burnFifty", "burnThirty", "burnTwenty"}
			spent := make([]int64, 3)
			sum := 0
			for used() < 2e9 {
				for i, work := range all {
					begin := used()
					sum += work(1000000)
					spent[i] += used() - begin
				}
			}
			for i, name := range names {
				fmt.Printf("share\t%s\t%f\n", name, float64(spent[i])/float64(spent[0]+spent[1]+spent[2]))
			}
		}
	END
	cd "$T" || exit
	GO111MODULE=off HOME=$T GOCACHE=$T/cache go build -ldflags=-w -o hot hot.go || fail "go build fails"
	job ./hot
	check_screen_shares ' main\.NAME +hot( |$)'
	lacks 'no function name'
}

# A server that another program keeps busy, called as its users know it and named by no symbol.
test_job_of_redis() {
	local server
	need redis-benchmark
	need python3
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "needs libdebuginfod1"
	cd "$T" || exit
	ln -s "$(type -P redis-check-rdb)" redis-server # which is what Debian installs
	first_screen ./redis-server --port 0 --unixsocket socket --save '' &
	server=$!
	until_true redis-cli -s socket ping > /dev/null 2>&1
	redis-benchmark -s socket -q -P 16 -n 200000 -t lrange_100 > "$T/bench"
	redis-cli -s socket shutdown nosave
	wait $server || fail "exit status $?" "$(cat "$T/screen")"
	has '^\./redis-server --port 0 .* waited '
	has 'Programs redis-server (9[0-9]|100) %'
	is_sound
	sized 24 80
	fits 24 80
	XDG_STATE_HOME=$T "$PROSPECT" report > "$T/screen" 2>&1
	names_come_from_a_server "$(realpath "$T/redis-server")"
}
