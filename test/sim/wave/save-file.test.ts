import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bit, emit, enumOf, fsm, input, module, output, reg, struct, uint, when } from "../../../hdl-dsl/index.ts";
import { simulate } from "../../../sim/index.ts";
import { saveFile } from "../../../sim/wave/save-file.ts";

const Machine = module(
  "Machine",
  () => ({ go: input(bit), q: output(struct({ a: uint(4), b: bit })) }),
  io => {
    const pair = reg(struct({ a: uint(4), b: bit }), { init: 0 });
    const machine = fsm(["Idle", "Run", "Stop"], "Idle", s => ({
      Idle: () => when(io.go, () => s.go("Run")),
      Run: () => s.go("Stop"),
      Stop: () => s.go("Idle"),
    }));
    pair.a.set(pair.a.add(1));
    pair.b.set(machine.is("Run"));
    io.q.set(pair);
  },
);

test("structs are groups, states have names", () => {
  const names = emit(Machine()).names;
  const save =
    names === undefined ? undefined : saveFile(names, "waves/run.fst", "TOP.Machine", "waves/run.fst.states");
  expect(save?.text.split("\n")).toEqual([
    '[dumpfile] "run.fst"',
    "@22",
    "TOP.Machine.go",
    "@c00200",
    "-q",
    "@22",
    "TOP.Machine.q_a[3:0]",
    "@22",
    "TOP.Machine.q_b",
    "@1400200",
    "-q",
    "@c00200",
    "-pair",
    "@22",
    "TOP.Machine.pair_a[3:0]",
    "@22",
    "TOP.Machine.pair_b",
    "@1400200",
    "-pair",
    "@2022",
    "^1 waves/run.fst.states/machine_Idle_Run_Stop.txt",
    "TOP.Machine.machine[1:0]",
    "",
  ]);
  expect(save?.states).toEqual([{ name: "machine_Idle_Run_Stop.txt", text: "0 Idle\n1 Run\n2 Stop\n" }]);
});

test("a simulation that writes a wave writes the save file beside it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-wave-"));
  try {
    const wave = join(folder, "run.fst");
    {
      using sim = await simulate(Machine(), { wave: { path: wave } });
      sim.step();
    }
    expect(readFileSync(`${wave}.gtkw`, "utf8")).toContain("TOP.Machine.machine[1:0]");
    expect(existsSync(join(`${wave}.states`, "machine_Idle_Run_Stop.txt"))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("enumerations have the names of their codes", () => {
  const Op = enumOf("Op", { read: 0, write: 3, atomicAdd: 9 }, { width: 8 });
  const Held = module(
    "Held",
    () => ({ op: input(Op), q: output(Op) }),
    io => io.q.set(io.op),
  );
  const { names } = emit(Held());
  const save = names === undefined ? undefined : saveFile(names, "x.fst", "TOP.Held", "x.states");
  expect([...new Set(save?.states.map(s => s.text))]).toEqual(["00 read\n03 write\n09 atomicAdd\n"]);
});
