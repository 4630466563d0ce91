/** Times and counts of the switch lane, exactly. */
import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, LaneRig, type Ports } from "./support/lane-rig.ts";

type B = Bench<Ports>;
const always = bernoulli(1, 1);
/** Of messages to the next peer. */
const passingClass = 5;

/** Software takes nothing: the frame in front of its buffer goes in the cycle behind the last that it may wait. */
async function softwareTime(b: B): Promise<void> {
  const rig = new LaneRig(b, "small");
  for (let round = 0; round < 4; round++) {
    rig.toSoftware.pause = always;
    rig.put(0, rig.facts({ outcome: "software" }), 500);
    // Nobody waits meanwhile, which takes nothing off the time of the next one.
    await b.cycles(rig.p.softwareCycles / 2 + 37 * round);
    const late = rig.put(1, rig.facts({ outcome: "software" }), 100);
    await b.until(() => late.taken !== undefined);
    expect((late.taken ?? NaN) - (late.first ?? NaN)).toBe(rig.p.softwareCycles + 1);
    rig.toSoftware.pause = never;
    await b.cycles(60);
    await rig.end();
  }
}
/** A message to the next peer waits for its port, and takes nothing off the time of a frame for software. */
async function passingTime(b: B): Promise<void> {
  const rig = new LaneRig(b, "small", { rings: 0b10 });
  rig.toSoftware.pause = always;
  rig.setRoom(0b101);
  rig.put(0, rig.facts({ outcome: "software" }), 500);
  await b.cycles(60);
  rig.put(0, rig.facts({ outcome: "ports", peer: 1, ports: 0b10 }), 100);
  await b.cycles(rig.p.softwareCycles - 40);
  const late = rig.put(1, rig.facts({ outcome: "software" }), 100);
  await b.until(() => late.taken !== undefined);
  expect((late.taken ?? NaN) - (late.first ?? NaN)).toBe(rig.p.softwareCycles + 1);
  rig.toSoftware.pause = never;
  rig.setRoom(0b111);
  await rig.end();
}
/** Behind a message that is not of the smallest size, and in front of one, two cycles pass. */
async function apart(b: B): Promise<void> {
  const rig = new LaneRig(b, "full", { rings: 0b10 });
  for (const lengths of [[1000], [64], [64, 1000], [64, 64, 64, 1000]]) {
    const frames = Array.from({ length: 24 }, (_, i) => {
      const length = b.random.pick(lengths);
      return {
        length,
        put: rig.put(i % 3, rig.facts({ outcome: "ports", peer: 1, ports: 0b10 }), length, passingClass),
      };
    });
    await rig.end();
    const order = frames.sort((x, y) => (x.put.taken ?? NaN) - (y.put.taken ?? NaN));
    order.slice(1).forEach(({ length, put }, i) => {
      const before = order[i]!,
        cycles = (put.taken ?? NaN) - (before.put.taken ?? NaN);
      expect(cycles).toBeGreaterThanOrEqual(Math.max(length, before.length) > 64 ? 3 : 1);
    });
  }
}
/** Copies are counted beside the first of each frame, software's frames among them. */
async function counted(b: B): Promise<void> {
  const rig = new LaneRig(b, "small");
  let copies = 0,
    own = 0;
  b.onEdge({
    sample: () => {
      copies += b.io.events.copies.num;
      own += b.io.events.own.num;
    },
  });
  const bits = (ports: number): number => ports.toString(2).replaceAll("0", "").length;
  let wanted = 0;
  for (let i = 0; i < 40; i++) {
    const ports = b.random.between(1, 3);
    wanted += bits(ports) - 1;
    rig.put(i % 3, rig.facts({ outcome: "ports", ports }), b.random.between(60, 300));
    if (i % 4 === 0) rig.put((i + 1) % 3, rig.facts({ outcome: "software" }), 64);
    if (i % 5 === 0) {
      rig.send(3, new Uint8Array(100).fill(i));
      wanted++;
    }
  }
  await rig.end();
  expect([copies, own]).toEqual([wanted, 8]);
}

/** A port that takes nothing: what is chosen for it and has not begun is never more than one longest frame. */
async function promised(b: B): Promise<void> {
  const rig = new LaneRig(b, "small");
  for (let round = 0; round < 6; round++) {
    rig.outs[0]!.pause = always;
    // Six beats, and two for each of the others, which all inlets offer at once.
    rig.put(round % 3, rig.facts({ outcome: "ports", ports: 1, tagged: 1 }), 346);
    await b.cycles(20 + round);
    for (let i = 0; i < 6; i++) rig.put(i % 3, rig.facts({ outcome: "ports", ports: 1, tagged: 1 }), 94);
    await b.cycles(40);
    rig.outs[0]!.pause = never;
    await rig.end();
  }
}

const runs = { softwareTime, passingTime, counted, promised };
describe("SwitchLane", () => {
  bench("a frame waits for software for its time, to the cycle", dut("small"), { seed: 1 }, softwareTime);
  bench("large frames are chosen apart", dut("full"), { seed: 5 }, apart);
  bench("nor does a message that passes shorten it", dut("small"), { seed: 4 }, passingTime);
  bench("copies and software's frames are counted", dut("small"), { seed: 2 }, counted);

  bench("no more is promised to a port than a longest frame", dut("small"), { seed: 3 }, promised);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(
          `${name} ${what}`,
          design,
          { wave: false, hangCycles: 1_500, limitCycles: 60_000, seed: 4 },
          run,
        );
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    test("messages that pass are chosen one behind the other", async () => {
      const run = (design: Dut<Ports>): Promise<unknown> => runBench("apart", design, { wave: false, seed: 4 }, apart);
      await run(dut("full"));
      await findsFault(
        run(plant(dut("full"), /asks_passing_0 = [^;]*;/, "asks_passing_0 = passing_0_can & may_go_0;")),
      );
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a frame for software is dropped a cycle too early", "software_time == 9'd299", "software_time == 9'd298"],
      ["and a cycle too late", "software_time == 9'd299", "software_time == 9'd300"],
      ["time passes while nobody waits", "software_has_room | ~waits_for_software", "software_has_room"],
      [
        "time passes while a message waits for its port",
        /waits_for_software = [^;]*;/,
        "waits_for_software = heads_0_5_valid | heads_1_5_valid;",
      ],
      ["the first copy counts", /copies_more = ([^;]*) - \{[^;]*;/, "copies_more = $1;"],
      ["small frames are promised that have no room", /(promise_size == 2'd0\}\} & 5')d2/, "$1d0"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
