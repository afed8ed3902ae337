// Preloaded into a client: SLOW_NAMES seconds pass before a name is looked up, which standard error is told first; with OLD_LIBCURL libcurl knows no option
// that came after 7.68.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *lookup(void *, const char *);
typedef int setopt(void *, int, ...);

static setopt *real_setopt;

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    const char *seconds = getenv("SLOW_NAMES");
    if (seconds && write(STDERR_FILENO, "looking up\n", 11) == 11) sleep((unsigned)atoi(seconds));
    __typeof__(&getaddrinfo) next = (__typeof__(&getaddrinfo))dlvsym(RTLD_NEXT, "getaddrinfo", "GLIBC_2.2.5");
    if (!next) next = (__typeof__(&getaddrinfo))dlvsym(RTLD_NEXT, "getaddrinfo", "GLIBC_2.17");
    return next ? next(name, service, hints, found) : EAI_FAIL;
}

static int old_setopt(void *handle, int option, ...) {
    va_list values;
    va_start(values, option);
    void *value = va_arg(values, void *);
    va_end(values);
    // Numbered in the order in which they came, within their type's ten thousand; 289 is the last one of 7.68.
    return option % 10000 > 289 ? 48 /* CURLE_UNKNOWN_OPTION */ : real_setopt(handle, option, value);
}

// The client asks libcurl itself for its functions.
void *dlsym(void *library, const char *name) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    lookup *next = NULL;
    for (int i = 0; !next && i < 3; i++) next = (lookup *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    void *found = next ? next(library, name) : NULL;
    if (!found || !getenv("OLD_LIBCURL") || strcmp(name, "curl_easy_setopt")) return found;
    real_setopt = (setopt *)found;
    return (void *)old_setopt;
}
