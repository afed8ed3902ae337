// libdbus, loaded when it is first asked for. It brings seven libraries along, and many commands ask nobody.
#ifndef DBUS_LIBRARY_H
#define DBUS_LIBRARY_H

// A function of libdbus by its name. Ends the process where there is none.
void *dbus_library_function(const char *name);

#endif
