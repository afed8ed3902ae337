"""What the product has to do with real BlueZ. Each case starts with fresh ears; `short` ones make the short form."""

import asyncio
from dataclasses import dataclass
from typing import Callable

from peripheral import ADDRESS, SECOND_ADDRESS
from rig import CaseFailed, document, documents, expect, failed, succeeded
from throughput import LEAST_RATIO, LEAST_STREAM_RATIO, bare_stream, compare, repeat_exchanges, repeat_packets

CASES = []


@dataclass(frozen=True)
class Case:
    name: str
    is_short: bool
    run: Callable


def case(name, short=False):
    def add(body):
        CASES.append(Case(name, short, body))
        return body

    return add


async def no_bond(rig):
    expect("what BlueZ holds", await rig.guest.properties() & {"Paired", "Bonded"}, set())


# --- Finding and pairing ---------------------------------------------------------------------------------------------


@case("scan finds ears that are not paired", short=True)
async def scan(rig):
    await rig.fresh()
    result = succeeded(await rig.ctl(f"scan --json --timeout 15s --device {ADDRESS}"))
    seen = documents(result)[-1]
    expect("address", seen["address"], ADDRESS)
    expect("name", seen["name"], "espurr-4455")
    expect("state", (seen["event"], seen["paired"], seen["bonded"]), ("appeared", False, False))


@case("scan says that there are none", short=True)
async def scan_of_nothing(rig):
    await rig.fresh()
    failed(await rig.ctl("scan --timeout 3s --device 00:11:22:33:44:55"), 11)


@case("pair compares the digits and proves the bond on a second link", short=True)
async def pair(rig):
    await rig.fresh()
    report = document(succeeded(await rig.pair()))
    expect("address", report["address"], ADDRESS)
    expect("proof", (report["proved"], report["compared_by"]), (True, "source"))
    expect("what BlueZ holds", await rig.guest.properties() & {"Paired", "Bonded"}, {"Paired", "Bonded"})
    expect("pairings", [event["authenticated"] for event in rig.peripheral.saw("paired")], [True])
    if len(rig.peripheral.saw("connected")) < 2:
        raise CaseFailed("no second link was made")


@case("pair waits for the click of the button", short=True)
async def late_click(rig):
    await rig.fresh(click=False)
    pairing = asyncio.create_task(rig.pair())
    await rig.peripheral.until("click needed")
    await asyncio.sleep(2)
    expect("comparisons before the click", rig.peripheral.saw("comparing"), [])
    await rig.peripheral.click_button()
    succeeded(await pairing)


@case("pair refuses other digits than those of the ears, and leaves no bond", short=True)
async def forged_digits(rig):
    await rig.fresh(forged=True)
    failed(await rig.pair(), 12, "digits")
    await no_bond(rig)
    expect("pairings", rig.peripheral.saw("paired"), [])


@case("pair says that the ears refused, and leaves no bond", short=True)
async def refused_by_ears(rig):
    await rig.fresh(answer="no")
    failed(await rig.pair(), 12, "refused_by_ears")
    await no_bond(rig)


@case("pair refuses a downgrade to Just Works, and removes the bond", short=True)
async def downgraded(rig):
    await rig.fresh("just-works")
    failed(await rig.pair(), 12, "downgraded")
    await no_bond(rig)


@case("pair says that nobody clicked")
async def no_click(rig):
    await rig.fresh("no-click")
    failed(await rig.pair(), 12)
    await no_bond(rig)


@case("pair gives up on ears that never confirm")
async def never_confirmed(rig):
    await rig.fresh(answer="hang")
    failed(await rig.pair(), 12, "pairing_timed_out")
    await no_bond(rig)


@case("pair says that the link was lost, and leaves no bond", short=True)
async def lost_while_pairing(rig):
    await rig.fresh(answer="hang")
    pairing = asyncio.create_task(rig.pair())
    await rig.peripheral.until("comparing")
    await asyncio.sleep(1)
    rig.peripheral.lose_link()
    failed(await pairing, 12, "link_lost")
    await no_bond(rig)


@case("a terminated pair leaves no bond, and the next one works", short=True)
async def terminated_pair(rig):
    await rig.fresh(answer="hang")
    pairing = asyncio.create_task(rig.pair())
    await rig.peripheral.until("comparing")
    await rig.guest.run("kill -TERM $(/bin/busybox pidof espurr-ctl)")
    failed(await pairing, 143)
    await no_bond(rig)
    rig.peripheral.answer = "yes"
    succeeded(await rig.pair())


@case("a killed pair leaves no bond, and the next one works")
async def killed_pair(rig):
    await rig.fresh(answer="hang")
    pairing = asyncio.create_task(rig.pair())
    await rig.peripheral.until("comparing")
    await rig.guest.run("kill -KILL $(/bin/busybox pidof espurr-ctl)")
    failed(await pairing, 137)
    await no_bond(rig)
    rig.peripheral.answer = "yes"
    succeeded(await rig.pair())


# --- A bond ----------------------------------------------------------------------------------------------------------


@case("info reads paired ears, and reads them again after a lost link", short=True)
async def info(rig):
    await rig.paired()
    for _ in range(2):
        card = document(succeeded(await rig.ctl("info --json")))
        expect("family", (card["family"], card["firmware_version"]), ("esp32", "1.4.0"))
        expect("protocol", card["application_protocol"], 2)
        rig.peripheral.lose_link()


@case("ears that forgot the bond are named as that, and repair-bond mends it", short=True)
async def stale_bond(rig):
    await rig.paired()
    await rig.peripheral.forget_bond()
    failed(await rig.ctl("info --json"), 12, "stale_bond", "espurr-ctl repair-bond")
    expect("what BlueZ holds", await rig.guest.properties() & {"Bonded"}, {"Bonded"})
    await rig.peripheral.become()
    succeeded(await rig.ctl("repair-bond --yes --json --timeout 20s --passkey-from /host/console"))
    succeeded(await rig.ctl("info --json"))


@case("ears that are off are not found, which is no stale bond")
async def switched_off(rig):
    await rig.paired()
    await rig.peripheral.switch_off()
    failed(await rig.ctl("info --json --timeout 15s"), 11, "ears_not_found")


@case("a machine that forgot the ears says that they are not paired", short=True)
async def not_paired(rig):
    await rig.fresh()
    failed(await rig.ctl("info --json --timeout 10s"), 12, "not_paired")


# --- Settings --------------------------------------------------------------------------------------------------------


@case("set ends at saved, and get reads it back", short=True)
async def settings(rig):
    await rig.paired()
    succeeded(await rig.ctl("set brightness 35 effect ripple"))
    expect("brightness", succeeded(await rig.ctl("get brightness")).out.strip(), "35")
    expect("effect", succeeded(await rig.ctl("get effect")).out.strip(), "ripple")
    failed(await rig.ctl("set brightness 101"), 2)


# --- Firmware --------------------------------------------------------------------------------------------------------


async def install(rig, image, limit=240, flags=""):
    command = f"install --json --yes --unauthenticated {flags} {image}"
    return await rig.ota(command, limit=limit)


EXCHANGE = "without=update-stream"


def sent_in(rig, *limits, endpoint="espurr/update"):
    """Most of the upload's messages were as long as one of these, but for a few bytes of framing: the lengths that fit the
    link, of which the exchange form finds the fastest by trying."""
    lengths = [len(value) for to, value, _ in rig.peripheral.received if to == endpoint and len(value) > 16]
    usual = max(set(lengths), key=lengths.count)
    if not any(limit - 8 <= usual <= limit for limit in limits):
        raise CaseFailed(f"most messages had {usual} bytes, expected {limits}, or a few less")


def confirmed(result, version, unread=()):
    """`unread`: milestones that a lost reply hides."""
    records = documents(succeeded(result))
    expect("verdict", (records[-1]["event"], records[-1]["verdict"]), ("verdict", "confirmed"))
    expect("version", records[-1]["version"], version)
    milestones = [record["milestone"] for record in records if record["event"] == "milestone"]
    wanted = [m for m in ("sent", "accepted", "selected", "booted") if m not in unread]
    expect("milestones", [m for m in milestones if m not in unread], wanted)


async def runs(rig, version):
    card = document(succeeded(await rig.ctl("info --json")))
    expect("running version", card["firmware_version"], version)


@case("install puts an image on the ears as a stream, to confirmed", short=True)
async def install_small(rig):
    await rig.paired()
    confirmed(await install(rig, rig.image("1.5.0", 64)), "1.5.0")
    # One write without response that fills a packet of the link layer: 251 bytes, less 4 and 3 of framing.
    sent_in(rig, 244, endpoint="espurr/update-stream")
    await runs(rig, "1.5.0")


@case("install puts an image on ears without the stream form chunk by chunk, to confirmed", short=True)
async def install_exchange(rig):
    await rig.paired(EXCHANGE)
    confirmed(await install(rig, rig.image("1.5.0", 16)), "1.5.0")
    # One write request, of the MTU less 3 or filling a packet; a long write, of all that fits or of whole parts.
    sent_in(rig, 253, 244, 512, 502)
    await runs(rig, "1.5.0")


@case("install puts 64 KiB on ears that agree to an MTU of 185, to confirmed")
async def install_at_185(rig):
    await rig.paired("mtu=185", EXCHANGE)
    confirmed(await install(rig, rig.image("1.5.0", 64)), "1.5.0")
    expect("MTU", {event["mtu"] for event in rig.peripheral.saw("mtu")}, {185})
    sent_in(rig, 182, 512, 360)


@case("install puts 64 KiB on ears that agree to an MTU of 23, to confirmed")
async def install_at_23(rig):
    await rig.paired("mtu=23", EXCHANGE)
    confirmed(await install(rig, rig.image("1.5.0", 64), limit=900), "1.5.0")
    sent_in(rig, 512, 504)


@case("install puts 1 MiB on the ears at an MTU of 517, to confirmed")
async def install_large(rig):
    await rig.paired("mtu=517", EXCHANGE)
    confirmed(await install(rig, rig.image("1.5.0", 1024), limit=600), "1.5.0")
    sent_in(rig, 512, 495)
    await runs(rig, "1.5.0")


@case("install streams 1 MiB to the ears at an MTU of 517, to confirmed")
async def install_large_stream(rig):
    await rig.paired("mtu=517")
    confirmed(await install(rig, rig.image("1.5.0", 1024), limit=600), "1.5.0")
    sent_in(rig, 495, endpoint="espurr/update-stream")
    await runs(rig, "1.5.0")


@case("install streams 64 KiB to ears that agree to an MTU of 23, to confirmed")
async def install_stream_at_23(rig):
    await rig.paired("mtu=23")
    confirmed(await install(rig, rig.image("1.5.0", 64), limit=900), "1.5.0")
    sent_in(rig, 20, endpoint="espurr/update-stream")


@case("a link lost in the middle of a stream ends with 30: the old firmware runs", short=True)
async def lost_in_stream(rig):
    await rig.paired("drop-at=50%")
    result = failed(await install(rig, rig.image("1.5.0", 16)), 30)
    expect("verdict", document(result)["verdict"], "link_lost_old_firmware_runs")
    await runs(rig, "1.4.0")


@case("a link lost in mid-upload ends with 30: the old firmware runs", short=True)
async def lost_in_upload(rig):
    await rig.paired("drop-at=50%", EXCHANGE)
    result = failed(await install(rig, rig.image("1.5.0", 16)), 30)
    expect("verdict", document(result)["verdict"], "link_lost_old_firmware_runs")
    await runs(rig, "1.4.0")


@case("after a link lost in mid-upload the next attempt is confirmed")
async def after_lost_upload(rig):
    await rig.paired("drop-at=50%")
    failed(await install(rig, rig.image("1.5.0", 16)), 30)
    confirmed(await install(rig, rig.image("1.5.0", 16)), "1.5.0")


@case("firmware that does not come up is rolled back, and that is said")
async def rolled_back(rig):
    await rig.paired("boot-fails")
    result = failed(await install(rig, rig.image("1.5.0", 16)), 40)
    expect("verdict", document(result)["verdict"], "rolled_back")
    await runs(rig, "1.4.0")


@case("the last reply of an upload is lost with the link, and the update is confirmed all the same")
async def lost_last_reply(rig):
    await rig.paired("lose-last-reply")
    confirmed(await install(rig, rig.image("1.5.0", 16)), "1.5.0", unread=["accepted"])


@case("the reply to restart is lost with the link, and the update is confirmed all the same")
async def lost_reply_to_restart(rig):
    await rig.paired("lose-reply=restart")
    confirmed(await install(rig, rig.image("1.5.0", 16)), "1.5.0")


@case("the reply to finish is lost with the link: the session died, and the old firmware runs")
async def lost_reply_to_finish(rig):
    await rig.paired("lose-reply=finish")
    result = failed(await install(rig, rig.image("1.5.0", 16)), 30)
    expect("verdict", document(result)["verdict"], "link_lost_old_firmware_runs")
    await runs(rig, "1.4.0")


# --- A bench ---------------------------------------------------------------------------------------------------------


@case("install --all takes two pairs of ears over one adapter, each to its own verdict")
async def install_all(rig):
    await rig.paired_with_two("boot-fails")
    result = failed(await install(rig, rig.image("1.5.0", 16), limit=600, flags="--all"), 50)
    records = documents(result)
    expect("sequence", [record["sequence"] for record in records], list(range(1, len(records) + 1)))
    verdicts = {record["device"]: record["verdict"] for record in records if record["event"] == "verdict"}
    expect("verdicts", verdicts, {ADDRESS: "confirmed", SECOND_ADDRESS: "rolled_back"})
    expect("summary", (records[-1]["event"], records[-1]["ears"], records[-1]["failed"]), ("summary", 2, 1))


# --- Recovery mode ---------------------------------------------------------------------------------------------------

PASSWORD = "printf 'correct horse' | espurr-ota recover wifi-password --password-from 0 --json"


@case("recover shows ears in recovery mode, sets the password, and restarts them out of it", short=True)
async def recover(rig):
    await rig.paired("recovery")
    shown = document(succeeded(await rig.ota("recover --json")))
    expect("mode", (shown["mode"], shown["old_firmware_to_fall_back_on"]), ("recovery", True))
    expect("what runs", shown["reading"]["running_slot"], None)
    expect("storage", (shown["storage"]["health"], shown["password_set"]), ("good", False))
    failed(await rig.ctl("get brightness"), 25)
    expect("outcome", document(succeeded(await rig.guest.run(PASSWORD)))["outcome"], "saved")
    expect("a password is set", document(succeeded(await rig.ota("recover --json")))["password_set"], True)
    expect("the way out", document(succeeded(await rig.ota("recover restart --json")))["result"], "left")
    await runs(rig, "1.4.0")
    failed(await rig.ota("recover"), 25)


@case("recover with damaged storage says so of a password, and repairs it", short=True)
async def recover_storage(rig):
    await rig.paired("recovery", "storage-damaged")
    report = document(failed(await rig.guest.run(PASSWORD), 24, "recover repair-storage"))
    expect("outcome", (report["outcome"], report["storage"]), ("applied_not_saved", "damaged"))
    expect("repair", document(succeeded(await rig.ota("recover repair-storage --yes --json")))["result"], "repaired")
    expect("outcome", document(succeeded(await rig.guest.run(PASSWORD)))["outcome"], "saved")


@case("recover: ears whose slots are empty take an upload in recovery mode, to confirmed", short=True)
async def recover_empty(rig):
    await rig.paired("no-firmware")
    expect("bootable", document(succeeded(await rig.ota("recover --json")))["bootable_slot"], None)
    failed(await rig.ota("recover restart"), 23)
    confirmed(await install(rig, rig.image("1.5.0", 16)), "1.5.0")
    await runs(rig, "1.5.0")


# --- Throughput ------------------------------------------------------------------------------------------------------


async def install_here(rig, image):
    """The same with the image and the report in the guest's memory: the host's folder takes its own time."""
    command = f"cp {image} /run/image; espurr-ota install --json --yes --unauthenticated --allow-reinstall /run/image >/run/report"
    result = await rig.guest.run(f"( {command}; status=$?; cat /run/report; exit $status )", limit=600)
    confirmed(result, "1.5.0")


@case("throughput: the upload is at least 0.9 of a bare loop of the same exchanges")
async def upload_rate(rig):
    await rig.paired("mtu=517", EXCHANGE)
    found = await compare(rig, install_here, rig.image("1.5.0", 128), "espurr/update", repeat_exchanges)
    at_least(LEAST_RATIO, found)


@case("throughput: the stream form is at least 0.85 of a bare loop of the same packets")
async def stream_upload_rate(rig):
    await rig.paired("mtu=517")
    found = await compare(rig, install_here, rig.image("1.5.0", 1024), "espurr/update-stream", repeat_packets)
    at_least(LEAST_STREAM_RATIO, found)


def at_least(ratio, comparison):
    note(str(comparison))
    if comparison.ratio < ratio:
        raise CaseFailed(str(comparison))


@case("throughput: a bare loop over AcquireWrite, the floor of an upload without responses")
async def stream_rate(rig):
    arrived, handed_over, size = await bare_stream(rig)
    note(f"{size} bytes: arrived at {arrived:.0f} B/s; the sender was done after {handed_over:.1f} s")


def note(line):
    print(f"      {line}", flush=True)
