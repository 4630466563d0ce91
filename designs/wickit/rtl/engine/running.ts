import { bit, constant, mux, node, reg, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters } from "../../config/index.ts";
import { mostPrograms, registers } from "../../wire/index.ts";
import { choices } from "./alu.ts";

/** What is kept of a context while others run. Its registers are kept elsewhere. */
export const Saved = struct({
  pc: uint(16),
  /** Instructions executed. */
  steps: uint(16),
  /** Registers that have been written: the others read 0. */
  known: uint(registers),
});

/** The context that the core runs. */
export const runningOf = (p: EngineParameters) => ({
  context: reg(uint(contextBits(p)), { name: "context" }),
  fresh: reg(bit, { name: "fresh" }),
  /** Of the access that ended, then of the reply. */
  status: reg(uint(4), { name: "status" }),
  pc: reg(uint(16), { name: "pc" }),
  steps: reg(uint(16), { name: "steps" }),
  known: reg(uint(registers), { name: "known" }),
  instruction: reg(uint(32), { name: "instruction" }),
  a: reg(uint(64), { name: "operand_a" }),
  b: reg(uint(64), { name: "operand_b" }),
  knownA: reg(bit, { name: "known_a" }),
  knownB: reg(bit, { name: "known_b" }),
  /** What makes the result. */
  choice: reg(uint(choices), { name: "choice" }),
  illegal: reg(bit, { name: "illegal" }),
  /** The request has no step left. */
  spent: reg(bit, { name: "spent" }),
  result: reg(uint(64), { name: "result" }),
  /** The result is still to be written. */
  writes: reg(bit, { name: "writes" }),
  /** The next of the words that go out, from register rd on, how many there are, and whether a reply has them. */
  index: reg(uint(4), { name: "index" }),
  words: reg(uint(4), { name: "words" }),
  replying: reg(bit, { name: "replying" }),
  wait: reg(uint(16), { name: "wait" }),
});

/** A memory of one word for each context. */
export const perContext = (p: Pick<EngineParameters, "contexts">, name: string) =>
  ({ depth: 2 ** contextBits(p), collision: "undefined", style: "distributed", name }) as const;

/** Where a request starts, by the number of its program: outside of any image where there is no such program. */
export const startOf = (program: UInt): UInt =>
  node(mux(program.lt(mostPrograms), program, constant(0xffff, 16)), { name: "start" });
