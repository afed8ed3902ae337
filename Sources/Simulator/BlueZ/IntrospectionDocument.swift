/// The XML of `Introspect` (D-Bus specification, "Introspection Data Format").
struct IntrospectionDocument {
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        """

    let text: String

    /// - Parameters:
    ///   - interfaces: of the object; the standard ones are added.
    ///   - children: last elements of the paths directly below it.
    init(interfaces: [String], children: [String]) {
        let described = (interfaces + StandardInterface.implied).compactMap(InterfaceDescription.named)
        let nodes = children.sorted().map { "<node name=\"\($0)\"/>" }
        text = ([Self.head, "<node>"] + described.map(Self.element) + nodes + ["</node>"]).joined(separator: "\n")
    }

    private static func element(of interface: InterfaceDescription) -> String {
        var lines = ["<interface name=\"\(interface.name)\">"]
        for method in interface.methods {
            lines.append("<method name=\"\(method.name)\">")
            lines += method.input.map { argument($0, direction: "in") }
            lines += method.output.map { argument($0, direction: "out") }
            lines.append("</method>")
        }
        for signal in interface.signals {
            lines.append("<signal name=\"\(signal.name)\">")
            lines += signal.input.map { argument($0, direction: nil) }
            lines.append("</signal>")
        }
        lines += interface.properties.map { property in
            let access = property.isWritable ? "readwrite" : "read"
            return "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>"
        }
        return (lines + ["</interface>"]).joined(separator: "\n")
    }

    private static func argument(_ argument: (name: String, type: String), direction: String?) -> String {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        return "<arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
    }
}
