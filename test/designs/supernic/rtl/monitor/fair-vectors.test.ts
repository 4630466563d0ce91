/** Vectors alone: what software says of users while all are measured, and what is measured in the end. */
import { describe, expect, test } from "vitest";
import { countedResources, drfOf, fairUsers, FairVectors } from "../../../../../designs/supernic/rtl/monitor/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { sizes } from "./support/fair-rig.ts";

const p = sizes.small,
  dut = () => FairVectors(p);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;
const users = fairUsers(p),
  resources = countedResources(p),
  { lanes } = drfOf(p);
/** Cycles from an entry of software to its vector, while measures are written. */
const saidWithin = 6;
/** Of a place; an older one counts for nothing. */
const measuresKept = 4;

interface Place {
  /** Its last four measures, the newest first. */
  list: number[];
  /** The same, if what software has said came before the last measure. */
  other?: number[] | undefined;
}
const measureOf = (use: number, bytes: number): number => Math.min(2 ** 24 - 1, Math.ceil((use * 2 ** 13) / bytes));
const newer = (list: readonly number[], measure: number): number[] => [measure, ...list].slice(0, 4);

/** Measures all, with uses and bytes by place; meanwhile software says things of random places. */
async function measure(b: B, places: Place[][], chance: number, without = 0.2): Promise<number> {
  const uses = places.map(list => list.map(() => b.random.between(0, 2 ** 22))),
    bytes = places.map(() => (b.random.chance(without) ? 0 : b.random.between(1, 2 ** 20)));
  const said = new Map<string, number>(),
    asked: { readonly user: number; readonly resource: number }[] = [];
  b.io.start.value = 1;
  let cycles = 0,
    free = 0;
  for (let i = 0; i === 0 || i < 3 || b.io.busy.value === 1 || i - free < saidWithin; i++) {
    // An answer comes two cycles behind its question.
    const at = asked.at(-2) ?? { user: 0, resource: 0 };
    poke(b.io.counted as never, { use: uses[at.user]?.[at.resource] ?? 0, bytes: bytes[at.user] ?? 0 } as never);
    b.io.firstUse.en.value = 0;
    if (i - free >= saidWithin && b.io.busy.value === 1 && b.random.chance(chance)) {
      free = i;
      // Near what is measured just then, and anywhere. Behind a user without bytes no measure is written: only then
      // is there a cycle for an entry while the first measure of the next user is read.
      const first = b.random.chance(0.5) ? asked.slice(-24, -10).find(a => a.resource === 0) : undefined,
        near = first ?? asked.at(-b.random.between(10, 24)) ?? at,
        far = { user: b.random.between(0, users - 1), resource: b.random.between(0, resources - 1) },
        { user, resource } = b.random.chance(0.7) ? near : far,
        use = b.random.between(0, 2 ** 24 - 1);
      if (!said.has(`${user} ${resource}`)) {
        said.set(`${user} ${resource}`, use);
        poke(b.io.firstUse as never, { en: 1, index: 64 * user + resource, value: { use } } as never);
      }
    }
    await b.cycles(1);
    b.io.start.value = 0;
    asked.push({ user: Number(b.io.ask.user.value), resource: Number(b.io.ask.resource.value) });
    if (b.io.busy.value === 1) cycles++;
  }
  for (const [user, list] of places.entries())
    for (const [resource, place] of list.entries()) {
      const measured = measureOf(uses[user]?.[resource] ?? 0, bytes[user] ?? 0),
        use = said.get(`${user} ${resource}`),
        is = (bytes[user] ?? 0) > 0;
      place.other = undefined;
      if (use === undefined) {
        if (is) place.list = newer(place.list, measured);
        continue;
      }
      const all = [use, use, use, use];
      place.list = all;
      if (is) place.other = newer(all, measured);
    }
  return cycles;
}
async function compare(b: B, places: Place[][]): Promise<void> {
  for (const [user, list] of places.entries())
    for (const [resource, place] of list.entries()) {
      poke(b.io.of as never, { user, group: Math.floor(resource / lanes) } as never);
      poke(b.io.look as never, { user, resource } as never);
      await b.cycles(4);
      const seen = { largest: Number(b.io.uses.at(resource % lanes)?.value), last: b.io.shown.value };
      const fits = [place.list, place.other].filter(
        l => l !== undefined && seen.last === l[0] && seen.largest === Math.max(...l),
      );
      if (fits.length === 0)
        throw new Error(`user ${user}, resource ${resource}: ${JSON.stringify(seen)}, not ${JSON.stringify(place)}`);
      place.list = fits[0] ?? place.list;
      place.other = undefined;
    }
}
async function many(b: B, count: number): Promise<void> {
  const places = Array.from({ length: users }, () =>
    Array.from({ length: resources }, (): Place => ({ list: [0, 0, 0, 0] })),
  );
  // What a simulator has in registers before the first edge may have been written by it, reset or not.
  for (let i = 0; i < measuresKept; i++) await measure(b, places, 0, 0);
  for (let i = 0; i < count; i++) {
    // Never, as often as it may, and at any time: as often as it may is always at the same point of a measure.
    const cycles = await measure(b, places, [0, 1, 0.3][i % 3] ?? 0);
    // Two cycles a place, and those from the last question to the last write.
    expect(cycles).toBe(2 * users * resources + 18);
    await compare(b, places);
  }
}

describe("FairVectors", () => {
  testOfResets(dut(), { beside: { uses: "", shown: "" } }, b => many(b, 3));
  bench("what software says beside measures counts as if it came before or behind", dut(), { seed: 2 }, async b => {
    await many(b, 20);
  });
  const look = (design: Dut<Ports>): Promise<unknown> =>
    runBench("fault", design, { wave: false, limitCycles: 80_000, seed: 2 }, b => many(b, 20));
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["an entry beside a measure of its place", /first_goes = [^;]*;/, "first_goes = first_waits & ~writes_1;"],
    ["an entry is lost when a measure is written", /first_goes = [^;]*;/, "first_goes = first_waits;"],
    ["an entry is compared with the place of the one before", /first_next = [^;]*;/, "first_next = 9'd0;"],
    ["an entry beside a measure that comes", /~\(\(divider_answer_valid & [^|]*\|/, "~("],
    ["an entry beside a measure that is read", /\| first_is_read_1 \|/, "|"],
    ["an entry beside a measure that is compared", /\| first_is_compared_1 \|/, "|"],
    ["the first lane of each group", "walk_group <= 1'b1", "walk_group <= 1'b0"],
    ["no measure of the last user", "walk_user == 2'd3", "walk_user == 2'd2"],
  ];
  for (const [name, from, to] of faults)
    test(`a planted fault is found: ${name}`, async () => {
      await findsFault(look(plant(dut(), from, to)));
    });
});
