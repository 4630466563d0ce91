import { describe, expect, it } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { dissect, status } from "../../../../../designs/clio/wire/index.ts";
import { withNode } from "../../../../../designs/clio/rig/index.ts";

interface Refill {
  /** Cycles from the first frame's first beat to the last one's, and those of their beats alone: the line's rate. */
  readonly cycles: number;
  readonly beats: number;
  readonly leastFreePages: number;
  /** Cycles in which the free-page buffer was empty. */
  readonly emptyCycles: number;
  /** Least cycles between two pages that the slow path pushed. */
  readonly cyclesPerPage: number;
  readonly faults: number;
  /** Replies with status OK. */
  readonly answered: number;
}

/**
 * Smallest READs back to back as fast as the node takes them, each the first touch of another page.
 * @param slower cycles by which every page of the slow path comes later
 */
function firstTouches(seed: number, pages: number, slower = 0): Promise<Refill> {
  const settings = makeSettings(),
    page = BigInt(settings.config.pageSize);
  return withNode("first touches", settings, { seed, wave: false }, async node => {
    const { bench, transport } = node,
      client = new FrameClient(clientEndpoint(0), settings.runtime),
      push = transport.pushFreePage.bind(transport);
    let last = -Infinity,
      cyclesPerPage = Infinity;
    transport.pushFreePage = async ppn => {
      await bench.cycles(slower);
      await push(ppn);
      cyclesPerPage = Math.min(cyclesPerPage, bench.cycle - last);
      last = bench.cycle;
    };
    const { memory } = node.slowPath;
    expect(
      await memory.allocate({ pid: 1, address: page, length: BigInt(pages) * page, vregion: 0n, write: true }),
    ).toMatchObject({ ok: true });
    await node.settled();
    const sent = Array.from({ length: pages }, (_, i) => node.send(client.read(1, page * BigInt(1 + i), 58)));
    let least = Infinity,
      empty = 0,
      answered = 0;
    bench.onEdge({
      sample: () => {
        for (let f = node.take(); f !== undefined; f = node.take())
          if (dissect(f.bytes).clio?.status === status.OK) answered++;
        const free = Number(bench.io.freePages.value);
        least = Math.min(least, free);
        if (free === 0) empty++;
      },
    });
    await bench.until(() => answered === pages);
    const counters = await node.counters();
    return {
      cycles: sent.at(-1)!.end! - sent[0]!.start! + 1,
      beats: sent.reduce((n, s) => n + Math.ceil(s.bytes.length / settings.config.beatBytes), 0),
      leastFreePages: least,
      emptyCycles: empty,
      cyclesPerPage,
      faults: Number(counters.pageFaults),
      answered,
    };
  });
}

describe("free pages come faster than anybody can touch new ones", () => {
  it("with every access at line rate a first touch, none waits for a page", async () => {
    const r = await firstTouches(1, 320);
    console.log(
      `320 first touches in ${r.cycles} cycles (${(r.cycles / 320).toFixed(2)} each; the line's beats alone: ${r.beats}); a page from the slow path every ${
        r.cyclesPerPage
      } cycles; the buffer never held fewer than ${r.leastFreePages}`,
    );
    expect(r).toMatchObject({ faults: 320, answered: 320, emptyCycles: 0 });
    expect(r.leastFreePages).toBeGreaterThan(0);
    expect(r.cyclesPerPage).toBeLessThan(r.cycles / 320);
  });
  it("planted fault: a slow path that is too slow is seen, and still nothing is lost", async () => {
    const r = await firstTouches(1, 320, 60);
    expect(r.emptyCycles).toBeGreaterThan(0);
    expect(r.leastFreePages).toBe(0);
    expect(r).toMatchObject({ faults: 320, answered: 320 });
  });
});
