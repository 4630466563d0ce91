import { register, registerMap, RegisterSlave } from "../../../hdl-dsl/index.ts";

const map = registerMap({
  name: "Lamp",
  doc: "a lamp with a period, and whether it was pressed",
  addressBits: 4,
  registers: [
    register(0x0, "identity", "tells what this is", { identity: [0, 32, "constant", "the letters LAMP"] }),
    register(0x4, "control", "how it blinks", { period: [0, 16, "rw", "cycles of a blink"] }),
    register(0x8, "status", "what has happened", { pressed: [0, 1, "event", "the button; writing 1 clears it"] }),
  ],
});

/** Three registers on AXI4-Lite. Writes to `identity` are answered with SLVERR, other addresses with DECERR. */
export const LampRegisters = RegisterSlave({ map, values: { identity: 0x4c414d50, period: 1000 } });
