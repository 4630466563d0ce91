/** How the engine as a task of the SmartNIC is configured: words of 64 bits, each at its place. */

/** First places of what is configured; an instruction of the image stands at each place below `node`. */
export const snicPlaces = {
  image: 0,
  /** Which node, whose packets, and whether the task works: written last. */
  node: 0x1000,
  nodeMac: 0x1001,
  ownMac: 0x1002,
  own: 0x1003,
  patience: 0x1004,
  base: 0x1005,
  life: 0x1006,
} as const;
/** Lowest bits of the fields of `node`. */
export const snicNodeRow = { ip: 0, user: 32, port: 38, valid: 42 } as const;
/** Of `own`: address and UDP port towards the node, and the process in whose memory programs work. */
export const snicOwnRow = { ip: 0, port: 32, pid: 48 } as const;
/** Of `patience`: the first request's number, cycles until a request is sent again, and how often it is sent. */
export const snicPatienceRow = { firstId: 0, timeout: 32, tries: 56 } as const;
/** Cycles of a unit of `life`, and its bits. */
export const snicTick = 256,
  snicLifeBits = 16;

/** All that software tells the task. */
export interface SnicWicConfig {
  readonly node: { readonly mac: bigint; readonly ip: number };
  /** Port of the device behind which the node is. */
  readonly nodePort: number;
  /** Whose packets are taken; those of others pass. */
  readonly user: number;
  /** As whom the task asks the node. */
  readonly own: { readonly mac: bigint; readonly ip: number; readonly port: number };
  readonly pid: number;
  readonly firstId: number;
  readonly timeout: number;
  readonly tries: number;
  readonly base: bigint;
  /** Units of 256 cycles for which a reply is kept at least, up to 65,535; 0: not beyond the next request. */
  readonly life: number;
}
/**
 * Slot of an operation: its number's lowest `bits` bits on top of port 16 and address 32, the address lowest, and all
 * of it in pieces of `bits`, added without carries. As many numbers in a row of one client have slots of their own.
 */
export const slotHash =
  (bits: number) =>
  (asker: bigint): bigint => {
    let slot = 0n;
    for (let rest = asker; rest > 0n; rest >>= BigInt(bits)) slot ^= BigInt.asUintN(bits, rest);
    return slot;
  };
const at = (n: number | bigint, bit: number): bigint => BigInt(n) << BigInt(bit);

/** The words that begin the work; `node` is the last one. */
export function snicWords(
  c: SnicWicConfig,
  image: readonly number[] = [],
): readonly { readonly at: number; readonly data: bigint }[] {
  return [
    ...image.map((instruction, i) => ({ at: snicPlaces.image + i, data: BigInt(instruction) })),
    { at: snicPlaces.nodeMac, data: c.node.mac },
    { at: snicPlaces.ownMac, data: c.own.mac },
    {
      at: snicPlaces.own,
      data: at(c.own.ip, snicOwnRow.ip) | at(c.own.port, snicOwnRow.port) | at(c.pid, snicOwnRow.pid),
    },
    {
      at: snicPlaces.patience,
      data:
        at(c.firstId, snicPatienceRow.firstId) |
        at(c.timeout, snicPatienceRow.timeout) |
        at(c.tries, snicPatienceRow.tries),
    },
    { at: snicPlaces.base, data: c.base },
    { at: snicPlaces.life, data: BigInt(c.life) },
    {
      at: snicPlaces.node,
      data:
        at(c.node.ip, snicNodeRow.ip) |
        at(c.user, snicNodeRow.user) |
        at(c.nodePort, snicNodeRow.port) |
        at(1, snicNodeRow.valid),
    },
  ];
}
