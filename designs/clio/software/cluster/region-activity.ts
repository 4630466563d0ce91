import { regionEntry } from "../../config/index.ts";
import type { ActivityHardware } from "../transport/transport.ts";
import { regionKey, type RegionName } from "./steps.ts";

/**
 * When each region was written last, as the hardware's table tells (docs/valet.md; Valet, section 3.5). The same
 * questions as `WriteEpochs` answers, without reading the memory. Regions of one entry count as one: the choice may be
 * worse for it. A wrong choice costs time, never data.
 */
export class RegionActivity {
  private readonly hardware: ActivityHardware;
  private readonly hasFrames: (name: RegionName) => Promise<boolean>;
  private readonly bits: number;
  /** Regions by entry. */
  private enrolled = new Map<number, readonly RegionName[]>();

  /** @param hasFrames whether moving a region would give frames back */
  constructor(hardware: ActivityHardware, hasFrames: (name: RegionName) => Promise<boolean>) {
    this.hardware = hardware;
    this.hasFrames = hasFrames;
    this.bits = Math.log2(hardware.entries);
  }

  /** From now on these regions count, and no others. One that comes counts as written now. */
  async scan(regions: readonly RegionName[]): Promise<void> {
    const wanted = new Map<number, RegionName[]>();
    for (const name of regions) {
      const entry = regionEntry(name, this.bits),
        known = wanted.get(entry);
      if (known === undefined) wanted.set(entry, [name]);
      else known.push(name);
    }
    for (const entry of this.enrolled.keys()) if (!wanted.has(entry)) await this.hardware.withdraw(entry);
    for (const entry of wanted.keys()) if (!this.enrolled.has(entry)) await this.hardware.enroll(entry);
    this.enrolled = wanted;
  }

  /**
   * The region that was written longest ago among those of the last `scan` that are named here and have frames. Others
   * that stand before it are set aside, and count as written now.
   */
  async leastRecentlyWritten(regions: readonly RegionName[]): Promise<RegionName | undefined> {
    const named = new Set(regions.map(regionKey)),
      aside: number[] = [];
    try {
      for (;;) {
        const entry = await this.hardware.scan();
        if (entry === undefined) return undefined;
        for (const name of this.enrolled.get(entry) ?? [])
          if (named.has(regionKey(name)) && (await this.hasFrames(name))) return name;
        await this.hardware.withdraw(entry);
        aside.push(entry);
      }
    } finally {
      for (const entry of aside) await this.hardware.enroll(entry);
    }
  }
}
