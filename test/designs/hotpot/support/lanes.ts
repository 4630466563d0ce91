/** What processes may say of lanes, made to happen. Each throws when what must hold does not. */
import { expect } from "vitest";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import type { OffloadHostOptions, OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import { type Answered, answered, CommitHost, type FallibleMemory } from "../../../../designs/hotpot/rig/index.ts";
import {
  bounds,
  floorBytes,
  laneFloor,
  logAt,
  logBytes,
  marks,
  type Message,
} from "../../../../designs/hotpot/wire/index.ts";
import { decode, encode } from "../../../../designs/shared/wire/index.ts";
import type { Bench } from "../../../../sim/index.ts";
import { base, director, homeAt, memoryOf, other, parameters, pid } from "./random-run.ts";

type B = Bench<OffloadPorts>;
/** A process that has no lane and no pages. */
const nobody = 5,
  lastSeq = 0xffff_fffe;

/** An engine, its memory, and what processes say to it. */
class Node {
  readonly memory: FallibleMemory = memoryOf();
  readonly h: CommitHost;
  readonly data: Uint8Array;
  #start = 0;

  constructor(b: B, o: Partial<OffloadHostOptions> = {}) {
    this.h = new CommitHost(b, { parameters, memory: this.memory, ...o });
    this.data = b.random.bytes(128);
  }
  say(m: Message, from: number): Promise<Answered> {
    return this.h.send(m, from);
  }
  async verdict(m: Message, from = director): Promise<string> {
    return (await this.say(m, from)).verdict;
  }
  async recover(opens = true): Promise<void> {
    this.#start++;
    expect(await this.verdict({ kind: "recover", seq: this.#start })).toBe("done");
    if (opens) expect(await this.verdict({ kind: "open", seq: this.#start })).toBe("done");
  }
  grant(lane: number, grantee: number, seq: number): Promise<Answered> {
    return this.say({ kind: "grant", lane, seq, grantee }, director);
  }
  async given(lane: number, grantee: number, seq = 0): Promise<void> {
    const { verdict, owner, floor } = await this.grant(lane, grantee, seq);
    expect({ verdict, owner, floor }).toEqual({ verdict: "done", owner: grantee, floor: seq + 1 });
  }
  /** Whose a lane is, and its floor. */
  async lane(lane: number): Promise<{ owner: number; floor: number }> {
    const { owner, floor } = await this.say({ kind: "inspect", lane }, director);
    return { owner, floor };
  }
  prepare(lane: number, seq: number, page = lane): Message {
    return { kind: "prepare", lane, seq, va: homeAt + 4096n * BigInt(page % 16), data: this.data };
  }
  /** A commit from beginning to end. */
  async commits(lane: number, seq: number, from: number): Promise<void> {
    const m = this.prepare(lane, seq);
    expect(await this.verdict(m, from)).toBe("done");
    expect(await this.verdict({ kind: "commit", lane, seq }, from)).toBe("done");
    expect(this.memory.load(from, m.va ?? 0n, this.data.length)).toEqual(this.data);
    expect(await this.verdict({ kind: "forget", lane, seq }, from)).toBe("done");
  }
  /** Places of the table in use. */
  async used(): Promise<number> {
    let used = 0;
    for (let part = 0; part < bounds.commits; part++)
      if ((await this.say({ kind: "inspect", part }, director)).state !== "free") used++;
    return used;
  }
  log(): Uint8Array {
    return this.memory.load(offloadPid(0), base, logBytes);
  }
  async ends(): Promise<void> {
    expect(await this.used()).toBe(0);
    await this.h.host.drained();
  }
}

/** A stranger says everything of a lane that has a commit and of idle ones: he gets nothing and changes nothing. */
export async function strangers(b: B): Promise<void> {
  const n = new Node(b);
  // While it is cold, nobody but the director has it recover. Each bit of its number counts.
  for (const from of [pid, 0, ...Array.from({ length: 16 }, (_, i) => director ^ (1 << i))]) {
    expect(await n.verdict({ kind: "recover", seq: lastSeq }, from)).toBe("refused");
    expect(await n.verdict({ kind: "commit", lane: 3, seq: 5 }, from)).toBe("cold");
  }
  await n.recover();
  await n.given(3, pid, 4);
  await n.given(4, other);
  expect(await n.verdict(n.prepare(3, 5), pid)).toBe("done");
  const { accesses } = n.memory,
    log = n.log();
  for (const from of [other, nobody, 0, director])
    for (const lane of [3, 20])
      for (const seq of [4, 5, 6, lastSeq]) {
        const name = { lane, seq },
          area = { va: homeAt, data: n.data };
        const all: readonly Message[] = [
          ...[n.prepare(lane, seq), { ...n.prepare(lane, seq), marks: marks.redo | marks.merged }],
          ...[{ kind: "commit", ...name } as const, { kind: "update", ...name, ...area, marks: marks.redo } as const],
          { kind: "inspect", ...name, marks: marks.data },
          ...(from === director
            ? []
            : ([
                { kind: "forget", ...name },
                { kind: "grant", ...name, grantee: from },
                { kind: "recover", ...name },
                { kind: "open", ...name },
                { kind: "inspect", ...name },
              ] as const)),
        ];
        for (const m of all) {
          const { cycles: _, data, ...said } = await n.say(m, from);
          expect({ kind: m.kind, bytes: data.length, ...said }).toEqual({
            ...{ kind: m.kind, bytes: 0, verdict: "refused", status: 0, state: "free", held: 0, lane, seq },
            ...{ owners: 0, replicas: 0, length: 0, va: 0n, parts: 0, marks: 1, owner: 0, floor: 0 },
          });
        }
      }
  // Not even those who have a lane say what is the director's.
  for (const m of [
    { kind: "grant", lane: 3, seq: 9, grantee: pid },
    { kind: "recover", seq: lastSeq },
    { kind: "open", seq: 1 },
    { kind: "inspect", part: 0 },
  ] as const)
    expect(await n.verdict(m, pid)).toBe("refused");
  expect(n.memory.accesses).toBe(accesses);
  expect(n.log()).toEqual(log);
  expect((await n.say({ kind: "inspect", lane: 3, seq: 5, marks: marks.data }, pid)).data).toEqual(n.data);
  expect(await n.verdict({ kind: "commit", lane: 3, seq: 5 }, pid)).toBe("done");
  expect(await n.verdict({ kind: "forget", lane: 3, seq: 5 }, pid)).toBe("done");
  expect(await n.verdict(n.prepare(3, 5), pid)).toBe("stale");
  await n.commits(4, 1, other);
  await n.commits(3, 6, pid);
  // The last number has no floor behind it.
  for (const kind of ["forget", "commit", "grant"] as const) {
    const call = n.h.request({ kind, lane: 3, seq: 0xffff_ffff }, kind === "grant" ? director : pid);
    await n.h.host.drained();
    expect(call.replies).toMatchObject([{ status: 8 }]);
  }
  await n.ends();
}

/** While the node is closed, strangers neither open it nor make the right OPEN stale. */
export async function closed(b: B): Promise<void> {
  const n = new Node(b);
  await n.recover(false);
  // No lane changes hands while a node may be owed something; recovery gives them back.
  expect(await n.grant(3, pid, 0)).toMatchObject({ verdict: "cold", owner: 0, floor: 0 });
  const back: Message = { kind: "grant", lane: 3, seq: 0, grantee: pid, marks: marks.redo };
  expect(await n.say(back, director)).toMatchObject({ verdict: "done", owner: pid, floor: 1 });
  expect((await n.grant(3, pid, 0)).verdict).toBe("done");
  expect((await n.grant(3, other, 1)).verdict).toBe("cold");
  for (const from of [pid, nobody])
    for (const m of [
      { kind: "recover", seq: lastSeq },
      { kind: "open", seq: 1 },
      { kind: "forget", lane: 20, seq: lastSeq },
    ] as const)
      expect(await n.verdict(m, from)).toBe("refused");
  expect(await n.verdict(n.prepare(3, 1), pid)).toBe("cold");
  // An OPEN of another start opens nothing, whatever the answer.
  for (const seq of [0, 2]) expect(await n.verdict({ kind: "open", seq })).toBe("stale");
  expect(await n.verdict(n.prepare(3, 1), pid)).toBe("cold");
  expect(await n.verdict({ kind: "open", seq: 1 })).toBe("done");
  await n.commits(3, 1, pid);
  await n.ends();
}

/** A process that has a lane and never ends a commit. */
export async function squatter(b: B): Promise<void> {
  const n = new Node(b);
  await n.recover();
  await n.given(9, other);
  for (let lane = 0; lane < 8; lane++) await n.given(lane, pid);
  expect(await n.verdict(n.prepare(9, 1, 0), other)).toBe("done");
  for (let seq = 2; seq < 12; seq++) expect(await n.verdict(n.prepare(9, seq, seq), other)).toBe("busy");
  expect(await n.used()).toBe(1);
  // It has the one place; the other seven are as they were.
  for (let lane = 0; lane < 7; lane++) expect(await n.verdict(n.prepare(lane, 1), pid)).toBe("done");
  expect(await n.verdict(n.prepare(7, 1), pid)).toBe("busy");
  // The lane is busy until the director ends what is in it.
  expect((await n.grant(9, 0, 1)).verdict).toBe("busy");
  expect(await n.verdict({ kind: "forget", lane: 9, seq: 1 })).toBe("done");
  await n.given(9, 0, 2);
  for (const seq of [1, 3, lastSeq]) {
    expect(await n.verdict(n.prepare(9, seq, 0), other)).toBe("refused");
    expect(await n.verdict({ kind: "forget", lane: 9, seq }, other)).toBe("refused");
  }
  // Nobody's lane is not process 0's.
  expect(await n.verdict({ kind: "forget", lane: 9, seq: 3 }, 0)).toBe("refused");
  expect(await n.verdict(n.prepare(7, 1), pid)).toBe("done");
  for (let lane = 0; lane < 8; lane++) expect(await n.verdict({ kind: "forget", lane, seq: 1 }, pid)).toBe("done");
  await n.given(9, pid, 3);
  await n.commits(9, 4, pid);
  await n.ends();
}

/** A lane goes from one process to another and back; messages come late, twice, and while commits are under way. */
export async function granted(b: B): Promise<void> {
  const n = new Node(b);
  await n.recover();
  await n.given(3, pid, 1);
  // Once more, and with a lower number: it has it.
  expect(await n.grant(3, pid, 1)).toMatchObject({ verdict: "done", owner: pid, floor: 2 });
  expect(await n.grant(3, pid, 0)).toMatchObject({ verdict: "done", owner: pid, floor: 2 });
  let beside = 0;
  const two = { ...n.prepare(3, 2), part: 0, parts: 2 };
  const busy = async (): Promise<void> => {
    for (const [grantee, seq] of [
      ...[
        [other, 1],
        [other, 2],
        [other, 9],
        [0, lastSeq],
        [pid, 2],
        [pid, lastSeq],
      ],
    ] as const) {
      const { verdict, owner, floor } = await n.grant(3, grantee, seq);
      expect({ verdict, owner, floor }).toEqual({ verdict: seq === 1 ? "stale" : "busy", owner: pid, floor: 2 });
    }
    // Its neighbours are not.
    expect(await n.verdict({ kind: "grant", lane: 4, seq: ++beside, grantee: other })).toBe("done");
  };
  expect(await n.verdict(two, pid)).toBe("done");
  await busy();
  expect(await n.verdict({ ...two, part: 1, va: homeAt + 0x8000n }, pid)).toBe("done");
  await busy();
  expect(await n.verdict({ kind: "commit", lane: 3, seq: 2 }, pid)).toBe("done");
  await busy();
  expect(await n.verdict({ kind: "forget", lane: 3, seq: 2 }, pid)).toBe("done");
  expect(await n.lane(3)).toEqual({ owner: pid, floor: 3 });
  await n.given(3, other, 3);
  // The old owner's messages come late, and so does the GRANT to it.
  for (const m of [two, { kind: "commit", lane: 3, seq: 2 }, { kind: "forget", lane: 3, seq: 9 }] as const)
    expect(await n.verdict(m, pid)).toBe("refused");
  for (const seq of [1, 2, 3])
    expect(await n.grant(3, pid, seq)).toMatchObject({ verdict: "stale", owner: other, floor: 4 });
  expect(await n.grant(3, other, 3)).toMatchObject({ verdict: "done", owner: other, floor: 4 });
  expect(await n.verdict(n.prepare(3, 3), other)).toBe("stale");
  await n.commits(3, 4, other);
  // The director ends a commit of a process that is lost: the lane stays that one's.
  expect(await n.verdict(n.prepare(3, 5), other)).toBe("done");
  expect(await n.verdict({ kind: "forget", lane: 3, seq: 5 })).toBe("done");
  expect(await n.lane(3)).toEqual({ owner: other, floor: 6 });
  await n.given(3, pid, 6);
  await n.commits(3, 7, pid);
  await n.ends();
}

/** All lanes, each with an owner and a floor of its own, through a reset; and memory that refuses a GRANT. */
export async function kept(b: B): Promise<void> {
  const n = new Node(b),
    ownerOf = (lane: number): number => 1 + 257 * lane,
    floorOf = (lane: number): number => 1 + raised + 0x0301_0701 * lane;
  let raised = 0;
  await n.recover();
  for (let lane = 0; lane < bounds.lanes; lane++) await n.given(lane, ownerOf(lane), floorOf(lane) - 1);
  const all = async (): Promise<void> => {
    for (let lane = 0; lane < bounds.lanes; lane++)
      expect(await n.lane(lane)).toEqual({ owner: ownerOf(lane), floor: floorOf(lane) });
  };
  await all();
  // The log has them as the layout says. Others there now, so that nothing of before the reset will do.
  for (let lane = 0; lane < bounds.lanes; lane++) {
    const at = base + BigInt(logAt.floor(lane));
    const word = n.memory.load(offloadPid(0), at, floorBytes);
    expect(decode(laneFloor, word)).toEqual({ owner: ownerOf(lane), floor: floorOf(lane), spare: 0 });
    n.memory.store(offloadPid(0), at, encode(laneFloor, { owner: 7 + lane, floor: 9 + lane, spare: 0 }));
  }
  n.h.host.reset();
  await n.recover();
  for (let lane = 0; lane < bounds.lanes; lane++) {
    expect(await n.lane(lane)).toEqual({ owner: 7 + lane, floor: 9 + lane });
    await n.given(lane, ownerOf(lane), floorOf(lane) + 8);
  }
  raised = 9;
  await all();
  const from = n.memory.accesses;
  n.memory.refuses = at => at === from;
  expect(await n.grant(60, pid, lastSeq)).toMatchObject({
    ...{ verdict: "failed", owner: ownerOf(60), floor: floorOf(60) },
  });
  await all();
  n.memory.refuses = at => at === from + 1;
  expect(await n.verdict({ kind: "forget", lane: 60, seq: lastSeq })).toBe("failed");
  await all();
  n.h.host.reset();
  await n.recover();
  await all();
  await n.given(60, pid, floorOf(60));
  await n.commits(60, floorOf(60) + 1, pid);
  await n.ends();
}

/** The node is reset at a cycle of a GRANT; of its write memory has the word, or not. The lane is one process's. */
export async function cut(b: B): Promise<void> {
  const n = new Node(b, { latency: 5 }),
    lane = 11;
  let seq = 0,
    owner = pid,
    kept = 0;
  await n.recover();
  await n.given(lane, owner, seq);
  const ended = { old: 0, new: 0 };
  for (let at = 0, whole = false; !whole; at++)
    for (const reaches of [false, true]) {
      // Before it there is a commit, so that something of the lane lies in the log.
      await n.commits(lane, ++seq, owner);
      const grantee = owner === pid ? other : pid;
      seq++;
      const call = n.h.request({ kind: "grant", lane, seq, grantee }, director),
        writes = n.h.host.trace.length;
      await b.cycles(at);
      whole = call.done !== undefined;
      const last = n.h.host.trace.at(writes);
      n.h.host.reset();
      if (last && last.answered === undefined && reaches) n.memory.store(last.pid, last.va, last.data);
      await n.recover();
      const is = await n.lane(lane),
        isNew = is.owner === grantee;
      expect(is).toEqual({ owner: isNew ? grantee : owner, floor: isNew ? seq + 1 : seq });
      if (whole) expect(isNew).toBe(true);
      ended[isNew ? "new" : "old"]++;
      // Both are asked: one has it.
      const said = [
        await n.verdict(n.prepare(lane, seq + 1), owner),
        await n.verdict(n.prepare(lane, seq + 1), grantee),
      ];
      expect(said).toEqual(isNew ? ["refused", "done"] : ["done", "refused"]);
      seq++;
      expect(await n.verdict({ kind: "forget", lane, seq }, isNew ? grantee : owner)).toBe("done");
      if (!isNew) kept++;
      owner = isNew ? grantee : owner;
    }
  expect(ended.old).toBeGreaterThan(5);
  expect(ended.new).toBeGreaterThan(2);
  expect(kept).toBe(ended.old);
  await n.ends();
}

/** The log says that a lane is another one's than its commit's: that is no commit, and is nobody's to end. */
export async function foreignRecord(b: B): Promise<void> {
  const n = new Node(b);
  await n.recover();
  await n.given(3, pid);
  await n.given(4, pid);
  for (const lane of [3, 4]) expect(await n.verdict(n.prepare(lane, 1), pid)).toBe("done");
  n.h.host.reset();
  n.memory.store(offloadPid(0), base + BigInt(logAt.floor(3) + floorBytes / 2), Uint8Array.of(other, 0));
  await n.recover();
  expect(await n.used()).toBe(1);
  expect(await n.lane(3)).toEqual({ owner: other, floor: 1 });
  expect(await n.verdict({ kind: "commit", lane: 3, seq: 1 }, other)).toBe("unknown");
  await n.commits(3, 2, other);
  expect(await n.verdict({ kind: "commit", lane: 4, seq: 1 }, pid)).toBe("done");
  expect(await n.verdict({ kind: "forget", lane: 4, seq: 1 }, pid)).toBe("done");
  await n.ends();
}

/** Messages of many processes at once, with pauses: no answer is another one's. */
export async function atOnce(b: B): Promise<void> {
  const n = new Node(b, { pause: 0.2, jitter: 10 });
  await n.recover();
  await n.given(3, pid);
  await n.given(4, other);
  // Each bit of a process's number counts.
  const names = Array.from({ length: 17 }, (_, bit) => (1 << bit) & 0xffff),
    calls = [3, 4].flatMap(lane =>
      names.flatMap((bit, i) => {
        const owner = lane === 3 ? pid : other,
          from = owner ^ bit,
          ends: Message = { kind: "forget", lane: 20 + lane, seq: i };
        return [
          { call: n.h.request({ kind: "commit", lane, seq: 1 }, from), expected: bit === 0 ? "unknown" : "refused" },
          { call: n.h.request(ends, from), expected: from === director ? "done" : "refused" },
        ];
      }),
    );
  await n.h.host.drained();
  for (const { call, expected } of calls) expect(answered(call).verdict).toBe(expected);
  await n.ends();
}

/** Every page of several commits of eight areas is looked at: it is theirs, for one process and for no other. */
export async function locks(b: B): Promise<void> {
  const n = new Node(b),
    parts = bounds.parts,
    lanes = [0, 1, 2];
  const area = (lane: number, part: number): Message => ({
    ...{ ...n.prepare(lane, 1, 0), part, parts },
    va: homeAt + 4096n * BigInt(parts * lane + part) + 64n * BigInt(b.random.between(0, 62)),
  });
  await n.recover();
  for (const lane of [...lanes, 3]) await n.given(lane, pid);
  await n.given(4, other);
  // The last areas first, so that what is held has gaps in front.
  const all = lanes.flatMap(lane => Array.from({ length: parts }, (_, i) => area(lane, parts - 1 - i)));
  let seq = 0;
  const pages = async (lane: number, from: number, isTheirs: (k: number) => boolean): Promise<void> => {
    for (const [k, { va = 0n }] of all.entries()) {
      const said = await n.verdict({ ...n.prepare(lane, ++seq), va: va - (va % 4096n) }, from);
      expect(said, `page ${k} of process ${from}`).toBe(isTheirs(k) ? "busy" : "done");
      expect(await n.verdict({ kind: "forget", lane, seq }, from)).toBe("done");
    }
  };
  for (const [i, m] of all.entries()) {
    expect(await n.verdict(m, pid)).toBe("done");
    if (i % 6 === 2) await pages(3, pid, k => k <= i);
  }
  await pages(3, pid, () => true);
  await pages(4, other, () => false);
  expect(await n.verdict({ kind: "forget", lane: 1, seq: 1 }, pid)).toBe("done");
  await pages(3, pid, k => k < parts || k >= 2 * parts);
  for (const lane of [0, 2]) expect(await n.verdict({ kind: "forget", lane, seq: 1 }, pid)).toBe("done");
  // A small commit where a large one was: what that one held is free.
  expect(await n.verdict({ ...n.prepare(0, 2), va: all[3]?.va ?? 0n }, pid)).toBe("done");
  await pages(3, pid, k => k === 3);
  expect(await n.verdict({ kind: "forget", lane: 0, seq: 2 }, pid)).toBe("done");
  await n.ends();
}
