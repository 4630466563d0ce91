/** State of chains in software: what holds, and faults in the source that break it. */
import { describe, expect, it } from "vitest";
import { declarationFaults, type Declared } from "../../../../../designs/supernic/wire/index.ts";
import { nat } from "../../../../../designs/supernic/rtl/index.ts";
import { mutantOf } from "../support/mutants.ts";
import * as lives from "./support/lives.ts";

type Life = "evictions" | "losses" | "images";
const manager = "software/regions/manager.ts",
  kept = "software/regions/kept-state.ts",
  mover = "software/state/mover.ts",
  image = "software/state/image.ts";
const faults: readonly (readonly [string, string, string, string, Life])[] = [
  [
    "credits come before the state",
    manager,
    "    if (image !== undefined && !(await this.state.write(",
    "    await this.#swapper.credit(region, chain);\n    if (image !== undefined && !(await this.state.write(",
    "evictions",
  ],
  ["a chain that is evicted is not asked", manager, "      await this.#keep(place.chain, region);\n", "", "evictions"],
  ["a victim is not asked", manager, 'if (state === "keep") await this.#keep(chain, region);', "", "evictions"],
  [
    "it is asked while packets are on their way",
    manager,
    "const isEmpty = await this.#swapper.drained(region);",
    "const isEmpty = false;",
    "evictions",
  ],
  ["there are two of a state", manager, "      !this.state.isSingle(chain) &&\n", "", "evictions"],
  ["old state is used twice", kept, "    this.#images.delete(chain);\n", "", "losses"],
  [
    "half a state stays",
    manager,
    "      await this.#swapper.kill(region);\n      await this.#swapper.wake(",
    "      if (region < 0) await this.#swapper.wake(",
    "losses",
  ],
  ["half a state is all of it", kept, "      this.#lost(e);\n      return false;", "      return true;", "losses"],
  ["what is lost is not counted", kept, "    this.counts.lost++;", "", "losses"],
  ["a kill loses nothing", manager, "if (this.state.isSingle(chain)) this.state.lose(", "void (", "losses"],
  [
    "what has gone stays here",
    manager,
    '  stop(chain: LiveChain, state: "keep" | "forget" = "keep"): Promise<void> {',
    '  stop(chain: LiveChain, _: "keep" | "forget" = "keep"): Promise<void> {\n    const state = "keep";',
    "losses",
  ],
  [
    "another's state is taken",
    manager,
    'begins === "kept" ? this.state.take(chain) : undefined',
    "this.state.take(chain)",
    "losses",
  ],
  [
    "it is read without quiesce",
    mover,
    '    await this.#hold(region, tasks, { quiesce: 1 });\n    await this.#until(region, tasks, s => s.quiet && !s.off, "quiet");\n    const words',
    "    const words",
    "evictions",
  ],
  [
    "it is written without quiesce",
    mover,
    '    await this.#hold(region, tasks, { quiesce: 1 });\n    await this.#until(region, tasks, s => s.quiet && !s.off, "quiet");\n    for (const { slot, ...word }',
    "    for (const { slot, ...word }",
    "evictions",
  ],
  ["the last word is lost", mover, "at < part.first + part.words;)", "at < part.first + part.words - 1;)", "evictions"],
  [
    "the last word of a chunk is lost",
    mover,
    "word === undefined ? last + 1",
    "word === undefined ? last + 2",
    "evictions",
  ],
  ["the word behind one is lost", mover, ": word.at + 1;", ": word.at + 2;", "evictions"],
  [
    "a word that is not written counts",
    mover,
    '      if (outcome !== "done") throw faultOf(outcome, region, slot, tasks[slot]);',
    "",
    "losses",
  ],
  [
    "the first word is not written",
    mover,
    "of words) {\n      const outcome",
    "of words.slice(1)) {\n      const outcome",
    "evictions",
  ],
  [
    "the last word is not sent",
    image,
    "new DataView(bytes.buffer);\n  view.setUint32(0",
    "new DataView(bytes.buffer);\n  words = words.slice(0, -1);\n  view.setUint32(0",
    "images",
  ],
  ["the sum is not looked at", image, 'throw bad("its sum is wrong");', "{}", "images"],
  [
    "the length is not looked at",
    image,
    "throw bad(`${count} words do not have ${bytes.length} bytes`);",
    "{}",
    "images",
  ],
  ["another chain's counts", image, `throw bad("it is another chain's");`, "{}", "images"],
  [
    "places are not looked at",
    image,
    "throw bad(`slot ${word.slot} keeps nothing at ${word.at}`);",
    "return word;",
    "images",
  ],
  [
    "bits are not looked at",
    image,
    "word.data === 0n || word.data >> BigInt(stateWidth(part)) !== 0n",
    "word.data === 0n",
    "images",
  ],
  ["the order is not looked at", image, "if (rank(word) <= before) throw", "if (rank(word) < 0) throw", "images"],
  ["a word twice counts", image, "if (rank(word) <= before) throw", "if (rank(word) < before) throw", "images"],
];

describe("state of chains", () => {
  it.each(["evictions", "losses", "images"] as const)("%s", life => lives[life]());
  it("a declaration that keeps what cannot be is refused, in a sentence", () => {
    const of = (keeps: Declared["keeps"], state: Declared["state"] = "shared"): readonly string[] =>
      declarationFaults({ ...nat.declared, state, ...(keeps !== undefined && { keeps }) });
    const part = { name: "all", first: 0, words: 4, fields: { a: 8 } };
    expect(of({ parts: [part] })).toEqual([]);
    expect(of("cold")).toEqual([]);
    expect(of({ parts: [part] }, "none")).toEqual(["nat: keeps state, and declares none; say which"]);
    expect(of({ parts: [part, { ...part, name: "more", first: 3 }] })).toEqual([
      "nat: keeps more from place 3: it must begin at 4 or behind it",
    ]);
    expect(of({ parts: [{ ...part, words: 65_537 }] })).toEqual([
      "nat: keeps 65537 words of all: give 1 or more, all below place 65536",
    ]);
    expect(of({ parts: [{ ...part, fields: { a: 40, b: 25 } }] })).toEqual([
      "nat: a word of all has 65 bits: must be 1 to 64",
    ]);
  });
  describe("a planted fault is found", () => {
    it.each(faults)("%s", async (name, file, from, to, life) => {
      const mutant = await mutantOf<lives.Parts>("software/state/support/parts.ts", { name, file, from, to });
      await expect(lives[life](mutant)).rejects.toThrow();
    });
  });
});
