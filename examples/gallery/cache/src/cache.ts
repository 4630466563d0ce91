import {
  axi4Master,
  cat,
  constant,
  fromBits,
  fsm,
  lowestSet,
  module,
  mux,
  node,
  onehotMux,
  reg,
  repeat,
  sink,
  source,
  toBits,
  uint,
  type UInt,
  when,
  wire,
} from "mnemosyne";
import * as geometry from "./geometry.ts";
import { afterUse, leastRecent } from "./lru.ts";
import { recordStore, withLines, wordStore } from "./store.ts";

/**
 * A cache between a processor and AXI4 memory: set-associative, write back, write allocate; the way that was used least
 * recently gives way. One request at a time. A hit is answered one cycle after it was taken, the next request is taken
 * a cycle later. A miss writes back the line that gives way, if memory lacks it, reads the whole line, and looks again.
 * Where memory refuses a write back, the line stays; where it refuses a read, nothing is cached. The request is then
 * answered with `error` and not done. A flush writes back every line that memory lacks, set by set, and ends at the
 * first that is refused. Reset forgets all lines, which takes `sets` cycles.
 */
export const Cache = module(
  "Cache",
  (p: geometry.CacheParameters) => ({
    request: sink(geometry.requestOf(p)),
    answer: source(geometry.answerOf(p)),
    ...axi4Master("m", geometry.busOf(p)),
  }),
  (io, p) => {
    geometry.check(p);
    const wordShape = uint(geometry.wordBits(p)),
      setShape = uint(geometry.setBits(p)),
      Record = geometry.recordOf(p);
    const request = reg(geometry.requestOf(p)),
      at = geometry.partsOf(p, request.address),
      coming = geometry.partsOf(p, io.request.payload.address);
    const set = reg(setShape, { init: 0 }),
      word = reg(wordShape),
      victim = reg(uint(p.ways)),
      held = reg(Record),
      addressWaits = reg(uint(1), { init: 0 }),
      address = reg(uint(p.addressBits)),
      failed = reg(uint(1));

    const looks = wire(uint(1)),
      lookSet = wire(setShape),
      lookWord = wire(wordShape),
      writes = wire(uint(1)),
      update = wire(Record),
      fills = wire(uint(p.ways)),
      stores = wire(uint(p.ways));
    const record = recordStore(p, {
      looks,
      set: lookSet,
      record: { writes, set, value: { lines: update.lines.toArray(), order: update.order } },
    });
    const chosen = wordStore(p, {
      looks,
      set: lookSet,
      word: lookWord,
      fill: { ways: fills, set, word, data: io.mR.payload.data },
      store: { ways: stores, set, word: at.word, data: request.data, strobe: request.strobe },
    });

    const lines = record.lines.toArray(),
      hits = fromBits(lines.map(l => l.valid.and(l.tag.eq(at.tag)))),
      hit = node(hits.any(), { name: "hit" }),
      free = fromBits(lines.map(l => l.valid.not())),
      dirty = fromBits(lines.map(l => l.valid.and(l.dirty)));
    const flushes = request.kind.is("flush"),
      isWrite = request.kind.is("write"),
      oldest = mux(free.any(), lowestSet(free), leastRecent(record.order, p.ways)),
      gives = node(mux(flushes, lowestSet(dirty), oldest), { name: "gives" });
    const none = constant(0, p.ways),
      lineOf = (tag: UInt): UInt => cat(tag, set, constant(0, geometry.wordBits(p) + geometry.byteBits(p))),
      refused = mux(io.mB.ready, io.mB.payload.resp, io.mR.payload.resp).any(),
      ends = word.eq(p.lineWords - 1);

    looks.set(0);
    lookSet.set(set);
    lookWord.set(word);
    writes.set(0);
    update.set(withLines(held, l => l));
    fills.set(none);
    stores.set(none);
    when(io.mAw.fire, () => addressWaits.set(0));

    const step = fsm(
      ["Clear", "Ready", "Look", "Collect", "Send", "Written", "Ask", "Fill", "Again", "Sweep", "Swept", "Answer"],
      "Clear",
      s => {
        /** The line of the way that gives way goes to memory, and then what it is for goes on. */
        const writeBack = (): void => {
          address.set(
            lineOf(
              onehotMux(
                toBits(gives),
                lines.map(l => l.tag),
              ),
            ),
          );
          addressWaits.set(1);
          s.go("Collect");
        };
        const keep = (): void => {
          victim.set(gives);
          held.set(record);
          word.set(0);
          failed.set(0);
        };
        const refuse = (): void => {
          failed.set(1);
          s.go("Answer");
        };
        return {
          Clear: () => {
            writes.set(1);
            update.set({
              ...withLines(held, l => ({ ...l, valid: constant(0, 1) })),
              order: constant(0, held.order.width),
            });
            set.set(set.add(1));
            when(set.eq(p.sets - 1), () => s.go("Ready"));
          },
          Ready: () => {
            lookSet.set(coming.set);
            lookWord.set(coming.word);
            when(io.request.fire, () => {
              looks.set(1);
              request.set(io.request.payload);
              set.set(coming.set);
              s.go("Look");
              when(io.request.payload.kind.is("flush"), () => {
                set.set(0);
                s.go("Sweep");
              });
            });
          },
          Look: () => {
            when(hit, () => {
              when(io.answer.ready, () => {
                writes.set(1);
                update.set({
                  lines: lines.map((l, way) => ({ ...l, dirty: l.dirty.or(hits.bit(way).and(isWrite)) })),
                  order: afterUse(record.order, hits, p.ways),
                });
                stores.set(mux(isWrite, hits, none));
                s.go("Ready");
              });
            }).otherwise(() => {
              keep();
              s.go("Ask");
              when(gives.and(dirty).any(), writeBack);
            });
          },
          Collect: () => {
            looks.set(1);
            s.go("Send");
          },
          Send: () => {
            when(io.mW.fire, () => {
              word.set(word.add(1));
              s.go("Collect");
              when(ends, () => s.go("Written"));
            });
          },
          Written: () => {
            when(io.mB.fire, () => {
              s.go("Ask");
              when(flushes, () => {
                writes.set(1);
                update.set(withLines(held, (l, way) => ({ ...l, dirty: l.dirty.andNot(victim.bit(way)) })));
                s.go("Sweep");
              });
              when(refused, () => {
                writes.set(0);
                refuse();
              });
            });
          },
          Ask: () => {
            when(io.mAr.fire, () => {
              // Its words go one by one: a line that is half another one must not be found.
              writes.set(1);
              update.set(withLines(held, (l, way) => ({ ...l, valid: l.valid.andNot(victim.bit(way)) })));
              word.set(0);
              s.go("Fill");
            });
          },
          Fill: () => {
            when(io.mR.fire, () => {
              fills.set(victim);
              word.set(word.add(1));
              when(refused, () => failed.set(1));
              when(io.mR.payload.last, () => {
                s.go("Again");
                writes.set(1);
                update.set(
                  withLines(held, (l, way) => {
                    const is = victim.bit(way);
                    return { valid: l.valid.or(is), dirty: l.dirty.andNot(is), tag: mux(is, at.tag, l.tag) };
                  }),
                );
                when(refused.or(failed), () => {
                  writes.set(0);
                  refuse();
                });
              });
            });
          },
          Again: () => {
            looks.set(1);
            lookWord.set(at.word);
            s.go("Look");
          },
          Sweep: () => {
            looks.set(1);
            s.go("Swept");
          },
          Swept: () => {
            keep();
            when(dirty.any(), writeBack).otherwise(() => {
              set.set(set.add(1));
              s.go("Sweep");
              when(set.eq(p.sets - 1), () => s.go("Answer"));
            });
          },
          Answer: () => when(io.answer.fire, () => s.go("Ready")),
        };
      },
    );

    io.request.ready.set(step.is("Ready"));
    io.answer.valid.set(step.is("Answer").or(step.is("Look").and(hit)));
    io.answer.payload.set({ data: chosen(hits), error: step.is("Answer").and(failed) });
    const burst = { id: 0, len: p.lineWords - 1, size: geometry.byteBits(p), burst: 1 };
    io.mAw.valid.set(addressWaits);
    io.mAw.payload.set({ ...burst, addr: address });
    io.mW.valid.set(step.is("Send"));
    io.mW.payload.set({ data: chosen(victim), strb: repeat(constant(1, 1), p.wordBytes), last: ends });
    io.mB.ready.set(step.is("Written"));
    io.mAr.valid.set(step.is("Ask"));
    io.mAr.payload.set({ ...burst, addr: lineOf(at.tag) });
    io.mR.ready.set(step.is("Fill"));
  },
);
