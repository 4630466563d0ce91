/**
 * Not among the node's proofs (index.ts): no engine decides it for runs of any length within 90 s. With the turns in
 * it, all of it holds for 17 cycles from reset (abc bmc3). Of its parts, RetrySweep, RetryClients and the turns are
 * proved for runs of any length.
 *
 * The retry buffer: no operation is passed on twice. The claim and the invariant that carries it stand in
 * retry-watch.ts; here are the surroundings. Any number of requests comes, of any client and number: first ones, copies
 * and repetitions, in any order and for ever. Any one operation stands for all. No client is ever forgotten here (there
 * are as many places as clients), and numbers do not wrap: those cases are for the bench.
 */
import {
  assumeAlways,
  bit,
  cat,
  cover,
  input,
  instance,
  module,
  output,
  type Proof,
  source,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import type { RetryBufferParameters } from "../retry/retry-request.ts";
import { RetryFinding } from "../retry/retry-results.ts";
import { RetryVerdict } from "../retry/retry-verdict.ts";

/**
 * Numbers that a client uses, of 2^operationBits: fewer than half a round, so that any may be requested at any time.
 */
const NUMBERS = 6;
const p: RetryBufferParameters = {
  slots: 2,
  entries: 4,
  ways: 2,
  clients: 2,
  timeoutCycles: 4,
  clientBits: 1,
  operationBits: 4,
  stampBits: 5,
  watchedNumbers: NUMBERS,
};

const harness = module(
  "RetryBufferProof",
  () => ({
    request: input(
      struct({
        valid: bit,
        tracked: bit,
        keeps: bit,
        introduces: bit,
        fence: bit,
        client: uint(1),
        operation: uint(4),
      }),
    ),
    pass: source(struct({ slot: uint(1) })),
    fence: source(struct({ slot: uint(1) })),
    ready: output(bit),
    finding: output(RetryFinding(p)),
    replaced: output(bit),
  }),
  io => {
    const dut = instance("dut", RetryVerdict(p)),
      r = io.request;
    dut.request.valid.set(r.valid);
    dut.request.payload.set({
      access: { slot: 0, pid: 0, va: 0, length: 0, write: 0, silent: 0, replyOpcode: 0, op: 0, indirect: 0 },
      tracked: r.tracked,
      keeps: r.keeps,
      introduces: r.introduces,
      fence: r.fence,
      client: r.client,
      operation: r.operation,
    });
    // Any key: the first cycle's request has the bits.
    dut.hashKey.set(cat(...Array.from({ length: 16 }, () => r.operation)));
    io.ready.set(dut.request.ready);
    for (const to of ["pass", "fence"] as const) {
      io[to].valid.set(dut[to].valid);
      dut[to].ready.set(io[to].ready);
      io[to].payload.set({ slot: dut[to].payload.slot });
    }
    io.finding.set(dut.finding);
    io.replaced.set(dut.replaced);
    assumeAlways(cat(r.valid, r.fence, r.keeps).all().not(), "a fence is not kept");
    assumeAlways(r.valid.not().or(r.operation.lt(NUMBERS)), "numbers within half a round");

    const finds = (kind: "found" | "expired") => dut.finding.valid.and(dut.finding.kind.eq(kind));
    cover(finds("found"), "a repetition is found");
    cover(finds("expired"), "a repetition finds it forgotten");
    cover(dut.evicted, "an operation is pushed out");
  },
)();

export const retryBufferProof: Proof = {
  module: "RetryBuffer, 2 sets of 2, 2 clients",
  harness,
  reach: 16,
  faults: [
    { what: "what is pushed out is not written down", from: /newest = [^;]*;/, to: "newest = 1'b0;" },
    {
      what: "who comes right behind an insertion does not see it",
      from: /repeats_ahead = [^;]*;/,
      to: "repeats_ahead = 1'b0;",
    },
    {
      what: "who comes right behind a forgotten operation does not see that",
      from: /leaves_it = [^;]*;/,
      to: "leaves_it = 1'b0;",
    },
    {
      what: "who comes second behind a forgotten operation does not see that",
      from: /left <= judged_forgets[^;]*;/,
      to: "left <= 1'b0;",
    },
  ],
};
