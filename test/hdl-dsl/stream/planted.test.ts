/** Mistakes planted into stream units: the benches of this folder must notice each. */
import { describe, expect, test } from "vitest";
import { bit, connect, constant, module, mux, reg, sink, source, uint, when } from "../../../hdl-dsl/index.ts";
import { bernoulli, ProtocolError, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";

const byte = uint(8);
const Planted = module(
  "Planted",
  () => ({
    dropsI: sink(byte),
    dropsO: source(byte),
    movesI: sink(byte),
    movesO: source(byte),
    losesI: sink(byte),
    losesO: source(byte),
    doublesI: sink(byte),
    doublesO: source(byte),
    goodI: sink(byte),
    goodO: source(byte),
  }),
  io => {
    // Withdraws valid after a cycle, taken or not.
    const shown = reg(bit, { init: 0 });
    shown.set(io.dropsI.valid.and(shown.not()));
    io.dropsO.valid.set(shown);
    io.dropsO.payload.set(io.dropsI.payload);
    io.dropsI.ready.set(io.dropsO.ready.and(shown));
    // The payload goes on while it stalls.
    const noise = reg(byte, { init: 0 });
    noise.set(noise.add(1));
    io.movesO.valid.set(io.movesI.valid);
    io.movesO.payload.set(io.movesI.payload.xor(noise));
    io.movesI.ready.set(io.movesO.ready);
    // A register stage that overwrites what stalls in it.
    const held = reg(byte),
      full = reg(bit, { init: 0 });
    io.losesI.ready.set(constant(1, 1));
    when(io.losesI.fire, () => {
      held.set(io.losesI.payload);
      full.set(1);
    }).elseWhen(io.losesO.ready, () => full.set(0));
    io.losesO.valid.set(full);
    io.losesO.payload.set(held);
    // A stage that does not empty when the producer pauses.
    const kept = reg(byte),
      has = reg(bit, { init: 0 });
    const room = has.not().or(io.doublesO.ready);
    io.doublesI.ready.set(room);
    when(io.doublesI.fire, () => {
      kept.set(io.doublesI.payload);
      has.set(1);
    });
    io.doublesO.valid.set(has);
    io.doublesO.payload.set(mux(has, kept, kept));
    connect(io.goodI, io.goodO);
  },
);

async function traffic(unit: "drops" | "moves" | "loses" | "doubles" | "good"): Promise<unknown> {
  return await runBench(`planted ${unit}`, Planted(), { wave: false, hangCycles: 300, seed: 5 }, async b => {
    const from = new StreamSource(b.sim, b.io[`${unit}I`], { pause: bernoulli(0.4, 1) }),
      to = new StreamSink(b.sim, b.io[`${unit}O`], { pause: bernoulli(0.4, 2) });
    const sent = Array.from({ length: 50 }, () => b.random.between(0, 255));
    for (const v of sent) from.send(v);
    await b.withTimeout(() => b.until(() => to.received.length >= 50), { cycles: 1000 }, "the traffic");
    await b.cycles(10);
    expect(to.received.map(r => r.value)).toEqual(sent);
  }).then(
    () => undefined,
    (e: unknown) => e,
  );
}

describe("planted mistakes are found", () => {
  test("valid withdrawn", async () => {
    const e = await traffic("drops");
    expect(e).toBeInstanceOf(ProtocolError);
    expect((e as Error).message).toMatch(/^drops_o: the design dropped valid at cycle \d+ before it was taken/);
  });
  test("payload changed while stalled", async () => {
    const e = await traffic("moves");
    expect(e).toBeInstanceOf(ProtocolError);
    expect((e as Error).message).toMatch(
      /^moves_o: the design changed moves_o_payload at cycle \d+ while it was stalled/,
    );
  });
  test("a value lost", async () => {
    expect(await traffic("loses")).toBeInstanceOf(Error);
  });
  test("a value twice", async () => {
    expect(await traffic("doubles")).toBeInstanceOf(Error);
  });
  test("and none where there is no mistake", async () => {
    expect(await traffic("good")).toBeUndefined();
  });
});
