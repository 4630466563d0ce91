/**
 * Modules with one planted misuse each that TypeScript can express and that was silent once, by the code of its
 * message. Lines matter: silent.test.ts names them, and the manual shows the programs.
 */
import {
  bit, sint, struct, uint, vec, clockDomain, clockEnable, Fifo, inDomain, instance, LevelSynchroniser, synchronise, module, constant, repeat, type Def, input, output, sink, source, when, switchOn, fsm, ram,
  reg, scope, wire, blackBox, type Bit, type Inside, type SInt, type UInt, type Val, type UIntShape
} from "../../../hdl-dsl/index.ts";

const ports = { a: input(uint(8)), b: input(uint(8)), s: input(sint(8)), c: input(bit), y: output(uint(16)), z: output(bit) };
/** A module in which `body` is wrong, and nothing else. */
const misuse = (name: string, body: (io: Inside<typeof ports>) => void): Def => module(name, () => ports, io => { io.y.set(io.s.asUint().zext(16)); io.z.set(io.a.xor(io.b).any().and(io.c)); body(io); })();
/** A module that computes `y` from something doubtful. */
const doubtful = (name: string, make: (io: Inside<typeof ports>) => UInt): Def => module(name, () => ports, io => { io.z.set(io.a.xor(io.b).any().and(io.c).xor(io.s.asUint().any())); io.y.set(make(io).resize(16)); })();
const Leaf = module("Leaf", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d.not()));
const Deeper: (p: { n: number }) => Def<{ d: ReturnType<typeof input<UIntShape<1>>> }> = module("Deeper", (_p: { n: number }) => ({ d: input(bit) }), (io, p) => {
  const below = instance(Deeper({ n: p.n + 1 }));
  below.d.set(io.d);
});
/** Registers of the clock domain `from`, and what comes of them in `to`. */
const crossing = (name: string, body: (io: unknown, one: UInt<1>, other: UInt<1>, count: UInt<4>) => UInt): Def => module(name, () => ({ a: input(bit, { domain: "from" }), q: output(bit, { domain: "to" }) }), io => {
  const from = clockDomain("from"), to = clockDomain("to");
  const [one, other, count] = inDomain(from, () => {
    const first = reg(bit, { init: 0, name: "one", mayBeUnread: true }), second = reg(bit, { init: 0, name: "other", mayBeUnread: true }), counter = reg(uint(4), { init: 0, name: "count", mayBeUnread: true });
    first.set(io.a); second.set(io.a.not()); counter.set(counter.add(1));
    return [first, second, counter] as const;
  });
  inDomain(to, () => { io.q.set(body(io, one, other, count).trunc(1)); });
})();
let leaked: Val<UIntShape<8>> | undefined; const Tree = blackBox("VENDOR_TREE", { O: output(bit) }, { clocked: { clock: "I" }, follows: ["O"] });

export const faults: Readonly<Record<string, Def>> = {
  HDL104_sext: misuse("SignOfUnsigned", io => { io.y.set((io.a as unknown as SInt<8>).sext(16) as unknown as UInt<16>); }),
  HDL104_zext: misuse("ZerosForSigned", io => { io.y.set((io.s as unknown as UInt<8>).zext(16)); }),
  HDL128_long: misuse("SixWordsInFour", io => { const rom = ram(uint(8), { depth: 4, collision: "old", init: [1, 2, 3, 4, 5, 6] }); io.y.set(rom.readAsync(io.a.trunc(2)).zext(16)); }),
  HDL102_initial: misuse("WordTooWide", io => { const rom = ram(uint(8), { depth: 4, collision: "old", init: [1, 2, 300] }); io.y.set(rom.readAsync(io.a.trunc(2)).zext(16)); }),
  HDL102_initialFraction: misuse("WordWithFraction", io => { const rom = ram(uint(8), { depth: 4, collision: "old", init: [1.5] }); io.y.set(rom.readAsync(io.a.trunc(2)).zext(16)); }),
  HDL128_text: misuse("WordOfText", io => { const rom = ram(uint(8), { depth: 4, collision: "old", init: ["7" as never] }); io.y.set(rom.readAsync(io.a.trunc(2)).zext(16)); }),
  HDL016_keyword: module("always", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d))(),
  HDL016_end: module("end", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d))(),
  HDL016_digit: module("3x", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d))(),
  HDL016_blank: module("My Module", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d))(),
  HDL016_empty: module("", () => ({ d: input(bit), q: output(bit) }), io => io.q.set(io.d))(),
  HDL017_keyword: module("PortKeyword", () => ({ wire: input(bit), q: output(bit) }), io => io.q.set(io.wire))(),
  HDL017_twice: module("PortTwice", () => ({ a_b: input(bit), a: input(struct({ b: bit })), q: output(bit) }), io => io.q.set(io.a_b.and(io.a.b)))(),
  HDL017_box: blackBox("VENDOR_RAM", { end: input(bit), q: output(bit) }),
  HDL124_number: misuse("MinusOperator", io => { io.y.set((io.a as unknown as number) - 1); }),
  HDL124_compared: misuse("LessOperator", io => { when(((io.a as unknown as number) < (io.b as unknown as number)) as never, () => { io.y.set(1); }); }),
  HDL124_equal: misuse("EqualOperator", io => { if ((io.a as unknown) == 3) io.y.set(1); }),
  HDL124_plus: misuse("PlusOperator", io => { io.y.set((io.a as unknown as number) + 1); }),
  HDL124_text: misuse("TextOfValue", io => { io.y.set(Number(`${io.a as unknown as string}`)); }),
  HDL124_struct: misuse("TextOfStruct", () => { const pair = wire(struct({ x: bit })); pair.set({ x: 1 }); throw new Error(`pair is ${pair as unknown as string}`); }),
  HDL124_vec: misuse("SumOfVec", io => { const both = wire(vec(uint(8), 2)); both.set([io.a, io.b]); io.y.set((both as unknown as number) + 1); }),
  HDL124_stream: module("TextOfStream", () => ({ from: sink(bit), to: source(bit) }), io => { throw new Error(`${io.from as unknown as string}`); })(),
  HDL125_async: misuse("AsyncWhen", io => { when(io.c, (async () => { await Promise.resolve(); io.y.set(1); }) as () => void); }),
  HDL125_before: misuse("RanBefore", io => { when(io.c, io.y.set(1) as never); }),
  HDL125_otherwise: misuse("AsyncOtherwise", io => { when(io.c, () => { io.y.set(1); }).otherwise((async () => { await Promise.resolve(); }) as () => void); }),
  HDL125_case: misuse("GeneratorCase", io => { switchOn(io.a).is(1, (function* () { yield io.y.set(1); }) as () => void); }),
  HDL125_state: misuse("AsyncState", io => { const state = fsm(["Off", "On"], "Off", s => ({ Off: () => when(io.c, () => s.go("On")), On: (async () => { await Promise.resolve(); s.go("Off"); }) as () => void })); io.z.set(state.is("On")); }),
  HDL125_body: module("AsyncBody", () => ({ d: input(bit), q: output(bit) }), (async (io: { readonly d: Bit }) => { await Promise.resolve(); io.d.not(); }) as never)(),
  HDL126_instance: misuse("NotCalled", () => { instance(Leaf as never); }),
  HDL126_nothing: misuse("NoModule", () => { instance(undefined as never); }),
  HDL126_emit: Leaf as never,
  HDL015_read: module("ReadsAnother", () => ({ d: input(bit), q: output(bit) }), io => {
    const Inner = module("Inner", () => ({ e: input(bit), r: output(bit) }), inner => { inner.r.set(inner.e.and(io.d)); });
    const inner = instance(Inner());
    inner.e.set(io.d);
    io.q.set(inner.r);
  })(),
  HDL015_driven: module("DrivesAnother", () => ({ d: input(bit), q: output(bit) }), io => {
    const Inner = module("Inner", () => ({ e: input(bit) }), inner => { io.q.set(inner.e); });
    instance(Inner()).e.set(io.d);
  })(),
  HDL015_leaf: misuse("Takes", io => {
    const Gives = module("Gives", () => ({ d: input(uint(8)), q: output(uint(8)) }), gives => { leaked = gives.d; gives.q.set(gives.d); });
    const gives = instance(Gives());
    gives.d.set(io.a);
    io.y.set((leaked ?? gives.q).add(gives.q).zext(16));
  }),
  HDL127_itself: (() => {
    const Endless: () => Def<{ d: ReturnType<typeof input<UIntShape<1>>> }> = module("Endless", () => ({ d: input(bit) }), io => { instance(Endless()).d.set(io.d); });
    return Endless();
  })(),
  HDL127_functions: misuse("NoEnd", io => { const again = (v: UInt<8>): UInt<8> => again(v.not()); io.y.set(again(io.a).zext(16)); }),
  HDL127_deeper: Deeper({ n: 0 }),
  HDL129: misuse("TenWords", io => { const store = ram(uint(8), { depth: 10, collision: "old" }); store.write(io.c, io.a.trunc(4), io.b); when(io.c, () => { io.y.set(store.readAsync(io.b.trunc(4)).zext(16)); }); }),
  HDL012_ready: module("ReadyByChance", () => ({ from: sink(uint(8)), c: input(bit), q: output(uint(8)) }), io => {
    const open = reg(bit);
    open.set(io.c);
    io.from.ready.set(open);
    io.q.set(io.from.payload.and(constant(255, 8)).or(repeat(io.from.valid, 8)));
  })(),
  HDL018_two: crossing("TwoCombined", (_io, one, other) => synchronise(one.and(other))),
  HDL018_compared: crossing("ComparedOnTheWay", (_io, _one, _other, count) => synchronise(count.eq(3))),
  HDL018_below: crossing("CombinedBelow", (_io, one, other) => { const level = instance(LevelSynchroniser({ stages: 2 })); level.d.set(one.or(other)); return level.q; }),
  HDL019: crossing("BinaryBus", (_io, _one, _other, count) => synchronise(count).any()),
  HDL201_never: doubtful("BelowZero", io => io.a.sub(5).lt(0)),
  HDL201_always: doubtful("AtLeastZero", io => io.a.ge(0)),
  HDL201_highest: doubtful("AboveHighest", io => io.s.gt(127).or(io.a.le(255))),
  HDL201_itself: doubtful("EqualsItself", io => io.a.eq(io.a)),
  HDL202_left: doubtful("ShiftedOut", io => io.a.shl(9)),
  HDL202_right: doubtful("OnlySign", io => io.s.shr(8).asUint()),
  HDL203: doubtful("NeverKnown", io => { const toggle = reg(bit); when(io.c, () => { toggle.set(toggle.not()); }); return toggle; }),
  HDL203_wire: doubtful("NeverKnownByWire", () => { const count = reg(uint(8)), next = wire(uint(8)); next.set(count.add(1)); count.set(next); return count; }),
  HDL204: doubtful("OnlyItself", io => { const toggle = reg(bit, { init: 0 }); when(io.c, () => { toggle.set(toggle.not()); }); return io.a; }),
  HDL204_two: doubtful("OneAnother", io => { const one = reg(bit, { init: 0 }); const two = reg(bit, { init: 0 }); one.set(two); two.set(one.xor(io.c)); return io.a; }),
  HDL130_logic: misuse("GatedClock", io => { const gated = clockDomain("gated", { clock: io.c.and(io.a.any()) }); inDomain(gated, () => { io.y.set(1); }); }),
  HDL130_port: misuse("ClockOfPort", io => { const slow = clockDomain("slow", { clock: io.c }); inDomain(slow, () => { io.y.set(1); }); }),
  HDL130_noClock: misuse("ResetAlone", io => { const slow = clockDomain("slow", { resetWhen: io.c }); inDomain(slow, () => { io.y.set(1); }); }),
  HDL130_level: misuse("LevelOfNoPort", io => { const slow = clockDomain("slow", { clock: instance("tree", Tree).O, active: "low" }); inDomain(slow, () => { io.y.set(1); }); }),
  HDL130_none: misuse("NoResetGiven", io => { const slow = clockDomain("slow", { clock: instance("tree", Tree).O, reset: "none", resetWhen: io.c }); inDomain(slow, () => { io.y.set(1); }); }),
  HDL130_always: misuse("AlwaysReset", io => { const slow = clockDomain("slow", { clock: instance("tree", Tree).O, resetWhen: constant(1, 1) }); inDomain(slow, () => { io.y.set(1); }); }),
  HDL010_reset: module("ResetFromElsewhere", () => ({ c: input(bit), q: output(bit, { domain: "slow" }) }), io => {
    const why = reg(bit, { init: 0 });
    why.set(io.c);
    const slow = clockDomain("slow", { clock: instance("tree", Tree).O, resetWhen: why });
    inDomain(slow, () => { const on = reg(bit, { init: 0 }); on.set(on.not()); io.q.set(on); });
  })(),
  HDL010_made: module("IntoMadeClock", () => ({ c: input(bit), q: output(bit, { domain: "slow" }) }), io => {
    const here = reg(bit, { init: 0 });
    here.set(io.c);
    const slow = clockDomain("slow", { clock: instance("tree", Tree).O });
    inDomain(slow, () => { const there = reg(bit); there.set(here); io.q.set(there); });
  })(),
  HDL131_three: doubtful("ThreePorts", io => { const store = ram(uint(8), { depth: 256, collision: "old" }); const read = [0, 1, 2].map(n => store.port({ address: io.a.add(n), write: io.c, data: io.b, reads: "old", name: `word_${n}` })); return read.reduce((x, y) => x.xor(y)); }),
  HDL131_beside: doubtful("PortAndRead", io => { const store = ram(uint(8), { depth: 256, collision: "old" }); const word = store.port({ address: io.a, write: io.c, data: io.b, reads: "old" }); return word.xor(store.readSync(io.b)); }),
  HDL131_new: doubtful("NewAcrossPorts", io => { const store = ram(uint(8), { depth: 256, collision: "new" }); const word = store.port({ address: io.a, write: io.c, data: io.b, reads: "new" }); return word; }),
  HDL131_style: doubtful("DistributedPort", io => { const store = ram(uint(8), { depth: 256, collision: "old", style: "distributed" }); const word = store.port({ address: io.a, write: io.c, data: io.b, reads: "old" }); return word; }),
  HDL131_when: misuse("PortUnderWhen", io => { const store = ram(uint(8), { depth: 256, collision: "old" }); when(io.c, () => { const word = store.port({ address: io.a, write: io.c, data: io.b, reads: "old" }); io.y.set(word.zext(16)); }); }),
  HDL132: misuse("EnableAround", io => { clockEnable(io.c, () => { const queue = instance("queue", Fifo({ shape: uint(8), depth: 4 })); queue.pop.ready.set(0); }); io.y.set(io.a.zext(16)); }),
  HDL125_enable: misuse("AsyncEnable", io => { clockEnable(io.c, (async () => { await Promise.resolve(); reg(bit, { name: "late" }).set(1); }) as () => void); io.y.set(1); }),
  HDL125_enabled: misuse("EnabledBefore", io => { clockEnable(io.c, io.y.set(1) as never); }),
  HDL125_domain: misuse("DomainBefore", io => { inDomain(clockDomain("other"), io.y.set(1) as never); }),
  HDL125_scope: misuse("GeneratorScope", io => { scope("part", function* () { yield io.y.set(1); }); io.y.set(1); }),
};
