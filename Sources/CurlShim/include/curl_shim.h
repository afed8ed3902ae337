// libcurl's functions, for a libcurl that is loaded and not linked; the variadic ones with a type for each kind of value:
// Swift does not import variadics.
#ifndef CURL_SHIM_H
#define CURL_SHIM_H
#include <curl/curl.h>

// Loads libcurl and makes it ready, the first time. NULL, or why it cannot be loaded: then no other of these may be called.
const char *curl_shim_load_fault(void);
// What curl_global_init said: CURLE_OK, or no transfer can be made.
CURLcode curl_shim_start_fault(void);

CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value);
CURLcode curl_shim_set_string(CURL *handle, CURLoption option, const char *value);
// Which protocols may be spoken: by their names, or by their bits (CURLPROTO_…) where libcurl is older than 7.85.
CURLcode curl_shim_set_protocols(CURL *handle, const char *names, long bits);
// A transfer that is ended while a name is looked up does not wait until the lookup ends (libcurl before 7.87
// waits all the same).
CURLcode curl_shim_leave_lookups(CURL *handle);
CURLcode curl_shim_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode curl_shim_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode curl_shim_set_write(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context);
// Asked before each request of a transfer, those among them that libcurl makes again by itself; CURL_PREREQFUNC_ABORT ends
// the transfer. A libcurl before 7.80 asks nobody.
CURLcode curl_shim_set_before_request(CURL *handle, int (*callback)(void *, char *, char *, int, int), void *context);
CURLcode curl_shim_set_header(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context);
CURLcode curl_shim_get_long(CURL *handle, CURLINFO info, long *value);
// The text belongs to the handle; NULL where there is none.
CURLcode curl_shim_get_string(CURL *handle, CURLINFO info, const char **value);

// Those of libcurl without `shim_`. `multi_poll` waits for the transfers and for `multi_wakeup` alone.
CURL *curl_shim_easy_init(void);
void curl_shim_easy_cleanup(CURL *easy);
void curl_shim_easy_reset(CURL *easy);
CURLM *curl_shim_multi_init(void);
CURLMcode curl_shim_multi_cleanup(CURLM *multi);
CURLMcode curl_shim_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode curl_shim_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode curl_shim_multi_perform(CURLM *multi, int *running);
CURLMcode curl_shim_multi_poll(CURLM *multi, int milliseconds);
CURLMcode curl_shim_multi_wakeup(CURLM *multi);
CURLMsg *curl_shim_multi_info_read(CURLM *multi, int *left);
struct curl_slist *curl_shim_slist_append(struct curl_slist *list, const char *text);
CURLU *curl_shim_url(void);
void curl_shim_url_cleanup(CURLU *url);
CURLUcode curl_shim_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
CURLUcode curl_shim_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
void curl_shim_free(void *text);
#endif
