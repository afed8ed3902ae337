// Preloaded into a client: with OLD_LIBCURL libcurl knows no option that came after 7.68.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef void *lookup(void *, const char *);
typedef int setopt(void *, int, ...);

static setopt *real_setopt;

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
