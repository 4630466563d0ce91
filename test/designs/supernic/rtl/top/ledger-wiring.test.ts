/**
 * The blocks' ledgers make the device's: what one block gives is what the next one takes, wire by wire, and nothing
 * else in the top takes or gives frames. So where each block's frames in are those out, dropped and inside, the
 * device's are: in the sum all that is between blocks falls out.
 */
import { describe, expect, it } from "vitest";
import { buildOf, parseSettings } from "../../../../../designs/supernic/build/index.ts";
import { fates } from "../../../../../designs/supernic/rtl/port/index.ts";
import { middleCounterNames } from "../../../../../designs/supernic/rtl/top/index.ts";
import { emit } from "../../../../../hdl-dsl/index.ts";

const ports = 2;
/** Frames go through these blocks; the core is one place, whose frames have contexts. */
const places = /^(?:rx_\d+|rx_loop|tx_\d+|lane|spill_i|merge|egress)$/;
/** Of the rings, what goes to the memory and comes back is inside. */
const ofRings = (block: string, stream: string): boolean =>
  block === "spill_i" && !/^(?:from_queue|frames)\d+$/.test(stream);
const core = ["merge", "headers", "store", "regions", "egress"];
/** What in the core's blocks is no frame's way into the core, or out of it. */
const ofCore = (block: string, stream: string): boolean =>
  core.includes(block) && !(block === "merge" && /^frames\d+$/.test(stream)) && !/^out\d+$/.test(stream);

interface End {
  readonly block: string;
  readonly stream: string;
  readonly gives: boolean;
  readonly valid: string;
  readonly ready: string;
  readonly last: string;
}
interface Top {
  readonly text: string;
  readonly nets: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly ends: readonly End[];
}

/** What the top connects, read out of its Verilog. */
function readTop(files: ReadonlyMap<string, string>, name: string): Top {
  const text = files.get(name) ?? "",
    nets = new Map<string, ReadonlyMap<string, string>>(),
    ends: End[] = [];
  for (const [, type = "", block = "", body = ""] of text.matchAll(
    /^ {2}(\w+) (\w+) \((?: \/\/[^\n]*)?\n([^;]*)\);/gm,
  )) {
    const of = new Map([...body.matchAll(/\.(\w+)\s*\(([^()]*)\)/g)].map(([, p = "", net = ""]) => [p, net.trim()]));
    nets.set(block, of);
    const declared = files.get(type) ?? "";
    for (const [port, last] of of) {
      const stream = /^(\w+)_payload_last$/.exec(port)?.[1];
      if (stream === undefined) continue;
      const gives = new RegExp(`\\boutput (?:wire|reg)\\b[^,;)]*\\b${port}\\b`).test(declared);
      ends.push({
        block,
        stream,
        gives,
        last,
        valid: of.get(`${stream}_valid`) ?? "",
        ready: of.get(`${stream}_ready`) ?? "",
      });
    }
  }
  return { text, nets, ends };
}

/** What is wrong with how frames go from block to block. */
function problemsOf({ text, nets, ends }: Top): readonly string[] {
  const problems: string[] = [],
    say = (is: boolean, what: string): void => void (is || problems.push(what)),
    net = (block: string, port: string): string => nets.get(block)?.get(port) ?? `no ${block}.${port}`;
  const all = ends.filter(e => !ofCore(e.block, e.stream) && !ofRings(e.block, e.stream)),
    name = (e: End): string => `${e.block}.${e.stream}`;
  for (const e of all) say(places.test(e.block), `${name(e)} has frames, and is in no ledger`);

  // Each way out of a block is one way into another, or out of the device; by all three wires.
  const toLoop = (e: End): boolean => e.gives && e.stream === `out${ports}`,
    joined = new Map<End, End[]>();
  for (const e of all.filter(e => e.gives && !toLoop(e))) {
    const takers = all.filter(o => !o.gives && o.valid === e.valid);
    joined.set(e, takers);
    const outside = /^(?:tx\d+|to_software)$/.exec(e.valid.replace(/_valid$/, ""))?.[0];
    if (outside === undefined) {
      say(takers.length === 1, `${name(e)} goes to ${takers.map(name).join(", ") || "nobody"}`);
      for (const t of takers)
        say(t.last === e.last && t.ready === e.ready, `${name(e)} and ${name(t)} are joined by other wires`);
    } else
      say(
        takers.length === 0 && e.ready === `${outside}_ready` && e.last === `${outside}_payload_last`,
        `${name(e)} leaves by other wires`,
      );
  }
  // Each way in is one of those, the device's, or the loop port's.
  for (const e of all.filter(e => !e.gives)) {
    const givers = [...joined].filter(([, t]) => t.includes(e)),
      outside = /^(?:rx\d+|from_software)$/.exec(e.valid.replace(/_valid$/, ""))?.[0];
    if (outside !== undefined)
      say(
        givers.length === 0 && e.ready === `${outside}_ready` && e.last === `${outside}_payload_last`,
        `${name(e)} comes by other wires`,
      );
    else if (e.block === "rx_loop") say(e.valid === "to_loop_valid" && e.last === "to_loop_payload_last", "rx_loop");
    else say(givers.length === 1, `${name(e)} comes from ${givers.map(([g]) => name(g)).join(", ") || "nobody"}`);
  }
  // To the loop port in turns, by an arbiter of the library, which has a proof.
  const turn = (i: number, block: string): void => {
    const out = `out${ports}`;
    say(
      text.includes(`wire ${net(block, `${out}_ready`)} = to_loop_grant[${i}] & ${net("rx_loop", "rx_ready")};`) &&
        text.includes(`(to_loop_grant[${i}] & ${net(block, `${out}_payload_last`)})`),
      `${block} takes no turn to the loop port`,
    );
  };
  turn(0, "egress");
  turn(1, "lane");
  say(
    text.includes(`to_loop_request = {${net("lane", `out${ports}_valid`)}, ${net("egress", `out${ports}_valid`)}};`),
    "others ask for the loop port",
  );
  // A context is given back where it was taken, and software reads what the blocks have.
  for (const part of ["valid", "ctx"])
    say(net("egress", `release_${part}`) === net("headers", `release_${part}`), `release_${part} goes elsewhere`);
  // A register may be wider than what it shows.
  const meant = (name: string): string =>
    new RegExp(`\\bwire (?:\\[\\d+:0\\] )?${name} = (?:\\{\\d+'b0, )?(\\w+)\\}?;`).exec(text)?.[1] ?? name;
  const shown = (register: string, block: string, port: string): void =>
    say(meant(net("control", register)) === net(block, port), `${register} does not show ${block}.${port}`);
  // Each fate has its counter, and so has each way in which a frame leaves the lane.
  const counts = (counter: string, what: string): void =>
    say(
      new RegExp(`\\b${counter} <= (?:\\{\\d+'d0, )?${what.replace(/[()&]/g, "\\$&")}\\}?;`).test(text),
      `${counter} does not count ${what}`,
    );
  for (const place of [...Array.from({ length: ports }, (_, i) => String(i)), "loop"])
    fates.forEach((fate, i) => {
      const name = fate.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`);
      counts(
        `counts_${place}_events_${i}`,
        `${net(`rx_${place}`, "fate_valid")} & (${net(`rx_${place}`, "fate_fate")} == fate_${name})`,
      );
    });
  for (const event of ["left", "toSoftware", "notTaken", "nowhere", "badSoftware", "own", "copies"]) {
    const name = event.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`),
      counter = middleCounterNames.indexOf(`lane${event.charAt(0).toUpperCase()}${event.slice(1)}`);
    counts(`counts_middle_events_${counter}`, net("lane", `events_${name}`));
  }
  for (let i = 0; i < ports; i++) {
    shown(`inside_${i}_queued`, `rx_${i}`, "waiting");
    shown(`inside_${i}_kept`, `tx_${i}`, "kept");
  }
  return problems;
}

/** Of a build: its top, and the same with one text in it replaced. */
function topOf(settings: readonly string[]) {
  const design = emit(buildOf(parseSettings([`ports=${ports}`, ...settings]))),
    texts = new Map(design.files.map(f => [f.name.replace(/\.v$/, ""), f.text])),
    { top } = design;
  return {
    read: readTop(texts, top),
    withText: (from: string | RegExp, to: string): Top => {
      const text = texts.get(top) ?? "",
        changed = text.replace(from, to);
      if (changed === text) throw new Error(`the top has no ${String(from)}`);
      return readTop(new Map([...texts, [top, changed]]), top);
    },
  };
}

const faults = [
  ["a port gets another port's frames", ".lane1_valid (lane_out0_valid)", ".lane1_valid (lane_out1_valid)"],
  ["two take one frame", ".frames1_valid (rx_1_to_switch_valid)", ".frames1_valid (rx_0_to_switch_valid)"],
  [
    "the loop port takes none of the lane's",
    /to_loop_request = \{[^}]*\}/,
    "to_loop_request = {1'b0, egress_out2_valid}",
  ],
  ["a context is given back elsewhere", /\.release_valid\s*\(egress_release_valid\)/, ".release_valid (1'b0)"],
  [
    "software reads another port's",
    "control_inside_1_queued = {1'b0, rx_1_waiting}",
    "control_inside_1_queued = {1'b0, rx_0_waiting}",
  ],
  [
    "a drop of match does not count",
    /(counts_1_events_13 <= [^;]*) & \(rx_1_fate_fate == fate_rule\)/,
    "$1 & (rx_1_fate_fate == fate_uid)",
  ],
  ["a drop of the lane does not count", "lane_events_not_taken}", "lane_events_nowhere}"],
] as const;

describe.each([
  [
    "a device without rings",
    [],
    [
      "a frame ends elsewhere",
      ".frames1_payload_last (rx_1_to_merge_payload_last)",
      ".frames1_payload_last (rx_0_to_merge_payload_last)",
    ],
  ],
  [
    "a device with rings",
    ["spill=true"],
    ["frames go past the rings", ".frames1_valid (spill_frames1_valid)", ".frames1_valid (rx_1_to_merge_valid)"],
  ],
] as const)("frames go from ledger to ledger: %s", (_, settings, fault) => {
  const { read, withText } = topOf(settings),
    hasRings = settings.length > 0;
  it("by wires alone, and nothing else takes them", () => {
    expect(problemsOf(read)).toEqual([]);
  });
  it("all ways were looked at", () => {
    const count = (block: RegExp): number => read.ends.filter(e => block.test(e.block)).length;
    // A way in has rx and two ways out, a way out has two lanes and tx.
    expect([count(/^rx_/), count(/^tx_/)]).toEqual([3 * (ports + 1), 3 * ports]);
    // Each way into the core goes through the rings, where there are some.
    const ringed = read.ends.filter(e => e.block === "spill_i" && !ofRings(e.block, e.stream));
    expect(ringed).toHaveLength(hasRings ? 2 * (ports + 1) : 0);
    expect(read.ends.filter(e => !ofCore(e.block, e.stream)).length).toBeGreaterThan(6 * ports);
  });
  it.each([fault, ...faults])("a planted fault is found: %s", (_, from, to) => {
    const found = problemsOf(withText(from, to));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(5);
  });
});
