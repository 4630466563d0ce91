import { expect } from "vitest";
import { retrySetOf } from "../../../../../../designs/clio/config/index.ts";
import { type Bench, bernoulli, type Pause, type Random } from "../../../../../../sim/index.ts";
import { type Ask, type RetryPorts, RetryRig, retryRigKey, type RetryRigOptions } from "./retry-rig.ts";

/** Few entries and clients, so that sets overflow and places run out. */
export const small = { slots: 32, entries: 64, clients: 4, timeoutCycles: 400 };
/** As small as it gets, for faults. */
export const tiny = { slots: 16, entries: 16, clients: 4, timeoutCycles: 80 };
export type Size = typeof small;

/** A client as CLib is: it numbers its requests upwards and repeats some. */
export class Client {
  readonly key: bigint;
  /** The next number. */
  next: number;
  private readonly recent: number[] = [];
  constructor(key: bigint, next: number) {
    this.key = key;
    this.next = next >>> 0;
  }

  private number(): number {
    const n = this.next;
    this.next = (n + 1) >>> 0;
    return n;
  }
  private ask(operation: number, o: Partial<Ask> = {}): Ask {
    return { tracked: true, keeps: true, introduces: true, fence: false, client: this.key, operation, ...o };
  }
  hello(): Ask {
    return this.ask(this.number(), { keeps: false, fence: true });
  }
  read(): Ask {
    return this.ask(this.number(), { keeps: false });
  }
  write(): Ask {
    const n = this.number();
    this.recent.push(n);
    if (this.recent.length > 60) this.recent.shift();
    return this.ask(n);
  }
  /** An earlier write once more: the network's copy of it, or a repetition. */
  repeat(random: Random, among = 60): Ask {
    const last = this.recent.slice(-among);
    return last.length === 0 ? this.write() : this.ask(random.pick(last), { introduces: random.chance() });
  }
  last(o: Partial<Ask> = {}): Ask {
    return this.ask(this.recent.at(-1) as number, o);
  }
}
const untracked = (random: Random): Ask => ({
  tracked: false,
  keeps: random.chance(),
  introduces: random.chance(),
  fence: random.chance(0.1),
  client: random.bits(48),
  operation: random.word(),
});

/** Keys that differ in one bit: each bit takes part in the comparison, the port's too. */
const clientsFor = (random: Random, count: number, next: (i: number) => number): Client[] => {
  const base = random.bits(48);
  return Array.from(
    { length: count },
    (_, i) => new Client(i === 0 ? base : base ^ (1n << BigInt(((i - 1) * 17) % 48)), next(i)),
  );
};

/** Requests of a mixture of clients: `burst` is the chance of the same operation again right behind. */
function mixture(
  random: Random,
  clients: readonly Client[],
  requests: number,
  burst = 0.2,
): (rig: RetryRig) => Ask | undefined {
  let left = requests;
  const queue: Ask[] = clients.map(c => c.hello());
  return () => {
    if (left-- <= 0) return undefined;
    const ready = queue.shift();
    if (ready !== undefined) return ready;
    const c = random.pick(clients),
      x = random.between(0, 99) / 100;
    if (x < 0.45) {
      const w = c.write();
      while (random.chance(burst)) queue.push({ ...w, introduces: random.chance() });
      return w;
    }
    if (x < 0.6) return c.repeat(random, 4);
    if (x < 0.75) return c.repeat(random);
    if (x < 0.87) return c.read();
    return x < 0.92 ? c.hello() : untracked(random);
  };
}

export type MixtureOptions = Partial<RetryRigOptions> & { readonly start?: number };
export async function runMixture(
  b: Bench<RetryPorts>,
  requests: number,
  o: MixtureOptions = {},
  p: Size = small,
): Promise<RetryRig> {
  const clients = clientsFor(b.random, p.clients, i => (o.start ?? 1000) + i * 7);
  const rig = new RetryRig(b, p, { next: mixture(b.random, clients, requests), ...o });
  await b.until(() => rig.taken.length >= requests - 1);
  await rig.settled();
  return rig;
}
export const pauses = (random: Random, chance = 0.3) => {
  let seed = random.word();
  return (): Pause => bernoulli(chance, ++seed);
};
/** Says a list of requests one after the other, waiting for `"settle"` where it stands. */
export const script = (asks: readonly (Ask | "settle")[]) => {
  const queue = [...asks];
  return (rig: RetryRig): Ask | undefined => {
    if (queue[0] === "settle") {
      if (!rig.idle) return undefined;
      queue.shift();
    }
    return queue[0] === "settle" ? undefined : (queue.shift() as Ask | undefined);
  };
};
async function say(
  b: Bench<RetryPorts>,
  p: Size,
  asks: readonly (Ask | "settle")[],
  o: Partial<RetryRigOptions> = {},
): Promise<RetryRig> {
  const rig = new RetryRig(b, p, { next: script(asks), ...o }),
    count = asks.filter(a => a !== "settle").length;
  await b.until(() => rig.taken.length === count);
  await rig.settled();
  return rig;
}

/** Every set is filled by one client, then its oldest pushed out, with repetitions around that. */
export async function fullSets(b: Bench<RetryPorts>, p: Size): Promise<void> {
  // The first write's number is a multiple of the sets: each round of numbers fills each set once.
  const sets = p.entries / 4,
    c = new Client(0xc0a8_0001_0457n, sets - 1),
    asks: (Ask | "settle")[] = [c.hello(), "settle"];
  // Five operations of each set: the fifth pushes the first out.
  const writes = Array.from({ length: sets * 5 }, () => c.write());
  for (let i = 0; i < 4; i++) asks.push(...writes.slice(sets * i, sets * (i + 1)), "settle");
  for (let i = 0; i < sets; i++) {
    const old = writes[i] as Ask,
      set = (w: Ask): number => retrySetOf(sets, c.key, w.operation, retryRigKey);
    asks.push(old, writes.slice(sets * 4).find(w => set(w) === set(old)) as Ask, old, old);
  }
  const rig = await say(b, p, asks);
  expect([rig.seen.pass, rig.seen.replayed, rig.seen.expired, rig.model.evictions]).toEqual([
    sets * 5,
    sets,
    sets * 2,
    sets,
  ]);
}

/**
 * Three clients have an operation in each set. Another chooses its numbers: eight operations of one set after the
 * other, back to back and with pauses. Each operation of the three is answered as it was done.
 */
export async function chosenNumbers(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const sets = p.entries / 4,
    victims = [0, 1, 2].map(i => new Client(0xc0a8_0001_0457n + BigInt(i), sets - 1)),
    victim = victims[0] as Client,
    hostile = new Client(0xc0a8_0002_0457n, 1);
  const asks: (Ask | "settle")[] = [...victims.map(v => v.hello()), hostile.hello(), "settle"],
    [writes = [], ...others] = victims.map(v => Array.from({ length: sets }, () => v.write()));
  asks.push(...writes, ...others.flat(), "settle");
  const setOf = (c: Client, operation: number): number => retrySetOf(sets, c.key, operation, retryRigKey);
  for (const [i, w] of writes.entries()) {
    for (let n = 0; n < 8; n++) {
      do asks.push(hostile.write());
      while (setOf(hostile, hostile.last().operation) !== setOf(victim, w.operation) && asks.pop());
      if (i % 2 === 1) asks.push("settle");
    }
    asks.push(w, "settle");
  }
  const rig = await say(b, p, [...asks, ...others.flat()]);
  expect([rig.seen.replayed, rig.seen.expired]).toEqual([3 * sets, 0]);
}

/**
 * Newcomers that begin with a write, with low numbers, right behind operations of the first client that push
 * its own out.
 */
export async function newcomers(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const [first, ...others] = clientsFor(b.random, p.clients, i => (i === 0 ? 2 ** 20 : 100 * i)) as [
    Client,
    ...Client[],
  ];
  const asks: (Ask | "settle")[] = [first.hello(), "settle"];
  for (const c of others) {
    for (let i = 0; i < 2 * p.entries; i++) asks.push(first.write());
    asks.push(first.read(), c.write(), c.last(), c.write(), c.last({ introduces: false }), "settle");
  }
  const rig = await say(b, p, asks);
  expect([rig.seen.pass, rig.seen.expired, rig.seen.noPlace]).toEqual([others.length * (2 * p.entries + 3), 0, 0]);
}

/**
 * All places taken, one client silent for long: a newcomer has it forgotten, and 0 to 5 cycles later it is heard
 * of again, twice.
 */
export async function forgottenWhileSought(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const seen = new Set<number>();
  let rig: RetryRig | undefined;
  for (let gap = 1; gap <= 6; gap++) {
    const clients = clientsFor(b.random, p.clients + 1, i => 500 + 10 * i),
      silent = clients[0] as Client,
      newcomer = clients.at(-1) as Client;
    const queue: (Ask | "settle")[] = clients.slice(0, p.clients).flatMap(c => [c.hello(), c.write(), "settle"]);
    let phase = 0,
      until = 0;
    const next = (rig: RetryRig): Ask | undefined => {
      if (phase === 0 && queue.length > 0) {
        if (queue[0] === "settle") {
          if (rig.idle) queue.shift();
          return undefined;
        }
        return queue.shift() as Ask;
      }
      if (phase === 0) {
        phase = 1;
        until = rig.cycle + 6 * p.timeoutCycles;
      }
      if (phase === 1 && rig.cycle < until)
        return rig.idle && rig.cycle % 16 === 0
          ? (clients[1 + ((rig.cycle / 16) % (p.clients - 1))] as Client).read()
          : undefined;
      if (phase === 1 && rig.idle) {
        phase = 2;
        until = rig.cycle + gap;
        return newcomer.hello();
      }
      if (phase === 2 && rig.cycle >= until) {
        phase = 3;
        return silent.last({ introduces: false });
      }
      if (phase === 3 && rig.idle) {
        phase = 4;
        return silent.last({ introduces: false });
      }
      return undefined;
    };
    if (rig === undefined) {
      rig = new RetryRig(b, p, { next });
    } else {
      b.sim.reset(2);
      rig.restart({ next });
    }
    const on = rig;
    await b.until(() => phase === 4 && on.pending === 0 && on.idle);
    await on.settled();
    seen.add(on.seen.replaced);
    expect(on.seen.replaced === 1 ? on.seen.expired : on.seen.replayed, `gap of ${gap} cycles`).toBe(2);
  }
  // Heard of just in time, and too late.
  expect([...seen].sort()).toEqual([0, 1]);
}

/**
 * A client whose numbers leap by 1/64 of a round at each read; the sweep has time enough to see every set
 * between two eighths.
 */
export async function leaps(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const c = new Client(0xc0a8_0001_0457n, 10),
    asks: (Ask | "settle")[] = [c.hello(), c.write(), "settle"];
  let phase = 0,
    until = 0;
  const steps = 64;
  const rig = new RetryRig(b, p, {
    next: rig => {
      const ask = asks[0] === "settle" ? (rig.idle ? (asks.shift(), asks.shift()) : undefined) : asks.shift();
      if (ask !== undefined && ask !== "settle") return ask;
      if (!rig.idle || rig.cycle < until) return undefined;
      if (phase++ === steps) {
        rig.forgetExecuted();
        c.next = 11;
        return c.write();
      }
      if (phase > steps + 1) return undefined;
      until = rig.cycle + (phase % 8 === 0 ? 16 * 2 * p.entries : 20);
      c.next = (c.next + 2 ** 32 / steps) >>> 0;
      return c.read();
    },
  });
  await b.until(() => phase > steps + 1);
  await rig.settled();
  expect([rig.seen.pass, rig.seen.expired, rig.seen.replayed]).toEqual([2 + steps, 0, 0]);
}

/**
 * The key is right in one cycle only, the one before the first tracked request is taken. Sets that are chosen by
 * another key overflow elsewhere.
 */
export async function keyInTime(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const requests = 10 * p.entries;
  let right: number | undefined,
    noise = false;
  b.onEdge({
    drive: cycle => {
      if (noise) b.io.hashKey.value = right !== undefined && cycle === right - 1 ? retryRigKey : b.random.bits(64);
    },
  });
  const rig = new RetryRig(b, p, { next: () => undefined });
  let takes = 0;
  for (const look of [true, false]) {
    noise = !look;
    // Untracked requests, and what stands at an idle port, do not fix the key.
    const anything = Array.from({ length: 30 }, () => untracked(b.random));
    rig.say(script(anything));
    await b.until(() => rig.taken.length === anything.length);
    b.io.request.payload.tracked.value = 1;
    await b.cycles(2 * p.entries);
    rig.taken.length = 0;
    const from = b.cycle;
    if (!look) right = from + takes - 1;
    rig.say(
      mixture(
        b.random,
        clientsFor(b.random, p.clients, i => 3 + 50 * i),
        requests,
      ),
    );
    await b.until(() => rig.taken.length > 0);
    if (look) takes = (rig.taken[0] as number) - from;
    else expect((rig.taken[0] as number) - from, "cycles until the first request is taken").toBe(takes);
    await b.until(() => rig.taken.length === requests);
    await rig.settled();
    expect(rig.model.evictions).toBeGreaterThan(p.entries);
    b.sim.reset(2);
    rig.restart({ next: () => undefined });
  }
}

/** A bench of the buffer of size `small`, on the RTL or on what synthesis makes of it. */
export interface RetryBench {
  readonly name: string;
  readonly seed?: number;
  readonly run: (b: Bench<RetryPorts>) => Promise<void>;
}
export const retryBenches: readonly RetryBench[] = [
  {
    name: "four clients, repetitions, random back-pressure on all sides",
    seed: 5,
    run: async b => {
      const rig = await runMixture(b, 6000, { pause: pauses(b.random) });
      for (const kind of ["pass", "fence", "replayed", "busy", "expired", "doneAtLookup"] as const) {
        expect(rig.seen[kind], kind).toBeGreaterThan(10);
      }
      expect(rig.model.evictions).toBeGreaterThan(1000);
    },
  },
  {
    name: "slow memory: operations are pushed out while under way, their results go nowhere",
    seed: 6,
    run: async b => {
      const rig = await runMixture(b, 3000, { doneAfter: [1, 800] });
      expect(
        [rig.seen.busy, rig.seen.expired].every(n => n > 100),
        JSON.stringify(rig.seen),
      ).toBe(true);
    },
  },
  {
    name: "numbers that wrap round",
    seed: 7,
    run: async b => {
      await runMixture(b, 3000, { start: 2 ** 32 - 300, pause: pauses(b.random, 0.1) });
    },
  },
  {
    name: "one request per cycle, 3 cycles to pass or to the fence, 5 to the answer",
    run: async b => {
      const c = new Client(0x0a00_0001_1234n, 77),
        d = new Client(0x0a00_0002_1234n, 5);
      const asks: (Ask | "settle")[] = [c.hello(), d.hello(), "settle"];
      const mixed: Ask[] = [];
      for (let i = 0; i < 500; i++)
        mixed.push(
          c.write(),
          c.last(),
          d.write(),
          d.repeat(b.random, 8),
          untracked(b.random),
          c.hello(),
          d.read(),
          c.last({ introduces: false }),
        );
      const rig = await say(b, small, [...asks, ...mixed], { doneAfter: [1, 4] });
      const at = rig.taken.slice(2);
      expect((at.at(-1) as number) - (at[0] as number), "cycles for all").toBe(mixed.length - 1);
      expect([...rig.latencies.pass], "cycles to pass").toEqual([3]);
      // The first fences introduced their clients: a cycle more, after the memories are cleared.
      expect(
        [...rig.latencies.fence].filter(x => x === 3 || x === 4),
        "cycles to the fence",
      ).toContain(3);
      expect([...rig.latencies.answer], "cycles to the answer").toEqual([5]);
    },
  },
  {
    name: "the same operation in consecutive cycles: once",
    seed: 3,
    run: async b => {
      const c = new Client(0xc0a8_0001_0457n, 40),
        asks: (Ask | "settle")[] = [c.hello(), "settle"];
      for (let i = 0; i < 300; i++) {
        asks.push(c.write());
        for (let n = b.random.between(1, 3); n > 0; n--) asks.push(c.last({ introduces: b.random.chance() }));
      }
      const rig = await say(b, small, asks, { doneAfter: [1, 3] });
      expect(rig.seen.pass).toBe(300);
      expect(rig.seen.expired).toBe(0);
    },
  },
  {
    name: "a full set: the oldest goes, and a repetition of it is expired, also right behind what pushed it out",
    run: b => fullSets(b, small),
  },
  {
    name: "numbers chosen to meet in a set: a client pushes out its own operations, not another's",
    run: b => chosenNumbers(b, small),
  },
  {
    name: "a key that is written after the first request does not count",
    run: async b => {
      const c = new Client(0xc0a8_0001_0457n, 10);
      const rig = await say(b, small, [c.hello(), ...Array.from({ length: 30 }, () => c.write()), "settle"]);
      b.io.hashKey.value = ~retryRigKey & 0xffff_ffff_ffff_ffffn;
      const asks = Array.from({ length: 60 }, () => c.repeat(b.random));
      const before = rig.taken.length;
      let at = 0;
      rig.say(() => asks[at++]);
      await b.until(() => rig.taken.length === before + asks.length);
      await rig.settled();
      expect([rig.seen.pass, rig.seen.replayed, rig.seen.expired]).toEqual([30, 60, 0]);
    },
  },
  { name: "the key counts as it is in the cycle before the first request", run: b => keyInTime(b, small) },
  {
    name: "a newcomer: known to who comes right behind, whatever was forgotten of others",
    run: b => newcomers(b, small),
  },
  {
    name: "all places taken: busy, then a silent client makes room; what it did is never taken for the newcomer's",
    run: async b => {
      const clients = clientsFor(b.random, 6, () => 500),
        [first] = clients as [Client],
        sixth = clients[5] as Client;
      const asks: (Ask | "settle")[] = [];
      for (const c of clients.slice(0, 4)) asks.push(c.hello(), c.write(), c.write(), "settle");
      let phase = 0,
        kept = 0,
        until = 0;
      const fifth = clients[4] as Client,
        talks = clients.slice(1, 4),
        queue = script([...asks, fifth.hello(), "settle"]);
      const rig = new RetryRig(b, small, {
        next: rig => {
          const ask = phase === 0 ? queue(rig) : undefined;
          if (ask !== undefined) return ask;
          if (phase === 0 && rig.seen.noPlace === 1) {
            phase = 1;
            until = rig.cycle + 5 * small.timeoutCycles;
          }
          // All but the first go on talking, for longer than three times TIMEOUT.
          if (phase === 1) {
            if (rig.cycle < until) return rig.idle && kept++ % 8 === 0 ? (talks[kept % 3] as Client).read() : undefined;
            if (!rig.idle) return undefined;
            phase = 2;
            until = rig.cycle + 50 * small.entries;
            return fifth.hello();
          }
          if (phase === 2 && rig.cycle > until) {
            phase = 3;
            // The same numbers as the forgotten client's: done, not answered from that client's. That client's own are
            // expired, or busy as a newcomer's.
            const next = script([
              fifth.hello(),
              ...Array.from({ length: 10 }, () => fifth.write()),
              first.last({ introduces: false }),
              sixth.write(),
              "settle",
            ]);
            thisPhase = next;
          }
          return phase === 3 ? thisPhase(rig) : undefined;
        },
      });
      let thisPhase: (rig: RetryRig) => Ask | undefined = () => undefined;
      await b.until(() => phase === 3 && rig.seen.noPlace === 3);
      await rig.settled();
      // The sixth is refused, too, and a silent client is forgotten for it.
      expect([rig.seen.replaced, rig.seen.noPlace, rig.seen.expired]).toEqual([2, 3, 1]);
      expect(rig.model.isKnown(first.key)).toBe(false);
      expect(rig.model.isKnown(fifth.key)).toBe(true);
    },
  },
  { name: "a client that is asked for while it is forgotten", run: b => forgottenWhileSought(b, small) },
  {
    name: "a client that only reads for 2^32 numbers: an old write is not taken for a new one",
    run: b => leaps(b, small),
  },
  {
    name: "reset: nobody is known, nothing is remembered",
    seed: 9,
    run: async b => {
      const c = new Client(0xc0a8_0001_0457n, 10);
      const rig = new RetryRig(b, small, { next: script([c.hello(), ...Array.from({ length: 25 }, () => c.write())]) });
      await b.until(() => rig.taken.length === 26 && rig.pending === 0);
      b.io.done.valid.value = 0;
      b.sim.reset(2);
      const asks = [c.last({ introduces: false }), c.hello(), ...Array.from({ length: 80 }, () => c.repeat(b.random))];
      rig.restart({ next: script(asks) });
      await b.until(() => rig.taken.length === asks.length);
      await rig.settled();
      // Operations before the FENCE count as forgotten; the first of all too, which found no known client.
      expect([rig.seen.pass, rig.seen.expired]).toEqual([0, 81]);
    },
  },
];
