"""radio.py [--short] [--suites "SUITE..."] [WORD]...: runs the cases whose name holds each WORD.

Those of the contract (their names begin with "contract: "), then those of cases.py. A line a case; the last line is "N passed, N failed". Logs stay below .build/radio/logs.
"""

import argparse
import asyncio
import logging
import shutil
import sys
import tempfile
import time

from cases import CASES
from contract import run_contract
from guest import GuestEnded
from rig import CACHE, Rig

CASE_LIMIT = 1200


async def judge(case, rig):
    """Nothing where it passed, else what was wrong."""
    try:
        await asyncio.wait_for(case.run(rig), CASE_LIMIT)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def run_suite(suite, cases, contract, logs):
    """How many passed, and how many failed. `contract` is nothing, or its words and whether the slow cases are meant."""
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(suite, f"{folder}/share")
        try:
            await rig.start()
            print(f"== BlueZ {rig.bluez} ({suite}), Linux {rig.kernel}", flush=True)
            # First: what BlueZ makes of a link depends on whether any program had an agent since it started.
            faults = await contract_of(rig, *contract) if contract is not None else []
            passed += faults.count("")
            for case in cases:
                passed += await run(case, rig)
            return passed, len(cases) + len(faults) - passed
        except GuestEnded as error:
            print(f"FAIL  BlueZ of {suite}: {error}", flush=True)
            return passed, max(len(cases) - passed, 1)
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


async def contract_of(rig, words, slow):
    """The fault of each case, empty where it passed."""
    start = time.monotonic()
    verdicts = await run_contract(rig, words, slow)
    for name, fault in verdicts:
        print(f"{'FAIL' if fault else 'pass'}           contract: {name}", flush=True)
        if fault:
            print(f"      {fault}", flush=True)
    print(f"      {len(verdicts)} cases of the contract in {time.monotonic() - start:.0f} s", flush=True)
    return [fault for _, fault in verdicts]


def keep_logs(rig, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(rig.guest.out, folder)
    transcript = "\n\n".join(str(result) for result in rig.guest.transcript)
    (folder / "transcript").write_text(transcript)


def contract_chosen(arguments, cases):
    """The words "contract" and those after it choose among the contract's cases; without any, all of them run. The
    short form has those of streams."""
    if arguments.short:
        return (["streams:"], False) if not arguments.words else None
    if not arguments.words:
        return [], True
    return (arguments.words[1:], True) if arguments.words[0] == "contract" else None


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
    counts = [
        await run_suite(suite, cases, contract_chosen(arguments, cases), logs) for suite in arguments.suites.split()
    ]
    passed, failed = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


asyncio.run(main())
