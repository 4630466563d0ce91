/** Modules with one planted mistake each about what a value was before, by the code of the message that each must give. */
import { bit, clockDomain, type Def, inDomain, input, module, output, past, reg, stable } from "../../../hdl-dsl/index.ts";

const io1 = { a: input(bit), s: input(bit, { domain: "slow" }), y: output(bit) };
type Io1 = Parameters<Parameters<typeof module<void, typeof io1>>[2]>[0];
const fault = (name: string, body: (io: Io1, here: ReturnType<typeof reg<typeof bit>>, there: ReturnType<typeof reg<typeof bit>>) => void): Def => module(name, () => io1, io => {
  const slow = clockDomain("slow"), here = reg(bit, { init: 0 }), there = inDomain(slow, () => reg(bit, { init: 0 }));
  here.set(io.a);
  inDomain(slow, () => { there.set(io.s); });
  body(io, here, there);
})();

export const faults: Readonly<Record<string, Def>> = {
  HDL150_none: fault("PastOfNow", (io, here, there) => { io.y.set(past(here, 0)); there.set(0); }),
  HDL151_two: fault("PastOfTwo", (io, here, there) => { io.y.set(past(here.and(there))); }),
  HDL151_free: module("PastWithoutReset", () => ({ a: input(bit, { domain: "free" }), y: output(bit, { domain: "free" }) }), io => { inDomain(clockDomain("free", { reset: "none" }), () => { io.y.set(stable(io.a)); }); })(),
};
