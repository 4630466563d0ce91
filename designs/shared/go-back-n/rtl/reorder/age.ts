/** Slots grow old. */
import { type Bit, mux, node, when } from "../../../../../hdl-dsl/index.ts";
import type { Look } from "./look.ts";
import type { Parts } from "./parts.ts";

export function growOld({ sizes, kept }: Parts, { clock, impatient, probe, probed }: Look, keeping: Bit): void {
  const { slotBits, patienceBits } = sizes,
    { seen, freeSlot } = kept;
  const visits = node(clock.bit(patienceBits - slotBits).and(impatient.or(keeping).not()));
  const old = node(probed.and(seen.readAsync(probe)));
  seen.write(visits.or(keeping), node(mux(keeping, freeSlot, probe)), visits);
  when(visits, () => clock.set(0)).elseWhen(clock.bit(patienceBits - slotBits).not(), () => clock.set(clock.add(1)));
  impatient.set(mux(impatient, probed, visits.and(old)));
  when(visits.andNot(old).or(impatient.andNot(probed)), () => probe.set(probe.add(1)));
}
