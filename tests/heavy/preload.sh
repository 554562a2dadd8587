#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/preload.sh PROSPECT: programs that people use do under "prospect preload" what they do alone, run
# after run: what they print, what they write, how they end. Programs with another C library have the same stacks and
# times. Then a storm of threads, processes and signals (preload/storm.c).
set -u
here=$(dirname "$(realpath "$0")")
programs=$here/../system/programs
scratch=$(mktemp -d /tmp/prospect-preload.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/lib"
cp "$1" "$scratch/bin/prospect"
cp "$(dirname "$1")/src/preload/libprospect-preload.so" "$scratch/lib"
prospect=$scratch/bin/prospect
cd "$scratch" || exit 2
export HOME=$scratch XDG_STATE_HOME=$scratch/state LC_ALL=C TZ=UTC
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000'
bad=0

# tell STATUS NAME
tell() {
	[ "$1" = 0 ] || bad=1
	[ "$1" = 0 ] || echo -n "not "
	echo "ok $2"
}

# is_sound FILE: the profile can be read, and nothing in it was malformed.
is_sound() {
	"$prospect" report "$1" --by process --format json > json || return
	grep -q '"malformed": 0,' json || { echo "# malformed records" && return 1; }
}

# same RUNS COMMAND...: it prints the same, and ends with the same status, as alone.
same() {
	local runs=$1 run alone status
	shift
	"$@" > alone.out 2> alone.err < /dev/null
	alone=$?
	for ((run = 0; run < runs; run++)); do
		"$prospect" preload -q -F $((run % 2 ? 97 : 1000)) -o prof -- "$@" > out 2> err < /dev/null
		status=$?
		if [ $status != $alone ] || ! cmp -s alone.out out || ! cmp -s alone.err err; then
			echo "# run $run of '$*': status $status, alone $alone"
			diff alone.out out | head -n 5 | sed 's/^/# /'
			diff alone.err err | head -n 5 | sed 's/^/# /'
			return 1
		fi
		is_sound prof || return
	done
}

# check NAME NEEDED COMMAND...: the program NEEDED is there, and the command succeeds.
check() {
	local name=$1 needed=$2
	shift 2
	command -v "$needed" > /dev/null || { echo "skip $name: needs $needed" && return; }
	"$@"
	tell $? "$name"
}

# ---- programs ----

# A history is the same if its hashes are.
make_repository() {
	local i
	rm -rf repository clone
	git init -q -b main repository && cd repository || return
	git config user.name nobody && git config user.email nobody@example.invalid
	for ((i = 0; i < 30; i++)); do
		seq $((i * 100)) $((i * 100 + 500)) > "file-$((i % 7))"
		git add -A && git commit -qm "commit $i" || return
	done
	cd ..
}

work_with_git() {
	rm -rf clone
	git -C repository gc -q --prune=now
	git clone -q repository clone
	git -C clone log --stat
	git -C clone fsck --full --strict
	git -C clone rev-parse 'HEAD^{tree}'
	git -C clone blame file-3 | sha256sum
	git -C clone grep -c 1234
	git -C clone rev-parse nothing
	rm -rf worktree
	git -C clone worktree add -q ../worktree HEAD~3 2>&1
	git -C worktree diff --stat main
}
export -f work_with_git

git_is_same() {
	make_repository && same 5 bash -c work_with_git && same 50 git -C repository log --oneline -p
}

compiler_is_same() {
	local i
	cp "$programs/stacks.c" "$programs/spin.h" .
	gcc -std=gnu11 -O2 -g -D_GNU_SOURCE -pthread -c -o alone.o stacks.c || return
	for ((i = 0; i < 10; i++)); do
		"$prospect" preload -q -F 1000 -o prof gcc -std=gnu11 -O2 -g -D_GNU_SOURCE -pthread -c -o other.o stacks.c || return
		cmp alone.o other.o && is_sound prof || return
	done
	same 10 gcc -fsyntax-only -Wall -x c - -o none
}

python_is_same() {
	cat > work.py <<- 'END'
		import asyncio, hashlib, multiprocessing, os, signal, subprocess, sys, threading
		def work(n):
		    return hashlib.sha256(b''.join(b'%d' % (i * i) for i in range(n))).hexdigest()
		def child(n):
		    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - {signal.SIGTERM})
		    return work(n)
		async def wait():
		    process = await asyncio.create_subprocess_exec('sh', '-c', 'echo from a child; exit 3', stdout=subprocess.PIPE)
		    out, _ = await process.communicate()
		    return out, process.returncode
		if __name__ == '__main__':
		    caught = []
		    signal.signal(signal.SIGUSR1, lambda s, f: caught.append(s))
		    signal.signal(signal.SIGRTMIN + 27, lambda s, f: caught.append(s))
		    os.kill(os.getpid(), signal.SIGUSR1)
		    os.kill(os.getpid(), signal.SIGRTMIN + 27)
		    results = [None] * 4
		    threads = [threading.Thread(target=lambda i=i: results.__setitem__(i, work(20000 + i))) for i in range(4)]
		    [t.start() for t in threads]; [t.join() for t in threads]
		    print(results, [int(s) for s in caught])
		    with multiprocessing.Pool(2) as pool:
		        print(pool.map(child, [1000, 2000, 3000]))
		    print(asyncio.run(wait()))
		    print(subprocess.run(['env', '-i', sys.executable, '-c', 'print(6 * 7)'], capture_output=True))
		    signal.setitimer(signal.ITIMER_PROF, 0.01); signal.signal(signal.SIGPROF, lambda s, f: sys.exit(7))
		    while True: work(100)
	END
	same 5 python3 work.py && same 25 python3 -c 'import sys; print(sum(i * i for i in range(300000))); sys.exit(4)'
}

node_is_same() {
	cat > work.js <<- 'END'
		const { Worker, isMainThread, parentPort } = require('worker_threads');
		const { execFileSync } = require('child_process');
		const hash = n => { let h = require('crypto').createHash('sha256'); for (let i = 0; i < n; i++) h.update(String(i)); return h.digest('hex'); };
		if (!isMainThread) { parentPort.postMessage(hash(20000)); }
		else {
		  let left = 3;
		  for (let i = 0; i < 3; i++) new Worker(__filename).on('message', m => {
		    if (--left) return;
		    console.log(m, hash(30000));
		    process.on('SIGUSR2', () => { console.log('signal'); process.exit(5); });
		    console.log(execFileSync('sh', ['-c', 'echo child; exit 0']).toString());
		    require('zlib').gzip(Buffer.alloc(1e6, 'x'), (e, b) => { console.log(b.length); process.kill(process.pid, 'SIGUSR2'); });
		    setTimeout(() => {}, 10000);
		  });
		}
	END
	same 5 node work.js
}

java_is_same() {
	cat > Work.java <<- 'END'
		public class Work {
			static int add(int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 31 + i; return s; }
			static int deep(int n) { return deep(n + 1) + 1; }
			public static void main(String[] a) throws Exception {
				int[] sums = new int[4];
				Thread[] threads = new Thread[4];
				for (int k = 0; k < 4; k++) {
					int own = k;
					threads[k] = new Thread(() -> { for (int i = 0; i < 2000; i++) sums[own] += add(10000) + new byte[10000].length; });
					threads[k].start();
				}
				for (Thread t : threads) t.join();
				System.out.println(java.util.Arrays.toString(sums));
				System.gc();
				try { ((Object) null).hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
				try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow"); }
				System.exit(new ProcessBuilder("sh", "-c", "exit 6").start().waitFor());
			}
		}
	END
	javac Work.java && same 5 java Work
}

go_is_same() {
	mkdir -p with without
	cat > without/main.go <<- 'END'
		package main

		import ("fmt"; "os"; "os/exec"; "os/signal"; "syscall")

		func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }

		func main() {
			c := make(chan os.Signal, 2)
			signal.Notify(c, syscall.SIGUSR1, syscall.Signal(61))
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			fmt.Println(<-c)
			syscall.Kill(os.Getpid(), syscall.Signal(61))
			fmt.Println(<-c)
			done := make(chan int)
			for i := 0; i < 4; i++ { go func(n int) { done <- fib(n) }(27 + i) }
			sum := 0
			for i := 0; i < 4; i++ { sum += <-done }
			out, err := exec.Command("sh", "-c", "echo child; exit 3").Output()
			fmt.Println(sum, string(out), err)
			extra()
			os.Exit(8)
		}
	END
	cp without/main.go with/
	printf 'package main\nfunc extra() {}\n' > without/extra.go
	cat > with/extra.go <<- 'END'
		package main

		/*
		static volatile unsigned long sink;
		static void spin(void) { for (long i = 0; i < 10000000; i++) sink += i; }
		*/
		import "C"

		func extra() { for i := 0; i < 5; i++ { C.spin() } }
	END
	export GOCACHE=$scratch/gocache GO111MODULE=off
	(cd without && go build -o ../go-without .) && (cd with && go build -o ../go-with .) || return
	same 10 ./go-without && same 10 ./go-with
}

sqlite_is_same() {
	cat > work.sql <<- 'END'
		CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
			INSERT INTO t SELECT i, hex(i * 7919) FROM n;
		CREATE INDEX u ON t(b);
		SELECT count(*), sum(length(b)), max(b) FROM t;
		DELETE FROM t WHERE a % 3 = 0;
		VACUUM;
		PRAGMA integrity_check;
		SELECT * FROM nothing;
	END
	same 50 sh -c 'rm -f t.db; sqlite3 t.db < work.sql; echo $?; sha256sum < t.db'
}

openssl_works() {
	"$prospect" preload -q -F 1000 -o prof openssl speed -seconds 1 -multi 2 sha256 > /dev/null 2>&1 && is_sound prof &&
		same 20 openssl dgst -sha512 "$prospect"
}

# A server, and what its clients are told.
redis_is_same() {
	local how pid port=$((20000 + RANDOM % 20000)) i
	for how in alone preloaded; do
		set --
		[ $how = alone ] || set -- "$prospect" preload -q -F 1000 -o prof
		"$@" redis-server --port $port --save '' --daemonize no --appendonly yes --dir "$scratch" --appendfilename $how.aof > redis.log 2>&1 &
		pid=$!
		for ((i = 0; i < 600; i++)); do
			redis-cli -p $port ping 2> /dev/null | grep -q PONG && break
			sleep 0.1
		done
		{
			seq 2000 | sed 's/.*/SET key:& value-&/' | redis-cli -p $port | sort | uniq -c
			redis-cli -p $port eval 'local s = 0 for i = 1, 300000 do s = s + i % 7 end return s' 0
			redis-cli -p $port bgrewriteaof
			redis-cli -p $port dbsize
			redis-cli -p $port debug digest
		} > "redis.$how" 2>&1
		! command -v redis-benchmark > /dev/null || redis-benchmark -p $port -q -n 20000 -t set,get,lpush > benchmark 2>&1 || return
		redis-cli -p $port shutdown nosave
		wait $pid || return
	done
	cmp redis.alone redis.preloaded && is_sound prof
}

busybox_is_same() {
	same 20 busybox sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; echo $i | busybox sha256sum; busybox seq 5 | busybox sort -r; exit 9'
}

check same_git git git_is_same
check same_compiler gcc compiler_is_same
check same_python python3 python_is_same
check same_node node node_is_same
check same_java javac java_is_same
check same_go go go_is_same
check same_sqlite sqlite3 sqlite_is_same
check same_openssl openssl openssl_works
check same_redis redis-server redis_is_same
check same_busybox busybox busybox_is_same

# ---- another C library ----

# stacks FILE: "FRAME;...;FRAME SAMPLES WEIGHT"
stacks() {
	paste -d ' ' <("$prospect" export --format collapsed --value samples --command --by none --no-inlines "$1") \
		<("$prospect" export --format collapsed --command --by none --no-inlines "$1" | sed 's/.* //')
}

# with_musl WAY FUNCTION: all its stacks go from FUNCTION on, and stand for what it worked, within 6 % (a sample each at
# the beginning and the end of each of its threads may be missing or too much, of 400), and what was dropped.
with_musl() {
	"$prospect" preload -q -F 1000 -o prof ./ways-musl "$1" 2 ./ways-musl alone 2 > out 2> err || { sed 's/^/# /' err && return 1; }
	is_sound prof || return
	stacks prof | awk -v way="$1" -v from="$2" -v lost="$(grep -o '"ring_full": [0-9]*' json | grep -o '[0-9]*$')" '
		!/;way_inner[; ]/ { next }
		!index($0, ";" from ";way_outer;way_inner") || /^\[cut:/ { wrong++; print "# " $0 }
		{ n += $(NF - 1); weight += $NF }
		END {
			if (n < 100 || weight < 1.88e9 * n / (n + lost) || weight > 2.12e9) {
				printf "# %s: %d samples of %.3f s, %d lost\n", way, n, weight / 1e9, lost
				exit 1
			}
			exit wrong > 0
		}'
}

musl_works() {
	local way from part
	for part in ways signals overflows; do
		musl-gcc -std=gnu11 -O2 -g -D_GNU_SOURCE -Wno-infinite-recursion -o $part-musl "$programs/$part.c" || return
	done
	while read -r way from; do
		with_musl "$way" "$from" || return
	done <<- END
		pthread run_thread
		clone run_clone
		blocked run_blocked
		fork by_fork
		raw-fork by_raw_fork
		server by_server
		daemon by_daemon
		vfork-bare alone
		spawn alone
		execle alone
		fexecve alone
		same-stack handle
	END
	for part in masks actions setters old own once waiting descriptor used; do
		same 1 ./signals-musl $part || return
	done
	same 3 ./overflows-musl 1
}

check other_c_library musl-gcc musl_works

# ---- storms ----

storm() {
	local seconds=$1 status
	shift
	timeout $((seconds * 4 + 60)) "$prospect" preload -q -o prof "$@" ./storm "$seconds" ./liba.so ./libb.so > out 2> err
	status=$?
	sed 's/^/# /' out err
	[ $status = 0 ] || { echo "# status $status" && return 1; }
	is_sound prof
}

storms_pass() {
	local name
	gcc -std=gnu11 -O2 -g -D_GNU_SOURCE -Wall -o storm "$here/preload/storm.c" -pthread -ldl || return
	for name in a b; do
		gcc -std=gnu11 -O2 -g -D_GNU_SOURCE -shared -fPIC -fno-toplevel-reorder -DFIRST=${name}_first -DLAST=${name}_last \
			-o lib$name.so "$programs/library.c" || return
	done
	./storm 3 ./liba.so ./libb.so > out 2> err || { echo "# alone:" && sed 's/^/# /' out err && return 1; }
	storm 60 -F 97 && storm 90 -F 1000 && storm 30 -F 10000
}

storms_pass
tell $? storms
exit $bad
