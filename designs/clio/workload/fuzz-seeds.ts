import {
  accessBody,
  casBody,
  clioHeader,
  defaultAction,
  frameOffsets,
  kvBody,
  opcode,
  type Operation,
  operations,
  vmFlag,
} from "../wire/index.ts";
import { concat, encode, encodeInto, type Layout, placementsOf, writePlacement } from "../../shared/wire/index.ts";
import type { Settings } from "../config/index.ts";
import { clientEndpoint, FrameClient } from "./client.ts";

/** A frame as it goes into the node. `fcsBad`: the MAC marks it. `gap`: cycles that the line is idle before it. */
export interface FuzzFrame {
  readonly bytes: Uint8Array;
  readonly fcsBad: boolean;
  readonly gap: number;
}
/** Frames one after another, the unit that a fuzzer mutates and keeps. */
export type Stretch = readonly FuzzFrame[];

/**
 * Memory of the processes that the frames are about: `wild` ones, at the same addresses, and a tame one that only
 * good frames use.
 */
export interface FuzzGround {
  readonly wild: readonly number[];
  readonly tame: number;
  /** Three writable pages from here on, a read-only one behind them, then nothing. */
  readonly start: bigint;
  /** A writable page of words, with pointers to all of that from byte 2,048 on. */
  readonly words: bigint;
  readonly pointers: readonly bigint[];
  readonly mappings: readonly {
    readonly pid: number;
    readonly address: bigint;
    readonly length: bigint;
    readonly write: boolean;
    readonly populate: boolean;
  }[];
  readonly memory: readonly { readonly pid: number; readonly address: bigint; readonly bytes: Uint8Array }[];
}
const pointersAt = 2048n;

export function fuzzGround({ config }: Settings): FuzzGround {
  const page = BigInt(config.pageSize),
    start = 16n * page,
    words = 8n * page,
    wild = [1, 2],
    tame = 3;
  const pointers = [
    start,
    start + 100n,
    start + page - 7n,
    start + 3n * page - 60n,
    start + 3n * page,
    start + 4n * page,
    words,
    2n ** 50n,
    2n ** 64n - 1n,
  ];
  const laid = concat(
    ...pointers.map(p => {
      const b = new Uint8Array(8);
      new DataView(b.buffer).setBigUint64(0, p, true);
      return b;
    }),
  );
  return {
    wild,
    tame,
    start,
    words,
    pointers: pointers.map((_, i) => words + pointersAt + BigInt(8 * i)),
    mappings: [...wild, tame].flatMap(pid => [
      { pid, address: start, length: 3n * page, write: true, populate: false },
      { pid, address: start + 3n * page, length: page, write: false, populate: false },
      { pid, address: words, length: page, write: true, populate: true },
    ]),
    memory: wild.map(pid => ({ pid, address: words + pointersAt, bytes: laid })),
  };
}

/** Values of body fields that make a request of which something can come. */
function bodyOf(layout: Layout, ground: FuzzGround): Uint8Array {
  const { start } = ground;
  const usual: Readonly<Record<string, number | bigint>> = {
    va: start + 64n,
    length: 8,
    addr: start,
    table: start,
    key: 7n,
    keySize: 8,
    len: 4096n,
    vmFlags: vmFlag.write,
    structSize: 32,
    valueSize: 8,
    keyOffset: 8,
    valueOffset: 16,
    depth: 3,
    nextOffset: 1,
    rows: 4,
    rowBytes: 16,
    fieldBytes: 8,
    valueBytes: 8,
    object: 1,
    session: 1,
    replySize: 20,
  };
  const body = new Uint8Array(layout.bytes);
  for (const p of placementsOf(layout)) writePlacement(body, 0, p, BigInt(usual[p.name] ?? 0));
  return body;
}

/** Where a good frame of an operation begins. */
function addressFor({ name }: Operation, ground: FuzzGround): bigint {
  return name.startsWith("DEREF")
    ? (ground.pointers[0] as bigint)
    : name.startsWith("ATOMIC")
      ? ground.words
      : ground.start + 64n;
}

/** One good request of an operation. */
function requestFor(client: FrameClient, pid: number, o: Operation, ground: FuzzGround): Uint8Array {
  const body = o.body ? bodyOf(o.body, ground) : new Uint8Array(),
    data = o.data === undefined ? new Uint8Array() : new Uint8Array(8).fill(0xa5);
  const address = addressFor(o, ground);
  if (o.body === kvBody) encodeInto(kvBody, { valueSize: data.length }, body);
  if (o.body !== undefined && "va" in o.body.fields)
    new DataView(body.buffer, body.byteOffset).setBigUint64(accessBody.at.va.byteOffset, address, true);
  return client.request(o.code, pid, body, data);
}

/**
 * Seeds of fuzzing: a good request of every operation of the wire format, on the native and on a client port, ARP and
 * ping. Some belong together: repetitions, an atomic after another, more fences than the node holds.
 */
export function fuzzSeeds({ config, runtime }: Settings, ground: FuzzGround): Stretch[] {
  const good = (...frames: readonly Uint8Array[]): Stretch => frames.map(bytes => ({ bytes, fcsBad: false, gap: 0 }));
  const [first = 1, second = 2] = ground.wild,
    client = new FrameClient(clientEndpoint(0), runtime),
    other = new FrameClient(clientEndpoint(1), runtime);
  const page = BigInt(config.pageSize),
    { start, words } = ground;
  const write = (pid: number, va: bigint, bytes: number): Uint8Array =>
    client.write(pid, va, new Uint8Array(bytes).fill(0x5a));
  const faa = client.request(
      opcode.ATOMIC_FAA,
      first,
      encode(casBody, { va: words, length: 8, compare: 3n }).slice(0, 20),
    ),
    wrote = write(first, start, 100);
  const named = write(first, start, 8),
    sameName = (body: Uint8Array, code: number): Uint8Array => {
      const again = client.repeat(named);
      again.set(body.subarray(0, Math.min(body.length, again.length - frameOffsets.body)), frameOffsets.body);
      encodeInto(clioHeader, { opcode: code }, again, frameOffsets.clio);
      return again;
    };
  const published = (code: number, ...body: readonly Uint8Array[]): Uint8Array =>
    client.to(runtime.clientPort, code, first, ...body);
  return [
    // The slow path's on the second process, so that the first keeps its memory for longer.
    ...operations.map(o => good(requestFor(client, defaultAction(o.code) === "slow" ? second : first, o, ground))),
    good(published(opcode.READ, encode(accessBody, { va: start, length: 100 }))),
    good(published(opcode.WRITE, encode(accessBody, { va: start, length: 9 }), new Uint8Array(9))),
    good(published(opcode.PINGPONG, new Uint8Array(50))),
    good(client.arp()),
    good(client.ping(1, new Uint8Array(40).fill(1))),
    good(client.ping(2, new Uint8Array(1000))),
    good(wrote, client.repeat(wrote), client.read(first, start, 100)),
    good(faa, client.repeat(faa), client.repeat(faa)),
    // More of what the fast path does: most seeds are one frame each, and half of the operations are the slow path's.
    ...[0, 1, 2].flatMap(i => [
      good(write(first, start + BigInt(i) * page + 5n, 64), client.read(first, start + BigInt(i) * page, 80)),
      good(write(second, start + 3n * page - 8n, 16)),
      good(write(first, start + 3n * page, 16)),
      good(
        client.request(
          opcode.DEREF_WRITE,
          second,
          encode(accessBody, { va: ground.pointers[i] as bigint, length: 4 }),
          new Uint8Array(4),
        ),
        client.request(
          opcode.DEREF_READ,
          second,
          encode(accessBody, { va: ground.pointers[i + 3] as bigint, length: 40 }),
        ),
      ),
      good(
        client.request(opcode.ATOMIC_CAS, second, encode(casBody, { va: words + BigInt(64 * i), length: 8, swap: 5n })),
        client.request(
          opcode.ATOMIC_CAS,
          second,
          encode(casBody, { va: words + BigInt(64 * i), length: 8, compare: 5n }),
        ),
      ),
    ]),
    // A client's mistake: an atomic in the name of a write.
    [
      ...good(named),
      ...good(sameName(encode(casBody, { va: words + 8n, length: 8 }), opcode.ATOMIC_TAS)).map(f => ({
        ...f,
        gap: 60,
      })),
    ],
    good(write(first, start + page - 50n, 100), client.read(first, start + page - 50n, 100)),
    good(client.read(first, start + 3n * page - 10n, config.maxData)),
    good(write(first, start, config.maxData), client.read(first, start, config.maxData)),
    good(...Array.from({ length: config.fences + 2 }, () => client.request(opcode.FENCE, 0))),
    good(
      ...Array.from({ length: 6 }, (_, i) =>
        other.request(opcode.ATOMIC_TAS, second, encode(accessBody, { va: words + BigInt(8 * (i >> 1)), length: 8 })),
      ),
    ),
    good(
      client.kv(opcode.KV_CREATE, 9n, new Uint8Array(30)),
      client.kv(opcode.KV_READ, 9n),
      client.kv(opcode.KV_DELETE, 9n),
    ),
    good(
      client.allocate(second, { addr: start + 32n * page, len: page, vmFlags: vmFlag.write }),
      client.read(second, start + 32n * page, 8),
      client.free(second, start + 32n * page, page),
    ),
  ];
}

/** Request IDs of one client lie within an eighth of a round of 2^32 (retry-buffer.ts); mutated IDs are cut to this. */
const idMask = 2 ** 28 - 1;

/**
 * The same frame with its request IDs moved on. A stretch that is played again is new to the node, and its repetitions
 * still name each other.
 */
export function relocate(frame: Uint8Array, by: number): Uint8Array {
  if (frame.length < frameOffsets.body) return frame;
  const out = frame.slice(),
    view = new DataView(out.buffer);
  for (const at of [clioHeader.at.requestId.byteOffset, clioHeader.at.retryOf.byteOffset]) {
    const place = frameOffsets.clio + at;
    view.setUint32(place, ((view.getUint32(place, true) & idMask) + by) >>> 0, true);
  }
  return out;
}
