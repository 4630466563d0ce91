/** DAGs that run at a peer: sent there, brought back, placed anew; with their state. */
import { describe, expect, it } from "vitest";
import type { Dag } from "../../../../../designs/supernic/software/index.ts";
import { inRack, type ModelledRack, type Nic, type RackOptions } from "./support/modelled-rack.ts";

/** Two chains fill the first sNIC; the third DAG has no room there. */
async function full(rack: ModelledRack, task = "counter"): Promise<{ a: Nic; first: Dag; second: Dag; third: Dag }> {
  const a = rack.nic(0),
    [first, second, third] = [await a.dag("dummy"), await a.dag("checksum"), await a.dag(task)];
  expect([await a.peers.place(first), await a.peers.place(second)]).toEqual(["here", "here"]);
  return { a, first, second, third };
}
const inFull = (o: RackOptions, body: (rack: ModelledRack, w: Awaited<ReturnType<typeof full>>) => Promise<void>) =>
  inRack(o, async rack => body(rack, await full(rack)));
const packets = (rack: ModelledRack, nic: Nic, dag: Dag, count: number): number[] =>
  Array.from({ length: count }, () => rack.packet(nic, dag, 3));
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a DAG for which there is no room", () => {
  it("runs at a peer, and comes back with its state when a region is free; no packet is lost or passed", () =>
    inFull({ count: 2 }, async (rack, { a, first, third }) => {
      expect(await a.peers.place(third)).toBe("peer");
      expect(a.wayOf(third)).toBe("snic1");
      const sent = packets(rack, a, third, 5);
      await rack.until(() => rack.results.length === 5, "five results");
      expect(rack.results.map(r => [r.id, r.n, r.at])).toEqual(sent.map((id, i) => [id, i + 1, "snic1"]));
      await a.free(first);
      // Packets come all the time while it moves.
      while (a.wayOf(third) !== "here") {
        packets(rack, a, third, 1);
        await rack.periods(0.05);
      }
      packets(rack, a, third, 3);
      await rack.until(() => a.peers.away.counts.back === 1, "it is back");
      await rack.periods(5);
      expect(rack.results.map(r => r.n)).toEqual(numbers(1, rack.results.length));
      expect(rack.results.at(-1)?.at).toBe("snic0");
      expect(rack.nics.flatMap(n => n.model.dropped)).toEqual([]);
      expect(a.peers.away.counts).toMatchObject({ sent: 1, back: 1, lost: 0 });
      expect(rack.nic(1).peers.guests.all).toEqual([]);
    }));
  it("does not come back before it has stayed for 20 periods, nor into a victim's region", () =>
    inFull({ count: 2 }, async (rack, { a, first, second, third }) => {
      await a.peers.place(third);
      const since = rack.time.now();
      // The second's region is a victim's: nobody wants what it holds, and it may be wanted again.
      await a.peers.withdraw(second);
      await a.manager.stop(a.manager.chains.find(c => c.labels[0] === "checksum")!);
      await rack.periods(15);
      expect(a.wayOf(third)).toBe("snic1");
      await a.free(first);
      await rack.until(() => a.wayOf(third) === "here", "it is back", 20);
      expect(rack.time.now() - since).toBeGreaterThan(20 * 100_000);
    }));
  it("that runs here goes to a peer with what it knows", () =>
    inRack({ count: 2 }, async rack => {
      const a = rack.nic(0),
        dag = await a.dag("counter");
      expect(await a.peers.place(dag)).toBe("here");
      packets(rack, a, dag, 4);
      const moved = a.peers.away.move(dag);
      for (let i = 0; i < 60; i++) {
        packets(rack, a, dag, 1);
        await rack.periods(0.1);
      }
      expect(await moved).toBe(true);
      await rack.periods(2);
      expect(rack.results.map(r => r.n)).toEqual(numbers(1, 64));
      expect(rack.results.map(r => r.at)).toEqual(expect.arrayContaining(["snic0", "snic1"]));
      expect(rack.nics.flatMap(n => n.model.dropped)).toEqual([]);
    }));
  it("goes to the nearest peer that has room, and farther when that has none", () =>
    inFull({ count: 4, hops: (_a, b) => (b === 1 ? 2 : 1) }, async (rack, { a, third }) => {
      // The second has no room.
      const c = rack.nic(2);
      for (const task of ["dummy", "checksum"]) await c.peers.place(await c.dag(task));
      await rack.periods(3);
      expect(await a.peers.place(third)).toBe("peer");
      expect(a.wayOf(third)).toBe("snic3");
      await rack.periods(3);
      await rack.nic(3).peers.place(await rack.nic(3).dag("dummy"));
      await rack.periods(3);
      const fourth = await a.dag("counter");
      expect(await a.peers.place(fourth)).toBe("peer");
      expect(a.wayOf(fourth)).toBe("snic1");
    }));
  it("prefers a peer that has its chain already", () =>
    inRack({ count: 4 }, async rack => {
      const [a, b, d] = [rack.nic(0), rack.nic(1), rack.nic(3)];
      for (const task of ["counter", "dummy"]) await a.peers.place(await a.dag(task));
      await b.peers.place(await b.dag("dummy"));
      await d.peers.place(await d.dag("checksum"));
      await rack.periods(3);
      const dag = await a.dag("checksum");
      expect(await a.peers.place(dag)).toBe("peer");
      expect(a.wayOf(dag)).toBe("snic3");
      expect(d.manager.counted.reprogrammed).toBe(1);
    }));
  it("runs at its endpoint when nobody has room; else in place of the least loaded", async () => {
    for (const atEndpoint of [true, false])
      await inFull({ count: 2, runsAtEndpoint: () => atEndpoint }, async (rack, { a, first, third }) => {
        const b = rack.nic(1);
        for (const task of ["dummy", "checksum"]) await b.peers.place(await b.dag(task));
        await rack.periods(3);
        expect(await a.peers.place(third)).toBe(atEndpoint ? "endpoint" : "here");
        expect(a.wayOf(third)).toBe(atEndpoint ? "nowhere" : "here");
        if (atEndpoint) expect(b.peers.guests.counts).toMatchObject({ launched: 0 });
        // Whose chain was given up goes where it runs already.
        if (!atEndpoint) await rack.until(() => a.wayOf(first) === "snic1", "the other DAG has a place");
      });
  });
  it("that keeps its shim, or leaves elsewhere than by MAC, does not go to a peer", () =>
    inFull({ count: 2, runsAtEndpoint: () => true }, async (_rack, { a }) => {
      for (const more of [{ keepShim: true }, { way: "back" as const }])
        expect(await a.peers.place(await a.dag("counter", more))).toBe("endpoint");
    }));
  it("takes no region of a peer's own DAGs, and is placed anew when it loses its own", () =>
    inFull({ count: 2, runsAtEndpoint: d => d.uid < 1024 + 64, load: 95 }, async (rack, { a, third }) => {
      expect(await a.peers.place(third)).toBe("peer");
      const b = rack.nic(1);
      // The peer wants both of its regions.
      for (const task of ["dummy", "checksum"]) expect(await b.peers.place(await b.dag(task))).toBe("here");
      await rack.until(() => a.wayOf(third) === "nowhere", "it is at the endpoint");
      expect(a.peers.away.counts).toMatchObject({ anew: 1, endpoint: 1, lost: 1 });
      await rack.until(() => b.peers.guests.all.length === 0, "no guest is left");
    }));
});

describe("a peer that is gone", () => {
  it("loses the DAGs that it had: rules off, chains anew, lost state counted, all else goes on", () =>
    inRack({ count: 3 }, async rack => {
      const { a, first, second, third } = await full(rack),
        [b, c] = [rack.nic(1), rack.nic(2)];
      const other = await c.dag("dummy");
      await c.peers.place(other);
      expect(await a.peers.place(third)).toBe("peer");
      expect(a.wayOf(third)).toBe("snic1");
      packets(rack, a, third, 3);
      await rack.periods(1);
      b.model.dead = true;
      b.peers.stop();
      await rack.until(() => a.gone.length === 1, "it is gone", 8);
      await rack.until(() => a.wayOf(third) === "snic2", "it runs elsewhere");
      expect(a.peers.away.counts).toMatchObject({ anew: 1, lost: 1, sent: 2 });
      const before = rack.results.length;
      packets(rack, a, third, 3);
      for (const [nic, dag] of [
        [a, first],
        [a, second],
        [c, other],
      ] as const)
        packets(rack, nic, dag, 2);
      await rack.periods(3);
      expect(
        rack.results
          .slice(before)
          .filter(r => r.at === "snic2" && r.n > 0)
          .map(r => r.n),
      ).toEqual([1, 2, 3]);
      expect(rack.results.length - before).toBe(9);
      expect([a.gone, c.gone]).toEqual([["snic1"], ["snic1"]]);
    }));
  it("forgets its guests by itself when it hears its owner no longer, or its owner has started anew", async () => {
    for (const how of ["cut", "restart"] as const)
      await inFull({ count: 2 }, async (rack, { a, third }) => {
        await a.peers.place(third);
        const b = rack.nic(1);
        if (how === "restart") a.restart();
        else {
          rack.cut.add("0 1");
          rack.cut.add("1 0");
        }
        await rack.until(() => b.peers.guests.all.length === 0, "no guest is left", 9);
        expect(b.model.entry("uid", third.uid % 1024, 1)["valid"]).toBe(0);
        rack.cut.clear();
        await rack.until(
          () => a.neighbour(1).presence === "there" && b.neighbour(0).presence === "there",
          "both there",
        );
        await rack.periods(5);
        if (how === "restart") expect(await a.peers.place(third)).toBe("peer");
        await rack.until(() => a.wayOf(third) === "snic1" || a.wayOf(third) === "here", "it runs");
      });
  });
  it("that does not hear us counts as gone here, too: both ends agree within 12 periods", () =>
    inFull({ count: 2 }, async (rack, { a, third }) => {
      await a.peers.place(third);
      rack.cut.add("0 1");
      await rack.until(() => a.gone.length === 1 && rack.nic(1).gone.length === 1, "both are gone", 12);
      expect(rack.nic(1).peers.guests.all).toEqual([]);
    }));
  it("while its DAG comes back: it runs here without its state", () =>
    inFull({ count: 2 }, async (rack, { a, first, third }) => {
      await a.peers.place(third);
      packets(rack, a, third, 3);
      await rack.periods(21);
      rack.cut.add("1 0");
      await a.free(first);
      await rack.until(() => a.wayOf(third) === "here", "its packets wait here", 30);
      packets(rack, a, third, 2);
      await rack.until(() => rack.results.length === 5, "all have come", 30);
      expect(rack.results.map(r => `${r.n} ${r.at}`).slice(3)).toEqual(["1 snic0", "2 snic0"]);
      expect(a.peers.away.counts.lost).toBe(1);
      rack.cut.clear();
    }));
});
