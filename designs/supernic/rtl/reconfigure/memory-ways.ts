/** Ways to memory of a region whose chain comes and goes: as many as the chain with most of them has. */
import {
  assignView,
  type Bit,
  connect,
  fromBits,
  type Inside,
  mux,
  node,
  onehotMux,
  orTree,
  type Outside,
  portOf,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { type memoryPortsOf, memoryWays } from "../region/index.ts";
import type { Task } from "../tasks/index.ts";

type Chain = readonly Task[];
type Ways = ReturnType<typeof memoryPortsOf>;
export const mostWays = (variants: readonly Chain[]): number => Math.max(0, ...variants.map(memoryWays));

/** Joins the ways of all chains with those of the partition. What goes out of it while it is `noise` means nothing. */
export function chosenWays(
  io: Inside<Ways>,
  all: readonly { readonly chain: Chain; readonly it: Outside<Ways>; readonly chosen: Bit }[],
  noise: Bit,
  word: UInt,
): void {
  const most = mostWays(all.map(a => a.chain));
  if (most === 0) return;
  for (let w = 0; w < most; w++) {
    const having = all.filter(a => memoryWays(a.chain) > w),
      chosen = having.map(a => a.chosen);
    for (const name of ["ask", "put"] as const) {
      const to = portOf(io, name, w),
        from = having.map(a => portOf(a.it, name, w)),
        any = orTree(from.map((f, i) => f.valid.and(chosen[i] ?? noise)));
      to.valid.set(mux(noise, word.bit(w), any));
      // Both are of the one shape, which the name tells.
      assignView(
        to.payload,
        onehotMux<unknown>(
          chosen,
          from.map(f => f.payload),
        ),
        "payload",
      );
      from.forEach(f => f.ready.set(to.ready));
    }
    for (const name of ["got", "wrote"] as const) {
      const from = portOf(io, name, w),
        to = having.map(a => portOf(a.it, name, w));
      to.forEach((t, i) => {
        t.valid.set(from.valid.and(chosen[i] ?? noise));
        assignView(t.payload, from.payload, "payload");
      });
      from.ready.set(mux(noise, word.bit(w + 8), orTree(to.map((t, i) => t.ready.and(chosen[i] ?? noise)))));
    }
  }
  for (const { chain, it } of all) {
    const ways = memoryWays(chain);
    if (ways === 0) continue;
    it.memoryIdle.set(io.memoryIdle.bits(0, ways));
    it.memoryHeld.set(io.memoryHeld.bits(0, ways));
  }
  const off = Array.from({ length: most }, (_, w) =>
    orTree(all.filter(a => memoryWays(a.chain) > w).map(a => a.it.memoryOff.bit(w).and(a.chosen))),
  );
  io.memoryOff.set(fromBits(off).is(most));
}

/**
 * The same ways outside of the decoupler. While the region is off its ways are off, too, and what comes back is taken
 * here. Gives whether all of them are idle.
 */
export function decoupledWays(io: Inside<Ways>, part: Outside<Ways>, ways: number, off: Bit): Bit {
  for (let w = 0; w < ways; w++) {
    connect(portOf(part, "ask", w), portOf(io, "ask", w));
    connect(portOf(part, "put", w), portOf(io, "put", w));
    for (const name of ["got", "wrote"] as const) {
      const from = portOf(io, name, w),
        to = portOf(part, name, w);
      to.valid.set(from.valid.andNot(off));
      assignView(to.payload, from.payload, "payload");
      from.ready.set(to.ready.or(off));
    }
  }
  part.memoryIdle.set(io.memoryIdle);
  part.memoryHeld.set(io.memoryHeld);
  io.memoryOff.set(fromBits(Array.from({ length: ways }, (_, w) => part.memoryOff.bit(w).or(off))).is(ways));
  return node(io.memoryIdle.all(), { name: "memories_idle" });
}
