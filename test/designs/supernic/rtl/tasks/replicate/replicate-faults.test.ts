/** Faults planted in replication: the benches find each. */
import { describe, it } from "vitest";
import { never, runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, replicaDut } from "./support/rig.ts";
import { agesRun, mixedRun, resetRun, stoppedRun } from "./support/runs.ts";

const mixed = (b: B) => mixedRun(b, 400, () => never),
  ages = (b: B) => agesRun(b),
  stopped = async (b: B): Promise<void> => {
    const { forwarded, copies } = await stoppedRun(b);
    if (forwarded !== 40 || copies.length !== 32) throw new Error(`${forwarded} went on, ${copies.length} copies`);
  };

describe("a planted fault in replication is found", () => {
  const finds = (name: string, from: string | RegExp, to: string, run: (b: B) => Promise<unknown>) =>
    it(name, () =>
      findsFault(
        runBench(
          `replicate fault ${name}`,
          plant(replicaDut, from, to),
          { seed: 9, wave: false, limitCycles: 300_000, hangCycles: 30_000 },
          run,
        ),
      ),
    );
  const wire = (name: string): RegExp => new RegExp(`(wire (?:\\[[^\\]]*\\] )?${name} =) [^;]*;`);
  finds("a reply counts twice", wire("is_fresh"), "$1 1'b1;", mixed);
  finds("the first reply is passed on", wire("is_done"), "$1 reply_counts;", mixed);
  finds("the last reply's status alone counts", wire("status"), "$1 who_d_header[371:368];", mixed);
  finds(
    "a place is free although its request waits",
    /assign matches_(\d) = row_\d_valid & /,
    "assign matches_$1 = ",
    mixed,
  );
  finds("a place is not given back when all have answered", wire("ends_to_wait"), "$1 decides_age | sweeping;", mixed);
  finds("a place is not given back by time", /age_is_due <= 1'b1;/, "age_is_due <= 1'b0;", mixed);
  finds("a place is given back too early", /(age_\d) > \{1'b0, life\}/, "$1 >= {1'b0, life}", ages);
  finds(
    "what is heard does not make a place younger",
    /now, begins_to_wait \?/,
    "begins_to_wait ? now : row_0_stamp, begins_to_wait ?",
    ages,
  );
  finds("one set is never looked at", /(set_at <= set_at \+) 6'd1/, "$1 (sweeping ? 6'd1 : 6'd2)", mixed);
  finds("a look-up does not wait for the change in front of it", wire("look_up_waits"), "$1 1'b0;", mixed);
  finds("a reply from anywhere counts", /\(who_b_ingress == node_\d_port\)/, "1'b1", mixed);
  finds("others' writes are copied", wire("is_ours"), "$1 |row_nodes;", mixed);
  finds("a key lacks the client's port", /\w+\[47:32\] == key\[47:32\]/, "1'b1", mixed);
  finds("a write that nobody can be told of is copied", /who_a_header\[374\] & /, "1'b1 & ", mixed);
  finds("a write without reply is copied", /who_a_header\[367:360\] != 8'd82/, "1'b1", mixed);
  finds("too long a payload is copied", /who_a_payload_bytes <= 14'd1984/, "1'b1", mixed);
  finds("the last beat of a copy is whole", wire("new_job_payload_tail"), "$1 7'd64;", mixed);
  finds(
    "a copy's checksum lacks its last carry",
    /copy_sum <= ~\(copy_folded\[15:0\] \+ \{15'd0, copy_folded\[16\]\}\)/,
    "copy_sum <= ~copy_folded[15:0]",
    mixed,
  );
  finds(
    "a reply's checksum lacks its last carry",
    /ip_sum <= ~\(folded\[15:0\] \+ \{15'd0, folded\[16\]\}\)/,
    "ip_sum <= ~folded[15:0]",
    mixed,
  );
  finds("a copy begins before its payload is there", wire("job_is_whole"), "$1 1'b1;", mixed);
  finds("jobs share a place", /job_at <= job_at \+ 4'd1;/, "job_at <= job_at;", mixed);
  finds(
    "a job without payload is never given back",
    wire("job_ends"),
    "$1 issues_beat & sends_last & sent_is_last & (|sent_beats);",
    mixed,
  );
  finds("one job more than there is room for", /jobs_under_way < 5'd16/, "jobs_under_way < 5'd17", stopped);
  finds(
    "a request that is refused keeps its payload",
    /\.push_payload_keep \(copies_now\)/,
    ".push_payload_keep (is_request)",
    stopped,
  );
  finds("after a reset what waited waits", /sweeping <= 1'b1;/, "sweeping <= 1'b0;", resetRun);
  finds(
    "after a reset the groups are as they were",
    /if \(rst\) group_is_on <= 16'd0;/,
    "if (rst) group_is_on <= 16'hffff;",
    resetRun,
  );
});
