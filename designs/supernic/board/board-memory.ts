/** The board's memory, in its controller's clock, and what of the device's memory and rings is in the device's own. */
import {
  AsyncFifo,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  type ClockDomain,
  clockDomain,
  connect,
  connectAny,
  type Inside,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  type Outside,
  type Shape,
  sink,
  source,
  type StreamIn,
  type StreamOut,
} from "../../../hdl-dsl/index.ts";
import { memoryAddressBits, spillAddressBits } from "../registers/index.ts";
import { boardBusOfDevice, type DeviceParameters, MemoryPut, type SuperNicPorts } from "../rtl/index.ts";

/** Elements of the crossings: round trips of both clocks and bursts of the memory. */
const depths = { address: 16, write: 32, answer: 16, read: 64 } as const;
const node = { domain: "node" } as const,
  memory = { domain: "memory" } as const;

const busPorts = (p: DeviceParameters) => {
  const bus = boardBusOfDevice(p);
  if (bus === undefined) return {};
  return {
    memAw: source(axi4Address(bus), memory),
    memW: source(axi4Write(bus.beatBytes), memory),
    memB: sink(axi4Response(bus), memory),
    memAr: source(axi4Address(bus), memory),
    memR: sink(axi4Read(bus), memory),
  };
};
const pagePorts = () => ({
  memoryAw: sink(liteAddress(memoryAddressBits), node),
  memoryW: sink(LiteWrite, node),
  memoryB: source(LiteResponse, node),
  memoryAr: sink(liteAddress(memoryAddressBits), node),
  memoryR: source(LiteRead, node),
  pageOut: source(MemoryPut, node),
  pageIn: sink(MemoryPut, node),
});
const ringPorts = () => ({
  ringsAw: sink(liteAddress(spillAddressBits), node),
  ringsW: sink(LiteWrite, node),
  ringsB: source(LiteResponse, node),
  ringsAr: sink(liteAddress(spillAddressBits), node),
  ringsR: source(LiteRead, node),
});
type Ports = Required<Exclude<ReturnType<typeof busPorts>, Record<string, never>>> &
  ReturnType<typeof pagePorts> &
  ReturnType<typeof ringPorts>;
/** A device that keeps nothing in the board's memory has none of them, and nobody asks for them. */
export const memoryPorts = (p: DeviceParameters): Ports =>
  ({
    ...busPorts(p),
    ...(p.memory && pagePorts()),
    ...(p.spill && ringPorts()),
  }) as Ports;

/** Joins the device with the board's memory, across clocks; registers and pages stay in the device's. */
export function joinMemory(
  io: Inside<Ports>,
  device: Outside<SuperNicPorts>,
  nodes: ClockDomain,
  p: DeviceParameters,
): void {
  const bus = boardBusOfDevice(p);
  if (bus === undefined) return;
  const controller = clockDomain("memory");
  const cross = (
    from: StreamIn<Shape>,
    to: StreamOut<Shape>,
    shape: Shape,
    { depth, push, pop, name }: { depth: number; push: ClockDomain; pop: ClockDomain; name: string },
  ): void => {
    const crossing = instance(name, AsyncFifo({ shape, depth }), { domains: { push, pop } });
    connectAny(from, crossing.push);
    connectAny(crossing.pop, to);
  };
  const there = { push: nodes, pop: controller },
    back = { push: controller, pop: nodes };
  cross(device.mAw, io.memAw, axi4Address(bus), { depth: depths.address, ...there, name: "write_address" });
  cross(device.mW, io.memW, axi4Write(bus.beatBytes), { depth: depths.write, ...there, name: "write_data" });
  cross(io.memB, device.mB, axi4Response(bus), { depth: depths.answer, ...back, name: "write_answer" });
  cross(device.mAr, io.memAr, axi4Address(bus), { depth: depths.address, ...there, name: "read_address" });
  cross(io.memR, device.mR, axi4Read(bus), { depth: depths.read, ...back, name: "read_data" });
  if (p.memory !== undefined) {
    connect(io.memoryAw, device.memoryAw);
    connect(io.memoryW, device.memoryW);
    connect(device.memoryB, io.memoryB);
    connect(io.memoryAr, device.memoryAr);
    connect(device.memoryR, io.memoryR);
    connect(device.pageOut, io.pageOut);
    connect(io.pageIn, device.pageIn);
  }
  if (p.spill === undefined) return;
  connect(io.ringsAw, device.ringsAw);
  connect(io.ringsW, device.ringsW);
  connect(device.ringsB, io.ringsB);
  connect(io.ringsAr, device.ringsAr);
  connect(device.ringsR, io.ringsR);
}
