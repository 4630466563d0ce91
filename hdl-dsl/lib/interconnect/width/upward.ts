/** Bursts of a narrow master as a wide slave gets them. */
import type { StreamIn } from "../../../types/value.ts";
import { node } from "../../../build/declare.ts";
import { mux } from "../../../build/statements.ts";
import { constant } from "../../../build/value.ts";
import { map } from "../../../stream/stream.ts";
import type { Axi4Address } from "../../axi/index.ts";
import { burstKind, bySize, maskOf, type Widths } from "./beats.ts";
import { type Part, partOf } from "./parts.ts";

/**
 * An INCR burst of several beats as wide as the narrow bus becomes one of full wide beats. Every other burst goes on as
 * it is, in narrow beats: so a single access never touches more than it names.
 */
export function upward(w: Widths, from: StreamIn<Axi4Address>, name: string): StreamIn<Part> {
  const a = from.payload,
    ratio = w.wide - w.narrow;
  const whole = a.burst.eq(burstKind.incr).and(a.size.eq(w.narrow)),
    packed = node(whole.and(a.len.any()), { name: `${name}_packed` });
  const lane = a.addr.bits(w.narrow, ratio),
    reach = node(a.len.addGrow(lane.resize(8)), { name: `${name}_reach` });
  const below = bySize(a.size, 0, w.narrow, k => constant((1n << BigInt(k)) - 1n, w.wide));
  return map(
    from,
    partOf(w),
    () => ({
      address: {
        addr: a.addr,
        id: constant(0, w.idBits),
        len: mux(packed, reach.shr(ratio).trunc(8), a.len),
        size: mux(packed, constant(w.wide, 3), a.size),
        burst: a.burst,
      },
      plan: {
        low: a.addr.trunc(w.wide),
        below,
        mask: maskOf(w, a),
        fill: mux(packed, below, constant((1n << BigInt(w.wide)) - 1n, w.wide)),
        len: a.len,
        final: 1,
        id: a.id,
      },
    }),
    { name },
  );
}
