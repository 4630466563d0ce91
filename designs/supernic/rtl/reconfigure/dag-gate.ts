/** Frames of DAGs that wait for a region stay in their class queues. Page: docs/supernic/reconfigure.md. */
import {
  bit,
  type Bit,
  constant,
  decode,
  fromBits,
  input,
  module,
  mux,
  node,
  onehotMux,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { dagEntries } from "../../wire/index.ts";
import { ago, counter, numberAgo } from "../drf/index.ts";
import { ctxBits, dagBits, type DeviceSizes, EntryWrite, inlets, userClasses } from "../inside/index.ts";

export type DagGateParameters = Pick<DeviceSizes, "ports" | "contexts">;

/** Heads of users' class queues, by inlet and class. */
export const gatedHeads = (p: DagGateParameters): number => inlets(p) * userClasses;
/** Packets inside, at most all contexts; as a difference of counts that wrap. */
const insideBits = 9;
/** Cycles from an entry's write until the merge has told of all heads that it chose before. */
const toldCycles = 4;
/** Cycles from an arrival until the count of its DAG has it. */
const countedCycles = 3;

export const GateHead = struct({ valid: bit, dag: uint(dagBits) });
/** A packet has arrived, or the egress has decided on one. */
const Came = (p: DagGateParameters) => struct({ valid: bit, ctx: uint(ctxBits(p)), dag: uint(dagBits) });
const Went = (p: DagGateParameters) => struct({ valid: bit, ctx: uint(ctxBits(p)) });
/** What software sees: a DAG whose frame waits, and what is inside of the DAG that it looks at. */
export const GateShown = struct({
  waits: bit,
  dag: uint(dagBits),
  inside: uint(insideBits),
  /** Frames that were taken before the last `wait` was set have arrived, so `inside` has them. */
  settled: bit,
});

/** Events by DAG since reset; the number wraps. While `clears`, its place begins with 0. */
function countOf(name: string, valid: Bit, dag: UInt, clear: { readonly on: Bit; readonly at: UInt }) {
  const list = ram(uint(insideBits), { depth: dagEntries, collision: "old", style: "distributed", name });
  const at = node(mux(clear.on, clear.at, dag).is(dagBits), { name: `${name}_at` });
  list.write(
    valid.or(clear.on),
    at,
    mux(clear.on, constant(0, insideBits), list.readAsync(dag.is(dagBits)).add(1)).is(insideBits),
  );
  return (of: UInt): UInt => list.readAsync(of.is(dagBits));
}

/**
 * Looks at one head after the other, two cycles each, and stays at one whose DAG waits until it is told to go on, or
 * until its frame goes.
 */
function scanOf(p: DagGateParameters, waits: readonly Bit[], heads: readonly Val<typeof GateHead>[], next: Bit) {
  const n = gatedHeads(p),
    bits = Math.ceil(Math.log2(n)),
    at = counter("scan_at", n, bits),
    second = reg(bit, { init: 0, name: "scan_second" }),
    found = reg(struct({ is: bit, dag: uint(dagBits) }), { init: { is: 0 }, name: "found" }),
    skips = reg(bit, { init: 0, name: "scan_skips" });
  const here = decode(at.value, n),
    bitsOf = Array.from({ length: n }, (_, i) => here.bit(i));
  second.set(second.not());
  when(next, () => skips.set(1));
  when(second, () => {
    when(found.is.not().or(skips), () => {
      at.step();
      found.is.set(0);
      skips.set(next);
    });
  }).otherwise(() => {
    found.is.set(fromBits(waits).is(n).and(here.is(n)).any());
    found.dag.set(
      onehotMux(
        bitsOf,
        heads.map(h => h.dag),
      ),
    );
  });
  return found;
}

/** Frames that were taken before a DAG was closed are on their way until as many have arrived. */
function settledOf(closes: Bit, taken: Bit, arrives: Bit): Bit {
  // The merge notes 16 frames at most, and what its registers hold.
  const bits = 6,
    under = reg(uint(bits), { init: 0, name: "frames_under_way" }),
    ahead = reg(uint(bits), { init: 0, name: "frames_ahead" }),
    pending = reg(bit, { init: 0, name: "fence_pending" }),
    captures = ago("fence", closes, toldCycles);
  under.set(under.add(taken.zext(bits)).sub(arrives.zext(bits)));
  when(closes, () => pending.set(1)).elseWhen(captures, () => pending.set(0));
  when(captures, () => ahead.set(under.sub(arrives.zext(bits)))).elseWhen(ahead.any(), () =>
    ahead.set(ahead.sub(arrives.zext(bits))),
  );
  const is = node(ahead.any().or(pending).not(), { name: "is_settled" });
  return node(ago("settled", is, countedCycles).and(is), { name: "settled" });
}

/**
 * Heads whose DAG waits are not seen by the merge, so their frames stay where they are, and are first when the DAG goes
 * on. Software says which DAGs wait (table `wait`), is told of one whose frame is there, and how many packets of a DAG
 * are inside. Latency: an entry counts from the next cycle on, `open` is of the heads of the same cycle. Nothing waits.
 * Reset: no DAG waits and nothing is inside, 256 cycles later; until then no head is let through.
 */
export const DagGate = module(
  "DagGate",
  (p: DagGateParameters) => ({
    heads: input(vec(GateHead, gatedHeads(p))),
    /** By head: the merge may see it. */
    open: output(uint(gatedHeads(p))),
    wait: input(EntryWrite("wait")),
    /** The merge has told of a frame that it chose. */
    taken: input(bit),
    arrived: input(Came(p)),
    decided: input(Went(p)),
    look: input(uint(dagBits)),
    /** The scan goes on behind the head that it shows. */
    next: input(bit),
    shown: output(GateShown),
  }),
  (io, p) => {
    const clearing = counter("clear_at", dagEntries, dagBits),
      cleared = reg(bit, { init: 0, name: "cleared" }),
      clear = { on: cleared.not(), at: clearing.value };
    when(clear.on, () => clearing.step());
    when(clearing.last, () => cleared.set(1));

    // Who waits.
    const flags = ram(bit, { depth: dagEntries, collision: "old", style: "distributed", name: "waiting_dags" }),
      { en, index, value } = io.wait;
    flags.write(
      en.or(clear.on),
      mux(clear.on, clear.at, index.is(dagBits)).is(dagBits),
      node(value.waits.bit(0).and(cleared), { name: "waits" }),
    );
    const heads = io.heads.toArray(),
      flagOf = heads.map((h, i) => node(flags.readAsync(h.dag), { name: `flag_${i}` }));
    io.open.set(fromBits(flagOf.map(f => f.not().and(cleared))).is(gatedHeads(p)));
    const found = scanOf(
      p,
      heads.map((h, i) => h.valid.and(flagOf[i] as Bit)),
      heads,
      io.next,
    );

    // What is inside, by DAG.
    const comes = ago("comes", io.arrived.valid, 1),
      goes = ago("goes", io.decided.valid, 1),
      dags = ram(uint(dagBits), { depth: p.contexts, collision: "undefined", style: "block", name: "dag_of_context" });
    dags.write(io.arrived.valid, io.arrived.ctx, io.arrived.dag);
    const came = countOf("came", comes, numberAgo("come_dag", io.arrived.dag, 1), clear),
      went = countOf("went", goes, dags.readSync(io.decided.ctx, { name: "gone_dag" }), clear),
      inside = reg(uint(insideBits), { init: 0, name: "inside_q" });
    inside.set(came(io.look).sub(went(io.look)));
    io.shown.waits.set(found.is);
    io.shown.dag.set(found.dag);
    io.shown.inside.set(inside);
    io.shown.settled.set(settledOf(en.and(value.waits.bit(0)), io.taken, io.arrived.valid));
  },
  { nameOf: p => `DagGate_p${p.ports}_c${p.contexts}` },
);
