/** The rules for a burst's address (AXI4, IHI 0022, A3.4.1). */
import type { Bit } from "../../types/value.ts";
import { orTree } from "../../vectors/index.ts";
import type { AddressChannel, Owed } from "./bus.ts";

/** No burst goes beyond 4 KB. */
const boundaryBits = 12;
const burstKind = { fixed: 0, incr: 1, wrap: 2, reserved: 3 } as const;

/** An INCR burst of beats of 2^size bytes goes over 4 KB. */
function crosses(a: AddressChannel["payload"], size: number): Bit {
  const beat = a.addr.resize(boundaryBits).bits(size, boundaryBits - size),
    wide = Math.max(beat.width, 8) + 1;
  return beat.zext(wide).add(a.len.zext(wide)).shr(beat.width).any();
}

export function addressRules(o: Owed, a: AddressChannel, name: string, beatBytes: number): void {
  const { addr, len, size, burst } = a.payload,
    offered = (claim: Bit): Bit => a.valid.not().or(claim),
    is = (kind: keyof typeof burstKind): Bit => burst.eq(burstKind[kind]);
  const largest = Math.log2(beatBytes),
    sizes = Array.from({ length: largest + 1 }, (_, k) => k);
  o.master(offered(is("reserved").not()), `${name}: burst type 3 is reserved`);
  if (largest < 7) o.master(offered(size.le(largest)), `${name}: no beat is wider than the bus`);
  o.master(
    offered(
      is("incr")
        .and(orTree(sizes.map(k => size.eq(k).and(crosses(a.payload, k)))))
        .not(),
    ),
    `${name}: no burst crosses 4 KB`,
  );
  o.master(offered(is("fixed").not().or(len.le(15))), `${name}: a FIXED burst has at most 16 beats`);
  const wraps = orTree([1, 3, 7, 15].map(n => len.eq(n))),
    unaligned = orTree(sizes.slice(1).map(k => size.eq(k).and(addr.resize(Math.max(addr.width, k)).trunc(k).any())));
  o.master(
    offered(is("wrap").not().or(wraps.and(unaligned.not()))),
    `${name}: a WRAP burst has 2, 4, 8 or 16 beats and starts on one`,
  );
}
