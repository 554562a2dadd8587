#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/oracle/lines.sh PROSPECT quick|full: lines and inlined functions of programs built in many
# ways, as eu-addr2line, addr2line and llvm-addr2line have them (see lines.py). quick takes seconds.
# Where CI is true, as machines do it for each change, full looks at a third of the addresses.
set -u
here=$(cd "$(dirname "$0")" && pwd)
prospect=$(realpath "$1")
size=${2:-quick}
scratch=$(mktemp -d /tmp/prospect-lines.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cp "$here"/lines/* "$scratch"
cd "$scratch" || exit 2
bad=0 done=0 count=120 any=gcc
[ "$size" = full ] && count=3000 any=g++
[ "$size" = full ] && [ "${CI:-}" = true ] && count=1000

# compare FILE [OTHER [OPTION...]]: OTHER is the same code with its debug information in one piece.
compare() {
	local file=$1 other=${2:-$1}
	[ -s "$file" ] || return
	shift
	[ $# = 0 ] || shift
	done=$((done + 1))
	LIKE=$other "$here/lines.py" "$prospect" "$file" "$count" "$@" > "$scratch/.said" || {
		bad=$((bad + 1))
		cat "$scratch/.said"
		return
	}
	[ "$size" = full ] && cat "$scratch/.said"
	return 0
}

has() {
	command -v "$1" > /dev/null
}

# build NAME COMPILER FLAG...: of the C program, or the C++ one.
build() {
	local name=$1 compiler=$2 sources="main.c loops.c"
	shift 2
	case $compiler in *++) sources=templates.cc ;; esac
	# shellcheck disable=SC2086
	"$compiler" "$@" $sources -o "$name" 2> "$scratch/.errors" && return
	# not every compiler knows every switch
	grep -Eqi 'unsupported|unrecognized|invalid|cannot find|undefined symbol: main|No such file|file not found' \
		.errors ||
		{ echo "cannot build $name:" && head -3 .errors && bad=$((bad + 1)); }
	return 1
}

try() {
	has "$2" && build "$@" && compare "$1"
}

# elfutils finds nothing in files of clang without this section
aranges() {
	case $1 in clang*) echo -gdwarf-aranges ;; esac
}

if [ "$size" = quick ]; then
	try c gcc -O2 -g
	try cpp g++ -O2 -g -gdwarf-4
	try clang clang++ -O2 -gdwarf-5 -gdwarf-aranges
	try lld clang -O2 -g -gdwarf-aranges -ffunction-sections -Wl,--gc-sections -fuse-ld=lld
else
	for compiler in gcc clang g++ clang++; do
		a=$(aranges $compiler)
		for version in 2 3 4 5; do
			for level in 0 1 2 3 s; do
				try "$compiler-$version-O$level" $compiler -O$level -gdwarf-$version
			done
		done
		for way in "-fPIE -pie" -no-pie -static -gz -gz=zlib-gnu "-gdwarf-4 -gz" -g1 \
			-gdwarf64 -fdebug-types-section "-gdwarf-4 -fdebug-types-section" \
			"-ffunction-sections -Wl,--gc-sections" -fuse-ld=gold \
			"-ffunction-sections -Wl,--gc-sections -fuse-ld=lld" \
			"-flto -fuse-ld=bfd" "-flto -fuse-ld=lld" "-fPIC -shared" \
			"-fno-omit-frame-pointer -finline-limit=10" -m32; do
			# shellcheck disable=SC2086
			try "$compiler${way// /}" $compiler -O2 -g $a $way
		done
	done
fi

# Split debug information, beside a whole one of the same code; then packed.
split() {
	local compiler=$1 version=$2 name=split-$1-$2
	has "$compiler" || return
	mkdir "$name"
	cp ./*.c ./*.h ./*.cc "$name"
	cd "$name" || exit 2
	# shellcheck disable=SC2046
	build whole "$compiler" -O2 -gdwarf-"$version" $(aranges "$compiler") &&
		build parts "$compiler" -O2 -gdwarf-"$version" -gsplit-dwarf && {
		compare parts whole
		# each knows what its own compilers write: on others llvm-dwp 14 never ends, and dwp
		# 2.40 dies of version 5
		case $compiler in
		clang*) has llvm-dwp && llvm-dwp -e parts -o parts.dwp ;;
		*) has dwp && (timeout 20 dwp -e parts -o parts.dwp) 2> /dev/null ;;
		esac
		[ -s parts.dwp ] && rm ./*.dwo && compare parts whole
	}
	cd ..
}

split gcc 4
split clang 5
if [ "$size" = full ]; then
	split g++ 4
	split g++ 5
	split clang++ 4
	split clang++ 5
fi

# What was stripped off, in all the places it may be.
build whole $any -O2 -g
objcopy --only-keep-debug whole linked.debug
objcopy -S --add-gnu-debuglink=linked.debug whole linked
compare linked whole
mkdir .debug && mv linked.debug .debug/
compare linked whole
id=$(readelf -n whole | awk '/Build ID/ { print $3 }')
mkdir -p "folder/.build-id/${id:0:2}"
mv .debug/linked.debug "folder/.build-id/${id:0:2}/${id:2}.debug"
compare linked whole --debug-dir "$scratch/folder"
build anonymous $any -O2 -g -Wl,--build-id=none
objcopy --only-keep-debug anonymous anonymous.debug
objcopy -S --add-gnu-debuglink=anonymous.debug anonymous stripped
compare stripped anonymous
for method in zlib zlib-gnu zstd; do
	objcopy --compress-debug-sections=$method whole "packed-$method" 2> /dev/null &&
		compare "packed-$method" whole
done
if has eu-strip; then
	eu-strip -f reloc.debug -o reloc whole
	compare reloc whole
fi
if has dwz; then
	build one g++ -O2 -g
	cp one whole
	build two g++ -O1 -g
	cp two three
	dwz -m common.dwz -M common.dwz one two && compare one whole && compare two three
fi

echo "$done programs compared, $bad wrong"
[ $bad = 0 ] && [ $done -gt 0 ]
