/** Faults in the software of peers, each found by what must hold of a rack. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { life } from "./support/life.ts";
import { inRack, type ModelledRack, type RackOptions } from "./support/modelled-rack.ts";
import { Mutants } from "./support/mutant.ts";

type Software = RackOptions["software"];
const bad = { loss: 0.1, duplicate: 0.1, reorder: 0.1 };
/** Moves and packets on bad lines; then sNICs that fail, too. */
const works = (software: Software): Promise<void> =>
  inRack({ count: 3, seed: 1, faults: bad, software }, rack => life(rack, { periods: 80, failures: 0 }));
const survives = (software: Software): Promise<void> =>
  inRack({ count: 3, seed: 4, faults: bad, software }, rack => life(rack, { periods: 150, failures: 0.03 }));
/** A DAG with state goes to a peer and comes back, while its packets come all the time. */
const moves = async (software: Software): Promise<void> => {
  for (const seed of [3, 5, 8]) await movesOnce(software, seed);
};
const movesOnce = (software: Software, seed: number): Promise<void> =>
  inRack({ count: 2, seed, faults: bad, software }, async rack => {
    const a = rack.nic(0),
      dag = await a.dag("counter");
    await a.peers.place(dag);
    for (let round = 0; round < 2; round++) {
      void a.peers.away.move(dag);
      const from = a.peers.away.counts.back;
      for (let i = 0; i < 3000 && a.peers.away.counts.back === from; i++) {
        rack.packet(a, dag, 0);
        await rack.periods(0.03);
      }
      need(a.peers.away.counts.back === from + 1, "it does not come back");
    }
    await rack.periods(3);
    need(
      rack.results.every((r, i) => r.n === i + 1),
      "a packet was counted twice, or not at all",
    );
    need(
      rack.nics.every(n => n.model.dropped.length === 0),
      "a packet was dropped",
    );
  });
const need = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
/** All that was said to a peer for a move is said again, when the chain has gone on there. */
const repeats = (software: Software): Promise<void> =>
  inRack({ count: 2, software }, async rack => {
    const [a, b] = [rack.nic(0), rack.nic(1)],
      dag = await a.dag("counter"),
      said: Uint8Array[] = [];
    await a.peers.place(dag);
    const counts = async (packets: number): Promise<void> => {
      for (let i = 0; i < packets; i++) rack.packet(a, dag, 0);
      await rack.periods(2);
    };
    await counts(3);
    rack.between = (from, _to, frame) => {
      if (from === 0) said.push(frame);
      return [frame];
    };
    need(await a.peers.away.move(dag), "it does not go");
    await counts(3);
    for (const f of [...said]) b.peers.receive(f, b.portTo(0));
    await rack.periods(1);
    await counts(3);
    need(
      rack.results.every((r, i) => r.n === i + 1),
      "a packet was counted twice, or not at all",
    );
    need(b.peers.guests.counts.launched === 1, "it is launched twice");
  });
/** One that is away, and whose peer is not heard any more. */
const away = (software: Software, body: (rack: ModelledRack) => Promise<void>): Promise<void> =>
  inRack({ count: 2, software }, async rack => {
    const a = rack.nic(0);
    for (const task of ["dummy", "checksum", "counter"]) await a.peers.place(await a.dag(task));
    await body(rack);
  });
/** Nothing of a guest is left when its owner is gone, whichever way the line is cut. */
const forgets = async (software: Software): Promise<void> => {
  for (const cut of [["0 1"], ["1 0"], ["0 1", "1 0"]])
    await away(software, async rack => {
      const [a, b] = [rack.nic(0), rack.nic(1)];
      for (const c of cut) rack.cut.add(c);
      await rack.periods(16);
      need(b.peers.guests.all.length === 0, "a guest is left");
      need(a.gone.length === 1 && b.gone.length === 1, "not told once that it is gone");
      need(
        a.dags.every(d => a.wayOf(d) !== "snic1"),
        "a rule leads to who is gone",
      );
      // Whose place it takes has it for a hold at least.
      await rack.periods(60);
      need(a.dags[2] !== undefined && a.wayOf(a.dags[2]) === "here", "what was away has no place");
      rack.cut.clear();
      await rack.periods(60);
    });
};
/** A guest whose owner no longer names it is given up. */
const reconciles = (software: Software): Promise<void> =>
  away(software, async rack => {
    const [a, b] = [rack.nic(0), rack.nic(1)],
      [guest] = b.peers.guests.all;
    need(guest !== undefined, "there is no guest");
    await b.peers.guests.ownerGone(0, false);
    await rack.periods(3);
    need(a.neighbour(1).counts.denials === 1, "a denial is not counted");
  });

/** Regions of a peer that hold what nobody wants any more take a guest; and none while somebody waits for them. */
const victims = (software: Software): Promise<void> =>
  inRack({ count: 2, software }, async rack => {
    const [a, b] = [rack.nic(0), rack.nic(1)];
    for (const task of ["dummy", "checksum"]) {
      const dag = await b.dag(task);
      await b.peers.place(dag);
      for (const chain of b.manager.chains) await b.manager.stop(chain);
      await b.peers.away.withdraw(dag);
    }
    need(b.manager.spare === 0, "victims that are young are given away");
    await rack.periods(15);
    need(b.manager.spare === 2, "victims that are old are kept");
    for (const task of ["dummy", "checksum"]) await a.peers.place(await a.dag(task));
    need((await a.peers.place(await a.dag("counter"))) === "peer", "a peer with old victims has no room");
  });
/** An owner that starts anew launches again, and its earlier life's guests are gone. */
const restarts = (software: Software): Promise<void> =>
  away(software, async rack => {
    const a = rack.nic(0),
      third = a.dags[2];
    a.restart();
    await rack.periods(10);
    need(third !== undefined && (await a.peers.place(third)) === "peer", "its launch is refused");
    // And a peer that starts anew has nothing of ours any more.
    const said = a.neighbour(1).counts.restarts;
    rack.nic(1).restart();
    await rack.periods(3);
    need(a.neighbour(1).counts.restarts === said + 1, "nobody notices that it has started anew");
    await rack.periods(60);
    need(third !== undefined && a.wayOf(third) !== "nowhere", "the DAG has no place");
  });

const faults: readonly (readonly [
  name: string,
  file: string,
  from: string,
  to: string,
  run: (s: Software) => Promise<void>,
])[] = [
  [
    "a peer is gone far too late",
    "neighbour.ts",
    "<= silentPeriods * this.#period) return false",
    "<= 20 * this.#period) return false",
    forgets,
  ],
  [
    "a peer that does not hear us is there",
    "neighbour.ts",
    "<= silentPeriods * this.#period ? this.#boot : 0",
    "<= Infinity ? this.#boot : 0",
    forgets,
  ],
  [
    "an owner that is gone keeps its guests",
    "service.ts",
    "await this.guests.ownerGone(peer.place.number, anew);",
    "",
    forgets,
  ],
  ["rules lead on to who is gone", "service.ts", "this.away.gone(peer);", "", forgets],
  [
    "LOAD tells of empty regions only",
    "service.ts",
    "this.#site.manager.spare",
    'this.#site.manager.places.filter(p => p.use === "free").length',
    victims,
  ],
  ["a guest gets empty regions only", "site.ts", "Math.max(spare, ", "Math.max(0, ", victims],
  ["a denial is not seen", "away.ts", "++stay.missed >= mostMissed", "++stay.missed >= 1000", reconciles],
  [
    "new packets come before those at the peer are done",
    "away.ts",
    "for (const c of own) await ways.hold(c);",
    "",
    moves,
  ],
  ["the state stays behind", "away.ts", "state.restore(stateful, saved)", "state.restore(stateful, undefined)", moves],
  [
    "a guest takes packets before its state is there",
    "guests.ts",
    "for (const c of stateful) await ways.hold(c);",
    ";",
    moves,
  ],
  ["state is saved at the first quiet look", "site.ts", "site.time() - since >= site.quiet", "true", moves],
  [
    "state is saved while packets still come",
    "guests.ts",
    "if (!(await quietOf(this.#site, guest.chains, gaveUp))) return;\n    // Who",
    "// Who",
    moves,
  ],
  ["a move that is repeated is done again", "guests.ts", "guest.putting = undefined;", "", repeats],
  [
    "state is moved before the chain is drained",
    "guests.ts",
    "void this.#drain(guest);",
    'void this.#site.state.save(guest.chains.filter(hasState)).then(s => { guest.saved = s; guest.state = "paused"; });',
    moves,
  ],
  [
    "a chain with state is shared with a guest",
    "away.ts",
    "const mine = this.#mayHave(chains);",
    "const mine = true;",
    works,
  ],
  [
    "packets go to a peer before it is ready",
    "away.ts",
    "this.#stays.set(dag.uid, stay);",
    "stay.ready = true; this.#stays.set(dag.uid, stay);",
    moves,
  ],
  ["a guest is never let go", "guests.ts", "this.#guests.delete(guest);", "", forgets],
  ["a DAG that has lost its place gets no other", "away.ts", "void this.place(stay.dag);", "", forgets],
  ["an earlier life's launches bind", "guests.ts", "if (anew) this.#launches.delete(owner);", "", restarts],
  [
    "a peer that started anew is taken for the old one",
    "neighbour.ts",
    "if (!anew) return false;",
    "return false;",
    restarts,
  ],
  [
    "a DAG that fails on its way is kept",
    "away.ts",
    "if (this.#stays.get(stay.dag.uid) === stay) this.#stays.delete(stay.dag.uid);",
    "",
    restarts,
  ],
];

describe("a planted fault in the software of peers is found", () => {
  const mutants = new Mutants();
  beforeAll(() => mutants.prepare());
  afterAll(() => mutants.remove());
  it("and nothing without one", async () => {
    for (const run of [works, moves, repeats, survives, forgets, reconciles, victims, restarts]) await run(undefined);
  });
  it("the software as it is, made in the same way, is right", async () => {
    const software = await mutants.of("away.ts", "export const mostAway = 16;", "export const mostAway = 16; ");
    for (const run of [works, forgets]) await run(software);
  });
  it.each(faults)("%s", async (_, file, from, to, run) => {
    const software = await mutants.of(file, from, to);
    await expect(run(software)).rejects.toThrow();
  });
});
