/** When a device counts as still: its registers are asked, and what they say holds until something moves. */
import { describe, expect, it } from "vitest";
import type { Inside } from "../../../../../designs/supernic/rig/device/index.ts";
import { Stillness, type Watched } from "../../../../../designs/supernic/rig/serve/stillness.ts";

/** A device whose registers are read in no time. */
class Device implements Watched {
  readonly setup = { epoch: 100 };
  readonly bench = { cycle: 0 };
  busy = false;
  cells = 0;
  looks = 0;
  broken: Error | undefined;
  inside(): Promise<Inside> {
    this.looks++;
    if (this.broken !== undefined) return Promise.reject(this.broken);
    return Promise.resolve({ ports: [{ queued: 0, kept: 0 }], core: 0, lane: 0, cells: this.cells, rings: 0 });
  }
  readonly still = new Stillness(this);
  /** Cycles until it is still, `most` at most. */
  async run(most = 200_000): Promise<number> {
    const from = this.bench.cycle;
    while (this.still.working && this.bench.cycle - from < most) {
      this.bench.cycle++;
      await Promise.resolve();
    }
    return this.bench.cycle - from;
  }
}

describe("a device is still", () => {
  it("when nothing has moved for a while and nothing is inside: one look", async () => {
    const d = new Device();
    expect(await d.run()).toBeLessThan(310);
    expect([d.looks, d.still.working]).toEqual([1, false]);
    d.bench.cycle += 5000;
    expect([d.still.working, d.looks]).toEqual([false, 1]);
  });
  it("not while frames come in, and anew behind each that moves", async () => {
    const d = new Device();
    d.busy = true;
    expect(await d.run(2000)).toBe(2000);
    expect(d.looks).toBe(0);
    d.busy = false;
    await d.run();
    d.still.moved();
    expect(d.still.working).toBe(true);
    expect(await d.run()).toBeGreaterThan(290);
    expect(d.looks).toBe(2);
  });
  it("a cell that is held keeps it awake, until nothing has moved for so long that it waits for something", async () => {
    const d = new Device();
    d.cells = 1;
    const cycles = await d.run();
    expect(cycles).toBeGreaterThan(50_000);
    expect(cycles).toBeLessThan(51_000);
    d.cells = 0;
    d.still.moved();
    expect(await d.run()).toBeLessThan(310);
  });
  it("a movement during the look makes the look void", async () => {
    const d = new Device(),
      inside = d.inside.bind(d);
    d.inside = () => {
      const found = inside();
      d.still.moved();
      d.inside = inside;
      return found;
    };
    expect(await d.run()).toBeGreaterThan(590);
    expect(d.looks).toBe(2);
  });
  it("registers that cannot be read end the service with their error", async () => {
    const d = new Device();
    d.broken = new Error("no answer");
    await expect(d.run()).rejects.toThrow("no answer");
  });
});
