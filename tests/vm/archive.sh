# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# How the scripts beside this one get Debian packages without root and without touching the host's
# own apt and dpkg: with an apt state of their own, against the archive the host's apt knows.
# Status 77: it cannot be had here; the last line on stderr says why.
#
# $CACHE keeps what was unpacked: ${XDG_CACHE_HOME:-~/.cache}/prospect-vm, or $PROSPECT_VM_CACHE.
CACHE=${PROSPECT_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/prospect-vm}

cannot() {
	echo "${0##*/}: $*" >&2
	exit 77
}

# One at a time: others who want the same wait, and find it.
lock_cache() {
	mkdir -p "$CACHE" || cannot "no folder $CACHE"
	exec 9> "$CACHE/lock"
	flock 9
}

# The address of the Debian archive: that of the host's apt, or $PROSPECT_VM_ARCHIVE.
archive_address() {
	local address=${PROSPECT_VM_ARCHIVE:-}
	[ -n "$address" ] || address=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Label: Debian' 2> /dev/null | sort -u | head -n 1)
	[ -n "$address" ] || cannot "apt knows no Debian archive; set PROSPECT_VM_ARCHIVE"
	echo "$address"
}

# open_archive ARCH SUITE: reads the package lists; afterwards "${APT[@]}" is apt-get for that
# architecture and suite, and $STATE a scratch folder that goes with the script. A suite of
# backports stands on the one it is for.
open_archive() {
	local arch=$1 suite=$2 keys=/usr/share/keyrings/debian-archive-keyring.gpg address name
	command -v apt-get > /dev/null || cannot "needs apt-get"
	command -v dpkg-deb > /dev/null || cannot "needs dpkg-deb"
	[ -r $keys ] || cannot "needs the package debian-archive-keyring"
	address=$(archive_address) || exit
	STATE=$(mktemp -d "$CACHE/state.XXXXXX")
	trap 'rm -rf "$STATE"' EXIT
	mkdir -p "$STATE"/{lists,archives}/partial
	: > "$STATE/status"
	for name in "${suite%-backports}" "$suite"; do
		echo "deb [signed-by=$keys] $address $name main"
	done | sort -u > "$STATE/sources"
	APT=(apt-get -q -y -o APT::Architecture="$arch" -o APT::Architectures::="$arch"
		-o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any
		-o APT::Install-Recommends=false -o Acquire::Languages=none
		-o Acquire::http::Timeout=30 -o Dir::Etc::sourcelist="$STATE/sources"
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
		-o Dir::State="$STATE" -o Dir::State::status="$STATE/status"
		-o Dir::Cache="$STATE" -o Debug::NoLocking=1)
	"${APT[@]}" update >&2 || cannot "the package lists of $suite cannot be had"
}
