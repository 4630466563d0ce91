/** Pipelines: a queue of as many elements as stages, whose fields stay together. */
import { struct, uint } from "../types/shape.ts";
import { map, stream } from "../stream/stream.ts";
import { pipeline } from "../stream/pipeline.ts";
import type { Proof } from "./harness/proof.ts";
import { streamUnit } from "./harness/stream-unit.ts";

const In = struct({ v: uint(2) }),
  Out = struct({ w: uint(2) });

export const pipelineProofs: readonly Proof[] = [
  {
    module: "pipeline, 2 stages",
    harness: streamUnit("PipelineProof", {
      width: 2,
      capacity: 2,
      latency: 2,
      expected: v => v.add(1).xor(v),
      build: from => {
        const end = stream(Out, { name: "end" });
        // The second stage meets the sum of the first with the operand itself, which has ridden along.
        pipeline(
          map(from, In, v => ({ v: v.is(2) }), { name: "begin" }),
          { name: "dut" },
        )
          .stage(f => ({ sum: f.v.add(1) }))
          .stage(f => ({ w: f.sum.xor(f.v) }))
          .into(end);
        return map(end, uint(2), o => o.w, { name: "out" });
      },
    }),
    faults: [
      {
        what: "a field that rides along does not wait for its stage",
        from: /if \((\w+_valid) & dut_s1_ready\)/,
        to: "if ($1)",
      },
    ],
  },
];
