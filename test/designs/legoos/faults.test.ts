/** Faults planted in the Verilog: the benches must find each. */
import { describe, test } from "vitest";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import { status } from "../../../designs/clio/wire/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { run, small, type Traffic } from "./traffic.ts";

const readOnly: Traffic = {
  rights: (_, va) => ({ status: status.OK, writable: va < 9n * 256n }),
  setUp: async r => {
    for (const asid of [1, 2])
      await r.range(asid - 1, { asid, first: 9, last: 200, writable: false, anonymous: false, base: 0 });
  },
};
const local: Traffic = {
  setUp: async r => {
    for (const asid of [1, 2])
      await r.range(asid - 1, { asid, first: 0, last: 15, writable: true, anonymous: true, base: 16 * (asid - 1) });
  },
};
const lossy: Traffic = { lose: 0.08, twice: 0.1, damage: 0.08, jitter: 300 };

type Fault = readonly [what: string, from: string | RegExp, to: string, traffic?: Traffic];
const faults: readonly Fault[] = [
  [
    "address spaces are not told apart",
    "tag_1 == first_tag, tag_0 == first_tag",
    "tag_1[37:0] == first_tag[37:0], tag_0[37:0] == first_tag[37:0]",
  ],
  ["a write to a line that may not be written is done", "& second_write & ~writable", "& 1'b0", readOnly],
  ["a write leaves the line clean", "(second_write ? 2'd3 : 2'd0)", "(1'b0 ? 2'd3 : 2'd0)"],
  [
    "a new request passes those that wait for its line",
    "assign want_access = intake_any & ~again &",
    "assign want_access = intake_any &",
  ],
  [
    "any answer of the right miss counts, late ones too",
    /== receiver_answer_reply_request_id/,
    "!= 32'hffffffff",
    lossy,
  ],
  [
    "repetitions do not say so: a WRITE is done twice",
    "held_retry <= order_payload_retry;",
    "held_retry <= 1'b0;",
    lossy,
  ],
  [
    "the clock of a miss stands still",
    "entries_0_time <= entries_0_time - 20'd1;",
    "entries_0_time <= entries_0_time;",
    { ...lossy, hangCycles: 4000 },
  ],
  [
    "what was flushed still counts as never touched",
    "marks[clearing ? clear : mark] <= ~clearing;",
    "marks[clearing ? clear : mark] <= 1'b0;",
    local,
  ],
  [
    "local lines of all address spaces are one's",
    "(entries_0_asid == line_asid) &",
    "1'b1 &",
    {
      setUp: r => r.range(0, { asid: 1, first: 0, last: 15, writable: false, anonymous: false, base: 0 }),
      rights: asid => ({ status: status.OK, writable: asid !== 1 }),
    },
  ],
  ["damaged frames are taken", "wire bad = lost | push_payload_user;", "wire bad = lost;", lossy],
  [
    "the first of those that wait for a line is forgotten",
    "if (~some[0]) heads_0 <= park_at;",
    "heads_0 <= park_at;",
    { hangCycles: 4000 },
  ],
  [
    "a way that is being filled is taken again",
    "wire [1:0] can_be_had_inverse = ~(second_set_valid | second_set_writable);",
    "wire [1:0] can_be_had_inverse = ~second_set_valid;",
    { jitter: 100 },
  ],
];

describe("planted faults", () => {
  for (const [what, from, to, t = {}] of faults)
    test(what, () =>
      findsFault(
        run(what, {
          accesses: 200,
          limitCycles: 100_000,
          hangCycles: 8000,
          ...t,
          design: plant(ExCache(small()), from, to),
        }),
      ),
    );
});

/** Faults that the benches do not find yet. */
describe("planted faults that are missed", () => {
  test.todo("a line that is leaving is fetched before it is safe");
  test.todo("what the cycle before wrote of a set is not seen");
  test.todo("what this cycle writes of a set is not seen");
  test.todo("hits before a miss are not waited for: the victim is copied without them");
  test.todo("the second copy of a flush is not waited for");
});
