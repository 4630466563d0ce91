/** What a client gives the SuperNIC task that commits for it, and how software configures that task. */
import { big, concat, decode, type Decoded, encode, layout, num, raw } from "../../shared/wire/index.ts";

/** Kinds of a client's messages, beside those of a node's. */
export const submitKinds = { area: 0x10, owes: 0x11 } as const;

/**
 * One area of a commit, and its data behind. It is as long as the head of a PREPARE, so the data lie in a frame as they
 * leave in the messages to the nodes.
 */
export const submitHead = layout("submitHead", "area of a commit", "le", {
  kind: num(8, "16: an area of a commit; 17: does any commit owe `owner` anything?", "dec", {
    [submitKinds.area]: "area",
    [submitKinds.owes]: "owes",
  }),
  area: num(8, "which of them"),
  areas: num(8, "areas of the commit, at all owners"),
  owner: num(8, "the node that owns the page"),
  spare: raw(32, "any"),
  number: num(32, "the client's number of the commit: each one newer than the one before"),
  replicas: num(16, "nodes that have copies, a bit each", "hex"),
  length: num(16, "bytes of the area"),
  va: big(64, "address of the area"),
  rest: raw(320, "any"),
});
export const submitBytes = (h: Omit<Decoded<typeof submitHead>, "spare" | "rest" | "length">, data: Uint8Array) =>
  concat(encode(submitHead, { ...h, length: data.length, spare: new Uint8Array(4), rest: new Uint8Array(40) }), data);
export const submitOf = (body: Uint8Array) => ({
  ...decode(submitHead, body.subarray(0, submitHead.bytes)),
  data: body.slice(submitHead.bytes),
});

/** Areas of a commit at the task, at all owners together, and nodes that it knows. */
export const taskAreas = 8,
  taskNodes = 16;
/** Of the words of configuration. Node `n` has two: its MAC and port, then its address. `work` is written last. */
export const taskPlaces = {
  node: (n: number): number => 2 * n,
  address: (n: number): number => 2 * n + 1,
  ownMac: 0x40,
  own: 0x41,
  numbers: 0x42,
  /** A node was lost and is made anew, or has opened. */
  told: 0x43,
  work: 0x44,
} as const;
/** Lowest bits of the fields of those words. */
export const taskRows = {
  nodePort: 48,
  nodeOn: 32,
  own: { ip: 0, port: 32, pid: 48 },
  numbers: { first: 0, lane: 32 },
  told: { node: 0, lost: 4 },
  work: { timeout: 0, backoff: 16, life: 32, user: 48, on: 54 },
} as const;
/** Cycles of a unit of timeout, backoff and life, and their bits. */
export const taskTick = 64,
  taskTimeBits = 16;
/** Parts of the number of a request to a node; the rest is the low end of the commit's. */
export const askKey = { context: 0, node: 4, row: 8, kind: 12, round: 15, seq: 19 } as const;
/** Rows of what is awaited: one for each area, one for the owners, one for the copies' FORGETs. */
export const ownersRow = taskAreas,
  copiesRow = taskAreas + 1;

/** What software tells the task. */
export interface CommitTaskConfig {
  /** Without a node's row it is unknown, and commits with it are refused. */
  readonly nodes: readonly { readonly mac: bigint; readonly ip: number; readonly port: number }[];
  /** As whom the task asks, and where clients find it. */
  readonly own: { readonly mac: bigint; readonly ip: number; readonly port: number };
  /** Whose packets are taken, whose pages and lanes they are. */
  readonly user: number;
  readonly pid: number;
  /** Number of a lane's first commit: above all that the lane has had. */
  readonly first: number;
  /** Lane of context 0; the others have those behind it. */
  readonly lane: number;
  /**
   * In units of 64 cycles, 1 to 65,535: what is unanswered is sent again after one to two of them; the shortest wait
   * before another try; and how long answers are kept, and commits of which areas are missing.
   */
  readonly timeout: number;
  readonly backoff: number;
  readonly life: number;
}
const at = (n: number | bigint, bit: number): bigint => BigInt(n) << BigInt(bit);
export interface TaskWord {
  readonly at: number;
  readonly data: bigint;
}
/** The words that begin the work. */
export function taskWords(c: CommitTaskConfig): readonly TaskWord[] {
  const { own, numbers, work } = taskRows;
  return [
    ...c.nodes.flatMap(({ mac, ip, port }, n) => [
      { at: taskPlaces.node(n), data: mac | at(port, taskRows.nodePort) },
      { at: taskPlaces.address(n), data: BigInt(ip) | at(1, taskRows.nodeOn) },
    ]),
    { at: taskPlaces.ownMac, data: c.own.mac },
    { at: taskPlaces.own, data: at(c.own.ip, own.ip) | at(c.own.port, own.port) | at(c.pid, own.pid) },
    { at: taskPlaces.numbers, data: at(c.first, numbers.first) | at(c.lane, numbers.lane) },
    {
      at: taskPlaces.work,
      data:
        at(c.timeout, work.timeout) |
        at(c.backoff, work.backoff) |
        at(c.life, work.life) |
        at(c.user, work.user) |
        at(1, work.on),
    },
  ];
}
/** Tells the task that a node has lost its memory and is made anew, or is open again. */
export const toldWord = (node: number, what: "lost" | "opened"): TaskWord => ({
  at: taskPlaces.told,
  data: at(node, taskRows.told.node) | at(what === "lost" ? 1 : 0, taskRows.told.lost),
});
