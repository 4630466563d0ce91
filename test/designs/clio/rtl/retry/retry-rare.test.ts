import { describe, test } from "vitest";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  everyKeyBit,
  hotSets,
  idleBus,
  leaping,
  resetsBesideTraffic,
  seenAt,
  sweptInStalls,
} from "./support/rare-benches.ts";
import { keyInTime, pauses, runMixture, type Size, small, tiny } from "./support/retry-benches.ts";
import { retryDut, type RetryPorts } from "./support/retry-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

/** Clients enough that their places take six bits; and time enough for what is asked one after the other. */
const many = { slots: 32, entries: 256, clients: 64, timeoutCycles: 1700 },
  slow = { ...tiny, timeoutCycles: 4000 };

describe("RetryBuffer: what is rare", () => {
  for (const p of [tiny, small])
    bench(`sets of ${p.entries / 4} that overflow`, retryDut(p), { seed: 1 }, b => hotSets(b, p, 300));
  bench("each bit of a key", retryDut(tiny), { seed: 1, limitCycles: 200_000 }, b => everyKeyBit(b, tiny));
  bench("64 clients", retryDut(many), { seed: 2 }, async b => {
    await runMixture(b, 6000, { doneAfter: [1, 60] }, many);
  });
  bench("numbers that leap", retryDut(tiny), { seed: 1, limitCycles: 400_000 }, b => leaping(b, tiny, 300, 20));
  bench("numbers that leap, next to nothing pushed out", retryDut(small), { seed: 2, limitCycles: 400_000 }, b =>
    leaping(b, small, 150, 1),
  );
  for (const eighths of [0, 1, 2])
    bench(`aged operations, seen ${eighths} eighths late`, retryDut(slow), {}, b => seenAt(b, slow, eighths));
  bench("resets of one cycle beside traffic", retryDut(tiny), { seed: 1 }, b => resetsBesideTraffic(b, tiny, 100));
  bench("an idle bus", retryDut(slow), { seed: 1, limitCycles: 200_000 }, b => idleBus(b, slow));
  bench("a sweep beside stalls", retryDut(slow), { seed: 1, limitCycles: 400_000 }, b => sweptInStalls(b, slow, 3));

  testOfResets(retryDut(tiny), { beside: { word: "", wait_ns: "" } }, b =>
    runMixture(b, 1000, { doneAfter: [1, 60], pause: pauses(b.random) }, tiny),
  );

  describe("a planted fault is found", () => {
    type Run = (b: Bench<RetryPorts>, p: Size) => Promise<void>;
    const hot: Run = (b, p) => hotSets(b, p, 200),
      leaps: Run = (b, p) => leaping(b, p, 100, 1),
      stalls: Run = (b, p) => sweptInStalls(b, p, 2);
    const late =
      (eighths: number): Run =>
      (b, p) =>
        seenAt(b, p, eighths);
    const key: Run = (b, p) => keyInTime(b, p);
    const faults: readonly (readonly [string, string | RegExp, string, Run, Size])[] = [
      [
        "a set is taken for swept while the pipeline stands",
        /(?<=sweep_take = )sweeps & advance/,
        "sweeps",
        stalls,
        slow,
      ],
      [
        "who stands at an idle port is asked for",
        /request_valid & (?=request_payload_tracked & ~sweeps)/,
        "",
        idleBus,
        slow,
      ],
      [
        "what stands at an idle port fixes the key",
        /request_valid & (?=request_ready & request_payload_tracked)/,
        "",
        key,
        small,
      ],
      [
        "who is overwritten right ahead leaves a way that looks empty",
        /row_3_valid \| ~current_3/,
        "row_3_valid",
        hot,
        tiny,
      ],
      [
        "a set forgets which of two ways is the newer",
        /(?<=oldest_node = ~crowded_1 \| )turn\[0\]/,
        "turn[1]",
        hot,
        tiny,
      ],
      [
        "a mark is a quarter back only while its top bits are low",
        /request_operation\[31:30\] - 2'd1/,
        "2'd0",
        leaps,
        small,
      ],
      ["an age of three eighths is none", /\(mark\[31:29\] - row\[\d+:\d+\]\) == 3'd3/, "1'b0", late(1), slow],
      ["an age of four eighths is none", /\(mark\[31:29\] - row\[\d+:\d+\]\) == 3'd4/, "1'b0", late(2), slow],
      [
        "a bit of a key takes part in the choice of a set that the hash leaves out",
        /request_payload_client\[47\] & hash_key_q\[47\]/,
        "request_payload_client[47]",
        everyKeyBit,
        tiny,
      ],
    ];
    for (const [name, from, to, run, p] of faults)
      test(name, () =>
        findsFault(
          runBench(name, plant(retryDut(p), from, to), { wave: false, seed: 1, limitCycles: 400_000 }, b => run(b, p)),
        ),
      );
  });
});
