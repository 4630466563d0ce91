/** Faults planted in the Verilog: the storms must find each. */
import { test } from "vitest";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { type StormName, storms } from "./storms.ts";
import { run, small, type Traffic } from "./traffic.ts";

const passing = "requests that pass each other",
  lossy = "a network that loses, doubles, damages and delays",
  copies = "copies, and a second node that is deaf for times",
  refused = "lines that are refused, beside victims that are wanted",
  local = "local lines, of which no node has heard before their first flush",
  ends = "first and last lines of the first and last regions",
  strange = "replies cut short, and frames that answer nothing",
  edges = "the first and last lines of ranges",
  runs = "pauses in long runs",
  moody = "nodes that are busy, or have forgotten",
  deaf = "a node that is deaf for longer than a fetch is tried",
  fails = "a line memory that fails for times",
  dram = "lines in DRAM";

type Fault = readonly [what: string, storm: StormName, from: string | RegExp, to: string];
const faults: readonly Fault[] = [
  // The look-up and its sets.
  [
    "address spaces are not told apart",
    passing,
    "tag_1 == first_tag, tag_0 == first_tag",
    "tag_1[37:0] == first_tag[37:0], tag_0[37:0] == first_tag[37:0]",
  ],
  ["a write to a line that may not be written is done", edges, "& second_write & ~writable", "& 1'b0"],
  [
    "a waiting write is done on a line that may not be written",
    refused,
    "& second_write & ~writable",
    "& second_write & ~writable & ~second_again",
  ],
  [
    "a line that may not be written can be, once it has come",
    refused,
    "(arrived_way & (second_writable ? 2'd3 : 2'd0))",
    "arrived_way",
  ],
  ["a write leaves the line clean", passing, "(second_write ? 2'd3 : 2'd0)", "(1'b0 ? 2'd3 : 2'd0)"],
  [
    "a line that is leaving is fetched before it is safe",
    passing,
    "wire waits = line | (|victim_match);",
    "wire waits = line;",
  ],
  [
    "what the cycle before wrote of a set is not seen",
    dram,
    "wire wrote_valid_and = wrote_valid &",
    "wire wrote_valid_and = 1'b0 &",
  ],
  [
    "what this cycle writes of a set is not seen",
    lossy,
    "wire second_set_valid_and = writes_set &",
    "wire second_set_valid_and = 1'b0 &",
  ],
  [
    "hits before a miss are not waited for: the victim is copied without them",
    runs,
    "drained <= queue_level == 4'd0;",
    "drained <= 1'b1;",
  ],
  [
    "misses of two sets are one's",
    refused,
    "& (misses_1_index == first_index) & (misses_1_tag == first_tag),",
    "& (misses_1_tag == first_tag),",
  ],
  [
    "what was dirty stays so in the next line's way",
    passing,
    "((second_set_dirty & ~gone & ~ended_way)",
    "((second_set_dirty & ~ended_way)",
  ],
  ["a way that software has emptied waits for ever", passing, "~ended_way & ~dropped_way", "~ended_way"],
  [
    "a way whose line was refused waits for ever",
    passing,
    "assign ended_way = op_way & (fills ? 2'd3 : 2'd0);",
    "assign ended_way = op_way & (filled_1 ? 2'd3 : 2'd0);",
  ],
  [
    "a way that is being filled is taken again",
    passing,
    "wire [1:0] way_is_free_inverse = ~(second_set_valid | second_set_writable);",
    "wire [1:0] way_is_free_inverse = ~second_set_valid;",
  ],
  [
    "a miss begins without a number that is free",
    passing,
    "assign begins = needs & (|(~busy)) &",
    "assign begins = needs &",
  ],
  // Hits that pass the queue.
  ["a hit passes those that wait in the queue", runs, "& ~lookup_access_valid &", "&"],
  ["a hit that has passed the queue goes through it, too", passing, "(hit & ~early_hit) | answers", "hit | answers"],
  // Those that wait.
  [
    "a new request passes those that wait for its line",
    passing,
    "assign want_access = intake_any & ~again &",
    "assign want_access = intake_any &",
  ],
  [
    "the first of those that wait for a line is forgotten",
    passing,
    "if (~some[0]) heads_0 <= park_at;",
    "heads_0 <= park_at;",
  ],
  [
    "requests that waited for a victim come behind later ones",
    local,
    "if (~again) again_tail <= again_tail_joined[{second_miss, 1'b0} +: 2];",
    "again_tail <= again_tail_joined[{second_miss, 1'b0} +: 2];",
  ],
  [
    "a line of which the last bytes are missing counts as whole",
    strange,
    "receiver_done & fills",
    "(receiver_done | receiver_cut) & fills",
  ],
  [
    "who waits for a victim is refused with the line that it left for",
    refused,
    "& waits_for_line[0] & (owners_0 == second_miss)",
    "& (owners_0 == second_miss)",
  ],
  [
    "a place to wait is not given back by who is refused",
    refused,
    "wire free = settles & second_again & ~parks_1;",
    "wire free = settles & second_again & ~parks_1 & ~answers;",
  ],
  ["a request waits without a place", passing, "(|(~busy)) & (place_to_wait | evict);", "(|(~busy));"],
  // Numbers and time.
  [
    "any answer to the right miss counts, late ones too",
    lossy,
    "of_operation <= (receiver_answer_reply_request_id - oldest_id) <= (newest_id - oldest_id);",
    "of_operation <= 1'b1;",
  ],
  [
    "a node slower than the time-out is never heard",
    "a node slower than the time-out",
    "(of_operation & ~later)",
    "1'b0",
  ],
  [
    "repetitions do not say so: a WRITE is done twice",
    lossy,
    "held_retry <= order_payload_retry;",
    "held_retry <= 1'b0;",
  ],
  [
    "each repetition is a new operation",
    lossy,
    "if (~primary_0_repeats) primary_0_first <= request_id;",
    "primary_0_first <= request_id;",
  ],
  [
    "an operation that its node has forgotten is repeated",
    moody,
    "if (begins_anew & reply_of_0_1) primary_0_repeats <= 1'b0;",
    "",
  ],
  ["a node that is busy ends a flush", moody, "wire ends = takes & ~later;", "wire ends = takes;"],
  [
    "the clock of a miss stands still",
    lossy,
    "details_0_time <= details_0_time - 20'd1;",
    "details_0_time <= details_0_time;",
  ],
  [
    "the clock does not begin anew with a repetition",
    lossy,
    "details_0_time <= 20'd399;",
    "details_0_time <= details_0_time;",
  ],
  [
    "a flush is given up as a fetch is",
    deaf,
    "wire settled_0 = ~(fetch_0_need | primary_0_need | secondary_0_need);",
    "wire settled_0 = ~(fetch_0_need | primary_0_need | secondary_0_need) | (~fetch_0_need & (details_0_tries == 4'd1));",
  ],
  // Nodes, regions, ranges.
  ["a flush and a fetch of two processes go in one", passing, "& (job_victim_asid == job_line_asid);", ";"],
  ["a flush and a fetch of two nodes go in one", "regions of four nodes", "(primary_node == fetch_node) &", "1'b1 &"],
  [
    "the second copy of a flush is not waited for",
    copies,
    "(fetch_0_need | primary_0_need | secondary_0_need)",
    "(fetch_0_need | primary_0_need)",
  ],
  [
    "the second copy goes to the first node",
    copies,
    "secondary_0_node <= router_route_secondary;",
    "secondary_0_node <= router_route_node;",
  ],
  [
    "the highest bit of a region is not looked at",
    ends,
    "(looked_up_page[39:22]),",
    "({1'b0, looked_up_page[38:22]}),",
  ],
  ["the lowest bit of a region is not looked at", ends, "(looked_up_page[39:22]),", "({looked_up_page[39:23], 1'b0}),"],
  ["a range ends a line early", edges, "(line_page <= entries_0_last)", "(line_page < entries_0_last)"],
  ["a range ends a line late", edges, "(line_page <= entries_0_last)", "(line_page <= (entries_0_last + 1'b1))"],
  ["a range begins a line late", edges, "(line_page >= entries_0_first)", "(line_page > entries_0_first)"],
  ["ranges of all address spaces are one's", edges, "(entries_0_asid == line_asid) &", "1'b1 &"],
  [
    "what was flushed still counts as never touched",
    local,
    "marks[clearing ? clear : mark] <= ~clearing;",
    "marks[clearing ? clear : mark] <= 1'b0;",
  ],
  [
    "the mark of a line is another line's",
    local,
    "marks[clearing ? clear : mark] <=",
    "marks[clearing ? clear : mark ^ 6'd1] <=",
  ],
  ["ranges share their marks", local, "mark <= line_page[5:0] +", "mark <= line_page[5:0] + 6'd0 &"],
  // Frames.
  ["damaged frames are taken", lossy, "wire bad = lost | push_payload_user;", "wire bad = lost;"],
  [
    "a frame that ends early counts as whole",
    strange,
    "if (receiver_cut) fills <= 1'b0;",
    "if (receiver_cut) fetch_0_need <= 1'b0;",
  ],
  ["the size of a reply is not looked at", strange, "& (head[399:384] == 16'd284)", ""],
  ["replies to another port are taken", strange, "& ({head[295:288], head[303:296]} == own_port)", ""],
  ["replies to another station are taken", strange, "== own_ip)", "!= 32'd0)"],
  ["all misses have one buffer for their victims", passing, "victims[{held_miss, beat}]", "victims[{1'b0, beat}]"],
  // The line memory.
  ["a read passes a write of the same beat", dram, "|(compared & used)", "|(compared[14:0] & used[14:0])"],
  ["a read passes the write just before it", dram, /(wire clashes_with_last =)[^;]*;/, "$1 1'b0;"],
  [
    "a line is told before its last beats stand",
    fails,
    "& ~entries_0_told & ~fetch_0_need & owes_none_0)",
    "& ~entries_0_told & ~fetch_0_need)",
  ],
  ["a line that the memory did not take is used", fails, "if (filled_valid & filled_bad) begin", "if (1'b0) begin"],
  ["a victim that the memory did not give back is sent", fails, "if (copied_valid & copied_bad) spoilt <= 1'b1;", ""],
  [
    "a write that the memory refused is answered as done",
    fails,
    "e_write ? answer_payload_bad_shifted[0] :",
    "e_write ? 1'b0 :",
  ],
  ["a read that the memory failed is answered as done", fails, ": |mem_r_payload_resp;", ": 1'b0;"],
];

for (const [what, storm, from, to] of faults)
  test(`${what}: found by ${storm}`, () => {
    const t: Traffic = storms[storm];
    return findsFault(run(what, { ...t, design: plant(ExCache(t.parameters ?? small()), from, to) }));
  });
