import { describe, expect, test } from "vitest";
import { LiteSplit } from "../../../../designs/shared/axi/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const parameterSets = [{ addressBits: 4 }, { addressBits: 13 }];
type Ports = ReturnType<typeof LiteSplit>["ports"];

/** Two memories of words as slaves, and one master; what is read is what was written to that half. */
async function run(b: Bench<Ports>, addressBits: number, pause: (seed: number) => Pause): Promise<void> {
  const { io } = b,
    half = 2 ** addressBits;
  const ar = new StreamSource(b.sim, io.sAr, { pause: pause(1) }),
    aw = new StreamSource(b.sim, io.sAw, { pause: pause(2) }),
    w = new StreamSource(b.sim, io.sW, { pause: pause(3) }),
    r = new StreamSink(b.sim, io.sR, { pause: pause(4) }),
    done = new StreamSink(b.sim, io.sB, { pause: pause(5) });
  const slaves = (["low", "high"] as const).map((side, n) => {
    const words = new Map<number, number>(),
      reads = new StreamSink(b.sim, io[`${side}Ar`], { pause: pause(10 + n) }),
      addresses = new StreamSink(b.sim, io[`${side}Aw`], { pause: pause(20 + n) }),
      data = new StreamSink(b.sim, io[`${side}W`], { pause: pause(30 + n) }),
      answer = new StreamSource(b.sim, io[`${side}R`], { pause: pause(40 + n) }),
      written = new StreamSource(b.sim, io[`${side}B`], { pause: pause(50 + n) });
    b.onEdge({
      sample: () => {
        for (let a = reads.take(); a !== undefined; a = reads.take())
          answer.send({ data: words.get(Number(a.value.addr)) ?? 0, resp: n === 0 ? 0 : 2 });
        while (addresses.received.length > 0 && data.received.length > 0) {
          words.set(Number(addresses.take()?.value.addr), Number(data.take()?.value.data));
          written.send({ resp: n === 0 ? 0 : 2 });
        }
      },
    });
    return words;
  });
  // A reset between an access and its answer leaves nothing of it behind.
  ar.send({ addr: half, prot: 0 });
  await b.cycles(2);
  b.sim.reset(1);
  await b.cycles(20);
  r.received.splice(0);
  const model = new Map<number, number>();
  for (let i = 0; i < 200; i++) {
    const addr = b.random.between(0, 2 * half - 1) & ~3,
      value = b.random.word(),
      high = addr >= half;
    aw.send({ addr, prot: 0 });
    w.send({ data: value, strb: 15 });
    await b.until(() => done.received.length > 0);
    expect(done.take()?.value.resp, `answer to the write at ${addr}`).toBe(high ? 2 : 0);
    model.set(addr, value);
    const asked = b.random.pick([...model.keys()]);
    ar.send({ addr: asked, prot: 0 });
    await b.until(() => r.received.length > 0);
    expect(r.take()?.value, `word at ${asked}`).toEqual({ data: model.get(asked), resp: asked >= half ? 2 : 0 });
  }
  for (const [addr, value] of model)
    expect(slaves[addr >= half ? 1 : 0]?.get(addr % half), `word of the slave at ${addr}`).toBe(value);
  // Several at once: answered one after the other, in order.
  const many = [...model.keys()].slice(0, 12);
  for (const addr of many) ar.send({ addr, prot: 0 });
  await b.until(() => r.received.length === many.length);
  expect(r.received.map(x => x.value.data)).toEqual(many.map(a => model.get(a)));
  // Data that are there before the write ahead of them has been answered wait for their own address.
  const values = many.map(() => b.random.word());
  many.forEach(addr => aw.send({ addr, prot: 0 }));
  values.forEach(data => w.send({ data, strb: 15 }));
  await b.until(() => done.received.length === many.length);
  expect(many.map(addr => slaves[addr >= half ? 1 : 0]?.get(addr % half))).toEqual(values);
}
describe.each(parameterSets)("LiteSplit, $addressBits address bits a half", ({ addressBits }) => {
  const dut = LiteSplit({ addressBits });
  test("each half has its own accesses, under back-pressure", () =>
    runBench("split", dut, {}, b => run(b, addressBits, seed => bernoulli(0.4, seed))));
  testOfResets(dut, {}, b => run(b, addressBits, seed => bernoulli(0.4, seed)));
  test("and without any", () => runBench("split", dut, {}, b => run(b, addressBits, () => never)));
  test.each([
    ["the data of a write go to the lower half", /high <= [^;]*;/, "high <= 1'b0;"],
    ["the next write's data follow at once", /given <= 1'b1;/, "given <= 1'b0;"],
  ] as const)("a planted fault is found: %s", (_what, from, to) =>
    findsFault(
      runBench("split planted", plant(dut, from, to), { wave: false, hangCycles: 200 }, b =>
        run(b, addressBits, seed => bernoulli(0.4, seed)),
      ),
    ),
  );
});
