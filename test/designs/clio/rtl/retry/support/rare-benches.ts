/** Benches of the retry buffer for what a mixture of requests meets seldom. */
import { expect } from "vitest";
import { retrySetOf } from "../../../../../../designs/clio/config/index.ts";
import { type Bench, never, type Random } from "../../../../../../sim/index.ts";
import { Client, pauses, script, type Size } from "./retry-benches.ts";
import { type Ask, type RetryPorts, RetryRig, retryRigKey } from "./retry-rig.ts";

const others = (random: Random, count: number, first: number): Client[] =>
  Array.from({ length: count }, (_, i) => new Client(random.bits(48), first + 100 * i));

/** The next write of a client that falls into a set; numbers of other sets are left out. */
function writeInto(set: number, sets: number, c: Client): Ask {
  for (;;) {
    const w = c.write();
    if (retrySetOf(sets, c.key, w.operation, retryRigKey) === set) return w;
  }
}

/**
 * One set after the other gets all operations, up to four back to back, some of them still under way when they are
 * pushed out. All that may still be known is then asked for again.
 */
export async function hotSets(b: Bench<RetryPorts>, p: Size, rounds: number): Promise<void> {
  const { random } = b,
    sets = p.entries / 4,
    clients = others(random, Math.min(p.clients, 4), 50),
    queue: (Ask | "settle")[] = [...clients.map(c => c.hello()), "settle"];
  for (let round = 0; round < rounds; round++) {
    const set = random.below(sets),
      recent: Ask[] = [];
    for (let n = random.between(1, 10); n > 0; n--) {
      // Mostly one client's, so that its own make room; or one of each.
      const c = random.pick(random.chance() ? clients.slice(0, 1) : clients);
      for (let k = random.between(1, 4); k > 0; k--) {
        const w = writeInto(set, sets, random.chance(0.8) ? c : random.pick(clients));
        recent.push(w);
        queue.push(w);
      }
      if (random.chance(0.3)) queue.push("settle");
      while (random.chance(0.4)) queue.push(random.pick(recent));
    }
    if (random.chance(0.7)) queue.push("settle");
    for (const w of recent.slice(-6)) queue.push({ ...w, introduces: random.chance() });
    if (random.chance(0.7)) queue.push("settle");
  }
  const requests = queue.filter(x => x !== "settle").length,
    rig = new RetryRig(b, p, { next: script(queue), doneAfter: [1, 120] });
  await b.until(() => rig.taken.length === requests);
  await rig.settled();
  expect(Math.min(rig.seen.replayed, rig.seen.expired, rig.seen.busy), "answers of every kind").toBeGreaterThan(20);
}

/** Each bit of a client's key tells two clients apart, and takes its part in the choice of the set. */
export async function everyKeyBit(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const rig = new RetryRig(b, p, { next: () => undefined, doneAfter: [1, 2] });
  for (let bit = 0; bit < 48; bit++) {
    if (bit > 0) {
      b.sim.reset(2);
      rig.restart({ next: () => undefined });
    }
    const base = b.random.bits(48),
      [one, two] = [new Client(base, 7), new Client(base ^ (1n << BigInt(bit)), 7)];
    const asks: (Ask | "settle")[] = [one.hello(), "settle"];
    // The second is not taken for the first, who is known.
    asks.push({ ...two.hello(), fence: false, introduces: false, keeps: true }, "settle", two.hello());
    // The first fills every set. The second's fall into one, and what they push out there is the first's.
    const all = Array.from({ length: p.entries }, () => one.write()),
      set = b.random.below(p.entries / 4);
    asks.push(...all, "settle");
    for (let i = 0; i < 3; i++) asks.push(writeInto(set, p.entries / 4, two));
    asks.push("settle", ...all, two.last());
    const requests = asks.filter(a => a !== "settle").length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === requests);
    await rig.settled();
  }
}

/**
 * Clients whose numbers leap by anything up to a sixteenth of a round, as far as the sweep follows. After a leap there
 * are up to `writes` operations. With one, what counts as forgotten goes on by the numbers alone.
 */
export async function leaping(b: Bench<RetryPorts>, p: Size, leaps: number, writes: number): Promise<void> {
  const { random } = b,
    // A turn in 16 cycles that nobody else has, for each set of each client.
    sweep = 16 * (p.entries / 4) * p.clients + 200,
    clients = Array.from({ length: p.clients }, () => new Client(random.bits(48), random.word()));
  const rig = new RetryRig(b, p, { next: () => undefined, doneAfter: [1, 20] });
  const say = async (asks: readonly (Ask | "settle")[]): Promise<void> => {
    const before = rig.taken.length,
      requests = asks.filter(a => a !== "settle").length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + requests && rig.idle);
  };
  await say(clients.map(c => c.hello()));
  for (let leap = 0; leap < leaps; leap++) {
    const asks: (Ask | "settle")[] = [],
      recent: Ask[] = [];
    for (const c of clients) {
      if (random.chance(0.8)) c.next = (c.next + random.below(2 ** random.pick([4, 16, 24, 27, 28, 28]))) >>> 0;
      asks.push(c.read());
    }
    for (let n = random.between(0, writes); n > 0; n--) {
      const w = random.pick(clients).write();
      recent.push(w);
      asks.push(w);
      while (random.chance(0.3)) asks.push(random.pick(recent));
      if (random.chance(0.1)) asks.push("settle");
    }
    await say(asks);
    await b.cycles(sweep);
    if (leap % 8 === 7) rig.forgetExecuted();
  }
  await rig.settled({ evictions: false });
  expect(rig.seen.pass).toBeGreaterThan(4 * leaps);
}

/**
 * A client fills every way of every set, and only reads then while its numbers leap by a thirty-second of a round. The
 * sweep sees its operations for the first time when they are `eighths` too old. A round later the same numbers are new.
 */
export async function seenAt(b: Bench<RetryPorts>, p: Size, eighths: number): Promise<void> {
  const sets = p.entries / 4,
    c = new Client(b.random.bits(48), sets - 1),
    queue: Ask[] = [c.hello()],
    anything = { ...c.read(), tracked: false, introduces: false };
  // A request in every cycle leaves the sweep no turn.
  let busy = false;
  const rig = new RetryRig(b, p, { next: () => queue.shift() ?? (busy ? anything : undefined), doneAfter: [1, 2] }),
    said = (): Promise<unknown> => b.until(() => queue.length === 0);
  const from = sets;
  c.next = from;
  await said();
  await b.until(() => rig.idle);
  busy = true;
  const writes = Array.from({ length: 4 * sets }, () => c.write());
  queue.push(...writes);
  await said();
  // A quarter of a round is between a client's newest number and what counts as forgotten of it.
  for (let at = 1; at < 32; at++) {
    c.next = (from + at * 2 ** 27 + 5 * sets) >>> 0;
    queue.push(c.read());
    await said();
    // Two eighths and a half behind the mark at least; four and a half are the most at which an age is told.
    busy = at !== 8 + 10 + 4 * eighths;
    await b.cycles(busy ? 20 : 2 * 16 * sets * p.clients);
    busy = true;
  }
  expect([rig.model.evictions, rig.seen.expired, rig.seen.replayed]).toEqual([0, 0, 0]);
  rig.forgetExecuted();
  queue.push(...writes);
  await said();
  busy = false;
  await rig.settled();
  expect([rig.seen.expired, rig.seen.replayed], "the same numbers a round later").toEqual([0, 0]);
}

/** A reset of one cycle at any moment, beside traffic on all sides: nothing that was under way comes out of it. */
export async function resetsBesideTraffic(b: Bench<RetryPorts>, p: Size, resets: number): Promise<void> {
  const { random } = b,
    rig = new RetryRig(b, p, { next: () => undefined, pause: pauses(random, 0.2), doneAfter: [1, 40] });
  const traffic = (): (() => Ask) => {
    const clients = others(random, p.clients + 2, 1000);
    return () => {
      const c = random.pick(clients);
      return random.pick([() => c.write(), () => c.repeat(random, 6), () => c.hello(), () => c.read()])();
    };
  };
  // The last life is a whole one, and over before those without a place get a turn (turn-benches.ts).
  const last = 200;
  for (let i = 0; i < resets; i++) {
    const next = traffic();
    let left = i === resets - 1 ? last : Infinity;
    rig.restart({ next: () => (left-- > 0 ? next() : undefined) });
    if (i < resets - 1) {
      await b.cycles(random.between(p.entries / 4, p.entries / 4 + 60));
      b.sim.reset(1);
      rig.withdraw();
    }
  }
  await b.until(() => rig.taken.length === last);
  await rig.settled();
}

/** What stands at the port while nothing is offered is of no account: here, the client that is to be forgotten. */
export async function idleBus(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const clients = others(b.random, p.clients + 1, 9),
    [silent, ...rest] = clients as [Client, ...Client[]],
    newcomer = rest.pop() as Client;
  const rig = new RetryRig(b, p, { next: () => undefined, sweptAfter: () => p.entries / 4 + 8 });
  // After the source, which says when nothing is offered.
  let idle = false;
  b.onEdge({
    drive: () => {
      if (!idle || b.io.request.valid.value === 1) return;
      b.io.request.payload.client.value = silent.key;
      b.io.request.payload.tracked.value = 1;
    },
  });
  const say = async (...asks: readonly Ask[]): Promise<void> => {
    const before = rig.taken.length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + asks.length && rig.idle);
  };
  for (const c of clients.slice(0, -1)) await say(c.hello(), c.write());
  for (let i = 0; i < 6; i++) {
    await b.cycles(p.timeoutCycles / 2);
    for (const c of rest) await say(c.read());
  }
  idle = true;
  await b.cycles(2 * p.timeoutCycles);
  await say(newcomer.hello());
  expect(rig.seen.replaced, "the silent one makes room at the first asking").toBe(1);
  await b.cycles(p.entries / 4 + 16);
  await say(newcomer.hello(), newcomer.write());
  expect(rig.model.isKnown(newcomer.key)).toBe(true);
  await rig.settled();
}

/**
 * A place that changes hands while the ways out stand still half of the time: each set of who has gone is swept
 * all the same, and the newcomer does everything of its own, under the same numbers.
 */
export async function sweptInStalls(b: Bench<RetryPorts>, p: Size, changes: number): Promise<void> {
  const { random } = b,
    first = 1000,
    clients = Array.from({ length: p.clients }, () => new Client(random.bits(48), first));
  const rig = new RetryRig(b, p, { next: () => undefined, doneAfter: [1, 2], sweptAfter: () => 0 });
  const say = async (...asks: readonly Ask[]): Promise<void> => {
    const before = rig.taken.length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + asks.length && rig.idle);
  };
  const arrives = (c: Client): Promise<void> => say(c.hello(), ...Array.from({ length: p.entries }, () => c.write()));
  for (const c of clients) await arrives(c);
  for (let change = 0; change < changes; change++) {
    const [gone, ...rest] = clients as [Client, ...Client[]];
    for (let i = 0; i < 7; i++) {
      await b.cycles(p.timeoutCycles / 2);
      for (const c of rest) await say(c.read());
    }
    const next = new Client(random.bits(48), first - 1),
      asks = [next.hello(), ...Array.from({ length: 4 }, () => random.pick(rest).read())],
      before = rig.taken.length;
    // Behind the newcomer the pipeline fills up and stands, while nothing is offered: the sweep's cycles otherwise.
    let stalled = true;
    rig.holdBack(() => stalled);
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + asks.length);
    await b.cycles(random.between(2, 40));
    stalled = false;
    rig.holdBack(never);
    await b.until(() => rig.idle);
    expect(rig.model.isKnown(gone.key)).toBe(false);
    await b.cycles(16 * p.entries);
    next.next = first - 1;
    await arrives(next);
    clients.shift();
    clients.push(next);
  }
  await rig.settled();
  expect(rig.seen.replaced).toBe(changes);
}
