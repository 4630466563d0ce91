import {
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  connect,
  fromBits,
  input,
  mergePorts,
  module,
  mux,
  node,
  orTree,
  output,
  portOf,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type ChainParameters, level, RegionEnter, RegionLeave } from "../region/index.ts";
import { type DecoupledWays, readingPortsOf } from "./payload-ways.ts";
import { countBits, DecouplerStatus, regionWay } from "./records.ts";

export type DecouplerParameters = ChainParameters & DecoupledWays;
const ports = (p: ChainParameters) => ({
  ...regionWay(p),
  innerEnter: source(RegionEnter(p)),
  innerLeave: sink(RegionLeave(p)),
  innerGive: input(uint(p.slots)),
  innerAccepts: input(bit),
  /** The partition is to be held off. */
  cut: input(bit),
  status: output(DecouplerStatus(p)),
});

function counted(name: string, event: Bit): UInt<typeof countBits> {
  const n = reg(uint(countBits), { init: 0, name });
  when(event, () => n.set(n.add(1)));
  return n;
}

/** What tells its builds apart. */
const kindsOf = ({ reads = 0, writes = 0, trailers = 0 }: DecoupledWays): string =>
  `${reads ? `_r${reads}` : ""}${writes ? `_w${writes}` : ""}${trailers ? `_t${trailers}` : ""}`;

/**
 * Stands between a region's partition and all others, and trusts nothing that the partition says (paper §5.4.3,
 * docs/supernic/reconfigure.md). It keeps a ledger of what is inside, and of the credits that are out. While it is
 * `off` packets enter the ledger only, and all that is in it leaves as dropped and killed: the null region.
 *
 * Latency: none at `enter`, `give` and `accepts`, 1 cycle at `leave`; initiation interval 1. It is off a cycle after
 * `cut`, and on again when `cut` has fallen, nothing is inside and nothing enters. Off, a packet leaves within 1,024
 * cycles (of `contexts`) and one for each other packet, as `leave` takes them, when no payload is being read; credits
 * come back one of each slot a cycle. `knows` tells in the same cycle whether the packet that `asks` names is inside.
 * Full: `enter` waits for the partition, off it never waits. Reset: for `contexts` cycles nothing is accepted.
 */
export const Decoupler = module(
  "Decoupler",
  (p: DecouplerParameters) => mergePorts(ports(p), readingPortsOf(p)),
  (io, p) => {
    const id = uint(Math.log2(p.contexts));
    const clearing = reg(bit, { init: 1, name: "clearing" }),
      off = reg(bit, { init: 0, name: "off" }),
      open = node(off.or(clearing).not(), { name: "open" }),
      at = reg(id, { init: 0, name: "scan_at" });

    // In: to the partition, or into the ledger only.
    const enters = node(io.enter.fire, { name: "enters" }),
      who = io.enter.payload.ctx;
    io.innerEnter.valid.set(io.enter.valid.and(open));
    io.innerEnter.payload.set(io.enter.payload);
    io.enter.ready.set(mux(open, io.innerEnter.ready, clearing.not()));
    io.accepts.set(mux(open, io.innerAccepts, clearing.not()));

    // The ledger: two bits for each packet, which differ while it is inside. Who enters writes one, who leaves the
    // other.
    const bits = { depth: p.contexts, collision: "undefined", style: "distributed" } as const,
      came = ram(bit, { ...bits, name: "came" }),
      went = ram(bit, { ...bits, name: "went" }),
      place = mux(open, io.innerLeave.payload.ctx, at),
      cameThere = came.readAsync(place),
      inside = node(cameThere.ne(went.readAsync(place)), { name: "is_inside" });
    came.write(enters, who, went.readAsync(who).not());

    // Out: right answers of the partition, or what the scan finds.
    const left = stream(RegionLeave(p), { name: "left" }),
      leaves = node(left.fire, { name: "leaves" }),
      count = level("inside", bitsFor(p.contexts), enters, leaves),
      { reads = 0, writes = 0, trailers = 0 } = p,
      // Nobody leaves while the store reads his payload.
      waits = (event: Bit): Bit => (reads === 0 ? event : event.andNot(io.reading)),
      scans = node(waits(off.and(count.any()).andNot(clearing)), { name: "scans" }),
      // Nor while a beat of his waits for the store.
      behind = Array.from({ length: writes }, (_, w) => portOf(io, "writing", w)).map(b =>
        b.valid.and(b.ctx.eq(io.innerLeave.payload.ctx)),
      ),
      may = writes === 0 ? open : node(open.andNot(orTree(behind)), { name: "may_leave" }),
      offered = mux(open, writes === 0 ? io.innerLeave.valid : may.and(io.innerLeave.valid), scans);
    left.valid.set(offered.and(inside));
    io.innerLeave.ready.set(may.and(left.ready));
    went.write(leaves.or(clearing), place, cameThere);
    when(clearing, () => {
      at.set(at.add(1));
      clearing.set(at.all().not());
    }).elseWhen(scans.and(inside.not().or(left.ready)), () => at.set(at.add(1)));

    // Credits: those that packets brought, and that are not back yet.
    const slots = Array.from({ length: p.slots }, (_, s) => {
      const held = reg(uint(bitsFor(p.places)), { init: 0, name: `held_${s}` }),
        any = node(held.any(), { name: `holds_${s}` }),
        gives = node(any.and(off.or(io.innerGive.bit(s))), { name: `gives_${s}` });
      // Of two that come back at once the second must have been held, too.
      const rest = node(mux(io.innerGive.bit(s), held.gt(1), any), { name: `rest_${s}` }),
        refund = node(open.and(io.innerLeave.payload.refund.bit(s)).and(rest), { name: `refund_${s}` }),
        brings = node(enters.and(io.enter.payload.run.bit(s)), { name: `brings_${s}` });
      held.set(held.add(brings.zext(held.width)).sub(gives.zext(held.width)).sub(leaves.and(refund).zext(held.width)));
      assertAlways(brings.not().or(held.lt(p.places)), `a packet brings a credit for slot ${s}`);
      return { any, gives, refund };
    });
    io.give.set(fromBits(slots.map(s => s.gives)).is(p.slots));
    const killed = node(open.not(), { name: "kills" });
    left.payload.set({
      ...io.innerLeave.payload,
      ctx: place,
      dropped: io.innerLeave.payload.dropped.or(killed),
      killed: io.innerLeave.payload.killed.or(killed),
      refund: fromBits(slots.map(s => s.refund)).is(p.slots),
    });
    connect(stage(left, "forward", { name: "checked" }), io.leave);

    // Off as long as something is inside, or comes: who is in the ledger only would never leave.
    const credits = node(fromBits(slots.map(s => s.any)).any(), { name: "credits_out" }),
      empty = node(waits(count.any().or(credits).not()), { name: "empty" });
    for (let w = 0; w < reads; w++) {
      const asks = portOf(io, "asks", w);
      portOf(io, "knows", w).set(came.readAsync(asks).ne(went.readAsync(asks)));
    }
    if (trailers > 0) {
      const gone = reg(bit, { init: 0, name: "has_left" }),
        who = reg(id, { name: "left_last" });
      gone.set(leaves);
      who.set(place);
      for (let t = 0; t < trailers; t++) {
        const mark = portOf(io, "marks", t);
        portOf(io, "marksOk", t).set(
          came
            .readAsync(mark)
            .ne(went.readAsync(mark))
            .or(gone.and(who.eq(mark))),
        );
      }
    }
    off.set(io.cut.or(off.and(empty.not().or(enters))));
    const stray = node(io.innerLeave.valid.and(may).and(left.ready).andNot(inside), { name: "stray" });
    io.status.set({
      off,
      empty,
      inside: count,
      killed: counted("count_killed", leaves.and(off)),
      strays: counted("count_strays", stray),
    });
  },
  { nameOf: p => `Decoupler_c${p.contexts}_s${p.slots}_f${p.places}${kindsOf(p)}` },
);
