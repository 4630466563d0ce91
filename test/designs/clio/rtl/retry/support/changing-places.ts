/**
 * Places that go from one client to the next, each of them in its turn, with what both did under the same numbers:
 * nothing of the one is taken for the other's, and nobody else loses anything.
 */
import { expect } from "vitest";
import type { Bench } from "../../../../../../sim/index.ts";
import { Client, script, type Size } from "./retry-benches.ts";
import { type Ask, type RetryPorts, RetryRig } from "./retry-rig.ts";

/** Numbers of a client: its FENCE has the first. */
const first = 1000;
const writes = 24;

/** An untracked read, of which there is one in each cycle. */
const anything: Ask = {
  tracked: false,
  keeps: false,
  introduces: false,
  fence: false,
  client: 0n,
  operation: 0,
};

export async function changingPlaces(b: Bench<RetryPorts>, p: Size, changes: number): Promise<void> {
  const sets = p.entries / 4,
    quarter = Math.ceil(p.timeoutCycles / 4);
  let sweep = sets + 8;
  const rig = new RetryRig(b, p, { next: () => undefined, doneAfter: [1, 2], sweptAfter: () => sweep });
  const say = async (...asks: readonly Ask[]): Promise<void> => {
    const before = rig.taken.length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + asks.length && rig.idle);
  };
  /** The request in the middle of others, which come in every cycle, and those for some cycles more. */
  const amidst = async (ask: Ask, cycles: number): Promise<void> => {
    let asked = false;
    rig.say(() => (asked ? anything : ((asked = true), ask)));
    await b.cycles(cycles);
  };
  const base = b.random.bits(44);
  let known = 0;
  const newcomer = (): Client => new Client(base + BigInt(known++) * 0x1_0001_0001n, first);
  /** All its operations; then it is silent for so long that nobody takes it for the next one's equal. */
  const works = async (c: Client, asks: readonly Ask[]): Promise<void> => {
    await say(...asks);
    await b.cycles(2 * quarter);
    expect(rig.model.isKnown(c.key)).toBe(true);
  };
  const arrives = (c: Client): Promise<void> =>
    works(c, [c.hello(), ...Array.from({ length: writes }, () => c.write())]);
  const repeats = (c: Client): readonly Ask[] => Array.from({ length: writes / 2 }, () => c.repeat(b.random, writes));

  let places: readonly Client[] = Array.from({ length: p.clients }, newcomer);
  for (const c of places) await arrives(c);
  for (let change = 0; change < changes; change++) {
    const next = newcomer(),
      gone = places[0] as Client,
      busy = change % 2 === 1;
    // The others go on, each in its turn, until the first has been silent for long enough.
    const rest = places.slice(1);
    for (let i = 0; i < 6; i++) for (const c of rest) await works(c, repeats(c));
    const { replaced, noPlace: refused } = rig.seen;
    sweep = busy ? 12 * sets : sets + 8;
    if (busy) {
      // Requests in every cycle: the sweep has those that it claims, and takes so long.
      await amidst(next.hello(), 20);
      await amidst(next.hello(), 16 * sets - (b.cycle - (rig.replacements.at(-1) as number)) + 30);
      await amidst(next.hello(), 20);
      expect(rig.seen.noPlace - refused, "refused at first, and while the place is swept").toBe(2);
      rig.say(() => undefined);
      await b.until(() => rig.pending === 0 && rig.idle);
    } else {
      await say(next.hello());
      await b.cycles(sets + 16);
    }
    expect([rig.seen.replaced, rig.model.isKnown(gone.key)], "somebody was forgotten").toEqual([replaced + 1, false]);
    const again = new Client(next.key, first);
    await arrives(again);
    // Of who has gone nothing is answered; the others' operations are there or are known to be forgotten.
    await say(gone.last({ introduces: false }), ...rest.flatMap(repeats));
    places = [...rest, again];
    for (const c of places) await works(c, [c.read()]);
  }
  await rig.settled();
  expect(rig.seen.replaced).toBe(changes);
}

/**
 * A client is forgotten whose operations are still under way, because memory is very slow. They come to their ends when
 * others stand in their places and are done: those are answered with their own results all the same.
 */
export async function doneLate(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const sets = p.entries / 4,
    quarter = Math.ceil(p.timeoutCycles / 4),
    base = b.random.bits(44);
  const clients = Array.from({ length: p.clients + 1 }, (_, i) => new Client(base + BigInt(i) * 0x1_0001_0001n, first)),
    slow = clients[0] as Client,
    next = clients.at(-1) as Client;
  let late = 0;
  const rig = new RetryRig(b, p, {
    next: () => undefined,
    doneAfter: [1, 2],
    sweptAfter: () => sets + 8,
    takes: ask => (ask.client === slow.key ? late - b.cycle + ask.operation - first : undefined),
  });
  const say = async (...asks: readonly Ask[]): Promise<void> => {
    const before = rig.taken.length;
    rig.say(script(asks));
    await b.until(() => rig.taken.length === before + asks.length && rig.pending === 0);
    await b.cycles(40);
  };
  late = 40 * quarter;
  await say(slow.hello(), ...Array.from({ length: p.slots / 2 }, () => slow.write()));
  for (const c of clients.slice(1, -1)) {
    await b.cycles(2 * quarter);
    await say(c.hello());
  }
  await b.cycles(14 * quarter);
  await say(next.hello());
  expect(rig.model.isKnown(slow.key), "it was forgotten").toBe(false);
  await b.cycles(sets + 16);
  await say(next.hello(), ...Array.from({ length: 2 * p.entries }, () => next.write()));
  expect(b.cycle, "and is not done yet").toBeLessThan(late);
  await b.cycles(late - b.cycle);
  await b.until(() => rig.idle);
  await say(...Array.from({ length: 60 }, () => next.repeat(b.random)));
  await rig.settled();
  expect(rig.seen.replaced).toBe(1);
}
