/** The node between two lanes: its ports are the node's, and frames that are lost are counted, class by class. */
import { describe, expect, it } from "vitest";
import { makeSettings as makeNode, parametersOf } from "../../../designs/clio/config/index.ts";
import { makeSettings } from "../../../designs/fastswap/config/index.ts";
import { FastswapNode } from "../../../designs/fastswap/rtl/index.ts";
import { udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSource, type Bench, type Dut, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { portsThrough } from "../../support/node-ports.ts";

const { lanes } = makeSettings({ criticalIn: 32, bulkIn: 32, criticalOut: 32, bulkOut: 32 }),
  dut = FastswapNode({ node: parametersOf(makeNode().config), lanes });

/** A frame of a client whose port tells the class. */
const frameOf = (b: Pick<Bench<(typeof dut)["ports"]>, "random">, port: number, bytes: number): Uint8Array =>
  udpFrame({ mac: 1n, ip: 1, port }, { mac: 2n, ip: 2, port: 3 }, b.random.bytes(bytes));

/**
 * A critical frame of 32 beats, and behind it frames of one beat that are bulk: they fill their queue while the first
 * one goes, and those that come before it has gone are lost side by side. Each is counted two cycles behind its beat.
 */
async function sideBySide(b: Bench<(typeof dut)["ports"]>): Promise<void> {
  const { io, sim } = b,
    source = new AxisSource(sim, io.rx),
    /** Cycles in which the count has risen, and in which a beat has come. */
    rises: number[] = [],
    comes: number[] = [];
  let before = 0;
  b.onEdge({
    sample: () => {
      const now = io.lostBulk.num;
      if (now !== before) rises.push(b.cycle);
      before = now;
      if (io.rx.valid.num === 1 && io.rx.ready.num === 1) comes.push(b.cycle);
    },
  });
  for (let round = 0; round < 4; round++) {
    const lost = before;
    rises.splice(0);
    comes.splice(0);
    source.send(frameOf(b, 2000, 32 * 64 - 42));
    for (let n = 0; n < 50; n++) source.send(frameOf(b, 2001, 18));
    await source.drained();
    await b.cycles(100);
    const [first = 0] = rises,
      count = before - lost;
    expect(count, "frames lost side by side").toBeGreaterThanOrEqual(2);
    expect(rises, "a frame a cycle").toEqual(Array.from({ length: count }, (_, i) => first + i));
    // The queue has room for 32 frames behind the critical one.
    expect(first, "the first that finds no room").toBe((comes[32 + 32] ?? 0) + 2);
    expect(io.lostCritical.num, "critical frames lost").toBe(0);
  }
}
const losses = (design: Dut<(typeof dut)["ports"]> = dut): Promise<void> =>
  runBench("side by side", design, { seed: 5, wave: false, hangCycles: 5000, limitCycles: 20_000 }, sideBySide);

describe("FastswapNode", () => {
  // The first to build the node, which takes longer than what the others do with it.
  it("does nothing by itself", () =>
    runBench("rest", dut, { seed: 3, wave: false }, async b => {
      b.io.tx.ready.value = b.io.socRx.ready.value = 1;
      for (let i = 0; i < 40; i++) {
        await b.risingEdge();
        const { tx, socRx, memAr, memAw, lostCritical, lostBulk } = b.io;
        expect([tx, socRx, memAr, memAw].map(s => s.valid.value)).toEqual([0, 0, 0, 0]);
        expect([lostCritical.value, lostBulk.value]).toEqual([0, 0]);
      }
    }));
  it("registers and software's frames go through, whoever pauses", () =>
    runBench("ports", dut, { seed: 1, wave: false, hangCycles: 5000, limitCycles: 20_000 }, b => portsThrough(b, 0.6)));
  it("frames lost side by side are counted, each in its cycle", () => losses());
  it("a planted fault is found: a loss counts twice", () =>
    findsFault(losses(plant(dut, /bulk_count <= bulk_count \+ 32'd1/, "bulk_count <= bulk_count + 32'd2"))));
  it("frames longer than their queue are lost and counted, after a reset from 0 on", () =>
    runBench("losses", dut, { seed: 2, wave: false }, async b => {
      const source = new AxisSource(b.sim, b.io.rx);
      for (const life of [0, 1]) {
        const lost = [0, 0];
        for (let i = 0; i < 40; i++) {
          const bulk = b.random.below(2),
            tooLong = b.random.chance();
          source.send(frameOf(b, 2000 + bulk, tooLong ? 32 * 64 : 100));
          if (tooLong) lost[bulk] = (lost[bulk] as number) + 1;
          await source.drained();
          await b.cycles(4);
          expect([b.io.lostCritical.value, b.io.lostBulk.value], `life ${life}, frame ${i}`).toEqual(lost);
        }
        b.sim.reset(1);
        await b.cycles(1);
        expect([b.io.lostCritical.value, b.io.lostBulk.value]).toEqual([0, 0]);
      }
    }));
});
