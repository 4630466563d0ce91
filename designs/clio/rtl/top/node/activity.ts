/** When each region was written last: noted beside the fast path, once memory has answered the write. */
import { cat, connect, instance, type InstanceOf, node, reg } from "../../../../../hdl-dsl/index.ts";
import { SlotWords, WordWrite } from "../../../../shared/frame/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { ActivityStamp, ActivityTable, regionIndexOf } from "../../activity/index.ts";
import type { Finish } from "../../dispatch/finish.ts";
import type { Translate } from "../../memory/translate.ts";
import { activityTableOf } from "../../ports/activity-ports.ts";
import type { Build } from "./ports.ts";

export function noteActivity(
  { io, c, w }: Build,
  translate: InstanceOf<typeof Translate>,
  finish: InstanceOf<typeof Finish>,
): void {
  const size = activityTableOf(c),
    entryBits = Math.log2(size.regions),
    words = { slots: w.slots, width: entryBits + 1 },
    { access } = translate,
    { slot, pid, va, write } = access.payload,
    note = reg(WordWrite(words), { init: 0, name: "note" }),
    noted = instance("noted", SlotWords(words)),
    table = instance("activity", ActivityTable(size)),
    stamp = reg(ActivityStamp(size), { init: 0, name: "stamp" });
  // A cycle later: memory answers no sooner.
  note.set({ en: access.fire, slot, value: cat(write, regionIndexOf(pid, va, entryBits)) });
  noted.write.set(note);
  const { done } = finish,
    accessDone = node(done.valid.and(done.status.eq(statusBits.OK)), { name: "access_done" }),
    isWrite = node(noted.value.bit(entryBits), { name: "noted_write" });
  noted.slot.set(done.slot);
  stamp.set({ en: accessDone.and(isWrite), region: noted.value.bits(0, entryBits) });
  table.stamp.set(stamp);
  connect(io.activityCommand, table.command);
  connect(table.result, io.activityResult);
  io.activityOverdue.set(table.overdue);
}
