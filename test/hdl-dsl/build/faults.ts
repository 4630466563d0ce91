/**
 * Modules with one planted mistake each, by the code of the message that it must give. Run by itself (`tsx faults.ts`) it prints the messages,
 * so that a test can compare what the command line says with what vitest says. Lines matter: diagnostics.test.ts names them.
 */
import { fileURLToPath } from "node:url";
import {
  bit, sint, struct, uint, vec, cat, constant, clockDomain, inDomain, elaborate, instance, module, type Def, formatDiagnostic, HdlError,
  fsm, input, output, sink, source, mux, onehotMux, switchOn, when, pipeline, ram, reg, wire, unpack, type Bit, type UInt
} from "../../../hdl-dsl/index.ts";

/** Values whose width the compiler does not know, as a careless cast or a parameter gives them. */
const loose = (v: unknown): UInt => v as UInt;
const io1 = { a: input(uint(16)), n: input(uint(8)), s: input(sint(8)), c: input(bit), y: output(uint(8)), z: output(bit) };
type Io1 = Parameters<Parameters<typeof module<void, typeof io1>>[2]>[0];
const fault = (name: string, body: (io: Io1) => void): Def => module(name, () => io1, io => { io.y.set(0); io.z.set(0); body(io); })();

const other = module("TwoClocks", () => ({ d: input(bit), q: output(bit) }), io => {
  const slow = clockDomain("slow");
  inDomain(slow, () => { const held = reg(bit, { init: 0 }); held.set(io.d); io.q.set(held); });
});

export const faults: Readonly<Record<string, Def>> = {
  HDL101_set: fault("WidthOfSet", io => {
    const r = reg(uint(8), { init: 0 });
    r.set(loose(io.a));
    io.y.set(r);
  }),
  HDL101_operand: fault("WidthOfOperand", io => { io.y.set(io.n.add(loose(io.a))); }),
  HDL101_narrow: fault("WidthTooSmall", io => { const wide = wire(uint(16)); wide.set(loose(io.n)); io.z.set(wide.any()); }),
  HDL101_is: fault("WidthStated", io => { io.y.set(io.n.mul(io.n).is(8)); }),
  HDL101_condition: fault("WidthOfCondition", io => { when(loose(io.n) as Bit, () => { io.y.set(1); }); }),
  HDL101_slice: fault("WidthOfSlice", io => { io.y.set(loose(io.a.bits(2, 4))); }),
  HDL101_index: fault("WidthOfIndex", io => { const v = wire(vec(uint(8), 3)); v.set([io.n, io.n, io.n]); io.y.set(v.at(io.n)); }),
  HDL102_range: fault("LiteralRange", io => { io.y.set(256); }),
  HDL102_signed: fault("LiteralSigned", io => { io.z.set(io.s.lt(128)); }),
  HDL102_fraction: fault("LiteralFraction", io => { io.y.set(1.5); }),
  HDL102_init: fault("LiteralInit", io => { const level = reg(uint(4), { init: 16 }); level.set(level); io.y.set(level.zext(8)); }),
  HDL103_undefined: fault("NotAValue", io => { io.y.set(undefined as unknown as UInt<8>); }),
  HDL103_boolean: fault("JsBoolean", io => { io.z.set((io.a === loose(io.n)) as unknown as Bit); }), // eslint-disable-line mnemo/signal-misuse -- the mistake
  HDL103_struct: fault("StructForValue", io => { const p = wire(struct({ x: uint(8) })); p.set({ x: io.n }); io.y.set(p as unknown as UInt<8>); }),
  HDL103_mux: fault("MuxOfNumbers", io => { io.y.set(mux(io.c, 1 as unknown as UInt<8>, 2)); }),
  HDL103_onehot: fault("OnehotCount", io => { io.y.set(onehotMux([io.c], [io.n, io.n])); }),
  HDL103_cat: fault("CatOfNumber", io => { io.z.set(cat(io.n, 3 as unknown as UInt).any()); }),
  HDL104_unsigned: fault("SignedForUnsigned", io => { io.y.set(io.s as unknown as UInt<8>); }),
  HDL104_signed: fault("UnsignedForSigned", io => { io.z.set(io.s.eq(loose(io.n) as never)); }),
  HDL105_div: fault("Divide", io => { io.y.set(io.n.div(3)); }),
  HDL105_mod: fault("Remainder", io => { io.y.set(io.n.mod(10)); }),
  HDL106: fault("NegativeShift", io => { io.y.set(io.n.shl(-1)); }),
  HDL107_bits: fault("BitsOutside", io => { io.y.set(io.n.bits(4, 8)); }),
  HDL107_bit: fault("BitOutside", io => { io.z.set(io.n.bit(8)); }),
  HDL107_setBits: fault("SetBitsOutside", io => { io.y.setBits(6, io.a.bits(0, 4)); }),
  HDL108_trunc: fault("TruncToMore", io => { io.z.set(io.n.trunc(16).any()); }),
  HDL108_zext: fault("ExtendToLess", io => { io.y.set(io.a.zext(8)); }),
  HDL108_sext: fault("SignExtendToLess", io => { io.z.set(io.s.sext(4).any()); }),
  HDL109: fault("TwoDomains", io => {
    const shared = reg(uint(8), { init: 0 });
    const fast = clockDomain("fast");
    shared.set(io.n);
    inDomain(fast, () => { shared.set(0); });
    io.y.set(shared);
  }),
  HDL109_fsm: fault("FsmInTwoDomains", io => {
    const fast = clockDomain("fast");
    const { is } = fsm(["Idle", "Run"], "Idle", s => ({ Idle: () => { s.go("Run"); }, Run: () => { inDomain(fast, () => { s.go("Idle"); }); } }), { name: "phase" });
    io.z.set(is("Run"));
  }),
  HDL110_index: fault("ElementOutside", io => { const v = wire(vec(uint(8), 3)); v.set([io.n, io.n, io.n]); io.y.set(v.at(3)); }),
  HDL110_count: fault("TooFewElements", io => { const v = wire(vec(uint(8), 3)); v.set([io.n, io.n]); io.y.set(v.at(0)); }),
  HDL111: fault("DrivesInput", io => { (io.n as unknown as { set(v: number): void }).set(3); }),
  HDL111_outside: module("DrivesSubOutput", () => io1, io => {
    const below = instance(fault("Below", () => undefined)) as unknown as Record<string, { set(v: unknown): void }>;
    for (const p of ["a", "n", "s", "c"] as const) below[p]?.set(io[p]);
    below["y"]?.set(1);
    io.y.set(0); io.z.set(0);
  })(),
  HDL111_struct: fault("DrivesStructInput", io => { const p = unpack(struct({ lo: uint(8), hi: uint(8) }), io.a); (p as unknown as { set(v: unknown): void }).set({ lo: 1, hi: 2 }); }),
  HDL112_missing: fault("FieldMissing", () => { const job = wire(struct({ x: uint(4), y: uint(8) })); job.set({ x: 1 } as never); }),
  HDL112_unknown: fault("FieldUnknown", () => { const job = wire(struct({ count: uint(4) })); job.set({ count: 1, cuont: 2 } as never); }),
  HDL112_notStruct: fault("NotAStruct", io => { const job = wire(struct({ x: uint(4) })); job.set(io.n as never); }),
  HDL112_init: fault("InitNotNumber", () => { reg(struct({ x: uint(4) }), { init: { x: "1" } as never, name: "job" }); }),
  HDL113: fault("InitWithoutReset", io => {
    const free = clockDomain("free", { reset: "none" });
    inDomain(free, () => { const count = reg(uint(8), { init: 0 }); count.set(io.n); io.y.set(count); });
  }),
  HDL114: fault("LabelTwice", io => { switchOn(io.n).is(1, () => { io.y.set(1); }).is([2, 1], () => { io.y.set(2); }); }),
  HDL115: fault("NoWords", io => { const store = ram(uint(8), { depth: 0, collision: "old" }); io.y.set(store.readAsync(io.c)); }),
  HDL116: fault("MaskWidth", io => { const store = ram(uint(8), { depth: 2, collision: "old" }); store.write(io.c, io.c, io.n, io.a.bits(0, 3)); }),
  HDL117_state: fault("NoSuchState", io => {
    const { is } = fsm(["Idle", "Run"], "Idle", s => ({ Idle: () => { s.go("Runn" as never); }, Run: () => { s.go("Idle"); } }), { name: "phase" });
    io.z.set(is("Run"));
  }),
  HDL117_handler: fault("NoHandler", io => {
    const { is } = fsm(["Idle", "Run"], "Idle", s => ({ Idle: () => { s.go("Run"); } }) as never, { name: "phase" });
    io.z.set(is("Run"));
  }),
  HDL118: fault("DomainNotGiven", io => { const below = instance(other()); below.d.set(io.c); io.z.set(below.q); }),
  HDL119: module("StageOfNumber", () => ({ from: sink(struct({ x: uint(4) })), to: source(struct({ one: uint(4) })) }), io => {
    pipeline(io.from).stage(() => ({ one: 1 as unknown as UInt<4> })).into(io.to);
  })(),
  HDL120: module("PipelineField", () => ({ from: sink(struct({ x: uint(4) })), to: source(struct({ x: uint(4), sum: uint(4) })) }), io => {
    pipeline(io.from).stage(v => ({ twice: v.x.add(v.x) })).into(io.to as never);
  })(),
  HDL121: module("PortDomain", () => ({ d: input(bit, { domain: "slwo" }), q: output(bit) }), io => { clockDomain("slow"); io.q.set(io.d); })(),
  several: fault("Several", io => {
    io.y.set(io.n.add(loose(io.a)));
    io.y.set(300);
    io.z.set(loose(constant(2, 2)) as Bit);
  }),
  HDL122: module("Deep", () => ({ d: input(uint(16)), q: output(uint(16)) }), io => {
    io.q.set(0);
    let chain = when(io.d.eq(0), () => { io.q.set(1); });
    for (let i = 1; i < 1200; i++) chain = chain.elseWhen(io.d.eq(i), () => { io.q.set(i); });
  })(),
  HDL123: module("NameTaken", () => ({ d: input(bit), q: output(bit) }), io => {
    const first = reg(bit, { name: "held" }), second = reg(bit, { name: "held" });
    first.set(io.d);
    second.set(first);
    io.q.set(second);
  })(),
};

/** Message of the builders (HDL1..) for a definition; checks of the finished circuit (HDL0..) have their own tests. */
export function messageOf(def: Def): string {
  try { elaborate(def); } catch (e) {
    if (e instanceof HdlError) return e.diagnostics.filter(d => d.code.startsWith("HDL1")).map(formatDiagnostic).join("\n");
    throw e;
  }
  return "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(Object.fromEntries(Object.entries(faults).map(([code, def]) => [code, messageOf(def)])), null, 1));
}
