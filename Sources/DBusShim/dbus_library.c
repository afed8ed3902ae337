#include "dbus_library.h"
#include "dbus_shim.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The interface that the header describes, and no other.
static const char name[] = "libdbus-1.so.3";
static void *library;
static char fault[256];

static void load(void) {
    library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) return;
    const char *reason = dlerror();
    snprintf(fault, sizeof fault, "%s", reason != NULL ? reason : name);
}

const char *dbus_shim_load_fault(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library != NULL ? NULL : fault;
}

void *dbus_library_function(const char *function) {
    void *found = dbus_shim_load_fault() == NULL ? dlsym(library, function) : NULL;
    if (found == NULL) {
        fprintf(stderr, "%s has no %s\n", name, function);
        abort();
    }
    return found;
}
