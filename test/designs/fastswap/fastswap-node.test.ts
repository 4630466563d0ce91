/** The node between two lanes: its ports are the node's, and frames that are lost are counted, class by class. */
import { describe, expect, it } from "vitest";
import { makeSettings as makeNode, parametersOf } from "../../../designs/clio/config/index.ts";
import { makeSettings } from "../../../designs/fastswap/config/index.ts";
import { FastswapNode } from "../../../designs/fastswap/rtl/index.ts";
import { udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSource, runBench } from "../../../sim/index.ts";
import { portsThrough } from "../../support/node-ports.ts";

const { lanes } = makeSettings({ criticalIn: 32, bulkIn: 32, criticalOut: 32, bulkOut: 32 }),
  dut = FastswapNode({ node: parametersOf(makeNode().config), lanes });

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
  it("frames longer than their queue are lost and counted, after a reset from 0 on", () =>
    runBench("losses", dut, { seed: 2, wave: false }, async b => {
      const source = new AxisSource(b.sim, b.io.rx),
        of = (port: number, bytes: number): Uint8Array =>
          udpFrame({ mac: 1n, ip: 1, port }, { mac: 2n, ip: 2, port: 3 }, b.random.bytes(bytes));
      for (const life of [0, 1]) {
        const lost = [0, 0];
        for (let i = 0; i < 40; i++) {
          const bulk = b.random.below(2),
            tooLong = b.random.chance();
          source.send(of(2000 + bulk, tooLong ? 32 * 64 : 100));
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
