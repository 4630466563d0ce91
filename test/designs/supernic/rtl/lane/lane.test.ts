import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, never, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { dut, LaneRig, type Ports, returned, type Size, switched } from "./support/lane-rig.ts";

type B = Bench<Ports>;
const always = bernoulli(1, 1);
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 8 }, b.random.word()),
});
async function traffic(b: B, size: Size, count: number, paused = true): Promise<LaneRig> {
  const rig = new LaneRig(b, size, { ...(paused && pauses(b)), rings: size === "small" ? 0b10 : 0b1010 });
  for (let i = 0; i < count; i++) rig.random();
  await rig.end();
  return rig;
}
/** Rooms and pauses that change all the time. */
async function changing(b: B): Promise<void> {
  const rig = new LaneRig(b, "small", { ...pauses(b), rings: 0b10 }),
    all = (1 << (rig.p.ports + 1)) - 1;
  const change = b.spawn(async () => {
    for (;;) {
      rig.setRoom(b.random.chance(0.3) ? all : b.random.between(0, all));
      for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, b.random.chance(0.5) ? 0 : b.random.between(0, 255));
      await b.cycles(b.random.between(1, 40));
    }
  });
  for (let i = 0; i < 200; i++) rig.random();
  await b.cycles(4_000);
  change.cancel();
  await b.cycles(1);
  rig.setRoom(all);
  for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
  await rig.end();
}
async function resets(b: B): Promise<void> {
  const rig = new LaneRig(b, "small", { ...pauses(b), rings: 0b01 });
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 20; i++) rig.random();
    await b.cycles(b.random.between(3, 120));
    rig.reset();
  }
  for (let i = 0; i < 60; i++) rig.random();
  await rig.end();
}
/** A port that is paused or has no room holds up the frames that need it, and no others. */
async function closed(b: B): Promise<void> {
  const rig = new LaneRig(b, "small"),
    to = (inlet: number, ports: number, bytes = 200): void =>
      void rig.put(inlet, rig.facts({ outcome: "ports", ports }), bytes);
  for (const how of ["paused", "room"] as const) {
    if (how === "paused") rig.setPaused(1, 0b10000);
    else rig.setRoom(0b101);
    await b.cycles(8);
    rig.forbidden = 0b010;
    to(0, 0b11);
    to(1, 0b10);
    for (let i = 0; i < 20; i++) to(2, 0b01);
    rig.send(0b01, new Uint8Array(100).fill(7));
    await b.until(() => rig.waitingAt(0) === 0 && rig.inlets.waitingAt(2, 4) === 0);
    await b.cycles(40);
    expect(rig.inlets.waitingAt(0, 4) + rig.inlets.waitingAt(1, 4), "frames that need port 1").toBe(2);
    // Frames of software are of the class that is never paused; without room they wait.
    rig.send(0b10, new Uint8Array(90).fill(9));
    await b.cycles(40);
    expect(rig.waitingAt(1)).toBe(how === "paused" ? 0 : 1);
    rig.forbidden = 0;
    rig.setPaused(1, 0);
    rig.setRoom(0b111);
    await rig.end();
  }
}
/** Software that takes nothing: a frame waits for its time, and is dropped whole; nobody else waits. */
async function softwareStalls(b: B): Promise<void> {
  const rig = new LaneRig(b, "small"),
    software = (inlet: number): void => void rig.put(inlet, rig.facts({ outcome: "software" }), 500);
  for (let round = 0; round < 3; round++) {
    const before = rig.counts.notTaken;
    rig.toSoftware.pause = always;
    software(0);
    await b.cycles(60);
    software(1);
    const from = b.cycle;
    software(1);
    for (let i = 0; i < 10; i++) rig.put(i % 2, rig.facts({ outcome: "ports", ports: 1 + (i % 3) }), 300);
    await b.cycles(200);
    expect(
      rig.inlets.waitingAt(0, 4) + rig.inlets.waitingAt(1, 4) + rig.waitingAt(0) + rig.waitingAt(1),
      "others",
    ).toBe(0);
    expect(rig.counts.notTaken).toBe(before);
    await b.until(() => rig.counts.notTaken > before);
    expect(b.cycle - from).toBeGreaterThan(rig.p.softwareCycles);
    expect(b.cycle - from).toBeLessThan(rig.p.softwareCycles + 40);
    // The one behind it does not wait anew.
    await b.until(() => rig.counts.notTaken === before + 2);
    expect(b.cycle - from).toBeLessThan(rig.p.softwareCycles + 80);
    rig.toSoftware.pause = never;
    await b.cycles(60);
    software(2);
    await rig.end();
  }
  // A frame that waits for less than that is not dropped, and the time begins anew.
  const { notTaken } = rig.counts;
  for (let round = 0; round < 3; round++) {
    rig.toSoftware.pause = always;
    for (let i = 0; i < 2; i++) software(0);
    await b.cycles(rig.p.softwareCycles - 40);
    rig.toSoftware.pause = never;
    await b.cycles(60);
  }
  rig.toSoftware.pause = always;
  for (let i = 0; i < 2; i++) software(0);
  await b.cycles(200);
  // Nor does it last over a reset.
  rig.reset();
  for (let i = 0; i < 2; i++) software(0);
  await b.cycles(rig.p.softwareCycles - 20);
  expect(rig.counts.notTaken).toBe(0);
  rig.toSoftware.pause = never;
  await rig.end();
  expect(notTaken).toBe(6);
}
/** Many frames for software at once, from all inlets: its buffer never overflows, and holds nobody up. */
async function softwareCrowd(b: B): Promise<void> {
  const rig = new LaneRig(b, "small");
  rig.toSoftware.pause = bernoulli(0.6, b.random.word());
  for (let i = 0; i < 60; i++) rig.put(i % 3, rig.facts({ outcome: "software" }), b.random.between(60, 600));
  for (let i = 0; i < 60; i++) rig.put(i % 3, rig.facts({ outcome: "ports", ports: 1 }), 64);
  await rig.end();
  // Software takes nothing; behind a frame of each length comes one of the longest.
  for (let bytes = 64; bytes <= rig.p.frameBytes; bytes += 64) {
    rig.toSoftware.pause = () => true;
    rig.put(0, rig.facts({ outcome: "software" }), bytes);
    await b.until(() => rig.inlets.waitingAt(0, 5) === 0);
    rig.put(1, rig.facts({ outcome: "software" }), rig.p.frameBytes);
    await b.cycles(200);
    rig.toSoftware.pause = never;
    await rig.end();
  }
}

/** Frames of every length about one beat, two and three, with and without tag and shim. */
async function lengths(b: B): Promise<void> {
  const rig = new LaneRig(b, "small");
  for (let bytes = 52; bytes < 200; bytes++) {
    const [tagged, shimmed] = [b.random.between(0, 1), b.random.between(0, 1)];
    rig.put(bytes % 3, rig.facts({ outcome: "redirect", tagged, shimmed }), Math.max(60, bytes));
    rig.put((bytes + 1) % 3, rig.facts({ outcome: "unwrap", tagged }), bytes);
    rig.put((bytes + 2) % 3, rig.facts({ outcome: bytes % 2 ? "ports" : "software", tagged }), Math.max(60, bytes));
    rig.send(
      b.random.between(1, 3),
      new Uint8Array(bytes - 38).map(() => b.random.between(0, 255)),
    );
    await b.cycles(20);
  }
  await rig.end();
}
/** Ports that take little, and small frames for all of them: no more are in the lane than it has places for. */
async function slowPorts(b: B): Promise<void> {
  const rig = new LaneRig(b, "small", { to: () => bursts({ go: 3, pause: 40 }, b.random.word()) });
  for (let i = 0; i < 90; i++) {
    const ports = 1 << (i % 2);
    if (i % 3 === 2) rig.put(i % 3, rig.facts({ outcome: "unwrap" }), 70);
    else rig.put(i % 3, rig.facts({ outcome: "ports", ports }), 64);
  }
  await rig.end();
}

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a frame goes when not all its ports are open", /switched_0_closed = \|\(([^;]*)\);/, "switched_0_closed = &($1);"],
  ["a class that is paused is open", /open <= [^;]*;/, "open <= 3'd7;"],
  ["software's frames wait for a pause", "own_can <= ", "own_can <= open[1] & "],
  ["software's frames do not wait for room", /own_can <= [^;]*;/, "own_can <= sent_pop_valid & own_is_first;"],
  ["a longer frame follows too soon", /behind_any = [^;]*;/, "behind_any = chosen_any;"],
  ["small frames behind a long one", /behind_large = [^;]*;/, "behind_large = 1'b0;"],
  ["a promise is never kept", /begun_0 = [^;]*;/, "begun_0 = 1'b0;"],
  [
    "software's buffer is promised twice",
    "software_room = software_has_room & ~software_on_its_way",
    "software_room = software_has_room",
  ],
  ["it is promised again at once", /buffer_room = [^;]*;/, "buffer_room = software_room;"],
  [
    "it has less room than it seems",
    "software_has_room <= for_software_level <= 5'd5",
    "software_has_room <= for_software_level <= 5'd7",
  ],
  ["a frame for software is dropped too early", "software_time == 9'd299", "software_time == 9'd250"],
  ["and too late", "software_time == 9'd299", "software_time == 9'd360"],
  ["its time adds up", /if \(software_has_room \| ~waits_for_software\) begin/, "if (1'b0) begin"],
  ["its time outlives a reset", /software_time <= 9'd0;/, "software_time <= software_time;"],
  [
    "a frame on its way to software outlives a reset",
    /software_on_its_way <= 1'b0;/,
    "software_on_its_way <= software_on_its_way;",
  ],
  ["a frame that was dropped is given all the same", /chosen_late <= [^;]*;/, "chosen_late <= 1'b0;"],
  ["frames inside leak", /frames_inside <= frames_inside \+ ([^;]*) - [^;]*;/, "frames_inside <= frames_inside + $1;"],
  ["too many are inside", "may_go = frames_inside < 4'd5", "may_go = 1'b1"],
  ["one port has a beat twice", /has_1 <= 1'b1;/, "has_1 <= 1'b0;"],
  ["a beat goes before all have it", /all_have = [^;]*;/, "all_have = ~waits_0;"],
  ["what a port has outlives a reset", /has_1 <= 1'b0;/, "has_1 <= has_1;"],
  ["a redirect that grows loses its end", "frame_payload_count > 7'd42", "frame_payload_count > 7'd46"],
  ["the end of what was inside", "frame_payload_count > 7'd14", "frame_payload_count > 7'd15"],
  ["the inner frame's shim is left out", /what_payload_shimmed = [^;]*;/, "what_payload_shimmed = 1'b0;"],
  ["a tag goes into what was wrapped", "~(unwraps | goes_onward)", "~goes_onward"],
  ["and into what passes", "~(unwraps | goes_onward)", "~unwraps"],
  ["bytes of software's beat that do not count", /own_data_59 <= [^?;]*\? ([^;]*) : 8'd0;/, "own_data_59 <= $1;"],
  ["a bad frame of software leaves", "from_software_payload_user & from_software_payload_last", "1'b0"],
  ["a frame half sent outlives a reset", "own_is_first <= 1'b1;", "own_is_first <= own_is_first;"],
  ["an inlet that is held is chosen again", /may_go_0 = [^;]*;/, "may_go_0 = may_go;"],
  ["a user's frame is switched", /returns_0 = [^;]*;/, "returns_0 = heads_0_3_valid;"],
  ["results are never seen", /returns_1 = [^;]*;/, "returns_1 = 1'b0;"],
  ["another class is taken than was looked at", /held_class_0 <= [^;]*;/, "held_class_0 <= 3'd4;"],
  ["an inlet that is held outlives a reset", /held_1 <= 1'b0;/, "held_1 <= held_1;"],
  ["a redirect passes as often as it likes", "held_frame_facts_ttl - 4'd1", "held_frame_facts_ttl"],
  ["what passes leaves without its shim", /goes_onward = [^;]*;/, "goes_onward = 1'b0;"],
  ["a redirect for a far peer asks the next one to run it", "shape_now_held_far ? 4'd3 : 4'd2", "4'd2"],
  ["a redirect that has come to the last link goes on", "(held_frame_facts_peer[0] ? 4'd3 : 4'd2)", "4'd3"],
  ["a result has its class from the host's port", /open_returned = [^;]*;/, "open_returned = 3'd7;"],
  ["a result that passes waits with redirects", /to_peer = [^;]*;/, "to_peer = 1'b0;"],
  ["a peer's message stays where it is", /passing_0_there <= [^;]*;/, "passing_0_there <= 1'b0;"],
  [
    "a message that passes is software's here",
    /software_0_can <= [^;]*;/,
    "software_0_can <= heads_0_5_valid & ~held_0;",
  ],
  ["software's frames are passed on", /passing_0_there <= [^;]*;/, "passing_0_there <= heads_0_5_valid & ~held_0;"],
];

/** A user's frame of the class of results stays where it is, and holds up no other of its inlet. */
async function notTheLanes(b: B): Promise<void> {
  const rig = new LaneRig(b, "small"),
    core = rig.put(0, rig.facts({ outcome: "core" }), 100, returned);
  for (let i = 0; i < 10; i++)
    for (const [inlet, of] of [
      [0, switched],
      [1, returned],
    ] as const)
      rig.put(inlet, rig.facts({ outcome: "ports", ports: 1 }), 100, of);
  await b.cycles(400);
  expect(core.taken).toBe(undefined);
  expect(rig.inlets.waiting).toBe(1);
}
/**
 * From peer to peer: a result waits where results are paused, a redirect where redirects are, a message of software
 * nowhere. None of them holds up another one of its inlet.
 */
async function passing(b: B): Promise<void> {
  const rig = new LaneRig(b, "small", { rings: 0b10 }),
    to = { result: [returned, 0, "ports"], redirect: [switched, 0, "onward"], message: [5, 1, "ports"] } as const;
  const put = (what: keyof typeof to): void => {
    const [of, peer, outcome] = to[what];
    rig.put(0, rig.facts({ outcome, peer, ports: 0b10, shimmed: 1 }), 200, of);
  };
  const kinds = ["result", "redirect", "message"] as const;
  for (const [paused, waits] of [
    [1 << returned, "result"],
    [1 << switched, "redirect"],
    [1 << 5, undefined],
    [0, undefined],
  ] as const)
    for (const room of [true, false]) {
      rig.setPaused(1, paused);
      rig.setRoom(room ? 0b111 : 0b101);
      await b.cycles(8);
      for (let i = 0; i < 4; i++) kinds.forEach(put);
      await b.cycles(160);
      for (const what of kinds)
        expect(rig.inlets.waitingAt(0, to[what][0]), `${what}, ${paused} paused, room: ${room}`).toBe(
          !room || what === waits ? 4 : 0,
        );
      rig.setPaused(1, 0);
      rig.setRoom(0b111);
      await rig.end();
    }
  // A result that is for a host here waits for that port's class of switched frames.
  rig.setPaused(0, 1 << switched);
  await b.cycles(8);
  rig.put(1, rig.facts({ outcome: "ports", ports: 1 }), 100, returned);
  await b.cycles(60);
  expect(rig.inlets.waitingAt(1, returned)).toBe(1);
  rig.setPaused(0, 1 << returned);
  await rig.end();
}
/** A result and a switched frame of one inlet have their turns: neither waits for more than one of the other. */
async function resultsByTurns(b: B): Promise<void> {
  const rig = new LaneRig(b, "full"),
    frames = [switched, returned].map(of =>
      Array.from({ length: 30 }, () => rig.put(0, rig.facts({ outcome: "ports", ports: 2 }), 200, of)),
    );
  await rig.end();
  const order = frames.flat().sort((x, y) => (x.taken ?? 0) - (y.taken ?? 0));
  expect(order.slice(2).every((f, i) => f.class !== order[i + 1]?.class)).toBe(true);
}

describe("SwitchLane", () => {
  testOfResets(dut("small"), {}, b => traffic(b, "small", 200));
  bench("small: frames of every kind, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200);
  });
  bench("full: back to back", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200, false);
  });
  bench("rooms and pauses that change all the time", dut("small"), { seed: 4 }, changing);
  bench("a port that is closed holds up its own frames only", dut("small"), { seed: 5 }, closed);
  bench("a user's frame of the class of results is not the lane's", dut("small"), { seed: 12 }, notTheLanes);
  bench("from peer to peer each waits for its own class", dut("small"), { seed: 14 }, passing);
  bench("results and switched frames of an inlet go by turns", dut("full"), { seed: 13 }, resultsByTurns);
  bench("software that takes nothing", dut("small"), { seed: 6, hangCycles: 1_000 }, softwareStalls);
  bench("many frames for software at once", dut("small"), { seed: 7 }, softwareCrowd);
  bench("frames of every length", dut("small"), { seed: 10 }, lengths);
  bench("ports that take little", dut("small"), { seed: 11 }, slowPorts);
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 8 }, resets);

  bench("latency, and rates", dut("full"), { seed: 9 }, async b => {
    const rig = new LaneRig(b, "full"),
      frame = (inlet: number, bytes: number, ports = 2) =>
        rig.put(inlet, rig.facts({ outcome: "ports", ports, tagged: 0 }), bytes);
    const one = frame(0, 64);
    await rig.end();
    expect((one.taken ?? NaN) - (one.first ?? NaN), "from a head to its take").toBe(3);
    expect(rig.latencies, "from the take to the port, when the beat comes a cycle later").toEqual([6]);
    /** Beats a cycle, from the first frame to the last. */
    const rate = async (count: number, bytes: number, inlets: number): Promise<number> => {
      rig.starts.splice(0);
      for (let i = 0; i < count; i++) frame(i % inlets, bytes, 1 << (i % 4));
      await rig.end();
      return ((count - 1) * Math.ceil(bytes / 64)) / (Math.max(...rig.starts) - Math.min(...rig.starts));
    };
    for (const bytes of [256, 320, 512, 1000, 1518])
      expect(await rate(80, bytes, 4), `${bytes} bytes of four inlets`).toBeGreaterThan(0.97);
    for (const bytes of [320, 512, 1000, 1518])
      expect(await rate(80, bytes, 1), `${bytes} bytes of one`).toBeGreaterThan(0.97);
    expect(await rate(80, 256, 1), "256 bytes of one").toBeGreaterThan(0.85);
    expect(await rate(80, 64, 4), "64 bytes of four").toBeGreaterThan(0.6);
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => traffic(b, "small", 300),
      changing,
      closed,
      notTheLanes,
      passing,
      softwareStalls,
      softwareCrowd,
      lengths,
      slowPorts,
      resets,
    ];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 1_500, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
  });
});
