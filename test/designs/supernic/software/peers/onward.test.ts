/**
 * A ring of four: opposite sNICs hear each other over the one in between. What that one's software, its power and its
 * lines do must change what went over it, and nothing else (docs/supernic/peers.md, "Over another sNIC").
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dag } from "../../../../../designs/supernic/software/index.ts";
import { inRack, type ModelledRack, type Nic, period, type RackOptions } from "./support/modelled-rack.ts";
import { Mutants } from "./support/mutant.ts";

type Software = RackOptions["software"];
/** The opposite one is behind the second, or for the second and the last behind the third. */
const over = (a: number, b: number): number | undefined =>
  Math.abs(a - b) === 2 ? 1 + (Math.min(a, b) % 2) : undefined;
interface Ring {
  readonly rack: ModelledRack;
  readonly a: Nic;
  /** Of the first sNIC, in the order in which they were placed. */
  readonly dags: readonly Dag[];
}
const need = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
/** The first sNIC is full; its third DAG is at the opposite one, and others may follow. */
const inRing = (software: Software, body: (r: Ring) => Promise<void>, seed = 1): Promise<void> =>
  inRack({ count: 4, over, seed, software }, async rack => {
    const a = rack.nic(0);
    // Both of its neighbours are full: only the opposite sNIC has room.
    for (const n of [1, 3])
      for (const task of ["dummy", "checksum"]) await rack.nic(n).peers.place(await rack.nic(n).dag(task));
    await rack.periods(3);
    const dags: Dag[] = [];
    for (const task of ["dummy", "checksum", "counter"]) {
      const dag = await a.dag(task);
      dags.push(dag);
      await a.peers.place(dag);
    }
    need(dags[2] !== undefined && a.wayOf(dags[2]) === "snic2", "the third is not at the opposite sNIC");
    await body({ rack, a, dags });
  });
const third = ({ dags }: Ring): Dag => {
  const [, , dag] = dags;
  if (dag === undefined) throw new RangeError("there is a third DAG");
  return dag;
};
/** So many packets of the third DAG. @throws when the chain there has not counted on */
async function counts(r: Ring, packets: number): Promise<void> {
  const from = r.rack.results.length;
  for (let i = 0; i < packets; i++) r.rack.packet(r.a, third(r), 0);
  await r.rack.periods(2);
  const got = r.rack.results.slice(from);
  need(got.length === packets, `${got.length} of ${packets} results have come`);
  need(
    got.every((x, i) => x.at === "snic2" && (i === 0 || x.n === (got[i - 1]?.n ?? 0) + 1)),
    "another chain has counted",
  );
}

/** It goes there and comes back with its state, and its packets are counted one after the other. */
const returns = (software: Software): Promise<void> =>
  inRing(software, async r => {
    const { rack, a, dags } = r;
    await counts(r, 5);
    const [first] = dags;
    if (first !== undefined) await a.free(first);
    for (let i = 0; i < 2000 && a.peers.away.counts.back === 0; i++) {
      rack.packet(a, third(r), 0);
      await rack.periods(0.05);
    }
    need(a.peers.away.counts.back === 1, "it does not come back");
    await rack.periods(5);
    need(
      rack.results.every((x, i) => x.n === i + 1),
      "a packet was counted twice, or not at all",
    );
    need(
      rack.nics.every(n => n.model.dropped.length === 0 && n.peers.guests.all.length === 0),
      "a packet was dropped, or a guest is left",
    );
  });
/** The software in between is silent, and then begins anew: frames pass all the same. */
const passesOn = (software: Software): Promise<void> =>
  inRing(software, async r => {
    const { rack, a } = r;
    await counts(r, 3);
    rack.nic(1).peers.stop();
    await rack.periods(12);
    need(a.gone.join() === "snic1", `gone are ${a.gone.join()}, and it is snic1`);
    await counts(r, 3);
    rack.nic(1).restart();
    await rack.periods(10);
    await counts(r, 3);
    need(a.neighbour(1).presence === "there", "it does not return");
    need(a.peers.away.counts.anew === 0 && a.wayOf(third(r)) === "snic2", "a chain behind it was launched anew");
    need(
      rack.nic(2).gone.every(n => n === "snic1"),
      "the far one has lost its owner",
    );
  });
/** The sNIC in between is off: all that went over it is launched anew, and nothing else is touched. */
const fails = (software: Software): Promise<void> =>
  inRing(software, async r => {
    const { rack, a, dags } = r,
      [first, second] = dags,
      there = rack.nic(3);
    await counts(r, 3);
    // One of its DAGs is at the neighbour, on the other side.
    const chain = there.dags[0];
    if (chain !== undefined) await there.free(chain);
    await rack.periods(3);
    const other = await a.dag("counter");
    await a.peers.place(other);
    need(a.wayOf(other) === "snic3", "the fourth DAG is not at the neighbour");
    rack.nic(1).fail();
    const lost = rack.packet(a, third(r), 0);
    await rack.periods(9);
    need([...a.gone].sort().join() === "snic1,snic2", `gone are ${a.gone.join()}`);
    need(rack.nic(2).gone.includes("snic0"), "the far one has not noticed");
    need(rack.nic(2).peers.guests.of(0).length === 0, "a guest is left behind it");
    need(there.gone.join() === "snic1", `the neighbour has lost ${there.gone.join()}`);
    need(a.peers.away.counts.anew === 1 && a.peers.away.counts.lost === 1, "not counted once");
    need(
      a.model.dropped.some(d => d.id === lost),
      "a packet that was lost on the way has no end",
    );
    need(a.wayOf(other) === "snic3" && there.peers.guests.of(0).length >= 1, "the other side was touched");
    const from = rack.results.length;
    for (const dag of [first, second, other]) if (dag !== undefined) rack.packet(a, dag, 0);
    await rack.periods(3);
    need(rack.results.length === from + 3, "other DAGs do not run");
    await rack.nic(1).reborn();
    await rack.periods(80);
    need(a.neighbour(2).presence === "there", "the far one does not return");
    need(a.wayOf(third(r)) !== "nowhere", "what was lost has no place");
  });
/** The far one is off, and who is in between says again all that it has said: it is gone all the same. */
const oldNews = (software: Software): Promise<void> =>
  inRing(software, async r => {
    const { rack, a } = r,
      said: Uint8Array[] = [];
    rack.between = (from, to, frame) => {
      if (from === 2 && to === 1) said.push(frame);
      return [frame];
    };
    await rack.periods(4);
    rack.nic(2).fail();
    const since = rack.time.now();
    const stale = a.neighbour(2).counts.stale;
    for (let i = 0; i < 80 && a.gone.length === 0; i++) {
      for (const f of said.slice(-6)) a.peers.receive(f, a.portTo(2));
      await rack.periods(0.1);
    }
    need(a.gone.join() === "snic2", "old news keep it there");
    need(rack.time.now() - since <= 7.5 * period, "it is gone too late");
    need(a.neighbour(2).counts.stale > stale, "old news are not counted");
    need(a.neighbour(1).presence === "there", "the one in between is gone, too");
  });
/** News that were held up count by their number: what comes behind a newer one changes nothing. */
const heldUp = (software: Software): Promise<void> =>
  inRing(software, async r => {
    const { rack, a } = r,
      held: Uint8Array[] = [];
    let holds = true;
    rack.between = (from, to, frame) => {
      if (!holds || from !== 1 || to !== 0 || frame[11] !== 0x12) return [frame];
      held.push(frame);
      return [];
    };
    await rack.periods(3);
    holds = false;
    await rack.periods(2);
    const { sequence } = a.neighbour(2);
    for (const f of held) a.peers.receive(f, a.portTo(2));
    need(a.neighbour(2).sequence === sequence, "old news count");
    need(a.neighbour(2).counts.stale >= held.length && held.length > 3, "they are not counted");
    need(a.gone.length === 0, "it is gone");
    await counts(r, 2);
  });

describe("the opposite sNIC of a ring", () => {
  it("runs a DAG when nearer ones have no room, and gives it back with its state", () => returns(undefined));
  it("stays there while the software in between is silent, or begins anew", () => passesOn(undefined));
  it("is out of reach when the one in between is off: that alone is launched anew, and counted", () =>
    fails(undefined));
  it("is gone in time, whatever the one in between repeats", () => oldNews(undefined));
  it("is not taken back to what was held up on the way", () => heldUp(undefined));
  it("is not spoken for by the one in between", () =>
    inRing(undefined, async ({ rack, a }) => {
      const strangers = a.peers.counts.strangers,
        forged: Uint8Array[] = [];
      rack.between = (from, to, frame) => {
        if (from !== 1 || to !== 0) return [frame];
        // Its own message, as if it were the far one's: other addresses, and the key of another pair.
        const copy = Uint8Array.from(frame);
        copy[11] = 0x12;
        copy[29] = 3;
        if (frame[11] === 0x11) forged.push(copy);
        return frame[11] === 0x11 ? [frame, copy] : [frame];
      };
      await rack.periods(4);
      expect(forged.length).toBeGreaterThan(3);
      expect(a.peers.counts.strangers - strangers).toBe(forged.length);
      expect(a.neighbour(2).presence).toBe("there");
    }));
});

const faults: readonly (readonly [string, string, string, string, (s: Software) => Promise<void>])[] = [
  [
    "farther peers are asked first",
    "choose.ts",
    "a.peer.place.hops - b.peer.place.hops",
    "b.peer.place.hops - a.peer.place.hops",
    nearest,
  ],
  ["hops do not count", "choose.ts", "a.peer.place.hops - b.peer.place.hops ||", "", nearest],
  ["only neighbours are asked", "choose.ts", "!peer.isTrusted)", "!peer.isTrusted || peer.place.hops > 1)", returns],
  [
    "who is in between takes along all that is behind it",
    "away.ts",
    "if (stay.peer === peer) stay.over",
    "if (stay.peer.place.port === peer.place.port) stay.over",
    passesOn,
  ],
  ["one that is gone takes all others along", "away.ts", "if (stay.peer === peer) stay.over", "stay.over", fails],
  [
    "a message that is repeated counts as new",
    "neighbour.ts",
    "const isNew = after(sequence, this.#sequence);",
    "const isNew = true;",
    oldNews,
  ],
  [
    "and one that is older",
    "neighbour.ts",
    "const isNew = after(sequence, this.#sequence);",
    "const isNew = sequence !== this.#sequence;",
    heldUp,
  ],
  ["requests are told apart by port", "ask.ts", "keyOf: n => n.place.number", "keyOf: n => n.place.port", returns],
  [
    "a DAG goes by the place in the list of peers of another",
    "service.ts",
    "p.mac === n.place.mac)",
    "p.port === n.place.port)",
    returns,
  ],
  [
    "rules lead on over who is off",
    "service.ts",
    "this.away.gone(peer);",
    "if (peer.place.hops === 1) this.away.gone(peer);",
    fails,
  ],
  [
    "guests of an owner that is far stay",
    "service.ts",
    "await this.guests.ownerGone(peer.place.number, anew);",
    "if (peer.place.hops === 1) await this.guests.ownerGone(peer.place.number, anew);",
    fails,
  ],
];
/** A neighbour has less room than the opposite one, and gets the DAG. */
async function nearest(software: Software): Promise<void> {
  await inRack({ count: 4, over, software }, async rack => {
    const [a, b, d] = [rack.nic(0), rack.nic(1), rack.nic(3)];
    await b.peers.place(await b.dag("dummy"));
    for (const task of ["dummy", "checksum"]) await d.peers.place(await d.dag(task));
    await rack.periods(3);
    for (const task of ["dummy", "checksum"]) await a.peers.place(await a.dag(task));
    const dag = await a.dag("counter");
    need((await a.peers.place(dag)) === "peer" && a.wayOf(dag) === "snic1", "it is not at the nearest");
  });
}

describe("a planted fault is found", () => {
  const mutants = new Mutants();
  beforeAll(() => mutants.prepare());
  afterAll(() => mutants.remove());
  it("and nothing without one", () => nearest(undefined));
  it.each(faults)("%s", async (_, file, from, to, run) => {
    const software = await mutants.of(file, from, to);
    await expect(run(software)).rejects.toThrow();
  });
});
