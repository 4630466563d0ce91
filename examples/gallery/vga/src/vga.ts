import { bit, bitsFor, input, module, mux, node, output, reg, struct, uint, type UInt, when } from "mnemosyne";
import { pattern } from "./pattern.ts";

/** One direction of a mode, in pixels or lines; the pulse is as `positive` says. */
export interface Timing {
  readonly visible: number;
  readonly front: number;
  readonly pulse: number;
  readonly back: number;
  readonly positive: boolean;
}
export interface Mode {
  readonly across: Timing;
  readonly down: Timing;
}

/** 640 by 480 at 60 Hz, as VESA's list of industry standards has it: a pixel clock of 25.175 MHz. */
export const vga: Mode = {
  across: { visible: 640, front: 16, pulse: 96, back: 48, positive: false },
  down: { visible: 480, front: 10, pulse: 2, back: 33, positive: false },
};

export const Colour = struct({ red: uint(8), green: uint(8), blue: uint(8) });

const total = (t: Timing): number => t.visible + t.front + t.pulse + t.back;

/** A counter of one direction; it moves while `moves`. */
function place(t: Timing, moves: UInt<1>, name: string) {
  const at = reg(uint(bitsFor(total(t) - 1)), { init: 0, name }),
    ends = node(at.eq(total(t) - 1), { name: `${name}_ends` });
  when(moves, () => at.set(mux(ends, at.sub(at), at.add(1))));
  const from = t.visible + t.front,
    pulses = at.ge(from).and(at.lt(from + t.pulse));
  return { at, ends, visible: at.lt(t.visible), sync: t.positive ? pulses : pulses.not() };
}

/**
 * A test picture on a VGA connector: a white border, eight bars of colour, a ramp of grey, a checkerboard, and a square
 * that moves a pixel each frame. A pixel each cycle in which `tick` is 1: the clock may be faster than the pixels'.
 * Syncs, `visible` and colour leave registers together, two ticks after their place. Colour is black where nothing is
 * visible. Reset begins a frame at its first pixel.
 */
export const Vga = module(
  "Vga",
  (_p: Mode) => ({
    tick: input(bit),
    hsync: output(bit),
    vsync: output(bit),
    visible: output(bit),
    colour: output(Colour),
  }),
  (io, mode) => {
    const x = place(mode.across, io.tick, "x"),
      y = place(mode.down, io.tick.and(x.ends), "y");
    const frame = reg(uint(16), { init: 0 });
    when(io.tick.and(x.ends).and(y.ends), () => frame.set(frame.add(1)));

    const idle = (t: Timing): number => (t.positive ? 0 : 1);
    const early = {
      hsync: reg(bit, { init: idle(mode.across) }),
      vsync: reg(bit, { init: idle(mode.down) }),
      visible: reg(bit, { init: 0 }),
    };
    const late = {
      hsync: reg(bit, { init: idle(mode.across) }),
      vsync: reg(bit, { init: idle(mode.down) }),
      visible: reg(bit, { init: 0 }),
    };
    const colour = reg(Colour, { init: { red: 0, green: 0, blue: 0 } }),
      drawn = pattern({ x: x.at, y: y.at, frame, mode, tick: io.tick });
    when(io.tick, () => {
      early.hsync.set(x.sync);
      early.vsync.set(y.sync);
      early.visible.set(x.visible.and(y.visible));
      late.hsync.set(early.hsync);
      late.vsync.set(early.vsync);
      late.visible.set(early.visible);
      const shown = (v: UInt<8>): UInt<8> => mux(early.visible, v, 0);
      colour.set({ red: shown(drawn.red), green: shown(drawn.green), blue: shown(drawn.blue) });
    });
    io.hsync.set(late.hsync);
    io.vsync.set(late.vsync);
    io.visible.set(late.visible);
    io.colour.set(colour);
  },
);
