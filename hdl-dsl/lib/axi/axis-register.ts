import { sink, source } from "../../types/ports.ts";
import { module } from "../../build/module.ts";
import { stage } from "../../stream/stage.ts";
import { connect } from "../../stream/connect.ts";
import { axisBeat } from "./axis.ts";

/**
 * AXI-Stream register slice (data, keep, last) of `bytes` bytes: every path from one side to the other is cut by
 * registers, ready's too. Latency 1 cycle, initiation interval 1. The register holds two beats. Full (two held):
 * `from.ready` is 0. Empty: `to.valid` is 0. Taken and arriving in one cycle: both happen, no bubble is made.
 */
export const AxisRegister = module(
  "AxisRegister",
  (p: { readonly bytes: number }) => ({ from: sink(axisBeat(p.bytes)), to: source(axisBeat(p.bytes)) }),
  io => connect(stage(io.from, "full", { name: "slice" }), io.to),
);
