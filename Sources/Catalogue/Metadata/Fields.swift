/// A JSON object of the metadata, with where it stands for the report of what is wrong.
struct Fields {
    let object: JSONObject
    let path: String

    init(_ value: JSONValue, at path: String) throws(Distrust) {
        guard let object = value.objectValue else { throw .badField(path) }
        self.object = object
        self.path = path
    }

    func bad(_ name: UTF8Text) -> Distrust { .badField(path + "." + name.string) }

    func value(_ name: UTF8Text) throws(Distrust) -> JSONValue {
        guard let value = object[name] else { throw bad(name) }
        return value
    }

    func fields(_ name: UTF8Text) throws(Distrust) -> Fields {
        try Fields(try value(name), at: path + "." + name.string)
    }

    func text(_ name: UTF8Text) throws(Distrust) -> UTF8Text {
        guard let text = try value(name).textValue else { throw bad(name) }
        return text
    }

    func texts(_ name: UTF8Text) throws(Distrust) -> [UTF8Text] {
        guard let list = try value(name).arrayValue else { throw bad(name) }
        let texts = list.compactMap(\.textValue)
        guard texts.count == list.count else { throw bad(name) }
        return texts
    }

    func boolean(_ name: UTF8Text) throws(Distrust) -> Bool {
        guard let value = try value(name).booleanValue else { throw bad(name) }
        return value
    }

    func integer(_ name: UTF8Text, atLeast least: Int64) throws(Distrust) -> Int64 {
        guard let value = try value(name).integerValue, value >= least else { throw bad(name) }
        return value
    }

    func time(_ name: UTF8Text) throws(Distrust) -> UTCTime {
        guard let time = UTCTime(utf8: try text(name).bytes) else { throw bad(name) }
        return time
    }

    /// The members, each an object.
    func objects() throws(Distrust) -> [(name: UTF8Text, fields: Fields)] {
        var all: [(UTF8Text, Fields)] = []
        for member in object.members {
            all.append((member.name, try Fields(member.value, at: path + "." + member.name.string)))
        }
        return all
    }

    /// Whether the object has the member.
    func has(_ name: UTF8Text) -> Bool { object[name] != nil }
}
