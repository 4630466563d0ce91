import { describe, expect, it } from "vitest";
import {
  bit,
  type Bit,
  connect,
  Fifo,
  fromBits,
  input,
  instance,
  module,
  moduleNames,
  output,
  ram,
  reg,
  sink,
  source,
  stream,
  type Structure,
  structureOf,
  uint,
} from "../../../hdl-dsl/index.ts";

const Stage = module(
  "Stage",
  (_p: { readonly bits: 8 }) => ({
    come: sink(uint(8)),
    go: source(uint(8)),
    count: output(uint(4)),
    limit: input(uint(4)),
  }),
  io => {
    connect(io.come, io.go);
    const count = reg(uint(4), { init: 0 });
    count.set(count.add(io.limit));
    io.count.set(count);
  },
);
/** Two stages with something between them, a memory, and a value that goes through a register. */
const Chain = module(
  "Chain",
  () => ({
    rx: sink(uint(8)),
    tx: source(uint(8)),
    limit: input(uint(4)),
    address: input(uint(4)),
    word: output(uint(4)),
    last: output(uint(4)),
  }),
  io => {
    const first = instance(Stage({ bits: 8 })),
      second = instance(Stage({ bits: 8 })),
      limit = reg(uint(4), { init: 0 });
    limit.set(io.limit);
    connect(io.rx, first.come);
    const between = stream(uint(8));
    between.valid.set(first.go.valid);
    between.payload.set(first.go.payload.add(1));
    first.go.ready.set(between.ready);
    connect(between, second.come);
    connect(second.go, io.tx);
    first.limit.set(limit);
    second.limit.set(first.count);
    const words = ram(uint(4), { depth: 16, collision: "old", name: "words" });
    words.write(io.rx.valid, io.address, second.count);
    io.word.set(words.readSync(io.address));
    const kept = ram(uint(4), { depth: 16, collision: "old", name: "kept" });
    kept.write(io.rx.valid, io.address, io.limit);
    io.last.set(kept.readAsync(io.address));
  },
);

const lines = (s: Structure): string[] =>
  s.links
    .map(
      l =>
        `${l.from.name} ${l.kind === "stream" ? "=>" : "->"} ${l.to.name}${l.ports.length > 0 ? ` ${l.ports.join(",")}` : ""}`,
    )
    .sort();

describe("the structure of a module", () => {
  const s = structureOf(Chain());
  it("has ports, instances and memories", () => {
    expect(s.parts.map(p => `${p.kind} ${p.name} ${p.what}`.trim())).toEqual([
      "input rx",
      "output tx",
      "input limit",
      "input address",
      "output word",
      "output last",
      "instance first Stage",
      "instance second Stage",
      "memory words 16 x 4",
      "memory kept 16 x 4",
    ]);
  });
  it("follows streams and values through logic and registers, and tells them apart", () => {
    expect(lines(s)).toEqual([
      "address -> last",
      "first -> second limit",
      "first => second come",
      "kept -> last",
      "limit -> first limit",
      "limit -> kept",
      "rx => first come",
      "second -> words",
      "second => tx",
      "words -> word",
    ]);
  });
  it("is there for every module inside", () => {
    expect(moduleNames(Chain())).toEqual(["Chain", "Stage"]);
    expect(structureOf(Chain(), "Stage")?.name).toBe("Stage_bits8");
    expect(structureOf(Chain(), "Stages")).toBeUndefined();
  });

  it("shows the registers of a module without instances: what flows to them, or what decides when they change", () => {
    const leaf = structureOf(Stage({ bits: 8 }));
    expect(leaf.parts.slice(-1)).toEqual([{ kind: "register", name: "count_q", what: "4 bits" }]);
    expect(lines(leaf)).toEqual(["come => go", "count_q -> count", "limit -> count_q"]);
    const fifo = structureOf(Fifo({ shape: uint(8), depth: 16, style: "distributed" }));
    expect(lines(fifo)).toEqual([
      "count -> head",
      "count -> level",
      "count -> pop",
      "count -> tail",
      "head => pop",
      "pop -> count",
      "pop -> head",
      "push -> count",
      "push -> store",
      "push -> tail",
      "store -> pop",
      "tail -> store",
    ]);
    expect(fifo.note).toBeUndefined();
  });
  it("says why a drawing has ports alone", () => {
    const Not = module(
      "Not",
      () => ({ a: input(bit), b: output(bit) }),
      io => {
        io.b.set(io.a.not());
      },
    );
    const Many = module(
      "Many",
      () => ({ a: input(bit), b: output(uint(25)) }),
      io => {
        let last: Bit = io.a;
        const all = Array.from({ length: 25 }, (_, i) => {
          const next = reg(bit, { init: 0, name: `step_${i}` });
          next.set(last);
          last = next;
          return next;
        });
        io.b.set(fromBits(all).is(25));
      },
    );
    expect(structureOf(Not()).note).toBe("no instance, memory or register: outputs are made of inputs at once");
    expect(structureOf(Many()).note).toBe("25 registers are left out: more than 24");
  });
});
