import { type Bit, bit, decode, node, priority, reg, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import type { Parameters } from "../../config/index.ts";
import { part } from "../../wire/index.ts";
import type { Answer } from "./receive.ts";
import type { MissTable } from "./table.ts";

/** What a reply is, three cycles after it stands; all registers but `waited`. */
export interface Matched {
  /** Somebody waits for it: its request is open in this cycle. */
  readonly waited: Bit;
  readonly ok: Bit;
  /** It ends nothing: the request is repeated, `anew` as a new operation. */
  readonly later: Bit;
  readonly anew: Bit;
  readonly ofFetch: Bit;
  /** A flush is refused. */
  readonly refusal: Bit;
  /** Of miss `m`'s request `number`, and so for the miss. */
  readonly of: (m: number, number: number) => Bit;
  readonly ofMiss: (m: number) => Bit;
}

/**
 * Whose answer a reply is. An operation's numbers go up: what ends it may answer each of them, so that a node slower
 * than the time-out is heard; what does not end it, the newest only. The numbers are compared in the cycles before, and
 * whether the request is open in the last. Meanwhile its numbers can only have gone up, or a new miss is not prepared.
 */
export function matchReply(p: Parameters, t: MissTable, reply: Val<ReturnType<typeof Answer>>): Matched {
  const parts = [
      [part.fetch, t.fetch],
      [part.primary, t.primary],
      [part.secondary, t.secondary],
    ] as const,
    each = Array.from({ length: p.misses }, (_, m) => m);
  const kept = (b: Bit, name: string): Bit => {
    const r = reg(bit, { name });
    r.set(b);
    return r;
  };
  const ofPart = (of: (w: MissTable["fetch"]) => UInt): UInt =>
    priority([reply.part.eq(part.fetch), of(t.fetch)], [reply.part.eq(part.primary), of(t.primary)], of(t.secondary));
  const newest = reg(uint(32), { name: "newest_id" }),
    oldest = reg(uint(32), { name: "oldest_id" });
  newest.set(ofPart(w => w.at(reply.miss).id));
  oldest.set(ofPart(w => w.at(reply.miss).first));

  const oneOf = (...names: readonly (keyof typeof statusBits)[]): Bit =>
    names.map(n => reply.status.eq(statusBits[n])).reduce((x, y) => x.or(y));
  const isOk = node(reply.status.eq(statusBits.OK)),
    isLater = node(oneOf("BUSY", "NACK", "MIGRATING", "YIELD", "EXPIRED")),
    isOfFetch = node(reply.part.eq(part.fetch));
  const later = kept(isLater, "later"),
    ofNewest = kept(reply.requestId.eq(newest), "of_newest"),
    ofOperation = kept(reply.requestId.sub(oldest).le(newest.sub(oldest)), "of_operation"),
    counts = node(ofNewest.or(ofOperation.andNot(later)), { name: "number_counts" });
  const chosen = decode(reply.miss, p.misses),
    misses = each.map(m => kept(chosen.bit(m), `reply_of_${m}`)),
    hits = parts.map(([number, _]) =>
      each.map(m => kept(chosen.bit(m).and(reply.part.eq(number)).and(counts), `reply_of_${m}_${number}`)),
    );
  const of = (m: number, number: number): Bit => hits[number]?.[m] as Bit;
  const open = parts.flatMap(([number, w]) =>
    each.map(m =>
      node(of(m, number).and(w.at(m).need).and(t.entries.at(m).active).andNot(t.entries.at(m).todo), {
        name: `open_${m}_${number}`,
      }),
    ),
  );
  return {
    waited: node(
      open.reduce((a, b) => a.or(b)),
      { name: "waited_for" },
    ),
    ok: kept(isOk, "ok"),
    later,
    anew: kept(oneOf("YIELD", "EXPIRED"), "anew"),
    ofFetch: kept(isOfFetch, "of_fetch"),
    refusal: kept(isOk.or(isLater).or(isOfFetch).not(), "refusal"),
    of,
    ofMiss: m => misses[m] as Bit,
  };
}
