import { describe, expect, test } from "vitest";
import {
  bit,
  type Bit,
  type Circuit,
  connect,
  elaborate,
  fifo,
  fork,
  fsm,
  input,
  instance,
  map,
  module,
  mux,
  node,
  output,
  pipeline,
  type Ports,
  ram,
  reg,
  scope,
  sink,
  source,
  stage,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type UIntShape,
  type Var,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";

const byte = uint(8);
const none = {} as const;
/** The circuit of a body, whatever the checks say of it: only names matter here. */
function built(body: (io: never) => void, ports: Ports = none): Circuit {
  return module(
    "Named",
    () => ports,
    io => body(io as never),
  )().elaborate().circuit;
}
const signals = (body: () => void): string[] => built(body).signals.map(s => s.name);

describe("names from the source", () => {
  test("const, let, a property, an assignment to a property", () => {
    expect(
      signals(() => {
        const head = reg(byte, { init: 0 });
        let tail = wire(byte);
        const typed: Var<UIntShape<8>> = reg(byte);
        const both = { left: reg(bit), right: wire(bit) };
        const holder: { kept?: Bit } = {};
        holder.kept = wire(bit);
        tail = wire(byte);
        void [head, tail, typed, both, holder];
      }),
    ).toEqual(["head", "tail", "typed", "left", "right", "kept", "tail_1"]);
  });

  test("a register beside a port of its name ends in _q, whole or by field; further ones are numbered", () => {
    const ports = { level: output(byte), done: output(struct({ ok: bit, id: byte })), spare: output(bit) };
    const c = built(() => {
      const level = reg(byte);
      const done = reg(struct({ ok: bit, id: byte }));
      const again = reg(byte, { name: "level_q_of_old" });
      for (let i = 0; i < 2; i++) {
        const level = reg(byte);
        void level;
      }
      const spare = node(level.bit(0));
      void [done, again, spare];
    }, ports);
    expect(c.signals.filter(x => x.kind !== "output").map(x => x.name)).toEqual([
      "level_q",
      "done_ok_q",
      "done_id_q",
      "level_q_of_old",
      "level_q_1",
      "level_q_2",
      "spare_1",
    ]);
  });

  test("several on one line, and destructured", () => {
    expect(
      signals(() => {
        // prettier-ignore -- one line is what is tested
        const a = reg(byte),
          b = wire(byte),
          c = reg(bit),
          d = wire(bit);
        const [e, f] = [reg(bit), wire(bit)];
        void [a, b, c, d, e, f];
      }),
    ).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("calls over several lines", () => {
    expect(
      signals(() => {
        // prettier-ignore -- this and the next two: calls over several lines are what is tested
        const wide = reg(struct({ x: uint(4), y: uint(4) }), { init: 0 });
        // prettier-ignore
        const chosen =
        wire(byte);
        // prettier-ignore
        const isolated = node(chosen
        .add(1));
        void [wide, isolated];
      }),
    ).toEqual(["wide_x", "wide_y", "chosen", "isolated"]);
  });

  // Each pair is one program, dense and as Prettier breaks it: names do not depend on the formatting.
  test("formatting does not matter: trailing commas, parentheses, broken chains and arrows", () => {
    const dense = signals(() => {
      const one = wire(byte);
      // prettier-ignore
      const sum = node(one.add(1).add(2)), both = [reg(bit), wire(bit)], far = scope("far", () => reg(byte, { init: 0 }));
      // prettier-ignore
      const lanes = Array.from({ length: 2 }, () => { return reg(byte); }), picked = mux(one.eq(1), node(one.and(3)), one);
      // prettier-ignore
      when(one.eq(2), () => one.set(node(one.or(1))));
      void [sum, both, far, lanes, picked];
    });
    const broken = signals(() => {
      const one = wire(byte);
      // prettier-ignore
      const sum = node(
          one
            .add(1)
            .add(2),
        ),
        both = [
          reg(bit),
          wire(bit),
        ],
        far = scope(
          "far",
          () =>
            reg(
              byte,
              { init: 0 },
            ),
        );
      // prettier-ignore
      const lanes = (Array
          .from(
            { length: 2 },
            () => (
              reg(byte)
            ),
          )),
        picked =
          mux(
            one.eq(1),
            node(one.and(3)),
            one,
          );
      // prettier-ignore
      when(one.eq(2), () =>
        one.set(
          node(one.or(1)),
        ),
      );
      void [sum, both, far, lanes, picked];
    });
    expect(broken).toEqual(dense);
  });

  test("a method call names its result: readSync of a memory", () => {
    const c = built(() => {
      const store = ram(byte, { depth: 4, collision: "old", init: [1] }),
        table = ram(byte, { depth: 2, collision: "old", init: [1] });
      const at = wire(uint(2));
      const front = store.readSync(at),
        back = table.readSync(at.bit(0));
      const memories = { deep: ram(byte, { depth: 4, collision: "old" }) };
      const word = memories.deep.readSync(at);
      memories.deep.readSync(at);
      void [front, back, word];
    });
    expect(c.memories.map(m => m.name)).toEqual(["store", "table", "deep"]);
    expect(c.signals.map(s => s.name)).toEqual(["at", "front", "back", "word", "deep_data"]);
  });

  test("what a helper returns is called as its caller calls it; scope keeps two uses apart", () => {
    const counter = (): Var<UIntShape<8>> => reg(byte, { init: 0 });
    function pair(): { low: Var<UIntShape<8>>; high: Var<UIntShape<8>> } {
      return { low: reg(byte), high: reg(byte) };
    }
    function delayed(v: UInt<8>): UInt<8> {
      const first = reg(byte);
      first.set(v);
      return first;
    }
    function chosen(wide: boolean): Var<UIntShape> {
      if (wide) {
        return reg(uint(16));
      }
      return reg(uint(8));
    }
    expect(
      signals(() => {
        const ticks = counter();
        const words = counter(),
          bytes = counter();
        const left = scope("left", () => pair()),
          right = scope("right", () => pair());
        const late = scope("late", () => delayed(ticks));
        const nested = scope("outer", () => scope("inner", () => counter()));
        const sized = chosen(true);
        void [words, bytes, left, right, late, nested, sized];
      }),
    ).toEqual([
      "ticks",
      "words",
      "bytes",
      "left_low",
      "left_high",
      "right_low",
      "right_high",
      "late_first",
      "outer_inner_nested",
      "sized",
    ]);
  });

  test("loops: the elements of one declaration share its name and are numbered in order", () => {
    expect(
      signals(() => {
        for (let i = 0; i < 3; i++) {
          const lane = reg(bit);
          void lane;
        }
        const banks = Array.from({ length: 2 }, () => reg(byte));
        const rows = [0, 1].map(i => {
          return wire(uint(i + 1));
        });
        void [banks, rows];
      }),
    ).toEqual(["lane", "lane_1", "lane_2", "banks", "banks_1", "rows", "rows_1"]);
  });

  test("a part of a named expression is named after it", () => {
    expect(
      signals(() => {
        const en = wire(bit),
          a = wire(byte);
        const sum = mux(en, node(a.add(1)), a);
        const low = reg(uint(4)).zext(8);
        void [sum, low];
      }),
    ).toEqual(["en", "a", "sum_node", "low_register"]);
  });

  test("an explicit name wins; an expression that nobody names is called by its kind", () => {
    expect(
      signals(() => {
        const a = reg(byte, { name: "given" });
        wire(bit);
        reg(bit);
        void a;
      }),
    ).toEqual(["given", "wire", "register"]);
  });

  test("strings, comments, templates and regular expressions around a declaration do not confuse", () => {
    expect(
      signals(() => {
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-template-expression -- the template is what is tested
        const text = `b = ${"("} [`;
        /* c = ( */ const real = reg(bit); // d = [
        const pattern = /[(]="/.test(text) ? 1 : 0,
          other = reg(uint(pattern + 1));
        void [real, other];
      }),
    ).toEqual(["real", "other"]);
  });

  test("instances, state machines, streams and their combinators", () => {
    const Below = module(
      "Below",
      () => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(io.d),
    );
    const ports = {
      from: sink(byte),
      to: source(byte),
      also: source(byte),
      job: sink(struct({ x: uint(4) })),
      done: source(struct({ y: uint(4) })),
    };
    const c = built((io: { from: StreamIn<UIntShape<8>>; to: never; also: never; job: never; done: never }) => {
      const inner = instance(Below());
      const phase = fsm(["Idle", "Run"], "Idle", () => ({ Idle: () => undefined, Run: () => undefined }));
      const queue = fifo(io.from, 4);
      const steady = stage(
        map(queue, byte, v => v.add(1)),
        "forward",
      );
      const copies = fork(steady, 2);
      connect(copies[0] as never, io.to);
      connect(copies[1] as never, io.also);
      const mac = pipeline(io.job as StreamIn<never>);
      mac.stage(v => ({ y: (v as { x: UInt }).x.add(1) })).into(io.done);
      void [inner, phase];
    }, ports);
    expect(c.instances.map(i => i.name)).toEqual(["inner", "queue"]);
    expect(c.streams.map(s => s.name)).toEqual([
      "from",
      "to",
      "also",
      "job",
      "done",
      "queue_push",
      "queue_pop",
      "steady_mapped",
      "steady",
      "copies_0",
      "copies_1",
    ]);
    expect(c.signals.filter(s => s.kind === "reg").map(s => s.name)).toEqual([
      "phase",
      "steady_full",
      "steady_held",
      "copies_0_done",
      "copies_1_done",
      "mac_s1_valid",
      "mac_s1_y",
    ]);
  });

  test("positions are those of the declarations; a port's is its line in the module", () => {
    const Placed = module(
      "Placed",
      () => ({
        first: input(bit),
        second: output(bit),
      }),
      io => {
        const kept = reg(bit, { init: 0 });
        kept.set(io.first);
        io.second.set(kept);
      },
    );
    const { signals: all, position } = elaborate(Placed());
    const at = position?.line ?? 0;
    expect(all.map(s => [s.name, (s.position?.line ?? 0) - at, s.position?.file.endsWith("names.test.ts")])).toEqual([
      ["first", 3, true],
      ["second", 4, true],
      ["kept", 7, true],
    ]);
  });
});
