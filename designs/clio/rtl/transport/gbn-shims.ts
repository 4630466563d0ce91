import {
  arbiter,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  type Bit,
  byName,
  connect,
  fork,
  input,
  instance,
  module,
  output,
  reg,
  sink,
  source,
  stream,
  struct,
  uint,
  type UIntVar,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { sessionBits, SessionControl, wireSequenceBits } from "../../../shared/go-back-n/rtl/index.ts";
import { gbnFirst, gbnWindow } from "../../../shared/go-back-n/wire/index.ts";
import { NetConfig } from "../records/records.ts";
import { GbnPeers } from "./gbn-peers.ts";
import { GbnRx } from "./gbn-rx.ts";
import { GbnRxEvents, type GbnRxParameters } from "./gbn-rx/ports.ts";
import { GbnTx, GbnTxEvents, type GbnTxParameters } from "./gbn-tx.ts";

export type GbnShimsParameters = GbnRxParameters & GbnTxParameters;

/** Counters of both shims, 32 bits each, from 0 after reset; they wrap. */
const counted = {
  rx: Object.keys(GbnRxEvents.fields) as readonly (keyof typeof GbnRxEvents.fields)[],
  tx: Object.keys(GbnTxEvents.fields) as readonly (keyof typeof GbnTxEvents.fields)[],
};
const counters = <K extends string>(names: readonly K[]) => struct(byName(names, () => uint(32)));
export const GbnCounters = struct({ rx: counters(counted.rx), tx: counters(counted.tx) });

/**
 * Parameters of a build: 1,024 sessions, window 128, ACK at the latest every 100 packets or 16 us (at 250 MHz). The
 * timeout is 33 to 66 us; a session is given up after 7 of them. A reply waits for 17 to 34 ms.
 */
export const gbnDefaults = {
  sessions: 1024,
  sequenceBits: wireSequenceBits,
  window: gbnWindow,
  ackEvery: 100,
  ackCycles: 4096,
  timeoutCycles: 8192,
  tries: 7,
  first: gbnFirst,
  managed: 256,
  waiting: 128,
  patience: 2 ** 22,
  base: 0,
} as const;

/**
 * The two Go-Back-N shims between the MAC (`rx`, `tx`) and a node without knowledge of them (`node_rx`, `node_tx`).
 * gbn-rx.ts and gbn-tx.ts say all else. `session` opens and closes sessions in both directions (the slow path's
 * OPEN_SESSION and CLOSE_SESSION); after reset all are open. A session that does not hear from its peer is closed in
 * both directions and comes out on `failed`.
 */
export const GbnShims = module(
  "GbnShims",
  (p: GbnShimsParameters) => ({
    rx: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    nodeRx: source(AxisBeat(p.beatBytes)),
    nodeTx: sink(AxisBeat(p.beatBytes)),
    config: input(NetConfig),
    session: sink(SessionControl(p)),
    failed: output(struct({ valid: bit, session: uint(sessionBits(p)) })),
    counters: output(GbnCounters),
    memAw: source(axi4Address(p)),
    memW: source(axi4Write(p.beatBytes)),
    memB: sink(axi4Response(p)),
    memAr: source(axi4Address(p)),
    memR: sink(axi4Read(p)),
  }),
  (io, p) => {
    const gbnRx = instance(GbnRx(p)),
      gbnTx = instance(GbnTx(p));
    connect(io.rx, gbnRx.rx);
    connect(gbnRx.tx, io.nodeRx);
    let stale: Bit | undefined;
    if (p.checksPeers === true) {
      const peers = instance("peers", GbnPeers({ beatBytes: p.beatBytes, sessions: p.sessions }));
      peers.peer.set(gbnRx.peerWrite);
      connect(io.nodeTx, peers.rx);
      connect(peers.tx, gbnTx.rx);
      stale = peers.stale;
    } else connect(io.nodeTx, gbnTx.rx);
    connect(gbnTx.tx, io.tx);
    connect(gbnRx.answers, gbnTx.answers);
    connect(gbnRx.acks, gbnTx.acks);
    connect(gbnTx.memAw, io.memAw);
    connect(gbnTx.memW, io.memW);
    connect(io.memB, gbnTx.memB);
    connect(gbnTx.memAr, io.memAr);
    connect(io.memR, gbnTx.memR);
    gbnRx.config.set(io.config);
    gbnTx.contextWrite.set(gbnRx.contextWrite);
    connect(gbnRx.named, gbnTx.named);
    gbnRx.crowded.set(gbnTx.crowded);

    const [toRx, toTx] = fork(io.session, 2, "eager", { name: "session_to" });
    connect(toTx, gbnTx.control);
    const closing = stream(SessionControl(p));
    closing.valid.set(gbnTx.failed.valid);
    closing.payload.set({ session: gbnTx.failed.payload, open: 0 });
    gbnTx.failed.ready.set(closing.ready);
    connect(arbiter([closing, toRx], { policy: "priority", name: "controls" }), gbnRx.control);
    io.failed.set({ valid: gbnTx.failed.fire, session: gbnTx.failed.payload });

    const counts = reg(GbnCounters, { init: 0 });
    const counting = <K extends string>(
      names: readonly K[],
      registers: { readonly [_ in K]: UIntVar<32> },
      events: { readonly [_ in K]: Bit },
      more: (name: K) => Bit | undefined,
    ): void => {
      for (const name of names) {
        const count = registers[name],
          pulse = events[name],
          also = more(name);
        if (also !== undefined) when(pulse.or(also), () => count.set(count.add(pulse.zext(32)).add(also.zext(32))));
        else when(pulse, () => count.set(count.add(1)));
      }
    };
    counting(counted.rx, counts.rx, gbnRx.events, () => undefined);
    // Both kinds: frames for no request of the session, and frames for another client.
    counting(counted.tx, counts.tx, gbnTx.events, name => (name === "stale" ? stale : undefined));
    io.counters.set(counts);
  },
  {
    nameOf: p =>
      `GbnShims_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_p${p.clientPorts}_e${p.ackEvery}_c${p.ackCycles}_t${p.timeoutCycles}_n${p.tries}_w${p.window}_m${p.managed}_r${p.waiting}_y${p.patience}_f${p.first >>> 0}_a${p.addressBits}_o${p.base}${p.marksParts === true ? "_q" : ""}${p.checksPeers === true ? "_v" : ""}`,
  },
);
