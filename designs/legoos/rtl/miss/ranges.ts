import {
  bit,
  fromBits,
  input,
  module,
  mux,
  onehotMux,
  output,
  ram,
  reg,
  struct,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { Line } from "../records/records.ts";
import { RangeWrite } from "../records/miss-records.ts";

/**
 * What software has recorded of memory: whether a line may be written, and whether it is anonymous memory that no node
 * has heard of yet (LegoOS §3.4.4, "p-local"). Memory that no range names is writable, and never local. Latency 3
 * cycles from `line` to `writable` and `isLocal`; `line` stays for both. `flushed` marks the line as known to its node
 * from the next cycle on. Writing a range does not clear the marks: software gives each range lines of its own, and has
 * them cleared by reset. Reset clears the marks, one a cycle; `ready` is 0 meanwhile.
 */
export const Ranges = module(
  "ExCacheRanges",
  (p: Parameters) => ({
    line: input(Line(p)),
    writable: output(bit),
    isLocal: output(bit),
    flushed: input(bit),
    write: input(struct({ valid: bit, entry: RangeWrite(p) })),
    ready: output(bit),
  }),
  (io, p) => {
    const { index: _index, keep: _keep, base: _base, ...fields } = RangeWrite(p).fields,
      bits = Math.log2(p.localLines);
    // `offset`: what makes of a line's number that of its bit.
    const entries = reg(vec(struct({ ...fields, offset: uint(bits) }), p.ranges)),
      kept = reg(uint(p.ranges), { init: 0 });
    const { entry } = io.write;
    for (let i = 0; i < p.ranges; i++)
      when(io.write.valid.and(entry.index.eq(i)), () => {
        const { asid, first, last, writable, anonymous, base } = entry;
        entries.at(i).set({ asid, first, last, writable, anonymous, offset: base.sub(first.trunc(bits)) });
        kept.setBits(i, entry.keep);
      });
    const { asid, page } = io.line;
    const match = reg(uint(p.ranges));
    match.set(
      fromBits(
        entries.toArray().map((e, i) => kept.bit(i).and(e.asid.eq(asid)).and(page.ge(e.first)).and(page.le(e.last))),
      ),
    );
    const found = onehotMux(
      Array.from({ length: p.ranges }, (_, i) => match.bit(i)),
      entries.toArray(),
    );
    const mark = reg(uint(bits), { name: "mark" }),
      isAnonymous = reg(bit),
      mayBeWritten = reg(bit);
    mark.set(page.trunc(bits).add(found.offset));
    isAnonymous.set(found.anonymous);
    mayBeWritten.set(found.writable.or(match.any().not()));
    const marks = ram(bit, { depth: p.localLines, collision: "new", style: "block", name: "marks" });
    const clearing = reg(bit, { init: 1 }),
      clear = reg(uint(bits), { init: 0 });
    when(clearing, () => {
      clear.set(clear.add(1));
      when(clear.eq(p.localLines - 1), () => clearing.set(0));
    });
    marks.write(clearing.or(io.flushed.and(isAnonymous)), mux(clearing, clear, mark), clearing.not());
    const known = marks.readSync(mark, { name: "mark_known" });
    const anonymous = reg(bit),
      writable = reg(bit);
    anonymous.set(isAnonymous);
    writable.set(mayBeWritten);
    io.writable.set(writable);
    io.isLocal.set(anonymous.andNot(known));
    io.ready.set(clearing.not());
  },
  { nameOf: p => `ExCacheRanges_n${p.ranges}_l${p.localLines}_p${derived(p).pageBits}` },
);
