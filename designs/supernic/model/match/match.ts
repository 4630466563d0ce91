/** Match and action, by plain search. */
import { decode, ethernetHeader, headerOffsets, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import {
  type MatchActionName,
  type MatchDropName,
  type MatchOutcomeName,
  ruleKey,
  snicEtherType,
  type Ternary,
  uidEntries,
} from "../../wire/index.ts";
import type { JudgedFrame } from "../judge/index.ts";

/** A rule; one that is not enabled matches nothing. */
export interface Rule extends Ternary {
  readonly enabled: boolean;
  readonly action: MatchActionName;
  readonly port: number;
  readonly uid: number;
}
export interface MacRule extends Ternary {
  readonly enabled: boolean;
  readonly port: number;
  readonly peer: boolean;
  /** It is behind another peer. */
  readonly far: boolean;
}
export interface UidRule {
  readonly valid: boolean;
  readonly generation: number;
  readonly dag: number;
  readonly user: number;
  readonly allowed: boolean;
  readonly here: boolean;
  readonly peer: number;
  readonly unordered: boolean;
}
/** All that decides. */
export interface MatchSettings {
  readonly ports: number;
  readonly mac: bigint;
  readonly port: number;
  readonly control: boolean;
  readonly uplink: number | undefined;
  readonly rings: readonly number[];
  readonly rules: readonly (Rule | undefined)[];
  readonly macs: readonly (MacRule | undefined)[];
  readonly uids: ReadonlyMap<number, UidRule>;
}
export interface Matched {
  readonly outcome: MatchOutcomeName;
  readonly reason: MatchDropName;
  /** Of `ports`, and of `onward`. */
  readonly ports?: readonly number[];
  /**
   * Of `redirect`. Of `onward` 1: its receiver is not behind the next link either. Of `ports` 1: it came from a peer,
   * for the software of another one.
   */
  readonly peer?: number;
  /** Of `core`, of `redirect` by UID, and of `onward` what its shim says. */
  readonly uid?: number;
  readonly entry?: UidRule;
}

const drop = (reason: MatchDropName): Matched => ({ outcome: "drop", reason });
const goes = (outcome: MatchOutcomeName, more: Partial<Matched> = {}): Matched => ({
  outcome,
  reason: "none",
  ...more,
});
const firstOf = <T extends Ternary & { readonly enabled: boolean }>(
  list: readonly (T | undefined)[],
  key: bigint,
): T | undefined => list.find(r => r?.enabled === true && ((key ^ r.value) & r.mask) === 0n);

/** What the rules look at. */
function keyOf(frame: Uint8Array, noL4: boolean): bigint {
  const head = new Uint8Array(64);
  head.set(frame.slice(0, 64));
  const ethernet = decode(ethernetHeader, head),
    ip = decode(ipv4Header, head, headerOffsets.network),
    udp = decode(udpHeader, head, headerOffsets.transport);
  const hasIp = ethernet.etherType === snicEtherType.ipv4 ? 1 : 0;
  return ruleKey({
    dst: ethernet.dst,
    etherType: ethernet.etherType,
    ipDst: hasIp ? ip.dst : 0,
    protocol: hasIp ? ip.protocol : 0,
    dstPort: noL4 ? 0 : udp.dstPort,
    hasIp,
    hasPorts: noL4 ? 0 : 1,
  });
}

function byUid(uid: number, s: MatchSettings): Matched {
  const entry = s.uids.get(uid % uidEntries);
  if (!entry?.valid || !entry.allowed || entry.generation !== Math.floor(uid / uidEntries)) return drop("uid");
  return entry.here ? goes("core", { uid, entry }) : goes("redirect", { uid, entry, peer: entry.peer });
}
/** @param passes onto links between peers, too */
function switched(ports: readonly number[], s: MatchSettings, passes = false, peer = 0): Matched {
  const left = ports.filter(n => n < s.ports && n !== s.port && (passes || !s.rings.includes(n)));
  return left.length > 0 ? goes("ports", { ports: left, peer }) : drop("nowhere");
}
function byMac(dst: bigint, s: MatchSettings): Matched {
  const known = firstOf(s.macs, dst);
  if (known) {
    const passes = s.rings.includes(s.port) && ((dst >> 40n) & 1n) === 0n;
    return switched([known.port], s, passes, passes && known.peer ? 1 : 0);
  }
  if ((dst >> 40n) & 1n)
    return switched(
      Array.from({ length: s.ports }, (_, i) => i),
      s,
    );
  return switched(s.uplink === undefined ? [] : [s.uplink], s);
}

/** Where a frame goes that the judge has judged. */
export function matchFrame({ accepted }: JudgedFrame, s: MatchSettings): Matched {
  if (!accepted) return drop("refused");
  const { kind, bytes, taken, noL4 } = accepted,
    { dst, src } = decode(ethernetHeader, bytes);
  if (kind === "pfc" || kind === "answer") return goes("link");
  if (kind === "redirect") {
    const sender = firstOf(s.macs, src);
    return sender?.peer === true && sender.port === s.port && dst === s.mac ? goes("unwrap") : drop("stranger");
  }
  if (kind === "onward") {
    const to = firstOf(s.macs, dst);
    if (to?.peer !== true || to.port === s.port) return drop("stranger");
    const uid = taken.snic?.uid ?? 0;
    return goes("onward", { ports: [to.port].filter(n => n < s.ports), peer: to.far ? 1 : 0, uid });
  }
  if (dst === s.mac) return s.control ? goes("software") : drop("control");
  const rule = firstOf(s.rules, keyOf(bytes, noL4));
  if (rule?.action === "software") return goes("software");
  if (rule?.action === "peer") return goes("redirect", { peer: rule.port });
  if (rule?.action === "drop") return drop("rule");
  if (rule?.action === "uid") return byUid(rule.uid, s);
  if (rule?.action === "port") return switched([rule.port], s);
  return taken.snic ? byUid(taken.snic.uid, s) : byMac(dst, s);
}
