import { describe, test } from "vitest";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic } from "../../../../designs/wickit/model/index.ts";
import { assemble } from "../../../../designs/wickit/program/index.ts";
import { bytesOfWords, ClientHost, type ClientPorts, clioMemory } from "../../../../designs/wickit/rig/index.ts";
import { ClientWic } from "../../../../designs/wickit/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { listWords, nodes } from "../support/programs.ts";

const base = 0x10_0000n,
  pid = 7,
  parameters = { beatBytes: 64, engine: { ...usualEngine, contexts: 4, mostSteps: 2000 } },
  dut = ClientWic(parameters);

const image = assemble(`
.program add            ; r0: what, r1: offset
  base r2
  add r2, r2, r1
  faa r0, [r2]
  reply r0, 1
.program copy           ; a node to another place, whole, and back
  base r2
  load r4, [r2], 8
  store r4, [r2 + 1024], 8
  load r8, [r2 + 1024], 8
  reply r8, 8
.program swap
  base r2
  load r4, [r2 + 8], 1
  addi r5, r4, 77
  cas r4, [r2 + 8]
  tas r6, [r2 + 2048]
  put r0, [r2 + 2048]
  load r7, [r2 + 2048], 1
  reply r4, 4
.program outside
  load r0, [r0], 1
  reply r0, 1
`).instructions;

function fail(what: string): never {
  throw new Error(what);
}

/**
 * Each program alone against the interpreter, many additions at once, a node that falls silent, a reset: all on a bad
 * network.
 */
async function run(b: Bench<ClientPorts>): Promise<void> {
  const memories = [new ModelMemory(), new ModelMemory()] as const;
  for (const m of memories) {
    m.map(pid, base, 4096);
    m.store(pid, base, bytesOfWords(listWords(base, nodes)));
  }
  const [memory, twin] = memories,
    bad = { loss: 0.08, duplicate: 0.15, corrupt: 0.2, busy: 0.2, jitter: 120 },
    host = new ClientHost(b, { parameters, base, pid, memory, latency: 40, timeout: 350, tries: 30, ...bad });
  await host.load(image);
  for (const [program, word] of [
    [1, 0n],
    [2, 5n],
    [3, 4n],
    [1, 0n],
    [2, 6n],
  ] as const) {
    const call = { program, words: [word] },
      expected = runWic({ ...parameters.engine, image, base }, call, clioMemory(twin, pid)),
      got = await host.call(call);
    if (got.status !== expected.status || String(got.words) !== String(expected.words)) fail(`program ${program}`);
  }
  const at = 3000n - (3000n % 8n),
    add = (n: number) => Array.from({ length: n }, () => ({ program: 0, words: [1n, at] }));
  const replies = await host.all(add(24)),
    seen = replies.map(r => Number(r.words[0])).sort((x, y) => x - y);
  if (seen.some((v, i) => v !== i) || replies.some(r => r.status !== status.OK)) fail("an addition is not done once");
  if (host.repeated === 0) fail("nothing was sent again");
  host.node.silent = true;
  const lost = host.all(add(4)),
    from = b.cycle;
  if ((await lost).some(r => r.status !== status.EXPIRED)) fail("an access of a silent node does not expire");
  const waited = b.cycle - from;
  if (waited < 30 * 350 || waited > 30 * 372 + 200) fail(`it expires after ${waited} cycles`);
  host.node.silent = false;
  await host.drained();
  host.start(add(4));
  await b.cycles(120);
  host.reset();
  if ((await host.all(add(4))).some(r => r.status !== status.OK)) fail("after a reset an addition fails");
  await host.drained();
}
const check = (name: string, design: Dut<ClientPorts>): Promise<unknown> =>
  runBench(name, design, { wave: false, seed: 5, hangCycles: 20_000, limitCycles: 60_000 }, run);

// Chosen from the emitted Verilog before the bench was read.
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a repetition has no mark", /sender_turn_again & ~sender_greets, 7'd64/, "1'b0, 7'd64"],
  ["repetitions are not counted", /sender_repeats = [^;]*;/, "sender_repeats = 1'b0;"],
  ["a repetition names itself", /sender_first = [^;]*;/, "sender_first = sender_id;"],
  ["tries are not counted", /sender_tries = [^;]*;/, "sender_tries = 8'd1;"],
  ["numbers stand still", /sender_id <= sender_id \+ 32'd1;/, "sender_id <= sender_id;"],
  ["a number after a reset is old", /if \(~sender_started\) sender_id <= config_first_id;/, ";"],
  ["nothing waits for the greeting", /has_greeted & ~sender_greets/, "1'b1"],
  ["reset leaves who waits", /slots_waiting <= 8?4?'d0;|slots_waiting <= \d+'d0;/, "slots_waiting <= slots_waiting;"],
  ["a damaged frame counts", /receiver_from_node =\n?([^;]*);/, "receiver_from_node = 1'b1;"],
  ["NACK is an answer", /receiver_again = [^;]*;/, "receiver_again = receiver_frame_status == status_busy;"],
  ["BUSY is an answer", /receiver_again = [^;]*;/, "receiver_again = receiver_frame_status == status_nack;"],
  ["a late reply of the access before counts", /receiver_judged_known <= [^;]*;/, "receiver_judged_known <= 1'b1;"],
  [
    "a NACK of an old try sends again, while the new one waits",
    /receiver_good = [^;]*;/,
    "receiver_good = receiver_judged_known;",
  ],
  ["a time that is over ends no wait", /watch_ends = [^;]*;/, "watch_ends = 1'b0;"],
  ["times are not looked at", /watch_late = [^;]*;/, "watch_late = 1'b0;"],
  ["every time is over", /watch_late = [^;]*;/, "watch_late = 1'b1;"],
  ["three tries more", /watch_last <= [^;]*;/, "watch_last <= watch_sent_tries > config_tries + 8'd2;"],
  ["a refusal brings words", /answers_payload_words = [^;]*;/, "answers_payload_words = 4'd1;"],
  [
    "the second word is the first",
    /slots_words\[\{sender_turn_context, sender_index\[2:0\]\}\]/,
    "slots_words[{sender_turn_context, 3'd0}]",
  ],
  [
    "beats of a frame are left to the next",
    /receiver_kept_count <= 12'd0;/,
    "receiver_kept_count <= receiver_kept_count;",
  ],
  ["the checksum has no carry", /\+ \{15'd0, sender_sum\[16\]\}/, ""],
];

describe("a planted fault of the client side is found", () => {
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
});
