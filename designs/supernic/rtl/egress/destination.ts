import {
  type Bit,
  bit,
  constant,
  decode,
  enumOf,
  fromCode,
  input,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { dagEntries, egressWays, tables } from "../../wire/index.ts";
import {
  ctxBits,
  EntryWrite,
  firstByFours,
  inlets,
  Known,
  ownEntry,
  peerUserClasses,
  returnClass,
  sizeBits,
  tableEntry,
  userClasses,
} from "../inside/index.ts";
import { portBits, ternary, TernaryWrite } from "../match/index.ts";
import { EgressConfig, type EgressParameters, trailerName } from "./ports.ts";
import { ListOf, sizeOfPayload } from "./records.ts";

const macBits = 48;
/** Why a packet is dropped; `none`: it is not. */
export const EgressDrop = enumOf("EgressDrop", ["none", "task", "nowhere", "again"]);
const EgressWay = enumOf("EgressWay", [...egressWays]);
/** A packet with the list that it goes to; `stays`: there is one, and it is not dropped. */
export const Goes = (p: EgressParameters) =>
  struct({
    valid: bit,
    stays: bit,
    early: bit,
    ctx: uint(ctxBits(p)),
    list: ListOf(p),
    size: uint(sizeBits),
    drop: EgressDrop,
  });

/** What is known of a packet when its MAC has been looked up. */
const Asking = (p: EgressParameters) =>
  struct({
    ctx: uint(ctxBits(p)),
    early: bit,
    dropped: bit,
    way: EgressWay,
    port: uint(portBits),
    ingress: uint(portBits),
    reply: bit,
    group: bit,
    class: uint(2),
    /** Its class where it leaves to a peer: of a user's frame with its shim, or of a result. */
    peerClass: uint(2),
    size: uint(sizeBits),
  });
interface Found<P extends EgressParameters> {
  readonly p: P;
  readonly asked: Val<ReturnType<typeof Asking>>;
  readonly known: Bit;
  readonly macPort: UInt;
}

/** The order of docs/supernic/egress.md. Wires only. */
function decide<P extends EgressParameters>(
  { p, asked, known, macPort }: Found<P>,
  config: Val<ReturnType<typeof EgressConfig>>,
) {
  const loop = node(asked.ingress.eq(p.ports), { name: "from_loop" }),
    isBack = node(asked.reply.or(asked.way.is("back")), { name: "goes_back" }),
    isLoop = node(asked.way.is("loop").andNot(asked.reply), { name: "goes_to_loop" }),
    isPort = asked.way.is("port"),
    byMac = known.andNot(asked.group),
    learned = mux(byMac, macPort, config.uplink);
  const to = node(
    priority([isBack, asked.ingress], [isLoop, constant(p.ports, portBits)], [isPort, asked.port], learned),
    { name: "goes_to" },
  );
  const port = decode(to, inlets(p)),
    toPeer = node(port.and(config.rings.zext(inlets(p))).any(), { name: "goes_to_peer" });
  const switches = isBack.or(isLoop).or(isPort).not(),
    unknown = byMac.or(config.hasUplink).not(),
    outside = node(to.ge(p.ports).andNot(isLoop), { name: "no_such_port" }),
    nowhere = node(outside.or(switches.and(unknown.or(to.eq(asked.ingress)))), { name: "goes_nowhere" });
  return {
    drop: priority(
      [asked.dropped, EgressDrop.task],
      [loop.and(isBack.or(isLoop)), EgressDrop.again],
      [nowhere, EgressDrop.nowhere],
      EgressDrop.none,
    ),
    list: {
      port,
      class: mux(toPeer, decode(asked.peerClass, userClasses), decode(asked.class, userClasses)),
    },
  };
}

/**
 * Where packets go, by what their DAG says, by what their tasks said, and by their destination MAC (paper §5.4;
 * docs/supernic/egress.md). Latency 2 from `asks`, initiation interval 1; nothing waits. Tables are always taken, and
 * count for packets that come from the next cycle on. `keepShim` stands in the cycle of `known`. Reset: no packet is
 * under way; the tables stay.
 */
export const Destination = module(
  "Destination",
  (p: EgressParameters) => ({
    /** Destination MAC of the packet that comes in this cycle; what more is known of it a cycle later. */
    dst: input(uint(macBits)),
    asks: input(struct({ valid: bit, ctx: uint(ctxBits(p)), early: bit, dropped: bit })),
    known: input(Known(p)),
    keepShim: output(bit),
    config: input(EgressConfig(p)),
    users: input(EntryWrite("user")),
    dags: input(EntryWrite("dag")),
    macs: input(TernaryWrite(p.macs, macBits)),
    entries: input(EntryWrite("macEntry")),
    goes: output(Goes(p)),
  }),
  (io, p) => {
    const classes = ram(uint(2), { depth: tables.user.entries, collision: "old", style: "distributed", init: [0] }),
      dags = ram(tableEntry("dag"), { depth: dagEntries, collision: "old", style: "distributed", init: [0] }),
      entries = ram(uint(portBits), { depth: p.macs, collision: "old", style: "distributed", init: [0] });
    classes.write(io.users.en, io.users.index, io.users.value.class.resize(2));
    dags.write(io.dags.en, io.dags.index, io.dags.value);
    const { index, value } = io.entries;
    entries.write(ownEntry(io.entries, p.macs), index.resize(Math.log2(p.macs)), value.port.resize(portBits));

    // 0: which MACs match.
    const parts = ternary("macs", io.dst, io.config.macs, io.macs).map((part, i) => {
        const q = reg(uint(p.macs), { name: `macs_1_${i}` });
        q.set(part);
        return q;
      }),
      isGroup = reg(bit, { name: "is_group" });
    // The lowest bit of the first byte.
    isGroup.set(io.dst.bit(40));
    // 1: the first of them, the DAG, the class.
    const first = firstByFours(parts.reduce<UInt>((a, b) => a.and(b), constant((1n << BigInt(p.macs)) - 1n, p.macs))),
      known2 = reg(bit),
      mac2 = reg(uint(first.index.width));
    known2.set(first.any);
    mac2.set(first.index);
    const { known } = io,
      dag = dags.readAsync(known.dag);
    io.keepShim.set(dag.keepShim.bit(0));
    const valid2 = reg(bit, { init: 0, name: "valid_2" }),
      asked2 = reg(Asking(p));
    valid2.set(io.asks.valid);
    const userClass = classes.readAsync(known.user),
      most = constant(peerUserClasses - 1, 2);
    asked2.set({
      ctx: io.asks.ctx,
      early: io.asks.early,
      dropped: io.asks.dropped,
      way: fromCode(EgressWay, dag.way.is(2), "mac"),
      port: dag.port.resize(portBits),
      ingress: known.ingress,
      reply: known.reply,
      group: isGroup,
      class: userClass,
      peerClass: mux(
        dag.keepShim.bit(0),
        mux(userClass.gt(peerUserClasses - 1), most, userClass),
        constant(returnClass, 2),
      ),
      size: sizeOfPayload(p, known.payloadBytes),
    });
    // 2: where it goes.
    const goes = reg(Goes(p), { init: { valid: 0, stays: 0 } });
    const to = decide({ p, asked: asked2, known: known2, macPort: entries.readAsync(mac2) }, io.config);
    goes.set({
      valid: valid2,
      stays: valid2.and(to.drop.is("none")),
      early: asked2.early,
      ctx: asked2.ctx,
      size: asked2.size,
      ...to,
    });
    io.goes.set(goes);
  },
  { nameOf: p => `Destination_p${p.ports}_c${p.contexts}_k${p.cells}_m${p.macs}${trailerName(p)}` },
);
