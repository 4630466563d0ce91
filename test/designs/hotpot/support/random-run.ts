import { expect } from "vitest";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import type { OffloadHostOptions, OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import { NodeModel } from "../../../../designs/hotpot/model/index.ts";
import { answered, CommitHost, FallibleMemory } from "../../../../designs/hotpot/rig/index.ts";
import { type Kind, logAt, logBytes, marks, type Message } from "../../../../designs/hotpot/wire/index.ts";
import type { Bench, Random } from "../../../../sim/index.ts";

export const base = 1n << 20n,
  pid = 7,
  director = 1,
  parameters = { beatBytes: 64, contexts: 8, maxData: 1466, base, director } as const,
  homeAt = 0x4000n,
  homeBytes = 0x18000,
  other = 9;
const pages = homeBytes / 4096;

export const memoryOf = (): FallibleMemory =>
  new FallibleMemory(base, [
    [pid, homeAt, homeBytes],
    [other, homeAt, homeBytes],
  ]);

/** A message and the process that says it. */
export interface Said {
  readonly m: Message;
  readonly from: number;
}
const strangers = [pid, other, 0, director, 5];

/** What lanes do, with repetitions of what was said before, and now and then nonsense and strangers. */
export class Traffic {
  readonly #random: Random;
  readonly #said: Said[] = [];
  #lane = 0;
  /** By lane: its number, how many areas its commit has, whose it is, and whether it was just ended. */
  readonly #lanes = Array.from({ length: 12 }, (_, i) => ({
    ...{ seq: 1, parts: 1, next: 0, owner: i % 3 === 2 ? other : pid },
  }));
  constructor(random: Random) {
    this.#random = random;
  }
  /** What the director says of each lane after a start: it gives it to whom it is thought to be. */
  grants(): Said[] {
    return this.#lanes.map(({ seq, owner }, i) => ({
      m: { kind: "grant", lane: i * 5, seq, grantee: owner, marks: marks.redo },
      from: director,
    }));
  }
  /** The lane is another one's from now on. */
  heard({ kind, lane = 0, seq = 0, grantee = 0 }: Message, done: boolean): void {
    const l = this.#lanes[lane / 5];
    if (kind !== "grant" || !done || !l) return;
    if (seq >= l.seq) Object.assign(l, { seq: seq + 1, next: 0 });
    l.owner = grantee;
  }
  next(): Said {
    const r = this.#random;
    if (r.chance(0.02))
      return { m: { kind: r.pick(["open", "recover"]), seq: r.between(0, 9) }, from: r.pick([director, pid]) };
    if (this.#said.length > 0 && r.chance(0.15)) return r.pick(this.#said.slice(-40));
    // Half of the messages go on with the lane before, so that large commits become whole.
    if (r.chance(0.5)) this.#lane = r.between(0, this.#lanes.length - 1);
    const lane = this.#lane,
      l = this.#lanes[lane] as Lane;
    const m = this.#make(lane, l),
      directs = m.kind === "grant" || (m.kind === "inspect" && m.marks === 0),
      said = { m, from: r.chance(0.05) ? r.pick(strangers) : directs ? director : l.owner };
    this.#said.push(said);
    return said;
  }
  #make(lane: number, l: Lane): Message {
    const r = this.#random,
      name = { lane: lane * 5, seq: l.seq };
    // A lane without commits is given on now and then; others are asked for and are busy.
    if (r.chance(l.owner === 0 ? 0.5 : l.next === 0 ? 0.25 : 0.01))
      return {
        ...{ kind: "grant", ...name, seq: Math.max(0, l.seq - r.pick([0, 0, 0, 1, 2])) },
        ...{ grantee: r.pick([pid, pid, other, other, 0, director]), marks: r.pick([0, 0, 2]) },
      };
    const kind = r.pick<Kind>([
      ...(["prepare", "prepare", "prepare", "prepare", "prepare", "commit", "commit", "forget", "update"] as const),
      "inspect",
    ]);
    if (kind === "prepare") {
      if (l.next === 0) l.parts = r.pick([1, 2, 3, 8, 8]);
      const part = l.next % l.parts,
        bytes = 64 * r.between(1, 16),
        va = homeAt + BigInt(4096 * r.between(0, pages - 1) + 64 * r.between(0, 64 - bytes / 64));
      l.next++;
      const odd = r.chance(0.03) ? { va: va + 8n } : {};
      return {
        ...{ kind, ...name, part, parts: r.chance(0.02) ? 7 : l.parts, va, data: r.bytes(bytes), ...odd },
        ...{ owners: r.between(1, 65_535), replicas: r.between(0, 65_535), marks: r.pick([0, 0, 0, 1, 2]) },
      };
    }
    if (kind === "update") {
      const va = homeAt + BigInt(4096 * r.between(0, pages - 1));
      return { kind, ...name, va, data: r.bytes(64 * r.between(1, 16)), marks: r.pick([0, 2]) };
    }
    if (kind === "forget") {
      l.seq += r.between(1, 2);
      l.next = 0;
    }
    if (kind === "inspect") return { kind, ...name, part: r.between(0, 7), marks: r.pick([0, 4]) };
    return { kind, ...name };
  }
}

interface Lane {
  seq: number;
  parts: number;
  next: number;
  owner: number;
}
/** Some bytes of the log are no longer what they were: of records, of areas, and of whose lanes are. */
function rot(memories: readonly FallibleMemory[], random: Random, what: "areas" | "any"): void {
  const area = (place = random.between(0, 7)): number => logAt.entry(place, 0) + random.between(0, 127),
    places =
      what === "areas"
        ? [0, 1, 2, 3, 4, 5, 6, 7].map(area)
        : [
            ...[logAt.record(random.between(0, 7)) + random.between(0, 63), area()],
            ...[0, 1].map(byte => logAt.floor(5 * random.between(0, 11)) + 4 + byte),
          ];
  for (const at of places)
    for (const m of memories) {
      const [byte = 0] = m.load(offloadPid(0), base + BigInt(at), 1);
      m.store(offloadPid(0), base + BigInt(at), Uint8Array.of(byte ^ 0x10));
    }
}

export interface RandomRun {
  readonly count: number;
  /** Of memory's answers that are refusals. */
  readonly failing: number;
  readonly rounds: number;
  readonly options: Partial<OffloadHostOptions>;
}

/** Rounds of random traffic against the model; after each one a reset, with memory as it is or with nothing in it. */
export async function randomRun(
  b: Bench<OffloadPorts>,
  { count, failing, rounds, options }: RandomRun,
): Promise<Map<string, number>> {
  const memory = memoryOf(),
    twin = memoryOf(),
    h = new CommitHost(b, { parameters, memory, ...options }),
    model = new NodeModel({ memory: twin, base, director }),
    traffic = new Traffic(b.random.fork("traffic"));
  const chosen = b.random.fork("refusals");
  const refused = Array.from({ length: 5000 }, () => chosen.chance(failing));
  for (const m of [memory, twin]) m.refuses = n => refused[n % refused.length] as boolean;
  const seen = new Map<string, number>();
  for (let round = 1; round <= rounds; round++) {
    const start = { m: { kind: "recover", seq: round }, from: director } as const,
      open = { m: { kind: "open", seq: round }, from: director } as const;
    const say = ({ m, from }: Said) => {
      const expected = model.take(m, from);
      traffic.heard(m, expected?.verdict === "done");
      return { m, expected, call: h.request(m, from) };
    };
    const calls = [traffic.next(), traffic.next(), traffic.next()].map(say);
    calls.push(...[start, ...(failing > 0 ? [start, start] : []), ...traffic.grants()].map(say));
    for (let i = 0; i < count; i++) {
      if (i === Math.floor(count / 2)) {
        await h.host.drained();
        if (round % 2 === 0) rot([memory, twin], b.random, "areas");
      }
      calls.push(say(i === 6 ? open : traffic.next()));
    }
    await h.host.drained();
    for (const { m, expected, call } of calls) {
      if (expected === undefined) expect(call.replies).toMatchObject([{ status: 8, opcode: 0x76 }]);
      else {
        const { cycles: _, ...said } = answered(call);
        expect({ m: { ...m, data: m.data?.length }, said }).toEqual({
          m: { ...m, data: m.data?.length },
          said: expected,
        });
        seen.set(`${m.kind} ${expected.verdict}`, (seen.get(`${m.kind} ${expected.verdict}`) ?? 0) + 1);
      }
    }
    expect(memory.accesses).toBe(twin.accesses);
    for (const [p, at, bytes] of [
      [offloadPid(0), base, logBytes],
      [pid, homeAt, homeBytes],
      [other, homeAt, homeBytes],
    ] as const) {
      const [is, should] = [memory.load(p, at, bytes), twin.load(p, at, bytes)];
      if (Buffer.compare(is, should) !== 0) throw new Error(`memory of process ${p} differs after round ${round}`);
      if (round % 3 === 0) for (const m of [memory, twin]) m.map(p, at, bytes);
    }
    if (round % 2 === 1) rot([memory, twin], b.random, "any");
    h.host.reset();
    model.reset();
  }
  return seen;
}
