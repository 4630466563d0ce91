/** Modules with one planted mistake each about what a value was before and about machines, by the code of the message that each must give. */
import { bit, clockDomain, type Def, fsm, inDomain, input, module, output, past, reg, stable, when } from "../../../hdl-dsl/index.ts";

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
  HDL150_stay: module("StayOfNone", () => ({ c: input(bit), y: output(bit) }), io => { const phase = fsm(["A", "B"], "A", s => ({ A: () => { s.after(0, "B"); }, B: () => { when(io.c, () => { s.go("A"); }); } })); io.y.set(phase.is("A")); })(),
  HDL152_twice: module("StateTwice", () => ({ c: input(bit), y: output(bit) }), io => { const phase = fsm(["A", "B", "A"], "A", s => ({ A: () => { when(io.c, () => { s.go("B"); }); }, B: () => { s.go("A"); } })); io.y.set(phase.is("A")); })(),
  HDL152_many: module("StatesForOneHot", () => ({ c: input(bit), y: output(bit) }), io => { const names = Array.from({ length: 40 }, (_, n) => `S${n}`); const phase = fsm(names, "S0", s => Object.fromEntries(names.map((n, i) => [n, () => { s.go(names[(i + 1) % 40] ?? "S0"); }])), { encoding: "one-hot" }); io.y.set(phase.is("S0").and(io.c)); })(),
  HDL153_outside: module("RunOutside", () => ({ c: input(bit), y: output(bit) }), io => { const phase = fsm(["A", "B"], "A", s => { s.run(["X"], "X", m => ({ X: () => { when(io.c, () => { m.done(); }); } }), "A"); return { A: () => { s.go("B"); }, B: () => { s.go("A"); } }; }); io.y.set(phase.is("A")); })(),
};
