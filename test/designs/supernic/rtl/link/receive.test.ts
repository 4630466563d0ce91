/** What a frame of a port is to the order, and what the partner is told, alone: every answer in every cycle. */
import { describe, expect, test } from "vitest";
import { LinkReceive } from "../../../../../designs/supernic/rtl/link/receive.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const sizes = { ackEvery: 5, ackCycles: 24, first: 65_500 } as const,
  dut = LinkReceive(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const round = 2 ** 16,
  /** Behind a frame in order `ackCycles` pass until its ACK stands there; a cycle of them is that of the frame. */
  ackAge = sizes.ackCycles - 1;

interface Seen {
  readonly valid: number;
  readonly good: number;
  readonly isAnswer: boolean;
  readonly linked: number;
  readonly sequence: number;
  readonly ack: number;
  readonly nack: number;
  readonly wantsRoom: number;
  readonly room: number;
}
interface Asked {
  readonly reliable: boolean;
  readonly down: boolean;
  readonly restart: boolean;
  readonly toldAck: boolean;
  readonly toldNack: boolean;
  readonly seen: Seen;
}

/** What has come, and what the partner has not been told of it. */
class Model {
  expected: number = sizes.first;
  ackDue = false;
  nackDue = false;
  acked = { valid: 0, number: 0, nack: 0 };
  refused = { room: 0, ahead: 0, behind: 0, bad: 0, down: 0 };
  readonly met = { takes: 0, acks: 0, times: 0, nacks: 0, again: 0 };
  /** The gap that has been told of is open. */
  #asked = false;
  /** Frames in order that are not acknowledged, and cycles since the first of them. */
  #unacked = 0;
  #age = 0;

  /** @returns whether the frame of this cycle counts */
  step(o: Asked): boolean {
    const { seen: s } = o,
      on = o.reliable && !o.down,
      off = o.reliable && o.down,
      right = s.valid === 1 && s.good === 1,
      linked = right && s.linked === 1 && on,
      fits = s.room === 1 || s.wantsRoom === 0;
    const gap = (s.sequence - this.expected + round) % round,
      data = linked && !s.isAnswer,
      takes = data && gap === 0 && fits,
      lacks = data && gap === 0 && !fits,
      behind = data && gap >= round / 2,
      ahead = data && gap > 0 && gap < round / 2,
      bad = on && s.valid === 1 && s.good === 0;
    const counts = data ? takes : right && fits && !(off && s.linked === 1);
    this.acked = { valid: linked && !o.restart ? 1 : 0, number: s.ack, nack: s.isAnswer ? s.nack : 0 };
    const down = off && right && s.linked === 1 && !s.isAnswer,
      flags = { room: lacks, ahead, behind, bad, down };
    this.refused = Object.fromEntries(Object.entries(flags).map(([k, is]) => [k, is ? 1 : 0])) as typeof this.refused;
    this.#tell(o, { on, takes, lacks, missing: ahead || bad || lacks, behind });
    return counts;
  }
  #tell(
    o: Asked,
    is: {
      readonly on: boolean;
      readonly takes: boolean;
      readonly lacks: boolean;
      readonly missing: boolean;
      readonly behind: boolean;
    },
  ): void {
    const told = o.toldAck || o.toldNack,
      forgets = o.restart || !is.on,
      again = is.behind || (is.lacks && this.#asked);
    const isMany = this.#unacked === sizes.ackEvery,
      isLate = this.#unacked > 0 && this.#age === ackAge;
    if (again) this.met.again++;
    if (isLate && !isMany && !told && !forgets) this.met.times++;
    this.ackDue = !forgets && (again || (!told && (isMany || isLate || this.ackDue)));
    if (forgets || is.takes) {
      this.#asked = this.nackDue = false;
    } else {
      if (is.missing && !this.#asked) this.met.nacks++;
      this.nackDue = (is.missing && !this.#asked) || (this.nackDue && !o.toldNack);
      this.#asked ||= is.missing;
    }
    const kept = told || forgets ? 0 : this.#unacked;
    this.#age = kept === 0 ? 1 : Math.min(this.#age + 1, ackAge);
    this.#unacked = Math.min(sizes.ackEvery, kept + (is.takes ? 1 : 0));
    if (is.takes) this.met.takes++;
    if (told) this.met.acks++;
    this.expected = o.restart ? sizes.first : (this.expected + (is.takes ? 1 : 0)) % round;
  }
}

async function seenInEachCycle(b: B): Promise<void> {
  const { io, random: r } = b,
    model = new Model();
  let reliable = true,
    down = false;
  for (let i = 0; i < 4000; i++) {
    // Phases in which frames are many, few, right, and wrong.
    const phase = Math.floor(i / 200) % 5,
      isFar = r.chance(phase === 3 ? 0.5 : 0.05),
      gap = isFar ? r.pick([1, 2, round - 1, round - 2, round / 2, round / 2 - 1, r.below(round)]) : 0;
    if (r.chance(0.004)) reliable = !reliable;
    else if (!reliable && r.chance(0.1)) reliable = true;
    if (r.chance(0.004)) down = true;
    else if (down && r.chance(0.1)) down = false;
    const seen: Seen = {
      ...{ valid: r.chance([0.7, 0.04, 0.4, 0.4, 0.3][phase] ?? 0) ? 1 : 0, good: r.chance(0.93) ? 1 : 0 },
      ...{ isAnswer: r.chance(0.15), linked: r.chance(0.9) ? 1 : 0, sequence: (model.expected + gap) % round },
      ...{
        ack: r.below(round),
        nack: r.below(2),
        wantsRoom: r.below(2),
        room: r.chance(phase === 4 ? 0.2 : 0.9) ? 1 : 0,
      },
    };
    const tells = r.chance(phase === 1 ? 0.01 : 0.1),
      o: Asked = {
        ...{ reliable, down, restart: r.chance(0.004), seen },
        ...{ toldAck: tells && r.chance(0.6), toldNack: tells && r.chance(0.6) },
      };
    const { isAnswer, ...fields } = seen;
    poke(io.seen, { ...fields, kind: isAnswer ? "answer" : "data" } as never);
    io.reliable.value = o.reliable ? 1 : 0;
    io.down.value = o.down ? 1 : 0;
    io.restart.value = o.restart ? 1 : 0;
    poke(io.told, { ack: o.toldAck ? 1 : 0, nack: o.toldNack ? 1 : 0 });
    await b.cycles(1);
    const { answer, acked, refused } = io;
    expect({ expected: answer.expected.num, ack: answer.ack.num === 1, nack: answer.nack.num === 1 }).toEqual({
      ...{ expected: model.expected, ack: model.ackDue, nack: model.nackDue },
    });
    expect(acked.valid.value).toBe(model.acked.valid);
    if (model.acked.valid) expect([acked.number.num, acked.nack.num]).toEqual([model.acked.number, model.acked.nack]);
    for (const [reason, is] of Object.entries(model.refused))
      if (refused[reason as keyof typeof refused].num !== is) expect.fail(`refused for ${reason}, cycle ${b.cycle}`);
    expect(io.accept.value).toBe(model.step(o) ? 1 : 0);
  }
  expect(Math.min(...Object.values(model.met))).toBeGreaterThan(5);
}

describe("LinkReceive", () => {
  bench("what counts, what is told, and when", dut, { seed: 1 }, seenInEachCycle);
  testOfResets(dut, {}, seenInEachCycle);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 4 }, seenInEachCycle);
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["who lacks room at first is told as one who lacks it again", "lacks_room & nacked", "lacks_room"],
      ["what is missing is asked for again and again", /asks = [^;]*;/, "asks = missing;"],
      ["an ACK a cycle late", "unacked_cycles == 5'd22", "unacked_cycles == 5'd23"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
