/** The node behind a splitter: its ports are the node's. */
import { expect, test } from "vitest";
import { makeSettings as makeNode, parametersOf } from "../../../designs/clio/config/index.ts";
import { CompoundNode } from "../../../designs/legoos/rtl/index.ts";
import { runBench } from "../../../sim/index.ts";
import { portsThrough } from "../../support/node-ports.ts";

const dut = CompoundNode(parametersOf(makeNode().config));

// The first to build the node, which takes longer than what the other does with it.
test("CompoundNode: does nothing by itself", () =>
  runBench("rest", dut, { seed: 2, wave: false }, async b => {
    b.io.tx.ready.value = b.io.socRx.ready.value = 1;
    for (let i = 0; i < 40; i++) {
      await b.risingEdge();
      const { tx, socRx, memAr, memAw } = b.io;
      expect([tx, socRx, memAr, memAw].map(s => s.valid.value)).toEqual([0, 0, 0, 0]);
    }
  }));
test("CompoundNode: registers and software's frames go through, whoever pauses", () =>
  runBench("ports", dut, { seed: 1, wave: false, hangCycles: 5000, limitCycles: 20_000 }, b => portsThrough(b, 0.6)));
