/** What follows from an event. */
import { constant, mux, when } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { event as eventCode, kind, type MultiVersionParameters, source } from "../types.ts";
import { does } from "./orders.ts";
import { sizesOf, type State } from "./state.ts";

/** A request begins: its entry is read; a new object has none. */
export function begins({ store, event, compared, places, orders, size, on }: State): void {
  const { request, entry, note } = event,
    { ask, refuse } = orders,
    { last, room, arena } = store,
    { head, arrayBytes } = places;
  when(request.malformed, () => refuse(statusBits.MALFORMED))
    .elseWhen(on(kind.create), () => {
      note.fresh.set(head.eq(0));
      note.object.set(mux(head.any(), head, last.add(1)));
      when(head.any(), () => ask(eventCode.entry, source.none))
        .elseWhen(last.all(), () => refuse(statusBits.OUT_OF_MEMORY))
        .elseWhen(room.ge(arrayBytes), () => {
          ask(eventCode.entryWritten, source.entry);
          entry.set({ array: arena, number: 0, size, live: 1 });
        })
        .otherwise(() => ask(eventCode.allocated, source.allocation));
    })
    .elseWhen(compared.isUnknown, () => refuse(statusBits.FAIL))
    .otherwise(() => ask(eventCode.entry, source.none));
}

/** The entry has come: it decides everything, before anything is written. */
export function entryRead({ event, compared, places, orders, size, failed, on }: State): void {
  const { entry, note, outcome } = event,
    { ask, finish, refuse, withEntry } = orders,
    { isMisfit, isFull, isMissing } = compared;
  note.link.set(entry.number.trunc(note.link.width));
  note.half.set(0);
  when(failed, () => finish(outcome))
    .elseWhen(on(kind.create), () => {
      ask(eventCode.entryWritten, source.entry);
      entry.number.set(0);
      entry.size.set(size);
      entry.live.set(1);
    })
    .elseWhen(entry.live.not(), () => refuse(statusBits.FAIL))
    .elseWhen(on(kind.append), () => {
      when(isMisfit, () => refuse(statusBits.MALFORMED))
        .elseWhen(isFull, () => refuse(statusBits.FAIL))
        .otherwise(() => {
          ask(eventCode.valueWritten, source.value);
          withEntry.set(1);
          entry.number.set(entry.number.add(1));
        });
    })
    .elseWhen(on(kind.remove), () => {
      ask(eventCode.entryWritten, source.entry);
      entry.number.set(places.head.zext(entry.number.width));
      entry.live.set(0);
    })
    .elseWhen(isMissing, () => refuse(statusBits.FAIL))
    .otherwise(() => ask(eventCode.value, source.none));
}

/** Value or entry of an append is written: the second of them ends it. */
export function appended({ event, orders, at }: State): void {
  const { entry, note, outcome } = event,
    { ask, finish } = orders;
  const isValue = at(eventCode.valueWritten),
    valueOutcome = mux(isValue, outcome, note.failed),
    entryOutcome = mux(isValue, note.failed, outcome);
  note.half.set(1);
  note.failed.set(outcome);
  when(note.half, () => {
    note.failed.set(valueOutcome);
    finish(mux(valueOutcome.any(), valueOutcome, entryOutcome), entry.number.zext(32));
    when(valueOutcome.any().and(entryOutcome.eq(0)), () => {
      ask(eventCode.restored, source.entry);
      entry.number.set(entry.number.sub(1));
    });
  });
}

/** There is a new arena, with the map in front in the first one; or the next region is asked. */
export function allocated(p: MultiVersionParameters, { store, event, orders, failed }: State): void {
  const { outcome, found } = event,
    { ask, finish, todo } = orders,
    { hasMap, map, arena, room, region, regionIsFresh } = store,
    { mapBytes, roomBits } = sizesOf(p);
  regionIsFresh.set(failed);
  when(failed.not(), () => {
    todo.set(does.again);
    hasMap.set(1);
    arena.set(mux(hasMap, found, found.add(mapBytes)));
    room.set(mux(hasMap, constant(p.arenaBytes, roomBits), p.arenaBytes - mapBytes));
    when(hasMap.not(), () => map.set(found));
  }).otherwise(() => {
    finish(outcome);
    when(regionIsFresh.not(), () => {
      region.set(region.add(1));
      ask(eventCode.allocated, source.allocation);
    });
  });
}
