/** How one machine starts another: a bit that is 1 for the cycle after. */
import { bit, reg } from "../../../../hdl-dsl/index.ts";

export function beginOf(name: string) {
  const begins = reg(bit, { init: 0, name: `${name}_begins` });
  begins.set(0);
  return { begins, begin: (): void => begins.set(1) };
}
export type Begin = ReturnType<typeof beginOf>;
