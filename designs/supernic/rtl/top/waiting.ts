/** Frames of DAGs that wait for a region, in front of the merge. */
import { instance, type InstanceOf, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import type { Egress } from "../egress/index.ts";
import { type DeviceSizes, queueClasses, type TableBus, userClasses } from "../inside/index.ts";
import type { Merge } from "../merge/index.ts";
import { DagGate, type GateShown } from "../reconfigure/index.ts";
import type { Inlet } from "./inlets.ts";
import { writeOf } from "./tables.ts";

interface Around {
  readonly bus: Val<typeof TableBus>;
  /** By port, the loop port last. */
  readonly rx: readonly Inlet[];
  readonly merge: InstanceOf<typeof Merge>;
  readonly egress: InstanceOf<typeof Egress>;
  readonly look: UInt;
  readonly next: UInt<1>;
}
/** Between the class queues and the merge: heads of users pass the gate. */
export function waiting(
  p: Pick<DeviceSizes, "ports" | "contexts">,
  { bus, rx, merge, egress, look, next }: Around,
): Val<typeof GateShown> {
  const gate = instance("gate", DagGate(p));
  rx.forEach((r, i) => {
    for (let k = 0; k < queueClasses; k++) {
      const head = r.heads.at(k),
        to = merge.heads.at(i).at(k),
        place = i * userClasses + k;
      to.facts.set(head.facts);
      if (k < userClasses) {
        gate.heads.at(place).set({ valid: head.valid, dag: head.facts.dag });
        to.valid.set(head.valid.and(gate.open.bit(place)));
      } else to.valid.set(head.valid);
    }
  });
  gate.wait.set(writeOf(bus, "wait"));
  gate.taken.set(merge.events.taken);
  const { ctx, dag } = merge.arrived.payload;
  gate.arrived.set({ valid: merge.arrived.fire, ctx, dag });
  gate.decided.set({ valid: egress.decided.valid, ctx: egress.decided.ctx });
  gate.look.set(look.is(8));
  gate.next.set(next);
  return gate.shown;
}
