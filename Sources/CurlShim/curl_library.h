// libcurl, loaded when it is first asked for. It brings some thirty libraries along, and most commands make no request.
#ifndef CURL_LIBRARY_H
#define CURL_LIBRARY_H
#include "curl_shim.h"

// A function of libcurl by its name. Ends the process where there is none.
void *curl_library_function(const char *name);
#endif
