/**
 * Not among the node's proofs (index.ts): no engine has decided these two yet. The first had 100 s on a busy machine,
 * and no answer came; the second was not run. The harness as it was before, with the units themselves in it, held for
 * 17 cycles from reset.
 *
 * The retry buffer: no operation is passed on twice while its client is known. The claim and the invariant that carries
 * it stand in retry-watch.ts; here are the surroundings. Any number of requests comes, of any client and number: first
 * ones, copies and repetitions, in any order and for ever. Any one operation stands for all. Clients become known and
 * unknown at any time that the unit allows. Numbers do not wrap: that case is for the bench.
 *
 * The unit of the clients is replaced by one that may do all that is proved of it (retry-any-clients.ts).
 */
import { assumeAlways, type Bit, cat, cover, input, instance, module, type Proof } from "../../../../hdl-dsl/index.ts";
import { type RetryBufferParameters, whole } from "../retry/retry-request.ts";
import { retryVerdictPorts } from "../retry/retry-verdict/ports.ts";
import { verdictOf } from "../retry/retry-verdict.ts";
import { RetrySweep } from "../retry/retry-sweep.ts";
import { anyClient, AnyClients } from "./retry-any-clients.ts";

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
};

const harness = module(
  "RetryBufferProof",
  (p: RetryBufferParameters) => ({ ...retryVerdictPorts(p), any: input(anyClient(whole(p))) }),
  (io, p) => {
    const sizes = whole(p),
      clients = instance("clients", AnyClients(sizes)),
      sweep = instance("sweep", RetrySweep(sizes));
    clients.any.set(io.any);
    verdictOf(io, p, { clients, sweep });
    const { valid, payload: r } = io.request;
    assumeAlways(cat(valid, r.fence, r.keeps).all().not(), "a fence is not kept (proof of Mat)");
    assumeAlways(valid.not().or(r.operation.lt(NUMBERS)), "numbers within half a round");

    const finds = (kind: "found" | "expired" | "yields"): Bit => io.finding.valid.and(io.finding.kind.eq(kind));
    cover(finds("found"), "a repetition is found");
    cover(finds("expired"), "a repetition finds it forgotten");
    cover(io.evicted, "an operation is pushed out");
    cover(io.replaced, "a client is forgotten for another");
  },
  { nameOf: p => (p.watchedPlaces === true ? "RetryPlacesProof" : "RetryBufferProof") },
);

export const retryBufferProof: Proof = {
  module: "RetryBuffer, 2 sets of 2, 2 clients",
  harness: harness({ ...p, watchedNumbers: NUMBERS }),
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

export const retryPlacesProof: Proof = {
  module: "RetryBuffer, places that change hands",
  harness: harness({ ...p, watchedPlaces: true }),
  reach: 16,
  faults: [
    { what: "a set is not swept", from: /(?<=wire removes_1 =\s*)[^;]*;/, to: " 1'b0;" },
    {
      what: "a place is free while its last set is in the pipeline",
      from: /(?<=purged <= )[^;]*;/,
      to: "looked_valid & looked_purges_last;",
    },
    {
      what: "what was written just ahead is not swept",
      from: /(?<=wire current_0 = )[^;]*;/,
      to: "1'b0;",
    },
  ],
};
