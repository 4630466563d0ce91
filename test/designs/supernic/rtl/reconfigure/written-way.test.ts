/** A way that writes, alone beside lists in every cycle: what goes back, whose it is, and how much is owed. */
import { describe, expect, test } from "vitest";
import { WrittenWay } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const contexts = 256,
  dut = () => WrittenWay({ contexts });
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Chances of a cycle: a beat is read, the partition says one, it is taken, and the region goes or comes. */
interface Pace {
  readonly read: number;
  readonly said: number;
  readonly taken: number;
  readonly turns: number;
}
interface Beat {
  readonly last: number;
  readonly ctx: number;
}
const mostOwed = 256;

class Rig {
  readonly b: B;
  #owed: Beat[] = [];
  /** What is offered behind the register. */
  #waits: (Beat & { readonly data: bigint }) | undefined;
  #job = 0;
  #off = false;
  /** A job is offered; what the partition says: each stays until it is taken. */
  #asks = false;
  #said: { readonly data: bigint; readonly last: number } | undefined;
  /** Most that was owed; beats that went as said, and as 0; beats of a region that is off, with none owed. */
  readonly met = { owed: 0, said: 0, none: 0, lost: 0, stood: 0 };

  constructor(b: B) {
    this.b = b;
    this.#job = b.random.below(contexts);
  }
  async cycle(pace: Pace): Promise<void> {
    const { io, random: r } = this.b;
    if (r.chance(pace.turns)) this.#off = !this.#off;
    const room = this.#owed.length < mostOwed,
      reads = room && r.chance(pace.read),
      beat = { last: r.chance(0.3) ? 1 : 0, ctx: this.#job };
    this.#asks ||= reads || r.chance(0.5);
    // The last one is the last one, whatever the partition says.
    this.#said ??= r.chance(pace.said) ? { data: r.bits(512), last: r.below(2) } : undefined;
    const said = this.#said,
      takes = r.chance(pace.taken);
    io.read.fire.value = reads ? 1 : 0;
    io.read.last.value = beat.last;
    io.asked.valid.value = this.#asks ? 1 : 0;
    io.asked.payload.ctx.value = this.#asks ? beat.ctx : r.below(contexts);
    io.said.valid.value = said ? 1 : 0;
    io.said.payload.data.value = said?.data ?? r.bits(512);
    io.said.payload.last.value = said?.last ?? r.below(2);
    io.off.value = this.#off ? 1 : 0;
    io.back.ready.value = takes ? 1 : 0;
    await this.b.cycles(1);

    const waits = this.#waits,
      free = waits === undefined || takes,
      // A beat that is read in this cycle may go back in it.
      owed = this.#owed[0] ?? (reads ? beat : undefined),
      goes = owed !== undefined && free && (this.#off || said !== undefined);
    expect(
      [io.room, io.busy, io.back.valid, io.writing.valid, io.asked.ready, io.said.ready].map(x => x.num),
      `room, busy, back, writing, asked and said in cycle ${this.b.cycle}`,
    ).toEqual([
      ...[room, this.#owed.length > 0 || waits !== undefined, waits !== undefined, waits !== undefined].map(Number),
      ...[reads && beat.last === 1, this.#off || (free && owed !== undefined)].map(Number),
    ]);
    if (waits !== undefined)
      expect([io.back.payload.data.value, io.back.payload.last.num, io.writing.ctx.num]).toEqual([
        ...[waits.data, waits.last, waits.ctx],
      ]);
    if (reads) {
      this.#owed.push(beat);
      if (beat.last === 1) {
        this.#job = r.below(contexts);
        this.#asks = false;
      }
    }
    if (this.#off || (free && owed !== undefined)) this.#said = undefined;
    if (free) this.#waits = undefined;
    else this.met.stood++;
    if (goes) {
      this.#owed.shift();
      this.#waits = { ...owed, data: this.#off ? 0n : (said?.data ?? 0n) };
      this.met[this.#off ? "none" : "said"]++;
    } else if (this.#off && said) this.met.lost++;
    this.met.owed = Math.max(this.met.owed, this.#owed.length);
  }
  async run(cycles: number, pace: Pace): Promise<void> {
    for (let i = 0; i < cycles; i++) await this.cycle(pace);
  }
}
/** As much as may be owed, all given back, and everything in between. */
async function life(b: B): Promise<void> {
  const rig = new Rig(b);
  for (const pace of [
    { read: 0.6, said: 0.6, taken: 0.7, turns: 0.03 },
    { read: 1, said: 0.01, taken: 0.9, turns: 0.002 },
    { read: 1, said: 1, taken: 1, turns: 0.01 },
    { read: 0.3, said: 1, taken: 0.8, turns: 0.1 },
    { read: 1, said: 0.4, taken: 0.3, turns: 0.02 },
    { read: 0.1, said: 0.9, taken: 0.9, turns: 0.05 },
  ])
    await rig.run(400, pace);
  expect(rig.met.owed).toBe(mostOwed);
  expect(Math.min(...Object.values(rig.met)), JSON.stringify(rig.met)).toBeGreaterThan(10);
}

describe("a way that writes", () => {
  bench("for each beat that is read one goes back, in their order", dut(), { seed: 1 }, life);
  testOfResets(dut(), { seed: 2, most: 500, resets: 20 }, life);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 3, limitCycles: 5_000 }, life);
    test("and nothing without one", () => look("no fault", dut()));
    test.each<readonly [string, string | RegExp, string]>([
      ["one more may be owed", "owed_0_count < 9'd256", "owed_0_count < 9'd257"],
      ["the partition's data go back while it is off", /= [^;]*\bsaid_payload_data\b[^;]*;/, "= said_payload_data;"],
    ])("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
