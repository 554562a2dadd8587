# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Profiles packed with their files.

# A program in a folder of its own, with a source file whose folder has a name of many bytes.
compile_mobile() {
	mkdir -p "$T/home/bäu m"
	cp "$HERE/programs/inlined.c" "$T/home/bäu m/mobile.c"
	${CC:-cc} -O2 -g -Wl,--build-id "$T/home/bäu m/mobile.c" -o "$T/home/mobile"
	# the debug information in a file of its own
	objcopy --only-keep-debug "$T/home/mobile" "$T/home/mobile.debug"
	objcopy --strip-debug --add-gnu-debuglink="$T/home/mobile.debug" "$T/home/mobile"
}

# A profile of that program alone: an archive of all that runs elsewhere would be large.
record_mobile() {
	record_running_for 0.5 "$T/home/mobile" endlessly
	[ "$(rows "$T/prof" symbol --select symbol=outermost | sum 3)" -ge 10 ] || fail "hardly a sample"
}

# What people look at, of the profile or archive $1; $2 goes into the names of the results.
look_at() {
	local file=$1 name=$2 form
	for form in "report --by symbol,line,inline --select program=mobile --format csv" \
		"report --inlines --by stack --select program=mobile --format csv" \
		"graph --inlines --select program=mobile --format csv" \
		"graph --calls --inlines --select program=mobile --format csv" \
		"annotate --mixed outermost" "annotate --source outermost" "annotate --asm outermost"; do
		# shellcheck disable=SC2086 # several words
		"$PROSPECT" $form "$file" >> "$T/$name" 2>&1 || fail "$form $file: $(tail -n 1 "$T/$name")"
	done
	"$PROSPECT" flame --inlines --select program=mobile -o "$T/$name.html" "$file" ||
		fail "no flame graph of $file"
}

# Has $T/list what tar says of $T/mobile.tar.zst, but for the contents, and what packing said?
listed_is_packed() {
	command -v zstd > /dev/null || return 0
	zstd -dqc "$T/mobile.tar.zst" | tar -tvf - --quoting-style=literal --numeric-owner |
		grep -v ' contents$' | sed -E 's/^[^ ]+ +[^ ]+ +([0-9]+) [^ ]+ [^ ]+ /\1 /' > "$T/packed"
	[ "$(wc -l < "$T/packed")" -ge 4 ] || fail "little is packed: $(cat "$T/packed")"
	sed -nE 's/^ *([0-9]+)  /\1 /p' "$T/list" | diff "$T/packed" - > "$T/diff" ||
		fail "the list differs from the archive: $(cat "$T/diff")"
	grep -vE '^ *[0-9]+  ' "$T/list" | cmp -s - "$T/said" || fail "the list says: $(cat "$T/list")"
}

test_an_archive_shows_what_the_machine_showed() {
	need objcopy
	export XDG_CACHE_HOME=$T/cache
	compile_mobile
	record_mobile
	look_at "$T/prof" before
	grep -q 'innermost' "$T/before" && grep -q 'sum += x \* i' "$T/before" || fail "little to see"
	"$PROSPECT" archive -o "$T/mobile.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	"$PROSPECT" archive -o "$T/again.tar.zst" "$T/prof" > "$T/said" || fail "no second archive"
	cmp -s "$T/mobile.tar.zst" "$T/again.tar.zst" || fail "the same files made another archive"
	"$PROSPECT" archive -o - "$T/prof" 2> "$T/also_said" | cmp -s - "$T/again.tar.zst" ||
		fail "standard output has another archive"
	cmp -s "$T/said" "$T/also_said" || fail "of what is written to stdout something else is said"
	"$PROSPECT" archive --list "$T/prof" > "$T/list" || fail "no list"
	listed_is_packed
	mv "$T/home" "$T/away"
	mv "$T/prof" "$T/away.prof"
	"$PROSPECT" annotate --mixed outermost "$T/away.prof" > "$T/without" 2>&1
	if grep -q 'sum += x \* i' "$T/without"; then fail "the source is still there"; fi
	look_at "$T/mobile.tar.zst" after
	# the file's own name is only that of the archive
	sed "s|$T/mobile.tar.zst|$T/prof|g" "$T/after" | diff "$T/before" - > "$T/diff" ||
		fail "$(head -n 20 "$T/diff")"
	cmp -s "$T/before.html" "$T/after.html" || fail "another flame graph"
	# and so it does where nothing can be kept
	env -u HOME XDG_CACHE_HOME=/dev/null TMPDIR="$T" "$PROSPECT" report --by symbol \
		"$T/mobile.tar.zst" > "$T/report" || fail "not without a cache"
	[ -z "$(find "$T" -maxdepth 1 -name 'prospect-??????')" ] || fail "something was left behind"
}

test_what_an_archive_lacks_is_told() {
	export XDG_CACHE_HOME=$T/cache
	need objcopy
	compile_mobile
	record_mobile
	rm "$T/home/mobile"
	"$PROSPECT" archive -o "$T/mobile.tar.zst" "$T/prof" > "$T/said"
	grep -q "^$T/home/mobile: the file no longer exists$" "$T/said" || fail "$(cat "$T/said")"
	"$PROSPECT" report --by symbol --select program=mobile "$T/mobile.tar.zst" > "$T/report" ||
		fail "not to be looked at"
	grep -q ' outermost' "$T/report" || fail "names went away"
	expect_status 1 "$PROSPECT" archive -o "$T/x.tar.zst" "$T/mobile.tar.zst"
	expect_line 'is already an archive'
	expect_status 1 "$PROSPECT" archive -o "$T/prof" "$T/prof"
	expect_line 'refusing to overwrite the profile'
	expect_status 2 "$PROSPECT" archive -o "$T/x.tar.GZ" "$T/prof"
	expect_line 'zstd'
	expect_status 2 "$PROSPECT" archive "$T/prof"
	expect_line 'missing -o: give the archive'
}

# A report that no one reads takes no archive along: a pipe whose reader is gone before we begin.
test_an_archive_is_kept_without_readers() {
	local said
	record_running sh -c 'while :; do :; done'
	export XDG_CACHE_HOME=$T/cache
	exec {said}> >(exec true)
	wait $!
	: > "$T/empty.tar.zst"
	# standard output is the archive's own file, so that the report goes to the other, unbuffered
	"$PROSPECT" archive -o "$T/empty.tar.zst" "$T/prof" >> "$T/empty.tar.zst" 2>&"$said"
	exec {said}>&-
	"$PROSPECT" report --by symbol "$T/empty.tar.zst" > "$T/shown" || fail "there is no archive"
	[ -s "$T/shown" ] || fail "nothing is in the archive"
}

# refused NAME PATTERN: an archive made of $T/NAME by tar is not believed, and nothing came of it.
refused() {
	zstd -q -f "$T/$1.tar" -o "$T/$1.tar.zst" || fail "zstd failed"
	expect_status 1 "$PROSPECT" report "$T/$1.tar.zst"
	expect_line "$2"
	[ ! -e "$T/outside" ] || fail "$1: a file was made outside"
	[ -z "$(ls -A "$T/cache/prospect/archives" "$T/tmp" 2> /dev/null | grep -v :)" ] ||
		fail "$1: left behind: $(ls "$T/cache/prospect/archives" "$T/tmp")"
}

test_archives_of_others_are_not_believed() {
	need zstd
	# for root the cache is everybody's
	export XDG_CACHE_HOME=/dev/null HOME=/nowhere TMPDIR=$T/tmp
	mkdir "$T/tmp" "$T/in"
	echo text > "$T/in/plain"
	ln -s /etc/passwd "$T/in/link"
	ln "$T/in/plain" "$T/in/hard"
	tar -C "$T/in" -cf "$T/other.tar" plain
	refused other 'contains no profile'
	tar -C "$T/in" -cf "$T/link.tar" link
	refused link 'neither a file nor a folder'
	tar -C "$T/in" -cf "$T/hard.tar" plain hard
	refused hard 'neither a file nor a folder'
	tar -C "$T/in" -cPf "$T/up.tar" --transform "s|plain|../outside|" plain
	refused up 'not a relative path'
	tar -C "$T/in" -cPf "$T/absolute.tar" --transform "s|plain|$T/outside|" plain
	refused absolute 'not a relative path'
	tar -C "$T/in" -cf "$T/twice.tar" plain plain --hard-dereference
	refused twice 'twice'
	truncate -s 80M "$T/in/huge"
	tar -C "$T/in" -cf "$T/huge.tar" huge
	refused huge 'unpacks to more than the size limit'
	rm "$T/in/huge" "$T/huge.tar"
	head -c 3000 /dev/urandom > "$T/noise.tar"
	refused noise 'corrupt'
	head -c 700 "$T/other.tar" > "$T/short.tar"
	refused short 'corrupt'
	head -c 100 /dev/urandom > "$T/noise"
	printf '\x28\xb5\x2f\xfd' | cat - "$T/noise" > "$T/frame.tar.zst"
	expect_status 1 "$PROSPECT" report "$T/frame.tar.zst"
	expect_line 'corrupt'
}

# Of what was unpacked before, only what was not looked at for long makes room; what another prospect
# may be looking at stays, however much it is.
test_unpacked_archives_make_room() {
	need_root
	need setpriv
	local cache=$T/user/prospect/archives i
	record "$T/prof" -- "$BIN/short" 100
	"$PROSPECT" archive -o "$T/short.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	chmod 644 "$T/short.tar.zst"
	mkdir -p "$cache"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		mkdir "$cache/recent-$i"
	done
	mkdir "$cache/old" "$cache/old.unfinished" "$cache/recent.unfinished"
	touch -d '3 hours ago' "$cache/old" "$cache/old.unfinished"
	chown -R 65534:65534 "$T/user"
	chmod -R go-rwx "$T/user"
	setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_CACHE_HOME="$T/user" \
		"$PROSPECT" report --by program "$T/short.tar.zst" > "$T/report" || fail "not to be looked at"
	find "$cache" -maxdepth 1 -name 'old*' | grep . && fail "nothing made room"
	[ "$(find "$cache" -maxdepth 1 -name 'recent*' | wc -l)" = 11 ] ||
		fail "what may be in use was removed:" "$(ls "$cache")"
	[ "$(find "$cache" -mindepth 1 -maxdepth 1 ! -name 'recent*' | wc -l)" = 1 ] ||
		fail "the archive itself is not kept:" "$(ls "$cache")"
}
