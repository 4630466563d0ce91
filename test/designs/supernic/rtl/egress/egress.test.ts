import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { dut, EgressRig, type Ports, type Size } from "./support/egress-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 8 }, b.random.word()),
  late: (): Pause => bernoulli(0.2, b.random.word()),
});
async function traffic(b: B, size: Size, count: number, paused = true): Promise<EgressRig> {
  const rig = new EgressRig(b, size, paused ? pauses(b) : {});
  await rig.tables();
  await rig.send(count);
  await rig.end();
  // And without an uplink.
  rig.uplink = undefined;
  rig.setConfig();
  await rig.send(count / 4);
  await rig.end();
  // And with ports of peers.
  rig.rings = b.random.between(1, (1 << rig.p.ports) - 1);
  // And with a class that goes first.
  rig.urgent = b.random.between(0, 3);
  rig.setConfig();
  await rig.send(count / 4);
  await rig.end();
  return rig;
}
/** Rooms and pauses that change all the time, none of them for long. */
async function changing(b: B, count = 250): Promise<EgressRig> {
  const rig = new EgressRig(b, "small", pauses(b)),
    all = (1 << (rig.p.ports + 1)) - 1;
  await rig.tables();
  const change = b.spawn(async () => {
    for (;;) {
      rig.setRoom(b.random.chance(0.3) ? all : b.random.between(0, all));
      for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, b.random.chance(0.5) ? 0 : b.random.between(0, 255));
      await b.cycles(b.random.between(1, 40));
      for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
      await b.cycles(b.random.between(1, 10));
    }
  });
  await rig.send(count);
  await b.cycles(2_000);
  change.cancel();
  await b.cycles(1);
  rig.setRoom(all);
  for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", pauses(b));
  await rig.tables();
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 25; i++) rig.finish(rig.random());
    await b.cycles(b.random.between(3, 120));
    rig.reset();
  }
  await rig.send(40);
  await rig.end();
}
const toPort = (rig: EgressRig, port: number): number => {
  rig.dags[0] = { way: "port", port, keepShim: false };
  return 0;
};
/** A class that is paused holds up nobody else; after its time what it has is dropped, until it opens. */
async function pausedForLong(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 1);
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  const time = rig.p.pauseCycles,
    part = time / 16;
  for (let round = 0; round < 3; round++) {
    const before = rig.counts.paused;
    // At any place of the parts in which the time is counted.
    await b.cycles(b.random.between(1, 2 * part));
    rig.setPaused(1, 0b0100);
    await b.cycles(1);
    const from = b.cycle;
    for (let i = 0; i < 4; i++) rig.finish(rig.plain(200, dag, 2));
    // One packet of the class was the port's next already, when one has been; the others wait.
    for (let i = 0; i < 4; i++) rig.finish(rig.plain(100, dag, 1));
    await b.cycles(100);
    expect(rig.waitingIn(1, 1), "packets of another class").toBe(0);
    expect(rig.waitingIn(1, 2), "packets of the class that is paused").toBe(4);
    await b.until(() => rig.counts.paused > before);
    expect(b.cycle - from).toBeGreaterThan(time);
    expect(b.cycle - from).toBeLessThan(time + part + 10);
    await b.until(() => rig.counts.paused === before + 4);
    // Those that come now are dropped at once.
    rig.finish(rig.plain(300, dag, 2));
    await b.until(() => rig.counts.paused === before + 5);
    rig.setPaused(1, 0);
    await b.cycles(4);
    rig.finish(rig.plain(300, dag, 2));
    await b.until(() => rig.waitingIn(1, 2) === 0);
    await rig.end();
  }
  // The time begins anew with a reset.
  rig.setPaused(1, 0b0100);
  await b.cycles(time / 2);
  rig.reset();
  const again = b.cycle;
  rig.finish(rig.plain(200, dag, 2));
  await b.until(() => rig.counts.paused === 1);
  expect(b.cycle - again).toBeGreaterThan(time);
  rig.setPaused(1, 0);
  await b.cycles(4);
  await rig.end();
  // A pause that ends in time drops nothing, and the next one begins anew.
  const { paused } = rig.counts;
  for (let round = 0; round < 3; round++) {
    rig.setPaused(1, 0b0100);
    if (round === 0) for (let i = 0; i < 3; i++) rig.finish(rig.plain(200, dag, 2));
    await b.cycles(time - 4);
    rig.setPaused(1, 0);
    await b.cycles(1);
  }
  await rig.end();
  expect(rig.counts.paused).toBe(paused);
}
/** A port without room keeps its packets only; all contexts wait in one list, and leave in their order. */
async function oneListHoldsAll(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 0);
  rig.dags[1] = { way: "port", port: 1, keepShim: false };
  await rig.tables();
  rig.setRoom(0b110);
  await b.cycles(4);
  for (let i = 0; i < rig.p.contexts - 1; i++) rig.finish(rig.plain(b.random.between(60, 300), dag, 3));
  await rig.finished.drained();
  await b.cycles(20);
  expect(rig.free).toBe(1);
  for (let i = 0; i < 20; i++) {
    await b.until(() => rig.free === 1);
    rig.finish(rig.plain(200, 1, 0));
  }
  await b.until(() => rig.free === 1);
  rig.setRoom(0b111);
  await rig.end();
}
/** Contexts are used again at once, for other lists of the same port: nothing of where they were is left. */
async function usedAgain(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 1);
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  rig.reuse = true;
  await rig.tables();
  for (let i = 0; i < 80; i++) {
    for (let n = b.random.between(1, 5); n > 0; n--) rig.finish(rig.plain(64, dag, b.random.between(0, 3)));
    await b.cycles(b.random.between(1, 60));
    if (b.random.chance(0.3)) rig.setRoom(b.random.chance(0.5) ? 0b101 : 0b111);
    if (rig.free < 10) rig.setRoom(0b111);
    await b.until(() => rig.free >= 10);
  }
  rig.setRoom(0b111);
  await rig.end();
  // The last one of an empty list is in the middle of another list when the empty one gets a packet.
  for (const [from, to] of [
    [1, 2],
    [0, 3],
    [2, 1],
  ] as const) {
    rig.finish(rig.plain(64, dag, from), 7);
    await rig.end();
    rig.setRoom(0b101);
    for (const ctx of [3, 7, 5]) rig.finish(rig.plain(64, dag, to), ctx);
    await b.cycles(20);
    rig.finish(rig.plain(64, dag, from), 9);
    await b.cycles(20);
    rig.setRoom(0b111);
    await rig.end();
  }
}
/** Packets of one list back to back, again and again: one comes while the list's only one goes. */
async function ofOneList(b: B): Promise<void> {
  const rig = new EgressRig(b, "small");
  for (let i = 0; i < 3; i++)
    rig.dags[i] = i < 2 ? { way: "port", port: i, keepShim: false } : { way: "loop", port: 0, keepShim: false };
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  for (let i = 0; i < 60; i++) {
    const dag = b.random.between(0, 2),
      user = b.random.between(0, rig.p.users - 1);
    for (let n = b.random.between(2, 5); n > 0; n--) rig.finish(rig.plain(b.random.chance(0.7) ? 64 : 200, dag, user));
    await b.cycles(b.random.between(5, 30));
    await b.until(() => rig.free > 8);
  }
  await rig.end();
}
/** Packets that come one by one, when nothing is on its way out; now and then a few that are close behind. */
async function oneByOne(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", { late: () => bernoulli(b.random.pick([0, 0.3]), b.random.word()) }),
    all = (1 << (rig.p.ports + 1)) - 1;
  for (let i = 0; i < 3; i++)
    rig.dags[i] = i < 2 ? { way: "port", port: i, keepShim: false } : { way: "loop", port: 0, keepShim: false };
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  const one = (bytes = b.random.pick([64, 64, 200, 500])): void =>
    rig.finish(rig.plain(bytes, b.random.between(0, 2), b.random.between(0, rig.p.users - 1)));
  for (let i = 0; i < 400; i++) {
    one();
    await b.cycles(b.random.between(0, 7));
    // Closed or paused just when it is decided, and open again before the next.
    if (b.random.chance(0.4)) rig.setRoom(b.random.between(0, all));
    if (b.random.chance(0.3)) rig.setPaused(b.random.between(0, rig.p.ports - 1), b.random.between(0, 15));
    for (let n = b.random.chance(0.4) ? b.random.between(1, 3) : 0; n > 0; n--) one();
    await b.cycles(b.random.between(0, 20));
    if (b.random.chance(0.05)) rig.reset();
    rig.setRoom(all);
    for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
    await b.cycles(b.random.between(0, 12));
    await b.until(() => rig.free > 8);
  }
  await rig.end();
}
/**
 * One that passes the lists and one close behind it, for a port whose frames do not begin: together they are longer
 * than what a port has room for, so the second one has to wait until the first begins.
 */
async function closeBehind(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", { to: () => bursts({ go: 30, pause: 40 }, b.random.word()) }),
    dag = toPort(rig, 1);
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  for (let i = 0; i < 120; i++) {
    rig.finish(rig.plain(500, dag, b.random.between(0, 3)));
    await b.cycles(i % 6);
    rig.finish(rig.plain(500, dag, b.random.between(0, 3)));
    await rig.end();
    await b.cycles(b.random.between(0, 40));
  }
}
/** A port that is closed gets nothing, although nothing else is on its way out. */
async function closedWhenIdle(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 1);
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  for (const user of [0, 1, 2]) {
    rig.setRoom(0b101);
    await b.cycles(20);
    rig.finish(rig.plain(64, dag, user));
    await b.cycles(30);
    expect(rig.waitingIn(1, user)).toBe(1);
    rig.setRoom(0b111);
    await rig.end();
  }
}
/** All are dropped, and cells are taken back slowly; headers come slowly while small packets wait for all ports. */
async function slowStores(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", { late: () => bursts({ go: 2, pause: 60 }, b.random.word()) });
  for (let i = 0; i < 3; i++)
    rig.dags[i] = i < 2 ? { way: "port", port: i, keepShim: false } : { way: "loop", port: 0, keepShim: false };
  await rig.tables();
  await rig.send(60, () => rig.random({ dropped: true }));
  await rig.end();
  await rig.send(90, () => rig.plain(64, b.random.between(0, 2), b.random.between(0, 3)));
  await rig.end();
}

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  // The device's first frames went through with this one: contexts were used again too seldom.
  ["the tail of an empty list is linked", /if \(push_1 & \(\(some_1_0[^{]*\) begin/, "if (push_1) begin"],
  ["a packet comes while its list's only one goes", "push_1_2 & (empties_1_2 | ~some_1_2)", "push_1_2 & ~some_1_2"],
  [
    "a list that gets one more when it is emptied is empty",
    /some_0_1 <= push_0_1 \|/,
    "some_0_1 <= (push_0_1 & ~empties_0_1) |",
  ],
  ["a list outlives a reset", /some_1_1 <= 1'b0;/, "some_1_1 <= some_1_1;"],
  ["the port's next outlives a reset", /next_valid_0 <= 1'b0;/, "next_valid_0 <= next_valid_0;"],
  ["a class that is paused is served", "asks_1_2 = some_1_2 & serves_1_2", "asks_1_2 = some_1_2"],
  ["a port without room is served", "(may_go_0 & room[0])", "may_go_0"],
  ["a longer packet follows too soon", /(any_before_0 <= [^;]*) \| any_before_0_1;/, "$1;"],
  ["small packets behind a long one", "is_large_1 ? any_before_1 : large_before_1", "is_large_1 & any_before_1"],
  ["a promise is never kept", /begun_0 = [^;]*;/, "begun_0 = 1'b0;"],
  ["a promise too many", "promised_1 <= 5'd0;", "promised_1 <= promised_1;"],
  ["a promise of a packet that is dropped", /(chosen_for_\d = [^;]*) & ~lists_picked_packet_dropped/, "$1"],
  // The straight way of a packet that comes while nothing is on its way out.
  ["a packet passes those that wait for its port", /assign is_quiet_1 = [^;]*;/, "assign is_quiet_1 = 1'b1;"],
  ["a packet passes though its class is paused", /(could_pass_1_or =[^;]*)lets_1_2/, "$1 1'b1"],
  ["a packet passes without room", "is_quiet_1 & has_room_1 &", "is_quiet_1 &"],
  ["a header that is void leaves", "left_valid & ~(is_void | is_early)", "left_valid & ~is_early"],
  ["a header leaves before it is known whither", "~(is_void | is_early)", "~is_void"],
  ["a header that came early leaves with the first decision", "ready_is_new <= ready_moves", "ready_is_new <= 1'b1"],
  ["what was decided before counts", "ready_is_new | early_stays", "ready_is_new"],
  [
    "one that came early goes where the last one went",
    "ready_of_early ? early_going_list_port",
    "1'b0 ? early_going_list_port",
  ],
  ["the place of a packet that was not taken is passed by", "asked_was_ready & asked_offered", "asked_offered"],
  ["one that passes is promised nothing", "passed_ports <= passes ? decided_ports : 3'd0", "passed_ports <= 3'd0"],
  ["a header that is void stays", "left_ready = goes | (ready_valid & is_void)", "left_ready = goes"],
  ["a payload that waits is not asked for", "reads_late <= asks_ready & ~read_ready;", "reads_late <= 1'b0;"],
  ["an early header that waits is not asked for", /early_is_late <= \([^;]*;/, "early_is_late <= 1'b0;"],
  ["an early header outlives a reset", /early_is_late <= 1'b0; /, ""],
  ["a pause ends a part too early", /parts_1_2 > 5'd16/, "parts_1_2 > 5'd15"],
  ["a pause ends too late", "part_time == 5'd19", "part_time == 5'd24"],
  ["pauses add up", "if (~paused_1[2]) parts_1_2 <= 5'd0;", "if (1'b0) parts_1_2 <= 5'd0;"],
  ["the time of a pause outlives a reset", /if \(rst\) parts_1_2 <= 5'd0;\s*else /, ""],
  ["a class that opens drops on", /(parts_1_2 <= 5'd0;\s*else if \()/, "$1parts_1_2[4] | "],
  ["cells of a packet without payload", "cells_valid = releasing_full & has_cells", "cells_valid = releasing_full"],
  ["a payload of one beat more has a cell too few", "+ 5'd3) >> 2", "+ 5'd2) >> 2"],
  [
    "a packet whose cells wait is released at once",
    "is_released = releasing_full & (~has_cells | cells_ready)",
    "is_released = releasing_full",
  ],
  [
    "the release is another packet's while cells wait",
    "if (releases_valid & releases_ready) releasing_held",
    "if (releases_valid) releasing_held",
  ],
  ["a release outlives a reset", /if \(rst\) releasing_full <= 1'b0;\s*else if/, "if"],
  ["a reply of a second pass goes back", "from_loop & (goes_back | goes_to_loop)", "from_loop & goes_to_loop"],
  ["a third pass", "from_loop & (goes_back | goes_to_loop)", "from_loop & goes_back"],
  ["a packet goes back out where it came in", "| (goes_to == asked2_ingress)", ""],
  ["a group address is looked up", "known2 & ~asked2_group", "known2"],
  ["a port that is not there", "no_such_port = (goes_to >= 4'd2)", "no_such_port = (goes_to > 4'd2)"],
  ["an unknown MAC without uplink", "~(goes_to_and | config_has_uplink)", "1'b0"],
  [
    "dropped packets are one too many",
    "may_come <= dropped_queue_count < 4'd3",
    "may_come <= dropped_queue_count < 4'd8",
  ],
  ["a template where there is none", /& \{7\{[^}]*\}\}/, ""],
  [
    "the ttl does not fall",
    /ready_of_waiting_shimmed \? ready_of_waiting_ttl - 4'd1/,
    "ready_of_waiting_shimmed ? ready_of_waiting_ttl",
  ],
  [
    "what is known is another packet's when its header waits",
    "noted_valid <= fetched | noted_waits",
    "noted_valid <= fetched",
  ],
  [
    "picks outlive a reset",
    "picks_queued <= 1'b0; picks_inside <= 4'd0;",
    "picks_queued <= picks_queued; picks_inside <= 4'd0;",
  ],
  [
    "the count of picks outlives a reset",
    "picks_queued <= 1'b0; picks_inside <= 4'd0;",
    "picks_queued <= 1'b0; picks_inside <= picks_inside;",
  ],
  ["a result has its user's class", /goes_to_peer = [^;]*;/, "goes_to_peer = 1'b0;"],
  ["every packet is a peer's", /goes_to_peer = [^;]*;/, "goes_to_peer = 1'b1;"],
  ["too many are picked", /stalls = picks_inside >= 4'd4/, "stalls = 1'b0"],
];

describe("Egress", () => {
  testOfResets(dut("small"), {}, b => traffic(b, "small", 200));
  bench("small: packets of every kind, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200);
  });
  bench("back to back", dut("full"), { seed: 4 }, async b => {
    await traffic(b, "full", 200, false);
  });
  bench("rooms and pauses that change all the time", dut("small"), { seed: 5 }, async b => {
    await changing(b);
  });
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 6 }, resets);
  bench("a class that is paused for too long, and one that is not", dut("small"), { seed: 7 }, pausedForLong);
  bench("one list holds all contexts, and nobody else waits", dut("small"), { seed: 8 }, oneListHoldsAll);
  bench("contexts that are used again at once", dut("small"), { seed: 9 }, usedAgain);

  bench("packets of one list back to back", dut("small"), { seed: 11 }, ofOneList);
  bench("packets one by one, closed and paused when it is decided", dut("small"), { seed: 13 }, oneByOne);
  bench("one that passes the lists, and one close behind it", dut("small"), { seed: 15 }, closeBehind);
  bench("a port that is closed while all is idle", dut("small"), { seed: 14 }, closedWhenIdle);
  bench("stores that are slow", dut("small"), { seed: 12, hangCycles: 2_000 }, slowStores);

  bench("latency, and rates", dut("full"), { seed: 10 }, async b => {
    const rig = new EgressRig(b, "full");
    rig.dags.forEach((_, i) => (rig.dags[i] = { way: "port", port: i % 4, keepShim: false }));
    await rig.tables();
    rig.finish(rig.plain(64, 1));
    await rig.end();
    expect(rig.latencies).toEqual([6]);
    /** Cycles from the first to the last of so many frames. */
    const rate = async (count: number, bytes: number, ports: number): Promise<number> => {
      rig.starts.splice(0);
      let k = 0;
      await rig.send(count, () => rig.plain(bytes, k++ % ports));
      await rig.end();
      return (Math.max(...rig.starts) - Math.min(...rig.starts)) / (count - 1);
    };
    expect(await rate(400, 64, 4), "64 bytes to four ports").toBeLessThan(1.03);
    expect(await rate(300, 64, 1), "64 bytes to one port").toBeLessThan(1 / 0.6 + 0.05);
    for (const bytes of [256, 512, 1000, 1518])
      for (const ports of [1, 4])
        expect(await rate(60, bytes, ports), `${bytes} bytes to ${ports}`).toBeLessThan(Math.ceil(bytes / 64) / 0.97);
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => traffic(b, "small", 200),
      b => changing(b, 120),
      resets,
      pausedForLong,
      oneListHoldsAll,
      usedAgain,
      ofOneList,
      slowStores,
      oneByOne,
      closeBehind,
      closedWhenIdle,
    ];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 2_000, limitCycles: 60_000, seed: 4 }, run);
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
