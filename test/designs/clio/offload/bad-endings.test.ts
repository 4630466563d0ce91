/**
 * The extend path where things end badly: operations that memory refuses, replies of memory that came damaged, and
 * operations that are done at most once among both.
 */
import { describe, expect, test } from "vitest";
import { faaBody, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { encode } from "../../../../designs/shared/wire/index.ts";
import { type Bench, bernoulli, type Dut, never, type Pause, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  type Asked,
  type Call,
  extendDut as dut,
  type ExtendPorts,
  ExtendRig,
  op,
  page,
} from "./support/extend-rig.ts";

const one = encode(faaBody, { addend: 1n }).slice(12);
const number = (body: Uint8Array): bigint => new DataView(body.buffer, body.byteOffset).getBigUint64(0, true);
const addition = (va: bigint): Call => ({ opcode: opcode.ATOMIC_FAA, client: true, va, length: 8, data: one });

/**
 * Operations that end well, that memory refuses, and whose reply from memory is damaged, each asked for until it is
 * answered, and then again: it is answered as the first time, and has happened once.
 */
async function repeated(b: Bench<ExtendPorts>, operations: number, pause: (seed: number) => Pause): Promise<void> {
  const rig = new ExtendRig(b, { soc: pause(1), node: pause(2), give: pause(3) }),
    { random } = b;
  rig.memory.fault(1, 1n);
  const kinds: readonly (readonly [Call, number, damaged?: boolean])[] = [
    [addition(page + 64n), status.OK],
    [addition(0n), status.INVALID],
    [{ opcode: opcode.FREE_PROC, client: false, va: page, length: 8 }, status.MALFORMED],
    [addition(page + 64n), status.FAIL, true],
  ];
  const answered = async (ask: () => Asked): Promise<NonNullable<Asked["answer"]>> => {
    for (let tries = 0; tries < 40; tries++) {
      const asked = ask();
      await rig.answered(asked);
      if (asked.answer!.status !== status.BUSY) return asked.answer!;
      await b.cycles(100);
    }
    throw new Error("an operation is answered BUSY for ever");
  };
  const all: { readonly first: Asked; readonly answer: NonNullable<Asked["answer"]> }[] = [];
  let added = 0;
  for (let i = 0; i < operations; i++) {
    const [call, code, damaged = false] = i < kinds.length ? kinds[i]! : random.pick(kinds);
    rig.damages = damaged;
    const first = rig.proxy(op.once, 1, call);
    await rig.answered(first);
    const answer = await answered(() => rig.request(rig.clients[0]!.repeat(first.frame)));
    rig.damages = false;
    expect(answer.status, "how it ended").toBe(code);
    if (code === status.OK || damaged) added++;
    all.push({ first, answer });
    const old = random.pick(all),
      again = await answered(() => rig.request(rig.clients[0]!.repeat(old.first.frame)));
    expect([again.status, again.body], "a repetition").toEqual([old.answer.status, old.answer.body]);
    expect(number(rig.memory.read(1, 1n, 64, 8)), "additions").toBe(BigInt(added));
  }
  await rig.settled();
}

/** READs, of which some replies come damaged: those end with FAIL, all others with what memory has. */
async function damaged(b: Bench<ExtendPorts>, count: number, pause: (seed: number) => Pause): Promise<void> {
  const rig = new ExtendRig(b, { soc: pause(1), node: pause(2), give: pause(3) }),
    { random } = b,
    image = random.bytes(1024);
  rig.memory.fault(1, 1n);
  rig.memory.write(1, 1n, 0, image);
  for (let i = 0; i < count; i++) {
    const length = random.between(1, 600),
      at = random.between(0, image.length - length);
    rig.damages = random.chance(0.4);
    const asked = rig.proxy(op.proxy, 1, { opcode: opcode.READ, client: true, va: page + BigInt(at), length });
    await rig.answered(asked);
    expect(asked.answer!.status, `READ ${i}`).toBe(rig.damages ? status.FAIL : status.OK);
    if (!rig.damages) expect(asked.answer!.body, `data of READ ${i}`).toEqual(image.slice(at, at + length));
  }
  rig.damages = false;
  await rig.settled();
}

const limits = { limitCycles: 100_000, hangCycles: 5000, wave: false } as const,
  slow = (seed: number): Pause => bernoulli(0.3, seed);
const both = async (name: string, design: Dut<ExtendPorts>): Promise<void> => {
  await runBench(name, design, { ...limits, seed: 4 }, b => damaged(b, 12, slow));
  await runBench(name, design, { ...limits, seed: 3 }, b => repeated(b, 12, slow));
};

describe("what ends badly", () => {
  for (const [how, pause] of [
    ["under back-pressure", slow],
    ["without a pause", (): Pause => never],
  ] as const) {
    test(`operations done at most once, ${how}`, () =>
      runBench("repeated", dut, { ...limits, seed: 1 }, b => repeated(b, 40, pause)));
    test(`damaged replies of memory, ${how}`, () =>
      runBench("damaged", dut, { ...limits, seed: 2 }, b => damaged(b, 60, pause)));
  }
  test.each([
    [
      "an answer with an error is not remembered",
      /(?<=replies_told = replies_remembering) &/,
      "& ~(|replies_sent_status) &",
    ],
    ["a damaged reply of memory counts", /from_memory_memory_strip_head_payload_bad \?/, "1'b0 ?"],
  ] as const)("a planted fault is found: %s", (name, from, to) => findsFault(both(name, plant(dut, from, to))));
});
