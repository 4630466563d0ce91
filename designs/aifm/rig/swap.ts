/** Objects swapped by themselves, beside the pages that they lie in, on the same node. */
import { CheckFailed } from "../../shared/command-line/index.ts";
import { Random } from "../../../sim/index.ts";
import { FarStore } from "../client/index.ts";
import { type Machine, withMachine } from "./machine.ts";
import { shuffled } from "./shuffled.ts";

/** Bytes of a page, as Fastswap and Linux have them. */
export const pageBytes = 4096;
/** Sizes of objects: AIFM's are at most 64 KB (section 3). */
export const objectSizes = [64, 256, 1024, 4096, 16_384, 65_536] as const;

export const ways = ["objects", "pages"] as const;
export type Way = (typeof ways)[number];

export interface SwapOptions {
  readonly seed: number;
  readonly gbps: number;
  readonly objectBytes: number;
  readonly accesses: number;
}
export interface Swapped {
  readonly way: Way;
  readonly objectBytes: number;
  /** Bytes on the line for an access that changes its object, both ways: it comes, and another one goes back. */
  readonly wireBytes: number;
  /** ns of an access that only reads, one at a time. */
  readonly latencyNs: number;
  /** Gbit/s of objects that come and go, eight accesses under way. */
  readonly goodput: number;
}

/** Accesses under way when goodput is measured. */
const atOnce = 8;

/** Local memory for what is under way, in units of a way, and how an object lies in them. */
function storeOf(way: Way, m: Pick<Machine, "far">, objectBytes: number) {
  const unitBytes = way === "objects" ? objectBytes : pageBytes,
    units = Math.max(1, objectBytes / unitBytes),
    store = new FarStore({ far: m.far, unitBytes, room: atOnce * units });
  return {
    store,
    /** Sees an object's first byte, and adds to it. @returns what stood there */
    touch: (object: number, adds: 0 | 1): Promise<number> => {
      const at = object * objectBytes;
      return store.use(Math.floor(at / unitBytes), units, adds === 0 ? "read" : "write", ([first]) => {
        const bytes = first as Uint8Array,
          i = at % unitBytes,
          was = bytes[i] as number;
        bytes[i] = was + adds;
        return was;
      });
    },
  };
}

/** Objects at the node: each access is to another page than those before, so that nothing is here by chance. */
function orderOf(seed: number, objectBytes: number, accesses: number) {
  const stride = Math.max(1, pageBytes / objectBytes),
    order = Array.from({ length: accesses }, (_, i) => i * stride);
  return { order: shuffled(order, new Random(seed)), objects: accesses * stride };
}

/** Measures the cold path of one size: each access misses. */
export function measureSwap(way: Way, o: SwapOptions): Promise<Swapped> {
  const { seed, gbps, objectBytes, accesses } = o,
    { order, objects } = orderOf(seed, objectBytes, accesses),
    bytes = Math.max(objects * objectBytes, pageBytes);
  return withMachine(`${way} of ${objectBytes}`, { seed, gbps, bytes }, async m => {
    const { store, touch } = storeOf(way, m, objectBytes);
    /** All objects, so many at a time; each must have been changed so often. @returns ns */
    const pass = async (changes: number, adds: 0 | 1, together: number): Promise<number> => {
      const from = m.time.now(),
        left = order[Symbol.iterator]();
      const worker = async (): Promise<void> => {
        for (const object of left)
          if ((await touch(object, adds)) !== changes)
            throw new CheckFailed(`object ${object} of ${objectBytes} bytes has lost a change`);
      };
      await Promise.all(Array.from({ length: together }, worker));
      return m.time.now() - from;
    };
    // The first time fills the room with changed units: from then on each that comes sends another one back.
    await pass(0, 1, 1);
    const wire = m.wireBytes();
    const passed = await pass(1, 1, atOnce),
      wireBytes = (m.wireBytes() - wire) / accesses;
    await store.flush();
    const alone = await pass(2, 0, 1);
    if (store.statistics.hits > 0) throw new CheckFailed(`${store.statistics.hits} accesses found their object here`);
    await m.settled();
    return {
      way,
      objectBytes,
      wireBytes,
      latencyNs: alone / accesses,
      goodput: (accesses * objectBytes * 8) / passed,
    };
  });
}
