"""radio.py [--short] [--suite SUITE]... [WORD]...: runs the cases whose name holds each WORD.

A line a case; the last line is "N passed, N failed". Logs stay below .build/radio/logs.
"""

import argparse
import asyncio
import logging
import shutil
import sys
import tempfile
import time

from cases import CASES
from rig import CACHE, Rig

CASE_LIMIT = 1200


async def judge(case, rig):
    """Nothing where it passed, else what was wrong."""
    try:
        await asyncio.wait_for(case.run(rig), CASE_LIMIT)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def run_suite(suite, cases, logs):
    """How many passed and failed."""
    with tempfile.TemporaryDirectory() as sockets:
        rig = Rig(suite, f"{sockets}/share")
        outcomes = []
        try:
            await rig.start()
            print(f"== BlueZ {rig.bluez} ({suite}), Linux {rig.kernel}", flush=True)
            for case in cases:
                start = time.monotonic()
                fault = await judge(case, rig)
                outcomes.append(fault is None)
                print(f"{'pass' if fault is None else 'FAIL'}  {time.monotonic() - start:5.1f} s  {case.name}")
                if fault:
                    print("      " + fault.replace("\n", "\n      "))
                    print("      the ears saw: " + str(rig.peripheral.events[-12:]), flush=True)
        finally:
            await rig.stop()
            keep_logs(rig, logs / suite)
    return sum(outcomes), len(cases) - sum(outcomes)


def keep_logs(rig, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(rig.guest.out, folder)
    transcript = "\n\n".join(str(result) for result in rig.guest.transcript)
    (folder / "transcript").write_text(transcript)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--suite", action="append")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    logs = CACHE / "logs"
    logs.mkdir(exist_ok=True)
    logging.basicConfig(level=logging.INFO, filename=logs / "peripheral.log", filemode="w",
                        format="%(asctime)s %(name)s %(message)s")  # fmt: skip
    cases = [case for case in CASES if case.is_short or not arguments.short]
    cases = [case for case in cases if all(word in case.name for word in arguments.words)]
    passed = failed = 0
    for suite in arguments.suite or ["trixie"]:
        more_passed, more_failed = await run_suite(suite, cases, logs)
        passed, failed = passed + more_passed, failed + more_failed
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


asyncio.run(main())
