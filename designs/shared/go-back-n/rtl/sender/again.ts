/** Sessions that have to send again, in a queue. */
import { type Bit, bit, ram, reg, type UInt, uint, when } from "../../../../../hdl-dsl/index.ts";
import { sessionBits } from "../types.ts";
import type { GbnSenderParameters, SenderIo } from "./ports.ts";

/** A session that goes back joins the queue, unless it is there already. */
interface Joining {
  readonly back: Bit;
  readonly again: Bit;
  readonly session: UInt;
}

/**
 * Each session once, so there is always room; one comes out every third cycle, which is sooner than any is sent again.
 */
export function queueAgain(io: SenderIo, p: GbnSenderParameters, { back, again, session }: Joining): void {
  const index = uint(sessionBits(p));
  const joins = reg(bit, { init: 0 });
  const joining = reg(index);
  joins.set(back.and(again.not()));
  joining.set(session);
  const waiting = ram(index, { depth: p.sessions, collision: "undefined", style: "block" });
  const joined = reg(uint(sessionBits(p) + 1), { init: 0 });
  const left = reg(uint(sessionBits(p) + 1), { init: 0 });
  waiting.write(joins, joined.trunc(sessionBits(p)), joining);
  when(joins, () => joined.set(joined.add(1)));
  const front = waiting.readSync(left.trunc(sessionBits(p)));
  const fetching = reg(bit, { init: 0 });
  const offered = reg(bit, { init: 0 });
  const offer = reg(index);
  fetching.set(fetching.or(offered).not().and(left.ne(joined)));
  when(fetching, () => {
    offered.set(1);
    offer.set(front);
    left.set(left.add(1));
  }).elseWhen(io.again.ready, () => offered.set(0));
  io.again.valid.set(offered);
  io.again.payload.set(offer);
}
