import { describe, it } from "vitest";
import { bernoulli, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut } from "./support/memory-rig.ts";
import type { B } from "./support/rtl-driver.ts";
import {
  fenceAlone,
  manyReads,
  memoryFails,
  nothingIsLeft,
  pagesInTurns,
  pagesJump,
  pagesMove,
  rights,
  sameTouch,
  tasksGo,
} from "./support/runs.ts";

const moving = (b: B) =>
    pagesMove(b, 1_500, {
      pause: () => bernoulli(0.3, b.random.word()),
      memory: { latency: 40, jitter: 30, outOfOrder: true },
    }),
  jumping = (b: B) => pagesJump(b, 30),
  going = (b: B) => tasksGo(b, 12, { memory: { latency: 40, jitter: 30, outOfOrder: true } });

describe("a planted fault in the memory is found", () => {
  const finds = (name: string, from: string | RegExp, to: string, run: (b: B) => Promise<unknown>) =>
    it(name, () =>
      findsFault(
        runBench(
          `memory fault ${name}`,
          plant(dut, from, to),
          { seed: 31, wave: false, limitCycles: 30_000, hangCycles: 4_000 },
          run,
        ),
      ),
    );
  finds("the limit is not looked at", /(wire within_limit =) [^;]*;/, "$1 1'b1;", moving);
  finds("a way without a space has space 0", /whose_known & within_limit/, "within_limit", rights);
  finds("a page that changes while it is looked up is believed", /stale <= [^;]*;/, "stale <= 1'b0;", sameTouch);
  finds("who has no right to write writes", /(wire lacks_right =) [^;]*;/, "$1 1'b0;", rights);
  finds("the fence does not wait for reads", /old_reads <= [^;]*;/, "old_reads <= 5'd0;", jumping);
  finds(
    "the fence does not wait for a piece that is looked up",
    /old_piece <= [^;]*;/,
    "old_piece <= 1'b0;",
    fenceAlone,
  );
  finds("a page is free before its zeros are there", /(wire page_done =) [^;]*;/, "$1 busy_q;", nothingIsLeft);
  finds("who waits for a page is passed by those who come", /may_take <= [^;]*;/, "may_take <= 3'd7;", pagesInTurns);
  finds("zeros are what was there", /is_zero \? 512'h0 : /, "", nothingIsLeft);
  finds(
    "a page that could not be zeroed is free",
    /(wire page_is_free =) [^;]*;/,
    "$1 page_done & is_zero;",
    memoryFails,
  );
  finds("an answer that failed is told as good", /(assign read_is_bad =) [^;]*;/, "$1 1'b0;", memoryFails);
  finds("room for a read is not kept", /(wire enough = is_write) [^;]*;/, "$1 | 1'b1;", manyReads);
  finds("a task that goes leaves its beats", /clears = [^;]*;/, "clears = 1'b0;", going);
});
