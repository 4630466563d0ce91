/** The picture: what stands at a place of a frame, one tick after the place is given. */
import { type Bit, bit, constant, mux, priority, reg, repeat, uint, type UInt, when } from "mnemosyne";
import type { Mode } from "./vga.ts";

interface Place {
  readonly x: UInt;
  readonly y: UInt;
  readonly frame: UInt<16>;
  readonly mode: Mode;
  readonly tick: Bit;
}
interface Drawn {
  readonly red: UInt<8>;
  readonly green: UInt<8>;
  readonly blue: UInt<8>;
}

/** Side of the square that moves, and of the fields of the checkerboard: powers of two. */
export const side = 32;

/** Facts of a place, each of few gates; a register holds each, and the choice between them is made a tick later. */
export function pattern({ x, y, frame, mode, tick }: Place): Drawn {
  const width = mode.across.visible,
    height = mode.down.visible;
  const held = (v: Bit): Bit => {
    const r = reg(bit);
    when(tick, () => r.set(v));
    return r;
  };
  const border = held(
      x
        .eq(0)
        .or(x.eq(width - 1))
        .or(y.eq(0))
        .or(y.eq(height - 1)),
    ),
    bars = held(y.lt(height / 2)),
    ramp = held(y.lt((height * 3) / 4));
  // The bar's number counts on at each of its edges: no division.
  const edges = Array.from({ length: 7 }, (_, i) => Math.floor(((i + 1) * width) / 8));
  const bar = reg(uint(3), { init: 0 }),
    atEdge = edges.map(e => x.eq(e)).reduce((a, b) => a.or(b));
  const left = reg(uint(16), { init: 0 }),
    level = reg(uint(8)),
    checker = held(x.bit(5).xor(y.bit(5)));
  const start = x.eq(0);
  when(tick, () => {
    bar.set(mux(start, constant(0, 3), mux(atEdge, bar.add(1), bar)));
    level.set(x.resize(8));
    // The square begins at column `frame`, and comes again from the left after 256.
    left.set(x.resize(16).sub(frame.bits(0, 8).zext(16)));
  });
  const across = left.lt(side),
    down = held(y.ge(height / 2).and(y.lt(height / 2 + side)));
  const full = (b: Bit): UInt<8> => repeat(b, 8).is(8);
  const white = constant(0xff, 8),
    board = full(checker);
  const choose = (inBars: Bit, square: number): UInt<8> =>
    priority([border, white], [bars, full(inBars)], [across.and(down), constant(square, 8)], [ramp, level], board);
  return {
    red: choose(bar.bit(2).not(), 0xff),
    green: choose(bar.bit(1).not(), 0x40),
    blue: choose(bar.bit(0).not(), 0x00),
  };
}
