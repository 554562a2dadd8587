# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What "make install" leaves behind.

# Installs build/ in $T/root.
make_install() {
	local top=$HERE/../..
	[ -f "$top/build/build.ninja" ] || skip "needs a build to install, in build/"
	make -C "$top" install PREFIX=/usr/local DESTDIR="$T/root" > "$T/output" 2>&1 ||
		fail "make install:" "$(cat "$T/output")"
}

# The installed program is small; debuggers find what it lacks.
test_install_strips_the_program() {
	local program=$T/root/usr/local/bin/prospect address
	need readelf
	make_install
	! readelf -SW "$program" | grep ' \.symtab \| \.debug_' || fail "the installed program is not stripped"
	address=$(nm "$HERE/../../build/prospect" | awk '$3 == "main" { print $1 }')
	"$PROSPECT" symbolize -e "$program" "$address" > "$T/stdout" 2> "$T/stderr"
	grep -q 'main.* at .*src/main\.c:[0-9]' "$T/stdout" ||
		fail "no lines of the installed program:" "$(cat "$T/stdout" "$T/stderr")"
}
