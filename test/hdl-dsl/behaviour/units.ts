/** One module with a unit of each construct side by side: one simulation model serves all their tests. */
import {
  bit,
  type Bit,
  cat,
  fsm,
  input,
  instance,
  module,
  mux,
  onehotMux,
  output,
  pack,
  pipeline,
  ram,
  reg,
  repeat,
  scope,
  sink,
  sint,
  source,
  struct,
  switchOn,
  uint,
  type UIntShape,
  unpack,
  type Var,
  vec,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";

export const Pair = struct({ count: uint(4), delta: sint(4) });
const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });

/** A module with parameters, used three times below. */
export const Accumulator = module(
  "Accumulator",
  (p: { width: number; step?: number }) => ({ en: input(bit), total: output(uint(p.width)) }),
  (io, p) => {
    const total = reg(uint(p.width), { init: 0 });
    when(io.en, () => total.set(total.add(p.step ?? 1)));
    io.total.set(total);
  },
);

/** A piece of a module as a plain function. */
function risingEdge(v: Bit): Bit {
  const before = reg(bit, { init: 0 });
  before.set(v);
  return v.and(before.not());
}

export const CoreUnits = module(
  "CoreUnits",
  () => ({
    macI: sink(Job),
    macO: source(struct({ sum: uint(32), tag: uint(4) })),
    deepI: sink(struct({ v: uint(8), keep: uint(8) })),
    deepO: source(struct({ out: uint(8), keep: uint(8), late: uint(8) })),

    fsmStart: input(bit),
    fsmStop: input(bit),
    fsmBusy: output(bit),
    fsmDone: output(bit),
    fsmCount: output(uint(3)),

    vecWe: input(bit),
    vecWi: input(uint(3)),
    vecWd: input(Pair),
    vecRi: input(uint(3)),
    vecRd: output(Pair),
    vecTwo: output(Pair),
    vecAll: output(vec(Pair, 5)),
    vecLoad: input(bit),
    vecFrom: input(vec(Pair, 5)),

    ramWe: input(bit),
    ramWa: input(uint(3)),
    ramWd: input(uint(16)),
    ramMask: input(uint(2)),
    ramRa: input(uint(3)),
    ramRe: input(bit),
    ramOld: output(uint(16)),
    ramNew: output(uint(16)),
    ramUndefined: output(uint(16)),
    ramHeld: output(uint(16)),
    ramAsync: output(uint(16)),
    ramInit: output(uint(16)),
    ramStruct: output(Pair),

    a: input(sint(8)),
    b: input(sint(8)),
    u: input(uint(8)),
    v: input(uint(8)),
    by: input(uint(4)),
    w: input(uint(16)),
    sAdd: output(sint(8)),
    sGrow: output(sint(9)),
    sSub: output(sint(8)),
    sMul: output(sint(16)),
    sNeg: output(sint(8)),
    sLt: output(bit),
    sLe: output(bit),
    sGt: output(bit),
    sGe: output(bit),
    sEq: output(bit),
    sNe: output(bit),
    sShl: output(sint(8)),
    sShr: output(sint(8)),
    sShr2: output(sint(8)),
    sExt: output(sint(12)),
    sMin: output(sint(8)),
    sLow: output(uint(4)),
    sCmp: output(bit),
    uAdd: output(uint(8)),
    uGrow: output(uint(9)),
    uSub: output(uint(8)),
    uMul: output(uint(16)),
    uDiv: output(uint(8)),
    uMod: output(uint(8)),
    uShl: output(uint(8)),
    uShr: output(uint(8)),
    uLt: output(bit),
    uAny: output(bit),
    uAll: output(bit),
    uParity: output(bit),
    uCat: output(uint(16)),
    uRepeat: output(uint(24)),
    uBits: output(uint(3)),
    uWide: output(uint(12)),
    uCut: output(uint(5)),
    uSigned: output(sint(8)),
    uLogic: output(uint(8)),
    uOne: output(uint(8)),
    uCase: output(uint(4)),
    uPartial: output(uint(8)),
    uLast: output(uint(8)),
    uPack: output(uint(8)),

    accEn: input(bit),
    accA: output(uint(4)),
    accB: output(uint(12)),
    accC: output(uint(4)),
    accD: output(uint(4)),
    edgeIn: input(bit),
    edgeX: output(bit),
    edgeY: output(bit),
  }),
  io => {
    pipeline(io.macI)
      .stage(j => ({ product: j.a.mul(j.b).is(32) }))
      .stage(j => ({ sum: j.product.add(j.c) }))
      .into(io.macO);
    // `keep` rides along for three stages, `late` is made in the second of them.
    pipeline(io.deepI)
      .stage(j => ({ out: j.v.add(1) }))
      .stage(j => ({ late: j.out.xor(j.keep) }))
      .stage(j => ({ out: j.out.add(j.late) }))
      .into(io.deepO);

    const count = reg(uint(3), { init: 0 });
    io.fsmDone.set(0);
    const phase = fsm(["Idle", "Load", "Run", "Done"], "Idle", s => ({
      Idle: () => when(io.fsmStart, () => s.go("Load")),
      Load: () => {
        count.set(5);
        s.go("Run");
      },
      Run: () => {
        count.set(count.sub(1));
        when(io.fsmStop, () => s.go("Idle")).elseWhen(count.eq(1), () => s.go("Done"));
      },
      Done: () => {
        io.fsmDone.set(1);
        s.go("Idle");
      },
    }));
    io.fsmBusy.set(phase.is("Idle").not());
    io.fsmCount.set(count);

    const lanes = reg(vec(Pair, 5), { init: [{ count: 1, delta: -1 }, { count: 2 }, 0, { delta: 3 }] });
    when(io.vecLoad, () => lanes.set(io.vecFrom));
    when(io.vecWe, () => lanes.setAt(io.vecWi, io.vecWd));
    io.vecRd.set(lanes.at(io.vecRi));
    io.vecTwo.set(lanes.at(2));
    io.vecAll.set(lanes);

    for (const collision of ["old", "new", "undefined"] as const) {
      const store = ram(uint(16), {
        depth: 8,
        collision,
        init: [0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x8888],
        name: `store_${collision}`,
      });
      store.write(io.ramWe, io.ramWa, io.ramWd, io.ramMask);
      const word = store.readSync(io.ramRa, { name: `word_${collision}` });
      io[({ old: "ramOld", new: "ramNew", undefined: "ramUndefined" } as const)[collision]].set(word);
      if (collision === "new") io.ramHeld.set(store.readSync(io.ramRa, { en: io.ramRe, name: "held" }));
      if (collision === "old") io.ramAsync.set(store.readAsync(io.ramRa));
    }
    const table = ram(uint(16), { depth: 8, collision: "old", init: [7, 8n, 0xffff] });
    io.ramInit.set(table.readAsync(io.ramRa));
    const pairs = ram(Pair, { depth: 8, collision: "new" });
    pairs.write(io.ramWe, io.ramWa, unpack(Pair, io.ramWd.trunc(8)));
    io.ramStruct.set(pairs.readSync(io.ramRa));

    const { a, b, u, v, by, w } = io;
    io.sAdd.set(a.add(b));
    io.sGrow.set(a.addGrow(b).is(9));
    io.sSub.set(a.sub(b));
    io.sMul.set(a.mul(b).is(16));
    io.sNeg.set(a.neg());
    io.sLt.set(a.lt(b));
    io.sLe.set(a.le(b));
    io.sGt.set(a.gt(b));
    io.sGe.set(a.ge(b));
    io.sEq.set(a.eq(b));
    io.sNe.set(a.ne(b));
    io.sShl.set(a.shl(by));
    io.sShr.set(a.shr(by));
    io.sShr2.set(a.shr(2));
    io.sExt.set(a.sext(12));
    io.sMin.set(mux(a.lt(b), a, b));
    io.sLow.set(a.trunc(4));
    io.sCmp.set(a.sub(b).lt(-3));
    io.uAdd.set(u.add(v));
    io.uGrow.set(u.addGrow(v).is(9));
    io.uSub.set(u.sub(v));
    io.uMul.set(u.mul(v).is(16));
    io.uDiv.set(u.div(8));
    io.uMod.set(u.mod(8));
    io.uShl.set(u.shl(by));
    io.uShr.set(u.shr(by));
    io.uLt.set(u.lt(v));
    io.uAny.set(u.any());
    io.uAll.set(u.all());
    io.uParity.set(u.parity());
    io.uCat.set(cat(u, v).is(16));
    io.uRepeat.set(repeat(u, 3).is(24));
    io.uBits.set(u.bits(3, 3));
    io.uWide.set(u.zext(12));
    io.uCut.set(u.resize(5));
    io.uSigned.set(u.asSint().add(a));
    io.uLogic.set(
      u
        .and(v)
        .or(u.xor(v).not())
        .sub(u.sub(v.sub(1))),
    );
    io.uOne.set(onehotMux([by.bit(0), by.bit(1), by.bit(2)], [u, v, w.trunc(8)]));
    switchOn(by)
      .is(0, () => io.uCase.set(9))
      .is([1, 2, 15], () => io.uCase.set(by.add(1)))
      .otherwise(() => io.uCase.set(0));
    // Drives of parts: the last in program order wins, bit by bit.
    io.uPartial.set(u);
    io.uPartial.setBits(2, v.bits(0, 4));
    when(by.bit(0), () => io.uPartial.setBits(7, by.bit(3)));
    io.uLast.set(1);
    when(by.bit(0), () => io.uLast.set(2)).elseWhen(by.bit(1), () => io.uLast.set(3));
    when(by.bit(3), () => io.uLast.set(4));
    io.uPack.set(pack(lanes.at(0)).is(8));

    const one = instance(Accumulator({ width: 4 })),
      wide = instance("wide", Accumulator({ width: 12, step: 3 })),
      two = instance(Accumulator({ width: 4 }));
    one.en.set(io.accEn);
    wide.en.set(io.accEn);
    two.en.set(one.total.bit(0));
    io.accA.set(one.total);
    io.accB.set(wide.total);
    io.accC.set(two.total);
    // A wire with a default, driven under conditions.
    const chosen: Var<UIntShape<4>> = wire(uint(4));
    chosen.set(one.total);
    when(io.accEn.not(), () => chosen.set(two.total));
    io.accD.set(chosen);

    io.edgeX.set(scope("x", () => risingEdge(io.edgeIn)));
    io.edgeY.set(scope("y", () => risingEdge(io.edgeIn.not())));
  },
);
