/** Runs of the KV cache that its bench and its planted faults share. */
import type { KvAnswer, KvCacheModel, KvPacket } from "../../../../../../../designs/supernic/model/index.ts";
import { kvAgeCycles, kvPending, kvTick, kvWords } from "../../../../../../../designs/supernic/wire/index.ts";
import type { Pause } from "../../../../../../../sim/index.ts";
import { clientOf, fromClient, fromNode, node, nodePort, nodeReply, requestFrame, user } from "./kv-frames.ts";
import { type B, KvRig } from "./kv-rig.ts";

/** Time after which no request is under way, and cycles until the cache learns again. */
export const life = 2,
  deafCycles = (life + 4) * kvTick + 1_100;
export const words = (l = life) => kvWords({ valid: true, user, ip: node.ip, port: nodePort }, l);
const ops = ["read", "read", "read", "read", "read", "read", "update", "delete", "create"] as const;
/** Longer than the run: nothing grows old in it, as the model has no time. */
const longLife = 400;

/** One packet after the other, with time between them: all as the model says. */
export async function settledRun(b: B, model: KvCacheModel, packets: number, pause?: () => Pause) {
  const rig = new KvRig(b, { ...(pause && { pause }), latency: 12, jitter: 20 }),
    { random } = b,
    seen = { hits: 0, forgotten: 0, forwarded: 0 };
  const waiting: Uint8Array[] = [];
  let due: KvAnswer | undefined, made: KvAnswer["made"];
  rig.onAnswer = ({ verdict, packet }) => {
    if (verdict !== due?.verdict)
      throw new Error(`${verdict}, not ${String(due?.verdict)}: ${Buffer.from(packet.bytes).toString("hex")}`);
  };
  rig.onMade = (bytes, port) => void (made = { bytes, port });
  const play = async (packet: KvPacket): Promise<void> => {
    due = model.answer(packet);
    made = undefined;
    rig.send(packet);
    await rig.settled();
    const is = made as KvAnswer["made"];
    const text = (m: KvAnswer["made"]): string => (m === undefined ? "none" : `${m.port} ${Buffer.from(m.bytes).toString("hex")}`);
    if (text(is) !== text(due.made)) throw new Error(`it makes ${text(is)}, not ${text(due.made)}`);
    if (due.verdict === "drop") seen.hits++;
    else seen.forwarded++;
  };
  const hears = async (): Promise<void> => {
    // All places of what is waited for are looked at once.
    await b.cycles((longLife + 3) * kvTick + 1_100 + kvPending * kvAgeCycles);
    waiting.splice(0);
    model.grown();
  };
  for (const w of words(longLife)) {
    await rig.configure([w]);
    model.configure(w.at, w.data);
  }
  await hears();
  let id = 0;
  for (let i = 0; i < packets; i++) {
    const client = clientOf(random.below(3)),
      // Some keys come often; all of them do not fit.
      key = BigInt(random.chance(0.5) ? random.below(5) : random.below(150)) * 0x1_0000_0001n,
      op = random.pick(ops);
    if (waiting.length > 3 || (waiting.length > 0 && random.chance(0.5))) {
      // A reply, not always of the oldest request; sometimes none comes of it.
      const [request] = waiting.splice(random.below(waiting.length), 1);
      if (request === undefined) continue;
      const isRead = request[45] === 0x60,
        status = random.pick([0, 0, 0, 0, 0, 4, 6]),
        value = random.bytes(random.pick([1, 2, 3, 66, 67, 300, 1000, 1026, 1027]));
      if (random.chance(0.95)) await play(fromNode(nodeReply(request, status, isRead ? value : undefined)));
      continue;
    }
    const frame = requestFrame(client, {
      ...{ op, key, requestId: id++, pid: random.pick([17, 17, 18]), tracked: random.chance(0.95) },
      ...((op === "update" || op === "create") && { value: random.bytes(random.between(1, 200)) }),
    });
    const damaged = random.below(80);
    if (damaged === 0) {
      const at = random.pick([16, 17, 45, 48, 59, 30, 36]);
      frame[at] = (frame[at] ?? 0) ^ 1;
    }
    const before = model.deaf;
    const who: KvPacket = { ...fromClient(frame), user: random.chance(0.97) ? user : 4 };
    await play(who);
    if (model.deaf && !before) {
      seen.forgotten++;
      await hears();
    }
    if (due?.verdict === "forward" && frame[45] !== undefined && frame[45] < 0x70) waiting.push(frame);
    if (random.chance(0.04)) await play(who);
    // A process ends: its keys are nobody's.
    if (i % 199 === 150) {
      const free = frame.slice(0, 60);
      free[45] = 0x86;
      await play(fromClient(free));
      if (model.deaf) {
        seen.forgotten++;
        await hears();
      }
    }
  }
  await rig.end();
  return seen;
}

/** A hit alone, all ends free: cycles that are neither memory's nor the way's of the payload. */
export async function oneHit(b: B): Promise<{ readonly cycles: number; readonly accesses: number }> {
  const latency = 20,
    rig = new KvRig(b, { latency }),
    client = clientOf(1);
  await rig.configure(words());
  await b.cycles(deafCycles);
  const ask = (requestId: number): Uint8Array => requestFrame(client, { op: "read", key: 77n, requestId });
  rig.send(fromClient(ask(1)));
  await rig.settled();
  rig.send(fromNode(nodeReply(ask(1), 0, new Uint8Array(500).fill(3))));
  await rig.settled();
  const before = rig.counts.reads;
  let done = 0;
  rig.onMade = () => void (done = b.cycle);
  rig.send(fromClient(ask(2)));
  await b.until(() => rig.counts.reads > before);
  const asked = rig.asked.at(-1) ?? 0;
  await rig.settled();
  if (done === 0) throw new Error("the second read is no hit");
  return { cycles: asked + rig.toReply, accesses: rig.counts.reads - before };
}
