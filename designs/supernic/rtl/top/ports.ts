/** What the device has on its outside, and what crosses it: registers, and the ways in and out. */
import {
  arrayOf,
  connect,
  fromBits,
  type Inside,
  instance,
  liteSlavePorts,
  mergePorts,
  portArray,
  sink,
  source,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { registerAddressBits } from "../../registers/index.ts";
import { beatBytes, inlets } from "../inside/index.ts";
import { FromSoftware, ToSoftware } from "../lane/index.ts";
import { boardPorts } from "./board.ts";
import { Control } from "./control.ts";
import { inletOf, outletOf } from "./inlets.ts";
import { memoryDevicePorts } from "./memory.ts";
import type { DeviceParameters } from "./records.ts";
import { spillDevicePorts } from "./spill.ts";
import { writeOf } from "./tables.ts";

const plainPorts = (p: DeviceParameters) =>
  mergePorts(
    portArray("rx", p.ports, sink(AxisBeat(beatBytes))),
    portArray("tx", p.ports, source(AxisBeat(beatBytes))),
    {
      ...liteSlavePorts(registerAddressBits),
      fromSoftware: sink(FromSoftware(p)),
      toSoftware: source(ToSoftware),
    },
  );
/** A device without memory, or without rings, has none of its ports, and nobody asks for them. */
export const superNicPorts = (p: DeviceParameters) =>
  mergePorts(
    plainPorts(p),
    boardPorts(p),
    (p.memory === undefined ? {} : memoryDevicePorts()) as ReturnType<typeof memoryDevicePorts>,
    // As those of the memory.
    (p.spill === undefined ? {} : spillDevicePorts()) as ReturnType<typeof spillDevicePorts>,
  );
export type SuperNicPorts = ReturnType<typeof superNicPorts>;
export type Io = Inside<SuperNicPorts>;

/** Registers, and all that hangs on them. */
export function controlOf(io: Io, p: DeviceParameters) {
  const control = instance("control", Control(p));
  connect(io.sAw, control.sAw);
  connect(io.sW, control.sW);
  connect(control.sB, io.sB);
  connect(io.sAr, control.sAr);
  connect(control.sR, io.sR);
  // Tables that several blocks have.
  return { control, users: writeOf(control.bus, "user"), dags: writeOf(control.bus, "dag") };
}
export type Controlled = ReturnType<typeof controlOf>;

/** The ways in, the loop port's last, and the ways out. */
export function waysOf(io: Io, { control, users }: Controlled, p: DeviceParameters) {
  const { set, bus } = control,
    rx = Array.from({ length: inlets(p) }, (_, i) => inletOf(i, p, set, bus, users)),
    [loop] = rx.slice(p.ports);
  if (loop === undefined) throw new RangeError("SuperNic: there is a loop port");
  const outlets = rx.slice(0, p.ports).map((r, i) => outletOf(i, p, set, r, control.counter));
  arrayOf(io, "rx", p.ports).forEach((port, i) => {
    const inlet = rx[i];
    if (inlet !== undefined) connect(port, inlet.rx);
  });
  arrayOf(io, "tx", p.ports).forEach((port, i) => {
    const outlet = outlets[i];
    if (outlet !== undefined) connect(outlet.tx.tx, port);
  });
  control.down.set(fromBits(outlets.map(o => o.tx.down)).is(p.ports));
  return { rx, loop, outlets };
}
export type Ways = ReturnType<typeof waysOf>;
