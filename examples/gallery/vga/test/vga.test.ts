import { mkdirSync, writeFileSync } from "node:fs";
import { type Bench, BuildError, type Dut, runBench, withFault } from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { type Mode, Vga, vga } from "../src/vga.ts";
import { Monitor } from "./monitor.ts";
import { type Picture, png } from "./png.ts";

/** A small mode with everything in it, so that several frames pass in a test. */
const small: Mode = {
  across: { visible: 96, front: 3, pulse: 5, back: 7, positive: true },
  down: { visible: 80, front: 2, pulse: 3, back: 4, positive: false },
};

/** The picture by its description: colour of each pixel of frame `frame`. */
function picture({ across, down }: Mode, frame: number): Picture {
  const width = across.visible,
    height = down.visible,
    bytes = new Uint8Array(3 * width * height);
  const colour = (x: number, y: number): readonly number[] => {
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return [255, 255, 255];
    if (y < height / 2) {
      const n = Array.from({ length: 7 }, (_, i) => Math.floor(((i + 1) * width) / 8)).filter(e => x >= e).length;
      return [4, 2, 1].map(b => ((7 - n) & b ? 255 : 0));
    }
    const left = x - (frame % 256);
    if (left >= 0 && left < 32 && y < height / 2 + 32) return [255, 64, 0];
    if (y < (height * 3) / 4) return [x % 256, x % 256, x % 256];
    const on = (x >> 5) % 2 !== (y >> 5) % 2 ? 255 : 0;
    return [on, on, on];
  };
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) bytes.set(colour(x, y), 3 * (y * width + x));
  return { width, height, bytes };
}

const run = <T>(
  dut: Dut<ReturnType<typeof Vga>["ports"]>,
  body: (b: Bench<ReturnType<typeof Vga>["ports"]>) => Promise<T>,
): Promise<T> => runBench("vga", dut, { seed: 1, wave: false }, body);

/** `frames` frames, `pace` of 1 a tick each cycle, else at random. @returns the last one */
const show = (
  dut: Dut<ReturnType<typeof Vga>["ports"]>,
  mode: Mode,
  frames: number,
  pace: number,
): Promise<Picture | undefined> =>
  run(dut, async b => {
    const monitor = new Monitor(b.io, mode);
    b.onEdge(monitor);
    b.io.tick.value = 1;
    if (pace < 1)
      b.spawn(async () => {
        for (;;) {
          b.io.tick.value = Number(b.random.chance(pace));
          await b.risingEdge();
        }
      });
    await b.until(() => monitor.pictures.length === frames);
    // The first frame has begun before a monitor knows where it is: pictures begin with frame 1.
    for (const [i, p] of monitor.pictures.entries()) same(p, picture(mode, i + 1), i + 1);
    return monitor.pictures.at(-1);
  });

function same(seen: Picture, wanted: Picture, frame: number): void {
  const at = seen.bytes.findIndex((v, i) => v !== wanted.bytes[i]),
    pixel = Math.floor(at / 3);
  const where = `frame ${frame}, column ${pixel % seen.width}, line ${Math.floor(pixel / seen.width)}`;
  expect(at < 0 ? "as it is drawn" : where, `expected the picture of frame ${frame}`).toBe("as it is drawn");
}

describe("the picture", () => {
  test("640 by 480: every pixel and every pulse of a frame, and a file to look at", async () => {
    const seen = await show(Vga(vga), vga, 1, 1);
    mkdirSync("out/gallery", { recursive: true });
    if (seen) writeFileSync("out/gallery/vga.png", png(seen));
  });
  test("a small mode: the square moves from frame to frame", async () => {
    await show(Vga(small), small, 5, 1);
  });
  test("pixels slower than the clock", async () => {
    await show(Vga(small), small, 1, 0.4);
  });
  test("reset begins a frame at its first pixel, two ticks later", () =>
    run(Vga(small), async b => {
      b.io.tick.value = 1;
      await b.cycles(3000);
      b.sim.reset(1);
      await b.cycles(2);
      expect(b.io.visible.value).toBe(0);
      await b.cycles(1);
      expect([b.io.visible.value, b.io.colour.red.value]).toEqual([1, 255]);
      await b.cycles(small.across.visible);
      expect(b.io.visible.value).toBe(0);
    }));
});

describe("planted faults are found", () => {
  test.each([
    ["a pulse is a pixel too long", "(x < 7'd104)", "(x < 7'd105)"],
    ["a frame has a line too many", "y == 7'd88", "y == 7'd89"],
    ["the border is a line too high", "(y == 7'd79)", "(y == 7'd78)"],
    ["the square moves two pixels", "frame + 16'd1", "frame + 16'd2"],
    ["a bar is a pixel too wide", /\(x == 7'd36\)/, "(x == 7'd37)"],
  ])("a planted fault: %s", async (what, from, to) => {
    const found = show(withFault(Vga(small), { what, from, to }), small, 3, 0.9);
    await expect(found).rejects.toThrow(/expected/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
