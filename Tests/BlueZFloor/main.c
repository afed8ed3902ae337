// What BlueZ and libdbus give without the product: the floor that Tests/RadioTests/throughput.py compares with.
//
// espurr-bluez-floor exchange PATH FILE          each record of FILE (two bytes of length, little endian, and the value)
//                                                is written with WriteValue, and the reply read with ReadValue
// espurr-bluez-floor stream PATH COUNT LENGTH    that many packets over AcquireWrite, each beginning with its place
//
// PATH is the characteristic's. The link has to be up.
#include <dbus/dbus.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { longest_value = 512, answer_limit = 60000 };

static void fail(const char *what, const char *why) {
    fprintf(stderr, "espurr-bluez-floor: %s: %s\n", what, why);
    exit(1);
}

static DBusMessage *call(DBusConnection *bus, DBusMessage *message) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, answer_limit, &error);
    if (!reply) fail(dbus_message_get_member(message), error.message);
    dbus_message_unref(message);
    return reply;
}

static DBusMessage *method(const char *path, const char *member) {
    return dbus_message_new_method_call("org.bluez", path, "org.bluez.GattCharacteristic1", member);
}

// a{sv}: nothing, or the type of a write.
static void append_options(DBusMessageIter *arguments, const char *type) {
    DBusMessageIter options, entry, variant;
    dbus_message_iter_open_container(arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
    if (type) {
        const char *name = "type";
        dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
        dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
        dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &type);
        dbus_message_iter_close_container(&entry, &variant);
        dbus_message_iter_close_container(&options, &entry);
    }
    dbus_message_iter_close_container(arguments, &options);
}

static void write_value(DBusConnection *bus, const char *path, const uint8_t *value, int length) {
    DBusMessage *message = method(path, "WriteValue");
    DBusMessageIter arguments, bytes;
    dbus_message_iter_init_append(message, &arguments);
    dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "y", &bytes);
    dbus_message_iter_append_fixed_array(&bytes, DBUS_TYPE_BYTE, &value, length);
    dbus_message_iter_close_container(&arguments, &bytes);
    append_options(&arguments, "request");
    dbus_message_unref(call(bus, message));
}

static DBusMessage *with_no_options(DBusConnection *bus, const char *path, const char *member) {
    DBusMessage *message = method(path, member);
    DBusMessageIter arguments;
    dbus_message_iter_init_append(message, &arguments);
    append_options(&arguments, NULL);
    return call(bus, message);
}

static void exchange(DBusConnection *bus, const char *path, const char *name) {
    FILE *file = fopen(name, "rb");
    uint8_t header[2], value[longest_value];
    if (!file) fail(name, strerror(errno));
    while (fread(header, 1, sizeof header, file) == sizeof header) {
        size_t length = header[0] | header[1] << 8;
        if (length > sizeof value || fread(value, 1, length, file) != length) fail(name, "no record");
        write_value(bus, path, value, (int)length);
        dbus_message_unref(with_no_options(bus, path, "ReadValue"));
    }
    fclose(file);
}

static int acquire_write(DBusConnection *bus, const char *path) {
    DBusMessage *reply = with_no_options(bus, path, "AcquireWrite");
    int descriptor = -1;
    if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_UNIX_FD, &descriptor, DBUS_TYPE_INVALID))
        fail("AcquireWrite", "no descriptor");
    dbus_message_unref(reply);
    return descriptor;
}

static void stream(DBusConnection *bus, const char *path, uint32_t count, size_t length) {
    int descriptor = acquire_write(bus, path);
    uint8_t packet[longest_value] = {0};
    if (length < 4 || length > sizeof packet) fail("LENGTH", "4 to 512");
    for (uint32_t place = 0; place < count; place++) {
        for (int byte = 0; byte < 4; byte++) packet[byte] = (uint8_t)(place >> 8 * byte);
        while (send(descriptor, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            struct pollfd room = {.fd = descriptor, .events = POLLOUT};
            if (errno != EAGAIN || poll(&room, 1, answer_limit) <= 0) fail("send", strerror(errno));
        }
    }
    // BlueZ drops what it has not taken when the descriptor is closed.
    for (int queued = 1; !ioctl(descriptor, SIOCOUTQ, &queued) && queued > 0;) usleep(1000);
}

int main(int count, char **arguments) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_bus_get(DBUS_BUS_SYSTEM, &error);
    if (!bus) fail("the bus", error.message);
    if (count == 4 && !strcmp(arguments[1], "exchange"))
        exchange(bus, arguments[2], arguments[3]);
    else if (count == 5 && !strcmp(arguments[1], "stream"))
        stream(bus, arguments[2], (uint32_t)atol(arguments[3]), (size_t)atol(arguments[4]));
    else
        fail("usage", "exchange PATH FILE, or stream PATH COUNT LENGTH");
    return 0;
}
