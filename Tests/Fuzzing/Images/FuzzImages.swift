import ImageInvariants

/// What libFuzzer calls with its bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    precondition(ImageInvariants.hold(for: Array(UnsafeBufferPointer(start: start, count: count))))
    return 0
}
