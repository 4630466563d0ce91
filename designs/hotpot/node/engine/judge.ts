/** What is wrong with a request by itself. Looked at over two cycles, in pieces that are kept. */
import { bit, type Bit, node, orTree, reg, type UInt } from "../../../../hdl-dsl/index.ts";
import { bounds, commitOpcode, headBytes, kinds } from "../../wire/index.ts";
import type { Beats } from "./beats.ts";

const granuleShift = Math.log2(bounds.granule),
  pageShift = Math.log2(bounds.pageBytes);

/**
 * @param length bytes of the body @param bodiless there is none
 * @returns whether it is none: it stands two cycles after the head does, and a cycle after `bodiless`
 */
export function judgedOf({ asked }: Beats, opcode: UInt, length: UInt, bodiless: Bit) {
  const kept = (name: string, now: Bit): Bit => {
    const r = reg(bit, { init: 0, name });
    r.set(now);
    return r;
  };
  const is = (...of: (keyof typeof kinds)[]): Bit => orTree(of.map(k => asked.kind.eq(kinds[k])));
  const hasData = node(is("prepare", "update"), { name: "kind_has_data" }),
    whole = asked.length.bits(0, granuleShift).any().or(asked.va.bits(0, granuleShift).any()),
    end = node(asked.va.trunc(pageShift).zext(17).add(asked.length.zext(17)), { name: "area_end" });
  const kind = kept("wrong_kind", asked.kind.eq(0).or(asked.kind.gt(kinds.grant)).or(opcode.ne(commitOpcode))),
    bare = kept("wrong_bare", hasData.not().and(length.ne(headBytes))),
    size = kept("wrong_size", length.zext(17).ne(asked.length.zext(17).add(headBytes))),
    granule = kept("wrong_granule", whole),
    bytes = kept("wrong_bytes", asked.length.any().not().or(asked.length.gt(bounds.areaBytes))),
    page = kept("wrong_page", end.gt(bounds.pageBytes)),
    parts = kept("wrong_parts", asked.part.ge(asked.parts).or(asked.parts.gt(bounds.parts))),
    // The floor behind the last number would be 0, and all that is over would count again.
    name = kept("wrong_name", asked.lane.ge(bounds.lanes).or(asked.seq.all())),
    withData = kept("asks_with_data", hasData),
    named = kept("asks_of_commit", is("prepare", "update", "commit", "forget", "grant")),
    inParts = kept("asks_in_parts", is("prepare"));
  const area = node(orTree([size, granule, bytes, page]), { name: "wrong_area" });
  return kept("malformed", orTree([bodiless, kind, bare, withData.and(area), inParts.and(parts), named.and(name)]));
}
