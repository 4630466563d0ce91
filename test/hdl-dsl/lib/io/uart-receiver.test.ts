import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { UartReceiver } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { lineBits, type LineFormat, parities, parityBit } from "./uart-model.ts";

const dut = UartReceiver({ dataBits: 8 });
type Ports = (typeof dut)["ports"];
type Kind = "whole" | "parity" | "framing" | "break" | "glitch" | "false start";
interface Sent {
  readonly kind: Kind;
  readonly data: number;
  /** Cycle of the middle of its stop bit. */
  readonly middle: number;
}

/** The line, level by level; `speed` is what a bit of this sender takes, in bits of the receiver. */
class Line {
  readonly #b: Bench<Ports>;
  readonly #f: LineFormat;
  readonly speed: number;
  #owed = 0;
  constructor(b: Bench<Ports>, f: LineFormat, speed: number) {
    this.#b = b;
    this.#f = f;
    this.speed = speed;
  }
  async level(value: number, bits = 1): Promise<void> {
    this.#b.io.rxd.value = value;
    this.#owed += bits * this.speed * (this.#f.divisor + 1);
    const whole = Math.round(this.#owed);
    this.#owed -= whole;
    await this.#b.cycles(whole);
  }
  async character(kind: Kind, data: number): Promise<Sent> {
    if (kind === "false start") {
      await this.level(0, 0.3);
      await this.level(1, 1);
    }
    const check = parityBit(data, this.#f.parity).map(x => (kind === "parity" ? 1 - x : x));
    const bits = [0, ...lineBits(data, { ...this.#f, parity: "none" }).slice(1, 9), ...check];
    if (kind === "break") bits.fill(0);
    for (const [i, bit] of bits.entries()) {
      if (kind === "glitch" && i === 4) {
        // One cycle, in the middle of a bit.
        await this.level(bit, 0.5);
        this.#b.io.rxd.value = 1 - bit;
        await this.#b.risingEdge();
        this.#owed -= 1;
        await this.level(bit, 0.5);
      } else await this.level(bit);
    }
    const stop = kind === "framing" || kind === "break" ? 0 : 1;
    const middle = this.#b.cycle + Math.round((this.speed * (this.#f.divisor + 1)) / 2);
    await this.level(stop);
    if (stop === 0) await this.level(1, 1);
    if (this.#f.twoStops) await this.level(1);
    return { kind, data, middle };
  }
}

const kinds: readonly Kind[] = ["whole", "whole", "whole", "parity", "framing", "break", "glitch", "false start"];
async function receives(b: Bench<Ports>, f: LineFormat, speed: number, pause: Pause, count = 24): Promise<void> {
  const { io } = b,
    lost: number[] = [];
  io.rxd.value = 1;
  io.divisor.value = f.divisor;
  io.parity.value = f.parity;
  await b.cycles(5);
  const to = new StreamSink(b.sim, io.to, { pause });
  b.onEdge({
    sample: cycle => {
      if (io.overrun.value === 1) lost.push(cycle);
    },
    drive: () => undefined,
  });
  const line = new Line(b, f, speed),
    sent: Sent[] = [];
  for (let i = 0; i < count; i++) {
    const kind = kinds[b.random.between(0, kinds.length - 1)] as Kind;
    sent.push(
      await line.character(
        kind === "parity" && f.parity === "none" ? "whole" : kind,
        kind === "break" ? 0 : b.random.between(1, 255),
      ),
    );
    if (b.random.chance(0.3)) await line.level(1, b.random.between(0, 30) / 7);
  }
  await b.cycles(40);
  to.pause = never;
  await b.cycles(4);
  // A complete character was either lost, with its pulse, or came out, in order.
  const near = (cycle: number, s: Sent): boolean => Math.abs(cycle - s.middle) < 8 + (f.divisor + 1) / 2;
  expect(lost.filter(c => sent.filter(s => near(c, s)).length !== 1)).toEqual([]);
  const kept = sent.filter(s => !lost.some(c => near(c, s)));
  expect(to.received.map(r => r.value)).toEqual(
    kept.map(s => ({
      data: s.kind === "break" ? 0 : s.data,
      parityError:
        s.kind === "parity" || (s.kind === "break" && f.parity !== "none" && parityBit(0, f.parity)[0] !== 0) ? 1 : 0,
      framingError: s.kind === "framing" || s.kind === "break" ? 1 : 0,
    })),
  );
  if (pause === never) {
    expect(lost).toEqual([]);
    if (speed === 1)
      to.received.forEach((r, i) => {
        const late = r.cycle - (kept[i] as Sent).middle;
        expect(late).toBeGreaterThanOrEqual(4);
        expect(late).toBeLessThanOrEqual(7);
      });
  } else if (pause === slow) expect(lost.length).toBeGreaterThan(3);
}
/** Characters come in about 100 cycles each, so that some wait too long. */
const slow: Pause = bernoulli(0.994, 9);
const format = (n: number, divisor: number): LineFormat => ({
  dataBits: 8,
  divisor,
  parity: parities[n % 5] as (typeof parities)[number],
  twoStops: n % 2 === 1,
});

describe("UartReceiver", () => {
  for (const [n, speed, pause, divisor] of [
    [0, 1, never, 7],
    [1, 1, never, 8],
    [2, 1.03, never, 19],
    [3, 0.97, never, 19],
    [4, 1, slow, 7],
    [3, 1, slow, 10],
    [0, 1, bernoulli(0.5, 4), 25],
  ] as const) {
    const f = format(n, divisor);
    bench(
      `parity ${f.parity}, ${divisor + 1} cycles a bit, speed ${speed}, ${pause === never ? "never" : pause === slow ? "too rarely" : "slowly"} stalled`,
      dut,
      { seed: n },
      b => receives(b, f, speed, pause),
    );
  }
  const stale = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b,
      f = format(0, 7);
    io.divisor.value = f.divisor;
    io.parity.value = f.parity;
    io.rxd.value = 1;
    await b.cycles(5);
    const line = new Line(b, f, 1);
    await line.character("whole", 0x55);
    await b.cycles(8);
    expect(io.to.valid.value).toBe(1);
    for (const bit of [0, 1, 1]) await line.level(bit);
    io.rxd.value = 1;
    b.sim.reset(1);
    await b.cycles(2);
    expect(io.to.valid.value).toBe(0);
    await receives(b, f, 1, never, 6);
  };
  bench("reset forgets a character that waits, and one that is coming in", dut, {}, stale);
  // A line that ends its break late: nothing but the break itself.
  const longBreak = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b,
      f = format(3, 9),
      line = new Line(b, f, 1);
    io.divisor.value = f.divisor;
    io.parity.value = f.parity;
    io.rxd.value = 1;
    await b.cycles(5);
    const to = new StreamSink(b.sim, io.to);
    await line.level(0, 47);
    await line.level(1, 3);
    await line.character("whole", 0x3c);
    await b.cycles(10);
    expect(to.received.map(r => [r.value.data, r.value.framingError])).toEqual([
      [0, 1],
      [0x3c, 0],
    ]);
  };
  bench("a break of any length is one character", dut, {}, longBreak);
  // A character that finds no room is told of in the cycle in which it is complete, before the one that shows it.
  const toldInTime = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b,
      f = format(3, 9),
      line = new Line(b, f, 1);
    io.divisor.value = f.divisor;
    io.parity.value = f.parity;
    io.rxd.value = 1;
    const to = new StreamSink(b.sim, io.to),
      lost: number[] = [];
    b.onEdge({
      sample: cycle => {
        if (io.overrun.value === 1) lost.push(cycle);
      },
    });
    await b.cycles(5);
    const shown = await line.character("whole", 0x35);
    await line.level(1, 2);
    to.pause = () => true;
    await line.character("whole", 0x3c);
    const told = await line.character("whole", 0xa5);
    await line.level(1, 2);
    expect(to.received.map(r => r.value.data)).toEqual([0x35]);
    expect(lost.map(c => c - told.middle)).toEqual([to.received[0]!.cycle - shown.middle - 1]);
  };
  bench("an overrun is told in its cycle", dut, {}, toldInTime);
  test("planted fault: an overrun is told a cycle late", () => {
    const late = plant(
      dut,
      /assign overrun = ([^;]*);/,
      "reg late;\n  always @(posedge clk) late <= $1;\n  assign overrun = late;",
    );
    return findsFault(runBench("late", late, { wave: false }, toldInTime), /to deeply equal/);
  });

  const all = async (faulty: ReturnType<typeof plant<Ports>>): Promise<void> => {
    const o = { wave: false, hangCycles: 3000, limitCycles: 30_000 } as const;
    await runBench("parity", faulty, { ...o, seed: 1 }, b => receives(b, format(4, 9), 1.03, never));
    await runBench("overrun", faulty, { ...o, seed: 2 }, b => receives(b, format(2, 9), 1, bernoulli(0.99, 9)));
    await runBench("stale", faulty, o, stale);
    await runBench("break", faulty, o, longBreak);
  };
  test.each([
    ["no majority: a glitch is seen", /wire rxd_level = [^;]*;/, "wire rxd_level = rxd_2;"],
    ["a false start is not forgotten", "if (rxd_level) busy <= 1'b0;", ""],
    ["bits are sampled at their edge", "cycles <= divisor >> 1", "cycles <= 16'd0"],
    ["bits are sampled too late", "cycles <= divisor >> 1", "cycles <= divisor"],
    ["the parity of the character before counts", "else if (within_ & stop) sum <= 1'b0;", ""],
    ["mark looks at the data", "(sum & parity[1])", "sum"],
    ["the new character takes the old one's place", "if (within_ & stop & room)", "if (within_ & stop)"],
    ["an overrun is not told", "assign overrun = within_ & stop & ~room", "assign overrun = 1'b0"],
    ["taken and complete in one cycle counts as overrun", "wire room = ~full | to_ready", "wire room = ~full"],
    ["a break begins again and again", "if (line_was & ~rxd_level) busy", "if (~rxd_level) busy"],
    ["a framing error is not told", "held_framing_error <= ~rxd_level", "held_framing_error <= 1'b0"],
    ["reset forgets nothing that waits", "if (rst) full <= 1'b0;\n    else if (room)", "if (room)"],
    ["reset leaves a character coming in", "if (rst) busy <= 1'b0;\n    else if", "if"],
  ] as const)("planted fault: %s", (_what, from, to) => findsFault(all(plant(dut, from, to)), /./));
});
