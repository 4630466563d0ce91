/** The one message that is worked on: its head, and the data of an area. */
import { bit, ram, reg, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { commitHead } from "../../wire/index.ts";
import { beatBits, lineBits } from "./types.ts";

/**
 * `head` is the request's, `line` the first beat of what memory gave last. The data are those of the request, until
 * something is read.
 */
export function beatsOf() {
  const head = reg(uint(lineBits), { name: "head" }),
    line = reg(uint(lineBits), { name: "line" }),
    data = ram(uint(lineBits), {
      ...{ depth: 2 ** beatBits, collision: "undefined", style: "distributed", name: "area_data" },
    }),
    put = reg(bit, { init: 0, name: "put" }),
    putAt = reg(uint(beatBits), { name: "put_at" }),
    putBeat = reg(uint(lineBits), { name: "put_beat" });
  put.set(0);
  data.write(put, putAt, putBeat);
  return {
    head,
    line,
    asked: cutFields(commitHead, head),
    read: cutFields(commitHead, line),
    at: (i: UInt) => data.readAsync(i.resize(beatBits)),
    /** Is there two cycles later. */
    put: (i: UInt, beat: UInt): void => {
      put.set(1);
      putAt.set(i.resize(beatBits));
      putBeat.set(beat.is(lineBits));
    },
  };
}
export type Beats = ReturnType<typeof beatsOf>;
