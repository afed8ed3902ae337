import Catalogue
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Testing

@Suite struct `Whether an image fits` {
    @Test func `an image that everything agrees on fits`() throws {
        let image = try soundImage()
        let candidates: [UpdateCandidate] = [
            .release(try release(of: image), image), .described(try release(of: image)), .file(image),
        ]
        for candidate in candidates { #expect(Preflight.refusals(candidate, on: try report()) == []) }
    }

    @Test func `ears of another family`() throws {
        let image = try soundImage()
        let refusals = Preflight.refusals(.release(try release(of: image), image), on: try report(family: "v2-8m"))
        let witnesses = FamilyWitnesses(path: "s3", custom: "s3", projectName: "espurr-s3", ears: "v2-8m")
        #expect(refusals == [.family(witnesses)])
    }

    @Test func `an image whose descriptor names another family than the catalogue`() throws {
        let image = try soundImage(family: "v2-8m")
        let refusals = Preflight.refusals(.release(try release(of: image), image), on: try report())
        let witnesses = FamilyWitnesses(path: "s3", custom: "s3", projectName: "espurr-v2-8m", ears: "s3")
        #expect(refusals == [.family(witnesses)])
    }

    @Test func `somebody else's sound image`() throws {
        let image = try soundImage(project: "wled")
        let witnesses = FamilyWitnesses(path: nil, custom: nil, projectName: "wled", ears: "s3")
        #expect(Preflight.refusals(.file(image), on: try report()) == [.family(witnesses)])
    }

    @Test func `a family that this build does not know`() throws {
        #expect(
            Preflight.refusals(.file(try soundImage()), on: try report(family: "v3")) == [.unknownFamily("v3")])
    }

    @Test func `a catalogue or ears that name another chip`() throws {
        let image = try soundImage()
        let other = try release(
            "1.5.0", chip: "ESP32", length: image.size, sha256: hexadecimal(image.sha256))
        #expect(
            Preflight.refusals(.release(other, image), on: try report())
                == [.chip(expected: "ESP32-S3", release: "ESP32", image: "ESP32-S3", ears: "ESP32-S3")])
        #expect(
            Preflight.refusals(.file(image), on: try report(chip: "ESP32"))
                == [.chip(expected: "ESP32-S3", release: nil, image: "ESP32-S3", ears: "ESP32")])
    }

    @Test func `a catalogue whose version is not the image's own`() throws {
        let image = try soundImage(version: "1.5.1")
        #expect(
            Preflight.refusals(.release(try release(of: image, version: "1.5.0"), image), on: try report())
                == [.version(release: "1.5.0", image: "1.5.1")])
    }

    @Test func `a file that is not the one that the release describes`() throws {
        let image = try soundImage()
        let other = try release("1.5.0", length: image.size, sha256: String(repeating: "1", count: 64))
        #expect(Preflight.refusals(.release(other, image), on: try report()) == [.otherFile])
    }

    @Test func `firmware that speaks another application protocol`() throws {
        let next = try release("1.5.0", applicationProtocol: 3)
        #expect(
            Preflight.refusals(.described(next), on: try report()) == [.applicationProtocol(release: 3)])
    }

    @Test func `a slot that is as large as the image takes it, one byte less does not`() throws {
        let image = try soundImage()
        let exact = StatusShape(capacity: UInt32(image.size))
        let short = StatusShape(capacity: UInt32(image.size - 1))
        #expect(Preflight.refusals(.file(image), on: try report(exact)) == [])
        #expect(
            Preflight.refusals(.file(image), on: try report(short))
                == [.tooLarge(size: image.size, capacity: image.size - 1, largerLayout: 3072 * 1024)])
    }

    @Test func `an image that no layout of the family takes has no larger layout to go to`() throws {
        let huge = try release("1.5.0", length: 3072 * 1024 + 1)
        #expect(
            Preflight.refusals(.described(huge), on: try report())
                == [.tooLarge(size: 3_145_729, capacity: 3_145_728, largerLayout: nil)])
    }

    @Test func `ears with one slot`() throws {
        #expect(
            Preflight.refusals(.file(try soundImage()), on: try report(StatusShape(slots: 1))) == [.noInactiveSlot])
    }

    @Test(arguments: [OTAState.new, .pendingVerify])
    func `firmware that is still on trial`(state: OTAState) throws {
        #expect(
            Preflight.refusals(.file(try soundImage()), on: try report(StatusShape(runningState: state)))
                == [.trialPending])
    }

    @Test(
        arguments: [
            (29, 0, 30), (0, 0, 30), (30, 0, nil), (49, 50, 50), (50, 50, nil), (10, 5, nil),
        ] as [(UInt32, UInt32, Int?)])
    func `a battery below what the ears need, or else below 30 %`(percent: UInt32, stated: UInt32, needed: Int?) throws
    {
        let shape = StatusShape(battery: percent, batteryNeeded: stated)
        let expected = needed.map { [PreflightRefusal.batteryLow(percent: Int(percent), needed: $0)] } ?? []
        #expect(Preflight.refusals(.file(try soundImage()), on: try report(shape)) == expected)
    }

    @Test func `everything that speaks against it is named`() throws {
        let shape = StatusShape(runningState: .pendingVerify, capacity: 100, battery: 3)
        let image = try soundImage()
        #expect(
            Preflight.refusals(.file(image), on: try report(shape)) == [
                .tooLarge(size: image.size, capacity: 100, largerLayout: 3072 * 1024), .trialPending,
                .batteryLow(percent: 3, needed: 30),
            ])
    }
}
