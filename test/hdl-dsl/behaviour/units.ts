/** One module with a unit of each construct side by side: one simulation model serves all their tests. */
import { bit, sint, struct, uint, vec, type UIntShape, cat, repeat, fsm, input, output, sink, source, instance, module, mux, onehotMux, switchOn, when, pack, unpack, pipeline, ram, reg, wire, scope, type Bit, type Var } from "../../../hdl-dsl/index.ts";

export const Pair = struct({ count: uint(4), delta: sint(4) });
const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });

/** A module with parameters, used three times below. */
export const Accumulator = module("Accumulator",
  (p: { width: number; step?: number }) => ({ en: input(bit), total: output(uint(p.width)) }),
  (io, p) => {
    const total = reg(uint(p.width), { init: 0 });
    when(io.en, () => { total.set(total.add(p.step ?? 1)); });
    io.total.set(total);
  });

/** A piece of a module as a plain function. */
function risingEdge(v: Bit): Bit {
  const before = reg(bit, { init: 0 });
  before.set(v);
  return v.and(before.not());
}

export const CoreUnits = module("CoreUnits", () => ({
  mac_i: sink(Job), mac_o: source(struct({ sum: uint(32), tag: uint(4) })),
  deep_i: sink(struct({ v: uint(8), keep: uint(8) })), deep_o: source(struct({ out: uint(8), keep: uint(8), late: uint(8) })),

  fsm_start: input(bit), fsm_stop: input(bit), fsm_busy: output(bit), fsm_done: output(bit), fsm_count: output(uint(3)),

  vec_we: input(bit), vec_wi: input(uint(3)), vec_wd: input(Pair), vec_ri: input(uint(3)), vec_rd: output(Pair), vec_two: output(Pair), vec_all: output(vec(Pair, 5)), vec_load: input(bit), vec_from: input(vec(Pair, 5)),

  ram_we: input(bit), ram_wa: input(uint(3)), ram_wd: input(uint(16)), ram_mask: input(uint(2)), ram_ra: input(uint(3)), ram_re: input(bit),
  ram_old: output(uint(16)), ram_new: output(uint(16)), ram_undefined: output(uint(16)), ram_held: output(uint(16)), ram_async: output(uint(16)), ram_init: output(uint(16)), ram_struct: output(Pair),

  a: input(sint(8)), b: input(sint(8)), u: input(uint(8)), v: input(uint(8)), by: input(uint(4)), w: input(uint(16)),
  s_add: output(sint(8)), s_grow: output(sint(9)), s_sub: output(sint(8)), s_mul: output(sint(16)), s_neg: output(sint(8)), s_lt: output(bit), s_le: output(bit), s_gt: output(bit), s_ge: output(bit),
  s_eq: output(bit), s_ne: output(bit), s_shl: output(sint(8)), s_shr: output(sint(8)), s_shr2: output(sint(8)), s_ext: output(sint(12)), s_min: output(sint(8)), s_low: output(uint(4)), s_cmp: output(bit),
  u_add: output(uint(8)), u_grow: output(uint(9)), u_sub: output(uint(8)), u_mul: output(uint(16)), u_div: output(uint(8)), u_mod: output(uint(8)), u_shl: output(uint(8)), u_shr: output(uint(8)), u_lt: output(bit),
  u_any: output(bit), u_all: output(bit), u_parity: output(bit), u_cat: output(uint(16)), u_repeat: output(uint(24)), u_bits: output(uint(3)), u_wide: output(uint(12)), u_cut: output(uint(5)), u_signed: output(sint(8)),
  u_logic: output(uint(8)), u_one: output(uint(8)), u_case: output(uint(4)), u_partial: output(uint(8)), u_last: output(uint(8)), u_pack: output(uint(8)),

  acc_en: input(bit), acc_a: output(uint(4)), acc_b: output(uint(12)), acc_c: output(uint(4)), acc_d: output(uint(4)),
  edge_in: input(bit), edge_x: output(bit), edge_y: output(bit),
}), io => {
  pipeline(io.mac_i)
    .stage(j => ({ product: j.a.mul(j.b).is(32) }))
    .stage(j => ({ sum: j.product.add(j.c) }))
    .into(io.mac_o);
  // `keep` rides along for three stages, `late` is made in the second of them.
  pipeline(io.deep_i)
    .stage(j => ({ out: j.v.add(1) }))
    .stage(j => ({ late: j.out.xor(j.keep) }))
    .stage(j => ({ out: j.out.add(j.late) }))
    .into(io.deep_o);

  const count = reg(uint(3), { init: 0 });
  io.fsm_done.set(0);
  const phase = fsm(["Idle", "Load", "Run", "Done"], "Idle", s => ({
    Idle: () => { when(io.fsm_start, () => { s.go("Load"); }); },
    Load: () => { count.set(5); s.go("Run"); },
    Run: () => {
      count.set(count.sub(1));
      when(io.fsm_stop, () => { s.go("Idle"); }).elseWhen(count.eq(1), () => { s.go("Done"); });
    },
    Done: () => { io.fsm_done.set(1); s.go("Idle"); },
  }));
  io.fsm_busy.set(phase.is("Idle").not());
  io.fsm_count.set(count);

  const lanes = reg(vec(Pair, 5), { init: [{ count: 1, delta: -1 }, { count: 2 }, 0, { delta: 3 }] });
  when(io.vec_load, () => { lanes.set(io.vec_from); });
  when(io.vec_we, () => { lanes.setAt(io.vec_wi, io.vec_wd); });
  io.vec_rd.set(lanes.at(io.vec_ri));
  io.vec_two.set(lanes.at(2));
  io.vec_all.set(lanes);

  for (const collision of ["old", "new", "undefined"] as const) {
    const store = ram(uint(16), { depth: 8, collision, init: [0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x8888], name: `store_${collision}` });
    store.write(io.ram_we, io.ram_wa, io.ram_wd, io.ram_mask);
    const word = store.readSync(io.ram_ra, { name: `word_${collision}` });
    io[`ram_${collision}`].set(word);
    if (collision === "new") io.ram_held.set(store.readSync(io.ram_ra, { en: io.ram_re, name: "held" }));
    if (collision === "old") io.ram_async.set(store.readAsync(io.ram_ra));
  }
  const table = ram(uint(16), { depth: 6, collision: "old", init: [7, 8n, 0xffff] });
  io.ram_init.set(table.readAsync(io.ram_ra));
  const pairs = ram(Pair, { depth: 8, collision: "new" });
  pairs.write(io.ram_we, io.ram_wa, unpack(Pair, io.ram_wd.trunc(8)));
  io.ram_struct.set(pairs.readSync(io.ram_ra));

  const { a, b, u, v, by, w } = io;
  io.s_add.set(a.add(b)); io.s_grow.set(a.addGrow(b).is(9)); io.s_sub.set(a.sub(b)); io.s_mul.set(a.mul(b).is(16)); io.s_neg.set(a.neg());
  io.s_lt.set(a.lt(b)); io.s_le.set(a.le(b)); io.s_gt.set(a.gt(b)); io.s_ge.set(a.ge(b)); io.s_eq.set(a.eq(b)); io.s_ne.set(a.ne(b));
  io.s_shl.set(a.shl(by)); io.s_shr.set(a.shr(by)); io.s_shr2.set(a.shr(2)); io.s_ext.set(a.sext(12)); io.s_min.set(mux(a.lt(b), a, b)); io.s_low.set(a.trunc(4)); io.s_cmp.set(a.sub(b).lt(-3));
  io.u_add.set(u.add(v)); io.u_grow.set(u.addGrow(v).is(9)); io.u_sub.set(u.sub(v)); io.u_mul.set(u.mul(v).is(16)); io.u_div.set(u.div(8)); io.u_mod.set(u.mod(8)); io.u_shl.set(u.shl(by)); io.u_shr.set(u.shr(by));
  io.u_lt.set(u.lt(v)); io.u_any.set(u.any()); io.u_all.set(u.all()); io.u_parity.set(u.parity()); io.u_cat.set(cat(u, v).is(16)); io.u_repeat.set(repeat(u, 3).is(24)); io.u_bits.set(u.bits(3, 3));
  io.u_wide.set(u.zext(12)); io.u_cut.set(u.resize(5)); io.u_signed.set(u.asSint().add(a)); io.u_logic.set(u.and(v).or(u.xor(v).not()).sub(u.sub(v.sub(1))));
  io.u_one.set(onehotMux([by.bit(0), by.bit(1), by.bit(2)], [u, v, w.trunc(8)]));
  switchOn(by).is(0, () => { io.u_case.set(9); }).is([1, 2, 15], () => { io.u_case.set(by.add(1)); }).otherwise(() => { io.u_case.set(0); });
  // Drives of parts: the last in program order wins, bit by bit.
  io.u_partial.set(u);
  io.u_partial.setBits(2, v.bits(0, 4));
  when(by.bit(0), () => { io.u_partial.setBits(7, by.bit(3)); });
  io.u_last.set(1);
  when(by.bit(0), () => { io.u_last.set(2); }).elseWhen(by.bit(1), () => { io.u_last.set(3); });
  when(by.bit(3), () => { io.u_last.set(4); });
  io.u_pack.set(pack(lanes.at(0)).is(8));

  const one = instance(Accumulator({ width: 4 })), wide = instance("wide", Accumulator({ width: 12, step: 3 })), two = instance(Accumulator({ width: 4 }));
  one.en.set(io.acc_en); wide.en.set(io.acc_en); two.en.set(one.total.bit(0));
  io.acc_a.set(one.total); io.acc_b.set(wide.total); io.acc_c.set(two.total);
  // A wire with a default, driven under conditions.
  const chosen: Var<UIntShape<4>> = wire(uint(4));
  chosen.set(one.total);
  when(io.acc_en.not(), () => { chosen.set(two.total); });
  io.acc_d.set(chosen);

  io.edge_x.set(scope("x", () => risingEdge(io.edge_in)));
  io.edge_y.set(scope("y", () => risingEdge(io.edge_in.not())));
});
