import { describe, expect, it } from "vitest";
import {
  FramePool,
  type FreePageRing,
  PageRefill,
} from "../../../../../designs/shared/virtual-memory/software/index.ts";

const parameterSets = [
  { room: 4, frames: 12, lowWater: 2, ahead: 2 },
  { room: 32, frames: 40, lowWater: 8, ahead: 0 },
];
type Shape = (typeof parameterSets)[number];

/** A ring that a node takes pages from, and everything that it is told. */
class Ring implements FreePageRing {
  readonly pages: number[] = [];
  none = false;
  #closed = false;
  #wake: () => void = () => undefined;
  readonly #p: Shape;
  constructor(p: Shape) {
    this.#p = p;
  }
  freePageRoom(): Promise<number> {
    return Promise.resolve(this.#p.room - this.pages.length);
  }
  pushFreePage(ppn: number): Promise<void> {
    expect(this.pages.length, "pages in the ring").toBeLessThan(this.#p.room);
    this.pages.push(ppn);
    return Promise.resolve();
  }
  async lowWater(): Promise<boolean> {
    while (!this.#closed && this.pages.length > this.#p.lowWater)
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    return !this.#closed;
  }
  setOutOfMemory(none: boolean): Promise<void> {
    this.none = none;
    return Promise.resolve();
  }
  take(): number | undefined {
    const ppn = this.pages.shift();
    this.#wake();
    return ppn;
  }
  close(): void {
    this.#closed = true;
    this.#wake();
  }
}
const settle = async (): Promise<void> => {
  for (let i = 0; i < 300; i++) await Promise.resolve();
};

async function run(p: Shape, spoil: (ring: Ring) => void = () => undefined): Promise<void> {
  const ring = new Ring(p),
    pool = new FramePool(1, p.frames, 4096, () => Promise.resolve()),
    refill = new PageRefill(ring, pool, p.ahead);
  spoil(ring);
  const running = refill.run();
  await refill.ready;
  expect(ring.pages.length, "pages after the start").toBe(p.room);
  // All frames are taken: the ring runs dry, and the hardware is told.
  const taken = new Set<number>();
  for (let i = 0; i < p.frames; i++) {
    const ppn = ring.take();
    expect(ppn, `page ${i}`).toBeDefined();
    taken.add(ppn as number);
    await settle();
  }
  expect([taken.size, ring.pages.length, ring.none], "taken, left, told that none is left").toEqual([
    p.frames,
    0,
    true,
  ]);
  // A frame that comes back goes to the ring, and the hardware hears of it.
  pool.release(7);
  await settle();
  expect(ring.pages).toEqual([7]);
  for (const ppn of taken) if (ppn !== 7) pool.release(ppn);
  await settle();
  expect([ring.none, ring.pages.length + pool.free], "at the end all frames are back").toEqual([false, p.frames]);
  ring.close();
  refill.stop();
  await running;
}
describe.each(parameterSets)("PageRefill, room for $room of $frames frames", p => {
  it("keeps the ring full, and tells when nothing is left", () => run(p));
  it("a planted fault is found: the hardware is not told", async () => {
    await expect(
      run(p, ring => {
        ring.setOutOfMemory = () => Promise.resolve();
      }),
    ).rejects.toThrow(/told that none is left/);
  });
});
