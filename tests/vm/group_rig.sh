# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The rig itself: what vm-run promises to those who use it.

# kept NAME COMMAND...: leaves NAME.stdout, NAME.stderr and NAME.status
kept() {
	local name=$EXCHANGE/$1 status=0
	shift
	"$@" > "$name.stdout" 2> "$name.stderr" || status=$?
	echo $status > "$name.status"
}

boot_rig() {
	# shellcheck disable=SC2016 # for the guest's shell
	kept words "$HERE/vm-run" -o "$EXCHANGE" -- bash -c 'printf "<%s>" "$@"; id -u; exit 7' \
		bash "it's" 'a "b" $c' ''
	# shellcheck disable=SC2016
	kept bytes "$HERE/vm-run" -c 1 -- bash -c 'head -c 300000 /run/kernel/busybox;
		echo other >&2; echo "$(nproc) $(uname -r)" >&2; touch /usr/written || exit 3'
	kept late "$HERE/vm-run" -t 20 -- sleep 600
	kept dead "$HERE/vm-run" -- bash -c 'echo c > /proc/sysrq-trigger; sleep 60'
	mkdir "$TOP/path"
	ln -s /usr/bin/{bash,dirname,pwd} "$TOP/path/"
	kept lacking env PATH="$TOP/path" "$HERE/vm-run" -- true
}

# ended NAME STATUS
ended() {
	[ "$(cat "$EXCHANGE/$1.status")" = "$2" ] ||
		fail "status $(cat "$EXCHANGE/$1.status"), not $2:" "$(tail "$EXCHANGE/$1.stderr")"
}

# The words of a command arrive as they are; it is root; its status is vm-run's.
test_rig_command() {
	ended words 7
	printf '<%s>' "it's" "a \"b\" \$c" '' > "$T/wanted"
	echo 0 >> "$T/wanted"
	cmp "$T/wanted" "$EXCHANGE/words.stdout"
	[ ! -s "$EXCHANGE/words.stderr" ]
}

# Outputs are apart and untouched; the host's files are not the guest's to change.
test_rig_outputs() {
	local kernel
	ended bytes 3
	kernel=$("$HERE/vm-kernel" amd64)
	head -c 300000 "$kernel/busybox" | cmp - "$EXCHANGE/bytes.stdout"
	[ "$(head -n 2 "$EXCHANGE/bytes.stderr")" = "other
1 $(cat "$kernel/release")" ] || fail "$(cat "$EXCHANGE/bytes.stderr")"
	[ ! -e /usr/written ]
}

test_rig_time_limit() {
	ended late 124
	grep -q 'still running after 20 s' "$EXCHANGE/late.stderr"
}

test_rig_dead_guest() {
	ended dead 125
	grep -q 'Kernel panic - not syncing: sysrq triggered crash' "$EXCHANGE/dead.stderr"
}

test_rig_without_qemu() {
	ended lacking 77
	[ "$(tail -n 1 "$EXCHANGE/lacking.stderr")" = "vm-run: needs qemu-system-x86_64" ]
}
