#include "curl_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The interface that the header describes, and no other.
static const char name[] = "libcurl.so.4";
static void *library;

static void load(void) { library = dlopen(name, RTLD_NOW | RTLD_LOCAL); }

int curl_shim_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library != NULL;
}

// Where there is none it does what the linker does at the start of a program whose library is too old.
void *curl_library_function(const char *function) {
    void *found = curl_shim_load() ? dlsym(library, function) : NULL;
    if (found == NULL) {
        fprintf(stderr, "%s has no %s\n", name, function);
        abort();
    }
    return found;
}
