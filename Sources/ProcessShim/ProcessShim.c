#include "ProcessShim.h"

#include <sys/prctl.h>

int process_shim_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
