import { expect } from "vitest";
import { allBoards } from "../../../../cli/board/boards.ts";
import { narrowedFor, SerialNode, slip } from "../../../../designs/clio/board/index.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { smallNodeParameters } from "../../../../designs/clio/rtl/index.ts";
import type { Endpoint } from "../../../../designs/shared/wire/index.ts";
import { root } from "../../../../scripts/setup/paths.mjs";
import type { Bench } from "../../../../sim/index.ts";

const board = allBoards(root).find(b => b.kind === "ice40");
if (board?.kind !== "ice40") throw new Error("there is no board to place and route");
export const { runtime } = makeSettings(),
  config = narrowedFor(board.node);
/** Cycles of a bit: the fewest. */
const divider = 4;
/** The node of the board as it is built, but for the line's speed. */
export const serialNode = () => SerialNode({ ...smallNodeParameters(config, runtime), divider });
export const node: Endpoint = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
export type LineBench = Bench<ReturnType<typeof serialNode>["ports"]>;

/** RFC 1055's form of a frame. */
export const slipped = (frame: Uint8Array): number[] => [
  ...[...frame].flatMap(b =>
    b === slip.END ? [slip.ESC, slip.ESC_END] : b === slip.ESC ? [slip.ESC, slip.ESC_ESC] : [b],
  ),
  slip.END,
];

/** A terminal at the other end of the line: sends bytes and frames, gathers the frames that come. */
export function terminal(b: LineBench) {
  const frames: number[][] = [];
  let current: number[] = [],
    escaped = false;
  b.spawn(async () => {
    for (;;) {
      await b.until(() => b.io.lineOut.value === 0);
      await b.cycles(divider + (divider >> 1));
      let byte = 0;
      for (let i = 0; i < 8; i++) {
        byte |= b.io.lineOut.value << i;
        await b.cycles(divider);
      }
      expect(b.io.lineOut.value, "stop bit").toBe(1);
      if (byte === slip.END) {
        if (current.length > 0) frames.push(current);
        current = [];
      } else if (escaped) current.push(byte === slip.ESC_END ? slip.END : slip.ESC);
      else if (byte !== slip.ESC) current.push(byte);
      escaped = byte === slip.ESC;
    }
  });
  const bit = async (v: number): Promise<void> => {
    b.io.lineIn.value = v;
    await b.cycles(divider);
  };
  const byte = async (v: number, stop = 1): Promise<void> => {
    await bit(0);
    for (let i = 0; i < 8; i++) await bit((v >> i) & 1);
    await bit(stop);
  };
  return {
    frames,
    byte,
    send: async (frame: Uint8Array): Promise<void> => {
      for (const v of slipped(frame)) await byte(v);
    },
    /** The next frame that comes. */
    next: async (): Promise<Uint8Array> => {
      await b.until(() => frames.length > 0);
      return Uint8Array.from(frames.shift() ?? []);
    },
  };
}
