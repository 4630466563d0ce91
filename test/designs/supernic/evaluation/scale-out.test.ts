/** The epoch model beside the cycle-accurate device, at a tenth of the periods: shares, and when it scales out. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  measureScaleOut,
  periodEpochs,
  type ScaleOutMeasured,
  scaleOutModel,
  scaleOutUnit,
  scaleOutUsers,
} from "../../../../designs/supernic/evaluation/measure/index.ts";
import { epochModel } from "../../../../designs/supernic/model/index.ts";

const load = { first: 8, second: 8 },
  epochs = 4 * periodEpochs,
  /** Units by which shares may differ; a MONITOR_PERIOD is looked at once an epoch; a swap has steps of its own. */
  near = { units: 0.35, looks: 1, swap: 3 };

/** What the model says otherwise than the device. */
async function differences(
  device: ScaleOutMeasured,
  sizes: epochModel.EpochSizes,
  users = scaleOutUsers(load, epochs),
): Promise<readonly string[]> {
  const model = new epochModel.EpochDevice(sizes, users, new epochModel.ManagedPlacement(sizes, { first: [1, 1] })),
    all: epochModel.EpochSeen[] = [],
    found: string[] = [];
  for (let i = 0; i < epochs; i++) all.push(await model.step());
  const begun = all.findIndex(s => s.reprogramming > 0),
    took = all.findIndex(s => s.instances[1] === 2) - begun;
  if (Math.abs(device.waited - begun) > near.looks) found.push(`begun in ${begun}, the device in ${device.waited}`);
  if (device.reprogrammed < took || device.reprogrammed > took + near.swap)
    found.push(`in use ${took} later, the device ${device.reprogrammed}`);
  const compare = (when: string, shares: ScaleOutMeasured["one"], at: number): void => {
    for (const [i, user] of (["first", "second"] as const).entries()) {
      const units = (all[at]?.sent[i] ?? Number.NaN) / scaleOutUnit;
      if (!(Math.abs(units - shares[user]) < near.units))
        found.push(`${when}: the ${user} user has ${units.toFixed(2)}, on the device ${shares[user].toFixed(2)}`);
    }
  };
  compare("one instance", device.one, begun - 1);
  compare("two instances", device.two, epochs - 1);
  return found;
}

// The device takes half a minute for it: .ci/run does it, and MNEMO_LONG=1 here.
describe.skipIf(process.env["MNEMO_LONG"] !== "1")("figure 5.20 at a tenth of its periods", () => {
  let device: ScaleOutMeasured;
  beforeAll(async () => {
    device = await measureScaleOut(1, load);
  });

  it("the model has the device's shares, scales out as late, and takes as long for it", async () => {
    expect(await differences(device, scaleOutModel)).toEqual([]);
    // One of them has clearly less before the second instance.
    expect(device.two.second - device.one.second).toBeGreaterThan(0.8);
  });
  const { monitorPeriod, reprogramTime, taskBytes, epoch } = scaleOutModel;
  it.each<readonly [string, Partial<epochModel.EpochSizes>]>([
    ["a period of three epochs more", { monitorPeriod: monitorPeriod + 3 * epoch }],
    ["a reprogramming of four epochs more", { reprogramTime: reprogramTime + 4 * epoch }],
    ["one that takes no time", { reprogramTime: 0 }],
    ["a task that can do a tenth more", { taskBytes: { ...taskBytes, NT2: 1.1 * (taskBytes["NT2"] ?? 0) } }],
  ])("planted in the model: %s", async (_, change) => {
    expect((await differences(device, { ...scaleOutModel, ...change })).length).toBeGreaterThan(0);
  });
  it("planted in the model: users with other parts", async () => {
    const users = scaleOutUsers(load, epochs).map(u => ({ ...u, parts: { NT2: 1 } }));
    expect((await differences(device, scaleOutModel, users)).length).toBeGreaterThan(0);
  });
});
