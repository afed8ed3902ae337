import Bluetooth
import Testing

struct `Identifiers` {
    @Test(arguments: [
        "", "24:0A:C4:00:11", "24:0A:C4:00:11:22:33", "24:0A:C4:00:11:2", "24-0A-C4-00-11-22", "24:0A:C4:00:11:2G",
        "+4:0A:C4:00:11:22", "24:0A:C4:00:11:22 ",
    ]) func `an address is six pairs of hex digits`(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func `an address reads in either case and is written in capitals`() {
        #expect(BluetoothAddress("24:0a:c4:00:11:ff")?.description == "24:0A:C4:00:11:FF")
        #expect(BluetoothAddress("24:0a:c4:00:11:ff")?.bytes == [0x24, 0x0a, 0xc4, 0, 0x11, 0xff])
    }

    @Test func `a UUID is one whatever its case, and assigned numbers stand on the base`() {
        #expect(BluetoothUUID("00002901-0000-1000-8000-00805F9B34FB") == .userDescription)
        #expect(BluetoothUUID(assigned: 0xff).description == "000000ff-0000-1000-8000-00805f9b34fb")
    }

    @Test(arguments: ["", "2901", "00002901000010008000-00805f9b34fb", "00002901-0000-1000-8000-00805f9b34fg"])
    func `a short form is no UUID`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test(arguments: ["hci", "hci-1", "hci123456", "eth0", "hci0 ", ""]) func `is no adapter`(_ name: String) {
        #expect(AdapterName(name) == nil)
    }

    @Test(arguments: [(0, "000000"), (42, "000042"), (999_999, "999999")] as [(UInt32, String)])
    func `a passkey always has six digits`(_ number: UInt32, _ text: String) {
        #expect(Passkey(number)?.description == text)
    }

    @Test func `a passkey ends at 999999`() { #expect(Passkey(1_000_000) == nil) }
}
