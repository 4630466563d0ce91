import {
  assertAlways,
  bit,
  type Bit,
  constant,
  input,
  instance,
  module,
  mux,
  node,
  output,
  reg,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, Drf } from "../drf/index.ts";
import { EntryWrite, inlets, ownEntry, Released, userClasses } from "../inside/index.ts";
import { DemandMonitor } from "./demand-monitor.ts";
import { beatsOf, listOf, meteredOf } from "./fair-run.ts";
import { FairVectors } from "./fair-vectors.ts";
import { drfOf, epochParts, fairName, type FairParameters, fairUserBits, typesOf, useEndPart } from "./parameters.ts";
import { Admitted, Decided, Offered, Place, Shown, TakenFrame } from "./records.ts";
import { useLatency, UseMonitor } from "./use-monitor.ts";

const loopPorts = (p: FairParameters) => ({
  /** A 64th part of an epoch begins. */
  part: input(bit),
  /** The unit's rates go to the meter, else software's do; from the next end of an epoch on. */
  hardware: input(bit),
  admitted: input(Admitted(p)),
  decided: input(Decided(p)),
  released: input(Released(p)),
  offered: input(vec(Offered, inlets(p))),
  taken: input(TakenFrame),
  paused: input(vec(uint(userClasses), p.ports)),
  dry: input(uint(p.users)),
  portBytes: input(uint(f.rateBits)),
  dagUse: input(EntryWrite("dagUse")),
  capacity: input(EntryWrite("capacity")),
  weight: input(EntryWrite("weight")),
  firstUse: input(EntryWrite("firstUse")),
  /** Entries as software writes them, and as the meter has them: a cycle later, with the unit's rates in between. */
  users: input(EntryWrite("user")),
  metered: output(EntryWrite("user")),
  look: input(Place(p)),
  shown: output(Shown),
});

/** The ends of epochs: of uses, and of all else. */
function endsOf(part: Bit) {
  const bits = Math.log2(epochParts),
    parts = reg(uint(bits), { init: 0, name: "parts" });
  when(part, () => parts.set(parts.add(1)));
  const at = (n: number, name: string): Bit => node(part.and(parts.eq(n - 1)), { name });
  return { uses: at(useEndPart, "uses_end"), epoch: at(epochParts, "epoch_ends") };
}

/** Types of which packets count, as software says with their capacities: it writes all of them. Reset leaves them. */
function packetTypes(p: FairParameters, { en, index, value }: Val<ReturnType<typeof EntryWrite<"capacity">>>): UInt {
  const types = typesOf(p),
    packets = reg(uint(types), { name: "packet_types" }),
    one = constant(1, types).shl(index).trunc(types);
  when(en.and(index.lt(types)), () => packets.set(mux(value.packets.bit(0), packets.or(one), packets.andNot(one))));
  return packets;
}

/**
 * The monitors and the loop of fair shares (docs/supernic/monitors.md; paper §5.4.4): what users bring and use is
 * counted, and at each end of an epoch becomes the rates of the next one, in the meter's table.
 *
 * Latency: from an epoch's end to the last rate at most 750 cycles, with 16 users. Nothing that is counted waits, and
 * software's entries are not held up. Reset: nothing is counted, an epoch begins; what software has said stays, and
 * software's rates count until an epoch has ended.
 */
export const FairLoop = module(
  "FairLoop",
  (p: FairParameters) => loopPorts(p),
  (io, p) => {
    const ends = endsOf(io.part),
      uses = instance("uses", UseMonitor(p)),
      demands = instance("demands", DemandMonitor(p)),
      vectors = instance("vectors", FairVectors(p)),
      drf = instance("drf", Drf(drfOf(p)));

    // What is counted.
    uses.admitted.set(io.admitted);
    uses.decided.set(io.decided);
    uses.released.set(io.released);
    uses.dagUse.set(io.dagUse);
    uses.packets.set(packetTypes(p, io.capacity));
    uses.ends.set(ends.uses);
    io.offered.toArray().forEach((o, i) => demands.offered.at(i).set(o));
    demands.taken.set(io.taken);
    io.paused.toArray().forEach((c, i) => demands.paused.at(i).set(c));
    demands.dry.set(io.dry);
    demands.users.set(io.users);
    demands.portBytes.set(io.portBytes);
    demands.ends.set(ends.epoch);

    // Vectors, when the epoch of uses is over.
    vectors.start.set(ago("uses_are_there", ends.uses, useLatency + 1));
    uses.ask.set(vectors.ask);
    vectors.counted.set(uses.counted);
    vectors.firstUse.set(io.firstUse);
    vectors.look.set(io.look);

    // A run, when the epoch is over.
    const begins = ago("run_begins", ends.epoch, 1),
      beats = beatsOf(p, demands.demand, begins),
      weights = listOf(p, "weight_list", uint(f.weightBits), [0]);
    weights.write(
      ownEntry(io.weight, p.users),
      io.weight.index.resize(fairUserBits(p)),
      io.weight.value.weight.is(f.weightBits),
    );
    const hardware = reg(bit, { init: 0, name: "by_hardware" });
    when(ends.epoch, () => hardware.set(io.hardware));
    // Where software gives the rates, an epoch may be shorter than a run.
    const counts = node(begins.and(hardware), { name: "run_counts" });
    assertAlways(counts.not().or(beats.done.andNot(drf.busy)), "a run is over when the next epoch ends");
    assertAlways(counts.not().or(vectors.busy.not()), "vectors are ready when an epoch ends");
    vectors.of.set({ user: beats.at, group: beats.group });
    drf.vectors.valid.set(beats.there);
    drf.vectors.payload.weight.set(weights.readAsync(beats.at));
    drf.vectors.payload.demand.set(beats.demand);
    vectors.uses.toArray().forEach((use, l) => drf.vectors.payload.uses.at(l).set(use));
    beats.step(drf.vectors.fire);
    drf.capacities.set({
      en: ownEntry(io.capacity, drfOf(p).resources),
      index: io.capacity.index.resize(drf.capacities.index.width),
      value: io.capacity.value.units.is(f.capacityBits),
    });

    // Its rates.
    const given = listOf(p, "rate_list", uint(f.rateBits), [0]);
    given.write(drf.rates.fire, drf.rates.payload.user, drf.rates.payload.bytes);
    io.metered.set(meteredOf(p, io.users, drf.rates, hardware));

    const shown = reg(Shown, { name: "shown_q" }),
      { user } = io.look;
    shown.set({
      use: vectors.shown,
      demand: beats.demandOf(user),
      taken: beats.takenOf(user),
      rate: given.readAsync(user),
    });
    io.shown.set(shown);
  },
  { nameOf: p => `FairLoop_${fairName(p)}` },
);
