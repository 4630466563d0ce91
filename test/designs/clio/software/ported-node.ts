import { deriveConfig, type NodeConfig, type Parameters, parametersOf } from "../../../../designs/clio/config/index.ts";
import { registerAddressBits, socPortGeometry } from "../../../../designs/clio/registers/index.ts";
import { ClioNode, EntryExchange, nodeBus, SocPort } from "../../../../designs/clio/rtl/index.ts";
import type { MemoryMap } from "../../../../designs/clio/software/index.ts";
import {
  axi4Master,
  bit,
  connect,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  liteSlavePorts,
  LiteWrite,
  module,
  output,
  sink,
  source,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import type { AxiRam, LiteMaster } from "../../../../sim/index.ts";

const Beat = (bytes: number) => struct({ data: uint(bytes * 8), keep: uint(bytes), last: bit, user: bit });

/** The node with its slow path's port and the exchange of table entries, as BoardNode has them, in one clock. */
const PortedNode = module(
  "PortedNode",
  (p: Parameters) => {
    const c = deriveConfig(p),
      bits = socPortGeometry(c).addressBits;
    return {
      rx: sink(Beat(c.beatBytes)),
      tx: source(Beat(c.beatBytes)),
      ...axi4Master("mem", nodeBus(c)),
      ...liteSlavePorts(registerAddressBits),
      irq: output(bit),
      busy: output(uint(c.requestSlots)),
      portAw: sink(liteAddress(bits)),
      portW: sink(LiteWrite),
      portB: source(LiteResponse),
      portAr: sink(liteAddress(bits)),
      portR: source(LiteRead),
    };
  },
  (io, p) => {
    const c = deriveConfig(p),
      node = instance(ClioNode(p)),
      port = instance(SocPort(p)),
      exchange = instance(EntryExchange(nodeBus(c)));
    connect(io.rx, node.rx);
    connect(node.tx, io.tx);
    connect(io.sAw, node.sAw);
    connect(io.sW, node.sW);
    connect(node.sB, io.sB);
    connect(io.sAr, node.sAr);
    connect(node.sR, io.sR);
    connect(io.portAw, port.sAw);
    connect(io.portW, port.sW);
    connect(port.sB, io.portB);
    connect(io.portAr, port.sAr);
    connect(port.sR, io.portR);
    connect(node.memAr, exchange.sAr);
    connect(node.memAw, exchange.sAw);
    connect(node.memW, exchange.sW);
    connect(exchange.sR, node.memR);
    connect(exchange.sB, node.memB);
    connect(exchange.mAr, io.memAr);
    connect(exchange.mAw, io.memAw);
    connect(exchange.mW, io.memW);
    connect(io.memR, exchange.mR);
    connect(io.memB, exchange.mB);
    connect(node.socRx, port.socRx);
    connect(port.socTx, node.socTx);
    connect(port.freePage, node.freePage);
    port.freePages.set(node.freePages);
    port.lowWater.set(node.lowWater);
    connect(port.shootdown, node.shootdown);
    connect(node.shootdownDone, port.shootdownDone);
    connect(port.exchange, exchange.exchange);
    connect(exchange.exchanged, port.exchanged);
    io.irq.set(port.irq);
    io.busy.set(node.busy);
  },
);

export const portedNode = (c: NodeConfig) => PortedNode(parametersOf(c));

/** Registers of a simulated design as a processor sees them: every load and store an access on the bus. */
export function registersOf(lite: LiteMaster): MemoryMap {
  return {
    load32: o => lite.read(o),
    store32: (o, v) => lite.write(o, v),
    load64: async o => BigInt(await lite.read(o)) | (BigInt(await lite.read(o + 4)) << 32n),
    store64: async (o, v) => {
      await lite.write(o, Number(v & 0xffff_ffffn));
      await lite.write(o + 4, Number(v >> 32n));
    },
  };
}

/** Simulated memory as a processor sees it. */
export function memoryOf(ram: AxiRam): MemoryMap {
  const view = (o: number, n: number): DataView => new DataView(ram.read(o, n).slice().buffer);
  const put = (o: number, n: number, set: (v: DataView) => void): void => {
    const v = new DataView(new ArrayBuffer(n));
    set(v);
    ram.write(o, new Uint8Array(v.buffer));
  };
  return {
    load32: o => view(o, 4).getUint32(0, true),
    store32: (o, value) => put(o, 4, v => v.setUint32(0, value, true)),
    load64: o => view(o, 8).getBigUint64(0, true),
    store64: (o, value) => put(o, 8, v => v.setBigUint64(0, value, true)),
  };
}
