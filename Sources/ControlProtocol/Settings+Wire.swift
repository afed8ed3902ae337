extension DeviceInformation: MergingMessage {
    static let unset = DeviceInformation(
        family: "", chip: "", firmwareVersion: "", name: "", hardwareRevision: "", applicationProtocol: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &family)
        case 2: try reader.string(field, into: &chip)
        case 3: try reader.string(field, into: &firmwareVersion)
        case 4: try reader.string(field, into: &name)
        case 5: try reader.string(field, into: &hardwareRevision)
        case 6: try reader.uint32(field, into: &applicationProtocol)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, family)
        writer.string(2, chip)
        writer.string(3, firmwareVersion)
        writer.string(4, name)
        writer.string(5, hardwareRevision)
        writer.uint32(6, applicationProtocol)
    }
}

extension Capabilities: MergingMessage {
    static let unset = Capabilities(names: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.strings(field, into: &names)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.strings(1, names)
    }
}

extension ChangeRequest: MergingMessage {
    static let unset = ChangeRequest(id: 0, basedOnRevision: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &id)
        case 2: try reader.uint32(field, into: &basedOnRevision)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, id)
        writer.uint32(2, basedOnRevision)
    }
}
