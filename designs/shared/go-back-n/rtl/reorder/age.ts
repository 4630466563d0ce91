/** Slots grow old. One that begins to wait is new a cycle later, in which none is looked at. */
import { mux, node, when } from "../../../../../hdl-dsl/index.ts";
import type { Keeping } from "./keep.ts";
import type { Look } from "./look.ts";
import type { Parts } from "./parts.ts";

export function growOld(
  { sizes, kept }: Parts,
  { clock, impatient, probe, probed }: Look,
  { joining, joiningSlot }: Pick<Keeping, "joining" | "joiningSlot">,
): void {
  const { slotBits, patienceBits } = sizes,
    { seen } = kept;
  const visits = node(clock.bit(patienceBits - slotBits).and(impatient.or(joining).not()));
  const old = node(probed.and(seen.readAsync(probe)));
  seen.write(visits.or(joining), node(mux(joining, joiningSlot, probe)), visits);
  when(visits, () => clock.set(0)).elseWhen(clock.bit(patienceBits - slotBits).not(), () => clock.set(clock.add(1)));
  impatient.set(mux(impatient, probed, visits.and(old)));
  when(visits.andNot(old).or(impatient.andNot(probed)), () => probe.set(probe.add(1)));
}
