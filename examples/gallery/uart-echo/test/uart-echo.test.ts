import { emit } from "mnemosyne";
import { type Bench, BuildError, type Dut, runBench, withFault } from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { UartEcho } from "../src/uart-echo.ts";
import { type Heard, Listener, Talker } from "./line.ts";

const divisor = 32,
  depth = 4,
  echo = UartEcho({ divisor, depth });
type EchoBench = Bench<typeof echo.ports>;

/** The bench's view of the echo: what came back, and how often it said that it dropped something. */
function watch(b: EchoBench): { readonly heard: readonly Heard[]; readonly counts: { broken: number; lost: number } } {
  const listener = new Listener(b.io.tx, divisor),
    counts = { broken: 0, lost: 0 };
  b.onEdge(listener);
  b.onEdge({
    sample: () => {
      counts.broken += b.io.broken.value;
      counts.lost += b.io.lost.value;
    },
    save: () => undefined,
    restore: () => undefined,
  });
  return { heard: listener.heard, counts };
}

const run = <T>(dut: Dut<typeof echo.ports>, seed: number, body: (b: EchoBench) => Promise<T>): Promise<T> =>
  runBench("uart echo", dut, { seed, wave: false, hangCycles: 0 }, body);

/** Every byte, at the same speed, a little slower, a little faster; with and without pauses. */
const allBytes = (dut: Dut<typeof echo.ports>, bitCycles: number): Promise<void> =>
  run(dut, bitCycles, async b => {
    const { heard, counts } = watch(b),
      talker = new Talker(b, b.io.rx),
      sent = b.random.shuffle(Array.from({ length: 256 }, (_, i) => i));
    for (const byte of sent) {
      await talker.send(byte, bitCycles);
      if (b.random.chance(0.3)) await b.cycles(b.random.below(3 * divisor));
    }
    await b.cycles(12 * divisor * (depth + 2));
    expect(heard.map(h => h.byte)).toEqual(sent);
    expect(counts).toEqual({ broken: 0, lost: 0 });
  });

/** A talker that is 3 % faster for long: what does not fit is lost, is said to be, and nothing else changes. */
const tooFast = (dut: Dut<typeof echo.ports>): Promise<void> =>
  run(dut, 5, async b => {
    const { heard, counts } = watch(b),
      talker = new Talker(b, b.io.rx),
      sent = Array.from({ length: 300 }, () => b.random.below(256)),
      lostAt: number[] = [];
    for (const [i, byte] of sent.entries()) {
      const before = counts.lost;
      await talker.send(byte, divisor - 1);
      if (counts.lost > before) lostAt.push(i);
    }
    await b.cycles(12 * divisor * (depth + 2));
    expect(heard.map(h => h.byte)).toEqual(sent.filter((_, i) => !lostAt.includes(i)));
    expect(lostAt.length, "bytes that were lost").toBeGreaterThan(2);
    expect([counts.broken, counts.lost]).toEqual([0, lostAt.length]);
    for (const [i, h] of heard.slice(1).entries())
      expect(h.start - (heard[i]?.start ?? 0), "without a pause, and never faster").toBeGreaterThanOrEqual(
        10 * divisor,
      );
  });

/** Bytes without a stop bit, a line that stays low, and disturbances shorter than half a bit. */
const disturbed = (dut: Dut<typeof echo.ports>): Promise<void> =>
  run(dut, 7, async b => {
    const { heard, counts } = watch(b),
      talker = new Talker(b, b.io.rx);
    await talker.send(0x55, divisor);
    await talker.send(0xa5, divisor, 0);
    await b.cycles(3 * divisor);
    b.io.rx.value = 0;
    await b.cycles(40 * divisor);
    b.io.rx.value = 1;
    await b.cycles(2 * divisor);
    for (let length = 1; length < divisor / 2 - 2; length += 3) {
      b.io.rx.value = 0;
      await b.cycles(length);
      b.io.rx.value = 1;
      await b.cycles(2 * divisor);
    }
    await talker.send(0x33, divisor);
    await b.cycles(14 * divisor);
    expect(heard.map(h => h.byte)).toEqual([0x55, 0x33]);
    expect(counts).toEqual({ broken: 2, lost: 0 });
  });

describe("the echo", () => {
  test.each([divisor, divisor + 1, divisor - 1])("every byte, bits of %d cycles", c => allBytes(echo, c));
  test("a talker that is faster for long: what is dropped is told", () => tooFast(echo));
  test("broken bytes, a line that stays low, disturbances", () => disturbed(echo));

  test("its latency: from a byte's start bit to the echo's", () =>
    run(echo, 1, async b => {
      const { heard } = watch(b),
        talker = new Talker(b, b.io.rx);
      await b.cycles(10);
      const from = b.cycle + 1;
      await talker.send(0x42, divisor);
      await b.cycles(12 * divisor);
      // Half a bit, nine bits, and registers: two of the synchroniser, and one each of offer, queue and line.
      expect((heard[0]?.start ?? 0) - from).toBe(divisor / 2 + 9 * divisor + 5);
    }));

  test("a reset in the middle of a byte leaves an idle line and an empty queue", () =>
    run(echo, 2, async b => {
      const talker = new Talker(b, b.io.rx);
      await talker.send(0x10, divisor);
      await talker.send(0x20, divisor);
      b.sim.reset(2);
      expect(b.io.tx.value).toBe(1);
      const { heard } = watch(b);
      await b.cycles(20 * divisor);
      await talker.send(0x77, divisor);
      await b.cycles(14 * divisor);
      expect(heard.map(h => h.byte)).toEqual([0x77]);
    }));
  test("parameters that cannot be are refused", () => {
    expect(() => emit(UartEcho({ divisor: 3, depth: 4 }))).toThrow("divisor = 3: a bit has 4 cycles or more");
  });
});

describe("planted faults are found", () => {
  test.each([
    ["the first bit is looked at too late", /left <= 6'd15;/, "left <= 6'd31;"],
    ["a disturbance is taken for a start bit", /if \(~?synchronised_2\) state <= state_idle;/, ""],
    ["a byte is lost in silence", /lost = .*;/, "lost = 1'b0;"],
    [
      "bytes are sent a cycle too long",
      /count <= count - 4'd1;\s+left <= 6'd31;/,
      "count <= count - 4'd1; left <= 6'd32;",
    ],
    ["a line that stays low gives bytes", /state <= state_low;/, "state <= state_idle;"],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(echo, { what, from, to });
    const all = async (): Promise<void> => {
      await allBytes(faulty, divisor - 1);
      await allBytes(faulty, divisor + 1);
      await tooFast(faulty);
      await disturbed(faulty);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|ends after|stop bit/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
