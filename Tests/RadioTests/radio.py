"""radio.py [--short] [--suites "SUITE..."] [WORD]...: runs the cases whose name holds each WORD.

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
from guest import GuestEnded
from rig import CACHE, Rig

CASE_LIMIT = 1200


async def judge(case, rig):
    """Nothing where it passed, else what was wrong."""
    try:
        await asyncio.wait_for(case.run(rig), CASE_LIMIT)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def run_suite(suite, cases, logs):
    """How many passed."""
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(suite, f"{folder}/share")
        try:
            await rig.start()
            print(f"== BlueZ {rig.bluez} ({suite}), Linux {rig.kernel}", flush=True)
            return sum([await run(case, rig) for case in cases])
        except GuestEnded as error:
            print(f"FAIL  BlueZ of {suite}: {error}", flush=True)
            return 0
        finally:
            await rig.stop()
            keep_logs(rig, logs / suite)


async def run(case, rig):
    start = time.monotonic()
    fault = await judge(case, rig)
    verdict = "FAIL" if fault else "pass"
    print(f"{verdict}  {time.monotonic() - start:5.1f} s  {case.name}", flush=True)
    if fault:
        print("      " + fault.replace("\n", "\n      "))
        print(f"      the ears saw: {rig.peripheral.events[-12:]}", flush=True)
    return fault is None


def keep_logs(rig, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(rig.guest.out, folder)
    transcript = "\n\n".join(str(result) for result in rig.guest.transcript)
    (folder / "transcript").write_text(transcript)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--suites", default="trixie")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    logs = CACHE / "logs"
    logs.mkdir(exist_ok=True)
    logging.basicConfig(level=logging.INFO, filename=logs / "peripheral.log", filemode="w",
                        format="%(asctime)s %(name)s %(message)s")  # fmt: skip
    cases = [case for case in CASES if case.is_short or not arguments.short]
    cases = [case for case in cases if all(word in case.name for word in arguments.words)]
    suites = arguments.suites.split()
    passed = sum([await run_suite(suite, cases, logs) for suite in suites])
    failed = len(suites) * len(cases) - passed
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


asyncio.run(main())
