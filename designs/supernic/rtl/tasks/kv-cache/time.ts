/** Time in the KV cache: what is too old, what is due, and when all that was kept is forgotten. */
import { type Bit, bit, node, reg, uint, type UInt, type Val, when } from "../../../../../hdl-dsl/index.ts";
import { kvAgeCycles, kvMostLife, kvPending, kvPlaces, kvTick } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";
import { type KvCacheParameters, pendingBits, setBits, stampBits } from "./records.ts";

const lifeBits = Math.log2(kvMostLife) + 1;
/** Cycles of a sweep over all memories, in bits. */
export const sweepBits = (p: KvCacheParameters): number => Math.max(setBits(p), pendingBits);

/**
 * `deaf`: nothing is learnt, as requests may be under way that the cache has not seen. That is so for `life` after a
 * reset, after configuration, and after each packet that may have changed any key. Meanwhile, at first, all sets are
 * cleared; `fresh`: after a reset, what is waited for, too.
 */
export function timeOf(p: KvCacheParameters, config: Val<typeof TaskConfig>) {
  const row = reg(uint(43), { init: 0, name: "node_row" }),
    life = reg(uint(lifeBits), { init: kvMostLife, name: "life" }),
    of = (place: number): Bit => config.valid.and(config.at.eq(place));
  when(of(kvPlaces.node), () => row.set(config.data.trunc(43)));
  when(of(kvPlaces.life), () => life.set(config.data.trunc(lifeBits)));
  const configured = reg(bit, { init: 0, name: "configured" });
  configured.set(config.valid);

  const cycle = reg(uint(Math.log2(kvTick)), { init: 0, name: "cycle_of_tick" }),
    ticks = node(cycle.all(), { name: "ticks" }),
    now = reg(uint(stampBits), { init: 0, name: "now" });
  cycle.set(cycle.add(1));
  when(ticks, () => now.set(now.add(1)));

  const sweeping = reg(bit, { init: 1, name: "sweeping" }),
    fresh = reg(bit, { init: 1, name: "fresh" }),
    sweepAt = reg(uint(sweepBits(p)), { init: 0, name: "sweep_at" }),
    deaf = reg(uint(lifeBits + 1), { init: 1, name: "deaf_for" }),
    due = reg(bit, { init: 0, name: "age_is_due" }),
    ageAt = reg(uint(pendingBits), { init: kvPending - 1, name: "age_at" });
  when(cycle.trunc(Math.log2(kvAgeCycles)).all(), () => {
    due.set(1);
    ageAt.set(ageAt.add(1));
  });
  return {
    row,
    life,
    now,
    due,
    ageAt,
    sweeping,
    fresh,
    sweepAt,
    isDeaf: node(deaf.any().or(sweeping), { name: "is_deaf" }),
    /** Older than anything that may be under way. */
    isOld: (stamp: UInt): Bit => now.sub(stamp).gt(life.resize(stampBits)),
    /** `forgets`: all that was learnt; `swept`: a place has been cleared. */
    step: (forgets: Bit, swept: Bit): void => {
      when(ticks.and(deaf.any()), () => deaf.set(deaf.sub(1)));
      when(swept, () => {
        sweepAt.set(sweepAt.add(1));
        when(sweepAt.all(), () => {
          sweeping.set(0);
          fresh.set(0);
        });
      });
      when(sweeping, () => deaf.set(life.resize(lifeBits + 1).add(2)));
      when(forgets.or(configured), () => {
        sweeping.set(1);
        // After a reset the sweep goes on: all must be cleared once.
        when(fresh.not(), () => sweepAt.set(0));
      });
    },
  };
}
export type Time = ReturnType<typeof timeOf>;
