internal import ControlProtocol

extension Setting {
    /// The bytes of a value, checked against everything that the ears say of the setting.
    func encode(_ value: SettingValue) throws(SettingError) -> [UInt8] {
        if let missingCapability { throw error(.capabilityMissing(missingCapability)) }
        guard !isReadOnly else { throw error(.readOnly) }
        if let kind = descriptor?.kind { try check(value, against: kind) }
        return try bytes(of: value)
    }

    private func check(_ value: SettingValue, against kind: SettingKind) throws(SettingError) {
        switch (kind, value) {
        case (.boolean, .boolean): return
        case (.integer(let minimum, let maximum, let step), .integer(let number)):
            try checkRange(number, Int64(minimum), Int64(maximum), max(1, Int64(step)))
        case (.enumeration(let choices), .choice(let name)):
            guard choices.contains(name) else { throw error(.notAChoice(choices)) }
        case (.text(let minimum, let maximum), .text(let text)):
            let bytes = text.utf8.count
            guard bytes <= maximum else { throw error(.tooLong(maximumBytes: Int(maximum))) }
            guard bytes >= minimum else { throw error(.tooShort(minimumBytes: Int(minimum))) }
        case (.structured, .bytes): return
        case (.unknown, _): throw error(.unknownKind)
        default: throw error(.wrongType)
        }
    }

    private func checkRange(_ number: Int64, _ minimum: Int64, _ maximum: Int64, _ step: Int64) throws(SettingError) {
        guard number >= minimum, number <= maximum, (number - minimum).isMultiple(of: step) else {
            throw error(.outOfRange(minimum: minimum, maximum: maximum, step: step))
        }
    }

    private func bytes(of value: SettingValue) throws(SettingError) -> [UInt8] {
        switch (type, value) {
        case (.boolean, .boolean(let value)): return PropertyScalar.boolean(value).encoded()
        case (.int32, .integer(let number)):
            guard let narrow = Int32(exactly: number) else {
                throw error(.outOfRange(minimum: Int64(Int32.min), maximum: Int64(Int32.max), step: 1))
            }
            return PropertyScalar.int32(narrow).encoded()
        case (.timestamp, .integer(let number)): return PropertyScalar.timestamp(number).encoded()
        case (.int32, .choice(let name)): return PropertyScalar.int32(try place(of: name)).encoded()
        case (.string, .choice(let text)), (.string, .text(let text)): return PropertyScalar.string(text).encoded()
        case (.message, .bytes(let bytes)): return bytes
        default: throw error(.wrongType)
        }
    }

    private func place(of name: String) throws(SettingError) -> Int32 {
        guard case .enumeration(let choices) = descriptor?.kind else { throw error(.wrongType) }
        guard let place = choices.firstIndex(of: name) else { throw error(.notAChoice(choices)) }
        return Int32(place)
    }
}
