/** Back-pressure of both sides of a stream, by name: each unit meets all of them. */
import { bench } from "../../bench.ts";
import type { Ports } from "../../../hdl-dsl/index.ts";
import { type Bench, type BenchOptions, bernoulli, bursts, type Dut, never, type Pause } from "../../../sim/index.ts";

export const pressures: readonly (readonly [string, (seed: number) => Pause, (seed: number) => Pause])[] = [
  ["no pauses", () => never, () => never],
  ["both random", s => bernoulli(0.4, s), s => bernoulli(0.4, s + 50)],
  ["slow producer", s => bernoulli(0.7, s), () => never],
  ["slow consumer", () => never, s => bernoulli(0.7, s + 50)],
  ["bursts", s => bursts({ go: 8, pause: 8 }, s), s => bursts({ go: 6, pause: 9 }, s + 50)],
];

type Side = () => { readonly pause: Pause };

/** A bench under every kind of back-pressure; `from` and `to` give the options of its next producer and consumer. */
export function everyPressure<P extends Ports>(
  name: string,
  design: Dut<P>,
  options: BenchOptions,
  body: (b: Bench<P>, from: Side, to: Side) => Promise<void>,
): void {
  pressures.forEach(([kind, from, to], i) => {
    bench(`${name}: ${kind}`, design, { seed: 70 + i, ...options }, b => {
      let n = b.seed;
      return body(
        b,
        () => ({ pause: from(n++) }),
        () => ({ pause: to(n++) }),
      );
    });
  });
}
