/** Faults in the monitors and the loop: each is found by what the benches play. */
import { describe, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports } from "./support/fair-rig.ts";
import { epochs, hoard, lies, modes, resets, saturation, silence } from "./support/runs.ts";

type Run = (b: B) => Promise<unknown>;
type Fault = readonly [what: string, from: string | RegExp, to: string];
const usual: Run = b => epochs(b, "small", 8);

const counts: readonly Fault[] = [
  ["what comes in the cycle of an end is lost", "if (add_valid) list_", "if (add_valid & ~ends) list_"],
  ["a count goes on in the next epoch", /goes_on = [^;]*;/, "goes_on = 1'b1;"],
  ["halves do not change places", "half <= ~half", "half <= half"],
  ["packets count with their bytes", /packets\[\d\] \? /, "1'b0 ? "],
  ["twice is once", "admitted_bytes_1 << 1", "admitted_bytes_1"],
  ["a beat that is not full does not count", " + 16'd63) >> 6", ") >> 6"],
  ["what is dropped is read", "& {16{decided_leaves_1}}", "& 16'hffff"],
  ["what is dropped was not decided on", "adds_1 <= decided_valid_1", "adds_1 <= decided_valid_1 & decided_leaves_1"],
  ["cells of the user before", "cell_tally_user_1 <= holder;", "cell_tally_user_1 <= holder + 2'd1;"],
  ["cells that came back are held", "- (gave_is_there ? ", "- (1'b0 ? "],
  ["the end comes a cycle early", "ends_2 <= ends_1", "ends_2 <= ends"],
  ["ports are compared with what arrived", "asked_leaves_1 ? decided_bytes_1", "1'b0 ? decided_bytes_1"],
];
const demands: readonly Fault[] = [
  ["a frame without room waits", "offered_0_kept ? offered_0_bytes : 14'd0", "offered_0_bytes"],
  ["what was taken waits still", "backlogs[walk_user]) - takes_counts_0", "backlogs[walk_user]) - 24'd0"],
  ["what waits is of this epoch only", "no_backlogs ? 24'd0 : backlogs[walk_user]", "24'd0"],
  ["the loop port brings nothing", "offered_0_1_1 <= {1'b0, brings_2_1}", "offered_0_1_1 <= 25'd0"],
  ["the demand of the epoch before", "beat_is_there = beat_user < known_demands", "beat_is_there = beat_user < 3'd4"],
];
const pauses: readonly Fault[] = [
  [
    "a pause in the last cycle is forgotten",
    "paused_0_in_epoch <= paused_0_ever",
    "paused_0_in_epoch <= paused_0_so_far",
  ],
  ["a meter that holds in the last cycle is forgotten", "dry_in_epoch <= dry_ever", "dry_in_epoch <= dry_so_far"],
  ["a pause lasts for ever", "paused_0_so_far <= ends ? 4'd0 : ", "paused_0_so_far <= "],
  ["a pause counts without the meter", /was_dry = [^;]*;/, "was_dry = 1'b1;"],
  ["the meter counts without a pause", "hides_0 = was_dry & was_paused_0", "hides_0 = was_dry"],
  ["a port is everybody's", "(offers_0_some | was_here_0);", "1'b1;"],
  ["a port forgets a user that is paused", "offers_0_some | (was_here_0 & was_paused_0)", "offers_0_some"],
  ["a port never forgets", "offers_0_some | (was_here_0 & was_paused_0)", "offers_0_some | was_here_0"],
  ["a class is everybody's", /user_class = [^;]*;/, "user_class = 2'd0;"],
];
const vectors: readonly Fault[] = [
  ["a user that was silent has old counts", /is_there = [^;]*;/, "is_there = 1'b1;"],
  ["a measure is rounded down", "+ {23'd0, divider_answer_inexact}", ""],
  ["three measures count", "(word_1 > word_2) ? word_1 : word_2", "word_1"],
  ["the newest measure counts alone", "(newer_1 > older_1) ? newer_1 : older_1", "newer_1"],
  ["an epoch without bytes is a measure", "counted_valid_2 & (|counted_bytes)", "counted_valid_2"],
  ["what software says counts for one epoch", "writes_1 ? measures_2_1 : first_use", "measures_2_1"],
  ["places that are not there are written", /first_is_own = [^;]*;/, "first_is_own = first_use_en;"],
  ["the last resource is left out", "walk_resource == 4'd11", "walk_resource == 4'd10"],
  ["uses end a part late", "parts == 6'd39", "parts == 6'd40"],
  ["weights of another user", "weight_list[beat_user[1:0]]", "weight_list[2'd0]"],
];
const turns: readonly Fault[] = [
  ["the unit's rates beside software's", "drf_rates_ready & by_hardware", "drf_rates_ready"],
  ["a rate is lost beside an entry", "drf_rates_ready = ~users_en", "drf_rates_ready = 1'b1"],
  ["a rate forgets what software said", "users_en & (users_index < 6'd4)) begin", "1'b0) begin"],
  ["the switch counts at once", "if (epoch_ends) by_hardware", "if (1'b1) by_hardware"],
];
const room: readonly Fault[] = [
  ["a count wraps", /sum_\d_over \? 24'hffffff : /, ""],
  ["a demand wraps", "demand_over ? 24'hffffff : ", ""],
];
const outlive: readonly Fault[] = [
  ["parts outlive a reset", "if (rst) parts <= 6'd0;", "if (1'b0) parts <= 6'd0;"],
  ["backlogs outlive a reset", "no_backlogs ? 24'd0 : backlogs[walk_user]", "backlogs[walk_user]"],
  ["cells that are held outlive a reset", "took_goes_on ? took[", "1'b1 ? took["],
  ["counts outlive a reset", "if (rst) written_0 <= 4'd0;", "if (1'b0) written_0 <= 4'd0;"],
];

const look = async (name: string, design: Dut<Ports>, runs: readonly Run[]): Promise<void> => {
  const options = { wave: false, hangCycles: 20_000, limitCycles: 300_000, seed: 4 };
  for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, options, run);
};
const groups: readonly (readonly [string, readonly Fault[], readonly Run[]])[] = [
  ["counts", counts, [usual]],
  ["demands", demands, [usual]],
  ["pauses", pauses, [lies]],
  ["vectors", vectors, [usual, silence]],
  ["turns", turns, [modes]],
  ["room", room, [saturation]],
  [
    "measures that have no room",
    [["they wrap", "over = (counted_use >> 11) >= counted_bytes", "over = 1'b0"]],
    [hoard],
  ],
  ["resets", outlive, [b => resets(b, 20)]],
];
describe("a planted fault in the loop is found", () => {
  for (const [group, faults, runs] of groups) {
    test(`${group}: nothing without one`, async () => {
      await look("no fault", dut("small"), runs);
    });
    for (const [name, from, to] of faults)
      test(`${group}: ${name}`, async () => {
        await findsFault(look(name, plant(dut("small"), from, to), runs));
      });
  }
});
