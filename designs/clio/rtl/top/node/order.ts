/** A repeated operation is answered, not done again; fences wait for the requests inside. */
import { connect, instance, type InstanceOf, reg, stage } from "../../../../../hdl-dsl/index.ts";
import { Release, type SlotPool } from "../../../../shared/frame/index.ts";
import type { Control } from "../../dispatch/control.ts";
import { FenceUnit } from "../../dispatch/fence.ts";
import type { Mat } from "../../dispatch/mat.ts";
import { RetryBuffer } from "../../retry/retry-buffer.ts";
import type { Build } from "./ports.ts";

export function orderOf(
  { c, w }: Build,
  control: InstanceOf<typeof Control>,
  asked: InstanceOf<typeof Mat>["asked"],
  busy: InstanceOf<typeof SlotPool>["busy"],
) {
  const retry = instance(
    "retry",
    RetryBuffer({ slots: w.slots, entries: c.retryEntries, clients: c.retryClients, timeoutCycles: c.retryCycles }),
  );
  connect(asked, retry.request);
  retry.hashKey.set(control.hashKey);
  const fences = instance("fences", FenceUnit({ slots: w.slots, fences: c.fences }));
  // Both a cycle later, so in their order still.
  connect(stage(retry.fence, "forward", { name: "fence" }), fences.fence);
  const entered = reg(Release(w), { init: 0, name: "entered" });
  entered.set({ valid: retry.pass.fire, slot: retry.pass.payload.slot });
  fences.entered.set(entered);
  fences.busy.set(busy);

  return { retry, fences };
}
