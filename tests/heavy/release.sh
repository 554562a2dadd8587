#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/release.sh PROSPECT: two builds of a release are equal, whatever folder, time zone, umask and file
# times they have; what is in it runs where there is nothing but a C library.
set -u
host=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

verdict() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		[ ! -f "$scratch/output" ] || sed 's/^/# /' "$scratch/output"
		echo "not ok $2"
		status=1
	fi
	return "$1"
}

# build FOLDER: a release from a copy of the sources in FOLDER. Nothing comes out of a cache.
build() {
	mkdir -p "$1"
	tar -cf - --exclude='./build*' --exclude=./.git --exclude=./tests/.cache . | tar -C "$1" -xf -
	(cd "$1" && CCACHE_DISABLE=1 SOURCE_DATE_EPOCH=1700000000 tools/make-release) \
		>"$scratch/output" 2>&1
	verdict $? "make-release in ${1#"$scratch"}" || exit 1
}

# The C library's own files, and nothing else but the program "true".
make_root() {
	local file
	mkdir -p "$1"/{bin,proc,sys,tmp,root}
	for file in $(ldd /bin/true "$program" | grep -oE '/[^ ]*/(ld-linux|lib(c|m|pthread|dl|rt)\.so)[^ ]*'); do
		mkdir -p "$1$(dirname "$file")"
		cp -L "$file" "$1$file"
	done
	cp /bin/true "$1/bin/"
}

# in_root COMMAND...: with /proc and /sys, in a namespace of its own.
in_root() {
	# shellcheck disable=SC2016 # for the other shell
	unshare -m sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" &&
		exec env -i HOME=/root PATH=/bin /usr/sbin/chroot "$0" "$@"' "$scratch/root" "$@"
}

# runs NAME PATTERN COMMAND...: it succeeds there, and prints a line with PATTERN.
runs() {
	local name=$1 pattern=$2
	shift 2
	in_root "$@" >"$scratch/output" 2>&1 && grep -q -- "$pattern" "$scratch/output"
	verdict $? "$name"
}

# The highest version of a symbol of the C library that the files in FOLDER need.
newest_glibc() {
	find "$1" -type f '(' -name prospect -o -name '*.so*' ')' -exec objdump -T {} + 2>/dev/null |
		grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1
}

tools/install-deps build package || exit 1
build "$scratch/first"
umask 077
TZ=Asia/Tokyo build "$scratch/in/another/folder"
umask 022
rm -f "$scratch/output"
name=$(basename "$scratch"/first/build/prospect-*.tar.xz .tar.xz)
cmp "$scratch/first/build/$name.tar.xz" "$scratch/in/another/folder/build/$name.tar.xz"
verdict $? "two builds of a release are equal"
cmp "$scratch/first/build/$name.debug" "$scratch/in/another/folder/build/$name.debug"
verdict $? "their debug information is equal"

mkdir -p "$scratch/root/opt"
tar -C "$scratch/root/opt" -xf "$scratch/first/build/$name.tar.xz" --no-same-owner
program=$scratch/root/opt/$name/prospect
[ "$(printf '%s\n' GLIBC_2.36 "$(newest_glibc "$scratch/root/opt")" | sort -V | tail -n 1)" = GLIBC_2.36 ]
verdict $? "a release needs no newer glibc than 2.36"

if ! unshare -m true 2>/dev/null; then
	echo "skip a release in an empty root: needs a mount namespace"
	exit $status
fi
make_root "$scratch/root"
prospect=/opt/$name/prospect
runs "a release starts in an empty root" '^prospect [0-9]' "$prospect" --version
loader=$(cd "$scratch/root" && printf '/%s' lib*/ld-linux*)
for library in "$scratch/root/opt/$name"/lib/*; do
	in_root "$loader" --library-path "/opt/$name/lib" --list "/opt/$name/lib/${library##*/}"
done >"$scratch/output" 2>&1 && ! grep 'not found' "$scratch/output"
verdict $? "a release has all that its libraries need"
if ! "$host" record -q -o "$scratch/root/tmp/kept.prof" -- true 2>"$scratch/output"; then
	echo "skip a recording in an empty root: $(tail -n 1 "$scratch/output")"
	exit $status
fi
runs "a release reports a kept profile" '^Quality ' "$prospect" report /tmp/kept.prof
runs "a release profiles in an empty root" true "$prospect" true
runs "a release packs an archive with its libarchive" . "$prospect" archive -o /tmp/kept.tar.zst /tmp/kept.prof
exit $status
