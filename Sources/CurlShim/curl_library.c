#include "curl_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The interface that the header describes, and no other.
static const char name[] = "libcurl.so.4";
// Those that came last (7.62, 7.66, 7.68), and one for each group of the others: a library that has them has the rest.
static const char *const needed[] = {
    "curl_url", "curl_multi_poll", "curl_multi_wakeup", "curl_global_init", "curl_easy_setopt", "curl_slist_append",
};
static void *library;
static char fault[256];

static void load(void) {
    void *found = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (found == NULL) {
        const char *reason = dlerror();
        snprintf(fault, sizeof fault, "%s", reason != NULL ? reason : name);
        return;
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (dlsym(found, needed[i]) == NULL) {
            snprintf(fault, sizeof fault, "%s has no %s", name, needed[i]);
            return;
        }
    }
    library = found;
}

const char *curl_shim_load_fault(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library != NULL ? NULL : fault;
}

// Asked for after a load without a fault alone.
void *curl_library_function(const char *function) {
    void *found = library != NULL ? dlsym(library, function) : NULL;
    if (found == NULL) {
        fprintf(stderr, "%s has no %s\n", name, function);
        abort();
    }
    return found;
}
