/** DAGs that run at a peer: sent there, brought back, placed anew; with their state. */
import { describe, expect, it } from "vitest";
import { inRack } from "./support/modelled-rack.ts";

describe("a DAG for which there is no room", () => {
  it("runs at a peer, and comes back when a region is free", () =>
    inRack({ count: 2 }, async rack => {
      const [a, b] = rack.nics,
        first = await a.dag("dummy"),
        second = await a.dag("checksum"),
        third = await a.dag("counter");
      expect(await a.peers.place(first)).toBe("here");
      expect(await a.peers.place(second)).toBe("here");
      expect(await a.peers.place(third)).toBe("peer");
      expect(a.wayOf(third)).toBe("snic1");
      for (let i = 0; i < 5; i++) rack.packet(a, third, 3);
      await rack.until(() => rack.results.length === 5, "five results");
      expect(rack.results.map(r => `${r.n} ${r.at}`)).toEqual([1, 2, 3, 4, 5].map(n => `${n} snic1`));
    }));
});
