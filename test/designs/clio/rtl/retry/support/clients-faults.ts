/**
 * Faults of `RetryClients`, chosen by reading the hardware before the bench was written: what it is, the Verilog, and
 * what that becomes. The benches of the whole retry buffer find 7 of these 31; ageing is hardly seen from there. Five
 * more were chosen and make no difference: the four clears at `retire`, and that the vacant place is not looked at. Who
 * enters is heard of before anybody is forgotten, and that takes a stale choice back as well.
 */
export const clientsFaults: readonly (readonly [string, RegExp, string])[] = [
  ["a client is idle after three times TIMEOUT less a quarter", /(?<=looked_quarters >= \d+'d)13/, "12"],
  ["a client is idle a quarter of TIMEOUT late", /(?<=looked_quarters >= \d+'d)13/, "14"],
  [
    "the client silent for shortest is chosen",
    /looked_quarters > longest_quarters/,
    "looked_quarters < longest_quarters",
  ],
  ["the first that is silent is chosen", /\| \(looked_quarters > longest_quarters\)/, ""],
  ["the last that is silent is chosen", /~longest_valid \| \(looked_quarters/, "1'b1 | (looked_quarters"],
  ["who is heard of while the longest is sought stays", /(?<=standing = longest_valid) & [^;]*/, ""],
  [
    "who is heard of while looked at is taken for silent: a cycle later",
    / & ~\(touch_valid_q & \(touch_index_q == looked_index\)\)/,
    "",
  ],
  [
    "who is heard of while looked at is taken for silent: in the same cycle",
    /\s*& ~\(touch_valid_q & \(touch_index_q == looking\)\)/,
    "",
  ],
  [
    "who is heard of after being chosen stays chosen",
    /(?<=else if \(touch_valid_q & \(touch_index_q == chosen_index\)\)) chosen_valid <= 1'b0/,
    " chosen_valid <= chosen_valid",
  ],
  [
    "who is heard of while handed on is offered",
    /(?<=idle_valid_q <= chosen_valid) & ~\(touch_valid_q & \(touch_index_q == chosen_index\)\)/,
    "",
  ],
  ["who is heard of is offered once more", /(?<=idle_valid_q, ~vacant_valid, )~\(touch_valid_q[^,]*/, "1'b1"],
  ["another is offered while a place is vacant", /(?<=idle_valid_q, )~vacant_valid/, "1'b1"],
  ["who is found is offered", /~\(\(\|\(matches_ & idle_place\)\) & asked\)/, "1'b1"],
  ["a place can be had before it is swept", /vacant_valid & vacant_swept(?=\);\s*assign place_index)/, "vacant_valid"],
  ["a place counts as swept from the time before", /vacant_swept <= 1'b0;(?=\s*vacant_index <= idle)/, ""],
  ["a place is given twice", /(?<=if \(all_used\)) vacant_valid <= 1'b0/, " vacant_valid <= vacant_valid"],
  ["places that nobody had are looked at", /\(all_used \| \(looking < used\[\d+:0\]\)\)/, "1'b1"],
  ["who is forgotten is found by a look-up in that cycle", /matching & ~forgotten/, "matching"],
  ["who is forgotten stays known", /(?<=written <= )\(written & ~forgotten\)/, "written"],
  ["who enters is not found", /matches_ \| entering/, "matches_"],
  [
    "what is nobody's key is looked up",
    /(?<=matches_ <= )asks \? matching & ~forgotten : \d+'d0/,
    "matching & ~forgotten",
  ],
  ["a touch that is none is written down", /if \(touch_valid_q\) heard/, "heard"],
  ["a quarter of TIMEOUT is a cycle short", /ticks = cycles == (\d+)'d\d*(\d)/, "ticks = cycles + 1 == $1'd2$2"],
  ["a quarter of TIMEOUT is a cycle long", /ticks = cycles == (\d+)'d\d*(\d)/, "ticks = cycles == $1'd2$2 + 1'b1"],
  ["the age of the longest is not kept", /longest_quarters <= looked_quarters/, "longest_quarters <= longest_quarters"],
  ["the index of the longest is not kept", /longest_index <= looked_index/, "longest_index <= longest_index"],
  ["the last place of a round is not seen", /(?<=chosen_valid <= )longer \| standing/, "standing"],
  ["a round does not end", /(?<=longest_valid <= \(longer \| standing\)) & ~ends/, ""],
  ["the time to wait is that of the client silent for shortest", /quiet > most_?/, "quiet < most"],
  ["the time to wait is a quarter short", /(?<=left <= )4'd13 - /, "4'd12 - "],
  ["the time to wait keeps the longest silence there ever was", /(?<=most <= )ends \? 4'd0 : /, ""],
  ["the last place of a round does not count for the time to wait", /(?<=left <= 4'd13 - )round_most/, "most"],
  ["a place counts as being swept when it is not", /(?<=sweeping = )vacant_valid & ~vacant_swept/, "vacant_valid"],
  ["a reset leaves the found client found", /if \(rst\) asked <= 1'b0;/, "if (rst) asked <= asked;"],
  ["a reset leaves keys known", /(?<=if \(rst\) begin\s*)written <= \d+'d0;/, ""],
  ["a reset leaves a place vacant", /(?<=used <= \d+'d0; )vacant_valid <= 1'b0;/, ""],
];
