import { BuildError, type Dut, runBench, withFault } from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { Rv32i } from "../src/rv32i.ts";
import { assemble } from "./assembler.ts";
import { encode, forms } from "./encode.ts";
import { type Outcome, play, type Surroundings } from "./machine.ts";
import { absent, officialTests, officialText } from "./official.ts";
import { randomProgram, sieve } from "./programs.ts";

const core = Rv32i({ start: 0 });
const room = 0x4000,
  data = 0x2000;

const run = (program: Uint8Array, around: Surroundings = {}, seed = 1, dut: Dut<typeof core.ports> = core) =>
  runBench("rv32i", dut, { seed, wave: false, hangCycles: 2000 }, b => play(b, program, room, around));
const runText = (text: string, around: Surroundings = {}): Promise<Outcome> => run(assemble(text).bytes, around);

/** Random programs of every instruction, on memories of several speeds. */
async function everything(dut: Dut<typeof core.ports> = core): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const [seed, around] of [{}, { latency: 4 }, { pause: 0.4 }, { latency: 2, pause: 0.2 }].entries()) {
    const done = await runBench("random", dut, { seed, wave: false, hangCycles: 2000 }, b =>
      play(b, randomProgram(b.random, 400, data), room, around),
    );
    expect(done.cause, JSON.stringify(done.steps.slice(-3))).toBe("ecall");
    for (const s of done.steps) names.add(s.name);
  }
  return names;
}

const stops: readonly (readonly [cause: string, text: string])[] = [
  ["ecall", "addi x1, x0, 1\necall"],
  ["ebreak", "ebreak"],
  ["illegal", ".word 0"],
  ["illegal", ".word 0xffffffff"],
  ["illegal", ".word 0x02000033"],
  ["illegal", ".word 0x40001013"],
  ["illegal", ".word 0x00003003"],
  ["illegal", ".word 0x00001067"],
  ["illegal", ".word 0x00200073"],
  ["illegal", ".word 0x00000010"],
  ["misaligned", "lw x1, 2(x0)"],
  ["misaligned", "lhu x1, 1(x0)"],
  ["misaligned", "sh x1, 3(x0)"],
  ["misaligned", "jal x1, 6"],
  ["misaligned", "addi x1, x0, 2\njalr x5, 0(x1)"],
  ["fault", "lui x1, 0x12345\nlb x2, 0(x1)"],
  ["fault", "lui x1, 0x12345\nsb x2, 0(x1)"],
  ["fault", "lui x1, 0x12345\njr x1"],
];
async function stopsWith(cause: string, text: string, dut: Dut<typeof core.ports> = core): Promise<void> {
  for (const around of [{}, { latency: 3, pause: 0.3 }])
    expect((await run(assemble(text).bytes, around, 1, dut)).cause).toBe(cause);
}

describe("the core", () => {
  test("random programs: every instruction does what the model does", async () => {
    const played = await everything();
    expect(Object.keys(forms).filter(n => n !== "ecall" && n !== "ebreak" && !played.has(n))).toEqual([]);
  });

  test("a program that computes: 25 primes below 100, and a text backwards", async () => {
    const program = assemble(sieve),
      done = await run(program.bytes, { pause: 0.1 });
    expect([done.cause, done.registers[10]]).toEqual(["ecall", 25]);
  });

  test.each([1, 2, 5])("an instruction takes 4 + m cycles, a load or a store 5 + 2 m: m is %d", async latency => {
    const few = await runText("addi x1, x0, 1\n".repeat(5) + "ecall", { latency }),
      more = await runText("addi x1, x0, 1\n".repeat(25) + "ecall", { latency }),
      loads = await runText("lw x1, 0(x0)\n".repeat(25) + "ecall", { latency }),
      stores = await runText("sw x0, 256(x0)\n".repeat(25) + "ecall", { latency });
    expect(more.cycles - few.cycles).toBe(20 * (4 + latency));
    expect(loads.cycles - more.cycles).toBe(25 * (1 + latency));
    expect(stores.cycles).toBe(loads.cycles);
  });

  test.each(stops)("stops with its cause and without an effect: %s, %s", (cause, text) => stopsWith(cause, text));
  test("a branch that is not taken may lead to an odd place", async () => {
    expect((await runText("bne x0, x0, 6\necall")).cause).toBe("ecall");
  });

  test("reset in the middle of whatever it does starts it again", async () => {
    await runBench("reset", core, { seed: 3, wave: false }, async b => {
      const program = assemble(sieve).bytes;
      for (let at = 0; at < 30; at++) {
        b.io.request.ready.value = b.random.below(2);
        await b.cycles(b.random.between(1, 3));
      }
      b.sim.reset(1);
      expect((await play(b, program, room)).registers[10]).toBe(25);
    });
  });
});

if (absent !== undefined) console.warn(`the official unit tests of RV32I are not played: ${absent}`);
describe.skipIf(absent !== undefined)("the official unit tests, rv32ui", () => {
  test.each(officialTests())("%s", async name => {
    const done = await run(assemble(officialText(name)).bytes, { pause: 0.1 });
    expect(done.registers[10], "the number of the case that failed").toBe(0);
    expect(
      done.steps.some(s => s.rd === 3),
      "no case was reached",
    ).toBe(name !== "simple");
  });
});

describe("planted faults are found", () => {
  test.each([
    [
      "bytes are stored at a neighbour",
      "{result[1:0] == 2'd3, result[1:0] == 2'd2",
      "{result[1:0] == 2'd2, result[1:0] == 2'd3",
    ],
    ["an indirect jump keeps the lowest bit", " & (instruction[6:2] != 5'd25)}", "}"],
    ["an arithmetic shift takes no sign", "{alternate & a[31]", "{1'b0"],
    ["half words are loaded without their sign", "~instruction[14] & half[15]", "1'b0"],
    ["an error of memory is overlooked", "if (answer_payload_error)", "if (1'b0)"],
    ["a branch leads to an odd place", "(taken & target[1])", "(1'b0)"],
    ["x0 is read as it was written", "|instruction[19:15] ? first : 32'd0", "first"],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(core, { what, from, to });
    const play = async (): Promise<void> => {
      await everything(faulty);
      for (const [cause, text] of stops) await stopsWith(cause, text, faulty);
    };
    const found = play();
    await expect(found).rejects.toThrow(/expected/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});

describe("the assembler", () => {
  // What another assembler (llvm-mc) makes of the same lines.
  test.each([
    ["nop", 0x00000013],
    ["addi x1, x2, -5", 0xffb10093],
    ["lui x5, 0x12345", 0x123452b7],
    ["auipc x7, 1", 0x00001397],
    ["jal x1, 2048", 0x001000ef],
    ["jal x0, -4", 0xffdff06f],
    ["jalr x1, 8(x2)", 0x008100e7],
    ["beq x1, x2, -8", 0xfe208ce3],
    ["bgeu x3, x4, 4094", 0x7e41ffe3],
    ["lw x6, -4(x7)", 0xffc3a303],
    ["lbu x1, 1(x2)", 0x00114083],
    ["sb x3, -1(x4)", 0xfe320fa3],
    ["sw x5, 2047(x6)", 0x7e532fa3],
    ["srai x1, x2, 31", 0x41f15093],
    ["sub x1, x2, x3", 0x403100b3],
    ["sra x4, x5, x6", 0x4062d233],
    ["sltiu x1, x2, -1", 0xfff13093],
    ["ebreak", 0x00100073],
    ["fence.i", 0x0000100f],
  ])("%s", (text, word) => {
    expect(new DataView(assemble(text).bytes.buffer).getUint32(0, true).toString(16)).toBe(word.toString(16));
  });
  test("refuses what a format cannot hold, and what it does not know", () => {
    expect(() => encode("addi", { imm: 2048 })).toThrow("addi: 2048 is not one of -2048 to 2047 in steps of 1");
    expect(() => assemble("mul x1, x2, x3")).toThrow("mul is no instruction of RV32I");
    expect(() => assemble("add x1, q2, x3")).toThrow("add x1, q2, x3: operand 2 is no register");
    expect(() => assemble("j nowhere")).toThrow('"nowhere" has no value');
  });
});
