import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { cellsOf, dut, MergeRig, type Ports, type Size, type User } from "./support/merge-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 6 }, b.random.word()),
});
const lengthOf = (b: B, most: number): number =>
  b.random.chance(0.4) ? b.random.between(60, 64) : b.random.chance(0.2) ? most : b.random.between(60, most);
const some = (b: B, rig: MergeRig, count: number): void => {
  for (let i = 0; i < count; i++)
    rig.put(b.random.between(0, rig.p.ports), b.random.between(0, rig.p.users - 1), lengthOf(b, rig.p.frameBytes));
};
async function traffic(b: B, size: Size, count: number, paused = true): Promise<MergeRig> {
  const rig = new MergeRig(b, size, paused ? pauses(b) : {});
  await rig.setUsers();
  some(b, rig, count);
  await rig.end();
  return rig;
}
/** A result that returns stays in the queue of its class, and holds up no other one. */
async function notTheMerges(b: B): Promise<void> {
  const rig = new MergeRig(b, "small", pauses(b));
  await rig.setUsers();
  const waits = rig.result(1);
  some(b, rig, 60);
  const others = rig.inlets.waiting;
  await b.until(() => rig.inlets.waiting <= 1 + rig.behind(waits));
  expect([waits.taken, others > 1]).toEqual([undefined, true]);
}
/** Quotas of a few contexts and cells, and packets that stay: each user comes up to its own, and not past it. */
async function quotas(b: B): Promise<void> {
  const rig = new MergeRig(b, "small", pauses(b)),
    longest = cellsOf(rig.p.frameBytes);
  rig.stay = 60;
  const users = rig.users.map((u, i): User => ({ ...u, contexts: 3 + i, cells: 2 * longest + i }));
  await rig.setUsers(users);
  for (let i = 0; i < 300; i++)
    rig.put(b.random.between(0, rig.p.ports - 1), b.random.between(0, 3), b.random.chance(0.5) ? 64 : lengthOf(b, 600));
  await rig.end();
  expect(rig.mostOf.contexts, "contexts of each user, less one").toEqual(users.map(u => u.contexts - 1));
  expect(rig.mostOf.cells, "cells of each user, less a longest frame's").toEqual(users.map(u => u.cells - longest));
  // Smaller quotas take nothing back; larger ones count at once.
  await rig.setUsers(users.map(u => ({ ...u, contexts: 2, cells: 2 * longest })));
  some(b, rig, 60);
  await rig.end();
  await rig.setUsers(users);
  some(b, rig, 60);
  await rig.end();
}
/** A user at its quota waits, and nobody else; second passes have what arrivals leave them. */
async function atTheLimits(b: B): Promise<void> {
  const rig = new MergeRig(b, "small"),
    longest = cellsOf(rig.p.frameBytes);
  rig.stay = undefined;
  await rig.setUsers(rig.users.map((u, i): User => (i === 0 ? { ...u, contexts: 4, cells: 40 } : u)));
  for (let i = 0; i < 6; i++) rig.put(0, 0, 64);
  for (let i = 0; i < 4; i++) rig.put(0, 1, 64);
  await b.cycles(80);
  expect(rig.held, "user 0 is at its quota but for one").toEqual([3, 4, 0, 0]);
  rig.put(2, 0, 64);
  rig.put(2, 0, 64);
  await b.cycles(40);
  expect(rig.held[0], "one second pass more").toBe(4);
  // Arrivals leave 16 contexts.
  for (let i = 0; i < 20; i++) rig.put(1, 3, 64);
  await b.cycles(120);
  expect(rig.held, "16 contexts are kept").toEqual([4, 4, 0, 8]);
  for (let i = 0; i < 20; i++) rig.put(2, 2, 64);
  await b.cycles(120);
  expect(rig.held, "and second passes use them").toEqual([4, 4, 16, 8]);
  rig.letAllGo(5);
  await rig.end();
  // Cells: arrivals leave those of one longest frame, and a frame without payload needs none.
  rig.stay = undefined;
  await rig.setUsers(rig.users.map(u => ({ ...u, contexts: 32, cells: 64 + longest })));
  for (let i = 0; i < 30; i++) rig.put(i % 2, 3, 600);
  await b.cycles(400);
  const most = Math.floor((rig.p.cells - longest) / longest);
  expect(rig.heldCells[3], "cells of arrivals").toBe(Math.min(most, 16) * longest);
  rig.letAllGo(5);
  await rig.end();
}
/** Bytes in an epoch: a share and no more than one frame beside it, whatever the frames are. */
async function metered(b: B): Promise<void> {
  const rig = new MergeRig(b, "small"),
    part = 2 * rig.p.users + 3,
    epoch = 64 * part;
  rig.stay = 10;
  const shares = [3_000, 9_001, 700, 0],
    users = rig.users.map((u, i): User => ({ ...u, class: i, limited: i < 3 ? 1 : 0, bytes: shares[i] ?? 0 }));
  await rig.setUsers(users);
  const epochs = rig.epochs(part);
  /** As many frames as it can take; more come as they go. */
  const saturate = async (cycles: number): Promise<void> => {
    const end = b.cycle + cycles;
    while (b.cycle < end) {
      for (let u = 0; u < 4; u++)
        for (let i = 0; i < rig.p.ports; i++)
          while (rig.inlets.waitingAt(i, u) < 4) rig.put(i, u, u === 3 ? 64 : lengthOf(b, 600));
      await b.cycles(1);
    }
  };
  // All have saved one share, and no more.
  await b.cycles(3 * epoch);
  const before = [...rig.users.keys()].map(u => rig.bytes[u] ?? 0);
  await saturate(epoch);
  shares.slice(0, 3).forEach((share, u) => {
    const taken = (rig.bytes[u] ?? 0) - (before[u] ?? 0);
    expect(taken, `user ${u} in the first epoch`).toBeLessThan(2 * share + 600 + share / 64 + 1);
    expect(taken, `user ${u} in the first epoch`).toBeGreaterThan(2 * share - 600 - share / 64 - 1);
  });
  const then = [...rig.users.keys()].map(u => rig.bytes[u] ?? 0),
    count = 4;
  await saturate(count * epoch);
  shares.slice(0, 3).forEach((share, u) => {
    const taken = (rig.bytes[u] ?? 0) - (then[u] ?? 0);
    expect(Math.abs(taken - count * share), `user ${u} in ${count} epochs`).toBeLessThan(600 + share / 64 + 1);
  });
  expect((rig.bytes[3] ?? 0) - (then[3] ?? 0), "the one without a limit").toBeGreaterThan(64 * 0.3 * count * epoch);
  // A limit that is set later has saved one share at most, and a smaller one less.
  await rig.setUsers(rig.users.map(u => ({ ...u, limited: 0 })));
  await rig.end();
  await b.cycles(2 * epoch);
  await rig.setUsers(rig.users.map(u => ({ ...u, limited: 1, bytes: 640 })));
  await b.cycles(2 * epoch);
  const last = [...rig.users.keys()].map(u => rig.bytes[u] ?? 0);
  await saturate(epoch);
  last.forEach((from, u) => {
    const taken = (rig.bytes[u] ?? 0) - from;
    expect(taken, `user ${u} with a smaller share`).toBeLessThan(2 * 640 + 600 + 11);
    expect(taken, `user ${u} with a smaller share`).toBeGreaterThan(2 * 640 - 600 - 11);
  });
  await rig.setUsers(rig.users.map(u => ({ ...u, limited: 0 })));
  epochs.cancel();
  await b.cycles(1);
  b.io.epoch.value = 0;
  await rig.end();
}
/** Each head that can go waits for as many others as there are, and not for one more. */
async function turns(b: B): Promise<void> {
  const rig = new MergeRig(b, "full"),
    heads = 4 * (rig.p.ports + 1);
  rig.stay = 3;
  rig.inlets.ahead = 6;
  await rig.setUsers(rig.users.map((u, i) => ({ ...u, class: i % 4 })));
  for (let round = 0; round < 16; round++)
    for (let i = 0; i <= rig.p.ports; i++) for (let u = 0; u < 4; u++) rig.put(i, u, 64);
  await rig.end();
  const order = rig.takes,
    last = new Map<string, number>();
  let most = 0;
  for (const [at, frame] of order.slice(0, order.length - heads).entries()) {
    const head = `${frame.inlet}.${frame.class}`,
      before = last.get(head);
    if (before !== undefined) most = Math.max(most, at - before);
    last.set(head, at);
  }
  expect(most).toBe(heads);
}
/** A long frame lacks cells that short ones use up: when 64 have gone past it, it goes first. */
async function urgent(b: B): Promise<void> {
  const rig = new MergeRig(b, "scarce"),
    longest = cellsOf(rig.p.frameBytes),
    heads = 4 * (rig.p.ports + 1);
  rig.stay = undefined;
  await rig.setUsers(rig.users.map(u => ({ ...u, contexts: 64, cells: 64 })));
  // All but a few cells are held.
  for (let i = 0; i < 8; i++) rig.put(0, 0, rig.p.frameBytes);
  await b.until(() => rig.inside.size === 8);
  const held = [...rig.inside.keys()];
  for (const ctx of held) rig.keep(ctx);
  rig.stay = 40;
  const feed = () =>
    b.spawn(async () => {
      for (;;) {
        for (let i = 0; i < 2; i++) while (rig.inlets.waitingAt(i, 1) < 3) rig.put(i, 1, 64 + 256 * 2);
        await b.cycles(1);
      }
    });
  const short = feed();
  await b.cycles(300);
  /** Frames that go past a long one, until it holds up others and until it goes. */
  const passed = async (inlet: number, user: number): Promise<readonly [number | undefined, number]> => {
    const from = rig.takes.length,
      long = rig.put(inlet, user, rig.p.frameBytes);
    let first: number | undefined;
    while (long.taken === undefined) {
      if (b.io.events.urgent.value !== 0) first ??= rig.takes.length - from;
      await b.cycles(1);
      if (rig.takes.length - from > heads * 80) throw new Error("a head that lacks room is passed for ever");
    }
    return [first, rig.takes.length - from - 1];
  };
  for (const [inlet, user] of [
    [1, 2],
    [0, 3],
  ] as const) {
    const [first, all] = await passed(inlet, user);
    expect(first, "frames that go past it").toBeGreaterThanOrEqual(64);
    expect(first, "frames that go past it").toBeLessThan(2 * 64);
    expect(all - (first ?? 0), "frames that go when it holds up others").toBeLessThan(3);
    await b.cycles(200);
  }
  // A user that holds all but a few of its own cells: its long frame waits for its short ones.
  short.cancel();
  await b.cycles(1);
  await b.until(() => rig.held[1] === 0);
  await rig.setUsers(rig.users.map((u, i) => ({ ...u, cells: i === 1 ? 2 * longest + 3 : 64 })));
  for (const ctx of held) rig.keep(ctx, false);
  const again = feed();
  await b.cycles(200);
  const [first] = await passed(2, 1);
  expect(first, "no frame holds up others of its user without need").toBeUndefined();
  again.cancel();
  await b.cycles(1);
  await rig.end();
}
/** Frames come faster than accounts show them, up to the limits of their users. */
async function fast(b: B): Promise<void> {
  const rig = new MergeRig(b, "small"),
    longest = cellsOf(rig.p.frameBytes);
  rig.inlets.ahead = 60;
  for (let round = 0; round < 8; round++) {
    const contexts = 8 + round,
      cells = (6 + (round % 4)) * longest + round;
    await rig.setUsers(
      rig.users.map((u, i) => (i === 0 ? { ...u, contexts, cells: 64 } : { ...u, contexts: 32, cells })),
    );
    rig.stay = undefined;
    for (let i = 0; i < 3 * contexts; i++) rig.put(i % 2, 0, 64);
    await b.cycles(150);
    expect(rig.held[0], "contexts").toBe(Math.min(contexts - 1, 16));
    rig.letAllGo(3);
    await rig.end();
    rig.stay = undefined;
    for (let i = 0; i < 20; i++) rig.put(i % 2, 1, 600);
    await b.cycles(400);
    expect(rig.heldCells[1], "cells").toBe(Math.min(Math.floor((cells - longest) / longest), 16) * longest);
    rig.letAllGo(3);
    await rig.end();
  }
}
/** The same with the device's cells. */
async function scarceCells(b: B): Promise<void> {
  const rig = new MergeRig(b, "scarce"),
    longest = cellsOf(rig.p.frameBytes);
  rig.inlets.ahead = 200;
  await rig.setUsers(rig.users.map(u => ({ ...u, contexts: 64, cells: 64 + 5 * longest })));
  for (let round = 0; round < 4; round++) {
    rig.stay = undefined;
    for (let i = 0; i < 30; i++) rig.put(i % 2, i % 4, rig.p.frameBytes - 256 * (round % 2));
    await b.cycles(600);
    const each = longest - (round % 2),
      held = rig.heldCells.reduce((a, n) => a + n, 0);
    expect(held, "cells of arrivals").toBe(Math.floor((rig.p.cells - longest) / each) * each);
    rig.letAllGo(3);
    await rig.end();
  }
}
async function resets(b: B, size: Size = "small"): Promise<void> {
  const rig = new MergeRig(b, size, pauses(b));
  await rig.setUsers();
  for (let round = 0; round < 20; round++) {
    some(b, rig, 40);
    await b.cycles(b.random.between(3, 150));
    rig.reset();
    await b.cycles(b.random.between(0, 3));
  }
  some(b, rig, 40);
  await rig.end();
  // Accounts are empty again.
  const longest = cellsOf(rig.p.frameBytes);
  await rig.setUsers(rig.users.map(u => ({ ...u, contexts: 3, cells: 2 * longest + 1 })));
  some(b, rig, 80);
  await rig.end();
  expect(rig.mostOf.contexts.every(n => n >= 2)).toBe(true);
}

/** What is wrong, and the text that makes it so. */
type Planted = readonly [string, string | RegExp, string];
const faults: readonly Planted[] = [
  ["a result is taken in", /for_core_1 = [^;]*;/, "for_core_1 = heads_1_3_valid;"],
  ["a user without tokens goes on", /spent_has_tokens = [^;]*;/, "spent_has_tokens = 1'b1;"],
  ["tokens are not looked at when the turn comes", /seen_has_tokens = [^;]*;/, "seen_has_tokens = 1'b1;"],
  ["users without a limit use tokens", /counted_bytes = [^;]*;/, "counted_bytes = took_bytes;"],
  ["more than one share is saved", /share_fits = [^;]*;/, "share_fits = 1'b1;"],
  ["a smaller share is not cut", /share_fits = ~share_room\[31\] & ([^;]*);/, "share_fits = share_room[31] | ($1);"],
  ["a part is given twice", /due <= part \? 4'd15 : [^;]*;/, "due <= part ? 4'd15 : due;"],
  ["a part of one user is lost", "due <= part ? 4'd15", "due <= part ? 4'd13"],
  ["a 64th is a 32nd", "{seen_bytes, 6'd0}", "{1'd0, seen_bytes, 5'd0}"],
  ["tokens of a part go to the next user", "getter <= seen_user;", "getter <= scanned;"],
  ["contexts that are released do not come back", "before_contexts + 7'd1", "before_contexts"],
  [
    "cells that are released come back a cell short",
    /before_cells \+ \{6'd0, released_q_cells\}/,
    "before_cells + {6'd0, released_q_cells[1], 1'b0}",
  ],
  ["accounts outlive a reset", "if (took_valid | clearing) begin", "if (took_valid) begin"],
  ["arrivals do not leave a context of the quota", /(spent_arrival = spent_has_tokens [^;]*) > 7'd1\)/, "$1 > 7'd0)"],
  [
    "arrivals do not leave cells of the quota",
    "spent_cells_behind = spent_cells_left - 8'd3",
    "spent_cells_behind = spent_cells_left - 8'd2",
  ],
  ["a user is said to have plenty too early", "(spent_contexts_left > 7'd5)", "(spent_contexts_left > 7'd2)"],
  ["plenty of cells too early", "(spent_cells_left > 8'd17)", "(spent_cells_left > 8'd5)"],
  ["what a take shows does not count the turn", / \^ arrivals_second\[spent_user\]/, ""],
  ["what a turn shows does not count the take", / \^ arrivals_first\[seen_user\]/, ""],
  ["the next of a class goes by old accounts", /quiet_alone_(\d) = [^;]*;/, "quiet_alone_$1 = 1'b1;"],
  ["it waits a cycle too few", /quiet_alone_(\d) = ~\((.*) \| alone_\d_4_ago\)/, "quiet_alone_$1 = ~($2)"],
  ["a head is named that has gone", / & ~\(gone_(\d) & \(held_class_\1 == 3'd\d\)\)/, ""],
  [
    "contexts on their way are forgotten",
    /contexts_left = \{1'b0, free_contexts\} - contexts_on_their_way/,
    "contexts_left = {1'b0, free_contexts}",
  ],
  ["cells on their way leak", /cells_on_their_way <= ([^;]*) - [^;]*;/, "cells_on_their_way <= $1;"],
  [
    "arrivals do not leave contexts to second passes",
    /room_for_arrival <= ([^;]*) > 7'd16/,
    "room_for_arrival <= $1 > 7'd15",
  ],
  [
    "a packet's first cell is another's",
    "stored_ready = packet_arrives & pending_packets_payload_has_body",
    "stored_ready = packet_arrives",
  ],
  ["a header that waits is lost", /pending_valid = ([^;]*) & enter_ready/, "pending_valid = $1"],
  ["a payload's first beat is another header", "first_beat <= beat_is_last;", "first_beat <= 1'b1;"],
  ["a frame half taken outlives a reset", "first_beat <= 1'b1;", "first_beat <= first_beat;"],
  ["an inlet that was chosen and not taken outlives a reset", /held_1 <= 1'b0;/, "held_1 <= held_1;"],
  ["an inlet that is held is chosen again", / = order_open & ~held_0;/, " = order_open;"],
];
const ofResets: readonly Planted[] = [["nobody waits until accounts are clear", / & ~accounts_closed/, ""]];
const ofWaiting: readonly Planted[] = [
  ["when room is scarce, frames follow each other", /apart = [^;]*;/, "apart = 1'b1;"],
  [
    "cells on their way are forgotten",
    /cells_left = \{1'b0, free_cells\} - cells_on_their_way/,
    "cells_left = {1'b0, free_cells}",
  ],
  ["nobody ever holds up others", /watched_long = [^;]*;/, "watched_long = 1'b0;"],
  ["others are held up too early", "passed_watched == 7'd64", "passed_watched == 7'd40"],
  ["one head is watched for ever", /watch_next = [^;]*;/, "watch_next = 1'b0;"],
  ["room is not what it lacks", "urgent_room <= ", "urgent_room <= 1'b0 & "],
];

describe("Merge", () => {
  testOfResets(dut("small"), {}, b => traffic(b, "small", 300));
  bench("small: frames of all inlets and users, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 2 }, async b => {
    await traffic(b, "full", 300);
  });
  bench("back to back", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 300, false);
  });
  bench("odd: the same with three users", dut("odd"), { seed: 3 }, async b => {
    await traffic(b, "odd", 300);
  });
  bench("quotas: each user comes up to its own", dut("small"), { seed: 4, hangCycles: 1_000 }, quotas);
  bench("a result that returns is not the merge's", dut("small"), { seed: 13, hangCycles: 1_000 }, notTheMerges);
  bench(
    "at the limits, others go on, and so do second passes",
    dut("small"),
    { seed: 5, hangCycles: 1_000 },
    atTheLimits,
  );
  bench("tokens: a share an epoch, exact to a frame", dut("small"), { seed: 6, hangCycles: 2_000 }, metered);
  bench("a head waits for as many others as there are", dut("full"), { seed: 7 }, turns);
  bench("a head that lacks room is not passed for ever", dut("scarce"), { seed: 8, hangCycles: 1_000 }, urgent);
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 9 }, b => resets(b));
  bench("frames that come faster than accounts show them", dut("small"), { seed: 11, hangCycles: 1_000 }, fast);
  bench("the same with few cells", dut("scarce"), { seed: 12, hangCycles: 1_000 }, scarceCells);

  bench("latency, and rates", dut("full"), { seed: 10 }, async b => {
    const rig = new MergeRig(b, "full");
    await rig.setUsers();
    rig.put(0, 0, 64);
    await rig.end();
    const [first] = rig.takes;
    expect((first?.taken ?? NaN) - (first?.first ?? NaN), "from a head to its take").toBe(0);
    expect(rig.latencies, "from the take to its arrival, when the header comes a cycle later").toEqual([3]);
    rig.inlets.ahead = 4;
    /** Cycles a frame, from the first to the last take. */
    const rate = async (count: number, bytes: number, inlet: (i: number) => number): Promise<number> => {
      rig.takes.splice(0);
      for (let i = 0; i < count; i++) rig.put(inlet(i), 5, bytes);
      await rig.end();
      return ((rig.takes.at(-1)?.taken ?? 0) - (rig.takes[0]?.taken ?? 0)) / (count - 1);
    };
    expect(await rate(400, 64, i => i % 4), "64 bytes from four inlets").toBeLessThan(1.02);
    expect(await rate(200, 64, () => 1), "64 bytes from one").toBeLessThan(1 / 0.97);
    for (const bytes of [128, 256, 1000, 1518])
      for (const inlets of [1, 4])
        expect(await rate(60, bytes, i => i % inlets), `${bytes} bytes of ${inlets}`).toBeLessThan(
          Math.ceil(bytes / 64) / 0.97 + 0.1,
        );
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => traffic(b, "small", 200),
      quotas,
      atTheLimits,
      metered,
      fast,
      notTheMerges,
      b => resets(b),
    ];
    const look = async (name: string, design: Dut<Ports>, all = runs): Promise<void> => {
      for (const [i, run] of all.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 2_000, limitCycles: 80_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
    for (const [name, from, to] of ofResets)
      test(name, async () => {
        await findsFault(look(name, plant(dut("full"), from, to), [b => resets(b, "full")]));
      });
    for (const [name, from, to] of ofWaiting)
      test(name, async () => {
        await findsFault(look(name, plant(dut("scarce"), from, to), [urgent, scarceCells]));
      });
  });
});
