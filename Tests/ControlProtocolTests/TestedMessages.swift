import ControlProtocol
import TestSupport

/// A message with its name in `Protocol/*.proto`, and values of it that a seed decides.
protocol TestedMessage: WireMessage {
    static var protoName: String { get }
    static func generated(using random: inout SeededRandom) -> Self
}

enum MessageKind: String, CaseIterable, Sendable {
    case request, response, securityZero, device, capabilities, state, change, descriptor, effectParameters, palette,
        namedPalette, paletteCommand, motionState, motionCommand, storageState, storageCommand, updateRequest,
        updateReply, streamChunk, streamCredit, audioRequest, audioReply

    var type: any TestedMessage.Type {
        switch self {
        case .request: LocalControlRequest.self
        case .response: LocalControlResponse.self
        case .securityZero: SecurityZeroMessage.self
        case .device: DeviceInformation.self
        case .capabilities: Capabilities.self
        case .state: EarsState.self
        case .change: ChangeRequest.self
        case .descriptor: SettingDescriptor.self
        case .effectParameters: EffectParameters.self
        case .palette: Palette.self
        case .namedPalette: NamedPalette.self
        case .paletteCommand: PaletteCommand.self
        case .motionState: MotionState.self
        case .motionCommand: MotionCommand.self
        case .storageState: StorageState.self
        case .storageCommand: StorageCommand.self
        case .updateRequest: UpdateRequest.self
        case .updateReply: UpdateReply.self
        case .streamChunk: StreamChunk.self
        case .streamCredit: StreamCredit.self
        case .audioRequest: AudioRequest.self
        case .audioReply: AudioReply.self
        }
    }
}

extension LocalControlRequest: TestedMessage {
    static let protoName = "espurr.local_ctrl.LocalCtrlMessage"

    static func generated(using random: inout SeededRandom) -> LocalControlRequest {
        switch random.below(3) {
        case 0: .propertyCount
        case 1: .propertyValues(indices: random.array { $0.number() })
        default: .setPropertyValues(random.array { PropertyValue(index: $0.number(), value: $0.bytes()) })
        }
    }
}

extension LocalControlResponse: TestedMessage {
    static let protoName = "espurr.local_ctrl.LocalCtrlMessage"

    static func generated(using random: inout SeededRandom) -> LocalControlResponse {
        let status = random.enumeration(LocalControlStatus.self)
        return switch random.below(3) {
        case 0: .propertyCount(status: status, count: random.number())
        case 1:
            .propertyValues(
                status: status,
                properties: random.array {
                    PropertyInfo(
                        status: $0.enumeration(), name: $0.text(), type: PropertyType(rawValue: $0.number()),
                        flags: PropertyFlags(rawValue: $0.number()), value: $0.bytes())
                })
        default: .setPropertyValues(status: status)
        }
    }
}

extension SecurityZeroMessage: TestedMessage {
    static let protoName = "espurr.session.SessionData"

    static func generated(using random: inout SeededRandom) -> SecurityZeroMessage {
        random.bool() ? .command : .response(status: random.enumeration())
    }
}

extension DeviceInformation: TestedMessage {
    static let protoName = "espurr.settings.DeviceInformation"

    static func generated(using random: inout SeededRandom) -> DeviceInformation {
        DeviceInformation(
            family: random.text(), chip: random.text(), firmwareVersion: random.text(), name: random.text(),
            hardwareRevision: random.text(), applicationProtocol: random.number())
    }
}

extension Capabilities: TestedMessage {
    static let protoName = "espurr.settings.Capabilities"

    static func generated(using random: inout SeededRandom) -> Capabilities {
        Capabilities(names: random.array { $0.text() })
    }
}

extension EarsState: TestedMessage {
    static let protoName = "espurr.settings.EarsState"

    static func generated(using random: inout SeededRandom) -> EarsState {
        EarsState(
            revision: random.number(),
            lastChange: random.optional {
                Change(
                    id: $0.number(), revision: $0.number(), stage: $0.enumeration(),
                    properties: $0.array { $0.number() })
            },
            lastRefusal: random.optional {
                SettingRefusal(changeID: $0.number(), property: $0.number(), reason: $0.enumeration())
            },
            battery: random.optional { Battery(percent: $0.number(), percentNeededForUpdate: $0.number()) })
    }
}

extension ChangeRequest: TestedMessage {
    static let protoName = "espurr.settings.ChangeRequest"

    static func generated(using random: inout SeededRandom) -> ChangeRequest {
        ChangeRequest(id: random.number(), basedOnRevision: random.number())
    }
}

extension UpdateRequest: TestedMessage {
    static let protoName = "espurr.update.UpdateRequest"

    static func generated(using random: inout SeededRandom) -> UpdateRequest {
        switch random.below(6) {
        case 0: .status
        case 1: .begin(size: random.number(), sha256: random.bytes(), family: random.text(), version: random.text())
        case 2: .chunk(session: random.number(), offset: random.number(), data: random.bytes())
        case 3: .finish(session: random.number())
        case 4: .abort(session: random.number())
        default: .restart
        }
    }
}

extension UpdateReply: TestedMessage {
    static let protoName = "espurr.update.UpdateReply"

    static func generated(using random: inout SeededRandom) -> UpdateReply {
        UpdateReply(
            session: random.number(), state: random.enumeration(), nextOffset: random.number(),
            refusal: random.optional { $0.refusal() }, deviceError: random.number(), silenceLimit: random.number(),
            status: random.optional { random in
                UpdateStatus(
                    runningSlot: random.number(), selectedSlot: random.number(),
                    slots: random.array { Slot.generated(using: &$0) }, bootCount: random.number(),
                    resetReason: random.enumeration(), batteryPercent: random.optional { $0.number() },
                    batteryPercentNeeded: random.number(), sessionSize: random.number(),
                    sessionSHA256: random.bytes(), hasRollback: random.bool())
            })
    }
}

extension StreamChunk: TestedMessage {
    static let protoName = "espurr.update.StreamChunk"

    static func generated(using random: inout SeededRandom) -> StreamChunk {
        StreamChunk(offset: random.number(), data: random.bytes())
    }
}

extension StreamCredit: TestedMessage {
    static let protoName = "espurr.update.StreamCredit"

    static func generated(using random: inout SeededRandom) -> StreamCredit {
        StreamCredit(
            session: random.number(), state: random.enumeration(), nextOffset: random.number(),
            creditEnd: random.number(), refusal: random.optional { $0.refusal() }, deviceError: random.number())
    }
}

extension Slot {
    fileprivate static func generated(using random: inout SeededRandom) -> Slot {
        Slot(
            index: random.number(), capacity: random.number(), imageDigest: random.bytes(), version: random.text(),
            project: random.text(), otaState: random.enumeration())
    }
}
