# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of run.sh about stacks: stack_cost, compile, short, paths. "stacks" is all of them.

# A stack is complete when its outermost frame is where a process or a thread begins.
BEGINNINGS='^(_start|_dl_start_user|clone|clone3|__clone|__clone3|start_thread|ret_from_fork.*)$'

build_deep() {
	cc -O2 -fomit-frame-pointer -D_GNU_SOURCE -o "$scratch/deep" "$here/deep.c" &&
		cc -O2 -fno-omit-frame-pointer -D_GNU_SOURCE -o "$scratch/deep-fp" "$here/deep.c" &&
		cc -O2 -D_GNU_SOURCE -o "$scratch/timer" "$here/timer.c"
}

# Tools and how they take stacks, as under() knows them, of those that are here.
stack_tools() {
	local tool
	for tool in "$@"; do
		have "$tool" && echo "$tool"
	done
}

# Copies of 16 KB a sample would be throttled at the rate of the others.
rate_of() {
	if [ "$1" = perf-dwarf ]; then echo 1000; else echo 5000; fi
}

# What one sample costs the sampled: fixed work on each CPU below a stack of fixed depth, every run
# paired with one without a profiler; less what an interrupt costs that does nothing.
stack_cost() {
	local pairs=${BENCH_PAIRS:-3} rounds=500000000 frames tool tools pair base own hz
	local rows=("frames|how|Hz|us a sample above the empty timer|whole, us")
	build_deep || return
	mapfile -t tools < <(stack_tools timer prospect-none prospect perf perf-dwarf bpftrace-user)
	rm -f "$scratch"/cost-*
	for frames in 31 117; do
		cat >"$scratch/both" <<-BOTH
			#!/bin/sh
			taskset -c 0 $scratch/deep fixed $frames $rounds >$scratch/one &
			taskset -c 1 $scratch/deep fixed $frames $rounds >$scratch/two
			wait
			cat $scratch/one $scratch/two >$scratch/times
		BOTH
		chmod +x "$scratch/both"
		for ((pair = 0; pair < pairs; pair++)); do
			for tool in $(shuffled "${tools[@]}"); do
				under none 0 - "$scratch/both" >/dev/null
				base=$(awk '{ s += $1 } END { print s }' "$scratch/times")
				rm -f "$scratch/data"
				hz=$(rate_of "$tool")
				under "$tool" "$hz" "$scratch/data" "$scratch/both" >/dev/null
				own=$(awk '{ s += $1 } END { print s }' "$scratch/times")
				awk -v own="$own" -v base="$base" -v hz="$hz" \
					'BEGIN { print (own - base) / (own * hz) * 1e6 }' >>"$scratch/cost-$tool-$frames"
			done
		done
	done
	for frames in 31 117; do
		local empty
		empty=$(median %.3f <"$scratch/cost-timer-$frames" | cut -d ' ' -f 1)
		for tool in "${tools[@]}"; do
			rows+=("$frames|$tool|$(rate_of "$tool")|$(awk -v e="$empty" '{ print $1 - e }' "$scratch/cost-$tool-$frames" |
				median %.1f)|$(median %.1f <"$scratch/cost-$tool-$frames")")
		done
	done
	echo "== Cost of a stack: two CPUs, no frame pointers, $pairs pairs each"
	table "${rows[@]}"
}

# complete_of TOOL DATA PROGRAM...: of these programs' samples: "how many, % complete, % that can have no
# whole stack, for the kernel lays out or takes down the program" (only prospect tells these apart).
complete_of() {
	local tool=$1 data=$2
	shift 2
	case $tool in
	prospect) for name in "$@"; do
		"$prospect" report "$data" --select "program=$name" --by stack --limit 1000000 --format csv 2>/dev/null
	done | awk '/,cpu-clock,/ {
			rest = $0
			sub(/.*,cpu-clock,/, "", rest)
			split(rest, number, ",")
			all += number[1]
			if ($0 ~ /^"?\[cut:(in exec|process gone)/) none += number[1]
			else if ($0 ~ /^"?\[cut:/) cut += number[1]
		} END { if (all) printf "%d %.2f %.2f\n", all, 100 * (1 - (cut + none) / all), 100 * none / all }' ;;
	perf*) perf script -i "$data" --no-inline -F comm,ip,sym 2>/dev/null | awk -v names="$*" \
		-v beginnings="$BEGINNINGS" '
		BEGIN { split(names, list, " "); for (i in list) wanted[list[i]] }
		function sample_ends() {
			if (mine) { all++; complete += last ~ beginnings }
			mine = 0; last = ""
		}
		/^$/ { sample_ends(); next }
		/^[^\t]/ { mine = $1 in wanted; next }
		{ last = $2 }
		END { sample_ends(); if (all) printf "%d %.2f -\n", all, 100 * complete / all }' ;;
	esac
}

# seconds COMMAND...: its CPU time; "-" when it took longer than $limit (10 minutes).
seconds() {
	"$scratch/measure" "$scratch/measures" timeout "${limit:-600}" "$@" >/dev/null 2>&1
	awk '{ if ($5 == 124) print "> " $1; else if ($5) print "-"; else printf "%.2f", $2 + $3 }' "$scratch/measures"
}

# reports_of TOOL DATA: CPU time of a call graph with inlines shown, and without. What takes minutes is
# measured only with BENCH_ALL.
reports_of() {
	case $1 in
	prospect) echo "$(seconds "$prospect" graph --by inline "$2")|$(seconds "$prospect" graph "$2")" ;;
	perf-dwarf)
		local inlines="minutes"
		[ -z "${BENCH_ALL:-}" ] || inlines=$(seconds perf report --stdio --inline -i "$2")
		echo "$inlines|$(seconds perf report --stdio --no-inline -i "$2")"
		;;
	perf) echo "$(seconds perf report --stdio --inline -i "$2")|$(seconds perf report --stdio --no-inline -i "$2")" ;;
	*) echo "-|-" ;;
	esac
}

# Several seconds of templates.
write_templates() {
	local i
	cat <<-'SOURCE'
		#include <algorithm>
		#include <functional>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <string>
		#include <unordered_map>
		#include <vector>
		template <int N> struct key {
			int value;
			bool operator<(const key &other) const { return value + N < other.value + N; }
		};
		template <int N> int use(const std::vector<std::string> &words)
		{
			std::map<key<N>, std::vector<std::string>> by_length;
			std::function<bool(const std::string &)> wanted = [](const std::string &word) {
				return std::regex_match(word, std::regex("a+b*c{" + std::to_string(N) + "}"));
			};
			for (const auto &word : words)
				if (wanted(word))
					by_length[key<N>{ (int)word.size() }].push_back(word);
			for (auto &entry : by_length)
				std::sort(entry.second.begin(), entry.second.end(),
					  [](const auto &a, const auto &b) { return a.size() * N < b.size() * N; });
			return (int)by_length.size();
		}
	SOURCE
	echo 'int all(const std::vector<std::string> &words) { return 0'
	for ((i = 1; i <= 12; i++)); do echo "+ use<$i>(words)"; done
	echo '; }'
}

# 40 small files, as a real project has them, and a Makefile.
write_small_files() {
	local folder=$1 i
	mkdir -p "$folder"
	for ((i = 0; i < 40; i++)); do
		cat >"$folder/part$i.c" <<-SOURCE
			#include <errno.h>
			#include <stdio.h>
			#include <stdlib.h>
			#include <string.h>
			struct item$i { char name[32]; int count; struct item$i *next; };
			static struct item$i *items$i;
			static struct item$i *find$i(const char *name)
			{
				for (struct item$i *item = items$i; item; item = item->next)
					if (strcmp(item->name, name) == 0)
						return item;
				return NULL;
			}
			int add$i(const char *name)
			{
				struct item$i *item = find$i(name);
				if (!item) {
					item = calloc(1, sizeof(*item));
					if (!item)
						return -ENOMEM;
					snprintf(item->name, sizeof(item->name), "%s", name);
					item->next = items$i;
					items$i = item;
				}
				return item->count++;
			}
			void print$i(FILE *file)
			{
				for (const struct item$i *item = items$i; item; item = item->next)
					fprintf(file, "%s\t%d\n", item->name, item->count);
			}
		SOURCE
	done
	printf 'all: %s\n%%.o: %%.c\n\tcc -O2 -c -o $@ $<\n' "$(cd "$folder" && printf '%s ' part*.c | sed 's/\.c/.o/g')" \
		>"$folder/Makefile"
}

# completeness TITLE PROGRAMS COMMAND...: one recording by each tool at 997 Hz.
completeness() {
	local title=$1 programs=$2 tool samples complete tools
	local rows=("how|samples|complete, %|exec or exit, %|wall, s|file, MB|call graph with inlines, CPU s|without, CPU s")
	shift 2
	mapfile -t tools < <(stack_tools prospect perf perf-dwarf) # bpftrace has no names of what has ended
	for tool in $(shuffled "${tools[@]}"); do
		rm -f "$scratch/data"
		under "$tool" 997 "$scratch/data" "$@" >/dev/null 2>&1
		local wall size none
		wall=$(measured 1)
		size=$(stat -c %s "$scratch/data" | awk '{ printf "%.2f", $1 / 1e6 }')
		# shellcheck disable=SC2086 # they are words
		read -r samples complete none <<<"$(complete_of "$tool" "$scratch/data" $programs)"
		rows+=("$tool|${samples:-none}|$complete|$none|$wall|$size|$(reports_of "$tool" "$scratch/data")")
	done
	echo "== $title"
	table "${rows[@]}"
}

compile() {
	local compiler=clang++
	have $compiler || compiler=c++
	write_templates >"$scratch/templates.cc"
	completeness "Complete stacks of $compiler -O2 -c" 'clang clang++ clang-14 c++ cc1plus' \
		$compiler -O2 -c -o "$scratch/templates.o" "$scratch/templates.cc"
	echo
	write_small_files "$scratch/small"
	completeness "Complete stacks of make -j2 of 40 small C files" 'make sh dash cc gcc x86_64-linux-gnu-gcc-12 cc1 as x86_64-linux-gnu-as' \
		make -C "$scratch/small" -B -j2
}

short() {
	cat >"$scratch/thousands" <<-'SHORT'
		#!/bin/bash
		for ((i = 0; i < 2000; i++)); do /bin/true; done
	SHORT
	chmod +x "$scratch/thousands"
	completeness "Complete stacks of 2,000 x /bin/true" true "$scratch/thousands"
}

# 2^15 different stacks in each of two processes; with frame pointers for those who need them.
paths() {
	local span=${BENCH_SPAN:-10} hz=10000 rows=("how|samples|lost|stacks lost|different stacks|file, MB") tool tools
	build_deep || return
	mapfile -t tools < <(stack_tools prospect perf bpftrace-user)
	for tool in $(shuffled "${tools[@]}"); do
		local program=deep-fp
		[ "$tool" = prospect ] && program=deep
		rm -f "$scratch/data"
		taskset -c 0 "$scratch/$program" paths 15 "$((span + 2))" &
		taskset -c 1 "$scratch/$program" paths 15 "$((span + 2))" &
		sleep 0.2
		under "$tool" $hz "$scratch/data" sleep "$span" >/dev/null
		wait
		rows+=("$tool|$(paths_of "$tool" "$scratch/data")|$(stat -c %s "$scratch/data" | awk '{ printf "%.2f", $1 / 1e6 }')")
	done
	echo "== 65,536 different stacks: $hz Hz, two busy CPUs, $span s"
	table "${rows[@]}"
}

# "samples|lost samples|samples without their stack|different stacks" of the program
paths_of() {
	case $1 in
	prospect)
		"$prospect" report "$2" --select program=deep --by stack --limit 1000000 --format csv |
			awk -F, -v lost="$(lost_of prospect "$2")" 'NR > 1 {
				all += $3
				if ($1 ~ /\[cut:/) cut += $3
				else different++
			} END { printf "%d|%d|%d|%d", all, lost, cut, different }'
		;;
	perf)
		perf script -i "$2" --comm deep-fp -F ip 2>/dev/null | awk -v lost="$(lost_of perf "$2")" '
			/^$/ { if (stack != "") { all++; seen[stack]++ } stack = ""; next }
			{ stack = stack " " $1 }
			END { for (stack in seen) different++; printf "%d|%d|-|%d", all, lost, different }'
		;;
	bpftrace*)
		awk '/^@\[$/ { inside = 1; frames = 0; next }
			/\]: [0-9]+$/ { # without frames it is all in one line
				count = $0
				sub(/.*\]: /, "", count)
				if ($0 ~ /, deep-fp\]/) {
					all += count
					if (!inside || frames < 2) bare += count
					else different++
				}
				inside = 0
				next
			}
			inside { frames++ }
			END { printf "%d|-|%d|%d", all, bare, different }' "$2"
		;;
	esac
}

stacks() {
	stack_cost
	echo
	compile
	echo
	short
	echo
	paths
}
