/** Time in replication: the sweep after a reset, which set is looked at next, and what is too old. */
import { reg, uint, type UInt, type Val, when } from "../../../../../hdl-dsl/index.ts";
import { replicaAgeCycles, replicaMostLife, replicaPlaces, replicaTick } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";
import { setBits, stampBits } from "./records.ts";

const lifeBits = Math.log2(replicaMostLife) + 1;

export function timeOf(config: Val<typeof TaskConfig>) {
  const life = reg(uint(lifeBits), { init: replicaMostLife, name: "life" });
  when(config.valid.and(config.at.eq(replicaPlaces.life)), () => life.set(config.data.trunc(lifeBits)));
  const cycle = reg(uint(Math.log2(replicaTick)), { init: 0, name: "cycle_of_tick" }),
    now = reg(uint(stampBits), { init: 0, name: "now" }),
    sweeping = reg(uint(1), { init: 1, name: "sweeping" }),
    setAt = reg(uint(setBits), { init: 0, name: "set_at" }),
    due = reg(uint(1), { init: 0, name: "age_is_due" });
  cycle.set(cycle.add(1));
  when(cycle.all(), () => now.set(now.add(1)));
  when(cycle.trunc(Math.log2(replicaAgeCycles)).all(), () => due.set(1));
  when(sweeping, () => {
    setAt.set(setAt.add(1));
    when(setAt.all(), () => sweeping.set(0));
  });
  return {
    now,
    due,
    sweeping,
    setAt,
    /** Of an age in ticks. */
    isOld: (age: UInt) => age.gt(life.resize(stampBits)),
    /** The set at `setAt` is looked at. */
    looks: (): void => {
      due.set(0);
      setAt.set(setAt.add(1));
    },
  };
}
export type Time = ReturnType<typeof timeOf>;
