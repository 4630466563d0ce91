import { fsm, module } from "../../../../hdl-dsl/index.ts";
import { answer, askMemory } from "./engine/outputs.ts";
import { enginePorts } from "./engine/ports.ts";
import { stateOf } from "./engine/state.ts";
import { arrivalOf, decideSteps, placeSteps, sendSteps, states, takeSteps } from "./engine/steps.ts";

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
  enginePorts,
  (io, p) => {
    const parts = stateOf(io, p),
      { memories, event } = parts,
      arrival = arrivalOf(io, p);
    const state = fsm(
      states,
      "idle",
      m => ({
        ...takeSteps(io, arrival, parts, m),
        ...placeSteps(p, parts, m),
        ...decideSteps(p, parts, m),
        ...sendSteps(io, parts, m),
      }),
      { name: "s" },
    );
    io.memoryReply.ready.set(state.is("idle"));
    io.start.ready.set(state.is("idle").and(io.memoryReply.valid.not()));
    io.data.ready.set(state.is("collect"));
    memories.entries.write(state.is("settle"), event.context, event.entry);
    memories.notes.write(state.is("settle"), event.context, event.note);

    askMemory(io, parts, state.is("ask"), state.is("askEntry"));
    answer(io, parts, state.is("answer"));
  },
  { nameOf: p => `MvEngine_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_i${p.idBits}_v${p.versions}_a${p.arenaBytes}` },
);
