/** The rows of a descriptor: where the next burst begins, and what is left of its row. */
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { when } from "../../build/statements.ts";
import type { fieldsOf } from "./descriptor.ts";

/** A descriptor is loaded; a burst has been taken. */
export interface CutterEvents {
  readonly begin: Bit;
  readonly taken: Bit;
}
/**
 * Goes through the rows, burst by burst. Bursts are cut in phases, which the cutter counts up from 0.
 * @param length of a row, in the unit in which bursts are cut
 */
export function rowsOf(
  addressBits: number,
  f: ReturnType<typeof fieldsOf>,
  length: UInt,
  { begin, taken }: CutterEvents,
) {
  const address = uint<number>(addressBits),
    Ends = struct({ source: address, destination: address }),
    row = reg(Ends, { name: "row" }),
    now = reg(Ends, { name: "now" }),
    left = reg(uint(length.width), { name: "row_left" }),
    rows = reg(uint(32), { name: "rows_left" }),
    phase = reg(uint(2), { init: 0, name: "cut_phase" }),
    busy = reg(bit, { init: 0, name: "cuts" });
  return {
    ...{ now, left, phase, busy },
    /** @param bytes of the burst that is taken, as an address, and what that is in the unit of rows */
    walk: (bytes: UInt, ofRow: UInt): void => {
      const rest = node(left.sub(ofRow), { name: "row_rest" });
      when(taken, () => {
        phase.set(0);
        left.set(rest);
        now.set({ source: now.source.add(bytes), destination: now.destination.add(bytes) });
        when(rest.eq(0), () => {
          const next = {
            source: row.source.add(f.sourceStride),
            destination: row.destination.add(f.destinationStride),
          };
          row.set(next);
          now.set(next);
          left.set(length);
          rows.set(rows.sub(1));
          when(rows.eq(1), () => busy.set(0));
        });
      });
      when(begin, () => {
        row.set({ source: f.source, destination: f.destination });
        now.set({ source: f.source, destination: f.destination });
        left.set(length);
        rows.set(f.rows);
        phase.set(0);
        busy.set(length.any().and(f.rows.any()));
      });
    },
  };
}
