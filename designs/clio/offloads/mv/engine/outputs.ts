/** What the engine sends: requests for memory, and answers. */
import { type Bit, constant, mux, node } from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { entryLayout, eventBits, event as eventCode, headBytes, source } from "../types.ts";
import type { EngineIo } from "./ports.ts";
import { sizeBits, type State } from "./state.ts";

/** @param entryTurn the entry is asked for behind the value */
export function askMemory(io: EngineIo, state: State, asking: Bit, entryTurn: Bit): void {
  const {
      event,
      orders: { what },
      places,
      store,
    } = state,
    { valueAt, entryAt } = places,
    { entry } = event;
  const second = node(entryTurn),
    isValue = node(what.event.eq(eventCode.value).or(what.event.eq(eventCode.valueWritten)).and(second.not()));
  io.wanted.valid.set(asking.or(second));
  io.wanted.payload.set({
    event: mux(second, constant(eventCode.entryWritten, eventBits), what.event),
    context: event.context,
    source: mux(second, constant(source.entry, 2), what.source),
    va: mux(isValue, valueAt, mux(what.source.eq(source.allocation), constant(0, 64), entryAt)),
    length: mux(isValue, entry.size, constant(entryLayout.bytes, sizeBits)),
    region: store.region.zext(32),
  });
}

export function answer(io: EngineIo, { event, orders: { says } }: State, answers: Bit): void {
  const { request, entry, note, context } = event;
  const good = node(says.status.eq(0)),
    value = node(says.value.and(good));
  io.answer.valid.set(answers);
  io.answer.payload.set({
    context,
    status: says.status,
    opcode: mux(says.status.eq(statusBits.MALFORMED), request.opcode, request.opcode.or(1)),
    length: mux(good, mux(value, entry.size, constant(0, sizeBits)).add(headBytes), 0),
    object: note.object.zext(32),
    version: says.version,
    value,
  });
  io.leave.set({ valid: io.answer.fire, context });
}
