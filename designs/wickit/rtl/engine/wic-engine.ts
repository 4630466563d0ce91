import { assertAlways, bitsFor, constant, module, node, ram, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { type EngineParameters } from "../../config/index.ts";
import { takeAnswers } from "./answers.ts";
import { freeContexts, runQueue } from "./contexts.ts";
import { core } from "./core.ts";
import { takeRequests } from "./intake.ts";
import { registerFile } from "./register-file.ts";
import { enginePorts } from "./types.ts";

/** Instructions by their address; the contents stay over a reset. */
function programMemory(p: EngineParameters) {
  const memory = ram(uint(32), {
    depth: p.programDepth,
    collision: "undefined",
    style: "block",
    init: p.image ?? [0],
    name: "program",
  });
  const bits = Math.log2(p.programDepth);
  return {
    fetch: (address: UInt): UInt => memory.readSync(address.trunc(bits), { name: "fetched" }),
    store: (en: UInt<1>, address: UInt, instruction: UInt): void =>
      memory.write(en.and(address.lt(p.programDepth)), address.trunc(bits), instruction.is(32)),
  };
}

/**
 * Runs WICs (programs of memory accesses and the logic between them; dissertation of Amaro, chapter 3): one core, many
 * contexts. A context runs until it accesses memory; then the core takes the next one from the run queue, and the
 * context comes back to the queue's front with the answer (section 3.4.1). docs/wickit.md has the instructions.
 *
 * A request ends with one reply: what REPLY names, or a status alone. FAIL: the program said so. QUOTA: it has executed
 * `mostSteps` instructions. MALFORMED: an instruction that is none, outside of the image too. Any other: memory's.
 *
 * Latency: 4 cycles from `request` (with n arguments 4 + n) to the first instruction's fetch, and `yieldCycles` more; 4
 * cycles an instruction; an access or a reply is offered in the cycle after its execute. From an answer of n words to
 * the next fetch 4 + n, and `yieldCycles`. Words leave one in 2 cycles. Initiation interval: 4 cycles an instruction;
 * an access takes the core 4 + `yieldCycles` more, and 2 for each word that it sends. Full: no context free, or a word
 * for the program memory: `request` waits. `maxInFlight` accesses under way: the core waits. A held-up `reply` or
 * `memory` holds the core, and never `memory_reply`, whose answers always have a place. Reset: no request, all
 * contexts free; the program memory stays.
 */
export const WicEngine = module(
  "WicEngine",
  (p: EngineParameters) => enginePorts(p),
  (io, p) => {
    const free = freeContexts(p),
      run = runQueue(p),
      program = programMemory(p);
    io.load.ready.set(1);
    program.store(io.load.valid, io.load.payload.address, io.load.payload.instruction);
    const taken = takeRequests(p, {
        request: io.request,
        requestData: io.requestData,
        load: io.load.valid,
        free: free.offer,
        entering: run.entering,
      }),
      answers = takeAnswers(p, {
        memoryReply: io.memoryReply,
        memoryReplyData: io.memoryReplyData,
        completing: run.completing,
      });
    const file = registerFile(p, [answers.write, taken.write]);
    answers.wrote(file.granted[0]);
    taken.wrote(file.granted[1]);
    const running = core(p, {
      front: run.front,
      back: run.back,
      yielding: run.yielding,
      freed: free.back,
      taken,
      fetch: program.fetch,
      file,
      asked: answers.asked,
      ended: answers.ended,
      base: io.base,
      reply: io.reply,
      replyData: io.replyData,
      memory: io.memory,
      memoryData: io.memoryData,
    });
    io.state.set({ free: free.level, inFlight: running.inFlight });

    // Every context is in one place: free, entering, waiting, running or with memory.
    const width = bitsFor(2 * p.contexts) + 2,
      wide = (v: UInt): UInt => v.zext(width);
    const all = node(
      [free.level, run.level, taken.busy, running.inFlight.resize(width), running.holds].reduce<UInt>(
        (sum, v) => sum.add(wide(v)),
        constant(0, width),
      ),
      { name: "contexts_in_all" },
    );
    assertAlways(all.eq(p.contexts), "every context is in one place");
  },
  {
    nameOf: p =>
      `WicEngine_c${p.contexts}_m${p.maxInFlight}_y${p.yieldCycles}_p${p.programDepth}_s${p.mostSteps}_r${p.replyWords}${p.image === undefined ? "" : `_i${p.image.length}`}`,
  },
);
