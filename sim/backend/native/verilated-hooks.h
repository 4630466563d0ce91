// Force-included in Verilator's runtime and in generated code: what the design prints is kept for the error message instead of going to
// the terminal, and $finish, $stop, $fatal never abort the process.
#pragma once
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
extern "C" int mnemo_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF mnemo_printf
