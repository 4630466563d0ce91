import { describe, expect } from "vitest";
import { schedulerModel } from "../../../../../designs/supernic/model/index.ts";
import { bench } from "../../../../bench.ts";
import { type BesideBench, besideDut, BesideModel, hardwareTiming, randomLife } from "./support/beside-model.ts";

const { alone, chain, contended, rateOf, sharesOf, traffic, watch } = schedulerModel;
type Outcome = schedulerModel.Outcome;
type Setup = schedulerModel.Setup;
type Task = schedulerModel.Task;
type Traffic = schedulerModel.Traffic;

const seeds = Number(process.env["MNEMO_SCHEDULER_SEEDS"] ?? 8);
/** What leaves the model, and what leaves the hardware. */
async function both(
  b: BesideBench,
  given: Setup,
  packets: Traffic,
): Promise<{ readonly model: Outcome; readonly rtl: Outcome }> {
  const setup = { ...given, timing: hardwareTiming },
    model = watch(setup, packets),
    rig = new BesideModel(b, "figures", setup);
  expect(model.wrong).toBe(undefined);
  await rig.program();
  return { model, rtl: await rig.run(packets) };
}
describe("random configurations keep every promise", () => {
  for (let seed = 0; seed < seeds; seed++) {
    bench(`configuration ${seed}`, besideDut("random"), { seed }, b => randomLife(b, seed));
    bench(`configuration ${seed}, regions that close, a way out that waits, resets`, besideDut("random"), { seed }, b =>
      randomLife(b, seed, { waits: 30, closes: 20 }, 2),
    );
  }
});

/** The cycles of a packet alone, of each of several DAGs. */
const aloneAs = (name: string, stages: (n: number) => readonly (readonly (readonly Task[])[])[]): void => {
  for (const n of [2, 4, 7])
    bench(`${name}, ${n} tasks`, besideDut("figures"), {}, async b => {
      const { model, rtl } = await both(b, alone(stages(n), 8, hardwareTiming), traffic(1));
      expect(rtl.out.map(o => o.at - o.entered)).toEqual(model.out.map(o => o.at - o.entered));
    });
};
describe("a packet alone takes as long as the model says, to the cycle", () => {
  const half = (n: number): number => Math.ceil(n / 2);
  aloneAs("one chain (5.14)", n => [[chain(n, 6)]]);
  aloneAs("two chains (5.14)", n => [[chain(half(n), 6)], [chain(n - half(n), 6)]]);
  aloneAs("each alone (5.14)", n => Array.from({ length: n }, () => [chain(1, 6)]));
  aloneAs("each a branch (5.15)", n => [Array.from({ length: n }, () => chain(1, 6))]);
  aloneAs("two branches (5.15)", n => [[chain(half(n), 6), chain(n - half(n), 6)]]);
});
describe("a flow has the rate that the model says", () => {
  for (const credits of [1, 2, 4, 8])
    bench(`one task with ${credits} credits (5.9)`, besideDut("figures"), {}, async b => {
      const { model, rtl } = await both(b, alone([[chain(1, 1)]], credits, hardwareTiming), traffic(400));
      expect(rateOf(rtl.out)).toBe(rateOf(model.out));
    });
  for (const credits of [8, 14, 24])
    bench(`a chain of four with ${credits} credits`, besideDut("figures"), {}, async b => {
      const { model, rtl } = await both(b, alone([[chain(4, 1)]], credits, hardwareTiming), traffic(600));
      expect(rateOf(rtl.out)).toBe(rateOf(model.out));
    });
  bench(
    "three users of a slow task and the one behind it have the model's shares",
    besideDut("figures"),
    {},
    async b => {
      const { setup, traffic: packets } = contended(hardwareTiming),
        { model, rtl } = await both(b, setup, packets);
      const [first, second, third] = sharesOf(rtl.out);
      expect([first, second]).toEqual(sharesOf(model.out).slice(0, 2));
      // A choice that lacks something takes those of its slot behind it back, and their decisions are nobody's.
      expect(third).toBeGreaterThan(0.75);
    },
  );
});
