import {
  constant,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  reg,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { userClasses } from "../inside/index.ts";
import type { EgressParameters } from "./ports.ts";

/** Parts in which the time of a pause is counted, for all classes at once. */
export const pauseParts = 16;
/** Cycles of a part. */
export const pausePart = (p: Pick<EgressParameters, "pauseCycles">): number => Math.ceil(p.pauseCycles / pauseParts);

/**
 * Classes that are paused for too long, by port: `expired` rises when one has been paused for `pauseCycles` cycles, at
 * most a 16th of them later, and falls when the class is open again. Reset: none is.
 */
export const Pauses = module(
  "Pauses",
  (p: Pick<EgressParameters, "ports" | "pauseCycles">) => ({
    paused: input(vec(uint(userClasses), p.ports)),
    expired: output(vec(uint(userClasses), p.ports)),
  }),
  (io, p) => {
    const most = pausePart(p) - 1,
      width = Math.max(1, Math.ceil(Math.log2(most + 1))),
      time = reg(uint(width), { init: 0, name: "part_time" }),
      tick = node(time.eq(most), { name: "part_ends" });
    time.set(mux(tick, constant(0, width), time.add(1)));
    for (let q = 0; q < p.ports; q++) {
      const paused = io.paused.at(q);
      const expired = Array.from({ length: userClasses }, (_, k) => {
        // The part in which the pause began does not count.
        const parts = reg(uint(5), { init: 0, name: `parts_${q}_${k}` }),
          ends = parts.gt(pauseParts);
        when(paused.bit(k).not(), () => parts.set(0)).elseWhen(tick.andNot(ends), () => parts.set(parts.add(1)));
        return ends;
      });
      io.expired.at(q).set(fromBits(expired).is(userClasses));
    }
  },
  { nameOf: p => `Pauses_p${p.ports}_t${p.pauseCycles}` },
);
