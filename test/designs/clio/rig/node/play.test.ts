import { expect, test } from "vitest";
import { makeSettings, type Settings } from "../../../../../designs/clio/config/index.ts";
import { Scoreboard } from "../../../../../designs/clio/model/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { play, prepare, withNode } from "../../../../../designs/clio/rig/index.ts";
import { type PlayOptions, type PlayResult } from "../../../../../designs/clio/rig/node/play.ts";

const settings = makeSettings(),
  page = BigInt(settings.config.pageSize),
  base = 16n * page;

/** Plays requests on a node with one page that holds "hello"; `spoil` may mislead the model that judges. */
function run(
  frames: (c: FrameClient) => readonly Uint8Array[],
  o: Partial<PlayOptions> & { readonly gapNs?: number } = {},
  spoil: (s: Scoreboard) => void = () => undefined,
  s: Settings = settings,
): Promise<PlayResult> {
  const scoreboard = new Scoreboard(s.config, s.runtime),
    client = new FrameClient(clientEndpoint(0), s.runtime);
  return withNode("play", s, { wave: false, slowPath: { observer: scoreboard } }, async node => {
    const memory = [{ pid: 1, address: base, bytes: new TextEncoder().encode("hello") }];
    await prepare(
      node,
      { processes: [1], mappings: [{ pid: 1, address: base, length: page, write: true, populate: true }], memory },
      scoreboard,
    );
    spoil(scoreboard);
    return play(
      node,
      frames(client).map((bytes, i) => ({ timeNs: BigInt(i * (o.gapNs ?? 2000)), bytes })),
      { pace: "capture", scoreboard, ...o },
    );
  });
}

test("a byte that the model expects to be another is a difference", async () => {
  const r = await run(
    c => [c.read(1, base, 5)],
    {},
    s => s.preset(1, base + 1n, Uint8Array.of(0x61)),
  );
  expect(r.problems.length).toBe(1);
  expect(r.problems[0]).toMatch(
    /^at \d+: READ of pid 1, issued at \d+, answered at \d+: byte 0x4000001 is 0x65, which no order of the writes allows \(0x61\)$/,
  );
});

test("a mapping that the model does not know of makes its success a difference", async () => {
  const r = await run(
    c => [c.read(1, base, 5)],
    {},
    s => s.unmap(1, base / page),
  );
  expect(r.problems).toEqual([expect.stringMatching(/status OK, expected INVALID$/)]);
});

test("a reply that has not come in time is lost, and that is a difference", async () => {
  const r = await run(c => [c.read(1, base, 5)], { timeoutCycles: 20, pace: "closed-loop" });
  expect(r.requests.map(x => x.silence)).toEqual(["lost"]);
  expect(r.problems).toEqual([expect.stringMatching(/^READ issued at \d+ was never answered$/)]);
});

test("leaving idle stretches out changes no latency and no time of a reply", async () => {
  const frames = (c: FrameClient): Uint8Array[] => [
    c.read(1, base, 5),
    c.write(1, base, Uint8Array.of(1)),
    c.createProcess(),
    c.read(1, base, 64),
    c.arp(),
  ];
  const near = await run(frames, { gapNs: 2600 }),
    far = await run(frames, { gapNs: 5_000_000 });
  expect(far.skipped).toBeGreaterThan(4_000_000);
  expect(far.requests.map(x => [x.name, x.status, x.latency])).toEqual(
    near.requests.map(x => [x.name, x.status, x.latency]),
  );
  expect(far.requests.map(x => x.start)).toEqual([0, 1, 2, 3, 4].map(i => i * 1_250_000));
  // From its request to each reply it is as long.
  const after = (r: PlayResult, gap: number): number[] => r.replies.map((x, i) => Number(x.timeNs) - i * gap);
  expect(after(far, 5_000_000)).toEqual(after(near, 2600));
});

test("more requests to the slow path than it takes at once: some are BUSY, and that is no difference", async () => {
  const r = await run(c => Array.from({ length: 60 }, () => c.createProcess()), { pace: "line-rate" });
  expect(r.problems).toEqual([]);
  const busy = r.requests.filter(x => x.status === 6).length;
  expect(busy).toBeGreaterThan(0);
  expect(r.requests.filter(x => x.status === 0).length).toBe(60 - busy);
});
