/** A slot's end of the way of frames that its task makes: whole frames leave, or none. */
import {
  type Bit,
  bit,
  connect,
  instance,
  node,
  PacketFifo,
  reg,
  sink,
  source,
  stream,
  type StreamIn,
  type StreamOut,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { Declared } from "../../wire/index.ts";
import { MadeBeat, madeBeats } from "../tasks/index.ts";

const makeEndPorts = () => ({ taskMake: sink(MadeBeat), make: source(MadeBeat) });
export function makeEndPortsOf({ makes = false }: Declared): ReturnType<typeof makeEndPorts> {
  // A slot whose task makes none has no such ports, and nobody asks for them.
  return (makes ? makeEndPorts() : {}) as ReturnType<typeof makeEndPorts>;
}
interface MakeEnds {
  readonly taskMake: StreamIn<typeof MadeBeat>;
  readonly make: StreamOut<typeof MadeBeat>;
}
/**
 * Frames wait until they are whole, `madeBeats` beats at most: a longer one is forgotten. A task that is switched off
 * in the middle of one leaves nothing of it, and begins none until that is forgotten, for which there must be room for
 * a beat. Gives whether there is room, and whether all has left.
 */
export function wholeFrames(io: MakeEnds, off: Bit): { readonly room: Bit; readonly empty: Bit } {
  const kept = instance(
      "made",
      PacketFifo({ shape: MadeBeat, depth: madeBeats, last: "last", drop: "bad", style: "distributed" }),
    ),
    begun = reg(bit, { init: 0, name: "make_begun" }),
    from = stream(MadeBeat, { name: "making" }),
    cutting = reg(bit, { init: 0, name: "make_to_cut" }),
    cuts = node(off.or(cutting).and(begun), { name: "make_is_cut" });
  when(from.fire, () => {
    begun.set(from.payload.last.not());
    cutting.set(0);
  }).elseWhen(cuts, () => cutting.set(1));
  from.valid.set(cuts.or(io.taskMake.valid.andNot(off)));
  from.payload.set({
    ...io.taskMake.payload,
    last: io.taskMake.payload.last.or(cuts),
    bad: io.taskMake.payload.bad.or(cuts),
  });
  io.taskMake.ready.set(from.ready.andNot(off).andNot(cuts));
  connect(from, kept.push);
  connect(kept.pop, io.make);
  return { room: from.ready, empty: begun.or(kept.packets.any()).not() };
}
/**
 * The same for a slot: gives whether the task waits for room, which is no fault of it, and whether nothing is left: a
 * region that goes would take it with it.
 */
export function makeEnd(io: MakeEnds, off: Bit): { readonly held: Bit; readonly empty: Bit } {
  const { room, empty } = wholeFrames(io, off);
  return { held: node(io.taskMake.valid.andNot(room), { name: "make_waits" }), empty };
}
