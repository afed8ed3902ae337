#include "HiddenTerminal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

// Handlers have nobody to ask: what they need stands here. tcsetattr and raise are async-signal-safe (signal-safety(7)).
static volatile sig_atomic_t descriptor = -1;
static struct termios shown, hidden;
static struct sigaction stop_before, continue_before;

static void stopping(int signal) {
    (void)signal;
    int error = errno;
    if (descriptor >= 0) tcsetattr(descriptor, TCSAFLUSH, &shown);
    // Stops here, as the signal would have.
    raise(SIGSTOP);
    errno = error;
}

static void continued(int signal) {
    (void)signal;
    int error = errno;
    if (descriptor >= 0) tcsetattr(descriptor, TCSAFLUSH, &hidden);
    errno = error;
}

void hidden_terminal_begin(int number, const struct termios *before, const struct termios *now) {
    shown = *before;
    hidden = *now;
    descriptor = number;
    struct sigaction action = {.sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, NULL, &stop_before);
    action.sa_handler = stopping;
    // A stop that is ignored stays ignored.
    if (stop_before.sa_handler != SIG_IGN) sigaction(SIGTSTP, &action, NULL);
    action.sa_handler = continued;
    sigaction(SIGCONT, &action, &continue_before);
}

void hidden_terminal_end(void) {
    if (descriptor < 0) return;
    sigaction(SIGTSTP, &stop_before, NULL);
    sigaction(SIGCONT, &continue_before, NULL);
    descriptor = -1;
}
