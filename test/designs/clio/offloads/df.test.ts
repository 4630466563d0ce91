import { describe, expect, test } from "vitest";
import type { OffloadParameters } from "../../../../designs/clio/offload/index.ts";
import { DataFrame } from "../../../../designs/clio/offloads/df/index.ts";
import { type Bench, bursts, runBench } from "../../../../sim/index.ts";
import type { OffloadCall, OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { base, DfRig, holed, holedBytes, tableBytes } from "./support/df-rig.ts";
import { lateTakers } from "./support/late-takers.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const wide: OffloadParameters = { beatBytes: 64, contexts: 8, maxData: 1466 },
  narrow: OffloadParameters = { beatBytes: 8, contexts: 2, maxData: 200 },
  /** A READ that fills its buffer. */
  brimful: OffloadParameters = { beatBytes: 8, contexts: 2, maxData: 256 };
/** Rows of 16 bytes: all of them match. */
const all = {
  table: base,
  rows: 1,
  rowBytes: 16,
  fieldOffset: 3,
  fieldBytes: 2,
  predicate: 5,
  operand: 0n,
  valueOffset: 8,
  valueBytes: 8,
};

async function traffic(
  b: Bench<OffloadPorts>,
  p: OffloadParameters,
  count: number,
  pause = 0.3,
): Promise<Record<string, number>> {
  const rig = new DfRig(b, p, { pause, jitter: 40 });
  // Where nothing is; where it may not read, at once and behind some frames.
  const end = base + BigInt(tableBytes);
  for (const table of [2n * end, end, end - 0x1000n]) {
    rig.select(3, { ...all, table, rows: 400 });
    rig.aggregate(3, { ...all, table, rows: 400 });
  }
  for (let i = 0; i < count; i++)
    if (b.random.chance(0.15)) rig.wrong();
    else rig.random();
  return rig.finish();
}
/**
 * A table with a page in it that may not be read: the request ends there, although what lies behind could be read, and
 * although no other request comes.
 */
async function failsWithin(b: Bench<OffloadPorts>, p: OffloadParameters): Promise<void> {
  const rig = new DfRig(b, p, { pause: 0.1, jitter: 20 }),
    q = { ...all, table: holed, rows: (8 * holedBytes) / all.rowBytes };
  for (const ask of [() => rig.select(3, q), () => rig.aggregate(3, q)])
    for (let i = 0; i < 3; i++) {
      const read = rig.host.trace.length;
      ask();
      expect(await rig.finish()).toMatchObject({ READ_PERM: 1 });
      expect(rig.host.trace.length - read, "nothing more is read").toBeLessThan((3 * holedBytes) / p.maxData + 8);
    }
}
const time = (c: OffloadCall): number => (c.replies.at(-1)?.cycle ?? Number.NaN) - (c.taken ?? Number.NaN);
/** Cycles from one request's taking to its last reply's header, alone. */
async function alone(rig: DfRig, ask: () => OffloadCall): Promise<number> {
  const call = ask();
  await rig.host.drained();
  return time(call);
}

describe("DataFrame", () => {
  for (const [p, count] of [
    [wide, 250],
    [narrow, 150],
    [brimful, 150],
  ] as const) {
    bench(
      `${p.beatBytes * 8} bits, ${p.maxData} bytes: random tables, replies of memory in any order, random pauses`,
      DataFrame(p),
      { seed: p.beatBytes },
      async b => {
        const ends = await traffic(b, p, count);
        for (const end of ["OK", "MALFORMED", "INVALID", "READ_PERM", "several frames"])
          expect(ends[end], end).toBeGreaterThan(0);
      },
    );
    bench(
      `${p.beatBytes * 8} bits, ${p.maxData} bytes: without pauses`,
      DataFrame(p),
      { seed: 100 + p.beatBytes },
      async b => {
        await traffic(b, p, count / 4, 0);
      },
    );
    bench(
      `${p.beatBytes * 8} bits, ${p.maxData} bytes: in bursts`,
      DataFrame(p),
      { seed: 200 + p.beatBytes },
      async b => {
        const rig = new DfRig(b, p, { pause: stream => bursts({ go: 30, pause: 200 }, stream.length), jitter: 100 });
        for (let i = 0; i < count / 4; i++) rig.random();
        await rig.finish();
      },
    );
  }

  for (const p of [wide, narrow])
    bench(`${p.beatBytes * 8} bits: a READ fails in the middle of a table`, DataFrame(p), { seed: 4 }, b =>
      failsWithin(b, p),
    );
  for (const L of [10, 75]) {
    bench(`memory of ${L} cycles: latencies as stated`, DataFrame(wide), { seed: L }, async b => {
      const rig = new DfRig(b, wide, { latency: L });
      expect(await alone(rig, () => rig.select(3, all))).toBe(36 + L);
      expect(await alone(rig, () => rig.aggregate(3, all))).toBe(37 + L);
      expect(await alone(rig, () => rig.select(3, { ...all, rows: 0 })), "an empty table is not read").toBe(34);
      expect(await alone(rig, () => rig.select(3, { ...all, predicate: 6 })), "MALFORMED").toBe(34);
      expect(rig.host.trace.length).toBe(2);
      await rig.finish();
    });
  }
  bench(
    "intervals as stated: a row per cycle, a frame every 6 cycles more than its beats at most, a request every 15 cycles",
    DataFrame(wide),
    {},
    async b => {
      const rig = new DfRig(b, wide, { latency: 75 });
      const rows = async (n: number): Promise<number> => alone(rig, () => rig.aggregate(3, { ...all, rows: n }));
      // 90 rows of 16 bytes to a READ; each READ costs a cycle.
      expect((await rows(1800)) - (await rows(900))).toBe(910);
      expect(rig.host.mostInFlight).toBe(8);
      const long = async (n: number): Promise<number> =>
        alone(rig, () => rig.aggregate(3, { ...all, rows: n, rowBytes: 130 }));
      expect((await long(220)) - (await long(110)), "11 rows of 130 bytes to a READ, 2 cycles each").toBe(230);

      const frames = rig.select(3, { ...all, rows: 512, rowBytes: 64 });
      await rig.host.drained();
      const starts = frames.replies.map(r => r.cycle),
        gaps = starts.slice(1, -1).map((c, i) => c - (starts[i] as number));
      expect(Math.max(...gaps), "22 rows of 64 bytes and 12 bytes make 23 beats").toBeLessThanOrEqual(23 + 6);

      const many = Array.from({ length: 24 }, () => rig.aggregate(3, all));
      await rig.host.drained();
      const ends = many.map(c => c.done as number);
      expect(ends.slice(9).map((c, i) => c - (ends[i + 8] as number))).toEqual(Array.from({ length: 15 }, () => 15));
      await rig.finish();
    },
  );
  bench(
    "a request among long ones waits for no more than one READ of each and those under way",
    DataFrame(wide),
    { seed: 9 },
    async b => {
      const rig = new DfRig(b, wide, { latency: 20 });
      // Rows of one byte are the slowest: 128 of them to a READ.
      const long = Array.from({ length: 7 }, () =>
        rig.aggregate(200, {
          ...all,
          rows: tableBytes,
          rowBytes: 1,
          fieldOffset: 0,
          fieldBytes: 1,
          valueOffset: 0,
          valueBytes: 1,
        }),
      );
      await b.cycles(3000);
      const short = Array.from({ length: 6 }, () => ({ waits: 0 }));
      for (const s of short) {
        const call = rig.select(3, all);
        await b.until(() => call.done !== undefined);
        s.waits = time(call);
      }
      expect(long.every(c => c.done === undefined)).toBe(true);
      const most = Math.max(...short.map(s => s.waits));
      expect(most).toBeLessThanOrEqual((8 + 8 - 1) * 129 + 32 + 20);
      expect(most, "otherwise this shows nothing").toBeGreaterThan(500);
      await rig.finish();
    },
  );
  bench("takers that are ready only after a valid", DataFrame(narrow), { seed: 6 }, async b => {
    const rig = new DfRig(b, narrow, { pause: lateTakers(b) });
    for (let i = 0; i < 12; i++) rig.random();
    await rig.finish();
  });
  testOfResets(DataFrame(narrow), { most: 1500 }, b => traffic(b, narrow, 100));
  bench("reset in the middle: nothing is left of before", DataFrame(narrow), { seed: 5 }, async b => {
    const rig = new DfRig(b, narrow, { pause: 0.2, jitter: 30 });
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 6; i++) rig.random();
      await b.cycles(b.random.between(20, 400));
      rig.host.reset();
      rig.forget();
    }
    for (let i = 0; i < 20; i++) rig.random();
    await rig.finish();
  });

  describe("planted faults are found", () => {
    const finds = (fault: string, from: string | RegExp, to: string): void => {
      test(fault, async () => {
        const broken = plant(DataFrame(narrow), from, to);
        await findsFault(
          runBench(fault, broken, { wave: false, seed: 8, hangCycles: 3000 }, b => traffic(b, narrow, 150)),
        );
      });
    };
    test("a failure is forgotten while no other request comes", () =>
      findsFault(
        runBench(
          "forgotten",
          plant(DataFrame(narrow), /(?<=wire starts = )(query_valid & query_ready);/, "$1 | ~query_valid;"),
          { wave: false, seed: 4, hangCycles: 3000 },
          b => failsWithin(b, narrow),
        ),
      ));
    test("a beat that waits is written over the READ before", () =>
      findsFault(
        runBench(
          "early",
          plant(
            DataFrame(brimful),
            "written_en = memory_reply_data_valid & memory_reply_data_ready",
            "written_en = memory_reply_data_valid",
          ),
          { wave: false, seed: 8, hangCycles: 3000 },
          b => traffic(b, brimful, 150),
        ),
      ));
    finds("a window over two beats takes both from the first", "even_word_sum = beat + 5'd1", "even_word_sum = beat");
    finds("a row that fills the frame is put behind it", "<= 15'd200", "<= 15'd201");
    finds("a frame is filled while it is being sent", "wire waits = busy & ", "wire waits = 1'b0 & ");
    finds("later frames have the table's address", "is_later ? next : head_table", "head_table");
    finds("a request goes on after a READ that failed", "|status_now_element ? status_now_element : found", "found");
    finds(
      "the least value is only ever compared with the first",
      "(counts & min_node)",
      "(found_payload_step_opens & counts)",
    );
    finds("the carry of a sum's lower half is lost", "low[32] ? with_one : without", "without");
    finds(
      "of values with the same upper half the least is any",
      "(same & (found_payload_value[31:0] < before_min[31:0]))",
      "1'b0",
    );
    finds(
      "the lower half decides over the upper one",
      "(same_1 & (before_max[31:0] < found_payload_value[31:0]))",
      "(before_max[31:0] < found_payload_value[31:0])",
    );
  });
});
