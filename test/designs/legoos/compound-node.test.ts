/** The node behind a splitter: its ports are the node's. */
import { test } from "vitest";
import { makeSettings as makeNode, parametersOf } from "../../../designs/clio/config/index.ts";
import { CompoundNode } from "../../../designs/legoos/rtl/index.ts";
import { runBench } from "../../../sim/index.ts";
import { portsThrough } from "../../support/node-ports.ts";

test("CompoundNode: registers and software's frames go through, whoever pauses", () =>
  runBench(
    "ports",
    CompoundNode(parametersOf(makeNode().config)),
    { seed: 1, wave: false, hangCycles: 5000, limitCycles: 20_000 },
    b => portsThrough(b, 0.6),
  ));
