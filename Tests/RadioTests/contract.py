"""The contract (Tests/BlueZContract) against this guest's bluetoothd, with Bumble's peripheral behind it."""

import pathlib

from contract_peripheral import ContractPeripheral

LIST = pathlib.Path(__file__).resolve().parents[1] / "BlueZContract/differences.tsv"
# Seconds for all cases together, of some seconds each.
LIMIT = 1500


def listed_differences(bluez):
    """Names of the cases that are known to be different with this version, with the reason."""
    lines = [line.split("\t") for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return {case: reason for side, case, reason in lines if side == bluez}


async def run_contract(rig, words, slow):
    """(name, fault) of each case, the fault empty where it is as it has to be. `words` choose cases by name."""
    arguments = " ".join((["--slow"] if slow else []) + [f"'{word}'" for word in words])
    async with ContractPeripheral(rig.peripheral):
        result = await rig.guest.run(f"espurr-bluez-contract {arguments}", limit=LIMIT)
    known = listed_differences(rig.bluez)
    verdicts = [line.split("\t") for line in result.out.splitlines()]
    faults = [(name, _judge(verdict == "pass", fault, known.get(name))) for verdict, name, fault in verdicts]
    if result.status not in (0, 1) or not faults:
        faults.append(("the contract comes to its end", f"status {result.status}: {result.err}"))
    return faults


def _judge(passed, fault, reason):
    if reason is None:
        return "" if passed else fault
    return f"is on the list of differences and passed: {reason}" if passed else ""
