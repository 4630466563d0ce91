import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { SpiSlave } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { type Mode, modes } from "./spi-model.ts";

const dut = (width: number) => SpiSlave({ width });
type Ports = ReturnType<typeof dut>["ports"];

interface Traffic {
  readonly mode: Mode;
  readonly width: number;
  /** Cycles of half a period. */
  readonly half: number;
  readonly pauses: readonly [Pause, Pause];
}

/** A master: bits as the mode says, at its own pace. @returns the word that came back, or fewer bits when cut off */
async function word(b: Bench<Ports>, t: Traffic, data: number, bits = t.width): Promise<number> {
  const { io } = b,
    { cpol, cpha } = t.mode;
  let back = 0;
  const half = (): Promise<void> => b.cycles(t.half + b.random.between(0, 1));
  const out = (i: number): void => void (io.mosi.value = (data >> (t.width - 1 - i)) & 1);
  const sample = (): void => void (back = back * 2 + io.miso.value);
  for (let i = 0; i < bits; i++) {
    if (cpha === 0) out(i);
    await half();
    if (cpha === 0) sample();
    else out(i);
    io.sck.value = 1 - cpol;
    await half();
    if (cpha === 1) sample();
    io.sck.value = cpol;
  }
  return back;
}
interface Selection {
  readonly sent: number[];
  readonly back: number[];
}
async function talks(b: Bench<Ports>, t: Traffic, count = 20): Promise<void> {
  const { io } = b,
    r = b.random,
    lost: number[] = [],
    lacking: number[] = [];
  io.cpol.value = t.mode.cpol;
  io.cpha.value = t.mode.cpha;
  io.sck.value = t.mode.cpol;
  io.csN.value = 1;
  await b.cycles(6);
  b.onEdge({
    sample: cycle => {
      if (io.overrun.value === 1) lost.push(cycle);
      if (io.underrun.value === 1) lacking.push(cycle);
    },
    drive: () => undefined,
  });
  const toSend = new StreamSource(b.sim, io.toSend, { pause: t.pauses[0] }),
    received = new StreamSink(b.sim, io.received, { pause: t.pauses[1] });
  const offered = Array.from({ length: 4 * count }, () => toSend.send(r.between(1, 2 ** t.width - 1)));
  const came: number[] = [],
    ended: number[] = [],
    selections: Selection[] = [];
  let cut = 0;
  for (let n = 0; n < count; n++) {
    io.csN.value = 0;
    await b.cycles(t.half);
    const s: Selection = { sent: [], back: [] };
    for (let i = r.between(1, 3); i > 0; i--) {
      const data = r.between(0, 2 ** t.width - 1);
      s.back.push(await word(b, t, data));
      s.sent.push(data);
      came.push(data);
      ended.push(b.cycle);
    }
    selections.push(s);
    // Some selections end within a word, which is then forgotten.
    if (r.chance(0.3)) {
      await word(b, t, 2 ** t.width - 1, r.between(1, t.width - 1));
      cut++;
    }
    await b.cycles(t.half);
    expect(io.misoEnable.value).toBe(1);
    io.csN.value = 1;
    await b.cycles(6);
    expect(io.misoEnable.value).toBe(0);
    // Others on the same lines are spoken to.
    if (r.chance(0.6)) {
      await word(b, t, r.between(0, 2 ** t.width - 1), r.between(1, t.width));
      await b.cycles(t.half);
      expect(io.misoEnable.value).toBe(0);
    }
  }
  received.pause = never;
  await b.cycles(8);
  // A word was lost where it is told, and no other one.
  const at = (cycle: number): number => ended.findIndex(e => Math.abs(e - cycle) < t.half * 2 + 6);
  const gone = new Set(lost.map(at));
  expect(gone.size).toBe(lost.length);
  expect(gone.has(-1)).toBe(false);
  expect(received.received.map(x => x.value)).toEqual(came.filter((_, i) => !gone.has(i)));
  // What came back is what was offered, in order: each word once, or zeros, which are told.
  const back = selections.flatMap(s => s.back),
    taken = offered.filter(o => o.cycle !== undefined).map(o => o.value);
  const whole = back.filter(x => x !== 0);
  let at2 = 0;
  for (const x of whole) {
    while (at2 < taken.length && taken[at2] !== x) at2++;
    expect(at2).toBeLessThan(taken.length);
    at2++;
  }
  // A word is taken, or told as lacking, for each that is begun, and for no other.
  expect(taken.length + lacking.length).toBe(back.length + cut);
  if (t.pauses[0] === never) expect(lacking).toEqual([]);
  if (t.pauses[1] === never) expect(lost).toEqual([]);
  else if (t.pauses[1] === rarely) expect(lost.length).toBeGreaterThan(1);
}
const rarely: Pause = bernoulli(0.997, 3);
const traffic = (n: number, more: Partial<Traffic> = {}): Traffic => ({
  mode: modes[n % 4] as Mode,
  width: 8,
  half: 5 + (n % 3),
  pauses: [never, never],
  ...more,
});

describe("SpiSlave", () => {
  for (let n = 0; n < 4; n++) {
    const { cpol, cpha } = modes[n] as Mode;
    bench(`cpol ${cpol}, cpha ${cpha}`, dut(8), { seed: n }, b => talks(b, traffic(n)));
    bench(`cpol ${cpol}, cpha ${cpha}, words lost and words lacking`, dut(8), { seed: n }, b =>
      talks(b, traffic(n, { pauses: [bernoulli(0.99, n), rarely] })),
    );
  }
  bench("words of 5 bits", dut(5), {}, b => talks(b, traffic(2, { width: 5 })));
  const cutOff = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b,
      t = traffic(0);
    io.sck.value = 0;
    io.csN.value = 1;
    await b.cycles(6);
    io.csN.value = 0;
    await b.cycles(6);
    await word(b, t, 0xff);
    await b.cycles(6);
    expect(io.received.valid.value).toBe(1);
    await word(b, t, 0xff, 3);
    io.csN.value = 1;
    b.sim.reset(1);
    await b.cycles(3);
    expect([io.received.valid.value, io.misoEnable.value]).toEqual([0, 0]);
    await talks(b, t, 4);
  };
  bench("reset forgets the word under way and the one that waits", dut(8), {}, cutOff);

  test.each([
    ["mode 3 is taken as mode 2", "wire rises = cpol == cpha", "wire rises = ~cpol"],
    ["a word that was cut off goes on in the next selection", "if (cs_n_2) count <= 3'd0;\n    else if", "if"],
    ["the next word is taken when it is shown", /assign to_send_ready = [^;]*;/, "assign to_send_ready = load;"],
    [
      "the word before is sent again",
      "to_send_valid ? to_send_payload : 8'd0",
      "to_send_valid ? to_send_payload : out",
    ],
    ["nothing to send is not told", /assign underrun = [^;]*;/, "assign underrun = 1'b0;"],
    ["a lost word is not told", /assign overrun = [^;]*;/, "assign overrun = 1'b0;"],
    ["the new word takes the old one's place", /if \(whole & room\)/, "if (whole)"],
    ["bits the wrong way round", "held <= {into, mosi_2}", "held <= {mosi_2, into}"],
    ["what others are told is taken for its own", "samples = ~cs_n_2 & (rises", "samples = (rises"],
    ["it drives the line always", /assign miso_enable = [^;]*;/, "assign miso_enable = 1'b1;"],
    ["reset leaves what waits", "if (rst) full <= 1'b0;\n    else if (room)", "if (room)"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut(8), from, to),
      o = { wave: false, hangCycles: 3000, limitCycles: 60_000 } as const;
    return findsFault(
      runBench("talks", faulty, o, b => talks(b, traffic(3, { pauses: [bernoulli(0.99, 1), rarely] }), 10))
        .then(() => runBench("talks", faulty, { ...o, seed: 5 }, b => talks(b, traffic(0), 8)))
        .then(() => runBench("cut off", faulty, o, cutOff)),
      /./,
    );
  });
});
