#include "dbus_library.h"
#include "dbus_shim.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The interface that the header describes, and no other.
static const char name[] = "libdbus-1.so.3";
// The names of the functions that are called, which dbus_functions.c gives; the linker says where they lie.
extern const char *const __start_dbus_functions[] __attribute__((visibility("hidden")));
extern const char *const __stop_dbus_functions[] __attribute__((visibility("hidden")));
static void *library;
static char fault[256];

static void load(void) {
    void *found = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (found == NULL) {
        const char *reason = dlerror();
        snprintf(fault, sizeof fault, "%s", reason != NULL ? reason : name);
        return;
    }
    for (const char *const *function = __start_dbus_functions; function < __stop_dbus_functions; function++) {
        if (dlsym(found, *function) != NULL) continue;
        snprintf(fault, sizeof fault, "%s has no %s", name, *function);
        dlclose(found);
        return;
    }
    library = found;
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
