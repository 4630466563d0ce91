import { describe, expect, test } from "vitest";
import { Finish } from "../../../../../designs/clio/rtl/dispatch/finish.ts";
import { Release, SlotWords, WordWrite } from "../../../../../designs/shared/frame/index.ts";
import { connect, input, instance, module, output, sink, source } from "../../../../../hdl-dsl/index.ts";
import { Ending, Reply, replyWord } from "../../../../../designs/clio/rtl/records/records.ts";
import { RetryDone } from "../../../../../designs/clio/rtl/retry/retry-results.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const slots = 16,
  wordBits = 64;
/** Finish with the memory of words that it reads, as in the node. */
const Finisher = module(
  "Finisher",
  (p: { readonly slots: number }) => ({
    ending: sink(Ending(p)),
    reply: source(Reply(p)),
    release: output(Release(p)),
    done: output(RetryDone({ ...p, wordBits })),
    found: input(WordWrite({ ...p, width: wordBits })),
  }),
  (io, p) => {
    const finish = instance(Finish(p)),
      words = instance(SlotWords({ ...p, width: wordBits }));
    connect(io.ending, finish.ending);
    connect(finish.reply, io.reply);
    io.release.set(finish.release);
    io.done.set(finish.done);
    words.write.set(io.found);
    words.slot.set(finish.wordSlot);
    finish.word.set(words.value.is(wordBits));
  },
);
const dut = Finisher({ slots });
type Ports = typeof dut.ports;

/** Random endings; the words of slots change all the while, but never of the slot that has just ended. */
async function run(b: Bench<Ports>, count: number, pauses: readonly [Pause, Pause] = [never, never]) {
  const words = new Map<number, bigint>(),
    told: object[] = [],
    released: number[] = [],
    expected = { replies: [] as object[], told: [] as object[], released: [] as number[] };
  const taken: number[] = [],
    toldAt: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    words.set(slot, b.random.bits(wordBits));
    poke(b.io.found, { en: 1, slot, value: words.get(slot) as bigint });
    await b.risingEdge();
  }
  poke(b.io.found, { en: 0, slot: 0, value: 0n });
  const replies = new StreamSink(b.sim, b.io.reply, { pause: pauses[1] }),
    source = new StreamSource(b.sim, b.io.ending, { pause: pauses[0] });
  const endings = Array.from({ length: count }, () => ({
    slot: b.random.between(0, slots - 1),
    form: b.random.between(0, 3),
    word: b.random.between(0, 3),
    opcode: b.random.between(0, 255),
    status: b.random.between(0, 15),
    silent: b.random.chance(0.3) ? 1 : 0,
    done: b.random.chance(0.7) ? 1 : 0,
  }));
  for (const { silent, done, ...reply } of endings) {
    if (silent === 1) expected.released.push(reply.slot);
    else expected.replies.push(reply);
    if (done === 1)
      expected.told.push({
        slot: reply.slot,
        status: reply.status,
        word: reply.word === replyWord.none ? 0n : words.get(reply.slot),
      });
  }
  b.onEdge({
    sample: cycle => {
      const { ending, done, release } = b.io;
      // A request without a reply does not wait.
      if (ending.valid.value === 1 && ending.payload.silent.value === 1)
        expect(ending.ready.value, `ready at cycle ${cycle}`).toBe(1);
      if (ending.valid.value === 1 && ending.ready.value === 1 && ending.payload.done.value === 1) taken.push(cycle);
      if (done.valid.value === 1) {
        toldAt.push(cycle);
        told.push({ slot: Number(done.slot.value), status: done.status.value, word: done.word.big });
      }
      if (release.valid.value === 1) released.push(Number(release.slot.value));
    },
  });
  const sent = endings.map(e => source.send(e));
  await source.drained();
  await b.until(() => replies.received.length === expected.replies.length);
  await b.cycles(3);
  expect(replies.received.map(r => r.value)).toEqual(expected.replies);
  expect(released).toEqual(expected.released);
  expect(told).toEqual(expected.told);
  expect(toldAt).toEqual(taken.map(c => c + 1));
  return { endings, sent: sent.map(s => s.cycle as number), replies: replies.received.map(r => r.cycle) };
}

describe("Finish", () => {
  bench(
    "each ending is answered or its slot released, and told of once, under random back-pressure",
    dut,
    { seed: 3 },
    async b => {
      await run(b, 2000, [bernoulli(0.3, 1), bernoulli(0.4, 2)]);
    },
  );
  testOfResets(dut, {}, b => run(b, 200, [bernoulli(0.3, 1), bernoulli(0.4, 2)]));
  bench("one ending a cycle, its reply in the same cycle; told a cycle later", dut, { seed: 4 }, async b => {
    const t = await run(b, 300);
    expect((t.sent.at(-1) as number) - (t.sent[0] as number)).toBe(299);
    expect(t.replies).toEqual(t.sent.filter((_, i) => t.endings[i]?.silent === 0));
  });
  /** Without an ending, whatever its fields say: nothing is told in the cycles behind a reset. */
  const quiet = async (b: Bench<Ports>): Promise<void> => {
    b.io.ending.valid.value = 0;
    b.io.ending.payload.silent.value = 1;
    b.io.ending.payload.done.value = 1;
    await b.cycles(3);
    b.sim.reset(1);
    for (let i = 0; i < 3; i++) {
      await b.risingEdge();
      expect([b.io.release.valid.value, b.io.done.valid.value], "told after a reset").toEqual([0, 0]);
    }
  };
  bench("nothing is told of a reset", dut, {}, quiet);
  test("a planted fault is found: a slot is given back after a reset", () =>
    findsFault(
      runBench("quiet", plant(dut, "told_valid <= 1'b0;", "told_valid <= 1'b1;"), { wave: false }, quiet),
      /told after a reset/,
    ));
  bench("what is to be told is lost in a reset, and nothing is told of it later", dut, {}, async b => {
    poke(b.io.ending.payload, { slot: 3, form: 0, word: 0, opcode: 0, status: 0, silent: 1, done: 1 });
    b.io.ending.valid.value = 1;
    await b.risingEdge();
    b.io.ending.valid.value = 0;
    b.sim.reset();
    await b.cycles(2);
    expect([b.io.done.valid.value, b.io.release.valid.value]).toEqual([0, 0]);
    await run(b, 50);
  });
  describe("a planted fault is found", () => {
    const check = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 5, hangCycles: 300, limitCycles: 20_000 }, b =>
        run(b, 300, [bernoulli(0.2, 1), bernoulli(0.4, 2)]),
      );
    test("and nothing without one", async () => {
      await check("no fault", dut);
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["an ending without a reply waits for one", /reply_room = [^;]*;/, "reply_room = reply_ready;"],
      ["told of before it is taken", /told_valid <= [^;]*;/, "told_valid <= ending_valid;"],
      ["told of what memory never had", /done_valid = told_valid & told_done;/, "done_valid = told_valid;"],
      ["the word of the ending behind", /word_slot = told_slot;/, "word_slot = ending_payload_slot;"],
      ["a word that another request has left", /done_word = told_found \? ([^:]*) : [^;]*;/, "done_word = $1;"],
      [
        "the slot of an answered one given back",
        /release_valid = told_valid & told_silent;/,
        "release_valid = told_valid;",
      ],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(check(name, plant(dut, from, to)));
      });
  });
});
