#!/usr/bin/env python3
"""Holds the verdicts of the Swift module against two judges that know nothing of it.

    ESPURR_JUDGE_DIR=DIR swift test --filter JudgeExportTests
    python3 Tests/ImageJudges/compare.py DIR [IMAGES]

DIR then has generated images and `verdicts.tsv`. IMAGES, if given, is a folder of real files with `expected.tsv`: on
those the Python rules themselves are judged. Needs esptool (PyPI). Exits 1 on any disagreement.
"""

import collections
import csv
import pathlib
import sys

import esptool_footer
import rules

# What esptool has no opinion on never contradicts a verdict; these two reasons it has to confirm.
CONFIRMED = {"checksumMismatch": 0, "hashMismatch": 1}


def rows(path):
    with open(path, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def by_rules(data):
    try:
        return "accept", rules.check(data).hex()
    except rules.Refused as refused:
        return "refuse", str(refused)


def disagreements(row, data, met):
    verdict, reason = by_rules(data)
    if verdict != row["verdict"]:
        yield f"rules: {verdict} ({reason})"
    elif verdict == "accept" and reason != row["reason"]:
        yield f"rules: digest {reason}"
    seen = esptool_footer.check(data)
    if row["verdict"] == "accept":
        if seen != (True, True, row["reason"]):
            yield f"esptool: {seen}"
        else:
            met["esptool confirmed an accepted image"] += 1
    elif row["reason"] in CONFIRMED:
        if seen is None or seen[CONFIRMED[row["reason"]]]:
            yield f"esptool: {seen}"
        else:
            met[f"esptool confirmed {row['reason']}"] += 1


def judge_generated(folder):
    met, failed = collections.Counter(), 0
    for row in rows(folder / "verdicts.tsv"):
        data = (folder / row["file"]).read_bytes()
        met[row["verdict"]] += 1
        for disagreement in disagreements(row, data, met):
            failed += 1
            print(f"{row['file']}: {row['verdict']} ({row['reason']}), but {disagreement}")
    return met, failed


def judge_real(folder):
    met, failed = collections.Counter(), 0
    for row in rows(folder / "expected.tsv"):
        verdict, reason = by_rules((folder / row["file"]).read_bytes())
        met[f"real {verdict}"] += 1
        if verdict != row["image_check"][:6]:
            failed += 1
            print(f"{row['file']}: {row['image_check']}, but rules: {verdict} ({reason})")
    return met, failed


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    met, failed = judge_generated(pathlib.Path(arguments[0]))
    if len(arguments) == 2:
        real, wrong = judge_real(pathlib.Path(arguments[1]))
        met, failed = met + real, failed + wrong
    for what, count in sorted(met.items()):
        print(f"{count:6} {what}")
    if not met["accept"] or not met["refuse"]:
        sys.exit("nothing was judged: both verdicts must occur")
    print(f"{failed} disagreements")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
