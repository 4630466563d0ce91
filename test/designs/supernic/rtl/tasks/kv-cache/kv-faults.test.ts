/** Faults planted in the KV cache: the benches find each. */
import { describe, it } from "vitest";
import { KvCacheModel } from "../../../../../../designs/supernic/model/index.ts";
import { runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, kvDut } from "./support/kv-rig.ts";
import { crossings, overwriteRun, replaceRun } from "./support/kv-runs.ts";
import { kvWorld } from "./support/kv-world.ts";

const values = 64,
  dut = kvDut("lru", values),
  fifo = kvDut("fifo", values),
  model = (): KvCacheModel => new KvCacheModel("lru", values);
const inTurn = (b: B) => replaceRun(b, new KvCacheModel("fifo", values), 60),
  crossing = (b: B) => crossings(b, model()),
  replacing = (b: B) => replaceRun(b, model(), 60),
  failing = (b: B) => kvWorld(b, { operations: 300, latency: 30, jitter: 60, failing: 5, writes: 0.1 });

describe("a planted fault in the KV cache is found", () => {
  const finds = (
    name: string,
    from: string | RegExp,
    to: string,
    run: (b: B) => Promise<unknown>,
    device: typeof dut = dut,
  ) =>
    it(name, () =>
      findsFault(
        runBench(
          `kv fault ${name}`,
          plant(device, from, to),
          { seed: 9, wave: false, limitCycles: 2_000_000, hangCycles: 500_000 },
          run,
        ),
      ),
    );
  const wire = (name: string): RegExp => new RegExp(`(wire ${name} =) [^;]*;`),
    register = (name: string): RegExp => new RegExp(`\\b${name} <= [^;]*;`);
  finds(
    "a value is kept although its key was written meanwhile",
    register("same_version"),
    "same_version <= 1'b1;",
    crossing,
  );
  finds("a write that is under way closes nothing", register("bucket_is_open"), "bucket_is_open <= 1'b1;", crossing);
  finds("a read that came twice is believed", wire("unsure_read"), "$1 1'b0;", crossing);
  finds("a write that nobody waits for closes nothing", wire("blind_write"), "$1 1'b0;", crossing);
  finds("BUSY ends a write", register("is_settled"), "is_settled <= 1'b1;", crossing);
  finds("a reply from anywhere is the node's", /who_ingress == node_row\[41:38\]/, "1'b1", crossing);
  finds("after a reset it learns at once", wire("is_deaf"), "$1 1'b0;", crossing);
  finds("a write that is never answered closes its keys for ever", wire("age_ends"), "$1 1'b0;", crossing);
  finds("a process that ends keeps its keys", wire("forgets"), "$1 1'b0;", crossing);
  finds("others' reads hit", wire("is_ours"), "$1 1'b1;", crossing);
  finds("the checksum lacks its last carry", register("ip_checksum"), "ip_checksum <= ~ip_folded[15:0];", crossing);
  finds("a reply's last beat is always whole", register("last_count"), "last_count <= 7'd64;", crossing);
  finds("always the first place goes", register("victim"), "victim <= 2'd0;", replacing);
  finds(
    "whose turn it is in an empty set is what memory had at power-up",
    "(fill_begins & set_is_full) | clears",
    "fill_begins & set_is_full",
    inTurn,
    fifo,
  );
  finds(
    "whose turn it is outlives what was forgotten",
    "(fill_begins & set_is_full) | clears",
    "(fill_begins & set_is_full) | clears_all",
    inTurn,
    fifo,
  );
  finds("a value that memory failed to give is sent", wire("value_failed"), "$1 1'b0;", failing);
  finds(
    "a value that memory failed to take is found",
    register("fill_is_cancelled"),
    "fill_is_cancelled <= 1'b0;",
    failing,
  );
  finds(
    "a value is written over while it is read",
    /if \(~\(\|hits_before_fill\)\)|if \(~\|hits_before_fill\)/,
    "if (1'b1)",
    overwriteRun,
    fifo,
  );
  finds(
    "one hit too few is waited for",
    "hits_before_fill <= hits_under_way - {3'd0, value_ends};",
    "hits_before_fill <= (hits_under_way > 4'd1) ? hits_under_way - 4'd1 : 4'd0;",
    overwriteRun,
    fifo,
  );
});
