/** Runs of the commit task in which rare things come: late copies, sums that carry, refusals behind the decision. */
import { clioMessage, frameOffsets, opcode, udpPorts } from "../../../../../designs/clio/wire/index.ts";
import {
  messageIn,
  type MessageIn,
  taskClient,
  type TaskHostOptions,
  taskOwn,
  taskPid,
} from "../../../../../designs/hotpot/rig/index.ts";
import {
  bounds,
  commitOpcode,
  commitReplyOpcode,
  submitBytes,
  submitKinds,
} from "../../../../../designs/hotpot/wire/index.ts";
import { ipv4Header, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { type B, fail, nodes, replicaOf, type Run, same, taskRun, type usual, vaOf } from "./task-runs.ts";

type P = typeof usual;
async function runOf(b: B, p: P, o: Partial<TaskHostOptions> = {}): Promise<Run> {
  const run = taskRun(b, p.contexts, { clients: 16, clientTimeout: 3000, ...o });
  await run.host.configure();
  return run;
}
const isOfCopies = ({ message }: MessageIn): boolean => (message.lane ?? 0) >= bounds.lanes / 2;

/**
 * The network keeps UPDATEs of a commit and brings them again and again, while one node hears no FORGET of its copies.
 * Another commit wants one of the pages: it has to wait, or an old copy comes behind its own.
 */
export async function lateCopiesRun(b: B, p: P, deaf: number) {
  const run = await runOf(b, p),
    { host } = run,
    kept: MessageIn[] = [];
  let isDeaf = true,
    keeps = true,
    unheard = 0;
  host.strict = false;
  host.onMade = (bytes, port) => {
    if (port === 0) return false;
    const m = messageIn(bytes);
    if (keeps && m.message.kind === "update") kept.push(m);
    const unheardNow = isDeaf && m.message.kind === "forget" && isOfCopies(m) && m.node === deaf;
    if (unheardNow) unheard++;
    return unheardNow;
  };
  /** What the node says to what it is told again: nobody waits for it. */
  const again = (): void => {
    for (const { node, message } of kept) host.nodes[node]?.ask(message, taskPid);
  };
  // Each node owns an area and has a copy of another one. The second commit is of the area that the deaf node copies.
  const contested = (deaf + nodes - 1) % nodes;
  same("the copy", replicaOf(contested), deaf);
  const first = run.submit(0, [0, 1, 2]);
  await b.until(() => first.verdict !== undefined);
  keeps = false;
  const second = run.submit(1, [contested]);
  for (let i = 0; i < 60; i++) {
    await b.cycles(200);
    again();
  }
  if (unheard === 0) fail("no FORGET of copies was sent");
  same("the second one, while the deaf node may get old copies", second.verdict, undefined);
  isDeaf = false;
  await host.finished();
  again();
  for (const s of [first, second]) same("a commit", s.verdict, "done");
  await host.drained();
  again();
  await run.rest(p.contexts);
}

/** Memory refuses what is written home behind the decision, some times at each node: it is asked until it is done. */
export async function refusedHomeRun(b: B, p: P) {
  const run = await runOf(b, p),
    { host } = run;
  let refused = 0;
  for (const touched of [[0], [0, 1, 2], [3, 4]]) {
    for (const node of host.nodes) {
      let left = 3;
      node.memory.refuses = (_, a) => {
        const isHome = a.pid === taskPid && a.opcode === opcode.WRITE && left > 0;
        if (!isHome) return false;
        left--;
        refused++;
        return true;
      };
    }
    const s = run.submit(0, touched);
    await host.finished();
    same("a commit whose home was refused", s.verdict, "done");
    await host.drained();
  }
  if (refused < 12) fail(`memory refused only ${refused} times`);
  await run.rest(p.contexts);
}

/** One's complement sum of a frame's IPv4 header: all ones when its checksum is right. @returns also its carries */
function summed(frame: Uint8Array): { readonly sum: number; readonly carriesTwice: boolean } {
  const at = frameOffsets.network,
    word = (i: number): number => ((frame[at + i] ?? 0) << 8) | (frame[at + i + 1] ?? 0);
  const all = Array.from({ length: ipv4Header.bytes / 2 }, (_, i) => word(2 * i)),
    fold = (n: number): number => (n & 0xffff) + (n >>> 16),
    add = (words: readonly number[]): number => words.reduce((a, w) => a + w, 0);
  return { sum: fold(fold(add(all))), carriesTwice: fold(add(all.filter((_, i) => i !== 5))) > 0xffff };
}
/** Answers to clients at many addresses: among them some for which folding the header's sum carries once more. */
export async function carriesRun(b: B, p: P) {
  const run = await runOf(b, p),
    { host } = run;
  let twice = 0,
    heard = 0;
  host.onMade = bytes => {
    const { sum, carriesTwice } = summed(bytes);
    same("the sum of a header", sum, 0xffff);
    heard++;
    if (carriesTwice) twice++;
    return true;
  };
  const head = { kind: submitKinds.area as number, area: 0, areas: 9, owner: 0, number: 1, replicas: 2, va: vaOf(0) },
    body = submitBytes(head, new Uint8Array(64));
  // An area of nine is none: each asker is refused, and no node hears of it.
  const ask = async (ip: number): Promise<void> => {
    const before = heard;
    host.send(
      udpFrame(
        { ...taskClient(0), ip },
        { ...taskOwn, port: udpPorts.native },
        clioMessage({ pid: taskPid, opcode: commitOpcode, requestId: ip, flagTracked: 1 }, body),
      ),
      0,
      true,
    );
    await b.until(() => heard > before);
  };
  for (let i = 0; i < 48; i++) await ask((0x0a00_0000 + Math.floor((i * 0x1_0000) / 48)) >>> 0);
  // Where the last carry begins: found by what the others' headers are.
  for (let low = 0; low < 0xffff && twice === 0; low++) {
    const ip = (0x0a00_0000 + low) >>> 0,
      trial = udpFrame(
        { ...taskOwn, port: udpPorts.native },
        { ...taskClient(0), ip },
        clioMessage({ pid: taskPid, opcode: commitReplyOpcode, requestId: 0 }, new Uint8Array(64)),
      );
    if (summed(trial).carriesTwice) for (let n = 0; n < 3; n++) await ask(ip);
  }
  if (twice === 0) fail("no header's sum carries twice");
  await host.drained();
}
