/** What is done about an event: memory is asked, the request is answered, or the event is looked at once more. */
import { bit, constant, reg, struct, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { eventBits } from "../types.ts";

export const does = { nothing: 0, asks: 1, answers: 2, again: 3 } as const;

export function ordersOf() {
  const todo = reg(uint(2), { name: "does" });
  const what = reg(struct({ event: uint(eventBits), source: uint(2) }));
  const withEntry = reg(bit);
  const says = reg(struct({ status: uint(4), version: uint(32), value: bit }));
  const finish = (code: UInt, version: UInt = constant(0, 32), value = 0): void => {
    todo.set(does.answers);
    says.set({ status: code, version, value: constant(value, 1) });
  };
  return {
    todo,
    what,
    /** The entry is written behind the value. */
    withEntry,
    says,
    finish,
    refuse: (code: UInt<4>): void => finish(code),
    ask: (eventOf: number, sourceNumber: number): void => {
      todo.set(does.asks);
      what.set({ event: eventOf, source: sourceNumber });
    },
  };
}
