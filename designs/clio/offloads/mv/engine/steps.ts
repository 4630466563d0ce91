/** The engine's steps: an event is taken, its request looked up, its places worked out; then it is decided. */
import { cat, constant, type FsmControl, mux, node, switchOn, when } from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import { statusBits } from "../../../wire/index.ts";
import {
  contextBits,
  entryLayout,
  eventBits,
  event as eventCode,
  kind,
  type MultiVersionParameters,
} from "../types.ts";
import { allocated, appended, begins, entryRead } from "./decide.ts";
import { does } from "./orders.ts";
import type { EngineIo } from "./ports.ts";
import { classOf } from "./size-class.ts";
import { entryBits, sizeBits, sizesOf, type State } from "./state.ts";

export const states = [
  "idle",
  "collect",
  "load",
  "size",
  "address",
  "decide",
  "settle",
  "ask",
  "askEntry",
  "answer",
  "copy",
] as const;
type Control = FsmControl<(typeof states)[number]>;

/** The reply of memory that comes: of which event, and whether it is more than its status says. */
export function arrivalOf(io: EngineIo, p: MultiVersionParameters) {
  const reply = io.memoryReply.payload,
    came = node(reply.tag.bits(contextBits(p), eventBits));
  const copies = node(came.eq(eventCode.value).and(reply.status.eq(0)));
  const noRoom = node(came.eq(eventCode.allocated).and(reply.status.eq(0)).and(reply.va.trunc(32).any()));
  return { reply, came, copies, noRoom };
}

/** Takes an event, a start or a reply of memory, and collects the bytes behind it. */
export function takeSteps(io: EngineIo, arrival: ReturnType<typeof arrivalOf>, { event }: State, m: Control) {
  const { code, context, outcome, found, readBytes, beat } = event,
    { reply, came, copies, noRoom } = arrival;
  return {
    idle: () => {
      beat.set(0);
      code.set(mux(io.memoryReply.valid, came, constant(eventCode.start, eventBits)));
      context.set(mux(io.memoryReply.valid, reply.tag.trunc(context.width), io.start.payload));
      outcome.set(mux(io.memoryReply.valid, mux(noRoom, statusBits.OUT_OF_MEMORY, reply.status), statusBits.OK));
      found.set(cat(reply.length, reply.va.bits(32, 32)));
      when(io.memoryReply.valid.or(io.start.valid), () => m.go("load"));
      when(io.memoryReply.valid.and(reply.data.any()).and(copies.not()), () => m.go("collect"));
    },
    collect: () => {
      when(io.data.valid, () => {
        const bits = io.data.payload.data;
        if (bits.width >= entryBits) when(beat.eq(0), () => readBytes.set(bits.trunc(entryBits)));
        else
          for (let i = 0; i * bits.width < entryBits; i++)
            when(beat.eq(i), () => readBytes.setBits(i * bits.width, bits));
        beat.set(mux(beat.eq(3), beat, beat.add(1)));
        when(io.data.payload.last, () => m.go("load"));
      });
    },
  };
}

/** What is known of the request, and where its object and value lie. */
export function placeSteps(p: MultiVersionParameters, state: State, m: Control) {
  const { event, memories, store, places, size, count, on, at } = state,
    { context, request, entry, note, readBytes } = event,
    { index, sizeClass, classIndex, head, arrayBytes, offset } = places,
    { ids, versions, numbers, roomBits } = sizesOf(p);
  return {
    load: () => {
      const kept = memories.entries.readAsync(context),
        bytes = cutFields(entryLayout, readBytes),
        read = at(eventCode.entry);
      request.set(memories.requests.readAsync(context));
      note.set(memories.notes.readAsync(context));
      entry.set({
        array: mux(read, bytes.array, kept.array),
        number: mux(read, bytes.number.trunc(numbers), kept.number),
        size: mux(read, bytes.size.trunc(sizeBits), kept.size),
        live: mux(read, bytes.live.bit(0), kept.live),
      });
      m.go("size");
    },
    size: () => {
      sizeClass.set(classOf(size, p));
      index.set(mux(on(kind.read), request.version.trunc(versions).sub(1), mux(on(kind.latest), count.sub(1), count)));
      when(on(kind.create).not(), () => note.object.set(request.object.trunc(ids)));
      m.go("address");
    },
    address: () => {
      head.set(store.heads.at(classIndex));
      arrayBytes.set(constant(p.versions, roomBits).shl(sizeClass));
      offset.set(index.zext(offset.width).shl(sizeClass));
      m.go("decide");
    },
  };
}

/** What is done, and what there is from then on. */
export function decideSteps(p: MultiVersionParameters, state: State, m: Control) {
  const { event, store, places, orders, failed, on } = state,
    { code, outcome, entry, note } = event,
    { index, classIndex, arrayBytes, offset, valueAt, entryAt } = places,
    { last, arena, room, heads, map } = store,
    { todo, withEntry, finish } = orders;
  return {
    decide: () => {
      todo.set(does.nothing);
      withEntry.set(0);
      valueAt.set(entry.array.add(offset.zext(64)));
      switchOn(code)
        .is(eventCode.start, () => begins(state))
        .is(eventCode.entry, () => entryRead(state))
        .is(eventCode.value, () => finish(outcome, index.zext(32).add(1), 1))
        .is([eventCode.entryWritten, eventCode.valueWritten], () =>
          when(on(kind.append), () => appended(state)).otherwise(() => finish(outcome)),
        )
        .is(eventCode.allocated, () => allocated(p, state))
        .otherwise(() => finish(note.failed));
      m.go("settle");
    },
    settle: () => {
      entryAt.set(map.add(cat(note.object, constant(0, Math.log2(entryLayout.bytes))).zext(64)));
      when(state.at(eventCode.entryWritten).and(failed.not()), () => {
        when(on(kind.create).and(note.fresh), () => {
          last.set(last.add(1));
          arena.set(arena.add(arrayBytes.zext(64)));
          room.set(room.sub(arrayBytes));
        });
        when(on(kind.create).and(note.fresh.not()), () => heads.setAt(classIndex, note.link));
        when(on(kind.remove), () => heads.setAt(classIndex, note.object));
      });
      switchOn(todo)
        .is(does.asks, () => m.go("ask"))
        .is(does.answers, () => m.go("answer"))
        .is(does.again, () => {
          code.set(eventCode.start);
          m.go("size");
        })
        .otherwise(() => m.go("idle"));
    },
  };
}

/** Memory is asked, or the request answered. */
export function sendSteps(io: EngineIo, { orders: { says, withEntry } }: State, m: Control) {
  return {
    ask: () => {
      when(io.wanted.ready, () => {
        m.go("idle");
        when(withEntry, () => m.go("askEntry"));
      });
    },
    askEntry: () => when(io.wanted.ready, () => m.go("idle")),
    answer: () => {
      when(io.answer.ready, () => {
        m.go("idle");
        when(says.value.and(says.status.eq(0)), () => m.go("copy"));
      });
    },
    copy: () => when(io.copied, () => m.go("idle")),
  };
}
