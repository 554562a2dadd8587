# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# is_elf FILE: without a process of its own, for there are thousands of files.
is_elf() {
	local magic
	IFS= read -r -N 4 magic 2> /dev/null < "$1" && [ "$magic" = $'\x7fELF' ]
}
