import { makeSettings } from "../../config/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { prepare, withNode } from "../../rig/index.ts";

/** A burst of smallest frames at line rate, every one the first touch of another page. */
export interface FirstTouches {
  readonly outstandingMisses: number;
  readonly frames: number;
  /** Cycles of the frames' beats, and cycles that passed from the first to the last. */
  readonly beats: number;
  readonly cycles: number;
  /** Cycles in which a beat waited at `rx`. */
  readonly stalls: number;
  /** Least pages in the free-page buffer meanwhile, and cycles in which it was empty. */
  readonly leastFreePages: number;
  readonly emptyCycles: number;
  readonly faults: number;
  readonly evictions: number;
}

/**
 * @param outstandingMisses misses in flight that the build has room for (another value than the default
 * is another model)
 */
export async function measureFirstTouches(
  seed: number,
  outstandingMisses: number,
  frames = 400,
): Promise<FirstTouches> {
  const settings = makeSettings({ outstandingMisses }),
    { config, runtime } = settings,
    scoreboard = new Scoreboard(config, runtime),
    page = BigInt(config.pageSize);
  return withNode("first touches", settings, { seed, wave: false, slowPath: { observer: scoreboard } }, async node => {
    const { bench } = node,
      client = new FrameClient(clientEndpoint(0), runtime);
    await prepare(
      node,
      {
        processes: [1],
        memory: [],
        mappings: [{ pid: 1, address: page, length: BigInt(frames) * page, write: true, populate: false }],
      },
      scoreboard,
    );
    await node.settled();
    const sent = Array.from({ length: frames }, (_, i) => node.send(client.read(1, page * BigInt(1 + i), 58)));
    let stalls = 0,
      least = Infinity,
      empty = 0,
      answered = 0;
    const remove = bench.onEdge({
      sample: () => {
        for (let f = node.take(); f !== undefined; f = node.take()) answered++;
        if (bench.io.rx.valid.value === 1 && bench.io.rx.ready.value === 0) stalls++;
        const pages = Number(bench.io.freePages.value);
        least = Math.min(least, pages);
        if (pages === 0) empty++;
      },
    });
    await bench.until(() => answered === frames);
    remove();
    const counters = await node.counters(),
      first = sent[0]?.start as number,
      last = sent.at(-1)?.end as number;
    return {
      outstandingMisses,
      frames,
      beats: sent.reduce((n, s) => n + Math.ceil(s.bytes.length / config.beatBytes), 0),
      cycles: last - first + 1,
      stalls,
      leastFreePages: least,
      emptyCycles: empty,
      faults: Number(counters.pageFaults),
      evictions: Number(counters.tlbEvictions),
    };
  });
}
