import { describe, expect, test } from "vitest";
import { Ranges } from "../../../designs/legoos/rtl/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const p = small({ ranges: 4 }),
  dut = Ranges(p),
  latency = 3,
  pageBits = 40n;
type Ports = typeof dut.ports;

interface Range {
  readonly asid: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly writable: number;
  readonly anonymous: number;
  readonly base: number;
}
interface Line {
  readonly asid: number;
  readonly page: bigint;
}

/**
 * Ranges side by side and far from each other, written in any order: lines at their bounds in each cycle, lines that
 * stay and are flushed, and resets, against a table of ranges and a set of marks.
 */
async function againstTable(b: Bench<Ports>): Promise<void> {
  const { io, random: r } = b,
    seen = { local: 0, known: 0, writable: 0, refused: 0 };
  let ranges: (Range | undefined)[] = [],
    marks = new Set<number>();
  const reset = async (): Promise<void> => {
    io.write.valid.value = io.flushed.value = 0;
    b.sim.reset(1);
    ranges = Array.from({ length: p.ranges }, () => undefined);
    marks = new Set();
    // One mark a cycle.
    for (let i = 0; i < p.localLines; i++) {
      await b.risingEdge();
      expect(io.ready.value, `ready ${i} cycles after a reset`).toBe(0);
    }
    await b.risingEdge();
    expect(io.ready.value, "ready when all marks are cleared").toBe(1);
  };
  const rangeOf = (l: Line): Range | undefined =>
      ranges.find(e => e?.asid === l.asid && l.page >= e.first && l.page <= e.last),
    markOf = (e: Range, l: Line): number => Number((l.page - e.first + BigInt(e.base)) % BigInt(p.localLines));
  /** All ranges anew: each a few lines, of one of three address spaces, one behind the other with gaps or without. */
  const write = async (): Promise<void> => {
    let at = r.bits(36) << (r.chance() ? 3n : 0n);
    const indices = [...ranges.keys()];
    while (indices.length > 0) {
      const index = indices.splice(r.below(indices.length), 1)[0] as number,
        count = r.between(1, 16),
        last = at + BigInt(count - 1),
        entry = {
          ...{ asid: r.pick([1, 2, 0x8001]), first: at, last },
          ...{ writable: r.below(2), anonymous: r.chance(0.7) ? 1 : 0, base: r.below(p.localLines) },
        },
        keep = r.chance(0.85);
      io.write.valid.value = 1;
      poke(io.write.entry, { index, keep: keep ? 1 : 0, ...entry });
      await b.risingEdge();
      ranges[index] = keep ? entry : undefined;
      io.write.valid.value = 0;
      // What stands there without a write is no entry.
      poke(io.write.entry, { index: r.below(p.ranges), keep: 1, ...entry, asid: 3, writable: 0 });
      at = last + (r.chance() ? 1n : r.bits(r.pick([2, 20, 36])) + 1n);
    }
  };
  const anyLine = (): Line => {
    const kept = ranges.filter(x => x !== undefined),
      e = kept.length > 0 ? r.pick(kept) : { asid: 1, first: 8n, last: 9n };
    const page = r.pick([
      ...[e.first - 1n, e.first, e.last, e.last + 1n],
      e.first + BigInt(r.below(Number(e.last - e.first) + 1)),
      // The same but for one bit.
      e.first ^ (1n << BigInt(r.below(Number(pageBits)))),
    ]);
    return { asid: r.chance(0.9) ? e.asid : e.asid ^ (1 << r.below(16)), page: BigInt.asUintN(Number(pageBits), page) };
  };
  const checkRights = (l: Line, what: string): void => {
      const writable = rangeOf(l)?.writable ?? 1;
      expect(io.writable.value, what).toBe(writable);
      seen[writable === 0 ? "refused" : "writable"]++;
    },
    check = (l: Line, what: string): void => {
      const e = rangeOf(l),
        local = e?.anonymous === 1 && !marks.has(markOf(e, l)) ? 1 : 0;
      checkRights(l, what);
      expect(io.isLocal.value, what).toBe(local);
      if (local === 1) seen.local++;
      else if (e?.anonymous === 1) seen.known++;
    };
  const put = (l: Line): void => poke(io.line, l);
  await reset();
  for (let i = 0; i < 60; i++) {
    if (i % 12 === 11) await reset();
    await write();
    // One line in each cycle: a line has to stay for its mark, and not for its rights.
    const asked: Line[] = [];
    for (let n = 0; n < 40; n++) {
      const l = anyLine();
      put(l);
      asked.push(l);
      await b.risingEdge();
      const old = asked[n - latency];
      if (old) checkRights(old, `round ${i}, line ${n - latency}`);
    }
    // Lines that stay, of which some are flushed.
    for (let n = 0; n < 12; n++) {
      const l = anyLine();
      put(l);
      await b.cycles(latency);
      await b.risingEdge();
      check(l, `round ${i}, a line that stays`);
      if (r.chance(0.4)) {
        io.flushed.value = 1;
        await b.risingEdge();
        io.flushed.value = 0;
        const e = rangeOf(l);
        if (e?.anonymous === 1) marks.add(markOf(e, l));
        await b.risingEdge();
        check(l, `round ${i}, a line that was flushed`);
      }
    }
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(60);
}
const run = (design: Dut<Ports> = dut): Promise<void> =>
  runBench("ranges", design, { seed: 1, wave: false }, againstTable);

test("each line as its range says, three cycles later; marks, writes and resets", () => run());
describe("planted faults", () => {
  test.each<readonly [string, string | RegExp, string]>([
    ["a range begins a line late", /\(line_page >= entries_1_first\)/, "(line_page > entries_1_first)"],
    ["a range ends a line early", /\(line_page <= entries_0_last\)/, "(line_page < entries_0_last)"],
    ["a range keeps its address space", /entries_2_asid <= write_entry_asid;/, ";"],
    ["a reset leaves a mark", /clear <= 6'd0;/, "clear <= 6'd1;"],
    ["what is not anonymous is marked", /flushed & is_anonymous/, "flushed"],
  ])("%s", (_, from, to) => findsFault(run(plant(dut, from, to))));
});
