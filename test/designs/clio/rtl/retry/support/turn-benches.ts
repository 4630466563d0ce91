/** Clients that never pause have all places, and others want in: they take turns, and nothing is done twice. */
import { expect } from "vitest";
import { clockPeriod } from "../../../../../../designs/clio/config/index.ts";
import { idleQuarters } from "../../../../../../designs/clio/rtl/retry/retry-clients.ts";
import type { RetryBufferParameters } from "../../../../../../designs/clio/rtl/retry/retry-request.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { Client } from "./retry-benches.ts";
import type { Ask, RetryPorts } from "./retry-rig.ts";
import { type Outcome, TurnRig } from "./turn-rig.ts";

/** Cycles of a part of a turn, and of all that may come on top of it: rounds, stages, a request under way. */
export const partOf = (p: RetryBufferParameters): number => 4 * p.timeoutCycles + 2 * p.clients + 16;
const slack = 100;

/**
 * All places are warm. A newcomer waits as it is told and gets in, within the bound. The client known for longest makes
 * room: what it did is answered until it is forgotten; what it begins ends for good, then it is busy.
 */
export async function newcomerGetsIn(b: Bench<RetryPorts>, p: RetryBufferParameters): Promise<void> {
  const rig = new TurnRig(b, p),
    base = b.random.bits(44),
    warm = Array.from({ length: p.clients }, (_, i) => new Client(base + BigInt(i) * 0x1_0001_0001n, 100)),
    oldest = warm[0] as Client,
    newcomer = new Client(base ^ 0xfn, 7),
    done = new Map<Client, Ask>();
  for (const c of warm) {
    expect((await rig.ask(c.hello())).kind).toBe("fence");
    const write = c.write();
    done.set(c, write);
    expect((await rig.ask(write)).kind).toBe("pass");
  }
  let at = 0,
    refused: number | undefined,
    asksAt = b.cycle;
  const parts: Outcome[] = [];
  for (;;) {
    if (b.cycle >= asksAt) {
      const said = await rig.ask(newcomer.hello());
      if (said.kind === "fence") break;
      expect(said.kind).toBe("full");
      refused ??= said.at;
      asksAt = said.at + said.wait / clockPeriod;
      expect(b.cycle - refused, "cycles that a newcomer waits").toBeLessThan(bound(p));
    }
    const c = warm[at++ % warm.length] as Client,
      began = parts.find(o => o.kind === "yields")?.at;
    // It leaves the place to who waits for it: whoever asks first has it.
    if (c === oldest && began !== undefined && b.cycle > began + 2 * partOf(p) - slack) continue;
    // Of many clients, writes would push each other out.
    const write = c === oldest || p.clients <= 8 ? c.write() : c.read(),
      said = await rig.ask(write);
    if (c === oldest) parts.push(said);
    else expect(said.kind, "the others go on").toBe("pass");
    // What it did is answered, until it is forgotten.
    if (c !== oldest) continue;
    const again = await rig.ask({ ...(done.get(c) as Ask), introduces: false });
    if (said.kind === "pass") done.set(c, write);
    if (said.kind === "yields") expect(again.kind, "what it did is answered").toBe("replayed");
    if (said.kind === "yields") expect((await rig.ask(c.hello())).kind, "a greeting is no lie").toBe("full");
  }
  const kinds = parts.map(o => o.kind),
    first = kinds.indexOf("yields");
  // Nobody is asked to leave before a part has passed in which somebody could have been silent.
  expect(
    (parts[first] as Outcome).at - (refused as number),
    "cycles from the first refusal to a turn",
  ).toBeGreaterThanOrEqual(partOf(p));
  const last = kinds.lastIndexOf("yields");
  expect([first > 0, kinds.slice(first, last + 1).every(k => k === "yields")], "its turn").toEqual([true, true]);
  const fades = parts.slice(last + 1);
  expect(fades[0]?.kind, "what it begins late is busy").toBe("full");
  expect(
    (parts[last] as Outcome).at - (parts[first] as Outcome).at,
    "cycles in which what it begins ends for good",
  ).toBeLessThanOrEqual(partOf(p));
  const fading = fades.filter(o => o.kind === "full");
  expect(
    (fading.at(-1) as Outcome).at - (parts[last] as Outcome).at,
    "cycles in which it is busy, at least",
  ).toBeGreaterThanOrEqual(partOf(p) / 2);
  // It begins anew, and what it did before is not done again, even with its own number.
  const old = done.get(oldest) as Ask;
  expect((await rig.ask({ ...old, introduces: false })).kind).toBe("expired");
}
/** Cycles until a newcomer that asks when it is told to has its place. */
const bound = (p: RetryBufferParameters): number => {
  const told = (idleQuarters * p.timeoutCycles) / 4 + 2 * p.clients + 16;
  return 3 * told + 2 * partOf(p) + 2 * (p.entries / 4 + 16) + slack * (p.clients + 4);
};

/**
 * A whole turn, asked for all the time. What ended for good is never done, though the network brings copies of it as
 * late as it may. Who is to leave is known until its turn is over; with `stays` the newcomer then has its place.
 * Otherwise nobody wants it any more, and who had it can have it again.
 */
export async function wholeTurn(b: Bench<RetryPorts>, p: RetryBufferParameters, stays: boolean): Promise<void> {
  const rig = new TurnRig(b, p),
    base = b.random.bits(44),
    warm = Array.from({ length: p.clients }, (_, i) => new Client(base + BigInt(i) * 0x1_0001_0001n, 100)),
    [leaver, ...others] = warm as [Client, ...Client[]],
    newcomer = new Client(base ^ 0xfn, 7),
    life = 3 * p.timeoutCycles,
    sweep = p.entries / 4 + 16;
  for (const c of warm) await rig.ask(c.hello());
  const kept = leaver.write();
  expect((await rig.ask(kept)).kind).toBe("pass");
  /** What ended for good, and when. */
  const ended: { readonly ask: Ask; readonly at: number }[] = [];
  let began: number | undefined;
  /** Moments for which a newcomer that is refused in the turn is told to ask again. */
  const told: number[] = [];
  for (;;) {
    for (const c of others) await rig.ask(c.read());
    const over = began === undefined ? -Infinity : b.cycle - began - 2 * partOf(p);
    if (stays || began === undefined) {
      const { kind, at, wait } = await rig.ask(newcomer.hello());
      if (kind === "fence") break;
      if (began !== undefined && over < -slack) told.push(at + wait / clockPeriod);
      expect(over, "cycles that a newcomer waits behind the turn").toBeLessThan(2 * sweep + 4 * p.clients + slack);
    }
    if (over < -slack) {
      const ask = leaver.write(),
        { kind, at } = await rig.ask(ask);
      if (kind === "yields") {
        began ??= at;
        ended.push({ ask, at });
      }
      if (began !== undefined)
        expect((await rig.ask({ ...kept, introduces: false })).kind, "who is to leave is known").toBe("replayed");
    }
    for (const e of ended) {
      if (b.cycle - e.at > life) continue;
      expect((await rig.ask(e.ask)).kind, "what ended for good is not done").not.toBe("pass");
    }
    if (!stays && over > 0 && (await rig.ask(leaver.write())).kind === "pass") break;
    if (!stays) expect(over, "cycles until its place is its own again").toBeLessThan(2 * sweep + 4 * p.clients + slack);
  }
  expect(began, "there was a turn").toBeDefined();
  // All are told of one moment: that of the turn's end, when the rounds have found it.
  if (stays) {
    expect(told.length, "refusals in the turn").toBeGreaterThan(10);
    expect(
      told.filter(at => !Number.isInteger(at)),
      "waits that are not of whole cycles",
    ).toEqual([]);
    expect(Math.max(...told) - Math.min(...told), "moments that are told in one turn").toBeLessThanOrEqual(4);
    const end = (began as number) + 2 * partOf(p) + 2 * p.clients + 16;
    expect(Math.abs((told[0] as number) - end), "the moment that is told, beside the turn's end").toBeLessThan(slack);
  }
  expect((await rig.ask({ ...kept, introduces: false })).kind, "it was forgotten").toBe("expired");
}

/**
 * A newcomer right behind writes that push others out, which are written down in the same cycles: what it did before it
 * is known counts as forgotten all the same, and what was pushed out stays so.
 */
export async function behindEvictions(b: Bench<RetryPorts>, p: RetryBufferParameters, lives: number): Promise<void> {
  const rig = new TurnRig(b, p);
  for (let life = 0; life < lives; life++) {
    const warm = new Client(b.random.bits(48), 1000),
      first: Ask[] = [];
    expect((await rig.ask(warm.hello())).kind).toBe("fence");
    for (let i = 0; i < 3 * p.entries; i++) {
      const write = warm.write();
      first.push(write);
      expect((await rig.ask(write)).kind).toBe("pass");
    }
    for (let i = 1; i < p.clients; i++) {
      const newcomer = new Client(b.random.bits(48), b.random.word());
      for (let n = b.random.between(1, 4); n > 0; n--) rig.give(warm.write());
      const hello = newcomer.hello();
      rig.give(hello);
      await b.cycles(60);
      const old = {
        ...newcomer.write(),
        introduces: false,
        operation: (hello.operation - b.random.between(1, 9)) >>> 0,
      };
      expect((await rig.ask(old)).kind, "what a client began before it was known").toBe("expired");
      expect((await rig.ask(newcomer.write())).kind, "and then").toBe("pass");
      const pushedOut = { ...b.random.pick(first.slice(0, p.entries)), introduces: false };
      expect((await rig.ask(pushedOut)).kind, "what was pushed out").toBe("expired");
    }
    b.sim.reset();
  }
}

/** A thing to do once: under the latest of its numbers. */
interface Task {
  readonly ask: Ask;
  state: "new" | "asked" | "over";
  since: number;
}
/** A library's client: it greets, then has a few things under way; what ends for good it does anew. */
interface Member {
  readonly client: Client;
  known: boolean;
  quietUntil: number;
  tasks: Task[];
}
/** A frame on its way, for which thing to do: some frames are lost, some come twice or late. */
interface Frame {
  readonly ask: Ask;
  readonly of: Member;
  readonly task: Task | undefined;
  readonly due: number;
}
export interface SoakSeen {
  readonly executed: number;
  readonly yields: number;
  readonly renewed: number;
  readonly expired: number;
  readonly newcomers: number;
}

/** More clients than places, and a network that loses, doubles and delays: each thing is done once at most. */
export async function soak(b: Bench<RetryPorts>, p: RetryBufferParameters, cycles: number): Promise<SoakSeen> {
  const rig = new TurnRig(b, p),
    { random } = b,
    life = 3 * p.timeoutCycles,
    base = random.bits(44);
  const members = Array.from({ length: p.clients + 2 }, (_, i): Member => ({
    client: new Client(base + BigInt(i) * 0x1_0001_0001n, 100),
    known: false,
    quietUntil: 0,
    tasks: [],
  }));
  let frames: Frame[] = [];
  const done = new Map<Task, number>(),
    /** What a task goes on as: the same thing, under another number. */
    root = new Map<Task, Task>(),
    seen = { executed: 0, yields: 0, renewed: 0, expired: 0, newcomers: 0 };
  const send = (of: Member, ask: Ask, task: Task | undefined): void => {
    if (random.chance(0.9)) frames.push({ ask, of, task, due: b.cycle + random.between(0, 10) });
    while (random.chance(0.4)) frames.push({ ask, of, task, due: b.cycle + random.between(0, life) });
  };
  const begin = (of: Member, thing?: Task): void => {
    const task: Task = { ask: of.client.write(), state: "asked", since: b.cycle };
    root.set(task, thing === undefined ? task : (root.get(thing) as Task));
    of.tasks.push(task);
    send(of, task.ask, task);
  };
  const renewals = new Map<Member, Task[]>();
  const act = (m: Member): void => {
    if (b.cycle < m.quietUntil) return;
    m.tasks = m.tasks.filter(t => t.state !== "over");
    if (!m.known) {
      send(m, m.client.hello(), undefined);
      m.quietUntil = b.cycle + p.timeoutCycles / 2;
      return;
    }
    const anew = renewals.get(m)?.shift();
    if (anew !== undefined) {
      seen.renewed++;
      begin(m, anew);
    } else if (m.tasks.length < 3) begin(m);
    const late = m.tasks.find(t => b.cycle - t.since > p.timeoutCycles);
    if (late) {
      late.since = b.cycle;
      send(m, { ...late.ask, introduces: false }, late);
    }
  };
  const answered = ({ of, task }: Frame, { kind }: Outcome): void => {
    if (kind === "pass") {
      const thing = root.get(task as Task) as Task,
        times = (done.get(thing) ?? 0) + 1;
      expect(times, `executions of operation ${thing.ask.operation} of ${of.client.key.toString(16)}`).toBe(1);
      done.set(thing, times);
      seen.executed++;
    }
    // The answer is lost.
    if (random.chance(0.2)) return;
    if (kind === "fence" && !of.known) {
      of.known = true;
      seen.newcomers++;
    }
    if (task?.state !== "asked") return;
    if (kind === "pass" || kind === "replayed" || kind === "expired") task.state = "over";
    if (kind === "expired") {
      seen.expired++;
      of.known = false;
    }
    if (kind !== "yields") return;
    seen.yields++;
    task.state = "over";
    of.known = false;
    renewals.set(of, [...(renewals.get(of) ?? []), task]);
  };
  const end = b.cycle + cycles;
  while (b.cycle < end) {
    for (const m of members) if (random.chance(0.3)) act(m);
    const now = frames.filter(f => f.due <= b.cycle);
    frames = frames.filter(f => f.due > b.cycle);
    for (const f of now) answered(f, await rig.ask(f.ask));
    await b.cycles(random.between(1, Math.ceil(p.timeoutCycles / 16)));
  }
  return seen;
}
