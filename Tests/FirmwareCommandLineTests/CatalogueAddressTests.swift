import CommandLineTools
import FirmwareCommandLine
import Foundation
import TestSupport
import Testing

@Suite struct CatalogueAddressTests {
    private func failure(_ address: String) -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try CatalogueAccess.configurable(address)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [".", "./"]) func `a folder is meant from where the command was run`(address: String) throws {
        #expect(try CatalogueAccess.configurable(address) == FileManager.default.currentDirectoryPath)
    }

    @Test(arguments: ["/", "file:///", "https://firmware.example/", "http://127.0.0.1:8000/x", "/nonexistent/stick"])
    func `any other address stays as it is`(address: String) throws {
        #expect(try CatalogueAccess.configurable(address) == address)
    }

    @Test func `a whole path to a folder that is not there, or is empty, is taken, and that is told`() throws {
        let folder = try TemporaryFolder()
        #expect(
            CatalogueAccess.absence(of: "file:///media/none/ears%20")
                == "/media/none/ears  is not there now: the catalogue can be read once it is")
        #expect(
            CatalogueAccess.absence(of: folder.path)
                == "\(folder.path) holds no catalogue now (no metadata/): it can be read once it does")
        try FileManager.default.createDirectory(atPath: folder.path + "/metadata", withIntermediateDirectories: false)
        #expect(CatalogueAccess.absence(of: folder.path) == nil)
        #expect(CatalogueAccess.absence(of: "https://firmware.example/") == nil)
    }

    @Test func `a password in an address is repeated to nobody`() {
        for address in ["https://user:secret@x.example/", "https://a:secret@b:secret@x.example/"] {
            let failure = failure(address)
            let shown = "the catalogue's address “https://…@x.example/”"
            #expect(failure?.cause == shown + ": it holds a user name or password")
            #expect(failure?.code == "catalogue_address")
            #expect(failure?.remedy == "leave out the user name and password")
        }
        // Whatever else is wrong with it, and found first.
        for address in [
            "https://user:sec ret@x.example/", "https://user:secr/et@x.example/", "ftp://user:secret@x.example/",
            "https:///user:secret@x.example/",
        ] {
            let cause = failure(address)?.cause
            #expect(cause?.contains("://…@x.example/”") == true && cause?.contains("sec") == false)
        }
    }

    /// Each with words of its own: nobody is sent to look for a fault that it has not.
    @Test(arguments: [
        ("https://x.example:0/", "its port is not a number from 1 to 65535", "leave the port out"),
        ("https://x.example/%zz", "a “%” in it has no two hex digits behind it", "%25"),
        ("https://999.1.1.1/", "its host ends in a number, and is no IPv4 address", "https://192.0.2.1/"),
        ("https://[::1::]/", "its host is no IPv6 address in [ ]", "https://[2001:db8::1]/"),
        ("https://..", "its host begins with a dot, or has two without anything between them", "https://firmware"),
        ("https://x.example/a b", "it holds a space, or another character that no address has", "%20"),
        (" https://x.example/", "it holds a space, or another character that no address has", "leave the space out"),
        ("https://x.example/ ", "it holds a space, or another character that no address has", "leave the space out"),
        ("https://x .example/", "it holds a space, or another character that no address has", "leave the space out"),
        ("https://x.example/?a=b", "it holds a query or a fragment", "leave out the part from ? on"),
        ("https://x.example/#a?", "it holds a query or a fragment", "leave out the part from # on"),
        (
            "https://firmware..example/", "its host begins with a dot, or has two without anything between them",
            "one dot"
        ),
        (
            "http://localhost:8000", "plain http is for literal loopback addresses only", "http://127.0.0.1:8000"
        ),
        (
            "HTTP://LocalHost/ears", "plain http is for literal loopback addresses only", "http://127.0.0.1/ears"
        ),
        ("http://localhost.example/", "plain http is for literal loopback addresses only", "an https address"),
        ("file://cat", "a file address names this machine: file:///media/stick", "three slashes"),
        ("file://server/cat", "a file address names this machine: file:///media/stick", "three slashes"),
        ("file:/srv/cat", "a file address names this machine: file:///media/stick", "three slashes"),
        ("https://fir,ware.example/", "its host is no name of ASCII letters, digits, “-” and “.”", "https://firmware"),
        ("https://m\u{FC}nchen.example/", "its host is no name of ASCII letters, digits, “-” and “.”", "xn--"),
    ])
    func `an address that can never work has its own cause and its own remedy`(
        address: String, cause: String, remedy: String
    ) {
        let failure = failure(address)
        #expect(failure?.cause == "the catalogue's address “\(address)”: \(cause)")
        #expect(failure?.remedy?.contains(remedy) == true)
        #expect((failure?.remedy?.contains("xn--") ?? false) == (remedy == "xn--"))
        #expect((failure?.remedy?.contains("%20") ?? false) == remedy.hasPrefix("%2"))
    }

    @Test(arguments: [
        ("nonexistent/stick", "there is no such folder here"), ("firmware.example", "there is no such folder here"),
        ("/etc/passwd", "it is no folder"), ("file:///etc/passwd", "it is no folder"), ("", "it is no address"),
        ("https:x", "it is no address"), ("https:/firmware.example", "it is no address"),
        ("file:x", "a file address names this machine: file:///media/stick"), ("C:ears", "it is no address"),
        ("file://other.example/ears", "a file address names this machine: file:///media/stick"),
        ("https://ohren.m\u{FC}nchen.example/", "its host is no name of ASCII letters, digits, “-” and “.”"),
        ("http://firmware.example/", "plain http is for literal loopback addresses only"),
    ])
    func `what can be no catalogue's address is refused with cause and remedy: 2`(address: String, cause: String) {
        let failure = failure(address)
        #expect(failure?.status == .usage)
        #expect(failure?.code == "catalogue_address")
        #expect(failure?.cause == "the catalogue's address “\(address)”: \(cause)")
        #expect(failure?.remedy != nil)
    }
}
