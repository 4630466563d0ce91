/** Regions in their places: one whose chain stays, one whose chain comes and goes, and one without a chain. */
import {
  assignView,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fifoWithLevel,
  fromBits,
  type Inside,
  instance,
  type InstanceOf,
  map,
  type Outside,
  portOf,
  reg,
  type StreamIn,
  struct,
  unpack,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import type { PayloadUse } from "../../wire/index.ts";
import { ctxBits } from "../inside/index.ts";
import {
  type Loader,
  mostMakers,
  mostPayloads,
  mostTrailers,
  mostWays,
  nameOfChain,
  reconfigurable,
  RegionStatus,
} from "../reconfigure/index.ts";
import {
  type ChainParameters,
  type makePortsOf,
  makersOf,
  type memoryPortsOf,
  memoryWays,
  type payloadPortsOf,
  payloadUses,
  region,
  RegionEnter,
  type RegionLeave,
  sentLate,
  SlotState,
  type statePortsOf,
  type trailerPortsOf,
  trailerUses,
} from "../region/index.ts";
import { noFront, type Task } from "../tasks/index.ts";
import { BranchEnter, BranchLeave, type PathParameters } from "./records.ts";
import {
  type Bitstreams,
  branchesOf,
  JobOf,
  nameOfContent,
  type RegionsParameters,
  type RegionsPorts,
  slotsOf,
} from "./regions-ports.ts";

/** Packets that a region without a chain keeps. */
const nobodyPlaces = 16;

/** What is sent to a region without a chain comes back dropped, with all its credits. */
function nobody(entry: StreamIn<ReturnType<typeof BranchEnter>>, p: PathParameters, r: number) {
  const { ctx, branch, run } = BranchEnter(p).fields,
    Sent = struct({ ctx, branch, run });
  const { out, level } = fifoWithLevel(
    map(entry, Sent, e => ({ ctx: e.ctx, branch: e.branch, run: e.run }), { name: `nobody_${r}` }),
    nobodyPlaces,
    { name: `sent_to_nobody_${r}`, style: "distributed" },
  );
  const accepts = reg(bit, { init: 0, name: `nobody_accepts_${r}` });
  accepts.set(level.le(nobodyPlaces - sentLate - 2));
  const leave = map(
    out,
    BranchLeave(p),
    e => ({
      ctx: e.ctx,
      branch: e.branch,
      region: r,
      header: 0,
      mask: 0,
      ...noFront,
      reply: 0,
      dropped: 1,
      killed: 1,
      refund: e.run,
    }),
    { name: `from_nobody_${r}` },
  );
  return { accepts, leave };
}

type Entry = StreamIn<ReturnType<typeof BranchEnter>>;
/** A region as all see it. */
interface Placed {
  readonly accepts: Bit;
  readonly leave: StreamIn<ReturnType<typeof BranchLeave>>;
}
/** The branch is kept above the context; slots that the chain does not have are cut off. */
const entering = (entry: Entry, of: ChainParameters, r: number) =>
  map(
    entry,
    RegionEnter(of),
    ({ branch, region: _r, ctx: c, run, ...rest }) => ({ ...rest, ctx: cat(branch, c), run: run.trunc(of.slots) }),
    { name: `entering_${r}` },
  );
const leaving = (leave: StreamIn<ReturnType<typeof RegionLeave>>, p: RegionsParameters, r: number) =>
  map(
    leave,
    BranchLeave(p),
    ({ ctx: c, refund, ...rest }) => ({
      ...rest,
      ctx: c.trunc(ctxBits(p)),
      branch: c.bits(ctxBits(p), c.width - ctxBits(p)),
      region: r,
      refund: refund.zext(p.slots),
    }),
    { name: `leaving_${r}` },
  );

/** What all regions of a device share. */
export interface Within {
  readonly io: Inside<RegionsPorts>;
  readonly p: RegionsParameters;
  /** Instances of a chain, or of bitstreams, are instances of one module. */
  readonly definition: <T>(name: string, make: () => T) => T;
}
const statesOf = ({ io, p }: Within, r: number) =>
  Array.from({ length: p.slots }, (_, s) => io.state.at(r * p.slots + s));
const noState = (p: RegionsParameters) => {
  const State = SlotState(slotsOf(p));
  return unpack(State, constant(0, widthOf(State)));
};

/**
 * Joins a region's ways to memory with those of all. @param before ways of regions in front
 * @returns which of its tasks are off
 */
function connectMemories(
  it: Outside<ReturnType<typeof memoryPortsOf>>,
  ways: number,
  before: number,
  io: Inside<RegionsPorts>,
): readonly Bit[] {
  if (ways === 0) return [];
  for (let w = 0; w < ways; w++) {
    connect(portOf(it, "ask", w), portOf(io, "ask", before + w));
    connect(portOf(it, "put", w), portOf(io, "put", before + w));
    connect(portOf(io, "got", before + w), portOf(it, "got", w));
    connect(portOf(io, "wrote", before + w), portOf(it, "wrote", w));
  }
  it.memoryIdle.set(io.memoryIdle.bits(before, ways));
  it.memoryHeld.set(io.memoryHeld.bits(before, ways));
  return Array.from({ length: ways }, (_, w) => it.memoryOff.bit(w));
}
/** Joins a region's tasks with payload to their ways. @param before ways of regions in front */
function connectWays(
  it: Outside<ReturnType<typeof payloadPortsOf>>,
  uses: readonly PayloadUse[],
  before: number,
  { io, p }: Within,
): void {
  uses.forEach((use, w) => {
    const way = before + w;
    connect(
      map(portOf(it, "job", w), JobOf(p), j => ({ ctx: j.ctx.trunc(ctxBits(p)) }), { name: `job_of_${way}` }),
      portOf(io, "job", way),
    );
    connect(portOf(io, "payload", way), portOf(it, "payload", w));
    if (use === "write") connect(portOf(it, "back", w), portOf(io, "back", way));
  });
}

/** Ways to payload, to memory, out for frames, and for trailers, of the regions in front. */
export interface Before {
  readonly reads: number;
  readonly memories: number;
  readonly makers: number;
  readonly trailers: number;
}
function connectMakes(it: Outside<ReturnType<typeof makePortsOf>>, makers: number, before: Before, io: Within["io"]) {
  for (let m = 0; m < makers; m++) connect(portOf(it, "make", m), portOf(io, "make", before.makers + m));
}
function connectTrailers(
  it: Outside<ReturnType<typeof trailerPortsOf>>,
  trailers: number,
  before: Before,
  { io, p }: Within,
): void {
  for (let t = 0; t < trailers; t++) {
    const said = portOf(it, "trailer", t);
    portOf(io, "trailer", before.trailers + t).set({ ...said, ctx: said.ctx.trunc(ctxBits(p)) });
  }
}
/** A region whose chain stays. */
export function staticRegion(
  entry: Entry,
  chain: readonly Task[],
  r: number,
  before: Before,
  within: Within,
): Placed & { readonly memoryOff: readonly Bit[]; readonly it?: Outside<ReturnType<typeof statePortsOf>> } {
  const { io, p, definition } = within,
    states = statesOf(within, r);
  states.slice(chain.length).forEach(state => assignView(state, noState(p), "state"));
  io.status.at(r).set(unpack(RegionStatus(branchesOf(p)), constant(0, widthOf(RegionStatus(branchesOf(p))))));
  if (chain.length === 0) {
    io.busy.at(r).set(0);
    io.give.at(r).set(0);
    return { ...nobody(entry, p, r), memoryOff: [] };
  }
  const of: ChainParameters = { ...branchesOf(p), slots: chain.length, places: p.credits },
    make = definition(nameOfChain(chain), () => region(chain)),
    it = instance(`region_${r}`, make(of)),
    slots = chain.map((_, s) => it.state.at(s));
  io.busy.at(r).set(fromBits(slots.map(s => s.busy)).zext(p.slots));
  io.give.at(r).set(it.give.zext(p.slots));
  slots.forEach((slot, s) => {
    states[s]?.set(slot);
    it.control.at(s).set(io.control.at(r * p.slots + s));
  });
  const { valid, region: to, slot, at, data } = io.config;
  it.config.set({ valid: valid.and(to.eq(r)), slot: slot.trunc(it.config.slot.width), at, data });
  connectWays(it, payloadUses(chain), before.reads, within);
  connectMakes(it, makersOf(chain), before, io);
  connectTrailers(it, trailerUses(chain).length, before, within);
  const memoryOff = connectMemories(it, memoryWays(chain), before.memories, io);
  connect(entering(entry, of, r), it.enter);
  return { it, accepts: it.accepts, leave: leaving(it.leave, p, r), memoryOff };
}

/** A region whose chain comes and goes, and its loader's wires. */
export function swappedRegion(
  entry: Entry,
  content: Bitstreams,
  r: number,
  before: Before,
  loader: InstanceOf<typeof Loader>,
  within: Within,
) {
  const { io, p, definition } = within,
    of: ChainParameters = { ...branchesOf(p), slots: p.slots, places: p.credits },
    make = definition(nameOfContent({ ...content, first: 0 }), () => reconfigurable(content.variants)),
    it = instance(`region_${r}`, make(of));
  io.busy.at(r).set(it.busy);
  io.give.at(r).set(it.give);
  statesOf(within, r).forEach((state, s) => {
    state.set(it.state.at(s));
    it.control.at(s).set(io.control.at(r * p.slots + s));
  });
  const { valid, region: to, slot, at, data } = io.config;
  it.config.set({ valid: valid.and(to.eq(r)), slot: slot.trunc(it.config.slot.width), at, data });
  it.cut.set(loader.cut.bit(r));
  it.held.set(loader.held.bit(r));
  it.quiesce.set(loader.quiesce.bit(r));
  it.noise.set(loader.noise.bit(r));
  it.loaded.set(loader.loaded.at(r));
  loader.names.at(r).set(it.names);
  io.status.at(r).set({ ...loader.status.at(r), ...it.status, quiet: it.quiet });
  connectWays(it, mostPayloads(content.variants), before.reads, within);
  connectMakes(it, mostMakers(content.variants), before, io);
  connectTrailers(it, mostTrailers(content.variants).length, before, within);
  const memoryOff = connectMemories(it, mostWays(content.variants), before.memories, io),
    { off, empty } = it.status;
  connect(entering(entry, of, r), it.enter);
  return { it, accepts: it.accepts, leave: leaving(it.leave, p, r), off, empty, memoryOff };
}
