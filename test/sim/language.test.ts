import { describe, expect, test } from "vitest";
import {
  assertAlways,
  bit,
  connect,
  fifo,
  HdlError,
  input,
  instance,
  module,
  output,
  reg,
  sink,
  sint,
  source,
  struct,
  uint,
  vec,
  when,
} from "../../hdl-dsl/index.ts";
import { bernoulli, DesignStopped, peek, poke, runBench, simulate, StreamSink, StreamSource } from "../../sim/index.ts";
import { bench } from "../bench.ts";

const Counter = module(
  "Counter",
  (p: { width: number }) => ({ en: input(bit), clear: input(bit), count: output(uint(p.width)) }),
  (io, p) => {
    const value = reg(uint(p.width), { init: 0 });
    when(io.clear, () => value.set(0)).elseWhen(io.en, () => value.set(value.add(1)));
    io.count.set(value);
  },
);

const Item = struct({ sum: uint(40), tag: uint(4), parts: vec(sint(6), 2) });
const Buffer = module(
  "Buffer",
  () => ({ push: sink(Item), pop: source(Item), plain: input(Item), copy: output(Item) }),
  io => {
    connect(fifo(io.push, 8), io.pop);
    io.copy.set(io.plain);
  },
);

const Pair = module(
  "Pair",
  () => ({ en: input(bit), a: output(uint(8)), b: output(uint(4)) }),
  io => {
    const first = instance(Counter({ width: 8 }));
    first.en.set(io.en);
    first.clear.set(0);
    io.a.set(first.count);
    const second = instance(Counter({ width: 4 }));
    second.en.set(io.en);
    second.clear.set(0);
    io.b.set(second.count);
  },
);

describe("modules of the language", () => {
  bench("count", Counter({ width: 5 }), {}, async b => {
    b.io.en.value = 1;
    await b.cycles(41);
    expect(b.io.count.value).toBe(40 % 32);
    b.io.clear.value = 1;
    await b.cycles(2);
    expect(b.io.count.num).toBe(0);
  });

  bench("with instances", Pair(), {}, async b => {
    b.io.en.value = 1;
    await b.cycles(22);
    expect([b.io.a.value, b.io.b.value]).toEqual([21, 5]);
  });

  for (const [push, pop] of [
    [0, 0],
    [0.5, 0],
    [0, 0.7],
    [0.4, 0.6],
  ] as const) {
    bench(`pass structs through a stream, pausing ${push} and ${pop}`, Buffer(), { seed: 5 }, async b => {
      const into = new StreamSource(b.sim, b.io.push, { pause: bernoulli(push, 1) }),
        from = new StreamSink(b.sim, b.io.pop, { pause: bernoulli(pop, 2) });
      const items = Array.from({ length: 200 }, () => ({
        sum: Number(b.random.bits(40)),
        tag: b.random.between(0, 15),
        parts: [b.random.between(-32, 31), b.random.between(-32, 31)],
      }));
      for (const i of items) into.send(i);
      for (const i of items) expect(await from.recv()).toEqual(i);
    });
  }

  test("whole structs are poked and peeked", async () => {
    using sim = await simulate(Buffer());
    const item = { sum: 2 ** 40 - 1, tag: 9, parts: [-32, 31] };
    poke(sim.io.plain, item);
    sim.settle();
    expect(peek(sim.io.copy)).toEqual(item);
    // @ts-expect-error an output cannot be poked
    expect(() => poke(sim.io.copy, item)).toThrow("is an output of the design");
    // @ts-expect-error a field is missing
    expect(() => poke(sim.io.plain, { sum: 1, tag: 1 })).toThrow(
      "poke: the field parts is missing; give a value for every field",
    );
  });

  test("an assertion of the design that fails is the failure of the bench", async () => {
    const Guard = module(
      "Guard",
      () => ({ en: input(bit), count: output(uint(4)) }),
      io => {
        const n = reg(uint(4), { init: 0 });
        when(io.en, () => n.set(n.add(1)));
        io.count.set(n);
        assertAlways(n.ne(9), "n never reaches nine");
      },
    );
    const run = runBench("guard", Guard(), { wave: false }, async b => {
      await b.cycles(20);
      b.io.en.value = 1;
      await b.cycles(20);
    });
    await expect(run).rejects.toThrow(DesignStopped);
    // Two cycles of reset, twenty idle; the tenth edge of counting sees nine.
    await expect(run).rejects.toThrow(
      /^Guard stopped \(\$stop, or an assertion or \$error\) at cycle 32:[^]*assertion failed: n never reaches nine/,
    );
  });

  test("a module that fails the language's checks is not simulated", async () => {
    const Bad = module(
      "Bad",
      () => ({ a: input(bit), z: output(bit) }),
      () => {
        /* z is undriven */
      },
    );
    await expect(
      runBench("bad", Bad(), {}, async () => {
        /* not reached */
      }),
    ).rejects.toThrow(HdlError);
  });
});
