/** No look leaves its way's space: the page table gives only entries of the space, within its limit, with the right. */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  fromBits,
  type Inside,
  module,
  node,
  onehotMux,
  output,
  portOf,
  type Proof,
  reg,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { Look, Space, WaySpace } from "../../memory/index.ts";
import { sizes as p, tablePorts, tableRig } from "./table-rig.ts";

/** The way that is watched. The other one looks whenever it likes. */
const WAY = 1;
const ports = () => ({ ...tablePorts(), mapped: output(bit) });

const harness = module("PageSpaceProof", ports, io => {
  const { dut, runs } = tableRig(io),
    { space, mayWrite } = written(io);
  // One look of the way at a time.
  const look = portOf(dut, "look", WAY),
    said = dut.verdict.at(WAY),
    out = reg(bit, { init: 0, name: "model_out" }),
    asked = reg(Look(p), { name: "model_asked" });
  assumeAlways(io.asks.bit(WAY).and(out).not(), "a way looks once at a time");
  when(io.asks.bit(WAY).and(runs).and(look.ready), () => {
    out.set(1);
    asked.set(io.looks.at(WAY));
  }).elseWhen(said.valid, () => out.set(0));

  const mapped = node(said.valid.and(said.kind.is("mapped")), { name: "model_mapped" }),
    page = node(space.base.zext(4).add(asked.vpn.zext(4)), { name: "model_page" });
  io.mapped.set(mapped);
  assertAlways(said.valid.not().or(out), "a verdict belongs to a look");
  assertAlways(mapped.not().or(space.valid), "only a way with a space has a page");
  assertAlways(mapped.not().or(asked.vpn.lt(space.limit)), "no look goes behind its space's limit");
  assertAlways(mapped.not().or(said.page.zext(4).eq(page)), "the page is the one that was asked for");
  assertAlways(
    mapped
      .and(asked.write)
      .not()
      .or(space.write.and(mayWrite(said.page))),
    "nobody writes without the right",
  );
  cover(mapped.and(said.page.eq(3)).and(asked.vpn.eq(1)).and(asked.write), "a page of a space is written");
  cover(said.valid.and(said.kind.is("denied")), "a look is denied");
  cover(said.valid.and(said.kind.is("again")), "a look meets a change");
});

/** What software wrote of the way's space, and of the entries' rights. */
function written(io: Inside<ReturnType<typeof ports>>) {
  const spaces = [0, 1].map(i => {
    const s = reg(Space(p), { name: `model_space_${i}` });
    when(io.spaceWrite.en.and(io.spaceWrite.index.eq(i)), () => s.set(io.spaceWrite.value));
    return s;
  });
  const way = reg(WaySpace(p), { init: { valid: 0 }, name: "model_way" }),
    rights = Array.from({ length: p.pages }, (_, i) => reg(bit, { name: `model_right_${i}` }));
  when(io.wayWrite.en.and(io.wayWrite.index.eq(WAY)), () => way.set(io.wayWrite.value));
  rights.forEach((right, i) =>
    when(io.pageWrite.en.and(io.pageWrite.index.eq(i)), () => right.set(io.pageWrite.value.write)),
  );
  const chosen = onehotMux([way.space.eq(0), way.space.eq(1)], spaces);
  return {
    space: { valid: way.valid, base: chosen.base, limit: chosen.limit, write: chosen.write },
    mayWrite: (page: typeof io.pageWrite.index) => fromBits(rights).is(p.pages).shr(page).bit(0),
  };
}

export const pageSpaceProof: Proof = {
  module: `PageTable: looks stay in their space, ${p.spaces} spaces, ${p.pages} entries`,
  harness: harness(),
  own: true,
  long: true,
  by: "abc pdr",
  faults: [
    {
      what: "a page behind the table's end is one of its first",
      from: "beyond_table | page_sum[2]",
      to: "beyond_table",
    },
    { what: "a way without a space has the last one's", from: "at_inside <= whose_known & ", to: "at_inside <= " },
    { what: "the right of the entry alone lets write", from: /entry_write & here_may_write/, to: "entry_write" },
    { what: "the limit is not looked at", from: /within_limit = [^;]*;/, to: "within_limit = 1'b1;" },
    { what: "a limit counts one more", from: /within_limit = (\w+) < /, to: "within_limit = $1 <= " },
    {
      what: "a limit behind the table's end leads around it",
      from: /beyond_table = [^;]*;/,
      to: "beyond_table = 1'b0;",
    },
    { what: "who has no right to write writes", from: /lacks_right = [^;]*;/, to: "lacks_right = 1'b0;" },
  ],
};
