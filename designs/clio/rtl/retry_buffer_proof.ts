/**
 * The retry buffer: no operation is passed on twice. Not among the node's proofs yet (proofs.ts): no engine decides it for runs of any
 * length within minutes; no counterexample in the first 15 cycles. What it wants is the invariant that a key that was remembered stays in
 * its set, or is not newer than its client's mark, or is just being written down.
 */
import {
  assertAlways, assumeAlways, bit, cat, connect, constant, cover, decode, input, instance, module, mux, node, output, reg, source, struct, uint,
  when, type Bit, type Proof, type UInt,
} from "../../../hdl-dsl/index.ts";
import { RetryBuffer, type RetryBufferParameters } from "./retry_buffer.ts";
import { RetryAnswer } from "./retry_results.ts";

const SLOTS = 2;
const b = (v: unknown): Bit => v as Bit;

/** Numbers that a client uses, of 2^operationBits: fewer than half a round, so that any may be asked for at any time. */
const NUMBERS = 6;

/**
 * The surroundings: as many requests as they like, of any client and number, first ones, copies and repetitions in any order and for ever, done
 * and answered whenever. Any one key of client and number stands for all. Nobody is ever forgotten here (there are as many places as
 * clients), and numbers do not wrap: those are for the bench.
 */
const harness = (name: string, p: RetryBufferParameters & { readonly clientBits: number; readonly operationBits: number }) => module(
  name,
  () => ({
    pass: source(struct({ slot: uint(1) })), fence: source(struct({ slot: uint(1) })), answer: source(RetryAnswer(p)),
    request: input(struct({ valid: bit, slot: uint(1), tracked: bit, keeps: bit, introduces: bit, fence: bit, client: uint(p.clientBits),
      operation: uint(p.operationBits) })),
    done: input(struct({ valid: bit, slot: uint(1), status: uint(4), word: uint(1) })),
    key: input(struct({ client: uint(p.clientBits), operation: uint(p.operationBits) })),
    word_slot: input(uint(1)), word: output(uint(1)), ready: output(bit),
  }),
  io => {
    const dut = instance("dut", RetryBuffer(p)), r = io.request;
    // Any one key, the same in all cycles.
    const chosen = reg(bit, { init: 0, name: "model_chosen" });
    const client = reg(uint(p.clientBits), { init: 0, name: "model_client" });
    const operation = reg(uint(p.operationBits), { init: 0, name: "model_operation" });
    chosen.set(1);
    const begins = node(b(chosen).not(), { name: "model_begins" });
    when(begins, () => {
      client.set(io.key.client);
      operation.set(io.key.operation);
    });

    const guarded = node(r.tracked.and(r.keeps), { name: "model_guarded" });
    dut.request.valid.set(r.valid);
    dut.request.payload.set({
      access: { slot: r.slot, pid: 0, va: cat(guarded, r.client, r.operation).zext(64), length: 0, write: 0, silent: 0, replyOpcode: 0, op: 0,
        indirect: 0 },
      tracked: r.tracked, keeps: r.keeps, introduces: r.introduces, fence: r.fence, client: r.client, operation: r.operation,
    } as never);
    io.ready.set(dut.request.ready);
    dut.done.set({ valid: io.done.valid, slot: io.done.slot, status: io.done.status, word: io.done.word });
    dut.word_slot.set(io.word_slot);
    io.word.set(dut.word);
    io.pass.valid.set(dut.pass.valid);
    dut.pass.ready.set(io.pass.ready);
    io.pass.payload.set({ slot: dut.pass.payload.slot });
    connect(dut.fence as never, io.fence);
    connect(dut.answer as never, io.answer);
    const takes = node(r.valid.and(dut.request.ready), { name: "model_takes" });

    // A slot has one request at a time; it is done when it has passed.
    const marked = (given: Bit, slot: UInt): UInt => mux(given, decode(slot, SLOTS), constant(0, SLOTS));
    const busy = reg(uint(SLOTS), { init: 0, name: "model_busy" });
    const passed = reg(uint(SLOTS), { init: 0, name: "model_passed" });
    const ended = node(marked(io.done.valid, io.done.slot).or(marked(io.fence.fire, io.fence.payload.slot))
      .or(marked(io.answer.fire, io.answer.payload.slot)), { name: "model_ended" });
    busy.set(busy.and(ended.not()).or(marked(takes, r.slot)));
    passed.set(passed.or(marked(io.pass.fire, io.pass.payload.slot)).and(ended.not()));
    assumeAlways(r.valid.not().or((busy as unknown as UInt).shr(r.slot).bit(0).not()), "a request has a free slot");
    assumeAlways(cat(r.valid, r.fence, r.keeps).all().not(), "a fence is not kept");
    assumeAlways(io.done.valid.not().or((passed as unknown as UInt).shr(io.done.slot).bit(0)), "what is done has passed");

    assumeAlways(r.valid.and(begins).not(), "the key is chosen first");
    assumeAlways(r.valid.not().or(r.operation.lt(NUMBERS)), "numbers within half a round");

    // The claim.
    const done = reg(bit, { init: 0, name: "model_done" });
    const key = cat(constant(1, 1), client, operation);
    const again = node(dut.pass.payload.va.bits(0, key.width).eq(key), { name: "model_is_key" });
    when(io.pass.fire.and(again), () => { done.set(1); });
    assertAlways(io.pass.fire.and(again).and(b(done)).not(), "no operation passes twice");
    cover(io.pass.fire.and(again), "the operation passes");
    cover(io.answer.fire.and(io.answer.payload.kind.eq(0)).and(b(done)), "a repetition is answered with the result");
    cover(io.answer.fire.and(io.answer.payload.kind.eq(1)).and(b(done)), "a repetition finds it under way");
  },
)();

const faults = [
  { what: "what is pushed out is not written down", from: /newest = [^;]*;/, to: "newest = 1'b0;" },
  { what: "who comes right behind an insertion does not see it", from: /repeats_ahead = [^;]*;/, to: "repeats_ahead = 1'b0;" },
  { what: "who comes right behind a forgotten operation does not see that", from: /leaves_it = [^;]*;/, to: "leaves_it = 1'b0;" },
] as const;
export const retryBufferProof: Proof = {
  module: "RetryBuffer, 2 sets of 2, 2 clients",
  harness: harness("RetryBufferProof", { slots: SLOTS, entries: 4, ways: 2, clients: 2, timeoutCycles: 4, clientBits: 1, operationBits: 4, wordBits: 1, stampBits: 5 }),
  reach: 16,
  faults,
};
