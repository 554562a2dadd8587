# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# -K and -L: names of the kernel from a file, taken when it is the running kernel's and refused when
# not. The kernel chooses its own addresses, so that those of the files are never the real ones.

# The map that the kernel was linked with: what it says itself when it stays where it was linked to.
link_map() {
	"$HERE/vm-run" -s "$SUITE" -c 1 -- cat /proc/kallsyms | grep -v '\[' > "$1"
	grep -q ' _text$' "$1"
}

# Debian's vmlinux is stripped; this one has the routines of the map between _text and _etext.
with_symbols() {
	awk '
	$3 == "_etext" { exit }
	$2 ~ /^[tTwW]$/ {
		# .text begins at ffffffff81000000; objcopy takes the value as an offset in it.
		printf "--add-symbol %s=.text:0x%s,function,%s\n", $3, substr($1, 11),
			$2 == "T" ? "global" : "local"
	}' "$1" > "$TOP/symbols"
	[ -s "$TOP/symbols" ]
	objcopy @"$TOP/symbols" "$2" "$3"
}

boot_kernel_files() {
	local kernel
	kernel=$("$HERE/vm-kernel" amd64 "$SUITE")
	put prospect "$PROSPECT"
	put work "$HERE/programs/work.sh"
	build shares "$SYSTEM/programs/shares.c"
	link_map "$EXCHANGE/right.map"
	# One routine a little further on, as in another build of the same version.
	awk '$3 == "vfs_read" { sub(/.$/, "8", $1) } { print }' "$EXCHANGE/right.map" \
		> "$EXCHANGE/wrong.map"
	if cmp "$EXCHANGE/right.map" "$EXCHANGE/wrong.map"; then
		return 1
	fi
	with_symbols "$EXCHANGE/right.map" "$kernel/vmlinux" "$EXCHANGE/right.vmlinux"
	cp "$kernel/vmlinux" "$EXCHANGE/stripped.vmlinux"
	# The same file with another build id.
	objcopy --dump-section .notes="$TOP/notes" "$EXCHANGE/right.vmlinux" "$TOP/unused"
	sed 's/\(GNU\x00\)./\1\x01/' "$TOP/notes" > "$TOP/other-notes"
	objcopy --update-section .notes="$TOP/other-notes" "$EXCHANGE/right.vmlinux" \
		"$EXCHANGE/wrong.vmlinux"
	rm "$TOP/unused"
	boot kernel_files -c 1 -k
	# One of some 500 addresses is that of the link.
	is_moved || boot kernel_files -c 1 -k
}

# is_moved: the guest's kernel is not where it was linked to.
is_moved() {
	[ "$(awk '$3 == "_text" { print $1 }' "$EXCHANGE/right.map")" != \
		"$(awk '$3 == "_text" { print $1 }' "$EXCHANGE/kallsyms")" ]
}

test_kernel_files_addresses_differ() {
	is_moved || fail "the kernel is where it was linked to: nothing was tested"
}

test_kernel_files_map() {
	recorded map_right
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
}

test_kernel_files_map_of_another_kernel() {
	refused map_wrong 1 'wrong.map does not match the running kernel'
}

test_kernel_files_vmlinux() {
	recorded vmlinux_right
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
}

test_kernel_files_vmlinux_of_another_kernel() {
	refused vmlinux_wrong 1 'wrong.vmlinux does not match the running kernel'
}

test_kernel_files_vmlinux_without_symbols() {
	refused vmlinux_stripped 1 'stripped.vmlinux: .*no symbols'
}
