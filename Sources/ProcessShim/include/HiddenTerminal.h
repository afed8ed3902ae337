#ifndef HIDDEN_TERMINAL_H
#define HIDDEN_TERMINAL_H

#include <termios.h>

/// From now on a stop of this process (SIGTSTP) shows what is typed again first, and its continuation (SIGCONT) hides it:
/// a shell gives a continued job its terminal with echo on. One terminal at a time.
void hidden_terminal_begin(int descriptor, const struct termios *shown, const struct termios *hidden);

/// The signals do what they did before.
void hidden_terminal_end(void);

#endif
