/** What the benches of the loop play; each ends with what software sees, and with all rates there. */
import type { FairRun } from "../../../../../../designs/supernic/model/index.ts";
import { resourcesOf } from "../../../../../../designs/supernic/rtl/monitor/index.ts";
import { longestProblem } from "../../../drf/support/problems.ts";
import { type B, FairRig, type Size } from "./fair-rig.ts";
import { mixes, sayAll, Traffic } from "./traffic.ts";

/** Cycles of a part: so few that the longest run fits an epoch of 64 of them. */
const partOf = (size: Size): number => (size === "full" ? 66 : 20);
/** To the end of this epoch, and a few cycles more. */
async function epoch(b: B, rig: FairRig, traffic: Traffic, size: Size): Promise<void> {
  const part = partOf(size);
  do {
    const length = b.random.between(part, part + 4);
    for (let i = 0; i < length; i++) await rig.cycle(traffic.events(i === length - 1));
  } while (rig.part !== 0);
}
async function started(b: B, size: Size): Promise<{ readonly rig: FairRig; readonly traffic: Traffic }> {
  const rig = new FairRig(b, size);
  await sayAll(b, rig);
  return { rig, traffic: new Traffic(b, rig) };
}
async function end(rig: FairRig): Promise<void> {
  await rig.settle();
  await rig.compareShown();
}

/** Random traffic of all mixes. */
export async function epochs(b: B, size: Size, count: number): Promise<FairRig> {
  const { rig, traffic } = await started(b, size);
  for (let i = 0; i < count; i++) {
    traffic.mix = mixes[i % mixes.length] ?? traffic.mix;
    await epoch(b, rig, traffic, size);
  }
  await end(rig);
  return rig;
}

/** So many bytes in an epoch that 24 bits do not hold them, then ordinary ones. */
export async function saturation(b: B): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  const { frameBytes } = rig.p,
    enough = Math.ceil(2 ** 24 / frameBytes / 60);
  let held = 0;
  for (let part = 0; part < 104; part++) {
    for (let i = 0; i < enough; i++) {
      // Of the second epoch of uses 24 bits do not hold the bytes that came, of the first epoch those that were
      // offered.
      const big = part < 64,
        payloadBytes = frameBytes - 64;
      await rig.cycle({
        part: i === enough - 1,
        admitted: { ctx: i % 2, dag: i % 16, user: 1, headBytes: 64, payloadBytes },
        ...(i > 4 && { decided: { ctx: (i + 1) % 2, port: 1 } }),
        ...(held > 0 && { released: { user: 1, cells: held } }),
        offered: [0, 1, 2].map(() => ({ user: 1, bytes: big ? 16_383 : 64, kept: false })),
      });
      held = Math.ceil(payloadBytes / 256);
    }
    if (part === 70) await end(rig);
  }
  await rig.cycle({ released: { user: 1, cells: held } });
  // As long as all are measured.
  for (let i = 0; i < 200; i++) await rig.cycle();
  await end(rig);
  for (let part = 104; part < 128; part++) for (let i = 0; i < 20; i++) await rig.cycle({ part: i === 19 });
  for (let i = 0; i < 2; i++) await epoch(b, rig, traffic, "small");
  await end(rig);
}

/** A user holds many cells for long, and brings next to nothing: its measure has no room. */
export async function hoard(b: B): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  const whole = { dag: 0, user: 2, headBytes: 64, payloadBytes: 1_472 },
    crumb = { dag: 0, user: 2, headBytes: 14, payloadBytes: 0, ctx: 10 },
    count = 10;
  for (let i = 0; i < 128 * 80; i++) {
    const e = { part: i % 80 === 79 };
    if (i < count) await rig.cycle({ ...e, admitted: { ...whole, ctx: i } });
    // In the second epoch of uses.
    else if (i === 64 * 80) await rig.cycle({ ...e, admitted: crumb });
    else await rig.cycle(e);
  }
  await end(rig);
  for (let i = 0; i < count; i++) await rig.cycle({ released: { user: 2, cells: 6 } });
  await epoch(b, rig, traffic, "small");
  await end(rig);
}

/** Users stop and start; one is somebody else from now on, and has the vector that software says. */
export async function silence(b: B): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  for (const users of [[0, 1, 2, 3], [0, 2], [], [], [1], [], [], [], [], [0, 1, 2, 3]]) {
    traffic.users = users;
    await epoch(b, rig, traffic, "small");
    await rig.settle();
    const anew = b.random.between(0, 3);
    for (let j = 0; j < resourcesOf(rig.p); j++) {
      await rig.write("firstUse", 64 * anew + j, { use: b.random.between(0, 9_000) });
      // They come as fast as a bus writes.
      for (let i = 0; i < 4; i++) await rig.cycle();
    }
    await rig.write("weight", anew, { weight: b.random.between(0, 2) });
    // Places that the device does not have.
    await rig.write("firstUse", 64 * rig.p.users + 1, { use: 3 });
    for (let i = 0; i < 4; i++) await rig.cycle();
    await rig.write("firstUse", 63, { use: 3 });
    await rig.write("capacity", 60, { units: 5, packets: 1 });
  }
  await end(rig);
}

/** Pauses with and without a meter that holds, at ports that a user has or has not. */
export async function lies(b: B): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  const quiet = { offers: 0, takes: 0, admits: 0, leaves: 0, pauses: 0 };
  for (let i = 0; i < 24; i++) {
    const which = b.random.between(0, 3),
      dry = b.random.between(0, 15),
      paused = [b.random.between(0, 15), b.random.between(0, 15)];
    traffic.mix = i % 3 === 0 ? { ...quiet, offers: 0.01 } : quiet;
    for (let part = 0; part < 64; part++)
      for (let k = 0; k < 20; k++) {
        const at = part * 20 + k,
          e = traffic.events(k === 19);
        // Both at once, one behind the other, or in the last cycle of the epoch.
        await rig.cycle({
          ...e,
          ...(at === [300, 400, 1_279, 0][which] && { dry }),
          ...(at === [300, 900, 1_279, 1_279][which] && { paused }),
        });
      }
    await rig.settle();
  }
  await end(rig);
}

/** Software and the unit take turns, and software writes entries while rates come. */
export async function modes(b: B): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  for (let i = 0; i < 8; i++) {
    const hardware = i % 4 < 2;
    rig.hardware = hardware;
    await epoch(b, rig, traffic, "small");
    // What is chosen during a run counts for the next one.
    rig.hardware = !hardware;
    // Entries beside the unit's rates, which wait for them.
    for (let k = 0; k < 400; k++)
      if (b.random.between(0, 3) > 0) await rig.cycle(traffic.events(false));
      else {
        const user = b.random.between(0, 3);
        const values = {
          ...(rig.entries[user] as object),
          bytes: b.random.between(0, 9_000),
          contexts: b.random.between(0, 500),
        };
        await rig.write("user", user, values, traffic.events(false));
      }
    await rig.settle();
    await rig.compareShown();
  }
}

/** Resets at all places around the ends of epochs, and in runs. */
export async function resets(b: B, count: number): Promise<void> {
  const { rig, traffic } = await started(b, "small");
  for (let i = 0; i < count; i++) {
    const parts = b.random.between(0, 1) === 0 ? 40 : 64,
      after = b.random.between(0, 3) === 0 ? b.random.between(0, 300) : b.random.between(0, 8);
    for (let part = 0; part < parts; part++) for (let k = 0; k < 20; k++) await rig.cycle(traffic.events(k === 19));
    for (let k = 0; k < after; k++) await rig.cycle(traffic.events(false));
    // A vector is measured or not, by where the reset comes: software says all of them anew.
    rig.reset();
    traffic.forget();
    for (let u = 0; u < rig.p.users; u++)
      for (let j = 0; j < resourcesOf(rig.p); j++) {
        await rig.write("firstUse", 64 * u + j, { use: b.random.between(0, 9_000) });
        for (let k = 0; k < 5; k++) await rig.cycle();
      }
  }
  await epoch(b, rig, traffic, "small");
  await epoch(b, rig, traffic, "small");
  await end(rig);
}

/**
 * Everybody stops alone, twice: the longest run, in the shortest epoch. Returns cycles from its end to the last
 * rate.
 */
export async function latency(b: B): Promise<number> {
  const rig = new FairRig(b, "full"),
    { capacities, users } = longestProblem({
      users: rig.p.users,
      resources: resourcesOf(rig.p),
      floor: rig.p.frameBytes,
    });
  for (const [j, units] of capacities.entries()) await rig.write("capacity", j, { units });
  for (const [u, { weight, vector }] of users.entries()) {
    await rig.write("weight", u, { weight });
    for (const [j, use] of vector.entries()) {
      await rig.write("firstUse", 64 * u + j, { use });
      for (let i = 0; i < 5; i++) await rig.cycle();
    }
  }
  const shortest = 4_096;
  for (let i = 0; i < shortest; i++) {
    const user = i < users.length ? i : undefined,
      offer = user === undefined ? undefined : { user, bytes: users[user]?.demand ?? 0, kept: false };
    await rig.cycle({ part: i % 64 === 63, offered: [offer] });
  }
  await end(rig);
  const { problem } = rig.runs[0] as FairRun;
  if (JSON.stringify(problem.users) !== JSON.stringify(users)) throw new Error("it is not the longest run");
  return Math.max(...rig.latencies);
}
