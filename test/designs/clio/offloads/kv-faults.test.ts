import { describe, test } from "vitest";
import { keyedOffloadPorts } from "../../../../designs/clio/offload/index.ts";
import { ClioKv, type KvParameters } from "../../../../designs/clio/offloads/kv/index.ts";
import { connect, input, instance, module, uint } from "../../../../hdl-dsl/index.ts";
import { designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  besideOne,
  checkered,
  comeAndGo,
  fewFrames,
  forgets,
  type KvBench,
  likeTheModel,
  mixture,
  oneBucket,
  otherSizes,
  owners,
  runsOut,
} from "./kv-benches.ts";
import { kvParameters } from "./kv-rig.ts";

/** Clio-KV with a port that chooses among the faults that are planted in it (0: none): one build has them all. */
const KvFaults = module(
  "KvFaults",
  (p: KvParameters) => ({ ...keyedOffloadPorts(p), fault: input(uint(6), { unused: true }) }),
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

const p = kvParameters({ beatBytes: 16, buckets: 2, arenaBytes: 8192 });
const random = mixture(400),
  model = /request \d+, opcode/,
  memory = /pairs in memory|keys in memory|a key is unique|key .* at 0x/,
  order = /not?Linearizable|meets that of/;
const evenUnits = `{${Array.from({ length: 16 }, (_, i) => `free_units[${30 - 2 * i}]`).join(", ")}}`;
const lost = /values of|arenas and tables|count as taken|ALLOC of another|has not ended/;
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
    [[/keys_\d == enter_key/, "1'b0"]],
    oneBucket,
    /whoever writes is alone/,
  ],
  [
    "and nothing asserts it",
    [[/keys_\d == enter_key/, "1'b0"], alone],
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
  ["an old block is not given back", [[/~failed & ~creates/, "1'b0"]], comeAndGo, lost],
  ["a create gives back a block, too", [[/~failed & ~creates/, "~failed"]], likeTheModel, model],
  [
    "an empty slot is not given back",
    [[/(?<=end_gives_slot <= )~failed & deletes & unlinks/, "1'b0"]],
    comeAndGo,
    lost,
  ],
  [
    "what follows a slot that leaves the chain goes with it",
    [[/\{c_link_valid, 19'd0, c_link_block\}/, "64'd0"]],
    comeAndGo,
    memory,
  ],
  [
    "a pair that could not be written gets its entry",
    [[/(?<=written_when = \(\|c_verdict\) \| )\(\|write_status\)/, "1'b0"]],
    fewFrames,
    /./,
  ],
  ["a removal leaves buckets out", [[/(?<=last_bucket <= )[^;]*/, "1'b1"]], forgets, /keys of the process in memory/],
  [
    "a bucket that has pairs is passed over",
    [[/(?<=renewed_marks = )[^;]+/, "2'd2"]],
    forgets,
    /keys of the process in memory/,
  ],
  [
    "a removal looks at one fingerprint",
    [[/(?<=\) \| )a_any(?=\) & \(progress)/, "1'b0"]],
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
  ["what was not needed is not given back", [[/(?<=end_gives_new <= )1'b1/, "1'b0"]], comeAndGo, lost],
];

/** Those of the allocator, with few keys in a bucket. */
const spread = kvParameters({ beatBytes: 16, buckets: 64, arenaBytes: 8192 });
const allocatorFaults: typeof faults = [
  ["two halves are one when one of them is free", [[/(?<=free_blocks_1 = )\{[^}]*\}/, evenUnits]], checkered, /./],
  ["a block that comes back stays taken", [[/(?<=line_word & )~block_units/, "32'hffffffff"]], otherSizes, lost],
  ["a block that is taken stays free", [[/(?<=line_word \| )block_units/, "32'd0"]], comeAndGo, /./],
  ["a slab is never whole again", [[/(?<=free_blocks_5 = )[^;]*/, "1'b0"]], besideOne, lost],
  ["the map is given away", [[/~\(line_word \| reserved_units\)/, "~line_word"]], otherSizes, /./],
  ["a block is given back beside its place", [[/(?<=: )home\[4:0\]/, "(home[4:0] ^ 5'd1)"]], besideOne, /./],
  ["a block in an arena's second half is lost", [[/number - 12'd1/, "number"]], besideOne, lost],
  ["a summary is never renewed", [[/digit_after != digit_before/, "1'b0"]], besideOne, lost],
  ["a summary keeps its digit", [[/\{1'b0, group_digit\}/, "line_word[3:0]"]], besideOne, lost],
  ["an arena that is empty stays", [[/is_empty & spare_valid & ~is_spare/, "1'b0"]], besideOne, lost],
  ["an arena that is in use goes", [[/digit == 4'd8/, "1'b1"]], besideOne, /./],
  ["the spare arena is another one", [[/(?<=spare_arena <= )number/, "12'd0"]], otherSizes, lost],
  ["free blocks at hand do not go back at rest", [[/(?<=at_rest \? )over_at_rest/, "1'b0"]], besideOne, lost],
  [
    "free blocks of other sizes do not go back when memory has run out",
    [[/(?<=flushing \? )\|cached/, "1'b0"]],
    runsOut,
    lost,
  ],
  ["a refusal keeps the blocks that it has not marked", [[/(?<=picked <= )4'd0/, "picked"]], fewFrames, /./],
];

for (const [what, of, list] of [
  ["store", p, faults],
  ["allocator", spread, allocatorFaults],
] as const)
  describe(`Clio-KV, ${what}: a planted fault is found`, () => {
    let faulty = designOf(KvFaults(of));
    list.forEach(([, plants], i) => {
      for (const [from, to] of plants) faulty = plant(faulty, from, `(KvFaults.fault == 6'd${i + 1} ? ${to} : $&)`);
    });
    const runs = (i: number, run: KvBench): Promise<void> =>
      runBench(`fault ${i}`, faulty, { wave: false, seed: 4, hangCycles: 5000, limitCycles: 1_000_000 }, async b => {
        b.io.fault.value = i;
        await run(b, of);
      });
    test("none: the same benches pass", async () => {
      for (const run of new Set(list.map(f => f[2]))) await runs(0, run);
    });
    const leak = list.findIndex(([name]) => name === "what was not needed is not given back");
    if (leak >= 0)
      test("a block that is lost is missed at the end of random requests", () =>
        findsFault(runs(leak + 1, random), /held at the end|taken at the end/));
    list.forEach(([name, , run, why], i) => test(name, () => findsFault(runs(i + 1, run), why)));
  });
