/**
 * Faults of the reset of one slot, chosen by reading the hardware before the bench was written: what it is, the
 * Verilog, and what that becomes. Two of 22 need a request that
 * comes as a reset begins: slot-moments.ts has them.
 */
export const slotFaults: readonly (readonly [string, RegExp, string])[] = [
  ["a reset does not wait for memory", /(?<=accesses_gone = [^;]*) & ~\(\|inside_\)/, ""],
  ["a reset does not wait for accesses that are complete", /(?<=accesses_gone = )~accesses_pending/, "1'b1"],
  ["a reset does not wait for replies that are complete", /(?<=replies_gone = )~replies_pending/, "1'b1"],
  ["a reset does not wait for the data of a reply", /(?<=replies_gone = [^;]*) & between/, ""],
  ["requests are answered as lost at once", /(?<=answers_lost = closed) & drained/, ""],
  ["the slot is cleared before its requests are answered", /(?<=clear = answers_lost) & ~\(\|used\)/, ""],
  ["a lost request is answered twice", /(?<=lost_one_when = answers_lost & \(\|used\)) & ~lost_one/, ""],
  ["what the offload says in reset counts: replies", /(?<=own_reply_valid = reply_valid) & ~closed/, ""],
  ["what the offload says in reset counts: accesses", /(?<=own_memory_valid = memory_valid) & ~closed/, ""],
  [
    "an access that is incomplete leaves in the next life",
    /(?<=accesses_valid <= 1'b1;\s*)if \(clear\) accesses_valid <= 1'b0;/,
    "",
  ],
  [
    "a reply that is incomplete leaves in the next life",
    /(?<=replies_valid <= 1'b1;\s*)if \(clear\) replies_valid <= 1'b0;/,
    "",
  ],
  ["replies of memory stay for the next life", /(?<=memory_replies_pop_ready = memory_reply_ready) \| closed/, ""],
  [
    "data of memory stay for the next life",
    /(?<=memory_reply_beats_pop_ready = memory_reply_data_ready) \| closed/,
    "",
  ],
  ["a late reply counts", /came_in_time = [^;]*;/, "came_in_time = 1'b1;"],
  ["data of a late reply count", /came_data_in_time = [^;]*;/, "came_data_in_time = 1'b1;"],
  ["what is given up leaves its room taken", /(?<=beats_free <=\s*)gives_up \?/, "1'b0 ?"],
  ["given up, but the epoch stays", /epoch <= epoch \+ 4'd1/, "epoch <= epoch"],
  ["given up while memory takes data", /(?<=gives_up =[^;]*), data_owed/, ""],
  ["a request comes in while the slot is closed", /(?<=room = [^;]*) & ~closed/, ""],
  ["replies are waited for without end", /waited_enough <= reached[^;]*/, "waited_enough <= 1'b0"],
];
