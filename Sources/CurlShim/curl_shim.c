#include "curl_library.h"
#include "loaded_library.h"

#define function(name) LOADED_FUNCTION(curl_library_function, name)
#define easy_setopt ((CURLcode(*)(CURL *, CURLoption, ...))function("curl_easy_setopt"))
#define easy_getinfo ((CURLcode(*)(CURL *, CURLINFO, ...))function("curl_easy_getinfo"))

CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value) {
    return easy_setopt(handle, option, value);
}

CURLcode curl_shim_set_string(CURL *handle, CURLoption option, const char *value) {
    return easy_setopt(handle, option, value);
}

CURLcode curl_shim_set_protocols(CURL *handle, const char *names, long bits) {
    CURLcode code = easy_setopt(handle, CURLOPT_PROTOCOLS_STR, names);
    // Deprecated, and the only one there is before 7.85: CURLOPT_PROTOCOLS.
    return code != CURLE_UNKNOWN_OPTION ? code : easy_setopt(handle, (CURLoption)(CURLOPTTYPE_LONG + 181), bits);
}

CURLcode curl_shim_leave_lookups(CURL *handle) {
    CURLcode code = easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
    return code != CURLE_UNKNOWN_OPTION ? code : CURLE_OK;
}

CURLcode curl_shim_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return easy_setopt(handle, option, value);
}

CURLcode curl_shim_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return easy_setopt(handle, option, value);
}

CURLcode curl_shim_set_before_request(CURL *handle, int (*callback)(void *, char *, char *, int, int), void *context) {
    CURLcode code = easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
    if (code == CURLE_UNKNOWN_OPTION) return CURLE_OK;
    return code != CURLE_OK ? code : easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

CURLcode curl_shim_set_write(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
    return code != CURLE_OK ? code : easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

CURLcode curl_shim_get_long(CURL *handle, CURLINFO info, long *value) {
    return easy_getinfo(handle, info, value);
}

CURLcode curl_shim_set_header(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
    return code != CURLE_OK ? code : easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

CURLcode curl_shim_get_string(CURL *handle, CURLINFO info, const char **value) {
    char *text = NULL;
    CURLcode code = easy_getinfo(handle, info, &text);
    *value = text;
    return code;
}

CURL *curl_shim_easy_init(void) {
    return ((CURL *(*)(void))function("curl_easy_init"))();
}

void curl_shim_easy_cleanup(CURL *easy) {
    ((void (*)(CURL *))function("curl_easy_cleanup"))(easy);
}

void curl_shim_easy_reset(CURL *easy) {
    ((void (*)(CURL *))function("curl_easy_reset"))(easy);
}

CURLM *curl_shim_multi_init(void) {
    return ((CURLM *(*)(void))function("curl_multi_init"))();
}

CURLMcode curl_shim_multi_cleanup(CURLM *multi) {
    return ((CURLMcode (*)(CURLM *))function("curl_multi_cleanup"))(multi);
}

CURLMcode curl_shim_multi_add_handle(CURLM *multi, CURL *easy) {
    return ((CURLMcode (*)(CURLM *, CURL *))function("curl_multi_add_handle"))(multi, easy);
}

CURLMcode curl_shim_multi_remove_handle(CURLM *multi, CURL *easy) {
    return ((CURLMcode (*)(CURLM *, CURL *))function("curl_multi_remove_handle"))(multi, easy);
}

CURLMcode curl_shim_multi_perform(CURLM *multi, int *running) {
    return ((CURLMcode (*)(CURLM *, int *))function("curl_multi_perform"))(multi, running);
}

CURLMcode curl_shim_multi_poll(CURLM *multi, int milliseconds) {
    return ((CURLMcode (*)(CURLM *, struct curl_waitfd *, unsigned int, int, int *))function("curl_multi_poll"))(multi, NULL, 0, milliseconds, NULL);
}

CURLMcode curl_shim_multi_wakeup(CURLM *multi) {
    return ((CURLMcode (*)(CURLM *))function("curl_multi_wakeup"))(multi);
}

CURLMsg *curl_shim_multi_info_read(CURLM *multi, int *left) {
    return ((CURLMsg *(*)(CURLM *, int *))function("curl_multi_info_read"))(multi, left);
}

struct curl_slist *curl_shim_slist_append(struct curl_slist *list, const char *text) {
    return ((struct curl_slist *(*)(struct curl_slist *, const char *))function("curl_slist_append"))(list, text);
}

CURLU *curl_shim_url(void) {
    return ((CURLU *(*)(void))function("curl_url"))();
}

void curl_shim_url_cleanup(CURLU *url) {
    ((void (*)(CURLU *))function("curl_url_cleanup"))(url);
}

CURLUcode curl_shim_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return ((CURLUcode (*)(CURLU *, CURLUPart, char **, unsigned int))function("curl_url_get"))(url, part, text, flags);
}

CURLUcode curl_shim_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
    return ((CURLUcode (*)(CURLU *, CURLUPart, const char *, unsigned int))function("curl_url_set"))(url, part, text, flags);
}

void curl_shim_free(void *text) {
    ((void (*)(void *))function("curl_free"))(text);
}
