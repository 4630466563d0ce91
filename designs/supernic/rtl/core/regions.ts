import {
  arbiter,
  assignView,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  type Def,
  demux,
  fifoWithLevel,
  fromBits,
  input,
  instance,
  map,
  mergePorts,
  module,
  output,
  portArray,
  portOf,
  reg,
  sink,
  source,
  type StreamIn,
  struct,
  uint,
  unpack,
  vec,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { mostPayloadTasks, type PayloadUse } from "../../wire/index.ts";
import { ctxBits, type DeviceSizes } from "../inside/index.ts";
import {
  type ChainParameters,
  ofWriters,
  payloadUses,
  region,
  RegionEnter,
  sentLate,
  SlotControl,
  SlotState,
} from "../region/index.ts";
import { noFront, PayloadBeat, type Task, TaskConfig } from "../tasks/index.ts";
import { BranchEnter, BranchLeave, type PathParameters } from "./records.ts";

export type RegionsParameters = PathParameters & Pick<DeviceSizes, "credits">;

/** A word of configuration for a task, by region and slot. */
export const SlotConfig = struct({ ...TaskConfig.fields, region: uint(3), slot: uint(3) });

const slotsOf = (p: RegionsParameters) => ({ ...p, places: p.credits });
const regionsPorts = (p: RegionsParameters) => ({
  enter: sink(BranchEnter(p)),
  leave: source(BranchLeave(p)),
  /** Regions that take what is sent to them now, and some more. */
  accepts: output(uint(p.regions)),
  /** By region: slots that are busy, and slots whose task has taken a packet. */
  busy: output(vec(uint(p.slots), p.regions)),
  give: output(vec(uint(p.slots), p.regions)),
  // A build without some of the slots does not look at theirs. By region, then slot.
  control: input(vec(SlotControl(slotsOf(p)), p.regions * p.slots), { unused: true }),
  state: output(vec(SlotState(slotsOf(p)), p.regions * p.slots)),
  config: input(SlotConfig),
});
const JobOf = (p: RegionsParameters) => struct({ ctx: uint(ctxBits(p)) });
/** Their ways to payloads, in the order of regions and slots. */
const waysPorts = (p: RegionsParameters, uses: readonly PayloadUse[]) =>
  mergePorts(
    portArray("job", uses.length, source(JobOf(p))),
    portArray("payload", uses.length, sink(PayloadBeat)),
    ofWriters("back", uses, source(PayloadBeat)),
  );
export type RegionsPorts = ReturnType<typeof regionsPorts> & ReturnType<typeof waysPorts>;

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

/**
 * The regions of a device, each with its chain (paper §5.3): what is sent to a region enters it, and what leaves the
 * regions is taken in turns. A region without a chain drops what comes. Latency: that of a region, and none at `leave`.
 * Initiation interval 1. Full: `enter` waits for the region that the branch is for; `leave` gives every branch once.
 * Reset: nothing is inside. @throws RangeError for more chains than regions, a chain of more tasks than slots, or more
 * than two tasks with payload
 */
export function regions(chains: readonly (readonly Task[])[]): (p: RegionsParameters) => Def<RegionsPorts> {
  const uses = payloadUses(chains.flat());
  return module(
    "Regions",
    (p: RegionsParameters) => mergePorts(regionsPorts(p), waysPorts(p, uses)),
    (io, p) => {
      if (chains.length < 1 || chains.length > p.regions)
        throw new RangeError(
          `regions: there are ${chains.length} chains for ${p.regions} regions; give 1 to ${p.regions}`,
        );
      const long = chains.findIndex(c => c.length > p.slots);
      if (long >= 0)
        throw new RangeError(
          `regions: chain ${long} has ${chains[long]?.length ?? 0} tasks; a region has ${p.slots} slots`,
        );
      if (uses.length > mostPayloadTasks)
        throw new RangeError(
          `regions: ${uses.length} tasks have payload, and the packet store has ${mostPayloadTasks} buses for them; leave some out`,
        );
      // A region keeps the branch above the context.
      const ctx = ctxBits(p),
        contexts = 2 ** (ctx + BranchEnter(p).fields.branch.width);
      const State = SlotState(slotsOf(p)),
        entries = demux(io.enter, io.enter.payload.region, p.regions, { name: "enters" });
      // Instances of a chain are instances of one module.
      const made = new Map<string, ReturnType<typeof region>>();
      const regionOf = (chain: readonly Task[]): ReturnType<typeof region> => {
        const name = chain.map(t => t.declared.name).join(),
          known = made.get(name) ?? region(chain);
        made.set(name, known);
        return known;
      };
      const at = { leaves: [] as StreamIn<ReturnType<typeof BranchLeave>>[], accepts: [] as Bit[] };
      entries.forEach((entry, r) => {
        const chain = chains[r] ?? [],
          states = Array.from({ length: p.slots }, (_, s) => io.state.at(r * p.slots + s)),
          none = unpack(State, constant(0, widthOf(State)));
        states.slice(chain.length).forEach(state => assignView(state, none, "state"));
        if (chain.length === 0) {
          io.busy.at(r).set(0);
          io.give.at(r).set(0);
          const { accepts, leave } = nobody(entry, p, r);
          at.accepts.push(accepts);
          at.leaves.push(leave);
          return;
        }
        const of: ChainParameters = { contexts, slots: chain.length, places: p.credits },
          it = instance(`region_${r}`, regionOf(chain)(of)),
          slots = chain.map((_, s) => it.state.at(s));
        io.busy.at(r).set(fromBits(slots.map(s => s.busy)).zext(p.slots));
        io.give.at(r).set(it.give.zext(p.slots));
        slots.forEach((slot, s) => {
          states[s]?.set(slot);
          it.control.at(s).set(io.control.at(r * p.slots + s));
        });
        const { valid, region: to, slot, at: place, data } = io.config;
        it.config.set({ valid: valid.and(to.eq(r)), slot: slot.trunc(it.config.slot.width), at: place, data });
        at.accepts.push(it.accepts);
        const before = payloadUses(chains.slice(0, r).flat()).length;
        payloadUses(chain).forEach((use, w) => {
          const way = before + w;
          connect(
            map(portOf(it, "job", w), JobOf(p), j => ({ ctx: j.ctx.trunc(ctx) }), { name: `job_of_${way}` }),
            portOf(io, "job", way),
          );
          connect(portOf(io, "payload", way), portOf(it, "payload", w));
          if (use === "write") connect(portOf(it, "back", w), portOf(io, "back", way));
        });
        connect(
          map(
            entry,
            RegionEnter(of),
            ({ branch, region: _r, ctx: c, run, ...rest }) => ({
              ...rest,
              ctx: cat(branch, c),
              run: run.trunc(chain.length),
            }),
            { name: `entering_${r}` },
          ),
          it.enter,
        );
        at.leaves.push(
          map(
            it.leave,
            BranchLeave(p),
            ({ ctx: c, refund, ...rest }) => ({
              ...rest,
              ctx: c.trunc(ctx),
              branch: c.bits(ctx, c.width - ctx),
              region: r,
              refund: refund.zext(p.slots),
            }),
            { name: `leaving_${r}` },
          ),
        );
      });
      connect(arbiter(at.leaves, { name: "leaves" }), io.leave);
      io.accepts.set(fromBits(at.accepts).is(p.regions));
    },
    {
      nameOf: p =>
        `Regions_${chains.map(c => c.map(t => t.declared.name).join("_")).join("__")}_c${p.contexts}_r${p.regions}_s${p.slots}_b${p.branches}_f${p.credits}`,
    },
  );
}
