/**
 * Rings of four and five in which the first sNIC has both ways to each of its peers: one in between is off, and those
 * beyond are reached the other way round (docs/supernic/peers.md, "A way round").
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dag } from "../../../../../designs/supernic/software/index.ts";
import { inRack, type ModelledRack, type Nic, period, type RackOptions } from "./support/modelled-rack.ts";
import { Mutants } from "./support/mutant.ts";

type Software = RackOptions["software"];
/** +1 or -1 round the ring: never over the first one. */
const step = (a: number, b: number, count: number): number => {
  if (a === 0) return b <= count / 2 ? 1 : -1;
  if (b === 0) return a <= count / 2 ? -1 : 1;
  return a < b ? 1 : -1;
};
const nextOf = (a: number, by: number, count: number): number => (a + by + count) % count;
const ringOf = (count: number): Pick<RackOptions, "count" | "over" | "around"> => ({
  count,
  over: (a, b) => {
    const next = nextOf(a, step(a, b, count), count);
    return next === b ? undefined : next;
  },
  around: (a, b) => (a === 0 || b === 0 ? nextOf(a, -step(a, b, count), count) : undefined),
});
interface Ring {
  readonly rack: ModelledRack;
  readonly owner: Nic;
  readonly target: Nic;
  readonly dags: Dag[];
}
const need = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
/** The owner is full, and all others but the target. Its third DAG is there. */
const inRing = (
  [count, owner, target]: readonly [number, number, number],
  software: Software,
  body: (r: Ring) => Promise<void>,
  more: Partial<RackOptions> = {},
): Promise<void> =>
  inRack({ ...ringOf(count), software, ...more }, async rack => {
    for (const n of rack.nics)
      if (n.number !== owner && n.number !== target)
        for (const task of ["dummy", "checksum"]) await n.peers.place(await n.dag(task));
    await rack.periods(3);
    const r: Ring = { rack, owner: rack.nic(owner), target: rack.nic(target), dags: [] },
      dags: Dag[] = [];
    for (const task of ["dummy", "checksum", "counter"]) {
      const dag = await r.owner.dag(task);
      dags.push(dag);
      await r.owner.peers.place(dag);
    }
    need(dags[2] !== undefined && r.owner.wayOf(dags[2]) === `snic${target}`, "the third is not at the target");
    await body({ ...r, dags });
    await rack.periods(3);
    // Nothing is on its way: each packet has come or has been dropped, and both ends have the same way.
    const ends = [...rack.results.map(x => x.id), ...rack.nics.flatMap(n => n.model.dropped.map(d => d.id))];
    need(new Set(ends).size === ends.length, "a packet has two ends");
    const [way, back] = [r.owner.neighbour(target).way.hops, r.target.neighbour(owner).way.hops];
    need(way === back, `ways of ${way} and ${back} links`);
  });
const isRound = ({ owner, target }: Ring): boolean =>
  owner.neighbour(target.number).way.port !== owner.neighbour(target.number).place.port;
const atTarget = ({ owner, target, dags }: Ring): Dag | undefined =>
  dags.findLast(d => owner.wayOf(d) === target.model.name);
/** Packets of the DAG that is at the target: each comes from there. */
async function works(r: Ring, packets = 4): Promise<void> {
  const dag = atTarget(r),
    from = r.rack.results.length;
  if (dag === undefined) throw new Error(`no DAG is at ${r.target.model.name}`);
  for (let i = 0; i < packets; i++) r.rack.packet(r.owner, dag);
  await r.rack.periods(1);
  const got = r.rack.results.slice(from);
  need(got.length === packets && got.every(x => x.at === r.target.model.name), `${got.length} of ${packets} have come`);
}
/** The sNIC in between by the first way. */
const between = ({ rack, owner, target }: Ring): Nic => rack.nic(rack.over(owner.number, target.number) ?? 0);
const hear = ({ rack, owner, target }: Ring): Promise<void> => {
  const there = (n: Nic, of: Nic): boolean => n.neighbour(of.number).presence === "there";
  return rack.until(() => there(owner, target) && there(target, owner), "it is reached", 20);
};
/** Both hear each other, and another DAG of the owner gets a place there. */
async function reached(r: Ring): Promise<void> {
  const { rack, owner, target, dags } = r;
  await hear(r);
  await rack.periods(2);
  const dag = await owner.dag("counter");
  dags.push(dag);
  need((await owner.peers.place(dag)) === "peer" && owner.wayOf(dag) === target.model.name, "it gets no place there");
}

/** It dies under traffic; what was under way is counted; the one behind it is reached round, and stays so. */
const dies = (places: readonly [number, number, number], software: Software): Promise<void> =>
  inRing(places, software, async r => {
    const { rack, owner, target } = r,
      dead = between(r),
      sent: number[] = [];
    await works(r);
    const traffic = async (periods: number): Promise<void> => {
      for (let i = 0; i < 20 * periods; i++) {
        const dag = r.dags[2];
        if (dag !== undefined) sent.push(rack.packet(owner, dag));
        await rack.periods(0.05);
      }
    };
    await traffic(2);
    dead.fail();
    const since = rack.time.now();
    await traffic(3);
    need(owner.gone.length === 0, "it is gone too soon");
    await traffic(4);
    need(owner.gone.includes(target.model.name) && target.gone.includes(owner.model.name), "it is not gone");
    need(owner.peers.away.counts.anew === 1 && owner.peers.away.counts.lost === 1, "not counted once");
    await reached(r);
    need(rack.time.now() - since < 25 * period, "it takes too long");
    need(isRound(r) && owner.neighbour(target.number).counts.turns === 1, "it has not turned once");
    await rack.periods(2);
    const ends = new Set([...rack.results.map(x => x.id), ...rack.nics.flatMap(n => n.model.dropped.map(d => d.id))]);
    need(
      sent.every(id => ends.has(id)),
      "a packet has no end",
    );
    await works(r);
    for (const n of rack.nics)
      if (n !== dead && n !== owner && n !== target)
        need(
          n.gone.every(g => g === dead.model.name),
          `${n.model.name} has lost ${n.gone.join()}`,
        );
    // It comes back: it is there for both, and nothing is moved for its sake.
    await dead.reborn();
    await rack.periods(20);
    need(owner.neighbour(dead.number).presence === "there", "the dead one does not return to the owner");
    need(target.neighbour(dead.number).presence === "there", "nor to the target");
    need(isRound(r) && owner.neighbour(target.number).counts.turns === 1, "it turns although nothing is wrong");
    await works(r);
    // The other side fails now: back by the first way.
    const other = rack.nic(nextOf(owner.number, -step(owner.number, target.number, places[0]), places[0]));
    other.fail();
    await rack.periods(8);
    await hear(r);
    need(!isRound(r), "it is not back at the first way");
    for (const [from, to] of [
      [owner, target],
      [target, owner],
    ] as const)
      need(from.nextTo(to.number) === (rack.over(from.number, to.number) ?? to.number), "the tables are not");
  });
/** Power comes and goes; in the end all are there, and both ends agree. */
const flaps = (places: readonly [number, number, number], software: Software, seed = 1): Promise<void> =>
  inRing(
    places,
    software,
    async r => {
      const { rack, owner } = r,
        dead = between(r);
      for (let i = 0; i < 8; i++) {
        dead.fail();
        for (let k = 0; k < 5; k++) {
          for (const d of r.dags) rack.packet(owner, d);
          await rack.periods(rack.random.between(2, 22) / 10);
        }
        await dead.reborn();
        await rack.periods(rack.random.between(5, 90) / 10);
      }
      await rack.periods(40);
      for (const n of rack.nics)
        for (const p of n.peers.neighbours)
          need(p.presence === "there", `${n.model.name}: ${p.place.name} is not there`);
    },
    { seed, faults: { loss: 0.05, duplicate: 0.05, reorder: 0.05 } },
  );
/** Software of either end begins anew while the first way is dead, and once more when it is not. */
const begins = (places: readonly [number, number, number], software: Software): Promise<void> =>
  inRing(places, software, async r => {
    const { rack, owner, target } = r,
      dead = between(r);
    dead.fail();
    await rack.periods(9);
    await reached(r);
    for (const n of [owner, target, owner]) {
      await rack.periods(1.3);
      n.restart();
      await rack.periods(3);
      await hear(r);
      need(isRound(r), "it is not reached round");
    }
    await dead.reborn();
    await rack.periods(12);
    const chooser = rack.nic(0);
    chooser.restart();
    await rack.periods(9);
    await hear(r);
    need(!isRound(r), "who has begun anew does not take the first way");
    for (const [from, to] of [
      [owner, target],
      [target, owner],
    ] as const)
      need(from.nextTo(to.number) === rack.over(from.number, to.number), "the tables are of an earlier life");
  });
/** A line is cut one way only: both turn. */
const oneWay = (software: Software, back: boolean): Promise<void> =>
  inRing([4, 0, 2], software, async r => {
    const { rack } = r;
    rack.cut.add(back ? "2 1" : "1 2");
    await rack.periods(9);
    await reached(r);
    need(isRound(r), "it is not reached round");
    await works(r);
  });
/** Who is in between by the other way says again what was said: that leads nobody. */
const replayed = (software: Software): Promise<void> =>
  inRing([4, 0, 2], software, async r => {
    const { rack, target } = r,
      heard: Uint8Array[] = [];
    rack.between = (from, to, frame) => {
      if (from === 1 && to === 2 && frame[11] === 0x10) heard.push(frame);
      return [frame];
    };
    await rack.periods(3);
    for (const f of heard) target.peers.receive(f, target.portFrom(3));
    await rack.periods(0.2);
    need(heard.length > 4 && target.neighbour(0).counts.turns === 0, "it follows what is old");
    need(r.owner.gone.length === 0, "it is gone");
    await works(r);
  });
/** Both ways are dead for long: nobody stays at the one that stays so. */
const tries = (software: Software): Promise<void> =>
  inRing([4, 0, 2], software, async r => {
    const { rack } = r;
    rack.nic(1).fail();
    rack.nic(3).fail();
    await rack.periods(31);
    need(r.owner.neighbour(2).presence === "silent", "it is there");
    await rack.nic(1).reborn();
    await reached(r);
    need(!isRound(r), "it is not at the way that is open");
    await works(r);
  });

const everywhere = [
  [4, 0, 2],
  [4, 2, 0],
  [5, 0, 2],
  [5, 2, 0],
  [5, 0, 3],
  [5, 3, 0],
] as const;
describe("the other way round", () => {
  it.each(everywhere)("of a ring of %i: from %i to %i, when who is in between dies under traffic", (...places) =>
    dies(places, undefined),
  );
  it.each([1, 2, 3].flatMap(seed => everywhere.slice(0, 4).map(p => [seed, ...p] as const)))(
    "seed %i: of a ring of %i, from %i to %i, when its power comes and goes and lines are bad",
    (seed, ...places) => flaps(places, undefined, seed),
  );
  it("when software of either end begins anew", async () => {
    for (const places of everywhere) await begins(places, undefined);
  });
  it("when a line is cut one way, whichever", async () => {
    await oneWay(undefined, false);
    await oneWay(undefined, true);
  });
  it("is not taken for what is said again", () => replayed(undefined));
  it("is tried in turns while both are dead", () => tries(undefined));
});
type Run = (s: Software) => Promise<void>;
const death: Run = s => dies([4, 0, 2], s),
  deathBack: Run = s => dies([4, 2, 0], s);
const anew: Run = async s => {
  for (const places of everywhere) await begins(places, s);
};
const faults: readonly (readonly [string, string, string, string, Run])[] = [
  ["who follows does not", "service.ts", "      from.turn();\n", "", death],
  ["the tables of who follows stay", "service.ts", "void this.#next(() => this.#lead(from));", "", deathBack],
  ["the tables of who chooses stay", "service.ts", "for (const n of lost) await this.#lead(n);", "", death],
  ["both choose", "service.ts", "return this.#site.setup.number < place.number;", "return true;", anew],
  [
    "tables of an earlier life stay",
    "service.ts",
    "if (n.place.around !== undefined) await this.#lead(n);",
    "void n;",
    anew,
  ],
  ["nobody chooses", "service.ts", "return this.#site.setup.number < place.number;", "return place.number < 0;", death],
  ["what is old leads", "service.ts", "(from.boot !== boot || from.sequence !== sequence)", "true", replayed],
  ["messages leave by the first way", "service.ts", "ports: [to.way.port]", "ports: [to.place.port]", death],
  ["a way is not tried for long", "neighbour.ts", "(gone || this.#tried > patience)", "gone", tries],
  [
    "the other way is tried though all is well",
    "neighbour.ts",
    "this.#present ? 0 : this.#tried + 1",
    "this.#tried + 1",
    death,
  ],
  [
    "messages by the other way are strangers",
    "service.ts",
    "return isNews && !this.#chooses(from)",
    "return false && !this.#chooses(from)",
    death,
  ],
  ["it turns to where it is", "neighbour.ts", "this.#isAround = !this.#isAround;", "this.#isAround = true;", death],
];
describe("a planted fault is found", () => {
  const mutants = new Mutants();
  beforeAll(() => mutants.prepare());
  afterAll(() => mutants.remove());
  it.each(faults)("%s", async (_name, file, from, to, run) => {
    const software = await mutants.of(file, from, to);
    await expect(run(software)).rejects.toThrow();
  });
});
