/** Frames that the chains of a region make that comes and goes: as many ways as the chain with most of them has. */
import {
  assignView,
  bit,
  type Bit,
  connect,
  input,
  type Inside,
  instance,
  module,
  mux,
  onehotMux,
  orTree,
  type Outside,
  portOf,
  sink,
  source,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { type makePortsOf, makersOf, wholeFrames } from "../region/index.ts";
import { MadeBeat, type Task } from "../tasks/index.ts";

type Chain = readonly Task[];
type Ways = ReturnType<typeof makePortsOf>;
export const mostMakers = (variants: readonly Chain[]): number => Math.max(0, ...variants.map(makersOf));

/** Joins the ways of all chains with those of the partition. What goes out of it while it is `noise` means nothing. */
export function chosenMakes(
  io: Inside<Ways>,
  all: readonly { readonly chain: Chain; readonly it: Outside<Ways>; readonly chosen: Bit }[],
  noise: Bit,
  word: UInt,
): void {
  for (let w = 0; w < mostMakers(all.map(a => a.chain)); w++) {
    const having = all.filter(a => makersOf(a.chain) > w),
      chosen = having.map(a => a.chosen);
    const to = portOf(io, "make", w),
      from = having.map(a => portOf(a.it, "make", w)),
      any = orTree(from.map((f, i) => f.valid.and(chosen[i] ?? noise)));
    to.valid.set(mux(noise, word.bit(w + 16), any));
    // All are of the one shape, which the name tells.
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
}

/**
 * Keeps the beats of a frame until it is whole, outside of the partition: so no chain goes in the middle of a frame
 * that is on its way. `off`: what has begun is forgotten, whole frames leave. Latency, bounds and full: as
 * `wholeFrames` says. Reset: it has nothing.
 */
export const MakeGate = module(
  "MakeGate",
  () => ({ taskMake: sink(MadeBeat), make: source(MadeBeat), off: input(bit) }),
  io => {
    wholeFrames(io, io.off);
  },
);

/** The same ways outside of the decoupler. */
export function decoupledMakes(io: Inside<Ways>, part: Outside<Ways>, ways: number, off: Bit): void {
  for (let w = 0; w < ways; w++) {
    const gate = instance(`make_gate_${w}`, MakeGate());
    connect(portOf(part, "make", w), gate.taskMake);
    connect(gate.make, portOf(io, "make", w));
    gate.off.set(off);
  }
}
