// The report of a program that a signal ends. The handler of a signal may call few functions: it may have interrupted one that holds a lock,
// such as malloc's. So a thread that waits from the start writes the report, and the handler only asks for it.
#pragma once

namespace nestbed::last_report
{

// How long a report may take.
inline constexpr unsigned kSeconds = 5;

// Starts the thread; once in a process. It calls `write` after ask(). `too_late` is the handler of a signal: it is called if `write` takes
// longer than kSeconds, and must end the process. A child of the process that executes no other program has no such thread.
void prepare(void (*write)(), void (*too_late)(int signal));

// ---- for handlers of signals ----

// Asks for the report. Further calls do nothing.
void ask();
// Returns when the report is written.
void wait();
bool is_this_thread();
// Restores what the signal does by default, which is to end the process, and raises it.
[[noreturn]] void end_by(int signal);

} // namespace nestbed::last_report
