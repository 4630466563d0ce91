/** Alice at one port and bob at the other, each with a region of its own: what alice has, whatever bob does. */
import { encode } from "../../../../../designs/shared/wire/index.ts";
import type { LiveChain } from "../../../../../designs/supernic/software/index.ts";
import { mostSlots, tableWrite, weightBody } from "../../../../../designs/supernic/wire/index.ts";
import { markOf, parameters, setup, uids, users, type UsersDevice } from "./users-device.ts";

/** What bob does beside alice's frames. */
export const doings = ["nothing", "floods", "stuck", "killed", "reloaded"] as const;
export type Doing = (typeof doings)[number];
export interface Isolated {
  readonly sent: number;
  readonly left: number;
  /** Cycles; the 99th percentile of alice's frames, from the last beat in to the first out. */
  readonly p99: number;
  /** Frames at bob's port, which is alice's destination, that have a byte of bob's. */
  readonly foreign: number;
  /** What bob got through, so that he did something. */
  readonly others: number;
}
const cycles = 5_000,
  every = 40;
/** One frame of the longest kind in front, at the merge and at the deparser, and as much for the lane. */
export const bound = 4 * Math.ceil(parameters.mtuFrame / 64);

const bobsSlot = mostSlots;
/** Bob's task is given nothing: what he sends stays in its FIFO, up to his quota. */
const hold = (quiesce: number) =>
  tableWrite("slot", bobsSlot, { limit: parameters.credits, busyAt: parameters.credits, quiesce });

/** Bob's chain is given up, its region forgotten and reprogrammed. */
async function reload({ managed: { manager } }: UsersDevice, chain: LiveChain): Promise<void> {
  await manager.stop(chain);
  // His next packet may have launched it before it is forgotten.
  await manager.erase(1);
  await manager.launch(chain, "demand");
}
/** Bob's part, beside traffic. */
async function does(t: UsersDevice, doing: Doing, over: () => boolean): Promise<void> {
  const { manager } = t.managed,
    { bench } = t.device;
  const chain = manager.places[1]?.chain;
  if (chain === undefined) throw new RangeError("bob has no region");
  if (doing === "stuck") await t.device.driver.write([hold(1)]);
  while (!over()) {
    if (doing === "killed") await manager.kill(1);
    if (doing === "reloaded") await reload(t, chain);
    await bench.cycles(100);
  }
}
export async function isolated(t: UsersDevice, doing: Doing): Promise<Isolated> {
  const { bench } = t.device,
    end = bench.cycle + cycles,
    beside = does(t, doing, () => bench.cycle >= end);
  const bob = doing === "nothing" ? {} : { bob: doing === "floods" || doing === "stuck" ? 4 : 40 };
  await t.run(cycles, { alice: every, ...bob });
  await beside;
  if (doing === "stuck") {
    await t.device.driver.write([hold(0)]);
    await t.managed.manager.kill(1);
  }
  await t.rest();
  const own = t.latencies("alice"),
    p99 = [...own].sort((a, b) => a - b)[Math.ceil(0.99 * own.length) - 1] ?? Infinity,
    mark = markOf("bob"),
    foreign = t.out.filter(o => o.port === users.bob.port && o.bytes.subarray(42).includes(mark)).length;
  return {
    ...{ sent: t.sent.alice, p99, foreign },
    left: own.length,
    others: t.latencies("bob").length,
  };
}
/** What must hold of alice. @returns a sentence for each claim that does not */
export function broken(seen: Isolated, alone: number): readonly string[] {
  const list: string[] = [];
  if (seen.left !== seen.sent) list.push(`${seen.sent - seen.left} of alice's ${seen.sent} frames are lost`);
  if (!(seen.p99 <= alone + bound)) list.push(`99 of 100 take ${seen.p99} cycles, and ${alone} alone`);
  if (seen.foreign > 0) list.push(`${seen.foreign} frames at alice's destination have bytes of bob's`);
  return list;
}

/** Bob's UID, key and rules, used at alice's port. @returns a sentence for each that serves her */
export async function served(t: UsersDevice): Promise<readonly string[]> {
  const list: string[] = [],
    tries = 5;
  for (let i = 0; i < tries; i++) t.send("alice", uids.bob);
  t.ask("alice", "WEIGHT", encode(weightBody, { weight: 7 }), "bob");
  await t.device.bench.cycles(2_000);
  await t.rest();
  const { ports } = await t.device.counters(),
    refused = ports[users.alice.port]?.["inUid"] ?? 0;
  if (refused !== tries) list.push(`bob's UID is refused ${refused} times of ${tries} at alice's port`);
  if (t.out.length > 0) list.push(`${t.out.length} frames leave that came with bob's UID`);
  const { done, strangers } = t.device.software.statistics;
  if (done !== 0 || strangers !== 1) list.push("a message for alice that bob has signed is done");
  const [alice] = setup.users,
    bobs = t.managed.dags.named(uids.bob);
  if (alice === undefined || bobs === undefined) throw new RangeError("there are two users");
  // A rule of alice's at bob's port would take bob's frames.
  if (t.managed.dags.isAlone(alice, bobs.ports)) list.push("alice may have rules at bob's port");
  return list;
}
