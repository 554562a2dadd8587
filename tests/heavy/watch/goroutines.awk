# SPDX-License-Identifier: GPL-2.0-or-later
# awk -F '[ ,]' -f goroutines.awk OUTPUT CSV: what goroutines.go measured, beside what watch counted,
# -m entries,exits,abandoned,end-not-seen,walltime,vtime,page-faults. Fails where they differ.
#
# The program measures from inside the calls and from outside. Calls that never end began at the
# earliest with the watch.

BEGIN {
	# how calls end: the column that has all of them, of exits (6) to end-not-seen (8); 0: none
	end["callAlone"] = end["callCrowd"] = end["callGrowing"] = end["callCatching"] = 6
	end["callShort"] = 6
	end["callThrowing"] = 7
	end["callDying"] = end["callOpen"] = 0
}
FNR == NR {
	calls[$1] = $2
	least[$1] = $3 / 1e9
	most[$1] = $4 / 1e9
	next
}
$1 == "total" {
	name = $4
	sub(/.*:?main[.]/, "", name)
	if (!(name in end))
		next
	seen++
	bad = $5 != calls[name] || $10 != "" || $11 != ""
	for (i = 6; i <= 8; i++)
		bad = bad || $i != (i == end[name] ? calls[name] : 0)
	if (name == "callOpen")
		most[name] = calls[name] * $3
	bad = bad || $9 > most[name] || $9 < least[name]
	if (bad)
		print "# " name ": " calls[name] " calls, " least[name] " to " most[name] " s, but " $0
	wrong += bad
}
END {
	if (seen != 8)
		print "# " seen + 0 " functions, not 8"
	exit wrong > 0 || seen != 8
}
