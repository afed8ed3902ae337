// What BlueZ and libdbus give without the product: the floor that Tests/RadioTests/throughput.py compares with.
//
// espurr-bluez-floor exchange PATH FILE          each record of FILE (two bytes of length, little endian, and the value)
//                                                is written with WriteValue, and the reply read with ReadValue; the last
//                                                reply is printed in hexadecimal digits
// espurr-bluez-floor stream PATH COUNT LENGTH    that many packets over AcquireWrite, each beginning with its place
// espurr-bluez-floor credited PATH FILE          each record of FILE (where its data ends in the image, four bytes, and
//                                                then as above) is sent over AcquireWrite, as soon as there is credit for
//                                                it in the notifications (StreamCredit of espurr_update.proto)
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

static void print_value(DBusMessage *reply) {
    const uint8_t *bytes;
    int count;
    if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, &count, DBUS_TYPE_INVALID))
        fail("ReadValue", "no bytes");
    for (int index = 0; index < count; index++) printf("%02x", bytes[index]);
    printf("\n");
    dbus_message_unref(reply);
}

static void exchange(DBusConnection *bus, const char *path, const char *name) {
    FILE *file = fopen(name, "rb");
    uint8_t header[2], value[longest_value];
    DBusMessage *reply = NULL;
    if (!file) fail(name, strerror(errno));
    while (fread(header, 1, sizeof header, file) == sizeof header) {
        size_t length = header[0] | header[1] << 8;
        if (length > sizeof value || fread(value, 1, length, file) != length) fail(name, "no record");
        write_value(bus, path, value, (int)length);
        if (reply) dbus_message_unref(reply);
        reply = with_no_options(bus, path, "ReadValue");
    }
    fclose(file);
    if (reply) print_value(reply);
}

static int acquire(DBusConnection *bus, const char *path, const char *member) {
    DBusMessage *reply = with_no_options(bus, path, member);
    int descriptor = -1;
    if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_UNIX_FD, &descriptor, DBUS_TYPE_INVALID))
        fail(member, "no descriptor");
    dbus_message_unref(reply);
    return descriptor;
}

static void wait_for(int descriptor, short events) {
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (poll(&ready, 1, answer_limit) <= 0) fail("poll", "nothing came");
}

static void send_packet(int descriptor, const uint8_t *packet, size_t length) {
    while (send(descriptor, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno != EAGAIN) fail("send", strerror(errno));
        wait_for(descriptor, POLLOUT);
    }
}

// BlueZ drops what it has not taken when the descriptor is closed.
static void drain(int descriptor) {
    for (int queued = 1; !ioctl(descriptor, SIOCOUTQ, &queued) && queued > 0;) usleep(1000);
}

static uint32_t varint(const uint8_t **at, const uint8_t *end) {
    uint32_t value = 0;
    for (int shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift < 32) value |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    fail("the credit", "cut short");
    return 0;
}

// Where the credit of a notification ends: all fields are varints, credit_end is the fourth.
static uint32_t credit_end(const uint8_t *at, const uint8_t *end) {
    uint32_t found = 0;
    while (at < end) {
        uint32_t tag = varint(&at, end), value = varint(&at, end);
        if (tag == 4 << 3) found = value;
    }
    return found;
}

static void credited(DBusConnection *bus, const char *path, const char *name) {
    FILE *file = fopen(name, "rb");
    uint8_t header[6], value[longest_value], notification[longest_value];
    if (!file) fail(name, strerror(errno));
    int credits = acquire(bus, path, "AcquireNotify"), descriptor = acquire(bus, path, "AcquireWrite");
    uint32_t credit = 0;
    while (fread(header, 1, sizeof header, file) == sizeof header) {
        uint32_t end = header[0] | header[1] << 8 | header[2] << 16 | (uint32_t)header[3] << 24;
        size_t length = header[4] | header[5] << 8;
        if (length > sizeof value || fread(value, 1, length, file) != length) fail(name, "no record");
        while (credit < end) {
            wait_for(credits, POLLIN);
            ssize_t count = recv(credits, notification, sizeof notification, 0);
            if (count <= 0) fail("recv", "no credit");
            uint32_t next = credit_end(notification, notification + count);
            if (next > credit) credit = next;
        }
        send_packet(descriptor, value, length);
    }
    fclose(file);
    drain(descriptor);
}

static void stream(DBusConnection *bus, const char *path, uint32_t count, size_t length) {
    int descriptor = acquire(bus, path, "AcquireWrite");
    uint8_t packet[longest_value] = {0};
    if (length < 4 || length > sizeof packet) fail("LENGTH", "4 to 512");
    for (uint32_t place = 0; place < count; place++) {
        for (int byte = 0; byte < 4; byte++) packet[byte] = (uint8_t)(place >> 8 * byte);
        send_packet(descriptor, packet, length);
    }
    drain(descriptor);
}

int main(int count, char **arguments) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_bus_get(DBUS_BUS_SYSTEM, &error);
    if (!bus) fail("the bus", error.message);
    if (count == 4 && !strcmp(arguments[1], "exchange"))
        exchange(bus, arguments[2], arguments[3]);
    else if (count == 5 && !strcmp(arguments[1], "stream"))
        stream(bus, arguments[2], (uint32_t)atol(arguments[3]), (size_t)atol(arguments[4]));
    else if (count == 4 && !strcmp(arguments[1], "credited"))
        credited(bus, arguments[2], arguments[3]);
    else
        fail("usage", "exchange PATH FILE, stream PATH COUNT LENGTH, or credited PATH FILE");
    return 0;
}
