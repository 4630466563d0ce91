import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source as sourceOf,
  struct,
  switchOn,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../wire/index.ts";
import { BodyBeat, MemoryReply, OrderEnter, OrderLeave } from "../../offload/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import {
  Asked,
  classCount,
  contextBits,
  Entry,
  entryLayout,
  event,
  eventBits,
  headBytes,
  Kept,
  kind,
  leastClass,
  mostClass,
  type MultiVersionParameters,
  MvAnswer,
  orderOf,
  source,
  versionBits,
  Wanted,
} from "./types.ts";

const nothing = 0,
  asks = 1,
  answers = 2,
  again = 3;

/**
 * Does the work: one event after another, the start of a request or a reply of memory.
 *
 * - read: its object's map entry, then the value. append: the entry, then value and entry with the next version at a
 *   time. An entry whose value could not be written is put back.
 * - create: the entry of the last deleted object of its size class, else an entry with a new number and array from the
 *   arena. Without room there an ALLOC comes first, in the next region when the last one has no room. The entry of a
 *   delete becomes the head of the deleted objects of its class.
 *
 * The entry decides everything before anything is written. Numbers, lists and arena move on when the entry is in
 * memory, so a request that fails leaves all as it was. Latency: 8 cycles from `start` or `memory_reply` to `wanted`
 * or `answer`, and one for each beat of an entry. Initiation interval: 8 cycles per event and those beats; an
 * append's entry costs one more, a value as long as it is copied. Full: never more than 2 memory requests and 1
 * answer of a context are under way, for which there is room. Reset: there is no object, and what memory was
 * allocated is forgotten.
 */
export const MvEngine = module(
  "MvEngine",
  (p: MultiVersionParameters) => ({
    asked: sink(Asked(p)),
    enter: output(OrderEnter(orderOf(p))),
    leave: output(OrderLeave(p)),
    start: sink(uint(contextBits(p))),
    memoryReply: sink(MemoryReply),
    data: sink(BodyBeat(p)),
    wanted: sourceOf(Wanted(p)),
    answer: sourceOf(MvAnswer(p)),
    copied: input(bit),
    entryContext: input(uint(contextBits(p))),
    entry: output(Entry(p)),
  }),
  (io, p) => {
    const context = uint(contextBits(p)),
      ids = p.idBits,
      versions = versionBits(p),
      numbers = Math.max(ids, versions),
      entryBits = entryLayout.bytes * 8;
    const sizeBits = 14,
      classes = classCount(p),
      roomBits = Math.log2(p.arenaBytes) + 1,
      mapBytes = entryLayout.bytes * 2 ** ids;

    // ---- By context: the request; its map entry as it is, or is to be; other state under way. `half`: the write of an
    // append that has been answered, and `failed` how.
    const keep = { depth: p.contexts, collision: "undefined", style: "distributed" } as const;
    const requests = ram(Kept, keep),
      entries = ram(Entry(p), keep);
    const Note = struct({
      object: uint(ids),
      link: uint(ids),
      fresh: bit,
      half: bit,
      halfIsValue: bit,
      failed: uint(4),
    });
    const notes = ram(Note, keep);
    io.entry.set(entries.readAsync(io.entryContext));

    const given = io.asked.payload,
      is = (k: number): Bit => given.kind.eq(k),
      well = given.malformed.not();
    requests.write(io.asked.fire, given.context, {
      opcode: given.opcode,
      kind: given.kind,
      malformed: given.malformed,
      object: given.object,
      version: given.version,
      length: given.length,
    });
    io.asked.ready.set(1);
    io.enter.set({
      valid: io.asked.valid,
      context: given.context,
      key: given.object,
      keyed: is(kind.create).not().and(well),
      writes: is(kind.append).or(is(kind.remove)),
      lists: is(kind.create).or(is(kind.remove)).and(well),
    });

    // ---- What there is: the last number given, the deleted objects of each class, the map, and what is left
    // of the arena.
    const last = reg(uint(ids), { init: 0 });
    const heads = reg(vec(uint(ids), classes), { init: Array.from({ length: classes }, () => 0) });
    const hasMap = reg(bit, { init: 0 });
    const map = reg(uint(64));
    const arena = reg(uint(64));
    const room = reg(uint(roomBits), { init: 0 });
    const region = reg(uint(20), { init: 0 });
    const regionIsFresh = reg(bit, { init: 1 });

    // ---- The event.
    const e = reg(uint(eventBits));
    const c = reg(context);
    const outcome = reg(uint(4));
    const found = reg(uint(64));
    const readBytes = reg(uint(entryBits));
    const beat = reg(uint(2));
    const r = reg(Kept);
    const entry = reg(Entry(p));
    const note = reg(Note);
    const on = (k: number): Bit => r.kind.eq(k),
      at = (k: number): Bit => e.eq(k);
    const failed = node(outcome.any());
    const count = node(entry.number.trunc(versions));
    const size = node(mux(on(kind.create), r.version.trunc(sizeBits), entry.size));

    // Compared while the request and its entry stand, two cycles and more before it is decided.
    const isUnknown = reg(bit),
      isMissing = reg(bit),
      isFull = reg(bit),
      isMisfit = reg(bit);
    isUnknown.set(r.object.eq(0).or(r.object.gt(last.zext(32))));
    isMissing.set(mux(on(kind.latest), count.eq(0), r.version.eq(0).or(r.version.gt(count.zext(32)))));
    isFull.set(count.eq(p.versions));
    isMisfit.set(r.length.ne(entry.size.zext(r.length.width).add(headBytes)));

    // ---- What follows from it.
    const index = reg(uint(versions));
    const sizeClass = reg(uint(4));
    const classIndex = node(sizeClass.sub(leastClass).trunc(Math.max(1, Math.ceil(Math.log2(classes)))));
    const head = reg(uint(ids));
    const arrayBytes = reg(uint(roomBits));
    const offset = reg(uint(versions + mostClass(p)));
    const valueAt = reg(uint(64));
    const entryAt = reg(uint(64));
    const does = reg(uint(2));
    const what = reg(struct({ event: uint(eventBits), source: uint(2) }));
    const withEntry = reg(bit);
    const says = reg(struct({ status: uint(4), version: uint(32), value: bit }));
    const finish = (code: UInt, version: UInt = constant(0, 32), value = 0): void => {
      does.set(answers);
      says.set({ status: code, version, value: constant(value, 1) });
    };
    const refuse = (code: UInt<4>): void => finish(code);
    const ask = (eventOf: number, sourceNumber: number): void => {
      does.set(asks);
      what.set({ event: eventOf, source: sourceNumber });
    };

    const start = (): void => {
      when(r.malformed, () => refuse(statusBits.MALFORMED))
        .elseWhen(on(kind.create), () => {
          note.fresh.set(head.eq(0));
          note.object.set(mux(head.any(), head, last.add(1)));
          when(head.any(), () => ask(event.entry, source.none))
            .elseWhen(last.all(), () => refuse(statusBits.OUT_OF_MEMORY))
            .elseWhen(room.ge(arrayBytes), () => {
              ask(event.entryWritten, source.entry);
              entry.set({ array: arena, number: 0, size, live: 1 });
            })
            .otherwise(() => ask(event.allocated, source.allocation));
        })
        .elseWhen(isUnknown, () => refuse(statusBits.FAIL))
        .otherwise(() => ask(event.entry, source.none));
    };
    const entryRead = (): void => {
      note.link.set(entry.number.trunc(ids));
      note.half.set(0);
      when(failed, () => finish(outcome))
        .elseWhen(on(kind.create), () => {
          ask(event.entryWritten, source.entry);
          entry.number.set(0);
          entry.size.set(size);
          entry.live.set(1);
        })
        .elseWhen(entry.live.not(), () => refuse(statusBits.FAIL))
        .elseWhen(on(kind.append), () => {
          when(isMisfit, () => refuse(statusBits.MALFORMED))
            .elseWhen(isFull, () => refuse(statusBits.FAIL))
            .otherwise(() => {
              ask(event.valueWritten, source.value);
              withEntry.set(1);
              entry.number.set(entry.number.add(1));
            });
        })
        .elseWhen(on(kind.remove), () => {
          ask(event.entryWritten, source.entry);
          entry.number.set(head.zext(numbers));
          entry.live.set(0);
        })
        .elseWhen(isMissing, () => refuse(statusBits.FAIL))
        .otherwise(() => ask(event.value, source.none));
    };
    const appended = (): void => {
      const isValue = at(event.valueWritten),
        valueOutcome = mux(isValue, outcome, note.failed),
        entryOutcome = mux(isValue, note.failed, outcome);
      note.half.set(1);
      note.failed.set(outcome);
      when(note.half, () => {
        note.failed.set(valueOutcome);
        finish(mux(valueOutcome.any(), valueOutcome, entryOutcome), entry.number.zext(32));
        when(valueOutcome.any().and(entryOutcome.eq(0)), () => {
          ask(event.restored, source.entry);
          entry.number.set(entry.number.sub(1));
        });
      });
    };
    const allocated = (): void => {
      regionIsFresh.set(failed);
      when(failed.not(), () => {
        does.set(again);
        hasMap.set(1);
        arena.set(mux(hasMap, found, found.add(mapBytes)));
        room.set(mux(hasMap, constant(p.arenaBytes, roomBits), p.arenaBytes - mapBytes));
        when(hasMap.not(), () => map.set(found));
      }).otherwise(() => {
        finish(outcome);
        when(regionIsFresh.not(), () => {
          region.set(region.add(1));
          ask(event.allocated, source.allocation);
        });
      });
    };

    const m = io.memoryReply.payload,
      came = node(m.tag.bits(contextBits(p), eventBits));
    const copies = node(came.eq(event.value).and(m.status.eq(0)));
    const noRoom = node(came.eq(event.allocated).and(m.status.eq(0)).and(m.va.trunc(32).any()));
    const s = fsm(
      ["idle", "collect", "load", "size", "address", "decide", "settle", "ask", "askEntry", "answer", "copy"],
      "idle",
      go => ({
        idle: () => {
          beat.set(0);
          e.set(mux(io.memoryReply.valid, came, constant(event.start, eventBits)));
          c.set(mux(io.memoryReply.valid, m.tag.trunc(contextBits(p)), io.start.payload));
          outcome.set(mux(io.memoryReply.valid, mux(noRoom, statusBits.OUT_OF_MEMORY, m.status), statusBits.OK));
          found.set(cat(m.length, m.va.bits(32, 32)));
          when(io.memoryReply.valid.or(io.start.valid), () => go.go("load"));
          when(io.memoryReply.valid.and(m.data.any()).and(copies.not()), () => go.go("collect"));
        },
        collect: () => {
          when(io.data.valid, () => {
            const bits = io.data.payload.data;
            if (bits.width >= entryBits) when(beat.eq(0), () => readBytes.set(bits.trunc(entryBits)));
            else
              for (let i = 0; i * bits.width < entryBits; i++)
                when(beat.eq(i), () => readBytes.setBits(i * bits.width, bits));
            beat.set(mux(beat.eq(3), beat, beat.add(1)));
            when(io.data.payload.last, () => go.go("load"));
          });
        },
        load: () => {
          const kept = entries.readAsync(c),
            bytes = cutFields(entryLayout, readBytes),
            read = at(event.entry);
          r.set(requests.readAsync(c));
          note.set(notes.readAsync(c));
          entry.set({
            array: mux(read, bytes.array, kept.array),
            number: mux(read, bytes.number.trunc(numbers), kept.number),
            size: mux(read, bytes.size.trunc(sizeBits), kept.size),
            live: mux(read, bytes.live.bit(0), kept.live),
          });
          go.go("size");
        },
        size: () => {
          // Sizes 9 to 16 are class 4, and so on. Bits say so with fewer levels than sums.
          const isAbove = (i: number): Bit => {
            const isInside = size.bit(i).and(size.trunc(i).any()),
              above = sizeBits - i - 1;
            return above === 0 ? isInside : isInside.or(size.bits(i + 1, above).any());
          };
          let k: UInt = constant(leastClass, 4);
          for (let i = leastClass; i < mostClass(p); i++) k = mux(isAbove(i), constant(i + 1, 4), k);
          sizeClass.set(k);
          index.set(mux(on(kind.read), r.version.trunc(versions).sub(1), mux(on(kind.latest), count.sub(1), count)));
          when(on(kind.create).not(), () => note.object.set(r.object.trunc(ids)));
          go.go("address");
        },
        address: () => {
          head.set(heads.at(classIndex));
          arrayBytes.set(constant(p.versions, roomBits).shl(sizeClass));
          offset.set(index.zext(offset.width).shl(sizeClass));
          go.go("decide");
        },
        decide: () => {
          does.set(nothing);
          withEntry.set(0);
          valueAt.set(entry.array.add(offset.zext(64)));
          switchOn(e)
            .is(event.start, start)
            .is(event.entry, entryRead)
            .is(event.value, () => finish(outcome, index.zext(32).add(1), 1))
            .is([event.entryWritten, event.valueWritten], () =>
              when(on(kind.append), appended).otherwise(() => finish(outcome)),
            )
            .is(event.allocated, allocated)
            .otherwise(() => finish(note.failed));
          go.go("settle");
        },
        settle: () => {
          entryAt.set(map.add(cat(note.object, constant(0, Math.log2(entryLayout.bytes))).zext(64)));
          when(at(event.entryWritten).and(failed.not()), () => {
            when(on(kind.create).and(note.fresh), () => {
              last.set(last.add(1));
              arena.set(arena.add(arrayBytes.zext(64)));
              room.set(room.sub(arrayBytes));
            });
            when(on(kind.create).and(note.fresh.not()), () => heads.setAt(classIndex, note.link));
            when(on(kind.remove), () => heads.setAt(classIndex, note.object));
          });
          switchOn(does)
            .is(asks, () => go.go("ask"))
            .is(answers, () => go.go("answer"))
            .is(again, () => {
              e.set(event.start);
              go.go("size");
            })
            .otherwise(() => go.go("idle"));
        },
        ask: () => {
          when(io.wanted.ready, () => {
            go.go("idle");
            when(withEntry, () => go.go("askEntry"));
          });
        },
        askEntry: () => when(io.wanted.ready, () => go.go("idle")),
        answer: () => {
          when(io.answer.ready, () => {
            go.go("idle");
            when(says.value.and(says.status.eq(0)), () => go.go("copy"));
          });
        },
        copy: () => when(io.copied, () => go.go("idle")),
      }),
    );

    io.memoryReply.ready.set(s.is("idle"));
    io.start.ready.set(s.is("idle").and(io.memoryReply.valid.not()));
    io.data.ready.set(s.is("collect"));
    entries.write(s.is("settle"), c, entry);
    notes.write(s.is("settle"), c, note);

    const second = node(s.is("askEntry")),
      isValue = node(what.event.eq(event.value).or(what.event.eq(event.valueWritten)).and(second.not()));
    io.wanted.valid.set(s.is("ask").or(second));
    io.wanted.payload.set({
      event: mux(second, constant(event.entryWritten, eventBits), what.event),
      context: c,
      source: mux(second, constant(source.entry, 2), what.source),
      va: mux(isValue, valueAt, mux(what.source.eq(source.allocation), constant(0, 64), entryAt)),
      length: mux(isValue, entry.size, constant(entryLayout.bytes, sizeBits)),
      region: region.zext(32),
    });
    const good = node(says.status.eq(0)),
      value = node(says.value.and(good));
    io.answer.valid.set(s.is("answer"));
    io.answer.payload.set({
      context: c,
      status: says.status,
      opcode: mux(says.status.eq(statusBits.MALFORMED), r.opcode, r.opcode.or(1)),
      length: mux(good, mux(value, entry.size, constant(0, sizeBits)).add(headBytes), 0),
      object: note.object.zext(32),
      version: says.version,
      value,
    });
    io.leave.set({ valid: io.answer.fire, context: c });
  },
  { nameOf: p => `MvEngine_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_i${p.idBits}_v${p.versions}_a${p.arenaBytes}` },
);
