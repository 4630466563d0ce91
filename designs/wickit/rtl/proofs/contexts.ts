/**
 * The contexts of an engine: each is in one place, and each request ends once. The queues, the intake and the answers
 * are those of the engine; the core is any that takes a context, and lets it access memory, give way or end.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  bitsFor,
  constant,
  cover,
  decode,
  fsm,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  pack,
  producerObeys,
  type Proof,
  reg,
  sink,
  type StreamIn,
  uint,
  type UInt,
  type UIntShape,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters, usualEngine } from "../../config/index.ts";
import { accessCount } from "../engine/access-count.ts";
import { takeAnswers } from "../engine/answers.ts";
import { freeContexts, runQueue } from "../engine/contexts.ts";
import { takeRequests } from "../engine/intake.ts";
import { MemoryAnswer, WicRequest, Word } from "../engine/types.ts";

const small: EngineParameters = { ...usualEngine, contexts: 2, maxInFlight: 2 };

const ports = (p: EngineParameters) => ({
  request: sink(WicRequest),
  requestData: sink(Word),
  memoryReply: sink(MemoryAnswer(p)),
  memoryReplyData: sink(Word),
  load: input(bit),
  /** What the core does next, whether its neighbours take it, and who may write a register. */
  what: input(uint(2)),
  taken: input(bit),
  writes: input(uint(2)),
  /** What the engine makes registers of: no claim is about it. */
  written: output(bit),
});
type Io = Inside<ReturnType<typeof ports>>;

/** Contexts at memory, and those with a request. Memory answers what was asked, once. */
function trackContexts(
  io: Io,
  p: EngineParameters,
  context: UInt,
  { begin, offer, frees }: { readonly begin: Bit; readonly offer: StreamIn<UIntShape>; readonly frees: Bit },
) {
  const bitOf = (en: UInt<1>, of: UInt): UInt => mux(en, decode(of, p.contexts), constant(0, p.contexts));
  const pending = reg(uint(p.contexts), { init: 0, name: "model_pending" }),
    inside = reg(uint(p.contexts), { init: 0, name: "model_inside" });
  pending.set(pending.or(bitOf(begin, context)).and(bitOf(io.memoryReply.fire, io.memoryReply.payload.context).not()));
  inside.set(inside.or(bitOf(offer.fire, offer.payload)).and(bitOf(frees, context).not()));
  assumeAlways(
    io.memoryReply.valid.not().or(pending.and(decode(io.memoryReply.payload.context, p.contexts)).any()),
    "memory answers what was asked, once",
  );
  return { pending, inside };
}

const harness = module("WicContextsProof", ports, (io, p) => {
  const free = freeContexts(p),
    run = runQueue(p),
    intake = takeRequests(p, {
      request: io.request,
      requestData: io.requestData,
      load: io.load,
      free: free.offer,
      entering: run.entering,
    }),
    answers = takeAnswers(p, { ...io, completing: run.completing });
  intake.wrote(intake.write.en.and(io.writes.bit(0)));
  answers.wrote(answers.write.en.and(io.writes.bit(1)));

  const context = reg(uint(contextBits(p)), { name: "model_context" }),
    away = reg(bit, { init: 0, name: "model_away" });
  const begins = node(io.what.eq(0).and(io.taken), { name: "model_asks" });
  const running = reg(bit, { init: 0, name: "model_running" }),
    begin = node(running.and(away.not()).and(begins), { name: "model_begins" });
  const flight = accessCount(p, begin, answers.ended);
  const s = fsm(
    ["pick", "run", "save", "free"],
    "pick",
    go => ({
      pick: () => {
        context.set(mux(run.front.valid, run.front.payload.context, run.back.payload.context));
        when(flight.room.and(run.front.valid.or(run.back.valid)), () => {
          running.set(1);
          go.go("run");
        });
      },
      run: () => {
        when(begin, () => {
          away.set(1);
          running.set(0);
          go.go("save");
        });
        when(io.what.eq(1), () => {
          running.set(0);
          go.go("save");
        });
        when(io.what.eq(2), () => {
          running.set(0);
          go.go("free");
        });
      },
      save: () => {
        when(away.or(run.yielding.ready), () => {
          away.set(0);
          go.go("pick");
        });
      },
      free: () => go.go("pick"),
    }),
    { name: "model_core" },
  );
  run.front.ready.set(s.is("pick").and(flight.room));
  run.back.ready.set(s.is("pick").and(flight.room).and(run.front.valid.not()));
  run.yielding.valid.set(s.is("save").and(away.not()));
  run.yielding.payload.set({ context, fresh: 0 });
  free.back.valid.set(s.is("free"));
  free.back.payload.set(context);
  answers.asked(begin, context, constant(0, 4));

  for (const [name, stream] of Object.entries({ request: io.request, memoryReply: io.memoryReply }))
    producerObeys({ valid: stream.valid, ready: stream.ready, payload: pack(stream.payload) }, name);
  const { pending, inside } = trackContexts(io, p, context, { begin, offer: free.offer, frees: s.is("free") });
  const width = bitsFor(2 * p.contexts) + 2,
    wide = (v: UInt): UInt => v.resize(width),
    holds = s.is("pick").or(away).not();
  const all = [free.level, run.level, intake.busy, flight.count, holds].reduce<UInt>(
    (sum, v) => sum.add(wide(v)),
    constant(0, width),
  );
  assertAlways(all.eq(p.contexts), "every context is in one place");
  const ofContext = (set: UInt, of: UInt): UInt<1> => set.and(decode(of, p.contexts)).any();
  assertAlways(
    free.offer.valid.not().or(ofContext(inside, free.offer.payload).not()),
    "a context that is offered has no request",
  );
  assertAlways(
    s.is("free").not().or(ofContext(inside, context)),
    "only a request that is inside ends, so each ends once",
  );
  assertAlways(
    running.not().or(ofContext(inside, context).and(ofContext(pending, context).not())),
    "who runs has a request, and no access under way",
  );
  cover(inside.all(), "all contexts taken");
  cover(run.front.valid.and(run.back.valid), "one that has completed beside one that is new");
  cover(s.is("free"), "a request ends");
  const data = io.requestData.payload.xor(io.memoryReplyData.payload).parity();
  io.written.set(data.xor(answers.write.register.parity()).xor(intake.queued));
});

export const contextProof: Proof = {
  module: "WicEngine, its contexts",
  harness: harness(small),
  own: true,
  long: true,
  reach: 24,
  faults: [
    {
      what: "a context that has come back is offered twice",
      from: /free_returned_pop_ready = [^;]*;/,
      to: "free_returned_pop_ready = 1'b0;",
    },
    { what: "an access that begins as another ends counts twice", from: "& ~answers_ended)", to: ")" },
    {
      what: "a context is queued again as it is queued",
      from: /answers_state_queue: answers_state <= answers_state_idle;/,
      to: "answers_state_queue: if (taken) answers_state <= answers_state_idle;",
    },
    {
      what: "reset does not count, and a context is given out again",
      from: /free_issued <= free_issued \+ 2'd1;/,
      to: "free_issued <= free_issued;",
    },
  ],
};
