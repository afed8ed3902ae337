#ifndef PROCESS_SHIM_H
#define PROCESS_SHIM_H

#include "HiddenTerminal.h"
// What wakes a thread that waits for input; the Glibc module lacks it.
#include <sys/eventfd.h>

// Swift does not import variadic functions.

/// No core dump, and no look into this process's memory by others of the same user (prctl(2), PR_SET_DUMPABLE).
/// Returns 0, or -1 where the kernel refuses.
int process_shim_forbid_dumps(void);

#endif
