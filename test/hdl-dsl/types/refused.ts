/** What the compiler must refuse: compiled by compile.test.ts (which also asserts the sentences) and by `npm run lint`, never run. */
import { endOf, flip, interfaceOf, link, memberPorts, cat, enumOf, match, priority, variantOf, arrayOf, bit, byName, demux, fork, mergePorts, portArray, portOf, prefixPorts, stream, sint, struct, uint, vec, type StructShape, type UIntShape, connect, map, fsm, input, output, sink, source, instance, module, mux, when, pack, pipeline, ram, reg, repeat, unpack, wire, type Bit, type StreamIn, type StreamOut, type Enum, type UInt } from "../../../hdl-dsl/index.ts";
import { Counter } from "./accepted.ts";

const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });
const a = wire(uint(8)), b = wire(uint(16)), s = wire(sint(8)), flag = wire(bit);

// @ts-expect-error 8 bits + 16 bits
a.add(b);
// @ts-expect-error 16 bits into 8
a.set(b);
// @ts-expect-error JavaScript operator on a value
export const bad = a + a;
module("M", () => ({ i: input(uint(8)), o: output(uint(8)) }), (io) => {
  io.o.set(io.i);
  // @ts-expect-error an input cannot be driven from inside
  io.i.set(3);
  // @ts-expect-error misspelt port
  void io.oo;
});
const c = instance("c0", Counter({ width: 8 }));
c.en.set(1);
// @ts-expect-error an output cannot be driven from outside
c.count.set(1);
// @ts-expect-error missing parameter
Counter({});
fsm(["Idle", "Run"], "Idle", (m) => ({
  Idle: () => { m.go("Run"); },
  // @ts-expect-error misspelt state
  Run: () => { m.go("Idel"); },
}));
// @ts-expect-error no handler for Run
fsm(["Idle", "Run"], "Idle", (m) => ({ Idle: () => { m.go("Run"); } }));
const st = wire(struct({ x: uint(4), y: uint(8) }));
st.set({ x: 1, y: a });
// @ts-expect-error field y is 8 bits
st.set({ x: 1, y: b });
// @ts-expect-error field missing
st.set({ x: 1 });
declare const src: StreamIn<typeof Job>;
pipeline(src).stage(v => ({ p: v.a }))
  // @ts-expect-error no field q at this stage
  .stage(v => ({ r: v.q }));
declare const byteIn: StreamIn<UIntShape<8>>;
declare const dst4: StreamOut<StructShape<{ tag: UIntShape<4> }>>;
declare const dst5: StreamOut<StructShape<{ tag: UIntShape<5> }>>;
pipeline(src).into(dst4);
// @ts-expect-error 4-bit tag into 5-bit field
pipeline(src).into(dst5);

// Widths that are computed.
// @ts-expect-error a sum with its carry has 9 bits
a.set(a.addGrow(a));
// @ts-expect-error a product has 24 bits
b.set(a.mul(b));
// @ts-expect-error a signed product has 16 bits
s.set(s.mul(s));
// @ts-expect-error a product is of one signedness
a.mul(s);
// @ts-expect-error the struct packs into 12 bits
b.set(pack(st));
// @ts-expect-error 8 bits are no struct of 12
unpack(struct({ x: uint(4), y: uint(8) }), a);
// @ts-expect-error 16 bits are no 4 elements of 8
unpack(vec(uint(8), 4), b);
// @ts-expect-error three copies have 24 bits
b.set(repeat(a, 3));
// @ts-expect-error the pipeline's product has 32 bits
pipeline(src).stage(v => ({ tag: v.a.mul(v.b) })).into(dst4);
// @ts-expect-error the word mapped has 15 bits
map(byteIn, uint(14), v => cat(v, v.trunc(7)));

// Beyond the sketch.
// @ts-expect-error signed and unsigned do not mix
a.add(s);
// @ts-expect-error signed into unsigned
a.set(s);
// @ts-expect-error unsigned into signed
s.set(a);
// @ts-expect-error a condition is one bit
when(a, () => undefined);
// @ts-expect-error the condition of mux is one bit
mux(a, a, a);
// @ts-expect-error the sides of mux have one width
mux(flag, a, b);
// @ts-expect-error the sides of mux have one signedness
mux(flag, a, s);
// @ts-expect-error a mux cannot be driven
mux(flag, a, a).set(1);
// @ts-expect-error no multiplication by a number: its width is not stated
a.mul(3);
// @ts-expect-error the initial state is one of the states
fsm(["Idle", "Run"], "Rune", () => ({ Idle: () => undefined, Run: () => undefined }));
declare const wideOut: StreamOut<UIntShape<16>>;
// @ts-expect-error streams of different shapes
connect(byteIn, wideOut);
// @ts-expect-error a stream's valid is the producer's to drive
byteIn.valid.set(1);
// @ts-expect-error a stream's ready is the consumer's to drive
wideOut.ready.set(1);
// @ts-expect-error the payload given has 8 bits, the shape 16
map(byteIn, uint(16), v => v);
// @ts-expect-error the field given has 8 bits, the shape 16
map(byteIn, struct({ w: uint(16) }), v => ({ w: v }));
// @ts-expect-error a memory says what a collision gives
ram(uint(8), { depth: 4 });
// @ts-expect-error a word is 8 bits
ram(uint(8), { depth: 4, collision: "old" }).write(flag, a, b);
// @ts-expect-error a vec's elements have 8 bits
wire(vec(uint(8), 2)).set([b, b]);
// @ts-expect-error element driven with 16 bits
wire(vec(uint(8), 2)).at(0).set(b);
// @ts-expect-error an element chosen by a value is read only; setAt drives it
wire(vec(uint(8), 2)).at(a).set(1);
// @ts-expect-error no such field
void wire(Job).d;
// @ts-expect-error a bit is not a boolean
if (flag.eq(1) === true) void 0;
// @ts-expect-error the initial value is a number
reg(uint(8), { init: "0" });
// @ts-expect-error a sink's payload cannot be driven inside
module("S", () => ({ i: sink(uint(8)), o: source(uint(8)) }), io => { io.i.payload.set(1); });
export const unusedBit: Bit = flag;

// Streams that are made, and ports of computed names.
const made = stream(struct({ data: uint(8), last: bit }));
declare const narrow: StreamOut<StructShape<{ data: UIntShape<4>; last: UIntShape<1> }>>;
declare const nameless: StreamOut<StructShape<{ data: UIntShape<8> }>>;
declare const unknownWidth: StreamOut<StructShape<{ data: UIntShape; first: UIntShape<1> }>>;
// @ts-expect-error joined data are 4 bits
connect(made, narrow);
// @ts-expect-error a field too many
connect(made, nameless);
// @ts-expect-error the other field
connect(made, unknownWidth);
// @ts-expect-error both give
connect(made, byteIn);
// @ts-expect-error data of the beat are 8 bits
made.payload.set({ data: b, last: 0 });
// @ts-expect-error the beat has no field first
made.payload.first.set(1);
// @ts-expect-error two are made, there is no third
void fork(byteIn, 2)[2];
// @ts-expect-error two are made, there is no third way
void demux(byteIn, flag, 2)[2];
// @ts-expect-error not of the number that is made
const three: readonly [unknown, unknown, unknown] = fork(byteIn, 2);
// @ts-expect-error no such name
void byName(["hits"], () => bit).misses;
module("Row", (p: { n: number }) => mergePorts(portArray("from", p.n, sink(uint(8))), portArray("to", p.n, source(uint(8))), prefixPorts("low", { r: input(bit) })), (io, p) => {
  arrayOf(io, "from", p.n).forEach((s, i) => { connect(s, portOf(io, "to", i)); });
  // @ts-expect-error no row of that name
  arrayOf(io, "form", p.n);
  // @ts-expect-error a row that comes in is not for the module to drive
  portOf(io, "from", 0).valid.set(1);
  // @ts-expect-error a row that comes in is not one to connect to
  connect(portOf(io, "to", 0), portOf(io, "from", 0));
  // @ts-expect-error an input of a group cannot be driven
  io.lowr.set(1);
});
const words = ram(struct({ x: uint(4), y: uint(8) }), { depth: 4, collision: "old" });
words.write(flag, a, { x: 1, y: a });
// @ts-expect-error field y of the word is 8 bits
words.write(flag, a, { x: 1, y: b });
// @ts-expect-error field y of the word is missing
words.write(flag, a, { x: 1 });
void three;

// Enumerations and variants.
const Verdict = enumOf("Verdict", ["mapped", "absent"]), Colour = enumOf("Colour", ["red", "green"]);
const Request = variantOf("Request", { read: struct({ address: uint(8) }), flush: null });
declare const verdict: Enum<"Verdict", "mapped" | "absent", 1>, colour: Enum<"Colour", "red" | "green", 1>;
const verdictReg = reg(Verdict, { init: "mapped" }), request = wire(Request);
// @ts-expect-error misspelt name
verdictReg.set("maped");
// @ts-expect-error a number is no name
verdictReg.set(1);
// @ts-expect-error nor are bits
verdictReg.set(flag);
// @ts-expect-error another enumeration
verdictReg.set(colour);
// @ts-expect-error compared with another
verdict.eq(colour);
// @ts-expect-error names do not count
verdict.add(1);
// @ts-expect-error one without a name is no question
verdict.is();
// @ts-expect-error a name is no bit
flag.and(verdict);
// @ts-expect-error no such initial name
reg(Verdict, { init: "red" });
// @ts-expect-error no such value of it
void Verdict.red;
// @ts-expect-error arm absent is missing
match(verdict, { mapped: () => a });
// @ts-expect-error arm flush is missing
match(request, { read: r => r.address });
// @ts-expect-error the body has no such field
match(request, { read: r => r.length, flush: () => 0 });
// @ts-expect-error a flush has no body
match(request, { read: r => r.address, flush: (f: UInt<8>) => f });
// @ts-expect-error field address of the body is missing
Request.read({});
// @ts-expect-error not a number, whatever its code
mux(flag, verdict, 1);
// @ts-expect-error a field of an enumeration takes its names
wire(struct({ v: Verdict })).set({ v: "red" });
// @ts-expect-error streams of two enumerations
connect(stream(Verdict), stream(Colour));
// @ts-expect-error the choices have one width
priority([flag, a], b);
// @ts-expect-error the condition is a bit
priority([a, a], a);
// @ts-expect-error 16 bits without 8
b.andNot(a);

// Interfaces.
const Line = interfaceOf({ data: source(uint(8)), busy: input(bit), deep: interfaceOf({ level: output(uint(2)) }) });
const Broad = interfaceOf({ data: source(uint(16)), busy: input(bit), deep: interfaceOf({ level: output(uint(2)) }) });
const Fewer = interfaceOf({ data: source(uint(8)), busy: input(bit) });
const Signal = interfaceOf({ data: output(uint(8)), busy: input(bit), deep: interfaceOf({ level: output(uint(2)) }) });
const Deeper = interfaceOf({ data: source(uint(8)), busy: input(bit), deep: interfaceOf({ level: output(uint(3)) }) });
module("Lines", () => ({ s: flip(Line), m: Line, broad: Broad, fewer: Fewer, signal: Signal, deeper: Deeper, beat: input(struct({ data: uint(8), busy: bit })), ...memberPorts("x", Line) }), io => {
  connect(io.s, io.m);
  // @ts-expect-error both ends drive the data of one side
  connect(io.m, io.m);
  // @ts-expect-error the interface's data have 16 bits
  connect(io.s, io.broad);
  // @ts-expect-error the interface lacks a member
  connect(io.s, io.fewer);
  // @ts-expect-error the interface has a member more
  connect(io.fewer, io.s);
  // @ts-expect-error a stream is joined with a plain port
  connect(io.s, io.signal);
  // @ts-expect-error the inner interface's level has 3 bits
  connect(io.s, io.deeper);
  // @ts-expect-error a struct is no interface
  connect(io.s, io.beat);
  // @ts-expect-error the slave does not drive what the master drives
  io.s.data.valid.set(1);
  // @ts-expect-error the master reads what the slave drives
  io.m.busy.set(1);
  // @ts-expect-error the interface has no such member
  void io.m.bussy;
  // @ts-expect-error an end within the wires is one side only
  connect(link(Line).near, io.m);
  // @ts-expect-error the ports stand for the other side
  endOf(flip(Line), io, "x");
  // @ts-expect-error ports of that name there are none
  endOf(Line, io, "y");
});
// @ts-expect-error an interface is made of ports
interfaceOf({ data: uint(8) });
