/**
 * The clock of each miss: with nobody to answer, a fetch is sent again after its time, as often as it may be, and then
 * fails. All misses at once, so that each has its turn; then each at a time of its own, so that their clocks differ.
 */
import { expect, test } from "vitest";
import { clioHeader, frameOffsets } from "../../../designs/clio/wire/index.ts";
import { withExCache } from "../../../designs/legoos/rig/index.ts";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import { partShift } from "../../../designs/legoos/wire/index.ts";
import { type Design, StreamMonitor } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const tries = 3,
  p = small({ misses: 4, waiting: 8, tries }),
  /** Cycles that sending takes, when others send at the same time. */
  sending = 80,
  /** Cycles from the end of the time to the request, when nobody else sends. */
  alone = 4;

const clocks = (design?: Design<ReturnType<typeof ExCache>["ports"]>): Promise<void> =>
  withExCache(
    "clocks",
    { parameters: p, seed: 1, wave: false, doubtful: true, limitCycles: 60_000, ...(design && { design }) },
    async rig => {
      const { bench } = rig,
        sent = new Map<number, number[]>();
      let begins = true;
      new StreamMonitor(bench.sim, bench.io.tx, ({ cycle, value }) => {
        if (begins) {
          const tag = Number(
              (BigInt(value.data) >> BigInt(8 * (frameOffsets.clio + clioHeader.at.tag.byteOffset))) & 0xffn,
            ),
            miss = tag & ((1 << partShift) - 1);
          sent.set(miss, [...(sent.get(miss) ?? []), cycle]);
        }
        begins = value.last === 1;
      });
      const read = (line: number): Promise<void> =>
          rig.ask({ asid: 1, va: BigInt(line * p.lineBytes), write: false, strb: 0n, data: 0n }),
        all = Array.from({ length: p.misses }, (_, i) => i);
      await rig.begin([1]);
      for (const apart of [0, p.timeoutCycles / 2]) {
        sent.clear();
        rig.hold();
        const failed = rig.doubts.failures,
          from = bench.cycle;
        // One line of each set.
        for (const line of all) {
          await read(100 + apart + line);
          await bench.cycles(apart === 0 ? 0 : bench.random.between(apart / 2, apart));
        }
        const asked = bench.cycle - from;
        await bench.until(() => rig.open === 0);
        const took = bench.cycle - from - asked;
        expect(rig.doubts.failures - failed, "fetches that fail").toBe(p.misses);
        expect(took).toBeLessThan((tries + 1) * p.timeoutCycles + 4 * sending);
        for (const miss of all) {
          const times = sent.get(miss) ?? [];
          expect(times.length, `requests of miss ${miss}`).toBe(1 + tries);
          const gaps = times.slice(1).map((t, i) => t - (times[i] as number));
          // Whoever waits for none of the others has the time to the cycle.
          if (apart > 0) expect(gaps, `cycles between requests of miss ${miss}`).toContain(p.timeoutCycles + alone);
          for (const gap of gaps) {
            expect(gap, `cycles between requests of miss ${miss}`).toBeGreaterThanOrEqual(p.timeoutCycles - sending);
            expect(gap, `cycles between requests of miss ${miss}`).toBeLessThan(p.timeoutCycles + sending);
          }
        }
      }
    },
  );
test("each miss is sent again after its time, as often as it may be, and then fails", () => clocks());
test.each([
  [
    "the clock of the third miss stands still",
    /details_2_time <= details_2_time - 20'd1;/,
    "details_2_time <= details_2_time;",
  ],
  ["the first miss goes by the second one's clock", /(?<!\w)spent\[0\]/g, "spent[1]"],
  ["the third clock has a cycle more", /details_2_time <= 20'd399;/, "details_2_time <= 20'd400;"],
  ["the fourth clock begins anew with nothing", /details_3_time <= 20'd399;/, "details_3_time <= details_3_time;"],
  [
    "a fetch that is given up says nothing of it",
    /details_2_status <= status_fail;/g,
    "details_2_status <= status_ok;",
  ],
] as const)("a planted fault: %s", (_, from, to) => findsFault(clocks(plant(ExCache(p), from, to))));
