#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# embed-page.sh OUTPUT NAME HEADER FILE...: writes a C file that defines NAME, which HEADER declares:
# the text of the .html among the files with all .css and .mjs inside in their order, and a policy that
# lets nothing but these run and nothing be loaded from anywhere. @DATA@ is left to be filled in. The
# modules become one, so their imports, each in a line of its own, go away: no two may have the same
# name at their outermost level.
set -eu -o pipefail
output=$1 name=$2 header=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

# What the policy calls a text: the base64 of its SHA-256.
hash_of() {
	local hex
	hex=$(sha256sum <"$1" | cut -c 1-64)
	# shellcheck disable=SC2059,SC2001 # the format is made of \xNN
	printf "$(sed 's/../\\x&/g' <<<"$hex")" | base64
}

touch "$scratch"/{style,script}
page=
for file in "$@"; do
	case $file in
	*.css) cat "$file" >>"$scratch/style" ;;
	*.mjs) sed '/^import .* from /d; s/^export //' "$file" >>"$scratch/script" ;;
	*) page=$file ;;
	esac
done
if grep -qi '</s' "$scratch/script" "$scratch/style"; then
	echo "embed-page.sh: a script or style would end its own element" >&2
	exit 1
fi
policy="default-src 'none'; script-src 'sha256-$(hash_of "$scratch/script")';"
policy+=" style-src 'sha256-$(hash_of "$scratch/style")'; img-src data:;"
policy+=" base-uri 'none'; form-action 'none'"
# Prints $line with what the command $2... prints in place of the mark $1.
put() {
	local mark=$1
	shift
	printf '%s' "${line%%"$mark"*}"
	"$@"
	printf '%s\n' "${line#*"$mark"}"
}
while IFS= read -r line; do
	case $line in
	*@POLICY@*) put @POLICY@ printf '%s' "$policy" ;;
	*@STYLE@*) put @STYLE@ cat "$scratch/style" ;;
	*@SCRIPT@*) put @SCRIPT@ cat "$scratch/script" ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$page" >"$scratch/page"
"$(dirname "$0")/embed-text.sh" "$scratch/page" "$output" "$name" "$header"
