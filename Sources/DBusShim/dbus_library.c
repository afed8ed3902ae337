#include "dbus_library.h"
#include "dbus_shim.h"
#include "loaded_library.h"
#include <pthread.h>

// The names of the functions that are called, which dbus_functions.c gives; the linker says where they lie.
extern const char *const __start_dbus_functions[] __attribute__((visibility("hidden")));
extern const char *const __stop_dbus_functions[] __attribute__((visibility("hidden")));
static struct loaded_library library = {
    .name = "libdbus-1.so.3", .functions = __start_dbus_functions, .functions_end = __stop_dbus_functions,
};

static void load(void) { loaded_library_open(&library); }

const char *dbus_shim_load_fault(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.handle != NULL ? NULL : library.fault;
}

void *dbus_library_function(const char *function) {
    // A name may be checked before anybody has asked whether the library is there.
    dbus_shim_load_fault();
    return loaded_library_function(&library, function);
}
