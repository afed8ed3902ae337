// The variadic functions of libcurl, with a type for each kind of value: Swift does not import variadics.
#ifndef CURL_SHIM_H
#define CURL_SHIM_H
#include <curl/curl.h>

CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value);
CURLcode curl_shim_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode curl_shim_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode curl_shim_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode curl_shim_set_write(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context);
CURLcode curl_shim_set_header(CURL *handle, size_t (*callback)(char *, size_t, size_t, void *), void *context);
CURLcode curl_shim_get_long(CURL *handle, CURLINFO info, long *value);
// The text belongs to the handle; NULL where there is none.
CURLcode curl_shim_get_string(CURL *handle, CURLINFO info, const char **value);
#endif
