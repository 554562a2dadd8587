# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Who may see what, and whose the files are.

# The user without rights: "nobody" when root runs the tests.
as_plain_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			env HOME="$T/user" XDG_STATE_HOME="$T/user/state" "$@"
	else
		env HOME="$T/user" XDG_STATE_HOME="$T/user/state" "$@"
	fi
}

user_folder() {
	mkdir "$T/user"
	[ "$(id -u)" != 0 ] || chown 65534:65534 "$T/user"
}

test_plain_user() {
	local paranoid
	need setpriv
	user_folder
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	if [ "$paranoid" -gt 2 ]; then
		expect_status 1 as_plain_user "$PROSPECT" record -o "$T/user/prof" "$BIN/shares" 0.5
		expect_line perf_event_paranoid
		return
	fi
	expect_status 0 as_plain_user "$PROSPECT" record -o "$T/user/prof" -H 4000 "$BIN/shares" 1 \
		> "$T/stdout"
	LOST=$(lost_samples "$T/user/prof")
	own_rows "$T/user/prof" symbol --select 'program=shares mode=user' > "$T/rows"
	check_shares "plain user" "$T/stdout" "$T/rows"
	[ "$paranoid" = 2 ] || return 0
	[ "$(header "$T/user/prof" kernel)" = 0 ] || fail "kernel samples at paranoid 2"
	"$PROSPECT" report "$T/user/prof" > "$T/text"
	grep -A 3 -i 'not visible' "$T/text" | grep -qi kernel ||
		fail "the report does not say that the kernel is not visible:" "$(head -n 12 "$T/text")"
	grep -q perf_event_paranoid "$T/text" || fail "nor how to fix it"
}

# What is refused is told apart from what is not: the user's own processes may be profiled.
test_plain_user_whole_machine() {
	local paranoid
	need setpriv
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	user_folder
	as_plain_user "$PROSPECT" record -o "$T/user/prof" true 2> "$T/stderr" ||
		skip "nothing is permitted here: $(tail -n 1 "$T/stderr")"
	[ "$paranoid" -gt 0 ] || skip "everything is permitted here"
	expect_status 1 as_plain_user "$PROSPECT" record -a -o "$T/user/prof" --duration 0.1
	expect_line "only root may observe the whole machine here.*paranoid is $paranoid"
	! grep -q 'only root may use perf' "$T/stderr" || fail "untrue: $(cat "$T/stderr")"
	expect_status 1 as_plain_user "$PROSPECT" count -a -e task-clock --duration 0.1
	expect_line "only root may observe the whole machine here.*paranoid is $paranoid"
}

test_plain_user_short_children() {
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "nothing is permitted here"
	user_folder
	expect_status 0 as_plain_user "$PROSPECT" record -o "$T/user/prof" \
		"$BIN/children" 50 "$BIN/short" 20 > "$T/stdout"
	[ "$(own_rows "$T/user/prof" process --select program=short | wc -l)" = 50 ] ||
		fail "not every child was followed:" "$(rows "$T/user/prof" process | head -n 4)"
	own_rows "$T/user/prof" symbol --select 'program=short' | grep -q '^short_work' || fail "no names"
}

test_plain_user_births_are_counted_once() {
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "nothing is permitted here"
	user_folder
	expect_status 0 as_plain_user "$PROSPECT" record -o "$T/user/prof" "$BIN/births" 10
	expect_births "$T/user/prof" 10
}

test_plain_user_is_refused_the_machine() {
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "everybody may do it here"
	user_folder
	expect_status 1 as_plain_user "$PROSPECT" record -o "$T/user/prof" -a --duration 1
	expect_line 'perf_event_paranoid|root|sudo|cap'
	[ ! -e "$T/user/prof" ] || fail "a profile of nothing was left behind"
}

test_plain_user_is_refused_another_process() {
	need_root
	need setpriv
	local pid
	user_folder
	sleep 20 &
	pid=$!
	expect_status 1 as_plain_user "$PROSPECT" record -o "$T/user/prof" -p $pid --duration 1
	kill $pid
	expect_line 'another user.*sudo'
}

test_not_writable() {
	need setpriv
	user_folder
	mkdir -m 755 "$T/locked"
	[ "$(id -u)" = 0 ] || chmod 555 "$T/locked"
	expect_status 1 as_plain_user "$PROSPECT" record -o "$T/locked/prof" touch "$T/user/mark"
	expect_line "$T/locked"
	[ ! -e "$T/user/mark" ] || fail "the command ran"
}

as_sudo() {
	env SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody SUDO_COMMAND=prospect HOME=/root "$@"
}

test_sudo_file_belongs_to_the_user() {
	need_root
	user_folder
	expect_status 0 as_sudo "$PROSPECT" record -o "$T/user/prof" sh -c "id -u > $T/uid"
	[ "$(stat -c %u:%g:%a "$T/user/prof")" = 65534:65534:600 ] ||
		fail "the profile is $(stat -c %u:%g:%a "$T/user/prof")"
	[ "$(cat "$T/uid")" = 0 ] || fail "the command did not run as root"
	# shellcheck disable=SC2016
	expect_status 0 as_sudo "$PROSPECT" record --as-user -o "$T/user/prof" \
		sh -c 'id -u > "$0"' "$T/user/uid"
	[ "$(cat "$T/user/uid")" = 65534 ] || fail "--as-user ran it as $(cat "$T/user/uid")"
	expect_status 0 as_sudo "$PROSPECT" -f "$T/user/report" true
	[ "$(stat -c %u:%g "$T/user/report")" = 65534:65534 ] ||
		fail "the report of -f is $(stat -c %u:%g "$T/user/report")"
}

# A browser that says in the folder of the user who runs it, as whom, and what it sees of the page.
a_browser() {
	mkdir "$T/bin"
	cat > "$T/bin/xdg-open" <<- EOT
		#!/bin/sh
		{
			echo "user \$(id -u) groups \$(id -G) home \$HOME name \$USER \$LOGNAME"
			echo "runtime \$XDG_RUNTIME_DIR"
			echo "page \$1, \$(head -n 1 "\$1" | cut -c 1-15), with \$#"
			echo "input \$(readlink /proc/self/fd/0)"
		} > "$T/user/opened" 2>&1
		exit \${BROWSER_STATUS:-0}
	EOT
	chmod 755 "$T/bin/xdg-open"
}

# Root under sudo writes the page for the user, and never runs the user's browser as root.
test_open_runs_the_browser_of_the_user() {
	local command home
	need_root
	user_folder
	a_browser
	expect_status 0 as_sudo "$PROSPECT" record -o "$T/user/prof" "$BIN/loop" 0.1
	home=$(getent passwd 65534 | cut -d: -f6)
	for command in flame heatmap; do
		rm -f "$T/user/opened"
		expect_status 0 env -C "$T/user" -u XDG_RUNTIME_DIR PATH="$T/bin:$PATH" \
			SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody HOME=/root \
			"$PROSPECT" $command --open prof > "$T/stdout"
		[ "$(cat "$T/stdout")" = prospect-$command.html ] || fail "$command says:" "$(cat "$T/stdout")"
		grep -qx "user 65534 groups 65534 home $home name nobody nobody" "$T/user/opened" ||
			fail "$command runs it as:" "$(cat "$T/user/opened")"
		grep -qx 'runtime /run/user/65534' "$T/user/opened" || fail "$(cat "$T/user/opened")"
		grep -qx "page $T/user/prospect-$command.html, <!DOCTYPE html>, with 1" "$T/user/opened" ||
			fail "the browser sees:" "$(cat "$T/user/opened")"
		grep -qx 'input /dev/null' "$T/user/opened" || fail "it has our terminal:" "$(cat "$T/user/opened")"
	done
	# The user's browser fails, or there is none: the page is there all the same.
	rm "$T/user/prospect-flame.html"
	expect_status 1 env -C "$T/user" PATH="$T/bin:$PATH" BROWSER_STATUS=3 SUDO_UID=65534 SUDO_GID=65534 \
		"$PROSPECT" flame --open prof > "$T/stdout"
	expect_line 'xdg-open found no browser to open it'
	[ "$(stat -c %u "$T/user/prospect-flame.html")" = 65534 ] || fail "no page of the user"
	chmod 700 "$T/bin"
	expect_status 1 env -C "$T/user" PATH="$T/bin" SUDO_UID=65534 SUDO_GID=65534 \
		"$PROSPECT" heatmap --open prof > "$T/stdout"
	expect_line 'xdg-open is not there to open a browser'
}

# Without sudo root runs it.
test_open_runs_the_browser_of_root() {
	need_root
	mkdir "$T/user"
	a_browser
	record "$T/prof" "$BIN/loop" 0.1
	expect_status 0 env -C "$T" PATH="$T/bin:$PATH" HOME=/root USER=root LOGNAME=root \
		"$PROSPECT" flame --open -o page.html prof > "$T/stdout"
	[ ! -s "$T/stdout" ] || fail "the name was given, and is printed:" "$(cat "$T/stdout")"
	grep -q '^user 0 .* home /root name root root$' "$T/user/opened" || fail "$(cat "$T/user/opened")"
	grep -qx "page $T/page.html, <!DOCTYPE html>, with 1" "$T/user/opened" || fail "$(cat "$T/user/opened")"
}

# xdg-open asks BROWSER where there is no desktop.
test_open_asks_for_the_browser() {
	need_root
	need xdg-open
	mkdir "$T/user"
	a_browser
	mv "$T/bin/xdg-open" "$T/bin/my-browser"
	record "$T/prof" "$BIN/loop" 0.1
	expect_status 0 env -C "$T" -u DISPLAY -u WAYLAND_DISPLAY -u XDG_CURRENT_DESKTOP BROWSER="$T/bin/my-browser" \
		"$PROSPECT" heatmap --open -o page.html prof
	grep -qx "page .*$T/page.html, .*, with 1" "$T/user/opened" || fail "$(cat "$T/user/opened")"
}

# The user may plant links; root must not follow them.
test_sudo_follows_no_link() {
	need_root
	user_folder
	echo precious > "$T/precious"
	ln -s "$T/precious" "$T/user/prof"
	ln -s "$T/new" "$T/user/dangling"
	expect_status 1 as_sudo "$PROSPECT" record -o "$T/user/prof" true
	expect_line "$T/user/prof"
	grep -qx precious "$T/precious" || fail "the link's target was overwritten"
	expect_status 1 as_sudo "$PROSPECT" record -o "$T/user/dangling" true
	[ ! -e "$T/new" ] || fail "the link's target was made"
}

# root_folder: $R is a folder that is root's alone, and so is all above it.
root_folder() {
	R=$(mktemp -d /run/prospect-test.XXXXXX 2> /dev/null) || skip "needs a /run of root's"
	trap 'rm -rf "$R"' EXIT
}

# A folder above may be a link of the user's as well.
test_sudo_follows_no_link_to_a_folder() {
	need_root
	local R
	user_folder
	root_folder
	ln -s "$R" "$T/user/folder"
	expect_status 1 as_sudo "$PROSPECT" record -q -o "$T/user/folder/prof" true
	expect_line "$T/user/folder/prof"
	(cd "$T/user" && expect_status 1 as_sudo "$PROSPECT" record -q -o folder/prof true) || exit 1
	[ -z "$(ls -A "$R")" ] || fail "root followed the link and made $(ls -A "$R")"
}

# Where root alone has a say, root may make what the user may not.
test_sudo_in_a_folder_of_root() {
	need_root
	local R
	user_folder
	root_folder
	expect_status 0 as_sudo "$PROSPECT" record -q -o "$R/prof" true
	[ "$(stat -c %u:%g:%a "$R/prof")" = 65534:65534:600 ] ||
		fail "the profile is $(stat -c %u:%g:%a "$R/prof")"
}

# The state folder is in the home folder of the one who called sudo.
test_sudo_state_folder() {
	need_root
	need unshare
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	user_folder
	sed "s,^nobody:.*,nobody:x:65534:65534:nobody:$T/user:/bin/sh," /etc/passwd > "$T/passwd"
	unset XDG_STATE_HOME
	# shellcheck disable=SC2016
	expect_status 0 as_sudo unshare -m sh -c 'mount --bind "$0" /etc/passwd && exec "$@"' \
		"$T/passwd" "$PROSPECT" record "$BIN/short" 100
	[ "$(stat -c %u:%g:%a "$T/user/.local/state/prospect/last.prof" 2>&1)" = 65534:65534:600 ] ||
		fail "last.prof: $(stat -c %u:%g:%a "$T/user/.local/state/prospect/last.prof" 2>&1)"
	[ "$(stat -c %u "$T/user/.local")" = 65534 ] || fail ".local is not the user's"
}

# A report over a file that is there: mode, owner and second names stay.
test_report_file_stays_what_it_is() {
	need setpriv
	user_folder
	echo old > "$T/user/report"
	chmod 666 "$T/user/report"
	ln "$T/user/report" "$T/user/second"
	expect_status 0 "$PROSPECT" -f "$T/user/report" true
	grep -q "^Quality " "$T/user/second" || fail "the second name has another file"
	rm "$T/user/second"
	[ "$(id -u)" != 0 ] || chown 65534:1 "$T/user/report"
	local before
	before=$(stat -c %u:%g:%a "$T/user/report")
	echo old > "$T/user/report"
	expect_status 0 "$PROSPECT" -f "$T/user/report" true
	grep -q "^Quality " "$T/user/report" || fail "no report"
	[ "$(stat -c %u:%g:%a "$T/user/report")" = "$before" ] ||
		fail "it was $before and is $(stat -c %u:%g:%a "$T/user/report")"
	[ "$(ls -A "$T/user")" = report ] || fail "left behind: $(ls -A "$T/user")"
}

# Where nothing may be made beside it, and where it belongs to somebody else who lets us write.
test_report_file_of_others() {
	need_root
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "nothing is permitted here"
	local file
	user_folder
	mkdir -m 755 "$T/locked"
	for file in "$T/locked/report" "$T/user/report"; do
		echo old > "$file"
		chmod 666 "$file"
		expect_status 0 as_plain_user "$PROSPECT" -f "$file" true
		grep -q "^Quality " "$file" || fail "no report in $file"
		[ "$(stat -c %u:%g:%a "$file")" = 0:0:666 ] ||
			fail "$file is $(stat -c %u:%g:%a "$file")"
		chmod 644 "$file"
		expect_status 1 as_plain_user "$PROSPECT" -f "$file" touch "$T/user/mark"
		expect_line "$file"
		[ ! -e "$T/user/mark" ] || fail "the command ran"
	done
}

test_sudo_report_in_a_folder_of_root() {
	need_root
	local R
	user_folder
	root_folder
	expect_status 0 as_sudo "$PROSPECT" -f "$R/report" true
	[ "$(stat -c %u:%g "$R/report")" = 65534:65534 ] ||
		fail "the report of -f is $(stat -c %u:%g "$R/report")"
	echo old > "$R/kept"
	chmod 640 "$R/kept"
	expect_status 0 as_sudo "$PROSPECT" -f "$R/kept" true
	grep -q "^Quality " "$R/kept" || fail "no report"
	[ "$(stat -c %u:%g:%a "$R/kept")" = 0:0:640 ] || fail "it is $(stat -c %u:%g:%a "$R/kept")"
}

# Nor are links followed where only root may write: not by the user's name for such a place, and not
# by one that is there.
test_sudo_report_follows_no_link() {
	need_root
	local R file
	user_folder
	root_folder
	echo precious > "$R/precious"
	ln -s "$R/precious" "$T/user/link"
	ln -s "$R" "$T/user/folder"
	mkdir -m 700 "$R/hidden"
	ln -s "$R/precious" "$R/hidden/link"
	for file in "$T/user/link" "$T/user/folder/precious" "$T/user/folder/new" "$R/hidden/link"; do
		expect_status 1 as_sudo "$PROSPECT" -f "$file" touch "$T/mark"
		expect_line 'Permission denied'
		[ ! -e "$T/mark" ] || fail "the command ran for $file"
		grep -qx precious "$R/precious" || fail "$file: the link's target was overwritten"
	done
	[ ! -e "$R/new" ] || fail "root followed the link to the folder"
}
