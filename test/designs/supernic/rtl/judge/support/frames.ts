/** Random frames as they come from a MAC: right ones of each kind, and mutated ones. */
import { concat, encode, ethernetHeader, ipv4Bytes, ipv4Header } from "../../../../../../designs/shared/wire/index.ts";
import {
  encloseFrame,
  linkAnswer,
  linkKind,
  pfcFrame,
  putShims,
  type Shims,
  snicEtherType,
  snicKind,
} from "../../../../../../designs/supernic/wire/index.ts";
import type { Random } from "../../../../../../sim/index.ts";

const mac = (r: Random): bigint => 0x020000000000n | r.bits(40);
const bytesOf = (r: Random, n: number): Uint8Array => {
  const out = new Uint8Array(n);
  for (let i = 0; i < n; i++) out[i] = r.between(0, 255);
  return out;
};
const ethernet = (r: Random, etherType: number): Uint8Array =>
  encode(ethernetHeader, { dst: mac(r), src: mac(r), etherType });

/** IPv4, mostly TCP and UDP, sometimes with options, as a fragment, or with a length that cannot be. */
function packet(r: Random, bytes: number): Uint8Array {
  const behind = bytesOf(r, Math.max(0, bytes - ethernetHeader.bytes - ipv4Header.bytes));
  const protocol = r.chance(0.8) ? (r.chance(0.5) ? 17 : 6) : r.between(0, 255);
  const ip = ipv4Bytes(Number(r.bits(32)), Number(r.bits(32)), protocol, behind.length);
  if (r.chance(0.1)) ip[0] = r.between(0, 255);
  if (r.chance(0.1)) ip[6] = r.between(0, 255);
  if (r.chance(0.1)) ip[3] = r.between(0, 255);
  return concat(ethernet(r, snicEtherType.ipv4), ip, behind);
}
const plain = (r: Random, bytes: number): Uint8Array =>
  r.chance(0.8)
    ? packet(r, bytes)
    : concat(ethernet(r, r.pick([0x0806, 0x86dd, 0x0600, 0x8100])), bytesOf(r, Math.max(0, bytes - 14)));

const vlan = (r: Random) => ({ priority: r.between(0, 7), dropEligible: r.between(0, 1), id: r.between(0, 4095) });
const snic = (r: Random, kind: number) => ({
  version: 1,
  kind,
  ttl: r.between(1, 15),
  stage: r.between(0, 15),
  uid: r.between(0, 65535),
  origin: r.between(0, 255),
  ingress: r.between(0, 15),
  unused: 0,
  unprocessed: r.between(0, 1),
});
const link = (r: Random) => ({
  kind: linkKind.data,
  class: r.between(0, 7),
  flags: r.between(0, 255),
  sequence: r.between(0, 65535),
  ack: r.between(0, 65535),
});
const inside = (r: Random): Shims => ({
  ...(r.chance(0.3) && { vlan: vlan(r) }),
  ...(r.chance(0.6) && { snic: snic(r, snicKind.data) }),
});

/** A right frame for a port, of so many bytes without shims at least. */
export function rightFrame(r: Random, bytes: number, port: { readonly reliable: boolean; readonly peer: boolean }) {
  if (r.chance(0.04)) return pfcFrame(mac(r), { [r.between(0, 7)]: r.between(0, 65535) });
  const outer: Shims = port.reliable ? { link: link(r) } : {};
  if (port.reliable && r.chance(0.06))
    return linkAnswer({ dst: mac(r), src: mac(r) }, r.pick(["ack", "nack"] as const), {
      class: r.between(0, 7),
      ack: r.between(0, 65535),
    });
  if (port.peer && r.chance(0.3)) {
    const inner = putShims(plain(r, bytes), inside(r)),
      enclosed = encloseFrame({ dst: mac(r), src: mac(r) }, snic(r, r.pick([2, 3])), inner);
    return putShims(enclosed, { ...outer, ...(r.chance(0.2) && { vlan: vlan(r) }) });
  }
  return putShims(plain(r, bytes), { ...outer, ...inside(r) });
}

/** MAC control behind a tag or shim, or inside a redirect. */
function hiddenPause(r: Random): Uint8Array {
  const pause = pfcFrame(mac(r), { [r.between(0, 7)]: 65535 });
  const outer: Shims = r.chance(0.5) ? { link: link(r) } : {};
  if (r.chance(0.5)) return putShims(pause, { ...outer, ...inside(r) });
  return putShims(encloseFrame({ dst: mac(r), src: mac(r) }, snic(r, 2), putShims(pause, inside(r))), outer);
}

/** A few of a frame's first bytes changed, bytes cut off, put in or doubled, or the whole made too long. */
export function mutated(r: Random, frame: Uint8Array, longest: number): Uint8Array {
  // What a stranger would try first: pauses that pass for something else, and frames without an end.
  if (r.chance(0.03)) return hiddenPause(r);
  if (r.chance(0.02)) return concat(frame, bytesOf(r, 3 * longest));
  let out: Uint8Array = Uint8Array.from(frame);
  for (let n = r.between(1, 3); n > 0; n--) {
    const at = r.between(0, Math.min(out.length, 48) - 1),
      how = r.between(0, 9);
    if (how < 4) out[at] = (out[at] ?? 0) ^ (1 << r.between(0, 7));
    else if (how === 4) out[at] = r.chance(0.5) ? 0 : r.between(0, 255);
    else if (how === 5) out = out.slice(0, r.between(1, out.length));
    else if (how === 6) out = concat(out, bytesOf(r, r.chance(0.2) ? r.between(1, longest) : r.between(1, 20)));
    else if (how === 7) {
      // A shim's EtherType where one may stand.
      const place = r.pick([12, 16, 20, 24, 26, 28, 30, 34, 38, 46]);
      const type = r.pick([0x88b5, 0x88b6, 0x8100, 0x8808, 0x6558, 0x0000]);
      if (place + 1 < out.length) out.set([type >> 8, type & 255], place);
    } else if (how === 8) {
      const bytes = r.pick([4, 8]);
      out = concat(out.slice(0, 12), out.slice(12, 12 + bytes), out.slice(12));
    } else if (out.length > 26) out = concat(out.slice(0, 12), out.slice(12 + r.pick([4, 8])));
  }
  return out;
}
