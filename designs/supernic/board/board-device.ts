import {
  type AnyPort,
  bit,
  clockDomain,
  connect,
  inDomain,
  input,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  mergePorts,
  module,
  output,
  type PortArray,
  portOf,
  sink,
  source,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat, LinkBeat, MacCrossing } from "../../shared/frame/index.ts";
import { registerAddressBits } from "../registers/index.ts";
import { joinMemory, memoryPorts } from "./board-memory.ts";
import { type DeviceParameters, FromSoftware, superNic, type Task, ToSoftware } from "../rtl/index.ts";

/** Bytes of a beat, here and at the MACs. */
const beatBytes = 64;
/** Bytes that a frame may grow by: a shim, a redirect around it, a link shim (docs/supernic/formats.md). */
const mostGrowth = 38;
const longestBeats = (p: DeviceParameters): number =>
  2 ** Math.ceil(Math.log2((p.frameBytes + mostGrowth) / beatBytes));

/** Ports `name0` and so on, each in its MAC's clock. */
function perMac<const N extends string, P extends AnyPort>(
  name: N,
  count: number,
  portAt: (at: { readonly domain: string }) => P,
): PortArray<N, P> {
  const all = Array.from({ length: count }, (_, i) => [`${name}${i}`, portAt({ domain: `mac${i}` })] as const);
  return Object.fromEntries(all) as PortArray<N, P>;
}
const ports = (p: DeviceParameters) => {
  const at = { domain: "node" } as const;
  return mergePorts(
    memoryPorts(p),
    perMac("macRx", p.ports, mac => input(LinkBeat(beatBytes), mac)),
    perMac("macLost", p.ports, mac => output(bit, mac)),
    perMac("macTx", p.ports, mac => source(AxisBeat(beatBytes), mac)),
    {
      controlAw: sink(liteAddress(registerAddressBits), at),
      controlW: sink(LiteWrite, at),
      controlB: source(LiteResponse, at),
      controlAr: sink(liteAddress(registerAddressBits), at),
      controlR: source(LiteRead, at),
      fromSoftware: sink(FromSoftware(p), at),
      toSoftware: source(ToSoftware, at),
    },
  );
};

/**
 * The device as a board needs it: a clock for each MAC, `mac0` and on, and `node` for all the rest, with the crossing
 * of designs/shared/frame at each port. Resets are synchronous, one of each clock, all held together.
 *
 * `mac_rx<i>` cannot wait: a frame for which there is no room is cut and marked bad, so that the judge counts it as one
 * with a wrong FCS; `mac_lost<i>` pulses. `mac_tx<i>` sends a frame only when all of it is there. `control_*`: the
 * device's registers (docs/supernic/registers.md). `from_software`, `to_software`: frames of the device's software, in
 * the clock of the registers. A device that keeps something in the board's memory has a clock `memory` for its AXI4 bus
 * `mem_*`, with an asynchronous FIFO in each channel; registers and pages of it are in the device's clock. Latency: the
 * device's and that of the crossings; initiation interval: 1 on every stream.
 */
export const boardDevice = (chains: readonly (readonly Task[])[]) =>
  module("BoardDevice", ports, (io, p) => {
    const nodes = clockDomain("node"),
      device = inDomain(nodes, () => instance("device", superNic(chains)(p)));
    for (let i = 0; i < p.ports; i++) {
      const crossing = instance(`crossing_${i}`, MacCrossing({ beatBytes, longest: longestBeats(p) }), {
        domains: { node: nodes, mac: clockDomain(`mac${i}`) },
      });
      crossing.fromMac.set(portOf(io, "macRx", i));
      portOf(io, "macLost", i).set(crossing.lost);
      connect(crossing.toMac, portOf(io, "macTx", i));
      connect(crossing.received, portOf(device, "rx", i));
      connect(portOf(device, "tx", i), crossing.send);
    }
    joinMemory(io, device, nodes, p);
    connect(io.controlAw, device.sAw);
    connect(io.controlW, device.sW);
    connect(device.sB, io.controlB);
    connect(io.controlAr, device.sAr);
    connect(device.sR, io.controlR);
    connect(io.fromSoftware, device.fromSoftware);
    connect(device.toSoftware, io.toSoftware);
  });
