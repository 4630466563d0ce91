/** Redirects in front of frames, and their rests taken away: every length, with pauses and resets. */
import { describe, expect, test } from "vitest";
import { Reshape } from "../../../../../designs/supernic/rtl/lane/index.ts";
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
import { number } from "../../support/inlets.ts";

const dut = Reshape();
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const beatBytes = 64,
  frontBytes = 22,
  wrapBytes = 14,
  shapes = ["plain", "redirect", "unwrap"] as const;

class Rig {
  readonly b: B;
  readonly frame;
  readonly shape;
  readonly out;
  wanted: { readonly bytes: readonly number[]; readonly bad: number }[] = [];
  cycles: number[] = [];
  #part: number[] = [];
  #resetting = false;

  constructor(b: B, pause: () => Pause = () => never) {
    this.b = b;
    this.frame = new StreamSource(b.sim, b.io.frame, { pause: pause() });
    this.shape = new StreamSource(b.sim, b.io.shape);
    this.out = new StreamSink(b.sim, b.io.out, { pause: pause() });
    b.onEdge({ sample: () => this.#sample() });
  }
  send(length: number, shape: (typeof shapes)[number]): void {
    const { random: r } = this.b,
      bytes = Array.from({ length }, () => r.below(256)),
      front = Array.from({ length: frontBytes }, () => r.below(256)),
      bad = r.below(2);
    this.shape.send({
      ...{ redirect: shape === "redirect" ? 1 : 0, unwrap: shape === "unwrap" ? 1 : 0 },
      front: number(Uint8Array.from(front)),
    });
    for (let at = 0; at < length; at += beatBytes) {
      const part = Uint8Array.from(bytes.slice(at, at + beatBytes)),
        last = at + beatBytes >= length,
        rest = (r.bits(512) << BigInt(8 * part.length)) & ((1n << 512n) - 1n);
      this.frame.send({
        ...{ data: number(part) | rest, count: part.length, last: last ? 1 : 0, bad: last ? bad : r.below(2) },
      });
    }
    const shaped = { plain: bytes, redirect: [...front, ...bytes], unwrap: bytes.slice(wrapBytes) }[shape];
    this.wanted.push({ bytes: shaped, bad });
  }
  #sample(): void {
    if (this.#resetting) return;
    for (let s = this.out.take(); s; s = this.out.take()) {
      this.cycles.push(s.cycle);
      const { data, keep, last, user } = s.value;
      const count = BigInt(keep).toString(2).replaceAll("0", "").length;
      if (BigInt(keep) !== (1n << BigInt(count)) - 1n || (last === 0 && count !== beatBytes))
        throw new Error(`lanes ${BigInt(keep).toString(16)} are kept`);
      for (let i = 0; i < count; i++) this.#part.push(Number((BigInt(data) >> BigInt(8 * i)) & 255n));
      if (last === 0) continue;
      const wanted = this.wanted.shift();
      expect(this.#part).toEqual(wanted?.bytes);
      expect(user).toBe(wanted?.bad);
      this.#part = [];
    }
  }
  reset(): void {
    this.#resetting = true;
    this.frame.forget();
    this.shape.forget();
    this.b.sim.reset(1);
    this.#resetting = false;
    this.out.received.splice(0);
    [this.wanted, this.#part] = [[], []];
  }
  async settled(): Promise<void> {
    await this.b.until(() => this.wanted.length === 0);
    await this.b.cycles(4);
    expect(this.#part).toEqual([]);
  }
}

async function randomly(b: B): Promise<void> {
  const { random: r } = b,
    rig = new Rig(b, () => bernoulli(0.3, r.word()));
  for (let round = 0; round < 14; round++) {
    for (let i = 0; i < 20; i++)
      rig.send(r.pick([r.between(60, 300), 64 * r.between(1, 4) + r.between(-4, 20)]), r.pick(shapes));
    if (round % 2 === 1) {
      await b.cycles(r.between(5, 60));
      rig.reset();
    } else await rig.settled();
  }
}
/** Every length about the ends of beats, a beat in every cycle. */
async function fullRate(b: B): Promise<void> {
  const rig = new Rig(b);
  for (const shape of shapes) for (let more = 0; more < 64; more += 1 + (more % 3)) rig.send(100 + more, shape);
  const beats = rig.wanted.reduce((sum, w) => sum + Math.ceil(w.bytes.length / beatBytes), 0);
  // Of a frame that loses its front a beat goes in that gives none, where it leaves one less.
  const silent = rig.frame.pending;
  await rig.settled();
  expect(rig.cycles).toHaveLength(beats);
  expect((rig.cycles.at(-1) ?? NaN) - (rig.cycles[0] ?? NaN)).toBeLessThan(beats + silent);
}

const runs = { randomly, fullRate };
describe("Reshape", () => {
  bench("every byte is in its place, with pauses and resets", dut, { seed: 1, hangCycles: 500 }, randomly);
  bench("every length", dut, { seed: 2, hangCycles: 500 }, fullRate);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    test("a frame goes on behind a reset", async () => {
      await findsFault(look("reset", plant(dut, /first_beat <= 1'b1; /, "")));
    });
  });
});
