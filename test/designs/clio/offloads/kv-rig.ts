import { createHash } from "node:crypto";
import { expect } from "vitest";
import {
  checkLinearizable,
  type KeyInput,
  type KeyOutput,
  keySpecification,
  type Operation,
} from "../../../../designs/clio/linearizability/index.ts";
import {
  kvContents,
  kvHash,
  type KvPair,
  type KvPlacing,
  ModelMemory,
  type ModelMemoryOptions,
} from "../../../../designs/clio/model/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import {
  type ClioKv,
  kvDefaults,
  type KvParameters,
  largestValue,
} from "../../../../designs/clio/offloads/kv/index.ts";
import { concat, decode, encode } from "../../../../designs/shared/wire/index.ts";
import { kvBody, kvReplyBody, opcode, status } from "../../../../designs/clio/wire/index.ts";
import {
  type MemoryTrace,
  type OffloadCall,
  OffloadHost,
  type OffloadHostOptions,
} from "../../../../designs/clio/rig/index.ts";
import type { Bench, Random } from "../../../../sim/index.ts";
import { contextsBack, Standstill } from "./support/contexts-back.ts";

export const kvParameters = (o: Partial<KvParameters> = {}): KvParameters => ({
  beatBytes: 64,
  contexts: 8,
  maxData: 1466,
  ...kvDefaults,
  buckets: 4,
  arenaBytes: 8192,
  ...o,
});
export type KvPorts = ReturnType<typeof ClioKv>["ports"];

const codes = {
  read: opcode.KV_READ,
  create: opcode.KV_CREATE,
  update: opcode.KV_UPDATE,
  delete: opcode.KV_DELETE,
} as const;
export type KvKind = keyof typeof codes;
/** A request and what came of it. */
export interface KvCall {
  readonly kind: KvKind;
  readonly key: bigint;
  readonly pid: number;
  readonly value: Uint8Array;
  readonly user: number;
  readonly call: OffloadCall;
}

const pid = offloadPid(0);
/** A value in few characters. */
const digest = (value: Uint8Array): string =>
  `${value.length} bytes ${createHash("sha1").update(value).digest("base64").slice(0, 12)}`;

/**
 * Clio-KV on the bench of offloads, and a scoreboard. Replies have the right form, their contents are linearizable key
 * by key, and the table in memory is right.
 */
export class KvRig {
  readonly host: OffloadHost;
  readonly memory: ModelMemory;
  readonly calls: KvCall[] = [];
  readonly p: KvParameters;
  readonly secret: bigint;
  private readonly random: Random;
  readonly #b: Bench<KvPorts>;
  readonly #still = new Standstill();
  /** Statuses other than OK and FAIL that may come. */
  readonly allowed = new Set<number>();

  constructor(
    b: Bench<KvPorts>,
    p: KvParameters,
    o: Partial<OffloadHostOptions> & { readonly space?: ModelMemoryOptions; readonly secret?: bigint } = {},
  ) {
    this.#b = b;
    this.p = p;
    this.secret = o.secret ?? 0x0706_0504_0302_0100n;
    b.io.secret.value = this.secret;
    this.random = b.random.fork("kv");
    this.memory = new ModelMemory({ maxData: p.maxData, ...o.space });
    this.host = new OffloadHost(b, { parameters: p, memory: this.memory, ...o, ...this.#still.options(b, o) });
  }
  /**
   * Nothing is kept by what has ended: each context can wait for memory, all in one bucket, and each of them ends. With
   * `pages`, every key goes: then only the table and one arena are held, of which nothing counts as taken.
   */
  async allBack(o: { readonly pages?: boolean } = {}): Promise<void> {
    await contextsBack(this.#b, this.host, this.#still, this.p.contexts, () => {
      this.host.request({ opcode: opcode.KV_READ, pid: 0, body: encode(kvBody, readOfKey(0xfedc_ba98n)) });
    });
    if (o.pages !== true) return;
    for (const x of this.contents()) this.ask("delete", x.key, undefined, x.pid);
    await this.host.drained();
    expect(this.contents(), "pairs when all keys are deleted").toEqual([]);
    const done = (): number => this.host.trace.filter(t => t.opcode === opcode.ALLOC && t.status === status.OK).length;
    if (done() < 2) return;
    expect(await this.heldAtRest(this.#b), "tables and arenas held at the end").toBe(2);
    expect(this.mapAtRest(), "units taken at the end").toBe(0);
  }

  ask(kind: KvKind, key: bigint, value: Uint8Array = new Uint8Array(), pid = 0): KvCall {
    const user = this.random.between(0, 255);
    // What stands in a field or behind a value that does not count is anything.
    const stray = this.random.chance(0.2) ? this.random.bytes(this.random.between(1, 70)) : new Uint8Array();
    const brings = kind === "create" || kind === "update",
      valueSize = brings ? value.length : this.random.pick([0, 8, 65535]);
    const body = concat(encode(kvBody, { user, keySize: 8, valueSize, key }), value, stray).slice(
      0,
      this.p.maxData + 12,
    );
    const done: KvCall = {
      kind,
      key,
      pid,
      value,
      user,
      call: this.host.request({ opcode: codes[kind], pid, body }),
    };
    this.calls.push(done);
    return done;
  }
  /** One request alone. @returns its status, and the value of a read */
  async alone(
    kind: KvKind,
    key: bigint,
    value?: Uint8Array,
    pid = 0,
  ): Promise<{ readonly status: number; readonly value: Uint8Array; readonly cycles: number }> {
    const asked = this.ask(kind, key, value, pid);
    await this.host.drained();
    const reply = replyOf(asked);
    return { ...reply, cycles: (asked.call.replies[0]?.cycle ?? 0) - (asked.call.taken ?? 0) };
  }

  value(size?: number): Uint8Array {
    const most = largestValue(this.p),
      { random } = this;
    // Around the sizes at which a block becomes larger, and a beat full.
    const edges = [0, 1, 4, 52, 53, 60, 116, 117, 244, 245, 500, 501, 1012, 1013, most - 1, most];
    return random.bytes(
      size ??
        (random.chance(0.3)
          ? Math.min(random.pick(edges), most)
          : random.chance(0.8)
            ? random.between(0, 120)
            : random.between(0, most)),
    );
  }

  /** Waits for the end and judges everything. */
  async finish(): Promise<KvPair[]> {
    await this.host.drained();
    this.judge();
    const pairs = this.contents(),
      last = new Map(pairs.map(x => [nameOf(x), x.value]));
    const from = this.calls.length;
    for (const { key, pid: owner } of new Map(this.calls.map(c => [nameOf(c), c])).values())
      this.ask("read", key, undefined, owner);
    await this.host.drained();
    for (const c of this.calls.slice(from)) {
      const { status: code, value } = replyOf(c),
        stored = last.get(nameOf(c));
      expect(
        code === status.OK ? digest(value) : "missing",
        `what a read finds, and what memory has, of key ${c.key.toString(16)}`,
      ).toBe(stored ? digest(stored) : "missing");
    }
    this.judge();
    await this.allBack();
    return pairs;
  }

  get buckets(): number {
    return this.p.buckets;
  }
  /** The table as it lies in memory: it is the first thing allocated. */
  contents(): KvPair[] {
    return kvContents((va, bytes) => this.memory.load(pid, va, bytes), BigInt(this.memory.pageSize), this);
  }

  judge(): void {
    this.ordered();
    const history = this.calls.map((c): Operation<KeyInput, KeyOutput> => {
      const reply = replyOf(c),
        done = reply.status === status.OK;
      if (!done && reply.status !== status.FAIL)
        expect([...this.allowed], `status of ${name(c)}`).toContain(reply.status);
      const unknown = !done && reply.status !== status.FAIL;
      const input: KeyInput =
        c.kind === "create" || c.kind === "update" ? { kind: c.kind, value: digest(c.value) } : { kind: c.kind };
      const output: KeyOutput = c.kind === "read" ? (done ? { value: digest(reply.value) } : "missing") : done;
      // An operation that memory refused was not done: as a read of whatever there is.
      return {
        object: nameOf(c),
        client: `context ${c.call.context ?? -1}`,
        input: unknown ? { kind: "read" } : input,
        output: unknown ? undefined : output,
        called: c.call.taken as number,
        returned: c.call.replies[0]?.cycle as number,
      };
    });
    const verdict = checkLinearizable(history, keySpecification, { steps: 2_000_000 });
    if (verdict.kind !== "linearizable")
      throw new Error(`key ${verdict.object} is ${verdict.kind}: ${"why" in verdict ? verdict.why : ""}`);
  }

  /** No access to memory is under way while another one writes the same bytes: memory keeps no order between them. */
  private ordered(): void {
    let open: MemoryTrace[] = [];
    const writes = (t: MemoryTrace): boolean => t.opcode === opcode.WRITE;
    for (const t of this.host.trace.filter(x => x.opcode !== opcode.ALLOC)) {
      open = open.filter(o => (o.answered ?? Number.POSITIVE_INFINITY) >= t.taken);
      const clash = open.find(
        o => (writes(o) || writes(t)) && o.va < t.va + BigInt(t.length) && t.va < o.va + BigInt(o.length),
      );
      if (clash)
        throw new Error(
          `the ${writes(t) ? "WRITE" : "READ"} of 0x${t.va.toString(16)} taken at cycle ${t.taken} meets that of 0x${clash.va.toString(16)} taken at ${clash.taken}`,
        );
      open.push(t);
    }
  }
  /** Arenas and tables that it has when nothing goes on: blocks come back, and memory is freed, behind the replies. */
  async heldAtRest(b: Bench<KvPorts>): Promise<number> {
    for (let accesses = -1; accesses !== this.host.trace.length;) {
      accesses = this.host.trace.length;
      await b.cycles(500);
      await this.host.drained();
    }
    const done = (code: number): number =>
      this.host.trace.filter(t => t.opcode === code && t.status === status.OK).length;
    return done(opcode.ALLOC) - done(opcode.FREE);
  }
  /** Units that the only arena says are taken. */
  mapAtRest(): number {
    const pages = this.memory.pagesOf(pid),
      bytes = Math.max(this.memory.pageSize, this.p.arenaBytes),
      arena = pages.at(-Math.ceil(bytes / this.memory.pageSize)) as bigint;
    const map = this.memory.load(pid, arena, 64 * (1 + Math.ceil(this.p.arenaBytes / 32_768)));
    const ones = (byte: number): number => (byte === 0 ? 0 : (byte & 1) + ones(byte >> 1));
    return map.reduce((n, byte) => n + ones(byte), 0);
  }
  /** Times that memory was allocated. */
  get allocations(): number {
    return this.host.trace.filter(t => t.opcode === opcode.ALLOC).length;
  }
}

const readOfKey = (key: bigint) => ({ user: 0, keySize: 8, valueSize: 0, key });
/** A key of a process. */
const nameOf = (c: { readonly key: bigint; readonly pid: number }): string => `${c.pid}:${c.key.toString(16)}`;
const name = (c: KvCall): string => `${c.kind} of key ${nameOf(c)} taken at cycle ${c.call.taken ?? -1}`;

/** A reply in its right form. */
export function replyOf(c: KvCall): { readonly status: number; readonly value: Uint8Array } {
  const [reply, ...more] = c.call.replies;
  if (!reply || more.length > 0) throw new Error(`${name(c)} has ${c.call.replies.length} replies`);
  expect(reply.opcode, `opcode of the reply to ${name(c)}`).toBe(codes[c.kind] + 1);
  const done = reply.status === status.OK;
  if (!done && reply.status !== status.FAIL) {
    expect(reply.body.length, `bytes of the reply to ${name(c)}`).toBe(0);
    return { status: reply.status, value: reply.body };
  }
  const front = decode(kvReplyBody, reply.body),
    value = reply.body.slice(kvReplyBody.bytes);
  const size = !done || c.kind === "delete" ? 0 : c.kind === "read" ? value.length : c.value.length;
  expect(front, `front of the reply to ${name(c)}`).toEqual({ user: c.user, keySize: 8, valueSize: size });
  if (c.kind !== "read" || !done) expect(value.length, `bytes behind the reply to ${name(c)}`).toBe(0);
  return { status: reply.status, value };
}

export interface TrafficOptions {
  readonly keys?: number;
  readonly hot?: number;
  readonly kinds?: readonly KvKind[];
  readonly sizes?: readonly number[];
}

/** Random requests: many on few keys (`hot` of them), so that they meet. */
export function traffic(rig: KvRig, random: Random, count: number, o: TrafficOptions = {}): void {
  const keys = Array.from({ length: o.keys ?? 30 }, () => random.bits(64)),
    kinds = o.kinds ?? (["read", "read", "create", "create", "update", "delete"] as const);
  for (let i = 0; i < count; i++) {
    const key = keys[
      random.chance(0.4) ? random.between(0, (o.hot ?? 3) - 1) : random.between(0, keys.length - 1)
    ] as bigint;
    rig.ask(
      random.pick(kinds),
      key,
      rig.value(o.sizes === undefined ? undefined : random.pick(o.sizes)),
      random.pick([0, 0, 7, 0x0700]),
    );
  }
}

/** Keys of one bucket, several of them with the same fingerprint. */
export function sameSlot(count: number, placing: KvPlacing, pid = 0): bigint[] {
  const keys: bigint[] = [],
    wanted = kvHash(1n, pid, placing);
  for (let key = 1n; keys.length < count; key++) {
    const h = kvHash(key, pid, placing);
    if (h.bucket === wanted.bucket && (keys.length % 3 === 2 || h.fingerprint === wanted.fingerprint)) keys.push(key);
  }
  return keys;
}
