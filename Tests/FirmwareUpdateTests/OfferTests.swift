import Catalogue
import FirmwareUpdate
import Testing

@Suite struct `What is offered` {
    private func releases() throws -> [Release] {
        [
            try release("1.5.0"), try release("1.4.0"), try release("1.10.0"),
            try release("1.11.0-rc.1", channel: "candidate"), try release("9.0.0", family: "v2-8m"),
            try release("2.0.0-rc.1", family: "esp32", channel: "candidate"),
        ]
    }

    private func newest(
        _ running: String?, _ policy: OfferPolicy = OfferPolicy(), family: String = "s3"
    ) throws -> Offer {
        Offer.newest(among: try releases(), family: family, running: running, policy: policy)
    }

    private func version(
        _ version: String, _ running: String?, _ policy: OfferPolicy = OfferPolicy(), family: String = "s3"
    ) throws -> Offer {
        Offer.version(
            try #require(SemanticVersion(version)), among: try releases(), family: family, running: running,
            policy: policy)
    }

    private func semantic(_ text: String) throws -> SemanticVersion { try #require(SemanticVersion(text)) }

    private let older = OfferPolicy(allowsOlder: true)
    private let reinstall = OfferPolicy(allowsReinstall: true)
    private let candidates = OfferPolicy(includesCandidates: true)

    @Test func `the newest stable release of the family, in SemVer's order`() throws {
        #expect(try newest("1.4.0") == .offered(try release("1.10.0"), .newer(than: try semantic("1.4.0"))))
    }

    @Test func `a candidate only where candidates were asked for`() throws {
        #expect(
            try newest("1.10.0", candidates)
                == .offered(
                    try release("1.11.0-rc.1", channel: "candidate"), .newer(than: try semantic("1.10.0"))))
    }

    @Test func `a candidate of an older version is not above a newer stable release`() throws {
        let all = [try release("1.5.0-rc.9", channel: "candidate"), try release("1.5.0")]
        let offer = Offer.newest(among: all, family: "s3", running: "1.4.0", policy: candidates)
        #expect(offer == .offered(try release("1.5.0"), .newer(than: try semantic("1.4.0"))))
    }

    @Test(arguments: ["1.10.0", "1.11.0-rc.1", "2.0.0"])
    func `nothing newer is up to date`(running: String) throws {
        #expect(
            try newest(running) == .upToDate(running: try semantic(running), newest: try release("1.10.0")))
    }

    @Test func `the newest may be asked for again, or though it is older`() throws {
        #expect(try newest("1.10.0", reinstall) == .offered(try release("1.10.0"), .reinstall))
        #expect(
            try newest("2.0.0", older) == .offered(try release("1.10.0"), .older(than: try semantic("2.0.0"))))
    }

    @Test func `where what runs is not known the newest is offered`() throws {
        #expect(try newest(nil) == .offered(try release("1.10.0"), .newest))
    }

    @Test func `what has no semantic version cannot be ordered`() throws {
        #expect(
            try newest("v1.4-dirty")
                == .refused(.unordered(offered: "1.10.0", running: "v1.4-dirty")))
        #expect(
            try newest("v1.4-dirty", older)
                == .offered(try release("1.10.0"), .unordered(running: "v1.4-dirty")))
    }

    @Test func `a family without releases, and one with candidates only`() throws {
        #expect(
            try newest("1.4.0", family: "v2-16m")
                == .refused(.noReleases(family: "v2-16m", others: ["esp32", "s3", "v2-8m"])))
        #expect(
            try newest("1.4.0", family: "esp32") == .refused(.onlyCandidates(newest: try semantic("2.0.0-rc.1"))))
    }

    @Test func `an explicit version that is older, the same, a candidate, or not there`() throws {
        let running = try semantic("1.5.0")
        #expect(try version("1.4.0", "1.5.0") == .refused(.older("1.4.0", running: running)))
        #expect(try version("1.5.0", "1.5.0") == .refused(.same(running)))
        #expect(
            try version("1.11.0-rc.1", "1.5.0") == .refused(.candidate(try semantic("1.11.0-rc.1"))))
        #expect(
            try version("9.0.0", "1.5.0") == .refused(.noSuchVersion(try semantic("9.0.0"), family: "s3")))
    }

    @Test func `each refusal is lifted by the permission that it names`() throws {
        let all = OfferPolicy(allowsOlder: true, allowsReinstall: true, includesCandidates: true)
        for (wanted, running) in [("1.4.0", "1.5.0"), ("1.5.0", "1.5.0"), ("1.11.0-rc.1", "1.5.0"), ("1.5.0", "odd")] {
            guard case .refused(let refusal) = try version(wanted, running) else {
                Issue.record("\(wanted) was not refused")
                continue
            }
            let lift = try #require(refusal.liftedBy)
            guard case .offered = try version(wanted, running, policy(lift)) else {
                Issue.record("\(lift) did not lift \(refusal)")
                continue
            }
            guard case .refused = try version(wanted, running, all.without(lift)) else {
                Issue.record("something beside \(lift) lifts \(refusal)")
                continue
            }
        }
        #expect(OfferRefusal.noReleases(family: "s3", others: []).liftedBy == nil)
    }

    @Test func `one version twice is told apart by channel, then path`() throws {
        let twice = [
            try release("1.5.0", file: "b.bin"), try release("1.5.0", channel: "candidate", file: "c.bin"),
            try release("1.5.0", file: "a.bin"),
        ]
        for order in [twice, twice.reversed()] {
            let offer = Offer.newest(among: order, family: "s3", running: nil, policy: candidates)
            #expect(offer == .offered(try release("1.5.0", file: "b.bin"), .newest))
        }
    }

    private func policy(_ permission: OfferPolicy.Permission) -> OfferPolicy {
        switch permission {
        case .older: older
        case .reinstall: reinstall
        case .candidates: candidates
        }
    }
}

extension OfferPolicy {
    fileprivate func without(_ permission: Permission) -> OfferPolicy {
        var rest = self
        switch permission {
        case .older: rest.allowsOlder = false
        case .reinstall: rest.allowsReinstall = false
        case .candidates: rest.includesCandidates = false
        }
        return rest
    }
}

@Suite struct `A catalogue that contradicts itself` {
    @Test(arguments: [
        ("s3/1.6.0/image.bin", "version", "1.6.0", "1.5.0"), ("v2-8m/1.5.0/image.bin", "family", "v2-8m", "s3"),
    ])
    func `is named for whichever of path and description was asked for`(
        path: String, field: String, pathValue: String, customValue: String
    ) throws {
        let found = try #require(ReleaseContradiction(try target("1.5.0", path: path)))
        #expect([found.field, found.pathValue, found.customValue] == [field, pathValue, customValue])
        for value in [pathValue, customValue] {
            let family = field == "family" ? value : "s3"
            let version = try #require(SemanticVersion(field == "version" ? value : "1.5.0"))
            #expect(found.concerns(family: family, version: version))
            #expect(found.concerns(family: family, version: nil))
        }
        #expect(!found.concerns(family: "esp32", version: nil))
        #expect(!found.concerns(family: "s3", version: SemanticVersion("1.4.0")))
    }

    @Test func `is not what a release is, nor a target of another kind`() throws {
        #expect(ReleaseContradiction(try target("1.5.0", path: "s3/1.5.0/image.bin")) == nil)
        #expect(ReleaseContradiction(try target("1.5.0", path: "readme.txt")) == nil)
    }
}
