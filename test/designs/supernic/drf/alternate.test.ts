/** Traffic that alternates, so that what it used says little of what it uses. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../hdl-dsl/index.ts";
import { evenly, type Sender, serve } from "./support/epochs.ts";
import { hangMs } from "../../../support/hang-ms.ts";

const scenes = Number(process.env["MNEMO_DRF_SCENES"] ?? 500),
  epochs = 24;

/** The first sender alternates between two to four kinds of work; the others do one each. */
function sceneOf(seed: number) {
  const r = new Random(seed),
    senders = r.between(2, 5),
    resources = r.between(2, 5);
  const capacities = Array.from({ length: resources }, () => r.between(2 ** 22, 2 ** 24 - 1));
  const work = (): number[] =>
    capacities.map((_, j) => (j === 0 ? r.between(2_000, 8_000) : r.chance(0.5) ? r.between(1_000, 40_000) : 0));
  return {
    capacities,
    senders: Array.from({ length: senders }, (_, i): Sender => ({
      weight: 1,
      vectors: i === 0 ? Array.from({ length: r.pick([2, 3, 4]) }, work) : [work()],
    })),
  };
}
/** What the first sender has at most, by what the same work had evenly; and the others at least, by their part. */
function outcome(memory: number): { readonly gain: number; readonly part: number } {
  let gain = 0,
    part = Infinity;
  for (let seed = 0; seed < scenes; seed++) {
    const { capacities, senders } = sceneOf(seed),
      { bytes, mean } = serve(capacities, senders, epochs, memory),
      [even = NaN] = evenly(capacities, senders, mean, epochs);
    gain = Math.max(gain, (bytes[0] ?? NaN) / even);
    senders.slice(1).forEach(({ vectors: [vector = []] }, k) => {
      const whole = Math.min(...vector.flatMap((r, j) => (r > 0 ? [((capacities[j] ?? 0) * 256) / r] : [])));
      part = Math.min(part, (bytes[k + 1] ?? NaN) / ((whole / senders.length) * epochs));
    });
  }
  return { gain, part };
}

describe(`alternating traffic, ${scenes} scenes`, { timeout: hangMs + scenes * 2_000 }, () => {
  it("by one epoch's uses it gains, and the others keep their parts", () => {
    const { gain, part } = outcome(1);
    expect(gain, "it gains").toBeGreaterThan(1.2);
    expect(gain, "and no more than").toBeLessThan(2.5);
    expect(part).toBeGreaterThan(0.999);
  });
  it("by the largest uses of as many epochs as it has kinds of work it gains nothing", () => {
    const { gain, part } = outcome(4);
    expect(gain).toBeLessThan(1.001);
    expect(part).toBeGreaterThan(0.999);
  });
});
