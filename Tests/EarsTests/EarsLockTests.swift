import Bluetooth
import Ears
import Foundation
import TestSupport
import Testing

@Suite struct `Owning a pair of ears` {
    private let folder: TemporaryFolder
    private let adapter: AdapterName
    private let address: BluetoothAddress

    init() throws {
        folder = try TemporaryFolder()
        adapter = try #require(AdapterName("hci0"))
        address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
    }

    private var runtime: String { "\(folder.path)/runtime" }

    @Test func `a second command is told who holds them`() throws {
        let lock = try EarsLock(adapter: adapter, address: address, in: runtime)
        let holder = ProcessInfo.processInfo.processIdentifier
        #expect(throws: EarsLockError.held(by: holder)) {
            try EarsLock(adapter: adapter, address: address, in: runtime)
        }
        #expect(lock.address == address)
    }

    @Test func `they are free again when the lock is dropped`() throws {
        _ = try EarsLock(adapter: adapter, address: address, in: runtime)
        let again = try EarsLock(adapter: adapter, address: address, in: runtime)
        #expect(again.adapter == adapter)
    }

    @Test func `other ears, and the same ones on another adapter, are not held`() throws {
        let first = try EarsLock(adapter: adapter, address: address, in: runtime)
        let second = try EarsLock(adapter: try #require(AdapterName("hci1")), address: address, in: runtime)
        let third = try EarsLock(
            adapter: adapter, address: try #require(BluetoothAddress("F0:00:00:00:00:02")), in: runtime)
        #expect([first.adapter, second.adapter, third.adapter].map(\.description) == ["hci0", "hci1", "hci0"])
    }

    @Test func `a folder that is a link is not one's own`() throws {
        try FileManager.default.createSymbolicLink(atPath: runtime, withDestinationPath: folder.path)
        #expect(throws: EarsLockError.foreignFolder(path: runtime)) {
            try EarsLock(adapter: adapter, address: address, in: runtime)
        }
    }

    @Test func `a file in the folder's place is named`() throws {
        try folder.write("", to: "runtime")
        #expect(throws: EarsLockError.failed(path: runtime, errno: ENOTDIR)) {
            try EarsLock(adapter: adapter, address: address, in: runtime)
        }
    }
}
