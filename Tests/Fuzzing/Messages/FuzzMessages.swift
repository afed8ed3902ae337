import MessageInvariants

/// What libFuzzer calls with its bytes: the first selects the message. -1 keeps bytes that select none out of its corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let holds = MessageInvariants.hold(forSelected: Array(UnsafeBufferPointer(start: start, count: count)))
    else { return -1 }
    precondition(holds)
    return 0
}
