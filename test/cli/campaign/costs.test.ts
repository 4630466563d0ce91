/** What a campaign costs beside its pieces, printed: MNEMO_SPEED=1. None of it is a verdict. */
import { describe, it } from "vitest";
import { merge } from "../../../cli/campaign/merge.ts";
import { standing } from "../../../cli/campaign/plan.ts";
import { writeResult } from "../../../cli/campaign/result.ts";
import { table } from "../../../designs/shared/command-line/index.ts";
import { conductHere, planHere, specOf } from "./support/here.ts";
import { scratch } from "./support/scratch.ts";

const path = scratch("costs");
/** Milliseconds of `n` times, by the clock and of the processor. */
function timed<T>(n: number, f: () => T): { readonly value: T; readonly wall: number; readonly cpu: number } {
  const from = performance.now(),
    before = process.cpuUsage(),
    value = f(),
    used = process.cpuUsage(before);
  return { value, wall: (performance.now() - from) / n, cpu: (used.user + used.system) / 1000 / n };
}

describe.skipIf(process.env["MNEMO_SPEED"] === undefined)("costs", () => {
  it("of a piece, and of a campaign by machines", async () => {
    const pieces = 5000,
      folder = path("files"),
      plan = planHere(specOf([{ kind: "command", command: ["true"], count: pieces }]));
    const write = timed(pieces, () => {
      for (const { index } of plan.pieces)
        writeResult(folder, {
          ...{ id: plan.id, index, verdict: "passed", attempts: 1, seconds: 1 },
          ...{ problems: [], figures: { a: 1, b: 2 }, printed: "" },
        });
    });
    const read = timed(pieces, () => standing(plan, folder, false)),
      merged = timed(pieces, () => merge(plan, read.value.results));
    const idle = { kind: "module", module: "test/campaigns/idle.ts" },
      of = async (count: number) => (await conductHere(path("idle"), specOf([{ ...idle, count }]))).conducted,
      one = await of(1),
      many = await of(201),
      perPiece = ((many.seconds - many.inPieces - (one.seconds - one.inPieces)) * 1000) / 200;
    const ms = (n: number): string => n.toFixed(3);
    console.log(
      table(
        ["of a piece, ms", "clock", "processor"],
        [
          ["its result on the disk", ms(write.wall), ms(write.cpu)],
          ["its result read and checked", ms(read.wall), ms(read.cpu)],
          ["its part of the report", ms(merged.wall), ms(merged.cpu)],
          ["all of the campaign, local", ms(perPiece), ""],
          ["a worker's start, once in 200", ms((one.seconds - one.inPieces) * 1000), ""],
        ],
        "lrr",
      ),
    );
    // A task of a scheduler starts one worker; a machine of two cores runs two tasks.
    const seconds = 60,
      start = one.seconds - one.inPieces,
      all = 100_000;
    const row = (machines: number): readonly string[] => {
      const cores = 2 * machines,
        each = Math.ceil(all / cores),
        time = each * (seconds + perPiece / 1000) + Math.ceil(each / 200) * start,
        ideal = (all * seconds) / cores;
      return [
        String(machines),
        (time / 3600).toFixed(2),
        (all / (time / 3600) / cores).toFixed(1),
        `${(100 * (1 - ideal / time)).toFixed(2)} %`,
        (all / time).toFixed(2),
      ];
    };
    console.log(
      `${all} pieces of ${seconds} s, machines of two cores\n${table(
        ["machines", "hours", "pieces an hour a core", "overhead", "results a second"],
        [1, 10, 100, 1000].map(row),
        "rrrrr",
      )}`,
    );
  });
});
