import type { InSignal, OutSignal } from "../dut/types.ts";
import { SimulationError } from "../errors.ts";

/** Fields of an AXI-Stream payload: data (whole bytes), keep (a bit per byte, optional), last, and what goes beside. */
export interface AxisFields<Sig> {
  readonly data: Sig;
  readonly last: Sig;
  readonly keep?: Sig;
  readonly user?: Sig;
  readonly id?: Sig;
  readonly dest?: Sig;
}

/** An AXI-Stream that the design consumes (`sink(struct({ data, keep, last, user }))`). */
export interface AxisIn {
  readonly valid: InSignal;
  readonly ready: OutSignal;
  readonly payload: AxisFields<InSignal>;
}
/** An AXI-Stream that the design produces. */
export interface AxisOut {
  readonly valid: OutSignal;
  readonly ready: InSignal;
  readonly payload: AxisFields<OutSignal>;
}
/** Either, to be listened to. */
export interface AxisAny {
  readonly valid: OutSignal;
  readonly ready: OutSignal;
  readonly payload: AxisFields<OutSignal>;
}

/** Bytes per beat. @throws SimulationError when data is no whole number of bytes or keep does not match it. */
export function axisBytes(port: AxisAny): number {
  const { data, keep } = port.payload;
  if (data.width % 8 !== 0) throw new SimulationError(`${data.name}: ${data.width} bits are no whole number of bytes`);
  const bytes = data.width / 8;
  if (keep && keep.width !== bytes)
    throw new SimulationError(`${keep.name}: ${keep.width} bits for ${bytes} bytes of data; give it ${bytes}`);
  return bytes;
}
