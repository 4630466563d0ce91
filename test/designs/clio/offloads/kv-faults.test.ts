import { describe, test } from "vitest";
import { keyedOffloadPorts } from "../../../../designs/clio/offload/index.ts";
import { ClioKv, type KvParameters } from "../../../../designs/clio/offloads/kv/index.ts";
import { connect, input, instance, module, uint } from "../../../../hdl-dsl/index.ts";
import { designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  comeAndGo,
  fewFrames,
  forgets,
  type KvBench,
  likeTheModel,
  mixture,
  oneBucket,
  otherSizes,
  owners,
} from "./kv-benches.ts";
import { kvParameters } from "./kv-rig.ts";

/** Clio-KV with a port that chooses among the faults that are planted in it (0: none): one build has them all. */
const KvFaults = module(
  "KvFaults",
  (p: KvParameters) => ({ ...keyedOffloadPorts(p), fault: input(uint(5), { unused: true }) }),
  (io, p) => {
    const kv = instance("kv", ClioKv(p));
    kv.secret.set(io.secret);
    for (const name of ["request", "requestData", "memoryReply", "memoryReplyData"] as const)
      connect(io[name] as never, kv[name] as never);
    for (const name of ["reply", "replyData", "memory", "memoryData"] as const)
      connect(kv[name] as never, io[name] as never);
  },
  { nameOf: () => "KvFaults" },
);

const p = kvParameters({ beatBytes: 16, buckets: 2, arenaBytes: 2048 });
const random = mixture(400),
  model = /request \d+, opcode/,
  memory = /pairs in memory|keys in memory|a key is unique|key .* at 0x/,
  order = /not?Linearizable|meets that of/;
const alone: Plant = [/~\(~\(check_\w+ \| check_\w+\)\)/, "1'b0"];
type Plant = readonly [RegExp, string];
/**
 * Fault; expressions of the Verilog and their replacements; the bench and its message. The first five are those of
 * fault 11 (clio.md).
 */
const faults: readonly (readonly [string, readonly Plant[], KvBench, RegExp])[] = [
  [
    "a delete deletes nothing",
    [[/(?<=\.push_payload_write +\()ask_write/, "ask_write & ~(deletes & (ask_content == 2'd0))"]],
    likeTheModel,
    model,
  ],
  [
    "pipelined writes into one bucket do not wait",
    [[/\(keys_\d == enter_key\)/, "1'b0"]],
    oneBucket,
    /whoever writes is alone/,
  ],
  [
    "and nothing asserts it",
    [[/\(keys_\d == enter_key\)/, "1'b0"], alone],
    oneBucket,
    /pairs in memory|a key is unique|meets that of|overlap/,
  ],
  ["a create of a key that is there is done", [[/(?<=creates \? )hits/, "1'b0"]], likeTheModel, model],
  [
    "a key is created in the first empty entry, wherever it is further on",
    [
      [/(?<=follows = passes & )c_link_valid/, "c_link_valid & ~(creates & c_other_valid)"],
      [/(?<=over = passes & )~c_link_valid/, "(~c_link_valid | (creates & c_other_valid))"],
    ],
    likeTheModel,
    model,
  ],
  [
    "a read tells another size than the stored one",
    [[/(?<=done_front = \{5'd0, )c_found_size/, "11'd64"]],
    random,
    /front of the reply/,
  ],
  ["an entry does not keep the size", [[/(?<=\{1'b1, a_fingerprint, )a_size/, "11'd100"]], likeTheModel, model],
  ["keys are not compared", [[/(?<=same_key <= )[^;]*/, "1'b1"]], likeTheModel, model],
  [
    "owners are not compared",
    [[/\(event_line\[15:0\] == [^)]*\)/, "1'b1"]],
    owners,
    /, process|a key is unique|is not?Linearizable/,
  ],
  ["readers do not wait for who writes", [[/writes\[\d\] \| enter_writes/, "enter_writes"], alone], random, order],
  [
    "an entry is written before its pair is",
    [[/(?<=was_written <= )[^;]*/, "1'b1"]],
    random,
    /meets that of|not?Linearizable|status of|a context leaves when it is inside/,
  ],
  ["an old block is not given back", [[/~failed & ~creates/, "1'b0"]], comeAndGo, /allocations so far/],
  ["a create gives back a block, too", [[/~failed & ~creates/, "~failed"]], likeTheModel, model],
  [
    "an empty slot is not given back",
    [[/(?<=end_gives_slot <= )~failed & deletes & unlinks/, "1'b0"]],
    comeAndGo,
    /allocations so far/,
  ],
  [
    "what follows a slot that leaves the chain goes with it",
    [[/\{c_link_valid, 19'd0, c_link_block\}/, "64'd0"]],
    comeAndGo,
    memory,
  ],
  [
    "a list of free blocks forgets the list before",
    [[/(?<=listed_\d <= )words_0_valid/, "1'b0"]],
    comeAndGo,
    /allocations so far/,
  ],
  [
    "the block that holds the list is not told from the others",
    [[/(?<=all_moved \? )head/, "words_0_block"]],
    comeAndGo,
    /./,
  ],
  [
    "a pair that could not be written gets its entry",
    [[/(?<=written_when = \(\|c_verdict\) \| )\(\|write_status\)/, "1'b0"]],
    fewFrames,
    /./,
  ],
  [
    "blocks that come back are not counted",
    [[/(?<=live <= )live - 29'd1/, "live"]],
    otherSizes,
    /values of|arenas and tables/,
  ],
  ["memory is one again while a block is out", [[/live == 29'd1\b/, "(live == 29'd2)"]], otherSizes, /./],
  ["arenas do not go back", [[/arenas > 13'd1/, "1'b0"]], otherSizes, /arenas and tables/],
  ["the first arena is not carved anew", [[/arenas_begun != arenas/, "1'b0"]], otherSizes, /values of/],
  ["an arena goes back that is another", [[/emptied(?= \? last_arena)/, "1'b0"]], otherSizes, /./],
  ["a removal leaves buckets out", [[/(?<=last_bucket = )[^;]*/, "1'b1"]], forgets, /keys of the process in memory/],
  [
    "a bucket that has pairs is passed over",
    [[/(?<=marks\[.*\] <= )marked \| [^;]+/, "2'd2"]],
    forgets,
    /keys of the process in memory/,
  ],
  [
    "a removal looks at one fingerprint",
    [[/(?<=\) \| )asked_word\[\d+\](?=\) & \(progress)/, "1'b0"]],
    forgets,
    /keys of the process in memory/,
  ],
  [
    "a removal takes the keys of all",
    [[/\(event_line\[15:0\] == [^)]*\)/, "1'b1"]],
    forgets,
    /others' pairs|not?Linearizable|what a read finds|front of the reply|not to have/,
  ],
  ["a removal is answered with its first key", [[/(?<=ending & ~end_silent & )~a_any/, "1'b1"]], forgets, /./],
  ["what was not needed is not given back", [[/(?<=end_gives_new <= )1'b1/, "1'b0"]], comeAndGo, /allocations so far/],
];

describe("Clio-KV: a planted fault is found", () => {
  let faulty = designOf(KvFaults(p));
  faults.forEach(([, plants], i) => {
    for (const [from, to] of plants) faulty = plant(faulty, from, `(KvFaults.fault == 5'd${i + 1} ? ${to} : $&)`);
  });
  const runs = (i: number, run: KvBench): Promise<void> =>
    runBench(`fault ${i}`, faulty, { wave: false, seed: 4, hangCycles: 5000, limitCycles: 400_000 }, async b => {
      b.io.fault.value = i;
      await run(b, p);
    });
  test("none: the same benches pass", async () => {
    for (const run of new Set(faults.map(f => f[2]))) await runs(0, run);
  });
  faults.forEach(([name, , run, why], i) => test(name, () => findsFault(runs(i + 1, run), why)));
});
