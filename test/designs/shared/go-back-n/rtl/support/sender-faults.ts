/**
 * Faults of `GbnSender`, chosen by reading the hardware before the bench had a model of the timer: what it is, the
 * Verilog, and what that becomes. The benches from before found 16 of these 32. Two more were chosen and make no
 * difference: a closed session has nothing in flight, and after a timeout sending again begins with the first frame
 * anyway.
 */
export const senderFaults: readonly (readonly [string, string | RegExp, string])[] = [
  ["ACKs of numbers never sent are believed", "~rest[4]", "1'b1"],
  ["a frame that is being read is written over", "clash = &{", "clash = 1'b0 & &{"],
  ["a NACK while it sends again changes nothing", /from_start = op_flag \| was_restart/, "from_start = op_flag"],
  ["the timer's look does not begin a new time", /was_progress & ~\(op_valid & \(op_kind == 3'd4\)\)/, "was_progress"],
  ["every number granted begins a new time", /\(grants & ~some\)/, "grants"],
  ["the first number granted begins no time", /\(grants & ~some\)/, "1'b0"],
  ["an ACK of nothing new begins a new time", /(?<=~start & \()moves/, "believed"],
  ["an ACK begins no new time", /(?<=~start & \()moves/, "1'b0"],
  ["the last frame sent again begins no new time", /(?<=~start & \(moves \| )ends/, "1'b0"],
  ["an ACK leaves the tries", /\(start \| moves\) \? \d'd0/, "start ? 2'd0"],
  ["opening leaves the tries", /\(start \| moves\) \? \d'd0/, "moves ? 2'd0"],
  ["a timeout is not counted", /was_tries \+ (\d)'d1/, "was_tries"],
  ["given up a try early", /(?<=was_tries [!=]= \d'd)(\d)/, "$1 - 1"],
  ["a session with nothing in flight sends again", /(?<=late = [^;]*)some & /, ""],
  ["a session that is sending again times out", /(?<=late = [^;]*)~was_again & /, ""],
  ["given up stays open", /was_open & ~gives_up/, "was_open"],
  ["given up, but nobody is told", /gives_up = fails & failed_queue_push_ready/, "gives_up = fails"],
  ["the timer looks a cycle late", /(?<=due <= \(wait_ >= \d+'d)(\d+)/, "$1 + 1"],
  ["the timer looks a cycle early", /(?<=due <= \(wait_ >= \d+'d)(\d+)/, "$1 - 1"],
  ["the timer does not look beside traffic", /~wanted \| urgent/, "~wanted"],
  ["the timer looks at once beside traffic", /~wanted \| urgent/, "1'b1"],
  ["the timer's patience is a cycle more", /(?<=waited = wait_ == \d+'d)(\d+)/, "$1 + 1"],
  ["the timer looks beside an opening", /due & ~set_up/, "due"],
  ["a timeout does not send again", /(?<=~ends & \()back/, "goes_back"],
  ["who sends again is queued once more", /joins <= back & ~was_again/, "joins <= back"],
  ["a NACK that acknowledges nothing new is not heard", /goes_back = believed/, "goes_back = moves"],
  [
    "a NACK with nothing in flight goes back",
    /goes_back = believed & op_flag & [^;]*/,
    "goes_back = believed & op_flag",
  ],
  ["the timer passes a session over", /cursor <= cursor \+ \d'd1/, "cursor <= cursor + 1 + (looks & cursor == 3)"],
  ["a question from before the last ACK goes on from there", /(?<=from_start = [^;]*) \| passed\[\d+\]/, ""],
  ["sending again takes a number beyond the last", /(?<=: passed\[\d+:0\] )<(?= flying)/, "<="],
  ["the window is a frame larger", /~flying\[3\]/, "~(flying[3] & |flying[2:0])"],
  ["a session opened anew begins with a number in flight", /(?<=start \? 12'd408)9(?= : moves)/, "8"],
  ["a reset leaves who waits to send again", /(?<=if \(rst\)) joined <= \d'd0/, " joined <= joined"],
];
