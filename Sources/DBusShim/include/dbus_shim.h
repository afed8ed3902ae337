// libdbus under its functions' own names, for a libdbus that is loaded and not linked. What is declared in <dbus/dbus.h>
// and is not defined here does not link.
#ifndef DBUS_SHIM_H
#define DBUS_SHIM_H

// Loads libdbus, the first time. NULL, or why it cannot be used: then none of its functions may be called.
const char *dbus_shim_load_fault(void);

#endif
