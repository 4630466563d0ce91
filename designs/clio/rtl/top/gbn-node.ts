import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  connect,
  type Def,
  instance,
  liteAddress,
  map,
  module,
  sink,
  source,
  type StreamIn,
} from "../../../../hdl-dsl/index.ts";
import { behindTransport, ConfigError, deriveConfig, gbnTimeoutCycles, type Parameters } from "../../config/index.ts";
import { gbnMap, registerAddressBits } from "../../registers/index.ts";
import { GbnRegisters } from "../transport/gbn-registers.ts";
import { gbnDefaults, GbnShims, type GbnShimsParameters } from "../transport/gbn-shims.ts";
import { gbnMemory } from "../../../shared/go-back-n/rtl/index.ts";
import { LiteSplit } from "../../../shared/axi/index.ts";
import { ClioNode } from "./node.ts";
import { nodeBus, translateParameters } from "../ports/widths.ts";
import {
  type configPort,
  dramPorts,
  handMemoryThrough,
  networkPorts,
  type NodePorts,
  slowPathPorts,
  softwarePorts,
} from "../ports/node-ports.ts";

export interface GbnNodeParameters extends Parameters {
  /** Where the frames kept lie behind the `gbn` memory port, bytes; default 0. */
  readonly base?: number;
}
/** The node behind the shims: `ClioNode`, or a module with its ports. */
export interface BehindGoBackN {
  readonly build: (p: Parameters & { readonly exportsConfig: true }) => Def<NodePorts & typeof configPort>;
  /** Its Verilog name without the transport, `ClioNode...`. */
  readonly nameOf: (p: Parameters) => string;
  /**
   * Requests that it can have taken in beside those that hold a slot. These requests may take longer than
   * their sessions last.
   */
  readonly requests: number;
  /** Whether it answers some requests with several frames, and marks all but the last (`partBit` of tags.ts). */
  readonly marksParts: boolean;
}
/** The shims of a build. @throws ConfigError when it has none */
const shims = (p: GbnNodeParameters, { requests, marksParts }: BehindGoBackN): GbnShimsParameters => {
  if (p.transport !== "gbn")
    throw new ConfigError(`transport = ${p.transport} has no Go-Back-N sessions; ClioNodeGbn needs transport = gbn`);
  const c = deriveConfig(behindTransport(p)),
    frameBytes = p.mtuFrame,
    sessions = p.gbnSessions,
    base = p.base ?? gbnDefaults.base;
  const bytes = base + gbnMemory({ frameBytes, sessions, window: gbnDefaults.window });
  return {
    // Half of the places are for the replies of all requests that are inside already, when no more are let in.
    ...gbnDefaults,
    timeoutCycles: gbnTimeoutCycles(p),
    sessions,
    base,
    waiting: 2 * 2 ** Math.ceil(Math.log2(p.requestSlots + requests)),
    ...(marksParts && { marksParts }),
    ...(requests > 0 && { checksPeers: true }),
    beatBytes: c.beatBytes,
    frameBytes,
    clientPorts: c.clientPorts,
    addressBits: Math.ceil(Math.log2(bytes)),
    idBits: 1,
  };
};

/**
 * A memory node with the Go-Back-N transport: the node as it is, between the two shims (gbn-shims.ts). The ports
 * are the node's, and `gbn_aw` ... `gbn_r` is the AXI4 port of the frames kept. The registers are the node's; those
 * of Go-Back-N lie behind them, in the upper half of the register space (gbn-registers.ts). Software opens and
 * closes sessions there.
 */
export const goBackNNode = (inside: BehindGoBackN) =>
  module(
    "ClioNodeGbn",
    (p: GbnNodeParameters) => {
      const c = deriveConfig(behindTransport(p)),
        w = nodeBus(c),
        t = translateParameters(c),
        g = shims(p, inside);
      return {
        ...networkPorts(w),
        ...dramPorts(w),
        gbnAw: source(axi4Address(g)),
        gbnW: source(axi4Write(g.beatBytes)),
        gbnB: sink(axi4Response(g)),
        gbnAr: source(axi4Address(g)),
        gbnR: sink(axi4Read(g)),
        ...softwarePorts(w),
        ...slowPathPorts(c, t, registerAddressBits + 1),
      };
    },
    (io, p) => {
      const g = shims(p, inside),
        node = instance(inside.build({ ...behindTransport(p), exportsConfig: true })),
        gbn = instance("gbn", GbnShims(g));
      connect(io.rx, gbn.rx);
      connect(gbn.nodeRx, node.rx);
      connect(node.tx, gbn.nodeTx);
      connect(gbn.tx, io.tx);
      gbn.config.set(node.netConfig);
      const registers = instance("gbn_registers", GbnRegisters({ sessions: g.sessions, window: g.window })),
        split = instance("split", LiteSplit({ addressBits: registerAddressBits }));
      connect(registers.session, gbn.session);
      registers.failed.set(gbn.failed);
      registers.counters.set(gbn.counters);
      connect(gbn.memAw, io.gbnAw);
      connect(gbn.memW, io.gbnW);
      connect(io.gbnB, gbn.memB);
      connect(gbn.memAr, io.gbnAr);
      connect(io.gbnR, gbn.memR);
      connect(node.socRx, io.socRx);
      connect(io.socTx, node.socTx);
      handMemoryThrough(io, node);
      connect(io.sAw, split.sAw);
      connect(io.sW, split.sW);
      connect(split.sB, io.sB);
      connect(io.sAr, split.sAr);
      connect(split.sR, io.sR);
      connect(split.lowAw, node.sAw);
      connect(split.lowW, node.sW);
      connect(node.sB, split.lowB);
      connect(split.lowAr, node.sAr);
      connect(node.sR, split.lowR);
      // The few registers of Go-Back-N repeat throughout their half.
      const within = (a: typeof split.highAw, name: string): StreamIn<ReturnType<typeof liteAddress>> =>
        map(a, liteAddress(gbnMap.addressBits), v => ({ addr: v.addr.trunc(gbnMap.addressBits), prot: v.prot }), {
          name,
        });
      connect(within(split.highAw, "gbn_aw_within"), registers.sAw);
      connect(split.highW, registers.sW);
      connect(registers.sB, split.highB);
      connect(within(split.highAr, "gbn_ar_within"), registers.sAr);
      connect(registers.sR, split.highR);
    },
    {
      nameOf: p =>
        inside.nameOf(behindTransport(p)).replace("ClioNode", "ClioNodeGbn") +
        (p.gbnSessions === gbnDefaults.sessions ? "" : `_g${p.gbnSessions}`) +
        (p.gbnTimeout === undefined ? "" : `_r${gbnTimeoutCycles(p)}`) +
        (p.base === undefined ? "" : `_b${p.base}`),
    },
  );

/** `ClioNode` with the Go-Back-N transport. */
export const ClioNodeGbn = goBackNNode({
  build: p => ClioNode(p),
  nameOf: p => ClioNode(p).name,
  requests: 0,
  marksParts: false,
});
