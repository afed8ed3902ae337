#include "loaded_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void loaded_library_open(struct loaded_library *library) {
    void *found = dlopen(library->name, RTLD_LAZY | RTLD_LOCAL);
    if (found == NULL) {
        const char *reason = dlerror();
        snprintf(library->fault, sizeof library->fault, "%s", reason != NULL ? reason : library->name);
        return;
    }
    for (const char *const *function = library->functions; function < library->functions_end; function++) {
        if (dlsym(found, *function) != NULL) continue;
        snprintf(library->fault, sizeof library->fault, "%s has no %s", library->name, *function);
        dlclose(found);
        return;
    }
    library->handle = found;
}

void *loaded_library_function(const struct loaded_library *library, const char *function) {
    void *found = library->handle != NULL ? dlsym(library->handle, function) : NULL;
    if (found == NULL) {
        fprintf(stderr, "%s has no %s\n", library->name, function);
        abort();
    }
    return found;
}
