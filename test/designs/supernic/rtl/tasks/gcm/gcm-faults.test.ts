/** Faults that are planted in the tasks that seal and open, each found. Most of them with MNEMO_LONG=1 only. */
import { describe, it } from "vitest";
import { runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, pathOf } from "../../region/support/payload-rig.ts";
import type { Tried } from "../../region/support/test-tasks.ts";
import { opens, run, seals } from "./support/gcm-rig.ts";
import { keyChanges, relaunched, resetsBeside, rowsInARow } from "./support/scenes.ts";

const long = process.env["MNEMO_LONG"] !== undefined;
type Scene = (b: B, task: Tried) => Promise<unknown>;
const traffic: Scene = (b, task) => run(b, task, 500),
  keys: Scene = (b, task) => keyChanges(b, task, 4),
  resets: Scene = (b, task) => resetsBeside(b, task, 4);

interface Planted {
  readonly name: string;
  readonly task: Tried;
  readonly from: RegExp | string;
  readonly to: string;
  readonly scene?: Scene;
  /** It is found in every run, not in long ones only. */
  readonly always?: boolean;
}
const made = "(tag_made == hidden_payload_came)";
const faults: readonly Planted[] = [
  { name: "a frame leaves in spite of a wrong tag", task: opens, from: made, to: "1'b1", always: true },
  {
    name: "96 bits of a tag are compared",
    task: opens,
    from: made,
    to: "(tag_made[95:0] == hidden_payload_came[95:0])",
    always: true,
  },
  { name: "what is opened keeps its tag", task: opens, from: /(assign trailer_valid =)[^;]*;/, to: "$1 1'b0;" },
  {
    name: "the tag of the packet before stays",
    task: opens,
    from: /tag_that_came <= 128'h0/,
    to: "tag_that_came <= tag_that_came",
  },
  {
    name: "a tag that ends in a beat of its own is text",
    task: opens,
    from: /(wire text_ends_early =)[^;]*;/,
    to: "$1 1'b0;",
  },
  { name: "the text is opened from the block in front", task: opens, from: "32'hffffffff", to: "32'hfffffffe" },
  {
    name: "bytes behind the text count",
    task: seals,
    from: /(assign text_ends_here =)[^;]*;/,
    to: "$1 1'b0;",
  },
  { name: "lengths are bytes, not bits", task: seals, from: /(meanings_pop_payload_text\}) << 3/, to: "$1 << 0" },
  {
    name: "the nonce is not authenticated beside",
    task: seals,
    from: /headers_pop_payload_iv\}\)/,
    to: "headers_pop_payload_iv & 96'h0})",
  },
  { name: "the tag is hidden by a block of the text", task: seals, from: "is_behind ? 32'd1", to: "is_behind ? 32'd2" },
  {
    name: "two packets are one message",
    task: seals,
    from: /\.word_first\s*\(meanings_pop_payload_head\)/,
    to: ".word_first (1'b0)",
    always: true,
  },
  {
    name: "blocks behind the first are a lane too early",
    task: seals,
    from: /(wire \[1:0\] blocks_short =)[^;]*;/,
    to: "$1 2'd0;",
  },
  {
    name: "a packet leaves with two keys",
    task: seals,
    from: / & ~is_spoiled/,
    to: "",
    scene: keys,
    always: true,
  },
  {
    name: "a packet that comes with its row's new key is whole",
    task: seals,
    from: /else if \(row_begins & \(config_at\[8:3\] == key_of_(\d+)\)\)/,
    to: "else if (1'b0)",
    scene: keys,
  },
  {
    name: "a row is live before its powers are there",
    task: seals,
    from: /\.done_valid\s*\(prepared_valid\),\s*\.done_key\s*\(prepared_key\)/,
    to: ".done_valid(), .done_key()); assign prepared_valid = expansion_done_valid; assign prepared_key = expansion_done_key; wire unused_end; assign unused_end = (1'b0",
    scene: keys,
  },
  {
    name: "powers go on when another row begins",
    task: opens,
    from: /\.stops\s*\(row_begins\)/,
    to: ".stops (1'b0)",
    scene: rowsInARow,
  },
  {
    name: "a launch that was begins again",
    task: seals,
    from: /(wire launches_now = launch_is_asked) & [^;]*;/,
    to: "$1;",
    scene: relaunched,
    always: true,
  },
  {
    name: "a reset leaves rows live",
    task: opens,
    from: /live <= 64'd0;/,
    to: "live <= live;",
    scene: resets,
  },
  { name: "a packet that is dropped has a trailer", task: seals, from: /(says_trailer <=)[^;]*;/, to: "$1 leaves;" },
];

describe("a planted fault is found", () => {
  for (const { name, task, from, to, scene = traffic, always = false } of faults)
    it.skipIf(!long && !always)(name, () =>
      findsFault(
        runBench(
          `gcm fault ${name}`,
          plant(pathOf([task]), from, to),
          { seed: 67, wave: false, limitCycles: 30_000, hangCycles: 3_000 },
          b => scene(b, task),
        ),
      ),
    );
});
