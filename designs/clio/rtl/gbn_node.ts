import {
  bit, bitsFor, connect, instance, liteAddress, liteSlavePorts, map, module, output, sink, source, uint, type StreamIn,
} from "../../../hdl-dsl/index.ts";
import { behindTransport, ConfigError, deriveConfig, type Parameters } from "../config/index.ts";
import { gbnMap, registerAddressBits } from "../registers/index.ts";
import { GbnRegisters } from "./gbn_registers.ts";
import { gbnDefaults, GbnShims, type GbnShimsParameters } from "./gbn_shims.ts";
import { gbnMemory } from "./gbn_store.ts";
import { LiteSplit } from "./lite_split.ts";
import { ClioNode, nodeBus, translateParameters } from "./node.ts";
import { Shootdown } from "./translate.ts";
import { AxiAddress, AxiRead, AxiResponse, AxisBeat, AxiWrite } from "./types.ts";

export interface GbnNodeParameters extends Parameters {
  /** Where the frames kept lie behind the `gbn` memory port, bytes; default 0. */
  readonly base?: number;
}
/** The shims of a build. @throws ConfigError when it has none */
const shims = (p: GbnNodeParameters): GbnShimsParameters => {
  if (p.transport !== "gbn") throw new ConfigError(`transport = ${p.transport} has no Go-Back-N sessions; ClioNodeGbn needs transport = gbn`);
  const c = deriveConfig(behindTransport(p)), frameBytes = p.mtuFrame, sessions = p.gbnSessions, base = p.base ?? gbnDefaults.base;
  const bytes = base + gbnMemory({ frameBytes, sessions, window: gbnDefaults.window });
  return { ...gbnDefaults, sessions, base, waiting: 2 * p.requestSlots, beatBytes: c.beatBytes, frameBytes, clientPorts: c.clientPorts, addressBits: Math.ceil(Math.log2(bytes)), idBits: 1 };
};

/**
 * The memory node with the Go-Back-N transport: ClioNode as it is, between the two shims (gbn_shims.ts). The ports are the node's, and `gbn_aw` ... `gbn_r` is
 * the AXI4 port of the frames kept. The registers are the node's, and behind them, in an upper half of the register space, those of Go-Back-N (gbn_registers.ts): sessions are opened and closed there.
 */
export const ClioNodeGbn = module("ClioNodeGbn",
  (p: GbnNodeParameters) => {
    const c = deriveConfig(behindTransport(p)), w = nodeBus(c), t = translateParameters(c), g = shims(p);
    return {
      rx: sink(AxisBeat(w.beatBytes)), tx: source(AxisBeat(w.beatBytes)),
      mem_aw: source(AxiAddress(w)), mem_w: source(AxiWrite(w.beatBytes)), mem_b: sink(AxiResponse(w)), mem_ar: source(AxiAddress(w)), mem_r: sink(AxiRead(w)),
      gbn_aw: source(AxiAddress(g)), gbn_w: source(AxiWrite(g.beatBytes)), gbn_b: sink(AxiResponse(g)), gbn_ar: source(AxiAddress(g)), gbn_r: sink(AxiRead(g)),
      soc_rx: source(AxisBeat(w.beatBytes)), soc_tx: sink(AxisBeat(w.beatBytes)), free_page: sink(uint(c.ppnBits)), free_pages: output(uint(bitsFor(c.freePageBuffer))),
      low_water: output(bit), shootdown: sink(Shootdown(t)), shootdown_done: source(bit), ...liteSlavePorts(registerAddressBits + 1), busy: output(uint(c.requestSlots)),
    };
  },
  (io, p) => {
    const node = instance(ClioNode({ ...behindTransport(p), exportsConfig: true })), gbn = instance("gbn", GbnShims(shims(p)));
    connect(io.rx, gbn.rx); connect(gbn.node_rx, node.rx); connect(node.tx, gbn.node_tx); connect(gbn.tx, io.tx);
    gbn.config.set(node.net_config);
    const g = shims(p), registers = instance("gbn_registers", GbnRegisters({ sessions: g.sessions, window: g.window })), split = instance("split", LiteSplit({ addressBits: registerAddressBits }));
    connect(registers.session, gbn.session);
    registers.failed.set(gbn.failed as never);
    registers.counters.set(gbn.counters as never);
    connect(gbn.mem_aw, io.gbn_aw); connect(gbn.mem_w, io.gbn_w); connect(io.gbn_b, gbn.mem_b); connect(gbn.mem_ar, io.gbn_ar); connect(io.gbn_r, gbn.mem_r);
    connect(node.mem_aw, io.mem_aw); connect(node.mem_w, io.mem_w); connect(io.mem_b, node.mem_b); connect(node.mem_ar, io.mem_ar); connect(io.mem_r, node.mem_r);
    connect(node.soc_rx, io.soc_rx); connect(io.soc_tx, node.soc_tx); connect(io.free_page, node.free_page); connect(io.shootdown, node.shootdown); connect(node.shootdown_done, io.shootdown_done);
    connect(io.s_aw, split.s_aw); connect(io.s_w, split.s_w); connect(split.s_b, io.s_b); connect(io.s_ar, split.s_ar); connect(split.s_r, io.s_r);
    connect(split.low_aw, node.s_aw); connect(split.low_w, node.s_w); connect(node.s_b, split.low_b); connect(split.low_ar, node.s_ar); connect(node.s_r, split.low_r);
    // The few registers of Go-Back-N repeat throughout their half.
    const within = (a: typeof split.high_aw, name: string): StreamIn<ReturnType<typeof liteAddress>> =>
      map(a, liteAddress(gbnMap.addressBits), v => ({ addr: v.addr.trunc(gbnMap.addressBits), prot: v.prot }), { name });
    connect(within(split.high_aw, "gbn_aw_within"), registers.s_aw); connect(split.high_w, registers.s_w); connect(registers.s_b, split.high_b);
    connect(within(split.high_ar, "gbn_ar_within"), registers.s_ar); connect(registers.s_r, split.high_r);
    io.free_pages.set(node.free_pages); io.low_water.set(node.low_water); io.busy.set(node.busy);
  },
  { nameOf: p => ClioNode(behindTransport(p)).name.replace("ClioNode", "ClioNodeGbn") + (p.gbnSessions === gbnDefaults.sessions ? "" : `_g${p.gbnSessions}`) + (p.base === undefined ? "" : `_b${p.base}`) });
