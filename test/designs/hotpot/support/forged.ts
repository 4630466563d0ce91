/** Logs that no engine has written: sound by their sums, and still no commit. */
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import type { OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import { crc32 } from "../../../../designs/hotpot/model/index.ts";
import { CommitHost, type FallibleMemory } from "../../../../designs/hotpot/rig/index.ts";
import {
  commitHead,
  commitRecord,
  entryBytes,
  headBytes,
  logAt,
  states,
} from "../../../../designs/hotpot/wire/index.ts";
import { decode, type Decoded, encode } from "../../../../designs/shared/wire/index.ts";
import type { Bench } from "../../../../sim/index.ts";
import { base, director, homeAt, memoryOf, parameters, pid } from "./random-run.ts";

const lane = 2,
  place = 0,
  parts = 3,
  bytes = 64;
type CommitRecord = Decoded<typeof commitRecord>;
type Head = Decoded<typeof commitHead>;

/** What is written instead; sums follow. */
interface Forgery {
  readonly record?: Partial<CommitRecord>;
  readonly head?: Partial<Head>;
  /** The order of the areas. */
  readonly order?: readonly number[];
}
const forgeries: Readonly<Record<string, Forgery>> = {
  "a lane that there is not": { record: { lane: lane + 64 }, head: { lane: lane + 64 } },
  "a record of such a lane": { record: { lane: lane + 64 } },
  "areas of another lane": { head: { lane: lane + 1 } },
  "areas of another commit": { head: { seq: 7 } },
  "areas of another number": { order: [0, 2, 1] },
  "no areas": { record: { parts: 0 } },
  "a state that there is not": { record: { state: states.gathering } },
  "another process": { record: { pid: pid + 1 } },
};
export const forgedNames = Object.keys(forgeries);

/** A commit is prepared, the log changes while the engine is reset, and recovery finds no commit of the lane. */
export async function forged(b: Bench<OffloadPorts>, name: string | undefined): Promise<void> {
  const memory = memoryOf(),
    h = new CommitHost(b, { parameters, memory });
  const load = (at: number, n: number): Uint8Array => memory.load(offloadPid(0), base + BigInt(at), n),
    store = (at: number, data: Uint8Array): void => {
      memory.store(offloadPid(0), base + BigInt(at), data);
    };
  await begun(h, b);
  h.host.reset();
  if (name !== undefined) {
    const { record, head, order } = forgeries[name] as Forgery,
      was = decode(commitRecord, load(logAt.record(place), headBytes)),
      areas = Array.from({ length: parts }, (_, i) => load(logAt.entry(place, i), entryBytes).slice()),
      crcs = was.crcs.slice(),
      sums = new DataView(crcs.buffer, crcs.byteOffset);
    for (let i = 0; i < parts; i++) {
      const entry = areas[order?.[i] ?? i] as Uint8Array;
      entry.set(encode(commitHead, { ...decode(commitHead, entry.subarray(0, headBytes)), ...head }));
      store(logAt.entry(place, i), entry);
      sums.setUint32(4 * i, crc32(entry.subarray(0, headBytes + bytes)), true);
    }
    const body = encode(commitRecord, { ...was, crcs, ...record, crc: 0 });
    new DataView(body.buffer, body.byteOffset).setUint32(0, crc32(body), true);
    store(logAt.record(place), body);
  }
  await h.send({ kind: "recover", seq: 2 }, director);
  const { verdict } = await h.send({ kind: "commit", lane, seq: 1 }, pid),
    wanted = name === undefined ? "done" : "unknown";
  if (verdict !== wanted) throw new Error(`${name ?? "what was written"}: COMMIT gets ${verdict}, not ${wanted}`);
}

/** A byte of an area's log turns before its commit goes home: the commit says so, whichever area it is. */
export async function rotten(b: Bench<OffloadPorts>, part: number): Promise<void> {
  const memory = memoryOf(),
    h = new CommitHost(b, { parameters, memory });
  await begun(h, b);
  const at = base + BigInt(logAt.entry(place, part) + headBytes + 9),
    [byte = 0] = memory.load(offloadPid(0), at, 1);
  memory.store(offloadPid(0), at, Uint8Array.of(byte ^ 4));
  const { verdict } = await h.send({ kind: "commit", lane, seq: 1 }, pid);
  if (verdict !== "corrupt") throw new Error(`area ${part} has another byte: COMMIT gets ${verdict}`);
}

/** A prepared commit, in memory that outlives the power of its engine. */
export async function prepared(b: Bench<OffloadPorts>): Promise<FallibleMemory> {
  const memory = memoryOf();
  await begun(new CommitHost(b, { parameters, memory }), b);
  return memory;
}
/** Another engine has the memory now: it recovers the commit, and takes it home. */
export async function recovered(b: Bench<OffloadPorts>, memory: FallibleMemory): Promise<void> {
  const h = new CommitHost(b, { parameters, memory });
  await h.send({ kind: "recover", seq: 2 }, director);
  const { verdict } = await h.send({ kind: "commit", lane, seq: 1 }, pid);
  if (verdict !== "done") throw new Error(`COMMIT gets ${verdict}`);
  for (let part = 0; part < parts; part++) {
    const log = memory.load(offloadPid(0), base + BigInt(logAt.entry(place, part) + headBytes), bytes),
      home = memory.load(pid, homeAt + BigInt(4096 * part), bytes);
    if (Buffer.compare(log, home) !== 0) throw new Error(`area ${part} is not at home`);
  }
}

/** An engine that is open, with a prepared commit. */
async function begun(h: CommitHost, b: Bench<OffloadPorts>): Promise<void> {
  await h.send({ kind: "recover", seq: 1 }, director);
  await h.send({ kind: "open", seq: 1 }, director);
  await h.send({ kind: "grant", lane, seq: 0, grantee: pid }, director);
  for (let part = 0; part < parts; part++) {
    const va = homeAt + BigInt(4096 * part);
    await h.send({ kind: "prepare", lane, seq: 1, part, parts, va, data: b.random.bytes(bytes) }, pid);
  }
}
