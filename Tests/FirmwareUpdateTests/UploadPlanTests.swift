import ControlProtocol
import FirmwareUpdate
import Testing

@Suite struct `Cutting a file for the link` {
    @Test(arguments: [
        // One write request carries the most where it carries as much as the endpoint takes, or nearly.
        (517, 512, 512), (500, 512, 497), (256, 512, 253), (247, 512, 244), (517, 257, 257), (247, 257, 244),
        // Below, a long write of many parts moves more in a round trip than a request of a few bytes.
        (23, 512, 512), (23, 257, 257), (48, 512, 512),
        // What is no MTU is the smallest.
        (0, 512, 512), (517, 4096, 512),
    ])
    func `the message limit comes from MTU and endpoint`(mtu: Int, limit: Int, message: Int) {
        let plan = UploadPlan(size: 1_000_000, maximumTransmissionUnit: mtu, requestLimit: limit)
        #expect(plan.messageLimits.first == message)
        #expect(plan.isPossible)
    }

    @Test(arguments: [(517, 512), (23, 257), (247, 512), (517, 30)], [1, 40, 4096, 70_000])
    func `every chunk fits, and together they are the file`(link: (mtu: Int, limit: Int), size: Int) throws {
        let plan = UploadPlan(size: size, maximumTransmissionUnit: link.mtu, requestLimit: link.limit)
        for limit in plan.messageLimits { try expectWhole(plan, size, limit) }
        #expect(!plan.messageLimits.isEmpty)
    }

    private func expectWhole(_ plan: UploadPlan, _ size: Int, _ limit: Int) throws {
        var offset = 0
        while offset < size {
            let length = plan.chunk(at: offset, session: .max, messageLimit: limit)
            try #require(length > 0)
            let data = [UInt8](repeating: 1, count: length)
            let bytes = UpdateRequest.chunk(session: .max, offset: UInt32(offset), data: data).encoded().count
            #expect(bytes <= limit)
            if offset + length < size {
                let more = UpdateRequest.chunk(session: .max, offset: UInt32(offset), data: data + [1]).encoded().count
                #expect(more > limit)
            }
            offset += length
        }
        #expect(offset == size)
        #expect(plan.chunk(at: size, session: 1, messageLimit: limit) == 0)
    }

    @Test func `a link without room for a byte of data is not possible`() {
        #expect(UploadPlan(size: 1_000_000, maximumTransmissionUnit: 23, requestLimit: 12).isPossible == false)
    }

    @Test(arguments: [
        // With L2CAP's and ATT's headers, packets of 251 bytes are full to the last byte: one, two.
        (512, 495), (497, 495), (495, 495), (494, 244), (253, 244), (244, 244),
        // One packet takes all of it anyway.
        (182, 182), (20, 20),
    ])
    func `a value that needs several packets fills them`(limit: Int, value: Int) {
        #expect(UploadPlan.fillingPackets(limit) == value)
    }

    @Test(arguments: [
        (517, 512, [512, 495]), (256, 512, [253, 244, 512, 502]), (247, 512, [244, 512, 484]),
        (247, 257, [244, 257, 242]), (23, 512, [512, 20, 504]),
    ])
    func `all lengths that are worth a try are there`(mtu: Int, limit: Int, messages: [Int]) {
        let plan = UploadPlan(size: 1_000_000, maximumTransmissionUnit: mtu, requestLimit: limit)
        #expect(Set(plan.messageLimits) == Set(messages))
        #expect(plan.messageLimits.first == messages.first)
    }
}
