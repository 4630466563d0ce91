/** When the clock of a served design runs, on a clock that is counted by hand. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RestingClock } from "../../../../../designs/shared/rig/index.ts";

const quietCycles = 10,
  ageCycles = 40;
/** A design whose edges are taken by `run`. */
class Design {
  cycle = 0;
  working = false;
  resting = false;
  readonly clock = new RestingClock({
    cycle: () => this.cycle,
    working: () => this.working,
    quietCycles,
    ageCycles,
    rest: until => {
      this.resting = true;
      void until.then(() => {
        this.resting = false;
      });
    },
    edgesPerTurn: () => undefined,
  });
  /** Edges until the clock rests, `most` at most. */
  run(most = 1000): number {
    const from = this.cycle;
    while (!this.resting && this.cycle - from < most) {
      this.cycle++;
      this.clock.watch();
    }
    return this.cycle - from;
  }
}

describe("the clock of a served design", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs while something is under way, and so many cycles longer", () => {
    const d = new Design();
    d.working = true;
    expect(d.run(500)).toBe(500);
    d.working = false;
    expect(d.run()).toBe(quietCycles);
  });
  it("a frame wakes it, and what moves keeps it awake", async () => {
    const d = new Design();
    d.run();
    d.clock.arrived();
    await Promise.resolve();
    expect(d.resting).toBe(false);
    d.run(5);
    d.clock.moved();
    expect(d.run()).toBe(quietCycles);
  });
  it("what is silent ages once, after half a second, and again behind the next frame", async () => {
    const d = new Design();
    d.run();
    await vi.advanceTimersByTimeAsync(499);
    expect(d.resting).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(d.resting).toBe(false);
    // The first edge sees that it was asleep.
    expect(d.run()).toBe(1 + quietCycles + ageCycles);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(d.resting).toBe(true);
    d.clock.arrived();
    await Promise.resolve();
    d.run();
    await vi.advanceTimersByTimeAsync(500);
    expect(d.resting).toBe(false);
  });
  it("goes on for as long when the owner waits for time to pass", () => {
    const d = new Design();
    d.clock.age();
    expect(d.run()).toBe(quietCycles + ageCycles);
  });
  it("stops resting for good, and tells the time for which it stood still", async () => {
    const d = new Design();
    d.run();
    await vi.advanceTimersByTimeAsync(300);
    expect(d.clock.times.idleSeconds).toBeCloseTo(0.3);
    d.clock.stop();
    await Promise.resolve();
    expect(d.run(300)).toBe(300);
    expect(d.clock.times.idleSeconds).toBeCloseTo(0.3);
    await vi.advanceTimersByTimeAsync(700);
    expect(d.clock.times.busySeconds).toBeCloseTo(0.7);
  });
});
