/** The epoch model beside the cycle-accurate device, at a tenth of the periods: shares, and when it scales out. */
import { expect, it } from "vitest";
import {
  measureScaleOut,
  periodEpochs,
  scaleOutModel,
  scaleOutUnit,
  scaleOutUsers,
} from "../../../../designs/supernic/evaluation/measure/index.ts";
import { epochModel } from "../../../../designs/supernic/model/index.ts";

const load = { first: 8, second: 8 },
  epochs = 4 * periodEpochs;

it("the model has the device's shares, scales out as late, and takes as long for it", async () => {
  const device = await measureScaleOut(1, load);
  const model = new epochModel.EpochDevice(
      scaleOutModel,
      scaleOutUsers(load, epochs),
      new epochModel.ManagedPlacement(scaleOutModel, { first: [1, 1] }),
    ),
    all: epochModel.EpochSeen[] = [];
  for (let i = 0; i < epochs; i++) all.push(await model.step());
  const begun = all.findIndex(s => s.reprogramming > 0),
    used = all.findIndex(s => s.instances[1] === 2);
  // Software on the device looks once an epoch, at any place in it, and a swap has steps of its own.
  expect(Math.abs(device.waited - begun)).toBeLessThanOrEqual(1);
  expect(device.reprogrammed - (used - begun)).toBeGreaterThanOrEqual(0);
  expect(device.reprogrammed - (used - begun)).toBeLessThanOrEqual(3);
  const unitsAt = (at: number): number[] => (all[at]?.sent ?? []).map(bytes => bytes / scaleOutUnit);
  for (const [shares, at] of [
    [device.one, begun - 1],
    [device.two, epochs - 1],
  ] as const) {
    const [first = 0, second = 0] = unitsAt(at);
    expect(Math.abs(shares.first - first), `first user in epoch ${at}`).toBeLessThan(0.35);
    expect(Math.abs(shares.second - second), `second user in epoch ${at}`).toBeLessThan(0.35);
  }
  // One of them has clearly less before the second instance.
  expect(device.two.second - device.one.second).toBeGreaterThan(0.8);
}, 300_000);
