/** The reader of tasks' state alone, held against a model in every cycle: its timer, its numbers, its counts. */
import { describe, expect, it } from "vitest";
import { StateReader } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

type Ports = ReturnType<typeof StateReader>["ports"];
interface Go {
  readonly valid: boolean;
  readonly write: number;
  readonly region: number;
  readonly slot: number;
  readonly at: number;
  readonly last: number;
  readonly data: bigint;
}
interface Said {
  readonly valid: boolean;
  readonly done: number;
  readonly number: number;
  readonly data: bigint;
}

/** What is asked of whom, and for how long the answer has been waited for. */
class Model {
  readonly patience: number;
  number = 0;
  lates = 0;
  strays = 0;
  outcome = 0;
  data = 0n;
  /** The last place that was asked; unknown until the first ask. */
  at: number | undefined;
  /** What is under way; `waited`: cycles since the ask left, -1 while it leaves, -2 before. */
  job: (Go & { waited: number }) | undefined;

  constructor(patience: number) {
    this.patience = patience;
  }
  get asks(): boolean {
    return this.job?.waited === -1;
  }
  /** A cycle with what comes in. */
  step(go: Go, said: Said): void {
    const { job } = this,
      waits = job !== undefined && job.waited >= 0,
      mine = said.valid && waits && said.number === this.number;
    if (said.valid && !mine) this.strays++;
    if (job === undefined) {
      if (!go.valid) return;
      this.job = { ...go, waited: -1 };
      this.at = go.at;
    } else if (mine) {
      this.number = (this.number + 1) % 256;
      if (said.done === 1 && job.write === 0 && said.data === 0n && this.at !== job.last) {
        this.at = ((this.at ?? 0) + 1) % 65_536;
        job.waited = -1;
      } else this.#end(said.done === 1 ? 0 : 1, said.data);
    } else if (job.waited === this.patience - 1) {
      this.lates++;
      this.number = (this.number + 1) % 256;
      this.#end(2, said.data);
    } else job.waited++;
  }
  #end(outcome: number, data: bigint): void {
    this.job = undefined;
    this.outcome = outcome;
    this.data = data;
  }
}

/** Random asks and answers; many answers come in the last cycles in time, or the first ones behind. */
async function against(b: Bench<Ports>, patience: number, cycles: number): Promise<Model> {
  const { io, random } = b,
    seen = { late: 0, inTime: 0 };
  let model = new Model(patience),
    due = 0;
  for (let n = 0; n < cycles; n++) {
    const resets = random.chance(0.002),
      waited = model.job?.waited ?? -2;
    if (model.asks) due = random.chance(0.5) ? random.between(0, 4) : patience - 3 + random.between(0, 5);
    const at = random.between(0, 20);
    const go: Go = {
      ...{ valid: random.chance(0.3), write: random.between(0, 1), region: random.between(0, 7) },
      ...{ slot: random.between(0, 7), at, last: at + random.between(0, 3), data: BigInt(random.between(0, 1)) },
    };
    const answers = waited >= 0 && waited === due,
      own = answers || random.chance(0.02);
    const said: Said = {
      valid: own || random.chance(0.1),
      done: random.chance(0.8) ? 1 : 0,
      // The number before is that of an answer that comes too late.
      number: answers ? model.number : (model.number + (own ? 255 : random.between(1, 255))) % 256,
      data: random.chance(0.6) ? 0n : BigInt(random.between(1, 1000)),
    };
    if (answers && due === patience - 1) seen.inTime++;
    for (const [name, value] of Object.entries({ ...go, valid: go.valid ? 1 : 0 }))
      io.go[name as keyof typeof io.go].value = value;
    for (const [name, value] of Object.entries({ ...said, valid: said.valid ? 1 : 0 }))
      io.said[name as keyof typeof io.said].value = value;
    if (resets) {
      b.sim.reset(1);
      const { at: before } = model;
      model = new Model(patience);
      model.at = before;
      continue;
    }
    await b.cycles(1);
    const { shown, ask } = io;
    expect({
      busy: shown.busy.value,
      outcome: shown.outcome.value,
      data: shown.data.value,
      lates: shown.lates.value,
      strays: shown.strays.value,
      asks: ask.valid.value,
    }).toEqual({
      busy: model.job === undefined ? 0 : 1,
      outcome: ["done", "refused", "late"][model.outcome],
      data: model.data,
      lates: model.lates,
      strays: model.strays,
      asks: model.asks ? 1 : 0,
    });
    if (model.job !== undefined) expect(shown.at.value).toBe(model.at);
    const { job } = model;
    if (job !== undefined && model.asks)
      expect([ask.write, ask.region, ask.slot, ask.at, ask.number].map(s => Number(s.value))).toEqual([
        ...[job.write, job.region, job.slot, model.at, model.number],
      ]);
    if (job !== undefined && model.asks) expect(ask.data.value).toBe(job.data);
    model.step(go, said);
    seen.late = Math.max(seen.late, model.lates);
  }
  expect(seen.late).toBeGreaterThan(2);
  expect(seen.inTime).toBeGreaterThan(2);
  return model;
}

for (const patience of [12, 40])
  bench(
    `asks and answers, given up after ${patience} cycles`,
    StateReader({ patience }),
    { seed: patience },
    async b => {
      await against(b, patience, 6000);
    },
  );

describe("a planted fault is found", () => {
  const dut = StateReader({ patience: 12 }),
    look = (name: string, design: Dut<Ports>): Promise<void> =>
      runBench(name, design, { wave: false, seed: 3, limitCycles: 10_000 }, async b => {
        await against(b, 12, 4000);
      });
  it("and nothing without one", () => look("no fault", dut));
  it.each([
    ["a number is used again after a late answer", "if (mine | late) number", "if (mine) number"],
    ["the wait goes on where the last one ended", "waits ? waited + 4'd1 : 4'd0", "waits ? waited + 4'd1 : waited"],
    ["a reset leaves the wait for an answer", "issues <= 1'b0; waits <= 1'b0;", "issues <= 1'b0;"],
    ["a write goes on as a read does", "& said_done & ~kept_write &", "& said_done &"],
    ["it gives up a cycle too late", "waited == 4'd10", "waited == 4'd11"],
    ["it gives up a cycle too early", "waited == 4'd10", "waited == 4'd9"],
    ["an answer in the last cycle is late", "late = waits & over & ~mine", "late = waits & over"],
    [
      "a stray beside an ask is not counted",
      "said_valid & ~mine) count_strays",
      "said_valid & ~mine & ~issues) count_strays",
    ],
  ])("%s", async (name, from, to) => {
    await findsFault(look(name, plant(dut, from, to)));
  });
});
