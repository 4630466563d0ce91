/** Ports of the slow path's port, and what its parts are made from. */
import {
  bit,
  bitsFor,
  input,
  type Inside,
  instance,
  liteSlavePorts,
  output,
  RegisterSlave,
  sink,
  source,
  struct,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { deriveConfig, type NodeConfig, type Parameters } from "../../../config/index.ts";
import { socPortGeometry, socPortMap, socPortValues } from "../../../registers/index.ts";
import { Shootdown } from "../../memory/translate.ts";
import { translateParameters } from "../../ports/widths.ts";

/** Put `bits` in place of the 8 bytes at `address` (a multiple of 8), as one step against the node's own accesses. */
export const Exchange = (addressBits: number) => struct({ address: uint(addressBits), bits: uint(64) });

/**
 * What stood there. `readFailed`: the memory answered the read with an error; `old` means nothing, and nothing was
 * written. `writeFailed`: it answered the write with an error; the old bits stand there, or the new ones.
 */
export const Exchanged = struct({ old: uint(64), readFailed: bit, writeFailed: bit });

export const socPortPorts = (p: Parameters) => {
  const c = deriveConfig(p),
    g = socPortGeometry(c);
  return {
    ...liteSlavePorts(g.addressBits),
    irq: output(bit),
    socRx: sink(AxisBeat(c.beatBytes)),
    socTx: source(AxisBeat(c.beatBytes)),
    freePage: source(uint(c.ppnBits)),
    freePages: input(uint(bitsFor(c.freePageBuffer))),
    lowWater: input(bit),
    shootdown: source(Shootdown(translateParameters(c))),
    shootdownDone: sink(bit),
    exchange: source(Exchange(c.physAddrBits)),
    exchanged: sink(Exchanged),
  };
};

/** Widths of the two rings and of the address space that they stand in. */
function ringsOf(c: NodeConfig, g: ReturnType<typeof socPortGeometry>) {
  const words = c.beatBytes / 4,
    slotBeats = g.slotBytes / c.beatBytes;
  return {
    words,
    slotBeats,
    slotBits: Math.log2(g.slots),
    beatBits: Math.log2(slotBeats),
    wordBits: Math.log2(words),
    slotByteBits: Math.log2(g.slotBytes),
  };
}
export const region = { registers: 0, rx: 1, tx: 2 } as const;

export function partsOf(io: Inside<ReturnType<typeof socPortPorts>>, p: Parameters) {
  const c = deriveConfig(p),
    g = socPortGeometry(c);
  const registers = instance(RegisterSlave({ map: socPortMap, values: socPortValues(g) }));
  return {
    io,
    c,
    g,
    registers,
    ...ringsOf(c, g),
    /** The window that an address lies in. */
    regionOf: (address: UInt): UInt => address.bits(g.addressBits - 2, 2),
  };
}
/** What the port's parts share. */
export type Parts = ReturnType<typeof partsOf>;
