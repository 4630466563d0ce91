// What all generated C++ includes, to be compiled once for each kind of build (sim/backend/verilator/prelude.ts).
#ifndef MNEMO_PRELUDE_H_
#define MNEMO_PRELUDE_H_
#include "verilated-hooks.h"
#ifdef MNEMO_VCD
#include "vcd-wave.h"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <memory>
#include <new>
#include <string>

#include "abi.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
#endif
