/** Frames of DAGs that wait for a region, in front of the merge. */
import { instance, type InstanceOf, mux, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import type { Egress } from "../egress/index.ts";
import { type DeviceSizes, queueClasses, type TableBus, userClasses } from "../inside/index.ts";
import type { Merge } from "../merge/index.ts";
import { DagGate, type GateShown } from "../reconfigure/index.ts";
import type { Inlet } from "./inlets.ts";
import type { SpillBlock } from "./spill.ts";
import { writeOf } from "./tables.ts";

interface Around {
  readonly bus: Val<typeof TableBus>;
  /** By port, the loop port last. */
  readonly rx: readonly Inlet[];
  readonly merge: InstanceOf<typeof Merge>;
  readonly egress: InstanceOf<typeof Egress>;
  readonly look: UInt;
  readonly next: UInt<1>;
  /** Of a device with rings. */
  readonly spill?: SpillBlock;
}
/** Between the class queues and the merge: heads of users pass the gate. */
export function waiting(
  p: Pick<DeviceSizes, "ports" | "contexts">,
  { bus, rx, merge, egress, look, next, spill }: Around,
): Val<typeof GateShown> {
  const gate = instance("gate", DagGate(p));
  rx.forEach((r, i) => {
    for (let k = 0; k < queueClasses; k++) {
      const head = r.heads.at(k),
        to = merge.heads.at(i).at(k),
        place = i * userClasses + k;
      if (spill !== undefined) {
        if (k < userClasses) gate.heads.at(place).set({ valid: head.valid, dag: head.facts.dag });
        spill.heads.at(i).at(k).set(head);
        to.set(spill.shown.at(i).at(k));
        continue;
      }
      to.facts.set(head.facts);
      if (k < userClasses) {
        gate.heads.at(place).set({ valid: head.valid, dag: head.facts.dag });
        to.valid.set(head.valid.and(gate.open.bit(place)));
      } else to.valid.set(head.valid);
    }
  });
  const software = writeOf(bus, "wait");
  if (spill === undefined) gate.wait.set(software);
  else {
    // A ring that is empty opens its DAG's gate, when software writes none.
    spill.open.set(gate.open);
    spill.opens.ready.set(software.en.not());
    gate.wait.set({
      en: software.en.or(spill.opens.valid),
      index: mux(software.en, software.index, spill.opens.payload.resize(software.index.width)),
      value: { waits: software.value.waits.and(software.en) },
    });
  }
  gate.taken.set(merge.events.taken);
  const { ctx, dag } = merge.arrived.payload;
  gate.arrived.set({ valid: merge.arrived.fire, ctx, dag });
  gate.decided.set({ valid: egress.decided.valid, ctx: egress.decided.ctx });
  gate.look.set(look.is(8));
  gate.next.set(next);
  return gate.shown;
}
