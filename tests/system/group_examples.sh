# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The commands in the EXAMPLES of the manual pages, as a reader types them.

# The first thing that anybody runs, after the build: it ends within a minute, with a page.
test_demo_takes_a_minute() {
	local top=$HERE/../.. began=$SECONDS
	need_root
	need cc
	mkdir -p "$T/tree/build" "$T/tree/tools"
	cp "$top/tools/demo" "$top/tools/demo-workload" "$T/tree/tools"
	ln -s "$(realpath "$top/src")" "$T/tree/src"
	ln -s "$PROSPECT" "$T/tree/build/prospect"
	XDG_STATE_HOME=$T/state "$T/tree/tools/demo" > "$T/stdout" 2>&1 ||
		fail "the demo:" "$(tail -n 5 "$T/stdout")"
	[ $((SECONDS - began)) -le 60 ] || fail "the demo took $((SECONDS - began)) seconds"
	grep -q '^Programs .*cc1 ' "$T/stdout" || fail "no compiler was profiled:" "$(cat "$T/stdout")"
	grep -q 'The flame graph is in demo.html' "$T/stdout" || fail "no word of the page:" "$(cat "$T/stdout")"
	grep -q '<!DOCTYPE html>' "$T/tree/demo.html" || fail "no page"
}

# examples_of PAGE: what its EXAMPLES display, a script.
examples_of() {
	mandoc -T ascii -O width=1000 "$1" | col -bx | awk '
		/^[A-Z]/ { inside = /^EXAMPLES/ }
		inside && sub(/^           /, "") { print }'
}

# The other commands of the examples do nothing, and everything that lasts lasts a moment. No history is
# recorded, and none of the machine's is touched. What prospect answers is kept: "STATUS WORDS" in $T/calls, messages in $T/said.
make_commands() {
	local name
	mkdir "$T/bin"
	for name in cc dot flamegraph.pl go gprof make objcopy perf sleep strip xdg-open; do
		ln -s /bin/true "$T/bin/$name"
	done
	for name in a.out bench deploy measure netperf4.sh new prog server; do
		cp /bin/true "$T/here/$name"
	done
	cat > "$T/bin/prospect" <<- END
		#!/bin/bash
		words=()
		for word; do
			[ "\${before:-}" != --duration ] || word=0.1
			words+=("\$word") before=\$word
		done
		case "\$*" in
		*--history*) ;;
		start* | stop* | status* | pause* | resume* | mark* | flush* | restart* | reload* | reset*)
			words+=(--history "$T/none/history") ;;
		esac
		"$PROSPECT" "\${words[@]}" 2>> "$T/said"
		status=\$?
		echo "\$status \${*//[[:space:]]/ }" >> "$T/calls"
		exit \$status
	END
	printf '#!/bin/bash\nexec "$@"\n' > "$T/bin/sudo"
	chmod +x "$T/bin/prospect" "$T/bin/sudo"
}

# The profiles that are read: copies of one.
make_profiles() {
	local name
	while read -r name; do
		[ -e "$name" ] || cp "$T/some.prof" "$name"
	done < <(sed 's/-o [^ ]*//g' "$1" | grep -o '[a-z0-9]*\.prof')
}

# Runs the examples of the page $1, and prints what is wrong with them. What they name may not exist here,
# as process 1234: status 1 is fine, and that of --fail-if, and that of a pipe that nothing reads; and 2
# of a unit or container that this machine has not.
wrong_in_page() {
	examples_of "$1" | sed "s#/srv/\|/var/lib/\|/etc/prospect/#$T&#g" > "$T/script"
	make_profiles "$T/script"
	: > "$T/calls"
	: > "$T/said"
	PATH=$T/bin:$PATH HOME=$T bash "$T/script" > "$T/stdout" 2> "$T/stderr"
	cat "$T/stderr" # of bash: no such command
	[ "$(wc -l < "$T/calls")" -ge 2 ] || echo "there are fewer than two"
	! grep -vE '^([013]|141) |^2 .*--(unit|container) ' "$T/calls" || grep '^prospect' "$T/said"
}

test_examples_of_manual_pages() {
	local page nginx
	need mandoc
	need_tracefs
	mkdir "$T/here"
	cd "$T/here" || exit 1
	make_commands
	export XDG_STATE_HOME=$T/state
	for _ in last previous; do
		"$PROSPECT" record -q -- sort /etc/passwd > /dev/null 2> "$T/stderr" ||
			skip "$(cat "$T/stderr")"
	done
	cp "$XDG_STATE_HOME/prospect/last.prof" "$T/some.prof"
	: > stack.txt
	mkdir -p debug "$T/srv/board/root" "$T/srv/debug" "$T/etc/prospect" "$T/var/lib/node_exporter"
	cp /bin/sleep nginx
	./nginx 600 &
	nginx=$!
	for page in "$HERE"/../../man/*.1; do
		wrong_in_page "$page" | sed "s|^|${page##*/}: |"
	done > "$T/wrong"
	kill $nginx
	[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"
}
