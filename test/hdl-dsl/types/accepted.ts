/** What the compiler must accept, and with which types: compiled by compile.test.ts and by `npm run lint`, never run. */
import { axi4Bus, endOf, flip, interfaceOf, link, memberPorts, type End, type Flipped, enumOf, fromCode, match, priority, priorityTree, variantOf, arbiter, arrayOf, assignView, bit, byName, mergePorts, portArray, portOf, prefixPorts, sint, struct, uint, vec, type UIntShape, cat, constant, connect, demux, filter, gate, join, map, stream, fifo, fork, fsm, input, output, sink, source, instance, module, mux, onehotMux, switchOn, when, pipeline, ram, node, pack, reg, repeat, wire, stage, unpack, widthOf, type Bit, type Fields, type Given, type SInt, type Shape, type Stream, type StreamIn, type StreamOut, type StructShape, type UInt, type Val, type Var, type Enum, type EnumVar } from "../../../hdl-dsl/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const holds = <_T extends true>(): void => undefined;

export const Counter = module("Counter",
  (p: { width: number }) => ({ en: input(bit), clear: input(bit), count: output(uint(p.width)) }),
  (io, p) => {
    const value = reg(uint(p.width), { init: 0 });
    when(io.clear, () => { value.set(0); })
      .elseWhen(io.en, () => { value.set(value.add(1)); });
    io.count.set(value);
  });

export const Fifo = module("Fifo",
  (p: { width: number; depthLog2: number }) => ({
    push: sink(uint(p.width)), pop: source(uint(p.width)), level: output(uint(p.depthLog2 + 1)) }),
  (io, p) => {
    const ptr = uint(p.depthLog2 + 1);
    const head = reg(ptr, { init: 0 }), tail = reg(ptr, { init: 0 });
    const store = ram(uint(p.width), { depth: 2 ** p.depthLog2, collision: "new", style: "block" });
    const full = tail.sub(head).eq(2 ** p.depthLog2), empty = head.eq(tail);

    io.push.ready.set(full.not());
    store.write(io.push.fire, tail.trunc(p.depthLog2), io.push.payload);
    when(io.push.fire, () => { tail.set(tail.add(1)); });
    const nextHead = mux(io.pop.fire, head.add(1), head);
    head.set(nextHead);
    io.pop.valid.set(empty.not());
    io.pop.payload.set(store.readSync(nextHead.trunc(p.depthLog2)));
    io.level.set(tail.sub(head));
  });

const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });
export const Mac = module("Mac",
  () => ({ job: sink(Job), done: source(struct({ sum: uint(32), tag: uint(4) })) }),
  (io) => {
    pipeline(io.job)
      .stage(v => ({ product: v.a.mul(v.b) }))
      .stage(v => ({ sum: v.product.add(v.c) }))
      .into(io.done);
  });

export const Values = module("Values", () => ({ a: input(uint(8)), b: input(uint(16)), s: input(sint(8)), c: input(bit), v: input(vec(uint(8), 4)), o: output(uint(8)), so: output(sint(8)) }), io => {
  const a = wire(uint(8)), b = wire(uint(16)), n = wire(uint(8 as number)), s = wire(sint(8)), flag = wire(bit);
  // A drivable value is a value: in operators, in mux, where a Bit is asked for.
  const f: Bit = flag, e: UInt<8> = a, g: UInt = a, h: SInt<8> = s;
  a.add(a); a.add(n); n.add(b); a.add(1); a.add(255n); a.set(b.trunc(8)); b.set(a.zext(16)); a.set(3); n.set(b);
  when(flag, () => { a.set(io.a); }).otherwise(() => { a.set(n); });
  holds<Same<ReturnType<typeof a.eq>, Bit>>();
  const low = a.bits(0, 4), wide = a.zext(12), product = a.mul(b);
  holds<Same<typeof low, UInt<4>>>();
  holds<Same<typeof wide, UInt<12>>>();
  holds<Same<typeof product, UInt<24>>>();
  const chosen = mux(flag, a, 0), both = mux(io.c, a, e), other = mux(flag, s, -1), bits = mux(flag, flag, f);
  holds<Same<typeof chosen, UInt<8>>>();
  holds<Same<typeof both, UInt<8>>>();
  holds<Same<typeof other, SInt<8>>>();
  holds<Same<typeof bits, Bit>>();
  const hot = onehotMux([flag, io.c], [a, io.a]);
  holds<Same<typeof hot, UInt<8>>>();
  const st = wire(struct({ x: uint(4), y: struct({ z: uint(8), q: sint(3) }) }));
  st.set({ x: 1, y: { z: a, q: -2 } });
  st.y.set({ z: io.a, q: 0 });
  st.set(st);
  const either = mux(flag, st, st);
  holds<Same<typeof either.y.q, SInt<3>>>();
  const lanes = wire(vec(uint(8), 4));
  lanes.set(io.v);
  lanes.set([a, io.a, e, a]);
  lanes.at(0).set(a);
  lanes.setAt(low.trunc(2), a);
  const lane = lanes.at(low.trunc(2)), read = io.v.at(1);
  holds<Same<typeof lane, UInt<8>>>();
  holds<Same<typeof read, UInt<8>>>();
  const again = unpack(struct({ l: uint(8), h: uint(8) }), io.b);
  holds<Same<typeof again.h, UInt<8>>>();
  // Widths that are computed: of a value that is driven too, of signed ones, beside one that only elaboration knows.
  const sum = a.addGrow(b.trunc(8)).addGrow(1), signed = s.addGrow(-1).mul(s), unknown = n.addGrow(1), loose = n.mul(a);
  holds<Same<typeof sum, UInt<10>>>();
  holds<Same<typeof signed, SInt<17>>>();
  holds<Same<typeof unknown, UInt>>();
  holds<Same<typeof loose, UInt>>();
  const packed = pack(st), side = pack(io.v), word = pack(again), twice = repeat(b, 12), times = repeat(a, b.width);
  holds<Same<typeof packed, UInt<15>>>();
  holds<Same<typeof side, UInt<32>>>();
  holds<Same<typeof word, UInt<16>>>();
  holds<Same<typeof twice, UInt<192>>>();
  holds<Same<typeof times, UInt<128>>>();
  const all = widthOf(struct({ st: struct({ x: uint(4) }), v: vec(struct({ d: uint(30), e: bit }), 16), n: sint(9) })), some = widthOf(vec(uint(8 as number), 2)), any = widthOf(uint(8) as Shape);
  holds<Same<typeof all, 509>>();
  holds<Same<typeof some, number>>();
  holds<Same<typeof any, number>>();
  b.set(pack(again));
  unpack(vec(uint(4), 2), n);
  unpack(struct({ l: uint(n.width), h: uint(8) }), b);
  const made = cat(a, b), five = constant(5, 3);
  holds<Same<typeof made, UInt<24>>>();
  holds<Same<typeof five, UInt<3>>>();
  switchOn(a).is(1, () => { io.o.set(1); }).is([2, 3], () => { io.o.set(a); }).otherwise(() => { io.o.set(0); });
  io.so.set(s.add(s).neg());
  void [f, g, h];
});

export const Outer = module("Outer", () => ({ i: sink(uint(8)), k: sink(uint(8)), o: source(uint(8)), p: source(struct({ a: uint(8), b: uint(8) })), open: input(bit) }), io => {
  const counter = instance("counter", Counter({ width: 8 }));
  counter.en.set(io.open);
  counter.clear.set(0);
  const total: UInt = counter.count;
  const halves = fork(io.i, 2);
  const kept = filter(halves[0], v => v.bit(0));
  const grown = map(stage(kept, "full"), struct({ v: uint(9), last: bit }), v => ({ v: v.zext(9), last: 1 }));
  const back = map(fifo(grown, 4), uint(8), v => v.v.trunc(8));
  const merged = arbiter([back, gate(io.k, io.open)], { policy: "roundRobin" });
  const [left, right] = demux(merged, total.trunc(1), 2);
  connect(left, io.o);
  const joined = join({ a: right, b: halves[1] });
  connect(joined, io.p);
  const { is } = fsm(["Idle", "Run"], "Idle", s => ({ Idle: () => { when(io.open, () => { s.go("Run"); }); }, Run: () => { s.go("Idle"); } }));
  const running: Bit = is("Run");
  void running;
  // A stream inside: both ends of it.
  const inner = stream(struct({ v: uint(8) })), plain = stream(uint(8));
  inner.valid.set(merged.valid);
  inner.payload.set({ v: 3 });
  connect(map(inner, uint(8), v => v.v), plain);
  connect(stage(plain), io.o);
  inner.ready.set(plain.ready);
  const named = node(inner.payload), fired: Bit = plain.fire;
  holds<Same<typeof named.v, UInt<8>>>();
  void fired;
});

// A stream that is made is both ends of it, whatever the shape; what can be driven can be read, what can be read given.
export const read = <S extends Shape>(s: Stream<S>): StreamIn<S> => s;
export const driven = <S extends Shape>(s: Stream<S>): StreamOut<S> => s;
export const value = <S extends Shape>(v: Var<S>): Val<S> => v;
export const given = <S extends Shape>(v: Val<S>): Given<S> => v;
export function twice<S extends Shape>(from: StreamIn<S>, to: StreamOut<S>): StreamIn<S> {
  const out = stream(from.shape), held = reg(from.shape);
  assignView(held, from.payload, "held");
  connect(arbiter([out, from]), to);
  return map(out, from.shape, v => v);
}

export const Many = module("Many", (p: { ways: number; bits: number }) => {
  const Beat = struct({ data: uint(p.bits), last: bit });
  return mergePorts({ a: sink(Beat), plain: output(uint(p.ways)) }, portArray("a", p.ways, source(Beat)), prefixPorts("low", { Ar: sink(uint(8)), R: source(Beat) }));
}, (io, p) => {
  // Ports of computed names: as many as the parameters say, and each of the kind that was said.
  const outs = arrayOf(io, "a", p.ways);
  holds<Same<(typeof outs)[number]["payload"]["last"], Var<UIntShape<1>>>>();
  const copies = fork(io.a, p.ways);
  holds<Same<typeof copies, (typeof io.a)[]>>();
  copies.forEach((c, i) => { connect(c, portOf(io, "a", i)); });
  const [x, y, z] = fork(io.a, 3), [left, right] = demux(io.lowAr, io.a.payload.last, 2);
  holds<Same<typeof z, typeof io.a>>();
  holds<Same<typeof left, StreamIn<UIntShape<8>>>>();
  connect(arbiter([x, y]), io.lowR);
  right.ready.set(left.valid);
  // Fields by a list of names.
  const counts = reg(struct(byName(["hits", "misses"], () => uint(32))), { init: 0 });
  counts.hits.set(counts.misses.add(1));
  // Widths that only elaboration knows, in a stream, in a struct and in a choice.
  const beats = stream(struct({ data: uint(8), last: bit })), any = stream(struct({ data: uint(p.bits), last: bit }));
  connect(beats, any);
  connect(any, io.lowR);
  beats.payload.set({ data: any.payload.data, last: 0 });
  const chosen = mux(beats.valid, any.payload, io.a.payload);
  holds<Same<typeof chosen.data, UInt>>();
  const words = ram(vec(struct({ data: uint(p.bits), last: bit }), 2), { depth: 4, collision: "old" });
  words.write(beats.valid, io.a.payload.data, [io.a.payload, { data: 3, last: beats.valid }]);
  io.plain.set(mux(beats.valid, io.a.payload.data, p.ways));
});

/** A struct with one field more, whatever the others are. */
export const withNumber = <F extends Fields>(shape: StructShape<F>): StructShape<F & { readonly number: UIntShape<4> }> => struct({ ...shape.fields, number: uint(4) });
export const numberOf = (s: StreamIn<StructShape<{ a: UIntShape<8> }>>): UInt<4> => wire(withNumber(s.shape)).number;

// Enumerations and variants.
const Verdict = enumOf("Verdict", ["mapped", "absent", "noRights"]), Op = enumOf("Op", { read: 0, write: 3 }, { width: 8 });
const Request = variantOf("Request", { read: struct({ address: uint(8) }), write: uint(4), flush: null });
const Judged = struct({ verdict: Verdict, op: Op });
export const Enums = module("Enums", () => ({ v: input(Verdict), op: output(Op), r: input(Request), j: sink(Judged), k: source(Judged), y: output(uint(8)) }), io => {
  const held = reg(Verdict, { init: "absent" }), both = reg(Judged, { init: { verdict: "mapped", op: 0 } });
  holds<Same<typeof held, EnumVar<"Verdict", "mapped" | "absent" | "noRights", 2>>>();
  holds<Same<typeof io.op, EnumVar<"Op", "read" | "write", 8>>>();
  held.set(io.v);
  held.set("mapped");
  held.set(Verdict.noRights);
  const code = io.op.asUint(), chosen = mux(io.v.eq("absent"), io.v, "mapped"), is = io.v.is("mapped", "absent");
  holds<Same<typeof code, UInt<8>>>();
  holds<Same<typeof is, Bit>>();
  holds<Same<typeof chosen, Enum<"Verdict", "mapped" | "absent" | "noRights", 2>>>();
  const picked = match(io.v, { mapped: () => io.y, absent: () => 3, noRights: () => io.y.add(1) });
  holds<Same<typeof picked, UInt<8>>>();
  const inner = match(io.r, { read: r => r.address, write: w => w.zext(8), otherwise: () => 0 });
  holds<Same<typeof inner, UInt<8>>>();
  const done = match(io.v, { mapped: () => { held.set("absent"); }, otherwise: () => { held.set("mapped"); } });
  holds<Same<typeof done, undefined>>();
  both.set({ verdict: chosen, op: "write" });
  connect(map(io.j, Judged, j => ({ verdict: j.verdict, op: Op.read })), io.k);
  const request = wire(Request);
  request.set(Request.read({ address: 4 }));
  request.set(Request.flush());
  io.op.set(fromCode(Op, io.y, "read"));
});

// Interfaces: ends read and drive as their direction says, and join whole, in either order.
const Beat = struct({ data: uint(8), last: bit });
const Order = interfaceOf({ order: source(Beat), done: sink(uint(4)), busy: input(bit), log: interfaceOf({ level: output(uint(2)), word: sink(uint(8)) }) });
export const Engine = module("Engine", () => ({ s: flip(Order) }), io => {
  holds<Same<typeof io.s.order, StreamIn<typeof Beat>>>();
  holds<Same<typeof io.s.done, StreamOut<UIntShape<4>>>>();
  holds<Same<typeof io.s.busy, Var<UIntShape<1>>>>();
  holds<Same<typeof io.s.log.level, UInt<2>>>();
  holds<Same<typeof io.s.log.word, StreamOut<UIntShape<8>>>>();
  const end: End<Flipped<typeof Order.members>> = io.s;
  void end;
});
export const Joined = module("Joined", (p: { bits: number }) => ({ s: flip(Order), m: Order, wide: interfaceOf({ x: output(uint(p.bits)), y: sink(uint(p.bits)) }), near: flip(interfaceOf({ x: output(uint(4)), y: sink(uint(4)) })) }), io => {
  const engine = instance(Engine()), between = link(Order);
  connect(io.s, io.m);
  connect(io.m, io.s);
  connect(io.s, engine.s);
  connect(engine.s, between.far);
  connect(between.near, io.s);
  connect(io.s.log, io.m.log);
  // Widths that only elaboration knows fit any.
  connect(io.wide, io.near);
  const master = axi4Bus({ addressBits: 8, idBits: 2, beatBytes: 4 }), slave = flip(master), again = flip(slave);
  holds<Same<typeof again, typeof master>>();
});
export const Gathered = module("Gathered", () => ({ ...memberPorts("job", Order), inner: Order }), io => {
  const outer = endOf(Order, io, "job");
  holds<Same<typeof outer, typeof io.inner>>();
});

// Choices by several conditions.
export const Choices = module("Choices", () => ({ c: input(bit), a: input(uint(8)), p: input(struct({ x: uint(4) })), y: output(uint(8)) }), io => {
  const held = reg(uint(8)), chosen = priority([io.c, 3], [io.a.any(), io.a], held), tree = priorityTree([io.c, io.a], 0), pair = priority([io.c, io.p], io.p);
  holds<Same<typeof chosen, UInt<8>>>();
  holds<Same<typeof tree, UInt<8>>>();
  holds<Same<typeof pair.x, UInt<4>>>();
  const less = io.a.andNot(chosen);
  holds<Same<typeof less, UInt<8>>>();
});
