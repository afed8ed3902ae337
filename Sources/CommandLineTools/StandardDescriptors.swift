import Glibc

/// Standard input, output and error, as whoever started the process left them.
enum StandardDescriptors {
    /// Fills the place of each that is closed: the next descriptor that is opened, a bus's, would have its number, and what
    /// is printed would go there. What fills it can be used no more than one that is closed (EBADF).
    ///
    /// To be called before anything is opened.
    static func keepPlaces() {
        let places = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (descriptor, mode) in places where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free (open(2)): this one's.
            _ = open("/dev/null", mode)
        }
    }

    /// Whether anything could be written to a descriptor, as far as can be known before it is tried.
    static func isWritable(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }
}
