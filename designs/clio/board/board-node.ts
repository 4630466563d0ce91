import {
  AsyncFifo, axi4Address, axi4Read, axi4Response, axi4Write, bit, clockDomain, connect, inDomain, input, instance, liteAddress, LiteRead, LiteResponse,
  LiteWrite, module, output, PacketFifo, sink, source, type ClockDomain, type Shape, type StreamIn, type StreamOut, type UIntShape,
} from "../../../hdl-dsl/index.ts";
import { ConfigError, deriveConfig, type Parameters } from "../config/index.ts";
import { registerAddressBits, socPortGeometry } from "../registers/index.ts";
import { ClioNode, EntryExchange, nodeBus, SocPort } from "../rtl/index.ts";
import { FrameBeat, FrameGuard, LinkBeat } from "./frame-guard.ts";

/** Elements of the crossings: round trips of both clocks and bursts of the memory; a largest frame and the next one's first beats on the way in. */
const depths = { receive: 64, send: 16, whole: 256, address: 16, write: 32, answer: 16, read: 64 } as const;

/** Streams of a shape that is a parameter; the widths are checked at elaboration. */
type Any = StreamIn<UIntShape> & StreamOut<UIntShape>;

/**
 * The memory node as a board needs it: three clocks, `node` for the node and the processor's two AXI4-Lite ports, `mac` for the network, `memory` for DRAM, and
 * an asynchronous FIFO in every stream between them. Resets are synchronous, one of each clock, all held together.
 *
 * `mac_rx` cannot wait (a MAC's output has no ready): a frame for which there is no room is cut and marked bad. `mac_tx` gives a frame only when all of it is
 * there (a MAC's input must not run dry within one); a frame longer than 256 beats cannot be sent. `mac_rx_lost` pulses in the MAC's domain for each frame cut.
 * `control_*`: the node's registers (docs/registers.md); `port_*`: the slow path's port (docs/soc-port.md), `irq` its interrupt.
 * Latency: those of the parts and 3 to 4 cycles for each crossing; initiation interval: 1 on every stream.
 */
export const BoardNode = module("BoardNode",
  (p: Parameters) => {
    if (p.transport !== "none") throw new ConfigError(`transport = ${p.transport} has no board build: its frames need a memory port that the boards' top levels lack; the nearest is transport = none`);
    const c = deriveConfig(p), bus = nodeBus(c), g = socPortGeometry(c);
    const at = { node: { domain: "node" }, mac: { domain: "mac" }, memory: { domain: "memory" } } as const;
    return {
      mac_rx: input(LinkBeat(c.beatBytes), at.mac), mac_rx_lost: output(bit, at.mac), mac_tx: source(FrameBeat(c.beatBytes), at.mac),
      mem_aw: source(axi4Address(bus), at.memory), mem_w: source(axi4Write(bus.beatBytes), at.memory), mem_b: sink(axi4Response(bus), at.memory),
      mem_ar: source(axi4Address(bus), at.memory), mem_r: sink(axi4Read(bus), at.memory),
      control_aw: sink(liteAddress(registerAddressBits), at.node), control_w: sink(LiteWrite, at.node), control_b: source(LiteResponse, at.node),
      control_ar: sink(liteAddress(registerAddressBits), at.node), control_r: source(LiteRead, at.node),
      port_aw: sink(liteAddress(g.addressBits), at.node), port_w: sink(LiteWrite, at.node), port_b: source(LiteResponse, at.node),
      port_ar: sink(liteAddress(g.addressBits), at.node), port_r: source(LiteRead, at.node), irq: output(bit, at.node),
    };
  },
  (io, p) => {
    const c = deriveConfig(p), bus = nodeBus(c);
    const nodes = clockDomain("node"), mac = clockDomain("mac"), memory = clockDomain("memory");
    const cross = (from: unknown, to: unknown, shape: Shape, depth: number, push: ClockDomain, pop: ClockDomain, name: string): void => {
      const crossing = instance(name, AsyncFifo({ shape, depth }), { domains: { push, pop } });
      connect(from as Any, crossing.push as unknown as Any);
      connect(crossing.pop as unknown as Any, to as Any);
    };
    const { node, port, exchange } = inDomain(nodes, () => ({ node: instance(ClioNode(p)), port: instance(SocPort(p)), exchange: instance(EntryExchange(bus)) }));

    // The network.
    const guard = inDomain(mac, () => instance(FrameGuard({ beatBytes: c.beatBytes })));
    guard.from.set(io.mac_rx);
    io.mac_rx_lost.set(guard.lost);
    cross(guard.to, node.rx, FrameBeat(c.beatBytes), depths.receive, mac, nodes, "receive");
    const whole = inDomain(mac, () => instance(PacketFifo({ shape: FrameBeat(c.beatBytes), depth: depths.whole, last: "last", style: "block" })));
    cross(node.tx, whole.push, FrameBeat(c.beatBytes), depths.send, nodes, mac, "send");
    connect(whole.pop as unknown as Any, io.mac_tx as unknown as Any);

    // Memory.
    connect(node.mem_ar, exchange.s_ar); connect(node.mem_aw, exchange.s_aw); connect(node.mem_w, exchange.s_w);
    connect(exchange.s_r, node.mem_r); connect(exchange.s_b, node.mem_b);
    cross(exchange.m_aw, io.mem_aw, axi4Address(bus), depths.address, nodes, memory, "write_address");
    cross(exchange.m_w, io.mem_w, axi4Write(bus.beatBytes), depths.write, nodes, memory, "write_data");
    cross(io.mem_b, exchange.m_b, axi4Response(bus), depths.answer, memory, nodes, "write_answer");
    cross(exchange.m_ar, io.mem_ar, axi4Address(bus), depths.address, nodes, memory, "read_address");
    cross(io.mem_r, exchange.m_r, axi4Read(bus), depths.read, memory, nodes, "read_data");

    // The processor.
    connect(io.control_aw, node.s_aw); connect(io.control_w, node.s_w); connect(node.s_b, io.control_b);
    connect(io.control_ar, node.s_ar); connect(node.s_r, io.control_r);
    connect(io.port_aw, port.s_aw); connect(io.port_w, port.s_w); connect(port.s_b, io.port_b);
    connect(io.port_ar, port.s_ar); connect(port.s_r, io.port_r);
    connect(node.soc_rx, port.soc_rx); connect(port.soc_tx, node.soc_tx);
    connect(port.free_page, node.free_page);
    port.free_pages.set(node.free_pages);
    port.low_water.set(node.low_water);
    connect(port.shootdown, node.shootdown); connect(node.shootdown_done, port.shootdown_done);
    connect(port.exchange, exchange.exchange); connect(exchange.exchanged, port.exchanged);
    io.irq.set(port.irq);
  });
