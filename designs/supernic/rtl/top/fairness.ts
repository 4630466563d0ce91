/** Fair shares in the device: what software says and sees of them, and what the monitors are told. */
import { bit, instance, type InstanceOf, struct, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { drfFormat } from "../../config/index.ts";
import type { Egress } from "../egress/index.ts";
import { type TableBus, userClasses } from "../inside/index.ts";
import type { Merge } from "../merge/index.ts";
import type { Shown } from "../monitor/index.ts";
import { FairLoop, type FairParameters, Place } from "../monitor/index.ts";
import type { Inlet } from "./inlets.ts";
import { writeOf } from "./tables.ts";

/** What software sets, and where it looks. */
export const FairSet = (p: FairParameters) =>
  struct({ hardware: bit, portBytes: uint(drfFormat.rateBits), look: Place(p) });

/** Registers of these fields, by name. */
interface FairRegisters {
  readonly fairHardware: UInt<1>;
  readonly portBytes: UInt;
  readonly fairResource: UInt;
  readonly fairUser: UInt;
}
/** What software has set. */
export const fairSetOf = (p: FairParameters, r: FairRegisters) => {
  const { user, resource } = Place(p).fields;
  return {
    hardware: r.fairHardware,
    portBytes: r.portBytes.is(drfFormat.rateBits),
    look: { user: r.fairUser.resize(user.width), resource: r.fairResource.resize(resource.width) },
  };
};
interface Around {
  readonly set: Val<ReturnType<typeof FairSet>>;
  readonly part: UInt<1>;
  readonly bus: Val<typeof TableBus>;
  readonly users: ReturnType<typeof writeOf<"user">>;
  /** By port, the loop port last. */
  readonly rx: readonly Inlet[];
  readonly merge: InstanceOf<typeof Merge>;
  readonly egress: InstanceOf<typeof Egress>;
}
/** The loop beside the merge, whose table it writes. What it is told of stands behind registers in it. */
export function fairness(p: FairParameters, { set, part, bus, users, rx, merge, egress }: Around): Val<typeof Shown> {
  const fair = instance("fair", FairLoop(p));
  fair.part.set(part);
  fair.hardware.set(set.hardware);
  fair.portBytes.set(set.portBytes);
  fair.look.set(set.look);
  const { ctx, dag, user, headBytes, payloadBytes } = merge.arrived.payload;
  fair.admitted.set({ valid: merge.arrived.fire, ctx, dag, user, headBytes, payloadBytes });
  fair.decided.set(egress.decided);
  fair.released.set(egress.released);
  rx.forEach((r, i) => fair.offered.at(i).set(r.offered));
  rx.slice(0, p.ports).forEach((r, i) => fair.paused.at(i).set(r.full.trunc(userClasses)));
  fair.taken.set({ valid: merge.events.taken, user: merge.events.user, bytes: merge.events.bytes });
  fair.dry.set(merge.dry);
  fair.dagUse.set(writeOf(bus, "dagUse"));
  fair.capacity.set(writeOf(bus, "capacity"));
  fair.weight.set(writeOf(bus, "weight"));
  fair.firstUse.set(writeOf(bus, "firstUse"));
  fair.users.set(users);
  merge.users.set(fair.metered);
  return fair.shown;
}
