# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Names that programs and profiles chose lead nowhere their authors may not go themselves. The user
# 61234, whom no system has, attacks; root records and looks.

ATTACKER=61234

# Put before a command, so that in the background its process is the command's.
AS_ATTACKER=(setpriv --reuid=$ATTACKER --regid=$ATTACKER --clear-groups)

# attack NAME FILE: $T/evil/NAME, a program of the attacker's whose source is said to be FILE. It runs
# until it is stopped, or with an argument for a moment.
attack() {
	mkdir -p "$T/evil"
	{
		echo "#line 1 \"$2\""
		cat <<- 'END'
			__attribute__((noipa)) unsigned long burn(unsigned long n)
			{ unsigned long s = 0; while (n--) s += n * n ^ s >> 3; return s; }
			int main(int argc, char **argv) { unsigned long s = 0; (void)argv;
			for (int i = argc > 1 ? 400 : 50000; i; i--) s += burn(1000000); return s == 1; }
		END
	} > "$T/evil/$1.c"
	${CC:-cc} -g -O1 -Wl,--build-id -o "$T/evil/$1" "$T/evil/$1.c" || fail "could not build it"
	chown $ATTACKER:$ATTACKER "$T/evil" "$T/evil/$1" "$T/evil/$1.c"
	touch -d yesterday "$T/evil/$1"
}

# used PID: processor time in seconds.
used() {
	awk -v ticks="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / ticks }' "/proc/$1/stat"
}

# record_running COMMAND...: what runs until it is stopped is recorded for a tenth of a second of its
# processor time at least, and stopped.
record_running() {
	record_running_for 0.1 "$@"
}

# record_running_for SECONDS COMMAND...: as record_running, for so long.
record_running_for() {
	local pid recorder seconds=$1
	shift
	rm -f "$T/prof"
	"$@" &
	pid=$!
	echo $pid > "$T/pid"
	"$PROSPECT" record -q -o "$T/prof" -H 1000 -M 20 -p $pid 2> "$T/stderr" &
	recorder=$!
	until_true has_begun "$T/prof"
	until_true has_run "$T/pid" "$(calc "$(used $pid) + $seconds")"
	kill $pid
	wait $pid 2> /dev/null
	wait $recorder || fail "record:" "$(tail -n 5 "$T/stderr")"
}

# A recording by root of a program that the attacker runs.
record_attack() {
	record_running "${AS_ATTACKER[@]}" "$T/evil/$1"
	[ "$(rows "$T/prof" symbol --select symbol=burn | sum 3)" -ge 10 ] || fail "hardly a sample"
}

# record_attacks NAME...: the same of several, at a time.
record_attacks() {
	local name pid pids=() recorder
	rm -f "$T/prof"
	for name; do
		"${AS_ATTACKER[@]}" "$T/evil/$name" &
		pids+=($!)
	done
	"$PROSPECT" record -q -o "$T/prof" -H 1000 -M 20 -p "$(IFS=,; echo "${pids[*]}")" 2> "$T/stderr" &
	recorder=$!
	until_true has_begun "$T/prof"
	for pid in "${pids[@]}"; do
		echo "$pid" > "$T/pid"
		until_true has_run "$T/pid" "$(calc "$(used "$pid") + 0.1")"
	done
	kill "${pids[@]}"
	wait "${pids[@]}" 2> /dev/null
	wait $recorder || fail "record:" "$(tail -n 5 "$T/stderr")"
	for name; do
		[ "$(rows "$T/prof" symbol --select "symbol=burn image=$T/evil/$name" | sum 3)" -ge 10 ] ||
			fail "hardly a sample of $name"
	done
}

# A file that only root may read.
hide_secret() {
	printf 'the secret\n%.0s' 1 2 3 4 5 > "$T/secret"
	chmod 600 "$T/secret"
}

# nothing_leaks [FILE]: neither an archive nor any annotation of the profile has the secret.
nothing_leaks() {
	local file=${1:-$T/prof}
	rm -rf "$T/x.tar.zst" "$T/out.d" "$T/unpacked"
	"$PROSPECT" archive -o "$T/x.tar.zst" "$file" > "$T/said" || fail "no archive"
	mkdir "$T/unpacked"
	zstd -dqc "$T/x.tar.zst" | tar -xf - -C "$T/unpacked" || fail "not to be unpacked"
	"$PROSPECT" annotate --all --select symbol=burn "$file" > "$T/plain" || fail "not annotated"
	"$PROSPECT" annotate --source burn "$file" >> "$T/plain" || fail "no source"
	"$PROSPECT" annotate --all -o "$T/out.d" "$file" > "$T/tree" || fail "no tree"
	! grep -rl 'the secret' "$T/unpacked" "$T/plain" "$T/out.d" || fail "it leaks"
}

# It is there to be shown, to whom may see it: the same name, once it is everybody's.
shows_when_public() {
	chmod 644 "$1"
	"$PROSPECT" annotate --source burn "${2:-$T/prof}" > "$T/plain" || fail "not annotated"
	grep -q 'the secret' "$T/plain" || fail "what everybody may read is not shown:" "$(cat "$T/plain")"
	"$PROSPECT" archive -o "$T/x.tar.zst" "${2:-$T/prof}" > "$T/said" || fail "no archive"
	zstd -dqc "$T/x.tar.zst" | tar -xOf - --wildcards 'sources/*' 2> /dev/null | grep -q 'the secret' ||
		fail "it is not packed:" "$(cat "$T/said")"
	chmod 600 "$1"
}

test_names_in_programs_have_their_authors_rights() {
	need_root
	need zstd
	need setpriv
	hide_secret
	attack evil "$T/secret"
	record_attack evil
	nothing_leaks
	grep -qx "$T/secret: user $ATTACKER has no read permission" "$T/said" || fail "$(cat "$T/said")"
	grep -q "secret  (source not shown: user $ATTACKER has no read permission)" "$T/tree" ||
		fail "$(cat "$T/tree")"
	grep -q "$T/secret is not shown: user $ATTACKER has no read permission." "$T/plain" || fail "$(cat "$T/plain")"
	[ "$(stat -c %a "$T/x.tar.zst")" = 600 ] || fail "others may read the archive"
	[ -z "$(find "$T/out.d" -perm /077)" ] || fail "others may read the tree"
	shows_when_public "$T/secret"
	# a program that root runs has the rights of its owner
	record_running "$T/evil/evil"
	nothing_leaks
	grep -q "secret: user $ATTACKER has no read permission" "$T/said" || fail "$(cat "$T/said")"
	# and one of root's that another runs those of both
	mkdir "$T/own"
	cp "$T/evil/evil" "$T/own/evil"
	record_running "${AS_ATTACKER[@]}" "$T/own/evil"
	nothing_leaks
	record_running "$T/own/evil"
	"$PROSPECT" annotate --source burn "$T/prof" > "$T/plain" || fail "not annotated"
	grep -q 'the secret' "$T/plain" || fail "root's own source is not shown" "$(cat "$T/plain")"
}

# Links, hard links, magic links, a public file in a folder that is closed.
test_names_that_lead_elsewhere() {
	local name
	need_root
	need zstd
	need setpriv
	hide_secret
	mkdir -m 700 "$T/closed"
	echo 'the secret' > "$T/closed/open.c"
	attack link "$T/evil/link.src"
	ln -s "$T/secret" "$T/evil/link.src"
	attack hard "$T/evil/hard.src"
	ln "$T/secret" "$T/evil/hard.src"
	attack magic "/proc/self/root$T/secret"
	attack closed "$T/closed/open.c"
	attack up "$T/evil/../secret"
	record_attacks link hard magic closed up
	nothing_leaks
	for name in link hard magic closed up; do
		"$PROSPECT" annotate --source burn --select "image=$T/evil/$name" "$T/prof" > "$T/plain" ||
			fail "$name is not annotated"
		! grep 'the secret' "$T/plain" || fail "$name leaks"
	done
	attack fifo "$T/evil/fifo.src"
	"${AS_ATTACKER[@]}" mkfifo "$T/evil/fifo.src"
	record_attack fifo
	nothing_leaks
	grep -q 'fifo.src: not a regular file' "$T/said" || fail "$(cat "$T/said")"
}

# Root's own program, built in a folder of the attacker's, who has put a link in a source's place.
test_links_of_others_in_names_of_root() {
	need_root
	need zstd
	need setpriv
	hide_secret
	attack lured "$T/evil/lured.src"
	mkdir "$T/own"
	cp "$T/evil/lured" "$T/own/lured"
	"${AS_ATTACKER[@]}" ln -s "$T/secret" "$T/evil/lured.src"
	record_running "$T/own/lured"
	nothing_leaks
	grep -q "lured.src: user $ATTACKER has no read permission" "$T/said" || fail "$(cat "$T/said")"
	shows_when_public "$T/secret"
}

# What a name leads to is opened once: neither a link nor a pipe that takes its place matters.
test_names_that_change() {
	local swapper i
	need_root
	need zstd
	need setpriv
	hide_secret
	attack race "$T/evil/race.src"
	"${AS_ATTACKER[@]}" sh -c 'cd "$1"; echo own > race.own; mkfifo pipe; while [ -e race.own ]; do
		ln -sf "$2" next; mv -T next race.src; ln -f pipe next; mv -T next race.src
		cp race.own next; mv -T next race.src; done 2> /dev/null' sh "$T/evil" "$T/secret" &
	swapper=$!
	record_attack race
	for i in 1 2 3 4 5 6 7 8; do
		timeout 120 "$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/said" ||
			fail "archive hangs or fails"
		! zstd -dqc "$T/x.tar.zst" | grep -aq 'the secret' || fail "it leaks"
	done
	kill $swapper
	wait $swapper 2> /dev/null || true
}

# An executable that only its owner may read, at the place that another's profile names.
test_executables_of_others_stay_theirs() {
	need_root
	need zstd
	need setpriv
	need sqlite3
	attack evil "$T/evil/evil.c"
	chmod 700 "$T/evil/evil"
	record_attack evil
	"$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	zstd -dqc "$T/x.tar.zst" | tar -tf - | grep -q '/evil$' || fail "root has not got the program"
	# under sudo, of another user
	chmod 644 "$T/prof"
	SUDO_UID=61235 SUDO_GID=61235 SUDO_USER=other "$PROSPECT" archive -o - "$T/prof" 2> "$T/said" > "$T/x.tar.zst" ||
		fail "no archive under sudo"
	! zstd -dqc "$T/x.tar.zst" | tar -tf - | grep -q '/evil$' || fail "another user gets the program"
	grep -qx "$T/evil/evil: user 61235 has no read permission" "$T/said" || fail "$(cat "$T/said")"
	# what a profile says of users counts only in the file that was recorded
	sqlite3 "$T/prof" 'UPDATE process SET uid = 0; DROP TABLE checksum'
	"$PROSPECT" archive --list "$T/prof" > "$T/said" || fail "no list"
	cp -a "$T/prof" "$T/copy"
	"$PROSPECT" archive --list "$T/copy" > "$T/said" || fail "no list"
	grep -qx "$T/evil/evil: not world-readable" "$T/said" || fail "$(cat "$T/said")"
}

# A profile of somebody else's, whatever it says, and an import of perf's have everybody's rights.
test_foreign_profiles_have_everybodys_rights() {
	need_root
	need zstd
	need setpriv
	need sqlite3
	hide_secret
	mkdir "$T/own"
	attack evil "$T/secret"
	cp "$T/evil/evil" "$T/own/evil"
	record_running "$T/own/evil"
	"$PROSPECT" annotate --source burn "$T/prof" | grep -q 'the secret' || fail "root does not see root's"
	cp "$T/prof" "$T/copy"
	nothing_leaks "$T/copy"
	grep -qx "$T/secret: not world-readable" "$T/said" || fail "$(cat "$T/said")"
	shows_when_public "$T/secret" "$T/copy"
	chown $ATTACKER "$T/prof"
	nothing_leaks
	grep -qx "$T/secret: user $ATTACKER has no read permission" "$T/said" || fail "$(cat "$T/said")"
	chown root "$T/prof"
	sqlite3 "$T/prof" "UPDATE header SET value = 'elsewhere' WHERE name = 'hostname'; DROP TABLE checksum"
	nothing_leaks
	grep -qx "$T/secret: not world-readable" "$T/said" || fail "$(cat "$T/said")"
}

test_imports_have_everybodys_rights() {
	need_root
	need zstd
	need perf
	hide_secret
	mkdir "$T/own"
	attack evil "$T/secret"
	cp "$T/evil/evil" "$T/own/evil"
	perf record -e cpu-clock -o "$T/perf.data" "$T/own/evil" briefly > "$T/perf.out" 2>&1 || skip "perf cannot record"
	"$PROSPECT" import -o "$T/prof" "$T/perf.data" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
	nothing_leaks
	grep -qx "$T/secret: not world-readable" "$T/said" || fail "$(cat "$T/said")"
	shows_when_public "$T/secret"
	# names of a program that not everybody may read do not get into the profile
	chmod 700 "$T/own/evil"
	"$PROSPECT" import -o "$T/prof" "$T/perf.data" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
	[ -z "$(rows "$T/prof" symbol --select symbol=burn)" ] || fail "its names are read"
}

# A debug file, a split one and one that is named by a link, of others, may not be read.
test_debug_files_that_others_may_not_read() {
	need_root
	need zstd
	need setpriv
	need objcopy
	attack evil "$T/evil/evil.c"
	objcopy --only-keep-debug "$T/evil/evil" "$T/hidden.debug"
	chmod 600 "$T/hidden.debug"
	(cd "$T" && objcopy --strip-debug --add-gnu-debuglink=hidden.debug "$T/evil/evil" "$T/evil/linked")
	ln -s "$T/hidden.debug" "$T/evil/hidden.debug"
	chown -h $ATTACKER "$T/evil/linked" "$T/evil/hidden.debug"
	record_attack linked
	"$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	! zstd -dqc "$T/x.tar.zst" | tar -tf - | grep -q 'hidden.debug$' || fail "it is packed"
	grep -qx "$T/evil/hidden.debug: user $ATTACKER has no read permission" "$T/said" || fail "$(cat "$T/said")"
	"$PROSPECT" report --by line --select symbol=burn --format csv --no-cache "$T/prof" > "$T/lines"
	! grep -q 'evil.c:' "$T/lines" || fail "its lines are shown"
	chmod 644 "$T/hidden.debug"
	"$PROSPECT" report --by line --select symbol=burn --format csv --no-cache "$T/prof" > "$T/lines"
	grep -q 'evil.c:' "$T/lines" || fail "lines that everybody may read are not shown"
}

# Under sudo a profile that the user may not read is not packed for that user; one of root's own folder is.
test_archive_of_a_profile_that_others_may_not_read() {
	need_root
	need zstd
	attack evil "$T/evil/evil.c"
	record_running "$T/evil/evil"
	chmod 755 "$T"
	mkdir -m 755 "$T/user"
	chown $ATTACKER "$T/user"
	cp "$T/prof" "$T/user/prof"
	chmod 600 "$T/user/prof"
	expect_status 1 env SUDO_UID=$ATTACKER SUDO_GID=$ATTACKER "$PROSPECT" archive -o "$T/user/x.tar.zst" "$T/user/prof"
	expect_line 'has no read permission'
	[ ! -e "$T/user/x.tar.zst" ] || fail "root's profile is packed for the user"
	ln -s "$T/user/prof" "$T/user/link"
	expect_status 1 env SUDO_UID=$ATTACKER SUDO_GID=$ATTACKER "$PROSPECT" archive --list "$T/user/link"
	chown $ATTACKER "$T/user/prof"
	expect_status 0 env SUDO_UID=$ATTACKER SUDO_GID=$ATTACKER "$PROSPECT" archive -o "$T/user/x.tar.zst" "$T/user/prof"
	zstd -dqc "$T/user/x.tar.zst" | tar -tf - > "$T/said" || fail "there is no archive"
}

# Folders of one's own are searched as before: by their owner, and by root and sudo for that user.
test_own_programs_show_their_source() {
	need_root
	need setpriv
	attack evil "$T/evil/evil.c"
	chmod 700 "$T/evil"
	record_attack evil
	"$PROSPECT" annotate --source burn "$T/prof" | grep -q 'unsigned long burn' || fail "root sees nothing"
	chmod 755 "$T"
	chown $ATTACKER "$T/prof"
	SUDO_UID=$ATTACKER SUDO_GID=$ATTACKER "$PROSPECT" annotate --source burn "$T/prof" |
		grep -q 'unsigned long burn' || fail "nothing under sudo"
	"${AS_ATTACKER[@]}" env HOME="$T/evil" "$PROSPECT" annotate --source burn "$T/prof" |
		grep -q 'unsigned long burn' || fail "its owner sees nothing"
}

# What others may read is what was asked for, and nothing is written where they can put links.
test_modes_of_what_is_written() {
	need_root
	attack evil "$T/evil/evil.c"
	record_running "$T/evil/evil"
	: > "$T/x.tar.zst"
	chmod 666 "$T/x.tar.zst"
	"$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	[ "$(stat -c %a "$T/x.tar.zst")" = 600 ] || fail "an existing file keeps its mode"
	: > "$T/evil/x.tar.zst"
	chmod 666 "$T/evil/x.tar.zst"
	chown $ATTACKER "$T/evil/x.tar.zst"
	"$PROSPECT" archive -o "$T/evil/x.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	[ "$(stat -c '%u %a' "$T/evil/x.tar.zst")" = '0 600' ] || fail "it is another user's"
	(umask 077 && "$PROSPECT" archive --mode 640 -o "$T/x.tar.zst" "$T/prof" > "$T/said") || fail "no archive"
	[ "$(stat -c %a "$T/x.tar.zst")" = 640 ] || fail "--mode does nothing"
	"$PROSPECT" annotate --all --mode 0644 -o "$T/out.d" "$T/prof" > "$T/said" || fail "no tree"
	[ -z "$(find "$T/out.d" -type f ! -perm 644)$(find "$T/out.d" -type d ! -perm 755)" ] || fail "--mode does nothing"
	mkdir -m 777 "$T/open.d"
	expect_status 1 "$PROSPECT" annotate --all -o "$T/open.d" "$T/prof"
	expect_line 'other users can write'
	expect_status 2 "$PROSPECT" archive --mode 755 -o "$T/x.tar.zst" "$T/prof"
	expect_status 2 "$PROSPECT" archive --mode rw -o "$T/x.tar.zst" "$T/prof"
	expect_status 2 "$PROSPECT" annotate --mode 600 burn "$T/prof"
}

# A name with a newline is one line of a list, and an archive lists what it has.
test_lists_of_archives() {
	local name=$'new\nline'
	need_root
	attack evil "$T/evil/evil.c"
	cp "$T/evil/evil" "$T/evil/$name"
	record_running "$T/evil/$name"
	"$PROSPECT" archive --list "$T/prof" > "$T/list" || fail "no list"
	[ "$(grep -c 'new\\x0aline$' "$T/list")" = 1 ] || fail "$(cat "$T/list")"
	rm "$T/evil/$name"
	"$PROSPECT" archive --list "$T/prof" > "$T/list" || fail "no list"
	grep -q 'new\\x0aline: the file no longer exists$' "$T/list" || fail "$(cat "$T/list")"
	"$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/said" || fail "no archive"
	XDG_CACHE_HOME=$T/cache "$PROSPECT" archive --list "$T/x.tar.zst" > "$T/inside" || fail "no list of an archive"
	cmp -s "$T/list" "$T/inside" || fail "$(diff "$T/list" "$T/inside")"
}
