/** Work of the next cycle, while the request and its progress still stand in their registers. */
import { type Bit, bit, constant, reg, struct, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { content } from "./records.ts";

export interface Form {
  readonly write?: boolean;
  readonly whole?: boolean;
  readonly link?: true;
  readonly content?: number;
}

/** Blocks that an ended request gives back: its new pair's, the old pair's, the slot, the other slot. */
export interface Ending {
  readonly silent?: 1;
  readonly new?: Bit;
  readonly old?: Bit;
  readonly slot?: Bit;
  readonly other?: Bit;
}

export function ordersOf() {
  const saving = reg(bit, { init: 0 }),
    asking = reg(bit, { init: 0 }),
    ending = reg(bit, { init: 0 }),
    growing = reg(bit, { init: 0 });
  const ask = reg(struct({ purpose: uint(3), write: bit, whole: bit, at: uint(2), link: bit, content: uint(2) }));
  const end = reg(
    struct({ silent: bit, code: uint(4), givesNew: bit, givesOld: bit, givesSlot: bit, givesOther: bit }),
  );
  saving.set(0);
  asking.set(0);
  ending.set(0);
  growing.set(0);
  return {
    saving,
    asking,
    ending,
    growing,
    ask,
    end,
    /** What would be asked for: it matters while `asking` only, so it does not wait for that. */
    asksAbout(purposeOf: number, at: number, o: Form = {}): void {
      ask.set({
        purpose: purposeOf,
        write: o.write === true ? 1 : 0,
        whole: o.whole === true ? 1 : 0,
        at,
        link: o.link === true ? 1 : 0,
        content: o.content ?? content.nothing,
      });
    },
    ends(code: UInt | number, o: Ending = {}): void {
      const no = constant(0, 1);
      ending.set(1);
      end.set({
        silent: o.silent ?? 0,
        code,
        givesNew: o.new ?? no,
        givesOld: o.old ?? no,
        givesSlot: o.slot ?? no,
        givesOther: o.other ?? no,
      });
    },
  };
}
export type Orders = ReturnType<typeof ordersOf>;
