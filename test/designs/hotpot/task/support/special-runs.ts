/** Runs of the commit task in which something is special: full, asked twice, lost, wrong, reset, held. */
import { clioMessage, dissect, replyFrame, status, udpPorts } from "../../../../../designs/clio/wire/index.ts";
import {
  nodeEndpoint,
  type Submitted,
  taskClient,
  type TaskHostOptions,
  taskOwn,
  taskPid,
} from "../../../../../designs/hotpot/rig/index.ts";
import {
  askKey,
  commitAnswer,
  commitOpcode,
  commitReplyOpcode,
  states,
  submitBytes,
  submitKinds,
} from "../../../../../designs/hotpot/wire/index.ts";
import { encode, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import {
  areaOf,
  areas,
  type B,
  bad,
  bytesOf,
  fail,
  nodes,
  ownerOf,
  pauses,
  replicaOf,
  type Run,
  same,
  taskRun,
  type usual,
  vaOf,
} from "./task-runs.ts";

type P = typeof usual;
const tick = 64;
async function runOf(b: B, p: P, o: Partial<TaskHostOptions> = {}): Promise<Run> {
  const run = taskRun(b, p.contexts, { clients: 16, ...o });
  await run.host.configure();
  return run;
}

/** The same areas in any order, of clients that begin at once: each ends, and no try is for ever. */
export async function conflictRun(b: B, p: P, commits: number) {
  const run = await runOf(b, p, { ...bad, ...pauses(b, 0.1), lost: 0, clientLost: 0 });
  await run.crowd(commits, 4, 4, [0, 1, 2, 4]);
  for (const k of run.known) same(`commit ${k.id}`, k.verdict, "done");
  const first = 4 * commits;
  if ((run.host.sent["prepare"] ?? 0) <= first) fail("nobody had to try again");
  await run.rest(p.contexts);
  return run;
}
/** More clients than contexts: BUSY, and each is served when the others' answers are forgotten. */
export async function fullRun(b: B, p: P) {
  const run = await runOf(b, p, { clientTimeout: 1500, config: { life: 2 } }),
    all = Array.from({ length: p.contexts + 3 }, (_, i) => run.submit(i, [i]));
  await run.host.finished();
  for (const s of all) same("a commit", s.verdict, "done");
  if ((run.host.verdicts["busy"] ?? 0) < 3) fail("BUSY fewer than 3 times");
  await run.rest(p.contexts);
}
/** Asked again it is the same answer, and no commit; older is nothing; forgotten runs anew. */
export async function onceRun(b: B, p: P) {
  const run = await runOf(b, p, { config: { life: 30 }, clientTimeout: 2500 }),
    { host } = run,
    life = 30 * tick,
    prepares = (): number => host.sent["prepare"] ?? 0,
    told = (): number => host.verdicts["done"] ?? 0;
  let answered = 0;
  host.onMade = (bytes, port) => {
    if (port === 0) answered = dissect(bytes).clio?.requestId ?? 0;
    return false;
  };
  const s = run.submit(0, [0, 1, 2]);
  await b.cycles(250);
  same("quiet while nodes are asked", b.io.quiet.value, 0);
  for (let i = 0; i < 6; i++) {
    await b.cycles(b.random.between(20, 160));
    host.clients.ask(s);
  }
  await host.finished();
  await host.drained();
  same("PREPAREs", prepares(), 3);
  for (const wait of [0, life >> 1, life - 400]) {
    const before = told();
    await b.cycles(wait);
    host.clients.ask(s, [1]);
    await b.until(() => told() > before);
    await host.drained();
    same("PREPAREs when asked again", prepares(), 3);
    same("answers", told(), before + 1);
    same("the message that is answered", answered, host.clients.newest);
    // Each time it is kept anew only as long as it was.
    if (wait >= life >> 1) break;
  }
  const second = run.submit(0, [3]);
  await host.finished();
  same("the second", second.verdict, "done");
  await host.drained();
  const before = told();
  host.clients.ask(s);
  await host.drained();
  same("answers to an older one", [told(), prepares()], [before, 4]);
  await b.cycles(3 * life);
  host.clients.ask(second);
  await b.until(() => told() > before);
  same("forgotten runs anew", prepares(), 5);
  // Its number wraps: those in front of 0 are older.
  for (let i = 0; i < 12; i++) {
    await host.drained();
    const next = run.submit(0, [i % areas]);
    await host.finished();
    if ((next.ended ?? 0) - next.begun > life) fail("it waits until the one before is forgotten");
    same("in a row", next.verdict, "done");
  }
  await run.rest(p.contexts);
}
/** A client that is lost leaves some areas: its context is given back after one life to two, and not before. */
export async function lostClientRun(b: B, p: P) {
  const life = 40,
    run = await runOf(b, p, { config: { life }, clientTimeout: 100_000 }),
    { host } = run;
  const lost = (client: number, number: number): Pick<Submitted, "client" | "number" | "areas"> => ({
    ...{ client, number, areas: [areaOf(0, 999), areaOf(1, 999)] },
  });
  const ask = async (client: number, number: number, area: number): Promise<void> => {
    host.send(host.clients.areaFrame(lost(client, number), area), 0, true);
    await host.drained();
  };
  for (let i = 0; i < p.contexts; i++) await ask(i, 5, i % 2);
  const busy = (): number => host.verdicts["busy"] ?? 0;
  host.clients.expects.push({ client: 15, number: 1 });
  await ask(15, 1, 0);
  same("BUSY while they wait", busy(), 1);
  same("messages", host.sent["prepare"] ?? 0, 0);
  await b.cycles((life - 12) * tick);
  await ask(15, 1, 0);
  same("BUSY before a life", busy(), 2);
  await b.cycles((life + 16) * tick);
  await ask(15, 1, 0);
  same("BUSY behind two lives", busy(), 2);
  // The rest of an old commit begins a new one: what was there of it is gone.
  await ask(0, 5, 1);
  same("messages", host.sent["prepare"] ?? 0, 0);
  // A client that gives one up begins the next in its place.
  const s = run.submit(0, [4]);
  // The other half of the first one is older now.
  await host.finished();
  same("the next one", s.verdict, "done");
  await b.cycles(3 * life * tick);
  await run.rest(p.contexts);
}
/** What contradicts itself is refused, and takes no context; what is nearly a message passes. */
export async function hostileRun(b: B, p: P) {
  const run = await runOf(b, p),
    { host } = run;
  const good = { kind: submitKinds.area as number, area: 0, areas: 1, owner: 0, number: 77, replicas: 2, va: vaOf(0) },
    data = new Uint8Array(64).fill(9);
  const wrong: readonly (readonly [object, Uint8Array])[] = [
    [{ kind: 1 }, data],
    [{ kind: 0x90 }, data],
    [{ area: 1 }, data],
    [{ areas: 0 }, data],
    [{ areas: 9 }, data],
    [{ area: 8, areas: 9 }, data],
    [{ area: 0x80, areas: 0x81 }, data],
    [{ owner: 3 }, data],
    [{ owner: 16 }, data],
    [{ replicas: 3 }, data],
    [{ replicas: 0x8002 }, data],
    [{ va: vaOf(0) + 8n }, data],
    [{ va: 0x4000n + 4096n - 64n }, new Uint8Array(128)],
    [{}, new Uint8Array(0)],
    [{}, new Uint8Array(63)],
    [{}, new Uint8Array(1088)],
  ];
  const refused = (): number => host.verdicts["refused"] ?? 0;
  for (const client of [0, 1]) host.clients.expects.push({ client, number: 77 });
  for (let i = 0; i < p.contexts + 1; i++) host.clients.expects.push({ client: i, number: 78 });
  for (const [w, d] of wrong) {
    const before = refused();
    host.send(host.clients.frame(0, submitBytes({ ...good, ...w }, d)), 0, true);
    await b.until(() => refused() > before);
    await host.drained();
  }
  // Each of them has left all contexts free.
  same("BUSY", host.verdicts["busy"] ?? 0, 0);
  same("messages", host.sent["prepare"] ?? 0, 0);
  // Areas that do not say the same number of areas; and copies that are not the owner's others'.
  host.send(host.clients.frame(1, submitBytes({ ...good, areas: 2 }, data)), 0, true);
  host.send(host.clients.frame(1, submitBytes({ ...good, areas: 3, area: 1 }, data)), 0, true);
  await host.drained();
  same("refused", refused(), wrong.length + 1);
  host.send(host.clients.frame(1, submitBytes({ ...good, areas: 2, area: 1, replicas: 4 }, data)), 0, true);
  await b.until(() => (host.verdicts["failed"] ?? 0) > 0);
  same("messages of mixed copies", host.sent["prepare"] ?? 0, 0);
  // Nearly messages.
  const frame = host.clients.frame(0, submitBytes(good, data)),
    change = (at: number, x: number): Uint8Array => frame.map((v, i) => (i === at ? v ^ x : v));
  for (const [at, x] of [
    [12, 1],
    [14, 1],
    [17, 1],
    [23, 3],
    [33, 1],
    [36, 1],
    [37, 1],
    [39, 1],
    [42, 1],
    [45, 1],
    [48, 1],
  ] as const)
    host.send(change(at, x), 0, false);
  host.send(frame, 0, false, 5);
  host.send(frame, 0, false, 35);
  host.send(frame, 0, false, 3, 58);
  host.send(frame.slice(0, frame.length - 7), 0, false);
  await host.drained();
  same("messages", host.sent["prepare"] ?? 0, 0);
  // More bytes behind than it says.
  const behind = run.submit(2, [0]);
  host.send(Uint8Array.from([...host.clients.areaFrame(behind, 0), ...new Uint8Array(200)]), 0, true);
  await host.finished();
  await run.rest(p.contexts);
}
/** Answers of others, of other messages and of before: none counts. */
export async function forgedRun(b: B, p: P, commits: number) {
  const run = await runOf(b, p, { lost: 0.1, delay: [100, 200] }),
    { host } = run;
  let forged = 0;
  host.onMade = (bytes, port) => {
    const { ethernet, ipv4, udp, clio, body } = dissect(bytes);
    if (clio?.opcode !== commitOpcode || !ethernet || !ipv4 || !udp || !body) return false;
    const n = ipv4.dst - nodeEndpoint(0).ip,
      kind = (clio.requestId >>> askKey.kind) & 7,
      view = new DataView(body.buffer, body.byteOffset),
      seq = view.getUint32(8, true),
      lane = view.getUint16(4, true);
    const say = (
      o: {
        readonly from?: number;
        readonly by?: number;
        readonly seq?: number;
        readonly id?: number;
        readonly to?: number;
      } = {},
      said: number = status.OK,
      extra = 0,
    ): void => {
      const answer = encode(commitAnswer, {
        ...{ verdict: 0, status: 0, state: kind === 1 ? states.committed : 0, held: 255, lane, owners: 7 },
        ...{ seq: o.seq ?? seq, replicas: 7, length: 0, va: 0n, parts: 1, marks: 1, owner: 0, floor: 0 },
        spare: new Uint8Array(32),
      });
      const from = nodeEndpoint(o.from ?? n),
        reply = replyFrame(
          from,
          { ethernet, ipv4, udp, clio: { ...clio, requestId: (clio.requestId ^ (o.id ?? 0)) >>> 0 }, native: true },
          commitReplyOpcode,
          said,
          extra > 0 ? Uint8Array.from([...answer, ...new Uint8Array(extra)]) : answer,
        );
      forged++;
      host.send(reply, o.by ?? port, said === status.OK && extra === 0);
    };
    const lie = b.random.between(0, 8);
    if (lie === 0) say({ from: (n + 1) % nodes });
    if (lie === 1) say({ by: port === 1 ? 2 : 1 });
    if (lie === 2) say({ seq: seq - 1 });
    if (lie === 3) say({ id: 1 << askKey.kind });
    if (lie === 4) say({ id: 1 << askKey.round });
    if (lie === 5) say({ id: 8 << askKey.context });
    if (lie === 6) say({ id: 8 << askKey.row });
    if (lie === 7) say({}, status.FAIL);
    if (lie === 8) say({}, status.OK, 64);
    return false;
  };
  await run.crowd(commits, 4, 4);
  if (forged < commits) fail("too few lies");
  await run.rest(p.contexts);
}
/** Nodes stop and start, with memory and without, one at a time. */
export async function nodesRun(
  b: B,
  p: P,
  commits: number,
  memory: "kept" | "zeroed",
  o: Partial<TaskHostOptions> = {},
) {
  const run = await runOf(b, p, { ...bad, ...o }),
    { host } = run;
  host.strict = false;
  let crashes = 0,
    ends = false;
  const crash = async (): Promise<void> => {
    while (!ends) {
      await b.cycles(b.random.between(200, 2500));
      const n = b.random.between(0, nodes - 1),
        node = host.nodes[n] ?? fail("no node");
      node.crash(memory);
      await b.cycles(b.random.between(1, 1500));
      if (memory === "kept") node.recover();
      else await host.rebuild(n, sourcesOf(n));
      crashes++;
    }
  };
  const crashing = crash();
  crashing.catch(() => undefined);
  await run.crowd(commits, 4, 4);
  ends = true;
  await crashing;
  if (crashes < 3) fail(`only ${crashes} crashes`);
  for (const k of run.known) same(`commit ${k.id}`, k.verdict, "done");
  await run.rest(p.contexts);
}
/** One commit, and a node is lost so many cycles behind its beginning; the next, and it is lost later. */
export async function lossSweepRun(b: B, p: P, memory: "kept" | "zeroed", step: number) {
  const run = await runOf(b, p, { clientTimeout: 4000, delay: [40, 120] }),
    { host } = run;
  host.strict = false;
  for (let at = 60, i = 0; at < 1300; at += step, i++) {
    const s = run.submit(i % 4, [0, 1, 3, 4, 5]),
      n = i % nodes,
      node = host.nodes[n] ?? fail("no node");
    await b.cycles(at);
    node.crash(memory);
    await b.cycles(b.random.between(1, 400));
    if (memory === "kept") node.recover();
    else await host.rebuild(n, sourcesOf(n));
    await host.finished();
    same("a commit", s.verdict, "done");
    await host.drained();
    for (const i of [0, 1, 3, 4, 5])
      for (const at of [ownerOf(i), replicaOf(i)]) same(`area ${i} at node ${at}`, run.shownAt(at, i), run.newest);
  }
  await run.rest(p.contexts);
}
const sourcesOf = (n: number): [bigint, number, number][] =>
  Array.from({ length: areas }, (_, i) => i)
    .filter(i => ownerOf(i) === n || replicaOf(i) === n)
    .map(i => [vaOf(i), bytesOf(i), ownerOf(i) === n ? replicaOf(i) : ownerOf(i)]);

/** Memory of a node says no for a while: the commit fails, nothing of it stays, and the next one is done. */
export async function failRun(b: B, p: P) {
  const run = await runOf(b, p),
    { host } = run;
  for (let n = 0; n < nodes; n++) {
    await host.drained();
    const node = host.nodes[n] ?? fail("no node"),
      from = node.memory.accesses;
    // The first write of its log.
    node.memory.refuses = at => at === from;
    const s = run.submit(n, [n, (n + 1) % nodes]);
    await host.finished();
    same(`with node ${n}`, s.verdict, "failed");
    const before = host.verdicts["failed"] ?? 0;
    host.clients.ask(s, [0]);
    await b.until(() => (host.verdicts["failed"] ?? 0) > before);
    const next = run.submit(n, [n, (n + 1) % nodes]);
    await host.finished();
    same("the next one", next.verdict, "done");
  }
  await host.drained();
  // A single owner whose log is whole is tried again until memory serves it.
  const node = host.nodes[0] ?? fail("no node"),
    from = node.memory.accesses;
  node.memory.refuses = at => at >= from + 3 && at < from + 6;
  const s = run.submit(5, [0]);
  await host.finished();
  same("a single owner", s.verdict, "done");
  await run.rest(p.contexts);
}
/** The task is reset beside traffic, again and again; the director ends what it had begun. */
export async function resetsRun(b: B, p: P, resets: number) {
  const run = await runOf(b, p, { delay: [20, 200], clientTimeout: 3000 }),
    { host } = run;
  host.strict = false;
  for (let i = 0; i < resets; i++) {
    for (let c = 0; c < 4; c++) run.submit(c, run.random(4));
    await b.cycles(b.random.between(10, 1200));
    await host.reset();
    await host.finished();
  }
  await run.rest(p.contexts);
}
/** Nothing leaves for a while: packets are answered all the same, and then all is as it was. */
export async function heldRun(b: B, p: P) {
  const held = { now: false },
    run = await runOf(b, p, { pause: s => (s === "make" ? () => held.now : () => false), clientTimeout: 4000 }),
    { host } = run;
  for (let c = 0; c < 2; c++) run.submit(c, [c, c + 2, c + 4]);
  await b.cycles(120);
  held.now = true;
  const before = host.answers.length;
  const other = udpFrame(
    taskClient(9),
    { ...taskOwn, port: udpPorts.native },
    clioMessage({ pid: taskPid, opcode: 0x40, requestId: 1 }, new Uint8Array(300)),
  );
  for (let i = 0; i < 40; i++) {
    host.send(other, 0, false);
    for (const s of run.known) host.clients.ask(s, [0]);
  }
  await b.cycles(40 * 3 * 60);
  if (host.answers.length < before + 120) fail(`only ${host.answers.length - before} packets are answered`);
  held.now = false;
  await host.finished();
  await run.rest(p.contexts);
}
/** Packets beside commits, and alone. @returns cycles of the slowest answer of each kind */
export async function ratesRun(b: B, p: P) {
  const run = await runOf(b, p, { delay: [20, 60] }),
    { host } = run;
  await run.crowd(20, 4, 5);
  const most = (mine: boolean): number => Math.max(0, ...host.answers.filter(a => a.mine === mine).map(a => a.cycles));
  const other = udpFrame(
    taskClient(9),
    { ...taskOwn, port: udpPorts.native },
    clioMessage({ pid: taskPid, opcode: 0x40, requestId: 1 }, new Uint8Array(2)),
  );
  await host.drained();
  const alone: number[] = [];
  for (let i = 0; i < 5; i++) {
    const before = host.answers.length;
    host.send(other, 0, false);
    await b.until(() => host.answers.length > before);
    alone.push(host.answers.at(-1)?.cycles ?? Number.NaN);
  }
  const busy = most(true);
  await run.rest(p.contexts);
  return { busy, alone: Math.max(...alone) };
}
