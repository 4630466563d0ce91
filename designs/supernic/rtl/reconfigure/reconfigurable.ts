import {
  assignView,
  type Bit,
  bit,
  connect,
  type Def,
  fromBits,
  input,
  type Inside,
  instance,
  mergePorts,
  module,
  mux,
  output,
  type Outside,
  pack,
  reg,
  repeat,
  uint,
  unpack,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { type ChainParameters, keepsState, SlotState, stateNumberBits, type statePortsOf } from "../region/index.ts";
import { Decoupler } from "./decoupler.ts";
import { decoupledMakes, mostMakers } from "./make-ways.ts";
import { decoupledWays, mostWays } from "./memory-ways.ts";
import { type Chain, nameOfVariants, partition, type VariantWays, waysOfVariants } from "./partition.ts";
import { decoupledPayloads, decoupledTrailers, mostPayloads, mostTrailers } from "./payload-ways.ts";
import { DecouplerStatus, regionSide, regionWay, variantBits } from "./records.ts";

const ports = (p: ChainParameters) => ({
  ...regionWay(p),
  ...regionSide(p),
  /** Slots that are busy. */
  busy: output(uint(p.slots)),
  /** From the loader, and for it. */
  cut: input(bit),
  held: input(bit),
  quiesce: input(bit),
  noise: input(bit),
  loaded: input(uint(variantBits)),
  names: output(uint(variantBits)),
  status: output(DecouplerStatus(p)),
  /** Each task is asked to put its state away, and has nothing inside. */
  quiet: output(bit),
});
export type ReconfigurablePorts = ReturnType<typeof ports> & VariantWays;

/**
 * A region whose chain comes and goes: a partition behind its decoupler (docs/supernic/reconfigure.md). Latency that of
 * the loaded chain and 1 cycle; initiation interval that of the chain. Off, slots are as those of a chain without
 * tasks. Full, errors and reset: as `Decoupler` and `partition` say.
 */
export function reconfigurable(variants: readonly Chain[]): (p: ChainParameters) => Def<ReconfigurablePorts> {
  const inside = partition(variants),
    keeps = variants.some(keepsState),
    ways = mostWays(variants),
    uses = mostPayloads(variants),
    trailers = mostTrailers(variants).length,
    known = { reads: uses.length, writes: uses.filter(u => u === "write").length, trailers };
  return module(
    "Reconfigurable",
    (p: ChainParameters) => mergePorts(ports(p), waysOfVariants(variants, p)),
    (io, p) => {
      const decoupler = instance("decoupler", Decoupler(uses.length === 0 ? p : { ...p, ...known })),
        part = instance("partition", inside(p));
      connect(io.enter, decoupler.enter);
      connect(decoupler.innerEnter, part.enter);
      connect(part.leave, decoupler.innerLeave);
      connect(decoupler.leave, io.leave);
      decoupler.innerGive.set(part.give);
      decoupler.innerAccepts.set(part.accepts);
      // It stays off, and is not empty, until the memory has answered what its tasks asked.
      const { off, empty } = decoupler.status,
        idle = ways === 0 ? undefined : decoupledWays(io, part, ways, off);
      decoupler.cut.set(idle === undefined ? io.cut : io.cut.or(off.andNot(idle)));
      io.give.set(decoupler.give);
      io.accepts.set(decoupler.accepts);
      io.status.set(idle === undefined ? decoupler.status : { ...decoupler.status, empty: empty.and(idle) });

      decoupledPayloads(io, part, decoupler, { contexts: p.contexts, uses }, off);
      decoupledTrailers(io, part, decoupler, trailers, off);
      decoupledMakes(io, part, mostMakers(variants), off);
      if (keeps) decoupledState(io, part, off);
      part.loaded.set(io.loaded);
      part.noise.set(io.noise);
      part.held.set(io.held);
      io.names.set(part.names);
      part.config.set(io.config);
      const State = SlotState(p),
        slots = Array.from({ length: p.slots }, (_, s) => {
          const { quiesce, ...control } = io.control.at(s);
          part.control.at(s).set({ ...control, quiesce: quiesce.or(io.quiesce) });
          const said = part.state.at(s),
            state = unpack(State, pack(said).and(repeat(off.not(), widthOf(State))));
          assignView(io.state.at(s), state, "state");
          return state;
        });
      io.busy.set(fromBits(slots.map(s => s.busy)).is(p.slots));
      io.quiet.set(fromBits(slots.map(s => s.quiet)).all());
    },
    { nameOf: p => `Reconfigurable_${nameOfVariants(variants)}_c${p.contexts}_s${p.slots}_f${p.places}` },
  );
}

/** While the region is off, what it says of state is thrown away, and an ask is refused here, a cycle later. */
function decoupledState(
  io: Inside<ReturnType<typeof statePortsOf>>,
  part: Outside<ReturnType<typeof statePortsOf>>,
  off: Bit,
): void {
  part.stateAsk.set({ ...io.stateAsk, valid: io.stateAsk.valid.andNot(off) });
  const refuses = reg(bit, { init: 0, name: "state_refused" }),
    number = reg(uint(stateNumberBits), { name: "state_refused_number" });
  refuses.set(io.stateAsk.valid.and(off));
  number.set(io.stateAsk.number);
  const { valid, done, ...said } = part.stateSaid;
  io.stateSaid.set({
    ...said,
    valid: refuses.or(valid.andNot(off)),
    done: done.andNot(refuses),
    number: mux(refuses, number, said.number),
  });
}
