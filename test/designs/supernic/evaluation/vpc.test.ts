/** Figure 5.19: what its claims and its measurement find, with faults in what is measured and in the hardware. */
import { describe, expect, it } from "vitest";
import { vpcFigure } from "../../../../designs/supernic/evaluation/figures/index.ts";
import { type Change, coreBeats, measureVpc } from "../../../../designs/supernic/evaluation/measure/index.ts";
import { figureOf } from "../../../../designs/shared/evaluation/index.ts";
import { plant } from "../../../support/plant.ts";

const quick = { seed: 1, quick: true };
type Measure = typeof measureVpc;
const broken = async (measure: Measure): Promise<readonly string[]> =>
  (await figureOf(vpcFigure(measure), quick)).verdicts.filter(v => !v.holds).map(v => v.says);

/** As the device has it: software bounds, or a beat a cycle does, or the line. */
const ideal: Measure = (_, { chain, loads }) =>
  Promise.resolve(
    loads.map(l => ({
      ...{ ...l, chain },
      came: Math.min(l.offered, 12_500 / (l.size + 54), 249 / Math.max(3, coreBeats(chain, l.size) + 0.3)),
    })),
  );
type Rates = Awaited<ReturnType<Measure>>;
const wrong = (change: (rates: Rates) => Rates) => broken(async (seed, o) => change(await ideal(seed, o)));

describe("the claims of the figure", () => {
  it("hold of a device that takes a beat a cycle", async () => expect(await broken(ideal)).toEqual([]));
  it.each<readonly [string, (rates: Rates) => Rates]>([
    ["a sNIC costs a fiftieth, however little comes", r => r.map(x => ({ ...x, came: x.came * 0.98 }))],
    ["it is slower the more is offered", r => r.map(x => ({ ...x, came: x.came - (x.offered > 100 ? 15 : 0) }))],
    ["it takes one frame in four cycles", r => r.map(x => ({ ...x, came: Math.min(x.came, 62.5) }))],
    [
      "long frames have half of the beats",
      r => r.map(x => ({ ...x, came: x.size > 64 ? Math.min(x.came, 3.8) : x.came })),
    ],
    ["it is faster than a beat a cycle", r => r.map(x => ({ ...x, came: Math.min(x.offered, x.came * 1.1) }))],
    [
      "firewall and NAT are not passed",
      r => r.map(x => ({ ...x, came: Math.min(x.offered, 250 / coreBeats("AES alone", x.size)) })),
    ],
    ["nothing bounds", r => r.map(x => ({ ...x, came: x.offered }))],
  ])("do not, when %s", async (_, change) => {
    expect((await wrong(change)).length).toBeGreaterThan(0);
  });
});

// The others build two devices each: MNEMO_LONG=1 runs them.
const isLong = process.env["MNEMO_LONG"] === "1";
const faults: readonly (readonly [name: string, from: string | RegExp, to: string, finds: RegExp])[] = [
  [
    "the NAT changes nothing",
    /(assign answer_payload_mask =\s+changed_3) \?/,
    "$1 & 1'b0 ?",
    /a frame comes that is not as it must be|are lost/,
  ],
  [
    "the firewalls let all pass",
    "assign answer_payload_verdict = dropped ? task_verdict_drop : task_verdict_forward;",
    "assign answer_payload_verdict = task_verdict_forward;",
    /a frame comes that is not as it must be/,
  ],
  ["nobody is told to pause", "else if (rest_0 <= 10'd677) full_0 <= 1'b1;", "", /are lost/],
  [
    "the cipher takes no beat while one leaves",
    "wire out_room = ~out_full | back_ready;",
    "wire out_room = ~out_full;",
    /are lost|comes through|beats/,
  ],
];
const chosen = faults.filter((_, i) => isLong || i === 0);
describe("a planted fault in the hardware is found", () => {
  it.each(chosen)("%s", async (_name, from, to, finds) => {
    const change: Change = (_end, device) => plant(device, from, to);
    const said = await broken((seed, o) => measureVpc(seed, { ...o, change })).catch((e: unknown) => [String(e)]);
    expect(said.join("; ")).toMatch(finds);
  });
  if (!isLong) it.skip("3 more with MNEMO_LONG=1: each builds two devices", () => undefined);
});
