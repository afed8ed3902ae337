// Preloaded into a client: counts the calls that change its files, whichever thread makes them, and at call FAULT_AT kills
// the process (FAULT=kill) or fails that call and all that follow for want of space (FAULT=full). With FAULT=cancel
// it counts syncs: that one takes long, the process gets a SIGINT meanwhile, and what is synced later, and each folder that is
// made, is told to standard error.
#define _GNU_SOURCE
#include <dirent.h>
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

/// Whether a file of /proc has a line or a field of this form.
static int tells(const char *path, const char *text) {
    char content[4096];
    int file = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, content, sizeof content - 1);
    if (file >= 0) close(file);
    if (length < 0) return 0;
    content[length] = 0;
    return strstr(content, text) != NULL;
}

/// Whether no thread but this one runs: what a signal does is done then.
static int isQuiet(void) {
    int isQuiet = 1;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        if (task->d_name[0] != '.' && atoi(task->d_name) != gettid() && tells(path, ") R ")) isQuiet = 0;
    }
    if (tasks) closedir(tasks);
    return isQuiet;
}

/// Until the signal was taken and nothing runs any more, or a bound is over that a busy machine may need. Milliseconds.
static void letSignalBeTaken(void) {
    for (int step = 0, quiet = 0; step < 10000 && quiet < 20; step++, usleep(1000))
        quiet = !tells("/proc/self/status", "ShdPnd:\t0000000000000000") || !isQuiet() ? 0 : quiet + 1;
}

static void slowSync(int descriptor) {
    static atomic_long syncs;
    long sync = atomic_fetch_add(&syncs, 1) + 1, at = atol(getenv("FAULT_AT"));
    if (sync == at) {
        kill(getpid(), SIGINT);
        letSignalBeTaken();
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
