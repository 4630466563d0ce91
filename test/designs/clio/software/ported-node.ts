import { deriveConfig, parametersOf, type NodeConfig, type Parameters } from "../../../../designs/clio/config/index.ts";
import { registerAddressBits, socPortGeometry } from "../../../../designs/clio/registers/index.ts";
import { ClioNode, EntryExchange, nodeBus, SocPort } from "../../../../designs/clio/rtl/index.ts";
import type { MemoryMap } from "../../../../designs/clio/software/index.ts";
import {
  axi4Master, bit, connect, instance, liteAddress, LiteRead, LiteResponse, LiteWrite, liteSlavePorts, module, output, sink, source, struct, uint,
} from "../../../../hdl-dsl/index.ts";
import type { AxiRam, LiteMaster } from "../../../../sim/index.ts";

const Beat = (bytes: number) => struct({ data: uint(bytes * 8), keep: uint(bytes), last: bit, user: bit });

/** The node with its slow path's port and the exchange of table entries, as BoardNode has them, in one clock. */
const PortedNode = module("PortedNode",
  (p: Parameters) => {
    const c = deriveConfig(p), bits = socPortGeometry(c).addressBits;
    return {
      rx: sink(Beat(c.beatBytes)), tx: source(Beat(c.beatBytes)), ...axi4Master("mem", nodeBus(c)), ...liteSlavePorts(registerAddressBits), irq: output(bit), busy: output(uint(c.requestSlots)),
      port_aw: sink(liteAddress(bits)), port_w: sink(LiteWrite), port_b: source(LiteResponse), port_ar: sink(liteAddress(bits)), port_r: source(LiteRead),
    };
  },
  (io, p) => {
    const c = deriveConfig(p), node = instance(ClioNode(p)), port = instance(SocPort(p)), exchange = instance(EntryExchange(nodeBus(c)));
    connect(io.rx, node.rx); connect(node.tx, io.tx);
    connect(io.s_aw, node.s_aw); connect(io.s_w, node.s_w); connect(node.s_b, io.s_b); connect(io.s_ar, node.s_ar); connect(node.s_r, io.s_r);
    connect(io.port_aw, port.s_aw); connect(io.port_w, port.s_w); connect(port.s_b, io.port_b); connect(io.port_ar, port.s_ar); connect(port.s_r, io.port_r);
    connect(node.mem_ar, exchange.s_ar); connect(node.mem_aw, exchange.s_aw); connect(node.mem_w, exchange.s_w); connect(exchange.s_r, node.mem_r); connect(exchange.s_b, node.mem_b);
    connect(exchange.m_ar, io.mem_ar); connect(exchange.m_aw, io.mem_aw); connect(exchange.m_w, io.mem_w); connect(io.mem_r, exchange.m_r); connect(io.mem_b, exchange.m_b);
    connect(node.soc_rx, port.soc_rx); connect(port.soc_tx, node.soc_tx); connect(port.free_page, node.free_page);
    port.free_pages.set(node.free_pages);
    port.low_water.set(node.low_water);
    connect(port.shootdown, node.shootdown); connect(node.shootdown_done, port.shootdown_done);
    connect(port.exchange, exchange.exchange); connect(exchange.exchanged, port.exchanged);
    io.irq.set(port.irq);
    io.busy.set(node.busy);
  });

export const portedNode = (c: NodeConfig) => PortedNode(parametersOf(c));

/** Registers of a simulated design as a processor sees them: every load and store an access on the bus. */
export function registersOf(lite: LiteMaster): MemoryMap {
  return {
    load32: o => lite.read(o), store32: (o, v) => lite.write(o, v),
    load64: async o => BigInt(await lite.read(o)) | BigInt(await lite.read(o + 4)) << 32n,
    store64: async (o, v) => { await lite.write(o, Number(v & 0xffff_ffffn)); await lite.write(o + 4, Number(v >> 32n)); },
  };
}

/** Simulated memory as a processor sees it. */
export function memoryOf(ram: AxiRam): MemoryMap {
  const view = (o: number, n: number): DataView => new DataView(ram.read(o, n).slice().buffer);
  const put = (o: number, n: number, set: (v: DataView) => void): void => { const v = new DataView(new ArrayBuffer(n)); set(v); ram.write(o, new Uint8Array(v.buffer)); };
  return {
    load32: o => view(o, 4).getUint32(0, true), store32: (o, value) => { put(o, 4, v => { v.setUint32(0, value, true); }); },
    load64: o => view(o, 8).getBigUint64(0, true), store64: (o, value) => { put(o, 8, v => { v.setBigUint64(0, value, true); }); },
  };
}
