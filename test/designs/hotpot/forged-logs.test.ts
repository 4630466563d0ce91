import { describe, it } from "vitest";
import { CommitEngine } from "../../../designs/hotpot/node/index.ts";
import type { OffloadPorts } from "../../../designs/clio/rig/index.ts";
import { type Bench, type Dut, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { forged, forgedNames, prepared, recovered, rotten } from "./support/forged.ts";
import { parameters } from "./support/random-run.ts";

const dut = CommitEngine(parameters),
  run = <T>(body: (b: Bench<OffloadPorts>) => Promise<T>, design: Dut<OffloadPorts> = dut): Promise<T> =>
    runBench("forged", design, { wave: false, seed: 1, limitCycles: 20_000 }, body);

describe("a log that no engine has written is no commit", () => {
  it("what was written is one", () => run(b => forged(b, undefined)));
  it.each(forgedNames)("%s", name => run(b => forged(b, name)));
});
describe("the log is looked at before it goes home", () => {
  it.each([0, 1, 2])("area %i", part => run(b => rotten(b, part)));
});
it("a node that was without power has the commits of its log", async () => {
  const memory = await run(prepared);
  await run(b => recovered(b, memory));
});

// Each is seen with one thing that is wrong, so it is tried with that alone.
const faults: readonly (readonly [what: string, seen: string, from: string | RegExp, to: string])[] = [
  ["lanes are not bounded", "a record of such a lane", /\s+& \(line\[63:48\] < 16'd64\)/, ""],
  ["an area's lane is not looked at", "areas of another lane", /\(line\[47:32\] == \{10'd0, home_lane\}\) & /, ""],
  ["an area's commit is not looked at", "areas of another commit", /\(line\[95:64\] == home_seq\) & /, ""],
  ["any state counts", "a state that there is not", "(line[39:32] == 8'd2)", "1'b1"],
  ["any process counts", "another process", /record_is_owners <= line[^;]*;/, "record_is_owners <= 1'b1;"],
  ["an area's number is not looked at", "areas of another number", / & \(line\[15:8\] == \{4'd0, part\}\)/, ""],
];
describe("a planted fault is found", () => {
  it.each(faults)("%s", async (_, seen, from, to) => {
    await findsFault(run(b => forged(b, seen), plant(dut, from, to)));
  });
  it("only the first area is looked at before it goes home", async () => {
    const design = plant(
      dut,
      "log_is_sound <= crc_result == home_crc",
      "log_is_sound <= (crc_result == home_crc) | (|part)",
    );
    await run(b => rotten(b, 0), design);
    await findsFault(run(b => rotten(b, 2), design));
  });
  it.each([
    ["an area's sum is not recovered", "writes_crc <= 8'd255", "writes_crc <= 8'd253"],
    ["where an area goes is not recovered", /writes_meta <= 1'b1;(\s+writes_crc <= 8'd255)/, "$1"],
  ])("%s", async (_, from, to) => {
    const memory = await run(prepared);
    await findsFault(run(b => recovered(b, memory), plant(dut, from, to)));
  });
});
