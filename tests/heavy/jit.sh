#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/jit.sh PROSPECT: programs of Node and Java, recorded live with their usual switches. Every
# address that was sampled in code they made must lie in an entry of their own map that has the name we
# gave it; and hardly anything may be left without a name.
set -u
prospect=$(realpath "$1")
export LC_ALL=C XDG_STATE_HOME
scratch=$(mktemp -d /tmp/prospect-jit.XXXXXX)
XDG_STATE_HOME=$scratch/state
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passed=0 failed=0 skipped=0

cat > hot.js <<'END'
function add(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
function root(n) { let s = 1.5; for (let i = 0; i < n; i++) s = s * 1.0000001 + Math.sqrt(i); return s; }
let x = 0;
while (process.cpuUsage().user < 3e6) { x += add(1e5); x += root(1e5); }
console.log(process.pid);
END
# It works for 3 s, and until there is the file "enough"; that it is so far the file "warm" tells.
cat > Hot.java <<'END'
import java.io.File;
public class Hot {
	static int add(int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 31 + i; return s; }
	static double root(int n) { double s = 1.5; for (int i = 0; i < n; i++) s = s * 1.0000001 + Math.sqrt(i); return s; }
	static double spent() {
		return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
	}
	public static void main(String[] args) throws Exception {
		double t = 0;
		while (spent() < 3) { t += add(100000); t += root(100000); }
		new File("warm").createNewFile();
		while (!new File("enough").exists()) { t += add(100000); t += root(100000); }
		System.out.println(ProcessHandle.current().pid());
	}
}
END

# addresses PROGRAM: "ADDRESS<tab>SAMPLES<tab>SYMBOL" of the JIT code in x.prof.
addresses() {
	"$prospect" report x.prof --command --by address,symbol --select "program=$1 image=[jit]" --demangle none \
		--format csv > table || return 1
	python3 - table <<- 'END'
		import csv, sys
		for row in csv.DictReader(open(sys.argv[1])):
		    print(row['address'], row['samples'], row['symbol'], sep='\t')
	END
}

# in_map MAP: are the lines on stdin in the map? Prints how many samples were, of how many.
in_map() {
	python3 - "$1" <(cat) <<- 'END'
		import sys
		entries = []
		for line in open(sys.argv[1], errors='replace'):
		    parts = line.rstrip('\n').split(' ', 2)
		    if len(parts) == 3:
		        entries.append((int(parts[0], 16), int(parts[1], 16), parts[2].strip()))
		good = all_ = 0
		for line in open(sys.argv[2], errors='replace'):
		    address, samples, symbol = line.rstrip('\n').split('\t')
		    address, samples = int(address, 16), int(samples)
		    all_ += samples
		    if any(s <= address < s + n and name == symbol for s, n, name in entries):
		        good += samples
		    elif symbol != '[anon]':
		        print('#', hex(address), 'is not', symbol)
		print(good, all_)
	END
}

# check NAME PROGRAM MAP: at least 300 samples, 99 % of them under the name the map has.
check() {
	addresses "$2" > found || { echo "not ok $1: no report"; failed=$((failed + 1)); return; }
	in_map "$3" < found > result
	read -r good all <<< "$(tail -n 1 result)"
	if [ "$all" -lt 300 ] || [ $((good * 100)) -lt $((all * 99)) ] || grep -q '^#' result; then
		head -n 5 result
		echo "not ok $1: $good of $all samples have the name the map has"
		failed=$((failed + 1))
	else
		echo "ok $1: $good of $all samples"
		passed=$((passed + 1))
	fi
}

# fix_is_named NAME WANTED: does the report of the last recording say (yes, no) what would fix Java's stacks?
fix_is_named() {
	local told=no
	"$prospect" report -V3 x.prof > report
	grep -q '^java: .*; fix: java -XX:+PreserveFramePointer' report && told=yes
	if [ $told = "$2" ]; then
		echo "ok $1: $2"
		passed=$((passed + 1))
	else
		echo "not ok $1: $told"
		failed=$((failed + 1))
	fi
}

run() {
	"$prospect" record -H 2000 -o x.prof "$@" > pid 2> stderr || { cat stderr; return 1; }
}

if command -v node > /dev/null; then
	run node --perf-basic-prof hot.js && check "node --perf-basic-prof" node "/tmp/perf-$(tail -n 1 pid).map"
	rm -f "/tmp/perf-$(tail -n 1 pid).map"
	# the map is there to compare with; the jitdump goes before it
	run node --perf-prof --perf-basic-prof hot.js &&
		check "node --perf-prof" node "/tmp/perf-$(tail -n 1 pid).map"
	rm -f "/tmp/perf-$(tail -n 1 pid).map"
	if "$prospect" annotate --asm '*add*' x.prof --select program=node | grep -Eq '^ *[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9a-f]+   '
	then
		echo "ok annotate of code from a jitdump"
		passed=$((passed + 1))
	else
		echo "not ok annotate of code from a jitdump"
		failed=$((failed + 1))
	fi
	# V8 of Node 20 overwrites some file names in the jitdump, at random. Where it left all names of a
	# function alone in one process, each of its samples has its line. Of six processes, all are
	# spoiled once in 50,000 runs.
	sed 's/3e6/6e5/' hot.js > short.js
	run sh -c 'for i in 1 2 3 4 5 6; do node --perf-prof short.js; done'
	"$prospect" report x.prof --command --by pid,symbol,line --select "program=node image=[jit] symbol=JS:[*]*short.js*" \
		--format csv > rows
	if python3 - "$scratch/short.js" pid rows > result << 'END'
import csv, struct, sys

# The names of functions whose records of lines all have the right file, and of those where one has not.
def look(path, file):
    data = open(path, "rb").read()
    at, lines, whole, spoiled = struct.unpack_from("<I", data, 8)[0], {}, set(), set()
    while at + 16 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 2: # JIT_CODE_DEBUG_INFO
            address, count = struct.unpack_from("<QQ", data, at + 16)
            name_at, names = at + 32, set()
            for _ in range(count):
                end = data.index(b"\0", name_at + 16)
                names.add(data[name_at + 16:end])
                name_at = end + 1
            lines[address] = names
        elif kind == 0: # JIT_CODE_LOAD
            address = struct.unpack_from("<Q", data, at + 32)[0]
            name = data[at + 56:data.index(b"\0", at + 56)].decode(errors="replace").split()[0]
            (whole if lines.get(address) == {file.encode()} else spoiled).add(name)
        at += size
    return whole - spoiled

file = sys.argv[1]
intact = {pid: look("jit-%s.dump" % pid, file) for pid in open(sys.argv[2]).read().split()}
found = missed = 0
for row in csv.DictReader(open(sys.argv[3])):
    name, samples = row["symbol"].split()[0], int(row["samples"])
    wanted = {"JS:*add": ("1",), "JS:*root": ("2",)}.get(name, ("1", "2", "4"))
    if row["line"] not in ["%s:%s" % (file, line) for line in wanted]:
        if not row["line"].startswith("[no line"):
            sys.exit("# %s is not at %s" % (row["symbol"], row["line"]))
        missed += samples if name in intact[row["pid"]] else 0
    elif name in intact[row["pid"]]:
        found += samples
print("%d of %d" % (found, found + missed))
sys.exit(0 if found >= 300 and missed == 0 else 1)
END
	then
		echo "ok lines of node --perf-prof: $(tail -n 1 result) samples"
		passed=$((passed + 1))
	else
		head -n 5 result
		echo "not ok lines of node --perf-prof"
		failed=$((failed + 1))
	fi
else
	echo "skip node: it is not installed"
	skipped=$((skipped + 1))
fi

if command -v javac > /dev/null && javac Hot.java; then
	touch enough
	run java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Hot &&
		check "java -XX:+DumpPerfMapAtExit" java "/tmp/perf-$(tail -n 1 pid).map"
	fix_is_named "stacks of java have a fix" yes
	rm -f "/tmp/perf-$(tail -n 1 pid).map"
	# shellcheck disable=SC2016
	rm -f warm enough
	run sh -c 'java Hot & pid=$!
		until [ -e warm ] || ! kill -0 $pid; do sleep 0.1; done
		jcmd $pid Compiler.perfmap > /dev/null; touch enough; wait' &&
		check "jcmd Compiler.perfmap" java "/tmp/perf-$(tail -n 1 pid).map"
	rm -f "/tmp/perf-$(tail -n 1 pid).map"
	run java -XX:+PreserveFramePointer Hot &&
		fix_is_named "stacks of java -XX:+PreserveFramePointer have a fix" no
else
	echo "skip java: no compiler"
	skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
