import type { InSignal, OutSignal } from "../dut/types.ts";
import { SimulationError } from "../errors.ts";

/** A channel that the design drives. */
interface FromDesign<F extends string> {
  readonly valid: OutSignal;
  readonly ready: InSignal;
  readonly payload: Readonly<Record<F, OutSignal>>;
}
/** A channel that the memory drives. */
interface ToDesign<F extends string> {
  readonly valid: InSignal;
  readonly ready: OutSignal;
  readonly payload: Readonly<Record<F, InSignal>>;
}
export type AddressField = "addr" | "id" | "len" | "size" | "burst";

/**
 * The five channels of an AXI4 master port, streams named `<prefix>Aw` and so on. Address channels: addr (bytes), id,
 * len (beats - 1), size (log2 of the bytes of a beat), burst (0 FIXED, 1 INCR, 2 WRAP).
 */
export interface AxiPorts {
  readonly aw: FromDesign<AddressField>;
  readonly w: FromDesign<"data" | "strb" | "last">;
  readonly b: ToDesign<"id" | "resp">;
  readonly ar: FromDesign<AddressField>;
  readonly r: ToDesign<"data" | "id" | "resp" | "last">;
}

/** The ports object of a design with an AXI4 master port of that prefix. */
export type HasAxi<Prefix extends string> = {
  readonly [C in keyof AxiPorts as `${Prefix}${Capitalize<C>}`]: AxiPorts[C];
};

/** Gathers the five channels of a prefix from `sim.io`. */
export function axiPorts<const Prefix extends string>(io: HasAxi<Prefix>, prefix: Prefix): AxiPorts {
  const all = io as Readonly<Record<string, unknown>>;
  const get = (channel: keyof AxiPorts): unknown => {
    const port = all[`${prefix}${channel.charAt(0).toUpperCase()}${channel.slice(1)}`];
    if (port === undefined)
      throw new SimulationError(`the design has no stream ${prefix}_${channel}; an AXI4 port needs aw, w, b, ar and r`);
    return port;
  };
  const ports = { aw: get("aw"), w: get("w"), b: get("b"), ar: get("ar"), r: get("r") } as AxiPorts;
  const width = ports.r.payload.data.width;
  if (![64, 128, 256, 512, 1024].includes(width))
    throw new SimulationError(`${ports.r.payload.data.name}: ${width} bits; AXI4 RAM has 64, 128, 256, 512 or 1024`);
  if (ports.w.payload.data.width !== width || ports.w.payload.strb.width !== width / 8) {
    throw new SimulationError(
      `${prefix}_w: data of ${ports.w.payload.data.width} and strb of ${ports.w.payload.strb.width} bits do not match the ${width} bits of ${prefix}_r`,
    );
  }
  return ports;
}
