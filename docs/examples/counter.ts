import { bit, input, module, output, reg, uint, when } from "../../hdl-dsl/index.ts";

/** Counts the cycles in which `en` is 1; `clear` wins. Wraps at `width` bits. */
export const Counter = module(
  "Counter",
  (p: { width: number }) => ({ en: input(bit), clear: input(bit), count: output(uint(p.width)) }),
  (io, p) => {
    const value = reg(uint(p.width), { init: 0 });
    when(io.clear, () => value.set(0)).elseWhen(io.en, () => value.set(value.add(1)));
    io.count.set(value);
  },
);
