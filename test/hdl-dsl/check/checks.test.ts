/** One planted fault per check, its message word for word; and next to it the design that must not raise it. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  bit,
  cat,
  clockDomain,
  type Def,
  type Diagnostic,
  elaborate,
  formatDiagnostic,
  fsm,
  HdlError,
  inDomain,
  input,
  type Inside,
  instance,
  module,
  node,
  output,
  type Ports,
  ram,
  reg,
  sink,
  source,
  switchOn,
  uint,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import { checkCircuit, checkHierarchy } from "../../../hdl-dsl/check/index.ts";
import { assign, circuit, readOf, signal } from "../support/random.ts";

function diagnosticsOf(def: Def): readonly Diagnostic[] {
  try {
    elaborate(def);
    return [];
  } catch (e) {
    if (e instanceof HdlError) return e.diagnostics;
    throw e;
  }
}
/** Messages as the user sees them, line numbers left out. */
const shown = (d: readonly Diagnostic[]): string[] =>
  d.map(x => formatDiagnostic(x).replace(/checks\.test\.ts:\d+/g, "here"));
const messages = <const P extends Ports>(ports: P, body: (io: Inside<P>) => void): string[] =>
  shown(diagnosticsOf(module("M", () => ports, body)()));

const io = { a: input(uint(8)), c: input(bit), y: output(uint(8)) } as const;

describe("drivers", () => {
  test("never assigned", () => {
    expect(
      messages(io, p => {
        when(p.c, () => {
          node(p.a, { mayBeUnread: true });
        });
      }),
    ).toEqual(["HDL002 in M: output `y` is never assigned (here). Assign it, or remove it"]);
    expect(
      messages(io, p => {
        const held = reg(uint(8), { init: 1 });
        p.y.set(held.add(p.a).and(cat(p.c, p.c, p.c, p.c, p.c, p.c, p.c, p.c)));
      }),
    ).toEqual(["HDL002 in M: register `held` is never assigned (here). Assign it, or write its value as a constant"]);
  });
  test("some bits never assigned", () => {
    expect(
      messages(io, p => {
        p.y.setBits(0, p.a.bits(0, 3));
        p.y.setBits(4, cat(p.c, p.c, p.c));
      }),
    ).toEqual([
      "HDL002 in M: bits `y[3]` of output `y` are never assigned (here). Assign all of its bits",
      "HDL002 in M: bits `y[7]` of output `y` are never assigned (here). Assign all of its bits",
    ]);
  });
  test("an assignment that a later one overwrites whole", () => {
    expect(
      messages(io, p => {
        when(p.c, () => p.y.set(1));
        p.y.set(p.a);
      }),
    ).toEqual([
      "HDL003 in M: `y` has two drivers: this assignment overwrites the one at here whole (here; see here). Remove one of them, or put the later one under a condition",
    ]);
    expect(
      messages(io, p => {
        p.y.set(p.a);
        p.y.setBits(0, p.c);
      }),
    ).toEqual([]);
    expect(
      messages(io, p => {
        p.y.setBits(0, p.c);
        p.y.setBits(1, p.a.bits(0, 7));
      }),
    ).toEqual([]);
    expect(
      messages(io, p => {
        p.y.setBits(0, p.c);
        p.y.set(p.a);
      }),
    ).toEqual([
      "HDL003 in M: `y[0]` has two drivers: this assignment overwrites the one at here whole (here; see here). Remove one of them, or put the later one under a condition",
    ]);
  });
  test("a latch, by the condition that leaves it open", () => {
    expect(
      messages(io, p => {
        when(p.c, () => p.y.set(p.a));
      }),
    ).toEqual([
      "HDL005 in M: output `y` is not assigned when the condition at here is 0: it would be a latch (here; see here). Give `y` a default before the condition, or assign it on every path",
    ]);
    expect(messages(io, p => when(p.c, () => undefined).otherwise(() => p.y.set(p.a)))).toEqual([
      "HDL005 in M: output `y` is not assigned when the condition at here is 1: it would be a latch (here; see here). Give `y` a default before the condition, or assign it on every path",
    ]);
    expect(
      messages(io, p => {
        switchOn(p.a)
          .is(1, () => p.y.set(p.a))
          .is(2, () => p.y.set(cat(p.a.bits(0, 7), p.c)));
      }),
    ).toEqual([
      "HDL005 in M: output `y` is not assigned when no case of the switch at here applies: it would be a latch (here; see here). Give `y` a default before the condition, or assign it on every path",
    ]);
    expect(
      messages(io, p => {
        p.y.setBits(4, p.a.bits(4, 4));
        when(p.c, () => p.y.setBits(0, p.a.bits(0, 4)));
      }),
    ).toEqual([
      "HDL005 in M: output `y[3:0]` is not assigned when the condition at here is 0: it would be a latch (here; see here). Give `y` a default before the condition, or assign it on every path",
    ]);
  });
  test("no latch: default first, all paths, all values of a switch, a later unconditional assignment of the rest", () => {
    expect(
      messages(io, p => {
        p.y.set(0);
        when(p.c, () => p.y.set(p.a));
      }),
    ).toEqual([]);
    expect(messages(io, p => when(p.c, () => p.y.set(p.a)).otherwise(() => p.y.set(3)))).toEqual([]);
    expect(
      messages(io, p => {
        switchOn(p.c)
          .is(0, () => p.y.set(p.a))
          .is(1, () => p.y.set(2));
      }),
    ).toEqual([]);
  });
});

describe("unread", () => {
  test("inputs, wires, registers, memories", () => {
    expect(messages(io, p => p.y.set(p.a))).toEqual([
      "HDL004 in M: input `c` is never read (here). Use it, remove it, or mark the port as unused",
    ]);
    expect(
      messages(io, p => {
        p.y.set(p.a);
        const lost = wire(bit);
        lost.set(p.c);
        const held = reg(uint(8));
        held.set(p.a);
        const store = ram(uint(8), { depth: 4, collision: "old" });
        store.write(p.c, p.a.bits(0, 2), p.a);
      }),
    ).toEqual([
      "HDL004 in M: wire `lost` is never read (here). Use it, remove it, or declare it with mayBeUnread",
      "HDL004 in M: register `held` is never read (here). Use it, remove it, or declare it with mayBeUnread",
      "HDL004 in M: memory `store` is never read (here). Add a read port, or remove it",
    ]);
    expect(
      messages({ ...io, spare: { ...input(bit), unused: true } }, p => {
        p.y.set(p.a);
        const spare = wire(bit, { mayBeUnread: true });
        spare.set(p.c);
      }),
    ).toEqual([]);
  });
});

describe("loops", () => {
  test("within a module, with the whole path", () => {
    expect(
      messages(io, p => {
        const x = wire(uint(8)),
          z = wire(uint(8));
        x.set(z.add(p.a));
        when(p.c, () => z.set(x)).otherwise(() => z.set(0));
        p.y.set(z);
      }),
    ).toEqual(["HDL006 in M: combinational loop: `x` <- `z` <- `x` (here; see here). Break it with a register"]);
  });
  test("bits of one wire that do not depend on themselves are no loop", () => {
    const chain = (bad: boolean) =>
      messages(io, p => {
        const carry = wire(uint(9));
        carry.setBits(0, bad ? carry.bit(8) : p.c);
        for (let i = 0; i < 8; i++) carry.setBits(i + 1, carry.bit(i).and(p.a.bit(i)));
        p.y.set(carry.bits(1, 8));
        if (bad) node(p.c, { mayBeUnread: true });
      });
    expect(chain(false)).toEqual([]);
    expect(chain(true)).toEqual([
      "HDL006 in M: combinational loop: `carry[0]` <- `carry[8]` <- `carry[7]` <- `carry[6]` <- `carry[5]` <- `carry[4]` <- `carry[3]` <- `carry[2]` <- `carry[1]` <- `carry[0]` (here; see here). Break it with a register",
    ]);
  });
  test("across module boundaries, and not where a register stands in between", () => {
    const Inner = module(
      "Inner",
      (_: { registered: boolean }) => ({ d: input(uint(8)), q: output(uint(8)) }),
      (p, q) => {
        if (!q.registered) {
          p.q.set(p.d.add(1));
          return;
        }
        const held = reg(uint(8));
        held.set(p.d);
        p.q.set(held);
      },
    );
    const around = (registered: boolean) =>
      messages(io, p => {
        const inner = instance("inner", Inner({ registered }));
        inner.d.set(inner.q.xor(p.a));
        p.y.set(inner.q.and(cat(p.c, p.a.bits(0, 7))));
      });
    expect(around(false)).toEqual([
      "HDL006 in M: combinational loop: `inner_d` <- `inner_q` <- `inner_d` (here; see here). Break it with a register",
    ]);
    expect(around(true)).toEqual([]);
  });
  test("through an asynchronous memory read", () => {
    expect(
      messages(io, p => {
        const store = ram(uint(8), { depth: 256, collision: "old", style: "distributed" });
        store.write(p.c, p.a, p.a);
        const at = wire(uint(8));
        at.set(store.readAsync(at));
        p.y.set(at);
      }),
    ).toEqual(["HDL006 in M: combinational loop: `at` <- `at` (here). Break it with a register"]);
  });
});

describe("streams", () => {
  const ports = { in: sink(uint(8)), out: source(uint(8)) } as const;
  test("a sink whose ready nobody drives", () => {
    expect(
      messages(ports, p => {
        p.out.valid.set(p.in.valid);
        p.out.payload.set(p.in.payload);
        node(p.out.ready, { mayBeUnread: true });
      }),
    ).toEqual([
      "HDL007 in M: nobody drives `in_ready`, so nothing ever moves on the stream `in` (here). Consume the stream (connect, map, a stage), or set `in_ready`",
    ]);
  });
  test("a source that nobody drives", () => {
    expect(
      messages(ports, p => {
        p.in.ready.set(p.out.ready);
        node(p.in.payload, { mayBeUnread: true });
        node(p.in.valid, { mayBeUnread: true });
      }),
    ).toEqual([
      "HDL002 in M: the stream `out` is never driven: neither `out_valid` nor its payload is assigned (here). Connect a stream to it, or set its valid and payload",
    ]);
  });
  test("valid that waits for ready", () => {
    expect(
      messages(ports, p => {
        p.out.valid.set(p.in.valid.and(p.out.ready));
        p.out.payload.set(p.in.payload);
        p.in.ready.set(p.out.ready);
      }),
    ).toEqual([
      "HDL008 in M: `out_valid` depends on `out_ready` within the same cycle: valid must never wait for ready (here). Compute `out_valid` without `out_ready`, or put a stage in between",
    ]);
    expect(
      messages(ports, p => {
        p.out.valid.set(p.in.valid);
        p.out.payload.set(p.in.payload);
        p.in.ready.set(p.out.ready);
      }),
    ).toEqual([]);
  });
  test("a valid register without reset value", () => {
    expect(
      messages(ports, p => {
        const full = reg(bit),
          held = reg(uint(8));
        when(p.in.fire, () => held.set(p.in.payload));
        full.set(p.in.valid);
        p.out.valid.set(full);
        p.out.payload.set(held);
        p.in.ready.set(p.out.ready);
      }),
    ).toEqual([
      "HDL012 in M: register `full` drives `out_valid` and has no reset value: the stream would be valid or not by chance after power-up (here; see here). Declare `full` with { init: 0 }",
    ]);
  });
});

describe("memories and clock domains", () => {
  test("two write ports", () => {
    expect(
      messages(io, p => {
        const store = ram(uint(8), { depth: 4, collision: "old" });
        store.write(p.c, p.a.bits(0, 2), p.a);
        store.write(p.c.not(), p.a.bits(2, 2), p.a);
        p.y.set(store.readSync(p.a.bits(0, 2), { name: "word" }));
      }),
    ).toEqual([
      "HDL009 in M: memory `store` has 2 write ports (here; see here). Choose between the writes before one port (mux the address and the data), give it two ports that read and write (port), or use one memory for each",
    ]);
  });
  test("a crossing without a synchroniser, directly, through logic, and into an instance", () => {
    const crossing = (attributes: Readonly<Record<string, number>>, made = true, oneBitAtATime = false) =>
      messages(io, p => {
        const fast = clockDomain("fast");
        const here = reg(uint(8), { init: 0 });
        here.set(p.a);
        inDomain(fast, () => {
          const there = reg(uint(8), { init: 0, attributes, oneBitAtATime });
          there.set(made ? here.add(1) : here);
          p.y.set(there.add(cat(p.c, p.a.bits(0, 7))));
        });
      });
    expect(crossing({})).toEqual([
      "HDL010 in M: register `there` in clock domain `fast` takes `here` of clock domain `default` without a synchroniser (here; see here). Cross with a synchroniser or an asynchronous FIFO; a synchroniser's first register is declared with the attribute async_reg",
    ]);
    const remedies = "cross in Gray code (toGray) or by a handshake (AsyncFifo, PulseSynchroniser)";
    expect(crossing({ async_reg: 1 })).toEqual([
      `HDL018 in M: the synchroniser \`there\` takes a value that is made of several bits of \`here\`: between two edges it may show what neither of them says (here; see here). Register the value in its own clock domain first, and synchronise that register; several bits ${remedies}`,
    ]);
    expect(crossing({ async_reg: 1 }, false)).toEqual([
      "HDL019 in M: 8 bits of `here` go through the synchroniser `there` together: bits that change at one edge arrive at different ones (here; see here). Cross in Gray code (toGray into a register), by a handshake (AsyncFifo, PulseSynchroniser), or state { oneBitAtATime: true } where only one bit changes at a time",
    ]);
    expect(crossing({ async_reg: 1 }, false, true)).toEqual([]);
    const Inner = module(
      "Taker",
      () => ({ d: input(uint(8)), q: output(uint(8)) }),
      p => {
        const held = reg(uint(8));
        held.set(p.d);
        p.q.set(held);
      },
    );
    expect(
      messages(io, p => {
        const fast = clockDomain("fast");
        const here = reg(uint(8), { init: 0 });
        here.set(p.a);
        inDomain(fast, () => {
          const inner = instance("inner", Inner());
          inner.d.set(here);
          p.y.set(inner.q.add(cat(p.c, p.a.bits(0, 7))));
        });
      }),
    ).toEqual([
      "HDL010 in M: instance input `inner_d` is registered in clock domain `fast` and comes from clock domain `default` without a synchroniser (here). Cross with a synchroniser or an asynchronous FIFO",
    ]);
  });
  test("a memory that promises the new word across clocks", () => {
    expect(
      messages(io, p => {
        const store = ram(uint(8), { depth: 4, collision: "new" });
        store.write(p.c, p.a.bits(0, 2), p.a);
        inDomain(clockDomain("fast"), () => {
          const at = reg(uint(2), { init: 0 });
          at.set(at.add(1));
          p.y.set(store.readSync(at, { name: "word" }));
        });
      }),
    ).toEqual([
      'HDL013 in M: memory `store` promises the new word on a collision, but is written in clock domain `default` and read in `fast` (here; see here). Declare it with collision: "undefined" and keep readers away from words being written',
    ]);
  });
});

describe("control and names", () => {
  test("a state that cannot be reached, also when only unreachable states lead to it", () => {
    expect(
      messages(io, p => {
        const state = fsm(["Idle", "Run", "Lost", "Gone"], "Idle", s => ({
          Idle: () => when(p.c, () => s.go("Run")),
          Run: () => s.go("Idle"),
          Lost: () => s.go("Gone"),
          Gone: () => s.go("Lost"),
        }));
        p.y.set(p.a.and(cat(state.is("Run"), p.a.bits(0, 7))));
      }),
    ).toEqual([
      "HDL011 in M: state Lost of `state` cannot be reached (here). Go to Lost from a state that can be reached, or remove it",
      "HDL011 in M: state Gone of `state` cannot be reached (here). Go to Gone from a state that can be reached, or remove it",
    ]);
  });
  test("one name for two things, one name for two modules", () => {
    const a = signal("input", "a", 8),
      twin = signal("wire", "a", 8),
      y = signal("output", "y", 8);
    expect(shown(checkCircuit(circuit("M", [a, twin, y], [assign(twin, readOf(a)), assign(y, readOf(twin))])))).toEqual(
      ["HDL001 in M: the name `a` stands for a port and for a signal (?). Rename one of them"],
    );
    const leaf = () => {
      const d = signal("input", "d", 1),
        q = signal("output", "q", 1);
      return circuit("Leaf", [d, q], [assign(q, readOf(d))]);
    };
    const instances = [leaf(), leaf()].map((c, i) => ({
      name: `i${i}`,
      circuit: c,
      connections: new Map(),
      domains: new Map(),
      position: undefined,
    }));
    expect(shown(checkHierarchy(circuit("M", [], [], { instances })))).toEqual([
      "HDL014 in Leaf: two different modules are called `Leaf` (?). Rename one, or make what tells them apart a parameter",
    ]);
  });
});

test("a diagnostic points at the fault and at the other party", () => {
  const [d] = diagnosticsOf(
    module(
      "M",
      () => io,
      p => {
        p.y.set(p.a); // first driver
        p.y.set(cat(p.a.bits(0, 7), p.c)); // second driver
      },
    )(),
  );
  const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
  const lineOf = (mark: string): number => lines.findIndex(l => l.includes(`// ${mark}`)) + 1;
  expect([d?.at?.line, d?.related?.line]).toEqual([lineOf("second driver"), lineOf("first driver")]);
});

test("everything wrong in a run is reported together", () => {
  expect(
    new Set(
      diagnosticsOf(
        module(
          "M",
          () => io,
          p => {
            const x = wire(uint(8));
            x.set(x);
            when(p.c, () => p.y.set(1));
          },
        )() as Def,
      ).map(d => d.code),
    ),
  ).toEqual(new Set(["HDL004", "HDL005", "HDL006"]));
});

test("a long chain of wires and a deep condition are checked without running out of stack, once each", () => {
  const wires = Array.from({ length: 50_000 }, (_, i) => signal("wire", `w${i}`, 8)),
    a = signal("input", "a", 8),
    y = signal("output", "y", 8);
  const body = wires.map((w, i) =>
    assign(w, { kind: "binary", op: "add", a: readOf(wires[i + 1] ?? a), b: readOf(a), width: 8, signed: false }),
  );
  expect(checkCircuit(circuit("Long", [a, ...wires, y], [...body, assign(y, readOf(wires[0] ?? a))]))).toEqual([]);
});
