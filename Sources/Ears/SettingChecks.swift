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
            try checkCharacters(of: text)
        case (.effect(let parameters), .parameters(let values)):
            try EffectText.check(values, against: parameters, for: self)
        case (.palette(let stops, _), .palette(let palette)):
            do { try PaletteText.check(palette, maximumStops: Int(stops)) } catch { throw self.error(.palette(error)) }
        // What was read from these ears once goes back as it was; the ears check it themselves.
        case (.structured, .bytes), (.unknown, _): return
        default: throw error(.wrongType)
        }
    }

    private func checkCharacters(of text: String) throws(SettingError) {
        guard !text.steersTerminal else { throw error(.steersTerminal) }
    }

    /// The bytes of a secret, against everything that the ears say of it.
    func checkSecret(_ bytes: [UInt8]) throws(SettingError) {
        if let missingCapability { throw error(.capabilityMissing(missingCapability)) }
        guard case .text(let minimum, let maximum) = descriptor?.kind, type == .string else { throw error(.wrongType) }
        // What was typed is in no error; what would be taken is no secret.
        func refusal(_ reason: SettingError.Reason) -> SettingError {
            SettingError(setting: name, reason: reason, descriptor: descriptor)
        }
        guard bytes.count <= maximum else { throw refusal(.tooLong(maximumBytes: Int(maximum))) }
        guard bytes.count >= minimum else { throw refusal(.tooShort(minimumBytes: Int(minimum))) }
        // IEEE 802.11, M.4.1: a passphrase is of these characters.
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw error(.notPrintable) }
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
        case (.message, .parameters(let parameters)): return parameters.encoded()
        case (.message, .palette(let palette)): return palette.encoded()
        case (_, .bytes(let bytes)): return bytes
        default: throw error(.wrongType)
        }
    }

    private func place(of name: String) throws(SettingError) -> Int32 {
        guard case .enumeration(let choices) = descriptor?.kind else { throw error(.wrongType) }
        guard let place = choices.firstIndex(of: name) else { throw error(.notAChoice(choices)) }
        return Int32(place)
    }
}

extension String {
    /// Control characters, line and paragraph separators, and what turns the direction of text: ears refuse them.
    var steersTerminal: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}
