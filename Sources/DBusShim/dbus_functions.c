// Each function of libdbus that this package calls, looked up with its first call. Their names lie in a section of their
// own, in which dbus_library.c finds them all. The compiler holds each against the
// header's own declaration.

// Ours alone: libdbus is to find its own functions.
#define DBUS_EXPORT __attribute__((visibility("hidden")))
#include <dbus/dbus.h>

#include "dbus_library.h"
#include "loaded_library.h"

#define FORWARD(result, name, parameters, arguments)                          \
    static const char *const name##_name                                      \
        __attribute__((section("dbus_functions"), used, retain)) = #name;     \
    result name parameters {                                                  \
        void *function = LOADED_FUNCTION(dbus_library_function, #name);       \
        return ((result(*) parameters)function)arguments;                     \
    }

FORWARD(dbus_bool_t, dbus_bus_set_unique_name, (DBusConnection *connection, const char *unique_name),
    (connection, unique_name))
FORWARD(dbus_bool_t, dbus_connection_add_filter,
    (DBusConnection *connection, DBusHandleMessageFunction handler, void *user_data, DBusFreeFunction free_data),
    (connection, handler, user_data, free_data))
FORWARD(dbus_bool_t, dbus_connection_can_send_type, (DBusConnection *connection, int type), (connection, type))
FORWARD(void, dbus_connection_close, (DBusConnection *connection), (connection))
FORWARD(DBusDispatchStatus, dbus_connection_dispatch, (DBusConnection *connection), (connection))
FORWARD(dbus_bool_t, dbus_connection_get_is_connected, (DBusConnection *connection), (connection))
FORWARD(DBusConnection *, dbus_connection_open_private, (const char *address, DBusError *error), (address, error))
FORWARD(dbus_bool_t, dbus_connection_send,
    (DBusConnection *connection, DBusMessage *message, dbus_uint32_t *client_serial),
    (connection, message, client_serial))
FORWARD(DBusMessage *, dbus_connection_send_with_reply_and_block,
    (DBusConnection *connection, DBusMessage *message, int timeout_milliseconds, DBusError *error),
    (connection, message, timeout_milliseconds, error))
FORWARD(void, dbus_connection_set_dispatch_status_function,
    (DBusConnection *connection, DBusDispatchStatusFunction changed, void *data, DBusFreeFunction free_data),
    (connection, changed, data, free_data))
FORWARD(void, dbus_connection_set_exit_on_disconnect, (DBusConnection *connection, dbus_bool_t exit_on_disconnect),
    (connection, exit_on_disconnect))
FORWARD(void, dbus_connection_set_max_message_size, (DBusConnection *connection, long size), (connection, size))
FORWARD(void, dbus_connection_set_max_message_unix_fds, (DBusConnection *connection, long n), (connection, n))
FORWARD(dbus_bool_t, dbus_connection_set_watch_functions,
    (DBusConnection *connection, DBusAddWatchFunction add, DBusRemoveWatchFunction remove,
        DBusWatchToggledFunction toggled, void *data, DBusFreeFunction free_data),
    (connection, add, remove, toggled, data, free_data))
FORWARD(void, dbus_connection_unref, (DBusConnection *connection), (connection))
FORWARD(void, dbus_error_free, (DBusError *error), (error))
FORWARD(void, dbus_error_init, (DBusError *error), (error))
FORWARD(void, dbus_free, (void *memory), (memory))
FORWARD(dbus_bool_t, dbus_message_contains_unix_fds, (DBusMessage *message), (message))
FORWARD(DBusMessage *, dbus_message_copy, (const DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_error_name, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_interface, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_member, (DBusMessage *message), (message))
FORWARD(dbus_bool_t, dbus_message_get_no_reply, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_path, (DBusMessage *message), (message))
FORWARD(dbus_uint32_t, dbus_message_get_reply_serial, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_sender, (DBusMessage *message), (message))
FORWARD(dbus_uint32_t, dbus_message_get_serial, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_signature, (DBusMessage *message), (message))
FORWARD(int, dbus_message_get_type, (DBusMessage *message), (message))
FORWARD(dbus_bool_t, dbus_message_is_signal, (DBusMessage *message, const char *iface, const char *signal_name),
    (message, iface, signal_name))
FORWARD(void, dbus_message_iter_abandon_container, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(dbus_bool_t, dbus_message_iter_append_basic, (DBusMessageIter *iter, int type, const void *value),
    (iter, type, value))
FORWARD(dbus_bool_t, dbus_message_iter_append_fixed_array,
    (DBusMessageIter *iter, int element_type, const void *value, int n_elements),
    (iter, element_type, value, n_elements))
FORWARD(dbus_bool_t, dbus_message_iter_close_container, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(int, dbus_message_iter_get_arg_type, (DBusMessageIter *iter), (iter))
FORWARD(void, dbus_message_iter_get_basic, (DBusMessageIter *iter, void *value), (iter, value))
FORWARD(void, dbus_message_iter_get_fixed_array, (DBusMessageIter *iter, void *value, int *n_elements),
    (iter, value, n_elements))
FORWARD(char *, dbus_message_iter_get_signature, (DBusMessageIter *iter), (iter))
FORWARD(dbus_bool_t, dbus_message_iter_init, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
FORWARD(void, dbus_message_iter_init_append, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
FORWARD(dbus_bool_t, dbus_message_iter_next, (DBusMessageIter *iter), (iter))
FORWARD(dbus_bool_t, dbus_message_iter_open_container,
    (DBusMessageIter *iter, int type, const char *contained_signature, DBusMessageIter *sub),
    (iter, type, contained_signature, sub))
FORWARD(void, dbus_message_iter_recurse, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(DBusMessage *, dbus_message_new, (int message_type), (message_type))
FORWARD(DBusMessage *, dbus_message_new_method_call,
    (const char *bus_name, const char *path, const char *iface, const char *method),
    (bus_name, path, iface, method))
FORWARD(DBusMessage *, dbus_message_new_signal, (const char *path, const char *iface, const char *name),
    (path, iface, name))
FORWARD(void, dbus_message_set_auto_start, (DBusMessage *message, dbus_bool_t auto_start), (message, auto_start))
FORWARD(dbus_bool_t, dbus_message_set_destination, (DBusMessage *message, const char *destination),
    (message, destination))
FORWARD(dbus_bool_t, dbus_message_set_error_name, (DBusMessage *message, const char *name), (message, name))
FORWARD(void, dbus_message_set_no_reply, (DBusMessage *message, dbus_bool_t no_reply), (message, no_reply))
FORWARD(dbus_bool_t, dbus_message_set_reply_serial, (DBusMessage *message, dbus_uint32_t reply_serial),
    (message, reply_serial))
FORWARD(void, dbus_message_unref, (DBusMessage *message), (message))
FORWARD(dbus_bool_t, dbus_signature_validate, (const char *signature, DBusError *error), (signature, error))
FORWARD(dbus_bool_t, dbus_threads_init_default, (void), ())
FORWARD(dbus_bool_t, dbus_validate_bus_name, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_error_name, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_interface, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_member, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_path, (const char *path, DBusError *error), (path, error))
FORWARD(dbus_bool_t, dbus_watch_get_enabled, (DBusWatch *watch), (watch))
FORWARD(unsigned int, dbus_watch_get_flags, (DBusWatch *watch), (watch))
FORWARD(int, dbus_watch_get_unix_fd, (DBusWatch *watch), (watch))
FORWARD(dbus_bool_t, dbus_watch_handle, (DBusWatch *watch, unsigned int flags), (watch, flags))
