/** What may happen beside packets: a row gets another key, the device is reset, a launch comes again. */
import { sealModel } from "../../../../../../../designs/supernic/model/index.ts";
import { type AesRow, aesRowWords } from "../../../../../../../designs/supernic/wire/index.ts";
import { type B, PayloadRig } from "../../../region/support/payload-rig.ts";
import type { Tried } from "../../../region/support/test-tasks.ts";
import { configureKeys, goodPacket, rowOf, someRows } from "../../aes/support/tunnel-rig.ts";
import { gcmTraffic, preparation, sealedPacket, seals } from "./gcm-rig.ts";

/**
 * A rig whose model takes the nonces of what leaves: it does not know which packets were dropped before they took one.
 * None may come twice.
 */
function rigOf(b: B, task: Tried): PayloadRig {
  if (task !== seals) return new PayloadRig(b, [task]);
  const counters = new Set<bigint>();
  let counter = 0n;
  const rig = new PayloadRig(b, [{ ...task, model: () => sealModel(() => counter) }]);
  rig.beforeJudging = (header, dropped) => {
    const bytes = Buffer.from(((header >> 48n) & (2n ** 64n - 1n)).toString(16).padStart(16, "0"), "hex").reverse();
    counter = bytes.readBigUInt64BE();
    if (dropped) return;
    if (counters.has(counter)) throw new Error(`counter ${counter.toString(16)} comes twice`);
    counters.add(counter);
  };
  return rig;
}
function sendLong(rig: PayloadRig, task: Tried, rows: readonly AesRow[], arg: number): void {
  const { random: r } = rig.b,
    row = rows[arg];
  if (row === undefined) throw new RangeError(`there is no row ${arg}`);
  if (task === seals) {
    const { payloadBytes: _, ...packet } = goodPacket(r, "encrypt", arg);
    rig.send([0], 1_472, packet);
    return;
  }
  const packet = sealedPacket(r, arg, row, 1_472);
  rig.send([0], packet.payload.length, packet);
}

/**
 * A row's key changes while packets of it and of another row are inside. Those of the row are dropped, none leaves with
 * two keys; the others go on. Then packets come while the row is prepared: they are dropped, or right.
 */
export async function keyChanges(b: B, task: Tried, rounds: number): Promise<void> {
  const rig = rigOf(b, task),
    { random: r } = b,
    rows = someRows(r);
  await configureKeys(rig, rows, 1, preparation);
  for (let round = 0; round < rounds; round++) {
    const before = rig.seen.forwarded;
    rig.mayDrop = true;
    for (const arg of [1, 2, 1, 2]) sendLong(rig, task, rows, arg);
    await b.until(() => rig.state(0).inside.num > 0);
    await b.cycles(r.between(0, 14));
    rows[1] = { ...rowOf(r, 1), key: Uint8Array.from({ length: r.pick([16, 32]) }, () => r.between(0, 255)) };
    for (const { at, data } of aesRowWords(1, rows[1])) await rig.configure(0, at, data);
    await rig.end();
    if (rig.seen.forwarded - before !== 2)
      throw new Error(`${rig.seen.forwarded - before} packets leave, and those of the other row are 2`);
    // The row may become live at any time: then all of it is there.
    await gcmTraffic(rig, task, rows, preparation, [0, 64, 200]);
    await rig.end();
    rig.mayDrop = false;
    await gcmTraffic(rig, task, rows, 100);
    await rig.end();
  }
}
/** Rows begin while others are prepared: only the last one lives, and it is right. */
export async function rowsInARow(b: B, task: Tried): Promise<void> {
  const rig = rigOf(b, task),
    { random: r } = b,
    rows = someRows(r);
  for (const wait of [70, 75, 80, 100, 300, 450]) {
    for (const i of [0, 1]) {
      for (const { at, data } of aesRowWords(i, rows[i] ?? rowOf(r, i))) await rig.configure(0, at, data);
      await b.cycles(i === 0 ? wait - 7 : preparation);
    }
    await configureKeys(rig, [], wait);
    rig.mayDrop = true;
    const before = rig.seen.forwarded;
    for (const arg of [0, 1, 0, 1]) sendLong(rig, task, rows, arg);
    await rig.end();
    if (rig.seen.forwarded - before !== 2) throw new Error(`${rig.seen.forwarded - before} packets leave, of two rows`);
  }
}
/** Resets in the middle of traffic: all rows are dead then, and there is no launch. */
export async function resetsBeside(b: B, task: Tried, rounds: number): Promise<void> {
  const rig = new PayloadRig(b, [task]),
    rows = someRows(b.random),
    seen = new Set<string>();
  let left = 0;
  rig.onLeave = header => {
    if (task !== seals) return;
    left++;
    seen.add(Buffer.from(header.slice(2, 14)).toString("hex"));
  };
  for (let launch = 1; launch <= rounds; launch++) {
    await configureKeys(rig, rows.slice(0, 2), launch, preparation);
    await gcmTraffic(rig, task, rows.slice(0, 2), b.random.between(60, 160));
    rig.reset();
    rig.restart(0);
    // No row is live: what comes now is dropped.
    await gcmTraffic(rig, task, rows.slice(0, 2), 40, [0, 100]);
    await rig.end();
  }
  if (seen.size !== left) throw new Error(`${left} packets leave with ${seen.size} nonces`);
}
/** The task is switched off and on, as when it was killed; a launch that was is asked for again. */
export async function relaunched(b: B, task: Tried): Promise<void> {
  const rig = new PayloadRig(b, [task]),
    rows = someRows(b.random).slice(0, 1),
    seen = new Set<string>();
  let left = 0;
  rig.onLeave = header => {
    left++;
    seen.add(Buffer.from(header.slice(2, 14)).toString("hex"));
  };
  const some = async (): Promise<number> => {
    const before = left;
    for (let i = 0; i < 20; i++) {
      await b.until(() => rig.canSend());
      sendLong(rig, task, rows, 0);
    }
    await rig.end();
    return left - before;
  };
  const must = async (sent: number, what: string): Promise<void> => {
    const is = await some();
    if (is !== sent) throw new Error(`${what}: ${is} packets leave, not ${sent}`);
  };
  await configureKeys(rig, rows, undefined, preparation);
  await must(0, "without a launch");
  await configureKeys(rig, [], 5);
  await must(20, "launch 5");
  for (const launch of [5, 4]) {
    await configureKeys(rig, [], launch);
    await must(20, `launch ${launch} again, which is refused`);
  }
  rig.control(0, { isolate: true });
  await b.cycles(50);
  rig.control(0, {});
  await b.cycles(20);
  rig.mayDrop = true;
  await must(0, "switched off and on");
  await configureKeys(rig, rows, 5, preparation);
  await must(0, "launch 5 behind that");
  rig.restart(0);
  rig.mayDrop = false;
  await configureKeys(rig, rows, 6, preparation);
  await must(20, "launch 6");
  if (seen.size !== left) throw new Error(`${left} packets leave with ${seen.size} nonces`);
}
