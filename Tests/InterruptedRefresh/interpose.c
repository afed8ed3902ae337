// Preloaded into a client: counts the calls that change its files, whichever thread makes them, and at call FAULT_AT kills
// the process (FAULT=kill) or fails that call and all that follow for want of space (FAULT=full). With FAULT=cancel
// it counts syncs: that one takes long, the process gets a SIGINT meanwhile, and what is synced later, and each folder that is
// made, is told to standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

static int isSlow(void) {
    const char *fault = getenv("FAULT");
    return fault && !strcmp(fault, "cancel");
}

/// Whether the call has to fail; does not return where the process has to die.
static int isFault(void) {
    const char *at = getenv("FAULT_AT"), *fault = getenv("FAULT");
    if (!at || !fault || isSlow()) return 0;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call < atol(at)) return 0;
    if (!strcmp(fault, "kill")) kill(getpid(), SIGKILL), pause();
    errno = ENOSPC;
    return 1;
}

// Long enough for a signal to have done all that it does. Milliseconds.
enum { SYNC_TIME = 300 };

static void slowSync(int descriptor) {
    static atomic_long syncs;
    long sync = atomic_fetch_add(&syncs, 1) + 1, at = atol(getenv("FAULT_AT"));
    if (sync == at) {
        kill(getpid(), SIGINT);
        usleep(SYNC_TIME * 1000);
    }
    if (sync <= at) return;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    dprintf(STDERR_FILENO, "synced later: %.*s\n", length < 0 ? 0 : (int)length, path);
}

static int isFile(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (isFile(descriptor) && isFault()) return -1;
    return NEXT(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (isFile(descriptor) && isFault()) return -1;
    return NEXT(pwrite)(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    if (isFile(descriptor) && isFault()) return -1;
    return NEXT(ftruncate)(descriptor, length);
}

int fsync(int descriptor) {
    if (isSlow()) slowSync(descriptor);
    else if (isFile(descriptor) && isFault()) return -1;
    return NEXT(fsync)(descriptor);
}

int rename(const char *from, const char *to) {
    if (isFault()) return -1;
    return NEXT(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    if (isFault()) return -1;
    int result = NEXT(mkdir)(path, mode);
    if (result == 0 && isSlow()) dprintf(STDERR_FILENO, "made: %s\n", path);
    return result;
}

static int opened(int (*next)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    if ((flags & O_CREAT) && isFault()) return -1;
    return next(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(NEXT(open), path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(NEXT(open64), path, flags, mode);
}

// 64-bit names of the same functions.
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }
