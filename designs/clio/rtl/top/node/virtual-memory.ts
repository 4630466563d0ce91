/** Virtual memory, and the unit for atomics and pointers. */
import { arbiter, connect, constant, instance, type InstanceOf, stage } from "../../../../../hdl-dsl/index.ts";
import type { SlotPool } from "../../../../shared/frame/index.ts";
import type { Control } from "../../dispatch/control.ts";
import { Translate } from "../../memory/translate.ts";
import { translateParameters } from "../../ports/widths.ts";
import type { RetryBuffer } from "../../retry/retry-buffer.ts";
import { SyncUnit } from "../../sync/sync-unit.ts";
import type { Build } from "./ports.ts";

/** What the node has without offloads in front of it. */
const noOffloads = () => ({
  held: 0,
  stuck: 0,
  active: 0,
  since: Array.from({ length: 4 }, () => constant(0, 24)),
  processes: { busy: 0, used: 0, forgetting: 0, forgotten: 0, failed: 0 },
});

/** Addresses are translated. An access behind a pointer goes before new ones. */
export function virtualMemory(
  { io, p, c, w }: Build,
  control: InstanceOf<typeof Control>,
  {
    retry,
    busy,
  }: { readonly retry: InstanceOf<typeof RetryBuffer>; readonly busy: InstanceOf<typeof SlotPool>["busy"] },
) {
  const sync = instance(
    "sync",
    SyncUnit({
      slots: w.slots,
      beatBytes: w.beatBytes,
      addressBits: w.addressBits,
      idBits: w.idBits,
      id: w.syncId,
      lanes: c.syncLanes,
    }),
  );
  const translate = instance(Translate(translateParameters(c)));
  translate.hashKey.set(control.hashKey);
  // Registers between the units: a unit's ready, or a decision late in a cycle, does not go on into the next unit.
  connect(
    arbiter([stage(sync.access, "full", { name: "behind_pointer" }), retry.pass], {
      policy: "priority",
      name: "accesses",
    }),
    translate.access,
  );
  connect(io.freePage, translate.freePage);
  connect(io.shootdown, translate.shootdown);
  connect(translate.shootdownDone, io.shootdownDone);
  translate.outOfMemory.set(control.outOfMemory);
  translate.busy.set(busy);
  io.freePages.set(translate.freePages);
  io.lowWater.set(translate.freePages.le(c.freePageLowWater));
  control.freePages.set(translate.freePages.zext(16));
  if (p.countsOffloads === true) control.offloadState.set(io.offloadState);
  else control.offloadState.set(noOffloads());
  if (p.countsOffloads === true) io.offloadControl.set(control.offloadControl);

  return { sync, translate };
}
