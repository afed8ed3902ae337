import Glibc

/// The C library's words for an error number.
func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }
