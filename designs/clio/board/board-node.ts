import {
  AsyncFifo,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  clockDomain,
  type ClockDomain,
  connect,
  connectAny,
  inDomain,
  input,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  module,
  output,
  type Shape,
  sink,
  source,
  type StreamIn,
  type StreamOut,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat, LinkBeat, MacCrossing } from "../../shared/frame/index.ts";
import { ConfigError, deriveConfig, type Parameters } from "../config/index.ts";
import { registerAddressBits, socPortGeometry } from "../registers/index.ts";
import { ClioNode, EntryExchange, nodeBus, SocPort } from "../rtl/index.ts";

/** Elements of the memory's crossings: round trips of both clocks and bursts of the memory. */
const depths = { address: 16, write: 32, answer: 16, read: 64 } as const;
/** Beats of the longest frame that can be sent. */
const longest = 256;

/**
 * The memory node as a board needs it, with an asynchronous FIFO in every stream between its three clocks. `node` is
 * for the node and the processor's two AXI4-Lite ports, `mac` for the network, `memory` for DRAM. Resets are
 * synchronous, one of each clock, all held together.
 *
 * `mac_rx` cannot wait (a MAC's output has no ready): a frame for which there is no room is cut and marked bad.
 * `mac_tx` sends a frame only when all of it is there: a MAC's input must not run dry within a frame. A frame longer
 * than 256 beats cannot be sent. `mac_rx_lost` pulses in the MAC's domain for each frame cut. `control_*`: the node's
 * registers (docs/clio/registers.md); `port_*`: the slow path's port (docs/clio/soc-port.md), `irq` its interrupt.
 * Latency: those of the parts and 3 to 4 cycles for each crossing; initiation interval: 1 on every stream.
 */
export const BoardNode = module(
  "BoardNode",
  (p: Parameters) => {
    if (p.transport !== "none")
      throw new ConfigError(
        `transport = ${p.transport} has no board build: its frames need a memory port that the boards' top levels lack; the nearest is transport = none`,
      );
    const c = deriveConfig(p),
      bus = nodeBus(c),
      g = socPortGeometry(c);
    const at = { node: { domain: "node" }, mac: { domain: "mac" }, memory: { domain: "memory" } } as const;
    return {
      macRx: input(LinkBeat(c.beatBytes), at.mac),
      macRxLost: output(bit, at.mac),
      macTx: source(AxisBeat(c.beatBytes), at.mac),
      memAw: source(axi4Address(bus), at.memory),
      memW: source(axi4Write(bus.beatBytes), at.memory),
      memB: sink(axi4Response(bus), at.memory),
      memAr: source(axi4Address(bus), at.memory),
      memR: sink(axi4Read(bus), at.memory),
      controlAw: sink(liteAddress(registerAddressBits), at.node),
      controlW: sink(LiteWrite, at.node),
      controlB: source(LiteResponse, at.node),
      controlAr: sink(liteAddress(registerAddressBits), at.node),
      controlR: source(LiteRead, at.node),
      portAw: sink(liteAddress(g.addressBits), at.node),
      portW: sink(LiteWrite, at.node),
      portB: source(LiteResponse, at.node),
      portAr: sink(liteAddress(g.addressBits), at.node),
      portR: source(LiteRead, at.node),
      irq: output(bit, at.node),
    };
  },
  (io, p) => {
    const c = deriveConfig(p),
      bus = nodeBus(c);
    const nodes = clockDomain("node"),
      mac = clockDomain("mac"),
      memory = clockDomain("memory");
    const cross = (
      from: StreamIn<Shape>,
      to: StreamOut<Shape>,
      shape: Shape,
      depth: number,
      push: ClockDomain,
      pop: ClockDomain,
      name: string,
    ): void => {
      const crossing = instance(name, AsyncFifo({ shape, depth }), { domains: { push, pop } });
      connectAny(from, crossing.push);
      connectAny(crossing.pop, to);
    };
    const { node, port, exchange } = inDomain(nodes, () => ({
      node: instance(ClioNode(p)),
      port: instance(SocPort(p)),
      exchange: instance(EntryExchange(bus)),
    }));

    // The network.
    const crossing = instance("crossing", MacCrossing({ beatBytes: c.beatBytes, longest }), {
      domains: { node: nodes, mac },
    });
    crossing.fromMac.set(io.macRx);
    io.macRxLost.set(crossing.lost);
    connect(crossing.toMac, io.macTx);
    connect(crossing.received, node.rx);
    connect(node.tx, crossing.send);

    // Memory.
    connect(node.memAr, exchange.sAr);
    connect(node.memAw, exchange.sAw);
    connect(node.memW, exchange.sW);
    connect(exchange.sR, node.memR);
    connect(exchange.sB, node.memB);
    cross(exchange.mAw, io.memAw, axi4Address(bus), depths.address, nodes, memory, "write_address");
    cross(exchange.mW, io.memW, axi4Write(bus.beatBytes), depths.write, nodes, memory, "write_data");
    cross(io.memB, exchange.mB, axi4Response(bus), depths.answer, memory, nodes, "write_answer");
    cross(exchange.mAr, io.memAr, axi4Address(bus), depths.address, nodes, memory, "read_address");
    cross(io.memR, exchange.mR, axi4Read(bus), depths.read, memory, nodes, "read_data");

    // The processor.
    connect(io.controlAw, node.sAw);
    connect(io.controlW, node.sW);
    connect(node.sB, io.controlB);
    connect(io.controlAr, node.sAr);
    connect(node.sR, io.controlR);
    connect(io.portAw, port.sAw);
    connect(io.portW, port.sW);
    connect(port.sB, io.portB);
    connect(io.portAr, port.sAr);
    connect(port.sR, io.portR);
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
  },
);
