import { register, registerMap } from "../../../hdl-dsl/index.ts";

/** A timer's registers: every kind of field, fields across bytes, gaps between registers. */
export const timer = registerMap({
  name: "Timer",
  doc: "Counts, and tells when it has come to its limit.",
  addressBits: 6,
  registers: [
    register(0x00, "identification", "what it is", { identification: [0, 32, "constant", "a number of its own"] }),
    register(0x04, "control", "how it counts", {
      enable: [0, 1, "rw", "it counts"],
      prescale: [4, 10, "rw", "cycles of a step less one"],
      restart: [31, 1, "pulse", "begins again"],
    }),
    register(0x08, "limit", "where it ends", { limit: [0, 32, "rw", "steps"] }),
    register(0x10, "state", "where it is", { count: [0, 16, "live", "steps so far"] }),
    register(0x14, "events", "what has happened", {
      expired: [0, 1, "event", "the limit was reached"],
      channels: [8, 4, "event", "by channel"],
      spare: [16, 3, "rw", "for software"],
    }),
  ],
});
