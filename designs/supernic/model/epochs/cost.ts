/** What a run costs, and how much longer it takes than it had to (design: supernic.md, D8; paper §5.7.2). */
import type { EpochDevice, EpochSeen } from "./device.ts";

/** A frame that is only passed on costs a tenth of the region's time that it would take. */
export const passedPart = 0.1;

export interface RunCost {
  /** Epochs until all had been sent. */
  readonly epochs: number;
  /** Mean over endpoints: until each was done, by what it takes when nothing holds it; 1 is best. */
  readonly slowdown: number;
  /** Epochs of regions that were occupied or being reprogrammed. */
  readonly regionEpochs: number;
}
/** Runs a device until everybody has sent everything. @throws RangeError when that takes `most` epochs */
export async function runOut(device: EpochDevice, most: number, see: (e: EpochSeen) => void = () => undefined) {
  const ends = device.users.map(() => 0);
  let epochs = 0,
    regionEpochs = 0;
  while (!device.done) {
    if (epochs >= most) throw new RangeError(`the run does not end within ${most} epochs`);
    const seen = await device.step();
    epochs++;
    regionEpochs += seen.occupied;
    for (const [i, { endpoint }] of device.users.entries()) if (endpoint.done) ends[i] ||= epochs;
    see(seen);
  }
  const slow = device.users.map(({ endpoint }, i) => (ends[i] ?? 0) / endpoint.length);
  return { epochs, slowdown: slow.reduce((a, b) => a + b, 0) / slow.length, regionEpochs } satisfies RunCost;
}
