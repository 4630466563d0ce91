import type { Definition } from "../../../shared/evaluation/index.ts";
import { type Load, partOf, taskNames } from "../epochs/index.ts";
import { type FairMeasured, measureFairStep } from "../measure/index.ts";
import { after, before, timelines } from "./parts/timeline.ts";

/** By how much a user may have less than is exact: floors, and a mix of packets that is not the same in each epoch. */
const least = -0.2,
  most = 0.05;

/** What each user brings to each task. */
function plotOf(title: string, { here, exact }: FairMeasured) {
  const bars = (name: string, of: Load, user: keyof Load) => ({
    name,
    standing: "predicted" as const,
    points: taskNames.map((x, t) => ({ x, y: of[user] * partOf(user, t) })),
  });
  return {
    title,
    kind: "bars" as const,
    x: { label: "task", scale: "category" as const },
    y: { label: "load", unit: "units in an epoch", scale: "linear" as const },
    series: (["first", "second"] as const).flatMap(user => [
      bars(`${user} user, ${title}`, here, user),
      bars(`${user} user, exact, ${title}`, exact, user),
    ]),
  };
}

/** Fair shares of four tasks, before and behind a step of the second user, and with two instances of one of them. */
export const figure520: Definition = {
  number: "5.20",
  title: "Fair shares of tasks, and a second instance",
  paper: [
    [
      "5.7.2",
      "Two users share four tasks, of which one can do less than the others. The second one's load rises, fair shares hold both to what there is, and a second instance gives each all that it asks for.",
    ],
  ],
  notes: [
    "Loads are ours, as the paper's stand in its picture only. The first user brings 8 units: NT1 6, NT2 8, NT3 4, NT4 2. The second brings 4, then 8: all to NT4, half of it to NT2.",
    "Monitors and the loop of the device give the rates. Bytes that its meter lets in are counted in steady epochs. There the second instance stands from the start.",
    "The timeline is the epoch model's (docs/supernic/epochs.md), with the device's own fair shares and software. Loads rise when epoch 2 begins; fair shares are made at its end and hold from epoch 3 on. Chains: NT1 and NT2, NT3 and NT4; the first gets the third region.",
    "MONITOR_PERIOD is 10 ms in this experiment (5.7.2) and 5 ms by default (5.4.4); both are run.",
    "Exact are fractions without floors. Here each user has a floor of a longest frame, which no fairness is said of.",
  ],
  measure: async ({ seed, quick }) => {
    const epochs = quick ? 4 : 12,
      [low, high] = (await measureFairStep(seed, [before, after], 1, epochs)) as [FairMeasured, FairMeasured],
      [two] = (await measureFairStep(seed, [after], 2, epochs)) as [FairMeasured];
    const lines = await timelines();
    const plots = [plotOf("4 units", low), plotOf("8 units", high), plotOf("8 units, two instances of NT2", two)];
    return {
      plots: [...plots, ...lines.plots],
      claims: [
        ...lines.claims,
        ...plots.flatMap(p =>
          (["first", "second"] as const).map(
            user =>
              [
                `${p.title}: the ${user} user has its exact share`,
                {
                  kind: "above" as const,
                  series: `${user} user, ${p.title}`,
                  base: `${user} user, exact, ${p.title}`,
                  least,
                  most,
                },
              ] as const,
          ),
        ),
      ],
    };
  },
};
