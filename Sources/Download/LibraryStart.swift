import Glibc

/// How the libraries behind libcurl start.
public enum LibraryStart {
    /// Takes out of the loading of libcurl what no request uses. To be called once, on a process's first thread, before
    /// there is another: it changes the environment.
    ///
    /// Debian's libcurl brings GnuTLS along for RTMP and LDAP, which are never spoken here. Left to itself that makes
    /// ready while it is loaded, a tenth of the whole loading. A library that does use it asks it to
    /// (`gnutls_global_init`), as libcurl does where it speaks TLS through it.
    public static func prepare() {
        // Swift finds the arguments by where the environment lies, and it is about to move.
        _ = CommandLine.arguments
        setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0)
    }
}
