// For builds that write VCD, before all other headers: what asks for FST gets VCD. The shim stays as it is, and with
// it the keys of all models that are built already.
#include "verilated_vcd_c.h"
#define VERILATOR_VERILATED_FST_C_H_
#define VerilatedFstC VerilatedVcdC
