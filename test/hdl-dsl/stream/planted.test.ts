/** Mistakes planted into stream units: the benches of this folder must notice each. */
import { describe, expect, test } from "vitest";
import { bit, uint, connect, constant, module, mux, when, reg, sink, source } from "../../../hdl-dsl/index.ts";
import { bernoulli, ProtocolError, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";

const byte = uint(8);
const Planted = module("Planted", () => ({
  drops_i: sink(byte), drops_o: source(byte),
  moves_i: sink(byte), moves_o: source(byte),
  loses_i: sink(byte), loses_o: source(byte),
  doubles_i: sink(byte), doubles_o: source(byte),
  good_i: sink(byte), good_o: source(byte),
}), io => {
  // Withdraws valid after a cycle, taken or not.
  const shown = reg(bit, { init: 0 });
  shown.set(io.drops_i.valid.and(shown.not()));
  io.drops_o.valid.set(shown);
  io.drops_o.payload.set(io.drops_i.payload);
  io.drops_i.ready.set(io.drops_o.ready.and(shown));
  // The payload goes on while it stalls.
  const noise = reg(byte, { init: 0 });
  noise.set(noise.add(1));
  io.moves_o.valid.set(io.moves_i.valid);
  io.moves_o.payload.set(io.moves_i.payload.xor(noise));
  io.moves_i.ready.set(io.moves_o.ready);
  // A register stage that overwrites what stalls in it.
  const held = reg(byte), full = reg(bit, { init: 0 });
  io.loses_i.ready.set(constant(1, 1));
  when(io.loses_i.fire, () => { held.set(io.loses_i.payload); full.set(1); }).elseWhen(io.loses_o.ready, () => { full.set(0); });
  io.loses_o.valid.set(full);
  io.loses_o.payload.set(held);
  // A stage that forgets to empty when the producer pauses.
  const kept = reg(byte), has = reg(bit, { init: 0 });
  const room = has.not().or(io.doubles_o.ready);
  io.doubles_i.ready.set(room);
  when(io.doubles_i.fire, () => { kept.set(io.doubles_i.payload); has.set(1); });
  io.doubles_o.valid.set(has);
  io.doubles_o.payload.set(mux(has, kept, kept));
  connect(io.good_i, io.good_o);
});

async function traffic(unit: "drops" | "moves" | "loses" | "doubles" | "good"): Promise<unknown> {
  return await runBench(`planted ${unit}`, Planted(), { wave: false, hangCycles: 300, seed: 5 }, async b => {
    const from = new StreamSource(b.sim, b.io[`${unit}_i`], { pause: bernoulli(0.4, 1) }), to = new StreamSink(b.sim, b.io[`${unit}_o`], { pause: bernoulli(0.4, 2) });
    const sent = Array.from({ length: 50 }, () => b.random.int(0, 255));
    for (const v of sent) from.send(v);
    await b.withTimeout(() => b.until(() => to.received.length >= 50), { cycles: 1000 }, "the traffic");
    await b.cycles(10);
    expect(to.received.map(r => r.value)).toEqual(sent);
  }).then(() => undefined, (e: unknown) => e);
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
    expect((e as Error).message).toMatch(/^moves_o: the design changed moves_o_payload at cycle \d+ while it was stalled/);
  });
  test("a value lost", async () => { expect(await traffic("loses")).toBeInstanceOf(Error); });
  test("a value twice", async () => { expect(await traffic("doubles")).toBeInstanceOf(Error); });
  test("and none where there is no mistake", async () => { expect(await traffic("good")).toBeUndefined(); });
});
