/** What a sNIC in between costs, idle what docs/supernic/peers.md says, and no more than a bound under load. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Tap } from "../../../../../designs/rack/rig/fabric/index.ts";
import { plant } from "../../../../support/plant.ts";
import { inRing, notThroughTheFirst, ring } from "./ring.ts";
import { datagram } from "./two.ts";

const page = readFileSync("docs/supernic/peers.md", "utf8");
/** Numbers of the page. @throws when it does not say them */
function said(row: RegExp): readonly number[] {
  const found = row.exec(page);
  if (found === null) throw new Error(`docs/supernic/peers.md does not say ${row.source}`);
  return found.slice(1).map(Number);
}
const [base = 0, perBeat = 0] = said(/\| idle \| (\d+) \+ (\d+)b cycles/),
  [turn = 0, queueBeats = 0] = said(/b \+ (\d+) cycles each.*?fewer than (\d+) beats of its own class/);

const count = 5,
  clock = 4,
  beat = 64,
  /** Headers of the datagram as it was sent, and what a redirect has in front. */
  plain = 42,
  front = 22,
  inner = 28,
  lineNs = 100,
  onLine = 24;
const beats = (bytes: number): number => Math.ceil(bytes / beat),
  idle = (bytes: number): number => base + perBeat * beats(bytes);

interface Passed {
  /** Where: the sNIC in between. */
  readonly at: number;
  readonly is: "redirect" | "result";
  readonly cycles: number;
}
/** Follows datagrams of so many bytes: from the end of one line to the beginning of the next. */
class Watch {
  bytes = 0;
  readonly passed: Passed[] = [];
  readonly #came = new Map<string, number>();
  /** Lines between sNICs come behind those of the hosts; line k leads from sNIC k to the next. */
  readonly tap =
    (line: number): Tap =>
    (point, time, frame) => {
      const k = line - 2 * count;
      if (k < 0 || frame.length < this.bytes + plain) return;
      const key = Buffer.from(frame.slice(frame.length - this.bytes - inner)).toString("hex"),
        isOnward = point < 2,
        is = frame.length - this.bytes > plain ? "redirect" : "result",
        // Points 0 and 2: into the line; 1 and 3: out of it.
        at = point === 0 || point === 3 ? k : (k + 1) % count,
        place = `${at} ${is} ${isOnward} ${key}`;
      if (point % 2 === 1) this.#came.set(place, time);
      const came = this.#came.get(place);
      if (point % 2 === 0 && came !== undefined) this.passed.push({ at, is, cycles: (time - came) / clock });
    };
}

describe("a sNIC in between", () => {
  it("costs an idle frame what the page says, each way, and the link besides; nothing else", async () => {
    const sizes = [22, 500, 1000],
      trips: number[][] = [];
    for (const away of [1, 2, 3]) {
      const watch = new Watch(),
        own: number[] = [];
      await inRing(
        ring(count, notThroughTheFirst, notThroughTheFirst, away),
        { seed: 1, tap: watch.tap },
        async run => {
          const sink = run.rack.endpoint("sink1"),
            { time } = run.rack.clockwork;
          for (const bytes of sizes) {
            watch.bytes = bytes;
            watch.passed.splice(0);
            let came = NaN;
            const before = sink.onFrame;
            sink.onFrame = (frame, damaged) => {
              came = time.now();
              before?.(frame, damaged);
            };
            const from = time.now();
            run.flood(1, bytes, [1]);
            await run.stands();
            sink.onFrame = before;
            own.push((came - from) / clock);
            const between = Array.from({ length: away - 1 }, (_, i) => 2 + i);
            expect(watch.passed, `${away} links, ${bytes} bytes`).toEqual([
              ...between.map(at => ({ at, is: "redirect", cycles: idle(plain + bytes + front) })),
              ...between.toReversed().map(at => ({ at, is: "result", cycles: idle(plain + bytes) })),
            ]);
          }
          expect((await run.rack.finish()).problems).toEqual([]);
        },
      );
      trips.push(own);
    }
    // The whole way: a hop more is a redirect's, a result's, and two links'.
    for (const [i, bytes] of sizes.entries())
      for (const away of [1, 2]) {
        const lines = [front, 0].reduce((n, f) => n + (lineNs + ((plain + bytes + f + onLine) * 8) / 100) / clock, 0),
          more = (trips[away]?.[i] ?? NaN) - (trips[away - 1]?.[i] ?? NaN),
          wanted = idle(plain + bytes + front) + idle(plain + bytes) + lines;
        // Each line's end falls between two edges.
        expect(more).toBeGreaterThan(wanted - 2);
        expect(more).toBeLessThan(wanted + 3);
      }
  });

  const loaded = async (change?: (at: string) => Readonly<Record<string, unknown>>): Promise<readonly number[]> => {
    const watch = new Watch(),
      bytes = 1000,
      frames = 160;
    watch.bytes = bytes;
    await inRing(
      ring(count, notThroughTheFirst),
      { seed: 1, tap: watch.tap, ...(change && { device: change }) },
      async run => {
        // The second one's redirects want the port that the first one's pass by. Both obey pauses.
        for (const n of [1, 2])
          for (let i = 0; i < frames; i++) run.rack.endpoint(`source${n}`).send(datagram(n, i, bytes));
        await run.stands();
        expect(run.came.map(c => c.length)).toEqual([0, frames, frames, 0, 0]);
        expect((await run.rack.finish()).problems).toEqual([]);
      },
    );
    return watch.passed.filter(p => p.at === 2 && p.is === "redirect").map(p => p.cycles);
  };
  const size = 1000 + plain + front,
    heads = 2,
    most = (queueBeats / beats(size) + 1) * heads * (beats(size) + turn) + idle(size);
  it("costs no more than its queue and the turns of others, where nobody pauses it", async () => {
    const cycles = await loaded();
    expect(cycles).toHaveLength(160);
    expect(Math.min(...cycles)).toBeGreaterThanOrEqual(idle(size));
    expect(Math.max(...cycles)).toBeLessThanOrEqual(most);
    // It was a load: more than two frames of others went first, at the worst.
    expect(Math.max(...cycles)).toBeGreaterThan(idle(size) + 3 * beats(size));
  });
  // It builds a device of its own: MNEMO_LONG=1 runs it.
  it.skipIf(process.env["MNEMO_LONG"] !== "1")(
    "a planted fault: who is in between always serves its own host first",
    async () => {
      const cycles = await loaded(at =>
        at === "snic2"
          ? {
              change: (d: Parameters<typeof plant>[0]) =>
                plant(d, /lane_group_last <= \{[^}]*\};/, "lane_group_last <= 6'd32;"),
            }
          : {},
      );
      expect(Math.max(...cycles)).toBeGreaterThan(most);
    },
  );
});
