# SPDX-License-Identifier: GPL-2.0-or-later
"""symbols.py CSV EVENT: of the report by symbol and event, the names and weights of one event."""
import csv
import sys

for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")):
    if row["event"] == sys.argv[2] and int(row["weight"]):
        print(row["symbol"] + "\t" + row["weight"])
