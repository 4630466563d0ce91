/** Runs of the engine as a task of the SmartNIC, for its bench and for faults that are planted in it. */
import { ModelMemory } from "../../../../../designs/clio/model/index.ts";
import {
  accessBody,
  clioMessage,
  dissect,
  opcode,
  replyCode,
  replyFrame,
  status,
} from "../../../../../designs/clio/wire/index.ts";
import { concat, decode, encode, type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { usualEngine } from "../../../../../designs/wickit/config/index.ts";
import { runWic, type WicCall } from "../../../../../designs/wickit/model/index.ts";
import { SnicWic } from "../../../../../designs/wickit/places/index.ts";
import { assemble } from "../../../../../designs/wickit/program/index.ts";
import {
  bytesOfWords,
  clioMemory,
  snicClient,
  SnicHost,
  type SnicHostOptions,
  snicNode,
  type SnicPorts,
  wicRequestBody,
  wordsOfBytes,
} from "../../../../../designs/wickit/rig/index.ts";
import { slotHash, snicTick } from "../../../../../designs/wickit/wire/index.ts";
import { type Bench, bernoulli } from "../../../../../sim/index.ts";
import { example, listWords, nodes, requestsFor } from "../../support/programs.ts";

export type B = Bench<SnicPorts>;
export const base = 0x10_0000n,
  pid = 7,
  life = 24;
/** Fewer slots and contexts than clients have requests; and the usual ones. */
export const small = { slots: 16, engine: { ...usualEngine, contexts: 4, maxInFlight: 3, mostSteps: 3000 } },
  usual = { slots: 64, engine: { ...usualEngine, mostSteps: 3000 } };
export const smallDut = SnicWic(small),
  usualDut = SnicWic(usual);
/**
 * Program 0 adds and says what was there; 1 loops for ever; 2 leaves its memory; 3 gives eight words; 4 none; 5 what it
 * was asked.
 */
export const image = assemble(`
.program add
  base r1
  faa r0, [r1]
  reply r0, 1
.program forever
loop: addi r1, r1, 1
  jmp loop
.program outside
  load r0, [r0], 1
  reply r0, 1
.program echo
  base r15
  store r0, [r15 + 1024], 8
  load r8, [r15 + 1024], 8
  reply r8, 8
.program nothing
  reply r0, 0
.program say
  base r15
  load r15, [r15], 1
  reply r0, 8
`).instructions;
export const bad: Partial<SnicHostOptions> = {
  ...{ loss: 0.08, duplicate: 0.1, corrupt: 0.04, busy: 0.05, jitter: 150 },
  ...{ clientLoss: 0.08, clientDuplicate: 0.1, clientTimeout: 3000 },
};

export function fail(what: string): never {
  throw new Error(what);
}
export const same = (what: string, is: unknown, should: unknown): void => {
  if (String(is) !== String(should)) fail(`${what} is ${String(is)}, not ${String(should)}`);
};
export const readyMemory = (): ModelMemory => {
  const m = new ModelMemory();
  m.map(pid, base, 4096);
  return m;
};
export function hostOf(b: B, o: Partial<SnicHostOptions> = {}) {
  const memory = readyMemory();
  return { memory, host: new SnicHost(b, { base, pid, memory, latency: 60, timeout: 600, life, ...o }) };
}
const add: WicCall = { program: 0, words: [1n] };
/**
 * All is back: nothing is inside, and when no reply is kept any more as many requests as there are contexts find one,
 * each at once.
 */
export async function atRest(b: B, host: SnicHost, contexts: number): Promise<void> {
  await host.drained();
  await b.cycles(2 * life * snicTick + 10);
  const client = host.client(0),
    busy = client.busy,
    replies = await host.all(
      Array.from({ length: contexts }, () => add),
      1,
    );
  if (replies.some(r => r.status !== status.OK)) fail("a request fails at the end");
  same("BUSY at the end", client.busy, busy);
  await host.drained();
}

/** Each example against the interpreter, one request after the other. */
export async function examplesRun(b: B, p: typeof usual, requests: number, o: Partial<SnicHostOptions> = {}) {
  const { memory, host } = hostOf(b, o),
    twin = readyMemory();
  for (const name of ["list", "log", "kv"] as const) {
    const code = example(name).instructions;
    for (const m of [memory, twin]) {
      m.store(pid, base, new Uint8Array(1024));
      if (name === "list") m.store(pid, base, bytesOfWords(listWords(base, nodes)));
    }
    await host.load(code);
    for (const call of requestsFor(name, b.random, requests)) {
      const expected = runWic({ ...p.engine, image: code, base }, call, clioMemory(twin, pid)),
        got = await host.call(call);
      same(`${name} ${call.program} ${call.words.join()}`, [got.status, got.words], [expected.status, expected.words]);
    }
    same("memory", memory.load(pid, base, 4096), twin.load(pid, base, 4096));
  }
  await host.load(image);
  await atRest(b, host, p.engine.contexts);
  return host;
}

/** Many additions at once, of several clients, on bad networks on both sides: each is done once, and told the same. */
export async function additionsRun(b: B, p: typeof usual, count: number, o: Partial<SnicHostOptions> = {}) {
  const { host, memory } = hostOf(b, { clients: 3, ...bad, clientTimeout: 900, ...o });
  await host.load(image);
  const replies = await host.all(Array.from({ length: count }, () => add));
  same("replies", new Set(replies.map(r => r.status)).size, 1);
  same(
    "what was there",
    replies.map(r => Number(r.words[0])).sort((x, y) => x - y),
    replies.map((_, i) => i),
  );
  same("memory", memory.loadWord(pid, base), count);
  await atRest(b, host, p.engine.contexts);
  return host;
}

/** A reply is kept for one life to two: who asks again meanwhile gets it, later the program runs anew. */
export async function keepsRun(b: B) {
  const { host, memory } = hostOf(b),
    client = host.client(0),
    almost = life * snicTick - 600;
  await host.load(image);
  const asksAgain = async (first: number, wait: number): Promise<void> => {
    await b.cycles(wait);
    const before = client.doubled;
    client.again(first);
    await b.until(() => client.doubled > before);
    same("the request that is answered", client.answered, client.asked);
    await host.drained();
  };
  await host.call(add);
  const first = client.newest;
  for (const wait of [10, 300, almost, almost, almost]) {
    await asksAgain(first, wait);
    same(`additions after ${wait} cycles`, memory.loadWord(pid, base), 1);
  }
  // One that is asked twice while it runs is done once, and answered once, by the newer number.
  const running = host.call(add);
  // A bench that ends before it is awaited fails for its own reason.
  running.catch(() => undefined);
  await b.cycles(60);
  const before = client.doubled;
  client.again(client.newest);
  await running;
  same("the request that is answered", client.answered, client.asked);
  await host.drained();
  same("doubled replies of one that runs", client.doubled, before);
  same("additions", memory.loadWord(pid, base), 2);
  // Forgotten: it runs anew, and is kept as long as the first time.
  await b.cycles(2 * life * snicTick);
  const replies: Uint8Array[] = [],
    told = host.onMade;
  host.onMade = (bytes, port) => (port === 0 ? replies.push(bytes) : told(bytes, port));
  for (const wait of [0, almost]) {
    await b.cycles(wait);
    const count = replies.length;
    host.send(askFrame(add, { requestId: (first + 1000) >>> 0, flagRetry: 1, retryOf: first }), 0);
    await b.until(() => replies.length > count);
    await host.drained();
    same("additions of one that is forgotten", memory.loadWord(pid, base), 3);
  }
  host.onMade = told;
  await atRest(b, host, usual.engine.contexts);
}

/**
 * Few slots for many operations, and replies that are kept for no time or a short one: slots end, expire, are asked for
 * again and are taken in the same cycles. Frames cannot leave now and then, so replies wait for longer than their life.
 */
export async function crowdRun(b: B, keep: number, requests: number) {
  const { random: r } = b,
    held = { until: 0 },
    { host } = hostOf(b, {
      ...{ life: keep, latency: 20, clientTimeout: 1_000_000 },
      pause: s => (s === "make" ? () => b.cycle < held.until : () => false),
    }),
    told = host.onMade,
    asked = new Map<number, { readonly first: number; readonly call: WicCall }>();
  let served = 0;
  await host.load(image);
  host.onMade = (bytes, port) => {
    if (port !== 0) {
      told(bytes, port);
      return;
    }
    const { clio, body } = dissect(bytes),
      of = asked.get(clio?.requestId ?? 0);
    if (!of) fail(`a reply to ${clio?.requestId}`);
    if (clio?.status === status.BUSY) return;
    same(`the status of ${of.first}`, clio?.status, status.OK);
    same(`the words of ${of.first}`, wordsOfBytes(body ?? new Uint8Array()), of.call.words);
    served++;
  };
  let id = 0x6000_0000,
    newest: { readonly first: number; readonly call: WicCall }[] = [];
  for (let i = 0; i < requests; i++) {
    const again = newest.length > 0 && r.chance(0.5),
      number = id++,
      // Of the echo: its words are its own.
      of = again
        ? r.pick(newest)
        : { first: number, call: { program: 5, words: Array.from({ length: 8 }, (_, w) => BigInt(8 * i + w)) } };
    asked.set(number, of);
    newest = [...newest, of].slice(-6);
    host.send(askFrame(of.call, { requestId: number, ...(again && { flagRetry: 1, retryOf: of.first }) }), 0);
    if (r.chance(0.05)) held.until = b.cycle + r.between(1, 900);
    await b.cycles(r.pick([0, 1, 5, 20, r.between(20, 2 * snicTick)]));
  }
  held.until = 0;
  await host.drained();
  if (served < requests / 8) fail(`only ${served} of ${requests} served`);
  host.onMade = told;
  await atRest(b, host, small.engine.contexts);
}

/**
 * Each cycle around the end of a life: a slot that was used before ends in it, and who asks for a kept reply comes in
 * it. Lives of one unit end each other tick; which ones is not known here, so both are tried.
 */
export async function edgesRun(b: B) {
  const { host } = hostOf(b, { life: 1, latency: 20 }),
    told = host.onMade,
    period = 2 * snicTick,
    got: Uint8Array[] = [],
    words = Array.from({ length: 8 }, (_, w) => BigInt(w + 1));
  await host.load(image);
  host.onMade = (bytes, port) => (port === 0 ? got.push(bytes) : told(bytes, port));
  const at = async (phase: number): Promise<void> => {
      await b.cycles((((phase - b.cycle) % period) + period) % period);
    },
    ask = async (requestId: number, of?: number): Promise<void> => {
      host.send(
        askFrame({ program: 5, words }, { requestId, ...(of !== undefined && { flagRetry: 1, retryOf: of }) }),
        0,
      );
      await b.until(() => got.length > 0);
      for (const bytes of got.splice(0)) {
        const { clio, body } = dissect(bytes);
        same(`the status of ${requestId}`, [clio?.requestId, clio?.status], [requestId, status.OK]);
        same(`the words of ${requestId}`, wordsOfBytes(body ?? new Uint8Array()), words);
      }
    };
  // All of them in one slot.
  for (let number = 0x7000_0000, begins = -90; begins < 0; begins++)
    for (const tick of [0, snicTick]) {
      number += small.slots;
      await at(tick + begins);
      await ask(number);
      // By then it is old, and this life's end is its own.
      await b.cycles(period);
      await at(tick - 30 + ((begins + 90) >> 1));
      await ask(number + (1 << 20), number);
      await b.cycles(3 * period);
    }
  await host.drained();
  host.onMade = told;
  await atRest(b, host, small.engine.contexts);
}

/**
 * Replies are kept no longer than they are sent (life 0): who comes for a slot whose reply waits, or is being read, is
 * BUSY, and no reply has another's words. Each cycle around the sending is tried.
 */
export async function crossingRun(b: B) {
  const held = { now: false },
    { host } = hostOf(b, { life: 0, latency: 20, pause: s => (s === "make" ? () => held.now : () => false) }),
    told = host.onMade,
    slots = usual.slots,
    got: Uint8Array[] = [];
  await host.load(image);
  await host.call(add);
  host.onMade = (bytes, port) => (port === 0 ? got.push(bytes) : told(bytes, port));
  let number = 0x5000_0000;
  const echo = (id: number): WicCall => ({
      program: 5,
      words: Array.from({ length: 8 }, (_, i) => BigInt(id * 8 + i)),
    }),
    ask = (id: number): void => void host.send(askFrame(echo(id), { requestId: id }), 0),
    check = (ids: readonly number[], busy: readonly number[]): void => {
      for (const bytes of got.splice(0)) {
        const { clio, body } = dissect(bytes),
          id = clio?.requestId ?? 0;
        if (clio?.status === status.BUSY && busy.includes(id)) continue;
        same(`the status of ${id}`, clio?.status, status.OK);
        if (!ids.includes(id)) fail(`a reply to ${id}`);
        same(`the words of ${id}`, wordsOfBytes(body ?? new Uint8Array()), echo(id).words);
      }
    };
  ask(number);
  const from = b.cycle;
  await b.until(() => got.length > 0);
  const usually = b.cycle - from;
  check([number], []);
  for (let early = -4; early < 60; early++) {
    number += 4 * slots;
    const later = number + slots;
    ask(number);
    await b.cycles(usually - early);
    ask(later);
    await b.until(() => got.length >= 2);
    await host.drained();
    check([number, later], [later]);
  }
  // Behind a reply that cannot leave another one waits, and for its slot a third comes.
  number += 4 * slots;
  held.now = false;
  const last = number + 1,
    third = last + slots;
  ask(number);
  ask(last);
  await b.cycles(usually - 30);
  held.now = true;
  await b.cycles(400);
  ask(third);
  await b.cycles(200);
  held.now = false;
  await b.until(() => got.length >= 3);
  await host.drained();
  check([number, last, third], [third]);
  host.onMade = told;
  await host.drained();
}

interface AskFields {
  readonly pid?: number;
  readonly opcode?: number;
  readonly flagTracked?: number;
  readonly flagRetry?: number;
  readonly retryOf?: number;
  readonly requestId?: number;
  readonly body?: Uint8Array;
}
/** A request of client 0, or of another one, right or not. */
export const askFrame = (call: WicCall, { body, ...f }: AskFields = {}, from: Endpoint = snicClient(0)): Uint8Array =>
  udpFrame(
    from,
    snicNode,
    clioMessage(
      { pid, opcode: opcode.WIC, flagTracked: 1, requestId: 0x5000_0000, tag: 9, seqId: 3, ...f },
      body ?? wicRequestBody(call),
    ),
  );

/** As many requests at once as there are contexts and more: BUSY for some, and each is served in the end. */
export async function fullRun(b: B, p: typeof usual) {
  const { host } = hostOf(b, { clientTimeout: 2500, latency: 400 }),
    client = host.client(0);
  await host.load(image);
  const many = p.engine.contexts + 9,
    replies = await host.all(Array.from({ length: many }, () => add));
  same(
    "sums",
    replies.map(r => Number(r.words[0])).reduce((x, y) => x + y, 0),
    (many * (many - 1)) / 2,
  );
  if (client.busy < 9) fail(`BUSY only ${client.busy} times`);
  await b.cycles(2 * life * snicTick + 10);
  const answers: (readonly [number, number])[] = [],
    told = host.onMade;
  host.onMade = (bytes, port) => {
    const { clio, body } = dissect(bytes);
    if (port === 0 && clio) answers.push([clio.status, body?.length ?? 0]);
    else told(bytes, port);
  };
  const asks = async (number: number, from: Endpoint): Promise<void> => {
    const before = answers.length;
    host.send(askFrame(add, { requestId: number }, from), 0);
    await b.until(() => answers.length > before);
    await b.cycles(20);
  };
  // Who shares a slot waits until its reply is forgotten, and learns nothing of it: by number, port and address alone.
  const bits = Math.log2(p.slots),
    number = 0x5000_0000,
    one = snicClient(0);
  const slotOf = (n: number, from: Endpoint): bigint =>
    slotHash(bits)(
      (BigInt.asUintN(bits, BigInt(n)) << 48n) | (BigInt(from.port) << 32n) | BigInt.asUintN(32, BigInt(from.ip)),
    );
  const find = <T>(of: (i: number) => T, slot: (t: T) => bigint): T => {
    for (let i = 1; ; i++) if (slot(of(i)) === slotOf(number, one)) return of(i);
  };
  const others: readonly (readonly [number, Endpoint])[] = [
    [number + p.slots, one],
    [
      number,
      find(
        i => ({ ...one, port: one.port + i }),
        e => slotOf(number, e),
      ),
    ],
    [
      number,
      find(
        i => ({ ...one, ip: one.ip + i }),
        e => slotOf(number, e),
      ),
    ],
  ];
  for (const [n, from] of others) {
    answers.length = 0;
    await asks(number, one);
    await asks(n, from);
    await b.cycles(2 * life * snicTick + 10);
    await asks(n, from);
    same("answers of one slot", answers.join(" "), "0,8 6,0 0,8");
    await b.cycles(2 * life * snicTick + 10);
  }
  host.onMade = told;
  await atRest(b, host, p.engine.contexts);
}

/** A client whose replies of so many words need the last carry of their checksum: the sum folds twice. */
function carryingClient(words: number): Endpoint {
  const halves = (ip: number): number => (ip >>> 16) + (ip & 0xffff);
  for (let low = 0; low < 0x10000; low++) {
    const ip = 0xc0a8_0000 + low,
      sum = 0x4500 + 0x4000 + 0x4011 + 44 + 8 * words + halves(snicNode.ip) + halves(ip);
    if ((sum & 0xffff) + (sum >>> 16) > 0xffff) return { ...snicClient(0), ip };
  }
  return fail("no client's replies carry twice");
}

/** Requests that are none, programs that are none, that leave their memory, and that never end. */
export async function hostileRun(b: B, p: typeof usual) {
  const { host, memory } = hostOf(b, { latency: 30 });
  await host.load(image);
  const told = host.onMade,
    answers: number[] = [];
  host.onMade = (bytes, port) => {
    const parts = dissect(bytes),
      { clio } = parts;
    if (port !== 0 || !clio || clio.requestId !== 0x5000_0000) {
      told(bytes, port);
      return;
    }
    answers.push(clio.status);
    const { ethernet, ipv4, udp, clio: asked } = dissect(askFrame(add, {}));
    if (!ethernet || !ipv4 || !udp || !asked) fail("no frame");
    const expected = replyFrame(
      snicNode,
      { ethernet, ipv4, udp, clio: { ...asked, flagTracked: clio.flagTracked }, native: true },
      opcode.WIC,
      status.MALFORMED,
    );
    same("a refusal", Buffer.from(bytes).toString("hex"), Buffer.from(expected).toString("hex"));
  };
  const good = wicRequestBody(add);
  const wrong: readonly AskFields[] = [
    { body: new Uint8Array() },
    { body: good.slice(0, 7) },
    { body: good.slice(0, 15) },
    { body: new Uint8Array(8 + 72) },
    { body: new Uint8Array(1400) },
    { flagTracked: 0 },
  ];
  for (const w of wrong) {
    const before = answers.length;
    host.send(askFrame(add, w), 0);
    await b.until(() => answers.length > before);
    const [got] = await host.all([add]);
    same("the next request", got?.status, status.OK);
  }
  same(
    "answers",
    answers,
    wrong.map(() => status.MALFORMED),
  );
  host.onMade = told;
  const ends: readonly (readonly [WicCall, number])[] = [
    [{ program: 1, words: [] }, status.QUOTA],
    [{ program: 2, words: [base + 4096n] }, status.INVALID],
    [{ program: 2, words: [0n] }, status.INVALID],
    [{ program: 9, words: [] }, status.MALFORMED],
    [{ program: 16, words: [1n] }, status.MALFORMED],
    [{ program: 0xffff, words: [1n] }, status.MALFORMED],
    [{ program: 4, words: [] }, status.OK],
  ];
  for (const [call, code] of ends) same(`program ${call.program}`, (await host.call(call)).status, code);
  const words = Array.from({ length: 8 }, (_, i) => 0x0123_4567_89ab_cd00n + BigInt(i) * 0x0101_0101_0101_0101n);
  same("eight words", (await host.call({ program: 3, words })).words, words);
  // A client whose replies' checksum carries twice, and more bytes behind a request than it says.
  const carrying = carryingClient(8),
    frame = askFrame({ program: 3, words }, {}, carrying),
    whole: Uint8Array[] = [];
  host.onMade = (bytes, port) => (port === 0 ? whole.push(bytes) : told(bytes, port));
  for (const behind of [0, 40, 400]) {
    host.send(concat(frame, new Uint8Array(behind)), 0);
    await b.until(() => whole.length > 0);
    const { ethernet, ipv4, udp, clio } = dissect(frame);
    if (!ethernet || !ipv4 || !udp || !clio) fail("no frame");
    const expected = replyFrame(
      snicNode,
      { ethernet, ipv4, udp, clio, native: true },
      replyCode(opcode.WIC),
      status.OK,
      bytesOfWords(words),
    );
    same("a reply", Buffer.from(whole.shift() ?? []).toString("hex"), Buffer.from(expected).toString("hex"));
  }
  host.onMade = told;
  same("additions", memory.loadWord(pid, base), wrong.length);
  await atRest(b, host, p.engine.contexts);
}

/** A frame in which something is not as it was. */
function mutated(b: B, frame: Uint8Array): Uint8Array {
  const out = frame.slice(),
    changes = b.random.between(0, 2);
  for (let i = 0; i < changes; i++) {
    const at = b.random.pick([12, 14, 15, 16, 17, 23, 26, 29, 33, 34, 35, 36, 37, 38, 39, 42, 43, 45, 46, 48, 49, 60]);
    out[at] = b.random.chance(0.5) ? b.random.between(0, 255) : (out[at] ?? 0) ^ (1 << b.random.between(0, 7));
  }
  return b.random.chance(0.2) ? out.slice(0, b.random.between(60, out.length)) : out;
}
/**
 * Frames of every kind that are nearly right, of any user and by any port, between requests of a client: each has the
 * verdict that the model gives, and the client notices nothing. The node gets no frame that a client has not asked for.
 */
export async function strangersRun(b: B, p: typeof usual, count: number, o: Partial<SnicHostOptions> = {}) {
  const { host, memory } = hostOf(b, { clientTimeout: 3000, ...o }),
    told = host.onMade;
  await host.load(image);
  const strange = { ip: 0xc0a8_0a55, mac: 0x02_00_00_00_09_99n, port: 999 },
    own = { mac: 0x02_00_00_00_00_11n, ip: 0xc0a8_6fec, port: 4711 };
  let foreign = 0,
    refused = 0;
  host.onMade = (bytes, port) => {
    const parts = dissect(bytes),
      { ethernet, ipv4, udp, clio } = parts,
      toNode = port === 1 && ipv4?.src === own.ip,
      toClient = port === 0 && ipv4?.dst === snicClient(0).ip && udp?.dstPort === snicClient(0).port;
    if (toNode || toClient) told(bytes, port);
    else if (clio?.status === status.OK) foreign++;
    else refused++;
    // Before the node, another user and another port say what it would, with another value.
    if (!toNode || !ethernet || !udp || !clio || clio.opcode === opcode.FENCE) return;
    const { va, length } = decode(accessBody, parts.body ?? new Uint8Array()),
      body = concat(encode(accessBody, { va, length }), new Uint8Array(8).fill(0x77)),
      forged = replyFrame(snicNode, { ethernet, ipv4, udp, clio, native: true }, 0x41, status.OK, body);
    const [user, from] = b.random.pick([
      [5, 1],
      [3, 0],
      [3, 9],
      [35, 1],
    ] as const);
    host.send(forged, from, user);
  };
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const user = b.random.chance(0.6) ? 3 : b.random.pick([0, 2, 19, 35]),
      port = b.random.pick([0, 1, 1, 2, 8]);
    const request = udpFrame(
        strange,
        snicNode,
        clioMessage(
          // Nothing that it could change: the program says what it was given.
          { pid: b.random.chance(0.8) ? pid : 8, opcode: opcode.WIC, flagTracked: 1, requestId: i },
          wicRequestBody({
            program: 4,
            words: Array.from({ length: b.random.between(0, 8) }, () => b.random.bits(64)),
          }),
        ),
      ),
      reply = udpFrame(
        snicNode,
        own,
        clioMessage(
          {
            pid,
            opcode: b.random.pick([0x41, 0x51, 0x4b]),
            tag: b.random.between(0, 17),
            flagTracked: 1,
            requestId: i,
          },
          new Uint8Array(b.random.between(0, 90)),
        ),
      );
    const frame = mutated(b, b.random.pick([request, request, reply]));
    host.send(frame, port, user, b.random.chance(0.9) ? 64 : b.random.between(58, 63));
    if (i % 8 !== 0) continue;
    const [got] = await host.all([add]);
    same("an addition", [got?.status, got?.words], [status.OK, sum++]);
  }
  same("additions", memory.loadWord(pid, base), sum);
  await host.drained();
  host.onMade = told;
  await atRest(b, host, p.engine.contexts);
  return { foreign, refused, passed: host.answers.filter(a => a.verdict === "forward").length };
}

/** A node that is silent, then one that answers: accesses end, and the others go on. */
export async function silentRun(b: B, p: typeof usual) {
  const { host } = hostOf(b, { tries: 3, timeout: 300, latency: 40 });
  await host.load(image);
  same("an addition", (await host.call(add)).status, status.OK);
  host.node.silent = true;
  const from = b.cycle,
    replies = await host.all(Array.from({ length: p.engine.contexts }, () => add)),
    waited = b.cycle - from;
  same("who waits for nobody", new Set(replies.map(r => r.status)).size, 1);
  same("it ends as", replies[0]?.status, status.EXPIRED);
  const rounds = Math.ceil(p.engine.contexts / p.engine.maxInFlight);
  if (waited < 900 * rounds || waited > 900 * rounds + 60 * p.engine.contexts) fail(`it takes ${waited} cycles`);
  host.node.silent = false;
  same("an addition", (await host.call(add)).status, status.OK);
  await atRest(b, host, p.engine.contexts);
}

/** Resets in the middle of traffic: nothing of before comes later, and clients are served anew. */
export async function resetsRun(b: B, p: typeof usual, resets: number) {
  const { host } = hostOf(b, { clients: 2, latency: 150, jitter: 80 });
  await host.load(image);
  for (let i = 0; i < resets; i++) {
    for (let k = 0; k < 6; k++) void host.client(k % 2).call(add, b.cycle);
    await b.cycles(b.random.between(30, 900));
    host.reset();
    // What the node still says comes before, or behind, the words that begin the work.
    if (b.random.chance(0.5)) await b.cycles(b.random.between(0, 300));
    await host.load(image);
    const replies = await host.all([add, add, add]);
    same("after a reset", new Set(replies.map(r => r.status)), new Set([status.OK]));
    same("one after the other", new Set(replies.map(r => r.words[0])).size, 3);
  }
  await atRest(b, host, p.engine.contexts);
}

/** A reset in each of the cycles before a reply leaves: nothing of it comes later. */
export async function resetSweepRun(b: B, p: typeof usual) {
  const { host } = hostOf(b, { latency: 30 }),
    words = Array.from({ length: 8 }, (_, i) => BigInt(i)),
    call: WicCall = { program: 5, words };
  await host.load(image);
  await host.call(call);
  const { taken, replied } = await host.call(call);
  for (let early = -3; early < 45; early++) {
    void host.client(0).call(call, b.cycle);
    await b.cycles(replied - taken - early);
    host.reset();
    await host.load(image);
    const got = await host.call(call);
    same("the reply after a reset", [got.status, got.words], [status.OK, words]);
    await host.drained();
  }
  await atRest(b, host, p.engine.contexts);
}

/** Nothing leaves for a while: packets are answered all the same, and then all is as it was. */
export async function heldRun(b: B, p: typeof usual) {
  const held = { now: false },
    { host } = hostOf(b, {
      latency: 80,
      timeout: 900,
      clientTimeout: 4000,
      pause: stream => (stream === "make" ? () => held.now : () => false),
    });
  await host.load(image);
  const first = host.all(Array.from({ length: 6 }, () => add));
  first.catch(() => undefined);
  await b.cycles(150);
  held.now = true;
  const before = host.answers.length;
  for (let i = 0; i < 40; i++) {
    host.send(askFrame(add, { requestId: 0x6000_0000 + i, ...(i % 2 === 0 ? {} : { flagTracked: 0 }) }), 0);
    host.send(askFrame(add, { pid: 8 }), 0);
  }
  const told = host.onMade;
  host.onMade = (bytes, port) => {
    if (port === 1 || (dissect(bytes).clio?.requestId ?? 0) > 0xff00_0000) told(bytes, port);
  };
  await b.cycles(40 * 2 * 30);
  if (host.answers.length < before + 80) fail(`only ${host.answers.length - before} packets are answered`);
  held.now = false;
  await first;
  await host.drained();
  host.onMade = told;
  await atRest(b, host, p.engine.contexts);
}
export const pauses = (b: B, probability: number): Partial<SnicHostOptions> => ({
  pause: () => bernoulli(probability, b.random.word()),
});
