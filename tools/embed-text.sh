#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed-text.sh INPUT OUTPUT NAME HEADER: writes a C file that defines the text of INPUT as the
# NUL-terminated array NAME, which HEADER declares.
set -eu
input=$1 output=$2 name=$3 header=$4

{
	printf '#include "%s"\n\nconst char %s[] = {\n' "$header" "$name"
	od -An -v -tx1 "$input" | sed 's/\([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '0x00 };\n'
} >"$output"
