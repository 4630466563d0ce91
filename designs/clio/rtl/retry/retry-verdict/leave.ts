/** Requests that pass: to memory or, as fences, to the fence unit. */
import { bit, demux, stage, stream, struct } from "../../../../../hdl-dsl/index.ts";
import { Access } from "../../records/records.ts";
import type { RetryVerdictIo } from "./ports.ts";
import type { Sizes } from "./records.ts";

/** Where stage 2 gives a request that passes. */
export function wayOut(p: Sizes, io: RetryVerdictIo) {
  const decided = stream(struct({ fence: bit, access: Access(p) }));
  const out = stage(stage(decided, "forward", { name: "out" }), "backward", { name: "spare" });
  const [toPass, toFence] = demux(out, out.payload.fence, 2, { name: "to" });
  io.pass.valid.set(toPass.valid);
  toPass.ready.set(io.pass.ready);
  io.pass.payload.set(toPass.payload.access);
  io.fence.valid.set(toFence.valid);
  toFence.ready.set(io.fence.ready);
  io.fence.payload.set({ slot: toFence.payload.access.slot });
  return decided;
}
