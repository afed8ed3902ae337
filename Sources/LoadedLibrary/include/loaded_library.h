// A shared library that is loaded when it is first asked for, and not linked.
#ifndef LOADED_LIBRARY_H
#define LOADED_LIBRARY_H
#include <stdatomic.h>
#include <stddef.h>

struct loaded_library {
    // The interface that the headers describe, and no other.
    const char *name;
    // The functions that it has to have, from the first to behind the last.
    const char *const *functions;
    const char *const *functions_end;
    void *handle;
    char fault[256];
};

// Loads it. To be called once. Without a handle then there is a fault.
void loaded_library_open(struct loaded_library *library);

// One of its functions. Ends the process where there is none: asked for after a load without a fault alone.
void *loaded_library_function(const struct loaded_library *library, const char *function);

// What `look_up` gives for the name, asked once at each place that this stands at: it searches lists of names.
#define LOADED_FUNCTION(look_up, name)                                    \
    ({                                                                    \
        static _Atomic(void *) known;                                     \
        void *found = atomic_load_explicit(&known, memory_order_acquire); \
        if (found == NULL) {                                              \
            found = look_up(name);                                        \
            atomic_store_explicit(&known, found, memory_order_release);   \
        }                                                                 \
        found;                                                            \
    })

#endif
