import {
  assertAlways,
  type Bit,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  encodeOnehot,
  Fifo,
  fromBits,
  fsm,
  input,
  instance,
  lowestSet,
  map,
  module,
  mux,
  node,
  onehotMux,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  struct,
  switchOn,
  type UInt,
  uint,
  unpack,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { slicesOf } from "../../../shared/wire/index.ts";
import { bodyLengthBits, memoryTagBits } from "../../offload/index.ts";
import { kvBody, kvReplyBody, opcode, opcodeBits, statusBits } from "../../wire/index.ts";
import { Give, Take, Taken } from "./allocator/ports.ts";
import { Asked } from "./intake.ts";
import { Entry, hasBody, operation } from "./layout.ts";
import { MemoryBeat, ReplyBeat } from "./merged.ts";
import { addressBits, blockBits, entriesPerSlot, type KvParameters, sizeBits, unitBytes } from "./parameters.ts";
import { MemoryDone, MemoryEvent, purpose, tagOf } from "./replies.ts";

/** Events of the engine: memory's answers by their purpose, and two more. */
const what = { ...purpose, spare: 6, start: 7 } as const;
const indexBits = 3;
/** The link stands behind the entries. */
const linkIndex = entriesPerSlot;

/** How far a request is. */
const Progress = (p: KvParameters) =>
  struct({
    /** Slots and pairs that the search has looked at. */
    looks: uint(bitsFor(p.mostLooks)),
    /**
     * The slot that is looked at, and the entry: the first to be considered, the one that matched, or the one
     * to be written.
     */
    slot: uint(blockBits),
    index: uint(indexBits),
    /** Of a create: the first empty entry on the way, then the new slot. Of a delete: the slot in front. */
    other: struct({ valid: bit, slot: uint(blockBits), index: uint(indexBits) }),
    /** The entry that matched; whether another one of its slot does; whether it is the only one there. */
    found: struct({ block: uint(blockBits), size: uint(sizeBits) }),
    more: bit,
    alone: bit,
    /** The link of that slot. */
    link: struct({ block: uint(blockBits), valid: bit }),
    /** Of a create or update: how the search ended, and whether a slot must be added. */
    verdict: uint(4),
    grows: bit,
  });

/** A memory request on its way out. `word`: the written data, the first 8 bytes of `length`; the others are 0. */
const Access = struct({
  tag: uint(memoryTagBits),
  write: bit,
  whole: bit,
  block: uint(blockBits),
  index: uint(indexBits),
  length: uint(sizeBits + 1),
  word: uint(64),
});
/** Where an access goes, and what it writes. */
const place = { slot: 0, found: 1, other: 2 } as const,
  content = { nothing: 0, entry: 1, link: 2, newLink: 3 } as const;

/**
 * Carries out requests step by step, whichever is next: a request that may begin, a memory reply, a new slot. The state
 * of a request is kept by context, so requests interleave at will. RequestOrder keeps those on one bucket apart.
 *
 * - Search: a slot is read, and the first entry with the key's fingerprint names a pair, whose owner and key are
 *   compared (2 and 8 bytes). On a mismatch comes the next such entry (the slot is read again), then the next slot.
 * - READ: the pair is read whole, and its value goes out with the key's comparison.
 * - CREATE, UPDATE: the search goes on while the pair is being written. When both are over the entry is written, 8
 *   bytes, so that it is the old or the new one. A create takes the first empty entry of the whole chain. Where there
 *   is none it takes a new slot, which is linked once it is in memory.
 * - DELETE (or, of any key, of the first pair of the process): the entry is cleared; a slot that has no other, unless
 *   it is the bucket's first, is taken out of the chain instead.
 * - A search looks at `mostLooks` slots and pairs at most; then the request ends with INVALID and changes nothing. So
 *   it ends whatever stands in memory: chains that are rings, entries that point anywhere.
 * - An old block is given back when its entry has been replaced: the bucket's readers have left before. A new one is
 *   given back when it was not needed, and its write is over. When the write of the entry itself fails the block is
 *   lost, since the content of the entry is unknown.
 *
 * Latency, from a reply's `event` to the next memory request: 5 cycles for a slot, 4 otherwise. Initiation interval: 4
 * cycles for a slot, 3 for all else. Full: `memory` and `reply` have room for every context; `give` too, by `credit`.
 * So a reply of memory waits only for the engine and for a value on its way out.
 */
export const KvEngine = module(
  "KvEngine",
  (p: KvParameters) => {
    const context = uint(Math.log2(p.contexts));
    return {
      start: sink(context),
      event: input(MemoryEvent),
      done: output(MemoryDone(p)),
      take: source(Take(p)),
      spare: sink(Taken(p)),
      give: source(Give),
      memory: source(MemoryBeat(p)),
      reply: source(ReplyBeat(p)),
      enter: input(struct({ valid: bit, context })),
      asked: input(Asked(p)),
      table: input(uint(blockBits)),
      leave: output(struct({ valid: bit, context })),
      /** The end of a delete of any key: it is not answered. */
      swept: output(struct({ valid: bit, code: uint(4) })),
      /** With `leave`: a block that could have been given back is not. */
      refund: output(bit),
    };
  },
  (io, p) => {
    const n = p.contexts,
      small = { depth: n, collision: "undefined", style: "distributed" } as const;
    const asks = ram(Asked(p), small),
      steps = ram(Progress(p), small),
      writeStatuses = ram(uint(4), small);
    asks.write(io.enter.valid, io.enter.context, io.asked);
    /** The block's write is over; the search is. */
    const written = reg(uint(n), { init: 0 }),
      decided = reg(uint(n), { init: 0 });

    // The event, its request and its progress.
    const kind = reg(uint(3)),
      atSlot = reg(bit),
      atPair = reg(bit),
      context = reg(uint(Math.log2(n))),
      code = reg(uint(4)),
      failed = reg(bit);
    const a = reg(Asked(p)),
      c = reg(Progress(p)),
      wasWritten = reg(bit),
      wasDecided = reg(bit),
      writeStatus = reg(uint(4));
    const is = (k: number): Bit => kind.eq(k);
    const firstSlot = reg(uint(blockBits)),
      sameKey = reg(bit);
    const matching = reg(uint(entriesPerSlot)),
      matched = reg(bit);

    const words = unpack(vec(Entry, entriesPerSlot + 1), io.event.line).toArray();
    const entries = words.slice(0, entriesPerSlot),
      link = words[linkIndex] as (typeof words)[number];
    const occupied = node(fromBits(entries.map(e => e.valid)));
    const chosen = node(lowestSet(matching)),
      hole = node(lowestSet(occupied.not()));

    // Work of the next cycle, while the request and its progress still stand here.
    const saving = reg(bit, { init: 0 }),
      asking = reg(bit, { init: 0 }),
      ending = reg(bit, { init: 0 }),
      growing = reg(bit, { init: 0 });
    const ask = reg(struct({ purpose: uint(3), write: bit, whole: bit, at: uint(2), link: bit, content: uint(2) }));
    const end = reg(
      struct({ silent: bit, code: uint(4), givesNew: bit, givesOld: bit, givesSlot: bit, givesOther: bit }),
    );
    saving.set(0);
    asking.set(0);
    ending.set(0);
    growing.set(0);
    interface Form {
      readonly write?: boolean;
      readonly whole?: boolean;
      readonly link?: true;
      readonly content?: number;
    }
    /** What would be asked for: it matters while `asking` only, so it does not wait for that. */
    const asksAbout = (purposeOf: number, at: number, o: Form = {}): void => {
      ask.set({
        purpose: purposeOf,
        write: o.write === true ? 1 : 0,
        whole: o.whole === true ? 1 : 0,
        at,
        link: o.link === true ? 1 : 0,
        content: o.content ?? content.nothing,
      });
    };
    const ends = (
      codeOf: UInt | number,
      o: {
        readonly silent?: 1;
        readonly new?: Bit;
        readonly old?: Bit;
        readonly slot?: Bit;
        readonly other?: Bit;
      } = {},
    ): void => {
      const no = constant(0, 1);
      ending.set(1);
      end.set({
        silent: o.silent ?? 0,
        code: codeOf,
        givesNew: o.new ?? no,
        givesOld: o.old ?? no,
        givesSlot: o.slot ?? no,
        givesOther: o.other ?? no,
      });
    };

    const reads = node(a.kind.eq(operation.read)),
      creates = node(a.kind.eq(operation.create)),
      updates = node(a.kind.eq(operation.update)),
      deletes = node(a.kind.eq(operation.delete));
    const brings = node(creates.or(updates));
    const searching = node(atSlot.or(atPair));
    const confirms = node(atSlot.and(failed.not()).and(matched));
    const hits = node(atPair.and(failed.not()).and(sameKey));
    const looksAgain = node(atPair.and(failed.not()).and(sameKey.not()).and(c.more));
    const passes = node(failed.not().and(atSlot.and(matched.not()).or(atPair.and(sameKey.or(c.more).not()))));
    const follows = node(passes.and(c.link.valid)),
      over = node(passes.and(c.link.valid.not()));
    const unlinks = node(c.alone.and(c.other.valid));
    const memoryEvent = node(io.event.valid.andNot(io.event.forAllocator));
    const nextContext = node(
      priority(
        [memoryEvent, io.event.context.trunc(context.width)],
        [io.spare.valid, io.spare.payload.context],
        io.start.payload,
      ),
    );

    const state = fsm(["idle", "look", "pick", "act", "join"], "idle", m => ({
      idle: () => {
        context.set(nextContext);
        a.set(asks.readAsync(nextContext));
        atSlot.set(memoryEvent.and(io.event.purpose.eq(purpose.slot)));
        atPair.set(memoryEvent.and(io.event.purpose.eq(purpose.pair)));
        when(memoryEvent, () => {
          kind.set(io.event.purpose);
          code.set(io.event.status);
          m.go("look");
        })
          .elseWhen(io.spare.valid, () => {
            kind.set(what.spare);
            code.set(io.spare.payload.status);
            m.go("look");
          })
          .elseWhen(io.start.valid, () => {
            kind.set(what.start);
            code.set(0);
            m.go("look");
          });
      },
      look: () => {
        const progress = steps.readAsync(context);
        c.set(progress);
        const spent = node(atSlot.or(atPair).and(progress.looks.eq(p.mostLooks)));
        failed.set(code.any().or(spent));
        when(spent, () => code.set(statusBits.INVALID));
        wasWritten.set(written.shr(context).bit(0));
        wasDecided.set(decided.shr(context).bit(0));
        writeStatus.set(mux(is(what.block), code, writeStatuses.readAsync(context)));
        firstSlot.set(io.table.add(a.bucket.zext(blockBits)));
        sameKey.set(keyOf(io.event.line).eq(a.key).or(a.any).and(io.event.line.bits(0, 16).eq(a.pid)));
        matching.set(
          fromBits(
            entries.map((e, i) => e.valid.and(e.fingerprint.eq(a.fingerprint).or(a.any)).and(progress.index.le(i))),
          ),
        );
        when(atSlot, () => m.go("pick")).otherwise(() => m.go("act"));
      },
      pick: () => {
        matched.set(matching.any());
        c.link.set({ block: link.block, valid: link.valid });
        when(matching.any(), () => {
          c.index.set(encodeOnehot(chosen).is(indexBits));
          const pick = entries.map((_, i) => chosen.bit(i));
          c.found.set({
            block: onehotMux(
              pick,
              entries.map(e => e.block),
            ),
            size: onehotMux(
              pick,
              entries.map(e => e.size),
            ),
          });
          c.more.set(matching.and(chosen.not()).any());
          c.alone.set(occupied.and(chosen.not()).any().not());
        });
        when(creates.and(c.other.valid.not()).and(occupied.all().not()), () =>
          c.other.set({ valid: 1, slot: c.slot, index: encodeOnehot(hole).is(indexBits) }),
        );
        m.go("act");
      },
      act: () => {
        m.go("idle");
        switchOn(kind)
          .is(what.start, () => {
            saving.set(1);
            c.looks.set(0);
            c.slot.set(firstSlot);
            c.index.set(0);
            c.other.valid.set(0);
            asking.set(1);
            asksAbout(purpose.slot, place.slot);
          })
          .is([what.slot, what.pair], () => {
            saving.set(1);
            c.looks.set(c.looks.add(1));
            when(atPair.and(sameKey), () =>
              when(unlinks, () =>
                asksAbout(purpose.commit, place.other, { write: true, link: true, content: content.link }),
              ).otherwise(() => asksAbout(purpose.commit, place.slot, { write: true })),
            )
              .elseWhen(atSlot.and(matched), () => asksAbout(purpose.pair, place.found))
              .otherwise(() => asksAbout(purpose.slot, place.slot));
            when(confirms.or(looksAgain).or(follows), () => asking.set(1));
            when(looksAgain, () => c.index.set(c.index.add(1)));
            when(follows, () => {
              c.slot.set(c.link.block);
              c.index.set(0);
              when(deletes, () => c.other.set({ valid: 1, slot: c.slot, index: 0 }));
            });
            when(brings, () => {
              const refused = mux(creates, hits, over);
              c.verdict.set(priority([failed, code], [refused, statusBits.FAIL], statusBits.OK));
              c.grows.set(creates.and(over).and(c.other.valid.not()));
              when(creates.and(over).and(c.other.valid), () => {
                c.slot.set(c.other.slot);
                c.index.set(c.other.index);
              });
              when(failed.or(hits).or(over), () => {
                decided.set(decided.or(decode(context, n)));
                when(wasWritten, () => m.go("join"));
              });
            }).otherwise(() => {
              when(failed.or(over), () => ends(mux(failed, code, statusBits.FAIL)));
              when(hits, () => {
                when(reads, () => ends(statusBits.OK, { silent: 1 })).otherwise(() => asking.set(1));
              });
            });
          })
          .is(what.block, () => {
            written.set(written.or(decode(context, n)));
            when(wasDecided, () => m.go("join"));
          })
          .is(what.commit, () => {
            const done = failed.not();
            ends(code, { old: done.and(creates.not()), slot: done.and(deletes).and(unlinks) });
          })
          .is(what.spare, () => {
            saving.set(1);
            c.other.slot.set(io.spare.payload.block);
            asksAbout(purpose.newSlot, place.other, { write: true, whole: true, content: content.entry });
            when(failed, () => ends(code, { new: constant(1, 1) })).otherwise(() => asking.set(1));
          })
          .is(what.newSlot, () => {
            asksAbout(purpose.commit, place.slot, { write: true, link: true, content: content.newLink });
            when(failed, () => ends(code, { new: constant(1, 1), other: constant(1, 1) })).otherwise(() =>
              asking.set(1),
            );
          })
          .otherwise(() => {
            /* the allocator's */
          });
      },
      // The pair is written, or not, and the search is over.
      join: () => {
        m.go("idle");
        asksAbout(purpose.commit, place.slot, { write: true, content: content.entry });
        when(c.verdict.any().or(writeStatus.any()), () =>
          ends(mux(c.verdict.any(), c.verdict, writeStatus), { new: constant(1, 1) }),
        )
          .elseWhen(c.grows, () => growing.set(1))
          .otherwise(() => asking.set(1));
      },
    }));
    const acting = state.is("act");
    steps.write(saving, context, c);
    writeStatuses.write(acting.and(is(what.block)), context, code);
    when(ending, () => {
      const gone = decode(context, n).not();
      written.set(written.and(gone));
      decided.set(decided.and(gone));
    });
    io.start.ready.set(state.is("idle").and(memoryEvent.or(io.spare.valid).not()));
    io.spare.ready.set(acting.and(is(what.spare)));

    // ---- A read's value goes out as it comes in.
    const head = { user: a.user, keySize: 8, valueSize: c.found.size.zext(16) };
    io.done.set({
      valid: acting.and(searching.or(is(what.block)).or(is(what.commit)).or(is(what.newSlot))),
      forward: hits.and(reads),
      head: {
        context,
        status: statusBits.OK,
        opcode: constant(opcode.KV_READ + 1, 8),
        length: c.found.size.zext(bodyLengthBits).add(kvReplyBody.bytes),
      },
      front: joinFields(kvReplyBody, head),
    });

    // ---- One cycle later: the results.
    const wordOf = (block: UInt, size: UInt, fingerprint: UInt, valid: Bit): UInt =>
      cat(valid, fingerprint, size, block);
    const no = { size: constant(0, sizeBits), fingerprint: constant(0, 8) };
    const accesses = instance("accesses", Fifo({ shape: Access, depth: n, style: "distributed" }));
    accesses.push.valid.set(asking);
    accesses.push.payload.set({
      tag: tagOf(ask.purpose, context).is(memoryTagBits),
      write: ask.write,
      whole: ask.whole,
      block: onehotMux(
        [ask.at.eq(place.slot), ask.at.eq(place.found), ask.at.eq(place.other)],
        [c.slot, c.found.block, c.other.slot],
      ),
      index: mux(
        ask.link,
        constant(linkIndex, indexBits),
        mux(ask.write.and(ask.whole.not()), c.index, constant(0, indexBits)),
      ),
      length: priority(
        [ask.write, mux(ask.whole, constant(unitBytes, sizeBits + 1), 8)],
        [
          ask.at.eq(place.found),
          mux(reads, c.found.size.zext(sizeBits + 1), constant(0, sizeBits + 1)).add(kvBody.bytes),
        ],
        constant(unitBytes, sizeBits + 1),
      ),
      word: onehotMux(
        [ask.content.eq(content.entry), ask.content.eq(content.link), ask.content.eq(content.newLink)],
        [
          wordOf(a.block, a.size, a.fingerprint, constant(1, 1)),
          wordOf(c.link.block, no.size, no.fingerprint, c.link.valid),
          wordOf(c.other.slot, no.size, no.fingerprint, constant(1, 1)),
        ],
      ),
    });
    // Its `ready` hangs on the turn at memory, so it comes from a register.
    connect(beatsOfAccesses(stage(accesses.pop, "backward", { name: "accessing" }), p), io.memory);

    const takes = instance("takes", Fifo({ shape: uint(Math.log2(n)), depth: n, style: "distributed" }));
    takes.push.valid.set(growing);
    takes.push.payload.set(context);
    connect(
      map(takes.pop, Take(p), v => ({ table: 0, slot: 1, kind: 0, context: v }), { name: "taking" }),
      io.take,
    );

    const gives = node(end.givesNew.or(end.givesOld).or(end.givesSlot).or(end.givesOther));
    const giving = instance("giving", Fifo({ shape: Give, depth: n, style: "distributed" }));
    giving.push.valid.set(ending.and(gives));
    giving.push.payload.set({
      value: end.givesNew.or(end.givesOld),
      block: mux(end.givesNew, a.block, c.found.block),
      size: mux(end.givesNew, a.size, c.found.size),
      slot: end.givesSlot.or(end.givesOther),
      slotBlock: mux(end.givesSlot, c.slot, c.other.slot),
    });
    connect(giving.pop, io.give);

    const KvAnswer = struct({
      context: uint(Math.log2(n)),
      kind: uint(2),
      user: uint(8),
      size: uint(sizeBits),
      code: uint(4),
      bare: bit,
    });
    const answers = instance("answers", Fifo({ shape: KvAnswer, depth: n, style: "distributed" }));
    answers.push.valid.set(ending.and(end.silent.not()).and(a.any.not()));
    answers.push.payload.set({
      context,
      kind: a.kind,
      user: a.user,
      size: mux(end.code.any(), constant(0, sizeBits), a.size),
      code: end.code,
      bare: hasBody(end.code).not(),
    });
    connect(
      map(
        answers.pop,
        ReplyBeat(p),
        v => ({
          head: {
            context: v.context,
            status: v.code,
            opcode: cat(constant(opcode.KV_READ >> 3, 5), v.kind, constant(1, 1)),
            length: mux(v.bare, constant(0, bodyLengthBits), kvReplyBody.bytes),
          },
          bare: v.bare,
          data: joinFields(kvReplyBody, { user: v.user, keySize: 8, valueSize: v.size.zext(16) }).zext(p.beatBytes * 8),
          last: 1,
        }),
        { name: "answering" },
      ),
      io.reply,
    );

    io.leave.set({ valid: ending, context });
    io.swept.set({ valid: ending.and(a.any), code: end.code });
    io.refund.set(ending.and(gives.not()).and(reads.not()));
    assertAlways(asking.and(accesses.push.ready.not()).not(), "there is room for a memory request of every context");
    assertAlways(ending.and(answers.push.ready.not()).not(), "there is room for every context's reply");
    assertAlways(ending.and(gives).and(giving.push.ready.not()).not(), "there is room for what is given back");
    assertAlways(growing.and(takes.push.ready.not()).not(), "there is room for every context's wish for a slot");
  },
  { nameOf: p => `KvEngine_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_l${p.mostLooks}` },
);

/** The key in the first bytes of a pair. */
function keyOf(line: UInt): UInt {
  return cat(...[...slicesOf(kvBody).key.runs].sort((x, y) => y.to - x.to).map(r => line.bits(r.lsb, r.width)));
}

/** Memory requests with their bytes: the word first, what is left of a whole slot 0. */
function beatsOfAccesses(from: StreamIn<typeof Access>, p: KvParameters): StreamIn<ReturnType<typeof MemoryBeat>> {
  const lanes = unitBytes / p.beatBytes,
    v = from.payload,
    out = stream(MemoryBeat(p), { name: "asking_beats" });
  const beat = reg(uint(Math.max(1, Math.log2(lanes))), { init: 0, name: "asking_beat" });
  const last = node(v.whole.not().or(beat.eq(lanes - 1)), { name: "asking_last" });
  out.valid.set(from.valid);
  out.payload.set({
    head: {
      tag: v.tag,
      opcode: mux(v.write, opcodeBits.WRITE, opcodeBits.READ),
      va: cat(v.block, v.index, constant(0, 3)).is(addressBits),
      length: v.length.zext(32),
      data: mux(v.write, v.length.zext(bodyLengthBits), constant(0, bodyLengthBits)),
    },
    bare: v.write.not(),
    data: mux(beat.any(), constant(0, 64), v.word).zext(p.beatBytes * 8),
    last,
  });
  from.ready.set(out.ready.and(last));
  when(out.fire, () => beat.set(mux(last, constant(0, beat.width), beat.add(1))));
  return out;
}
