/** Tag and shim behind the MACs, and zeros behind short frames: every length, at full rate and with pauses. */
import { describe, expect, test } from "vitest";
import { ShimInsert } from "../../../../../designs/supernic/rtl/deparse/insert.ts";
import { snicEtherType } from "../../../../../designs/supernic/wire/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { number } from "../../support/inlets.ts";

const dut = ShimInsert();
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const beatBytes = 64,
  minimum = 60,
  macBytes = 12;
interface Leaves {
  readonly bytes: Uint8Array;
  readonly bad: boolean;
}
const big = (n: number): readonly number[] => [n >> 8, n & 255];

class Rig {
  readonly b: B;
  readonly plain;
  readonly what;
  readonly frame;
  wanted: Leaves[] = [];
  /** First cycle and last of the beats that have left since they were asked for. */
  cycles: number[] = [];
  #part: number[] = [];
  #resetting = false;

  constructor(b: B, pauses: { readonly plain?: Pause; readonly what?: Pause; readonly frame?: Pause } = {}) {
    this.b = b;
    this.plain = new StreamSource(b.sim, b.io.plain, { pause: pauses.plain ?? never });
    this.what = new StreamSource(b.sim, b.io.what, { pause: pauses.what ?? never });
    this.frame = new StreamSink(b.sim, b.io.frame, { pause: pauses.frame ?? never });
    b.onEdge({ sample: () => this.#sample() });
  }
  /** A frame, and what goes behind its MACs. */
  send(length: number, tagged: boolean, shimmed: boolean): void {
    const { random: r } = this.b,
      bytes = Uint8Array.from({ length }, () => r.below(256)),
      tag = r.below(1 << 16),
      shim = Uint8Array.from({ length: 6 }, () => r.below(256)),
      bad = r.chance(0.2);
    this.what.send({ tagged: tagged ? 1 : 0, tag, shimmed: shimmed ? 1 : 0, shim: Number(number(shim)) });
    for (let at = 0; at < length; at += beatBytes) {
      const part = bytes.slice(at, at + beatBytes),
        last = at + beatBytes >= length,
        // Behind its end anything may stand, but for its first beat.
        rest = at === 0 ? 0n : r.bits(8 * beatBytes) << BigInt(8 * part.length);
      this.plain.send({
        data: number(part) | (rest & ((1n << 512n) - 1n)),
        count: part.length,
        last: last ? 1 : 0,
        // What is said of a beat that is not the last counts for nothing.
        bad: last ? (bad ? 1 : 0) : r.below(2),
      });
    }
    const inside = [
        ...bytes.slice(0, macBytes),
        ...(tagged ? [...big(snicEtherType.vlan), ...big(tag)] : []),
        ...(shimmed ? [...big(snicEtherType.snicShim), ...shim] : []),
        ...bytes.slice(macBytes),
      ],
      padded = Uint8Array.from({ length: Math.max(minimum, inside.length) }, (_, i) => inside[i] ?? 0);
    this.wanted.push({ bytes: padded, bad });
  }
  #sample(): void {
    if (this.#resetting) return;
    for (let s = this.frame.take(); s; s = this.frame.take()) {
      this.cycles.push(s.cycle);
      const { data, count, last, bad } = s.value;
      if (last === 0 && count !== beatBytes) throw new Error(`${count} bytes count of a beat that is not the last`);
      for (let i = 0; i < count; i++) this.#part.push(Number((BigInt(data) >> BigInt(8 * i)) & 255n));
      if (last === 0) {
        if (bad === 1) throw new Error("a frame is bad before its end");
        continue;
      }
      const wanted = this.wanted.shift();
      expect([...(wanted?.bytes ?? [])]).toEqual(this.#part);
      expect(bad).toBe(wanted?.bad === true ? 1 : 0);
      this.#part = [];
    }
  }
  reset(): void {
    this.#resetting = true;
    this.plain.forget();
    this.what.forget();
    this.b.sim.reset(1);
    this.#resetting = false;
    this.frame.received.splice(0);
    this.wanted = [];
    this.#part = [];
  }
  async settled(): Promise<void> {
    await this.b.until(() => this.wanted.length === 0);
    await this.b.cycles(3);
    expect(this.#part).toEqual([]);
  }
  /** Lengths about the ends of beats are those that matter. */
  length(): number {
    const { random: r } = this.b;
    return Math.max(14, r.pick([r.between(14, 64), r.between(14, 330), 64 * r.between(1, 4) + r.between(-13, 13)]));
  }
}

async function randomly(b: B): Promise<void> {
  const { random: r } = b,
    pause = (): Pause => bernoulli(r.pick([0.1, 0.5]), r.word()),
    rig = new Rig(b, { plain: pause(), what: pause(), frame: pause() });
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < 30; i++) rig.send(rig.length(), r.chance(0.5), r.chance(0.5));
    if (round % 3 === 2) {
      await b.cycles(r.between(10, 60));
      rig.reset();
    } else await rig.settled();
  }
}
/** Each length with each of what can be put in, a beat in every cycle. */
async function fullRate(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let kind = 0; kind < 4; kind++)
    for (let length = 44; length < 68; length++) rig.send(length + (length % 3) * 64, kind % 2 === 1, kind > 1);
  const beats = rig.wanted.reduce((sum, w) => sum + Math.ceil(w.bytes.length / beatBytes), 0);
  await rig.settled();
  expect(rig.cycles).toHaveLength(beats);
  expect((rig.cycles.at(-1) ?? NaN) - (rig.cycles[0] ?? NaN)).toBe(beats - 1);
}

const runs = { randomly, fullRate };
describe("ShimInsert", () => {
  testOfResets(dut, {}, randomly);
  bench("every byte is in its place, with pauses and resets", dut, { seed: 1, hangCycles: 500 }, randomly);
  bench("every length, a beat in every cycle", dut, { seed: 2, hangCycles: 500 }, fullRate);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a frame that grows into another beat is cut", /count > 7'd60/, "count > 7'd61"],
      ["a frame of 59 bytes is not filled", "total < 8'd60", "total < 8'd59"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
