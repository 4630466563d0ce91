import { module } from "../../../../hdl-dsl/index.ts";
import { flowOf } from "./net-tx/flow.ts";
import { askStage, buildStage, planStage } from "./net-tx/plan.ts";
import { build, netTxPorts } from "./net-tx/ports.ts";
import { sendBeats, sendStage } from "./net-tx/send.ts";

/**
 * Builds the reply frames and sends them and the slow path's `raw` frames, frame by frame in turn (round robin) when
 * both wait. A reply's header comes from a register. The rest comes from `data` (form data) or `echo_data` (form
 * echo), lane for lane: no byte is shifted. Rules: designs/clio/model/rules.md, sections 2 and 3. Padding to 60 bytes
 * is zero. `user` is 0, but 1 on the last beat of data that the memory reported bad. The slot is released in the cycle
 * after the reply's last beat has gone into the output register. Latency: 6 cycles from `reply` to its first beat (the
 * frame buffer's 2 are hidden in them), 0 for `raw`. Initiation interval: 1 beat per cycle, frames back to back
 * without a bubble. The next three replies are prepared while one is sent; echo data are requested 2 cycles ahead.
 * Within a frame it waits for nothing but `data` or `echo_data`. Full: five replies wait behind the one being sent,
 * then `reply.ready` is 0. Registers at both ends: `reply.ready` waits for nothing, and what is sent does not see
 * `tx.ready` of the same cycle.
 */
export const NetTx = module("NetTx", netTxPorts, (io, p) => {
  const parts = build(io, p),
    flow = flowOf(parts);
  const asked = askStage(parts, flow),
    planned = planStage(parts, flow, asked),
    built = buildStage(parts, flow, planned);
  const frame = sendStage(parts, flow, built);
  sendBeats(parts, flow, frame);
});
