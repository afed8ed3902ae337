#include "curl_library.h"
#include "loaded_library.h"
#include <pthread.h>

// Those that came last (7.62, 7.66, 7.68), and one for each group of the others: a library that has them has the rest.
static const char *const needed[] = {
    "curl_url", "curl_multi_poll", "curl_multi_wakeup", "curl_global_init", "curl_easy_setopt", "curl_slist_append",
};
static struct loaded_library library = {
    .name = "libcurl.so.4", .functions = needed, .functions_end = needed + sizeof needed / sizeof *needed,
};

static CURLcode started;

static void load(void) {
    loaded_library_open(&library);
    if (library.handle == NULL) return;
    CURLcode (*start)(long) = (CURLcode(*)(long))loaded_library_function(&library, "curl_global_init");
    started = start(CURL_GLOBAL_DEFAULT);
}

// Not a `static` of Swift's: a thread that waits for another's to be made keeps its processor busy meanwhile.
const char *curl_shim_load_fault(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.handle != NULL ? NULL : library.fault;
}

CURLcode curl_shim_start_fault(void) {
    curl_shim_load_fault();
    return started;
}

void *curl_library_function(const char *function) {
    // An address may be read before anybody has asked whether the library is there.
    curl_shim_load_fault();
    return loaded_library_function(&library, function);
}
