/** Time: what is repeated, and what is given up. */
import { type Bit, node, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../../clio/wire/index.ts";
import type { Answers } from "./answers.ts";
import type { Parts } from "./parts.ts";

/** @param sending the machine is at work on the requests of the miss at hand */
export function countTime({ p, table: t, each }: Parts, at: UInt, sending: Bit, { fills, filling }: Answers): void {
  const spent = node(
    each(m => t.details.at(m).time.eq(0)),
    { name: "spent" },
  );
  for (let m = 0; m < p.misses; m++) {
    const e = t.entries.at(m),
      d = t.details.at(m),
      // A line that is coming in is not given up.
      waits = node(
        e.active
          .andNot(e.todo)
          .andNot(e.due)
          .andNot(t.settled(m))
          .andNot(fills.and(filling.eq(m))),
        { name: `waits_${m}` },
      );
    when(waits.and(spent.bit(m).not()).andNot(sending.and(at.eq(m))), () => d.time.set(d.time.sub(1)));
    when(waits.and(spent.bit(m)).andNot(sending.and(at.eq(m))), () => {
      d.time.set(p.timeoutCycles - 1);
      when(d.tries.eq(p.tries), () => {
        t.fetch.at(m).need.set(0);
        when(t.fetch.at(m).need, () => d.status.set(statusBits.FAIL));
        d.tries.set(0);
        e.due.set(t.primary.at(m).need.or(t.secondary.at(m).need));
      }).otherwise(() => {
        d.tries.set(d.tries.add(1));
        e.due.set(1);
      });
    });
  }
}
