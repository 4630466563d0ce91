/** The stores of headers and payloads, and what brings packets into them. */
import { arrayOf, connect, instance } from "../../../../hdl-dsl/index.ts";
import { chainsOf, Descriptors, type RegionContent } from "../core/index.ts";
import { HeaderStore } from "../headers/index.ts";
import { beatBytes, cellBeats, inlets, payloadBeats } from "../inside/index.ts";
import { Merge } from "../merge/index.ts";
import { bytesAt, silent } from "../region/index.ts";
import { PacketStore } from "../store/index.ts";
import type { Task } from "../tasks/index.ts";
import type { Controlled, Ways } from "./ports.ts";
import type { DeviceParameters } from "./records.ts";

/** Bytes of a header that tasks of these chains read: in front of the first one, none has been written. */
const readBy = (contents: readonly RegionContent[]): bigint => bytesOf(contents, () => 0);
/** Those that some task writes: what counts behind the last one. */
const writtenBy = (contents: readonly RegionContent[]): bigint => bytesOf(contents, tasks => tasks.length);
const bytesOf = (contents: readonly RegionContent[], at: (tasks: readonly Task[]) => number): bigint =>
  chainsOf(contents)
    .map(tasks =>
      bytesAt(
        tasks.map(t => t.declared),
        at(tasks),
      ),
    )
    .reduce((a, b) => a | b, 0n);

export function storesOf(
  chains: readonly RegionContent[],
  { rx, loop }: Ways,
  { control }: Controlled,
  p: DeviceParameters,
) {
  const n = inlets(p);
  // Quotas are the merge's, which counts what each user holds.
  const headers = instance(
      "headers",
      HeaderStore({ ...p, byUser: false, dispatched: readBy(chains), written: writtenBy(chains) }),
    ),
    storeSizes = { ...p, cellBeats, beatBytes, payloadBeats: payloadBeats(p) },
    store = instance("store", PacketStore(storeSizes)),
    merge = instance("merge", Merge(p)),
    descriptors = instance("descriptors", Descriptors(p));
  if (p.spill === undefined) {
    arrayOf(merge, "take", n).forEach((take, i) => connect(take, (rx[i] ?? loop).takeMerge));
    arrayOf(merge, "frames", n).forEach((frames, i) => connect((rx[i] ?? loop).toMerge, frames));
  }
  connect(merge.enter, headers.enter);
  connect(headers.entered, merge.entered);
  merge.freeContexts.set(headers.free);
  connect(merge.write, store.write);
  connect(store.stored, merge.stored);
  merge.freeCells.set(store.free);
  merge.epoch.set(control.part);
  control.freeContexts.set(headers.free);
  control.freeCells.set(store.free);
  silent(store.release1);
  return { headers, storeSizes, store, merge, descriptors };
}
export type Stores = ReturnType<typeof storesOf>;
