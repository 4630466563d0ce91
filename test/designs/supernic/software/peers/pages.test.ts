/** Tasks' pages at peers: they come back as they went, or their task is told. docs/supernic/peers.md. */
import { describe, expect, it } from "vitest";
import { mostPageBytes } from "../../../../../designs/supernic/wire/index.ts";
import { period } from "./support/modelled-rack.ts";
import { pageBytes } from "./support/paged-board.ts";
import { inPaged, type PagedRack } from "./support/paged-rack.ts";

/** Of each task. */
const accesses = Number(process.env["MNEMO_ACCESSES"] ?? 16);
const bad = { loss: 0.1, duplicate: 0.1, reorder: 0.1 };

describe("pages at a peer", () => {
  it("more pages than the board has room for: each word is as it was written", () =>
    inPaged({ count: 2 }, [2], async paged => {
      const [first, second] = [paged.task(0, 0), paged.task(0, 1)];
      for (const t of [first, second, first]) await paged.fill(t);
      for (const t of [first, second]) expect(await paged.read(t)).toBe(0);
      const { pages } = paged.nic(0).nic.peers;
      expect(pages.counts).toMatchObject({ refused: 0, lost: 0, lies: 0, late: 0 });
      expect(pages.counts.out).toBeGreaterThan(4);
      expect(pages.counts.in).toBeGreaterThan(3);
      await paged.check();
    }));
  it.each([1, 2])("three sNICs with two users each, on lines that lose, double and delay (%i)", seed =>
    inPaged({ count: 3, seed, faults: bad }, [2, 2, 2], async paged => {
      await paged.work(accesses);
      for (const n of paged.nics) {
        expect(n.nic.peers.pages.counts).toMatchObject({ lost: 0, lies: 0 });
        expect(n.tasks.flatMap(t => [...t.lost])).toEqual([]);
      }
      expect(paged.nics.reduce((sum, n) => sum + n.nic.peers.pages.counts.in, 0)).toBeGreaterThan(10);
      await paged.check();
    }),
  );
});

describe("a peer that is not as it should be", () => {
  const away = (paged: PagedRack): Promise<void> =>
    paged.fill(paged.task(0, 0)).then(() => paged.fill(paged.task(0, 1)));
  const pagesOf = (paged: PagedRack, n = 0) => paged.nic(n).nic.peers.pages;

  it("falls silent: gone after 5 periods, its pages are lost, who touches one is told, the others have theirs", () =>
    inPaged({ count: 3 }, [2, 0, 1], async paged => {
      await away(paged);
      await paged.fill(paged.task(2, 0));
      const [b, owner] = [paged.nic(1), paged.nic(0).nic],
        there = pagesOf(paged).keptAt(owner.neighbour(1));
      expect(there).toBeGreaterThan(0);
      // A page is on its way when it dies.
      const touched = [paged.task(0, 0), paged.task(0, 1)].map(t => paged.read(t));
      await paged.rack.periods(0.2);
      b.nic.fail();
      const since = paged.rack.time.now(),
        denied = (await Promise.all(touched)).reduce((x, y) => x + y, 0);
      // Less is there than was promised: one that waits for room is told later than the others.
      expect(paged.rack.time.now() - since).toBeLessThan(120 * period);
      expect(pagesOf(paged).counts.lost).toBeGreaterThan(0);
      expect(pagesOf(paged).counts.lost).toBeLessThanOrEqual(there + 1);
      expect(denied).toBe(paged.nic(0).manager.counted.lost + paged.nic(0).manager.counted.refused);
      expect(await paged.read(paged.task(2, 0))).toBe(0);
      await b.nic.reborn();
      await paged.check();
    }));
  it("starts anew: at once its pages are lost, and nobody waits for a time to pass", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const there = pagesOf(paged).keptAt(paged.nic(0).nic.neighbour(1));
      paged.nic(1).nic.restart();
      await paged.rack.periods(2);
      expect(pagesOf(paged).counts.lost).toBe(there);
      const since = paged.rack.time.now(),
        denied = (await paged.read(paged.task(0, 0))) + (await paged.read(paged.task(0, 1)));
      expect(denied).toBe(there);
      expect(paged.rack.time.now() - since).toBeLessThan(5 * period);
      await paged.check();
    }));
  it("whose owner starts anew drops what it had of it", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const { kept } = paged.nic(1).nic.peers;
      expect(kept.keptOf(0).length).toBeGreaterThan(0);
      paged.nic(0).nic.restart();
      await paged.rack.until(() => kept.keptOf(0).length === 0, "all is dropped", 5);
      await paged.check();
    }));
  it("whose line is cut one way: both sides forget, and have the room again", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const { kept } = paged.nic(1).nic.peers;
      paged.rack.cut.add("1 0");
      await paged.rack.until(() => pagesOf(paged).outside === 0 && kept.keptOf(0).length === 0, "both forget", 14);
      paged.rack.cut.clear();
      await paged.rack.until(() => paged.nic(0).nic.neighbour(1).presence === "there", "it is there", 20);
      await paged.check();
    }));
  it("that the owner alone took for silent: the oldest number in LOAD frees what is there", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const { kept } = paged.nic(1).nic.peers;
      expect(kept.keptOf(0).length).toBeGreaterThan(0);
      pagesOf(paged).gone(paged.nic(0).nic.neighbour(1));
      const before = kept.keptOf(0);
      await paged.rack.until(() => !kept.keptOf(0).some(n => before.includes(n)), "all is dropped", 3);
      await paged.check();
    }));
  it("gives other bytes than it got: the task is told, and gets none of them", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const { kept } = paged.nic(1).nic.peers,
        honest = kept.in.bind(kept);
      kept.in = (owner, piece) => {
        const given = honest(owner, piece);
        return typeof given === "string" || piece.offset !== 5 * mostPageBytes ? given : given.map(x => x ^ 1);
      };
      const denied = (await paged.read(paged.task(0, 0))) + (await paged.read(paged.task(0, 1)));
      expect(denied).toBeGreaterThan(0);
      expect(pagesOf(paged).counts).toMatchObject({ lies: denied, lost: denied, in: 0 });
      kept.in = honest;
      await paged.check();
    }));
  it("does not answer for a page, and is there: the task is told within 21 periods, the peer is left alone", () =>
    inPaged({ count: 2 }, [2], async paged => {
      await away(paged);
      const { kept } = paged.nic(1).nic.peers,
        honest = kept.in.bind(kept);
      kept.in = () => "BUSY";
      const since = paged.rack.time.now(),
        denied = await paged.read(paged.task(0, 0));
      expect(denied).toBeGreaterThan(0);
      expect(paged.rack.time.now() - since).toBeLessThan(21 * denied * period);
      expect(pagesOf(paged).counts.late).toBe(denied);
      kept.in = honest;
      await paged.check();
    }));
  it("says that it has room, and has none: after three refusals it is not asked for 50 periods", () =>
    inPaged({ count: 2 }, [1], async paged => {
      await paged.fill(paged.task(0, 0));
      const { kept } = paged.nic(1).nic.peers,
        { pages } = paged.nic(0).nic.peers;
      kept.out = () => "FULL";
      const bytes = new Uint8Array(pageBytes);
      for (let i = 0; i < 6; i++) expect(await pages.put("x", bytes)).toBe(false);
      expect([pages.counts.refused, paged.nic(0).nic.neighbour(1).counts.boasts]).toEqual([3, 1]);
      await paged.rack.periods(51);
      await pages.put("x", bytes);
      expect(pages.counts.refused).toBe(4);
    }));
  it("has no room for more than its share: one owner's pages take nothing of another's", () =>
    inPaged({ count: 3 }, [0, 0, 0], async paged => {
      const [a, b, c] = [paged.nic(0).nic.peers, paged.nic(1).nic.peers, paged.nic(2).nic.peers],
        bytes = new Uint8Array(pageBytes).fill(1);
      const puts = await Promise.all([1, 2, 3, 4].map(i => a.pages.put(`${i}`, bytes)));
      expect(puts.filter(x => x)).toHaveLength(4);
      expect([b.kept.keptOf(0).length, c.kept.keptOf(0).length]).toEqual([2, 2]);
      expect(await a.pages.put("5", bytes)).toBe(false);
      expect([b.kept.freeOf(0), b.kept.freeOf(2)]).toEqual([0, 2]);
      // Another one knows the number, and gets nothing for it.
      const [page = 0] = b.kept.keptOf(0);
      expect(b.kept.in(2, { page, offset: 0, total: pageBytes })).toBe("EXPIRED");
      expect(b.kept.drop(2, page)).toBe("OK");
      expect(b.kept.keptOf(0)).toContain(page);
      for (const i of [1, 2, 3, 4]) await a.pages.drop(`${i}`);
      await paged.check();
    }));
  it("the board of the peer fails: what cannot be kept goes elsewhere, what cannot be read is lost", () =>
    inPaged({ count: 3, aside: 8 }, [2], async paged => {
      const [b, c] = [paged.nic(1), paged.nic(2)];
      for (const page of [6, 7, 8, 9]) b.board.bad.add(page);
      await away(paged);
      expect(b.nic.peers.kept.counts.bad).toBeGreaterThan(0);
      expect(b.nic.peers.kept.keptOf(0)).toEqual([]);
      expect(c.nic.peers.kept.keptOf(0).length).toBeGreaterThan(0);
      // Those that hold something; what goes out for what comes in has room.
      for (const page of [6, 7]) c.board.bad.add(page);
      const denied = (await paged.read(paged.task(0, 0))) + (await paged.read(paged.task(0, 1)));
      expect(denied).toBe(pagesOf(paged).counts.lost);
      expect(denied).toBeGreaterThan(0);
      await paged.check();
    }));
  it("less room than was promised: who waits for it is told after 100 periods, and others go on", () =>
    inPaged({ count: 2 }, [2], async paged => {
      const { kept } = paged.nic(1).nic.peers;
      kept.out = () => "FULL";
      await paged.fill(paged.task(0, 0));
      const since = paged.rack.time.now();
      await paged.fill(paged.task(0, 1));
      const refused = paged.task(0, 1).lost.size;
      expect(refused).toBeGreaterThan(0);
      expect(paged.nic(0).manager.counted.refused).toBe(refused);
      expect(paged.rack.time.now() - since).toBeLessThan((refused + 1) * 110 * period);
      expect(await paged.read(paged.task(0, 0))).toBe(0);
      await paged.check();
    }));
});
