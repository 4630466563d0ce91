/** CTRL (UDP port 1300): what users ask of the device's software. */
import { createHash } from "node:crypto";
import { AtMostOnce, type AtMostOnceOptions } from "../../../shared/control/software/index.ts";
import { concat, encode } from "../../../shared/wire/index.ts";
import {
  type CtrlEnds,
  ctrlMessage,
  type CtrlMessage,
  ctrlOpcode,
  ctrlStatus,
  type CtrlStatusName,
  openCtrl,
  queryDagBody,
  queryReplyBody,
} from "../../wire/index.ts";
import type { Setup, User } from "../setup/index.ts";
import { type Answer, changes, type Requests } from "./requests.ts";
import { RowRefused, type TaskRows } from "./rows.ts";

const answer = (status: CtrlStatusName, body: Uint8Array = new Uint8Array()): Answer => ({ status, body });
/** What only peers ask. */
const firstOfPeers = ctrlOpcode.PEER_HELLO;

export interface CtrlStatistics {
  /** Messages that nobody of the setup has sent as they came: no answer. */
  readonly strangers: number;
  readonly done: number;
  readonly repeated: number;
  readonly refused: number;
}
interface Counted {
  done: number;
  repeated: number;
  refused: number;
}
/** Clients, and replies to each, that are remembered; a client that is silent for a second may be forgotten. */
const remembered = { clients: 256, replies: 64, forgotten: 16_384, idle: 1e9 } as const;

/**
 * Answers CTRL. A message whose size or tail is wrong has no answer: it may be anybody's. A request that changes
 * something is done at most once by its requestId, however often it comes. QUERY and NT_CONFIG are done. What else
 * users may ask is done where regions can be reprogrammed; it has no meaning in a device whose regions are static:
 * UNKNOWN, so that nobody tries again. What is peers' to ask is DENIED.
 */
export class CtrlServer {
  readonly #setup: Setup;
  readonly #rows: TaskRows;
  readonly #requests: Requests | undefined;
  readonly #once: AtMostOnce<Answer>;
  readonly #counted = new Map<number, Counted>();
  #strangers = 0;

  /** @param requests for a device whose regions can be reprogrammed */
  constructor(
    setup: Setup,
    rows: TaskRows,
    time: () => number,
    options: Partial<AtMostOnceOptions> & { readonly requests?: Requests } = {},
  ) {
    this.#setup = setup;
    this.#requests = options.requests;
    this.#rows = rows;
    const busy = answer("BUSY");
    this.#once = new AtMostOnce<Answer>(
      { ...remembered, time, ...options },
      { expired: answer("EXPIRED"), underWay: busy, full: () => busy },
    );
  }

  get statistics(): CtrlStatistics {
    const sum = (of: keyof Counted): number => [...this.#counted.values()].reduce((n, c) => n + c[of], 0);
    return { strangers: this.#strangers, done: sum("done"), repeated: sum("repeated"), refused: sum("refused") };
  }

  /** The reply to a message. @param ends who sent it, and the device @returns undefined: none is due */
  async reply(message: Uint8Array, ends: CtrlEnds): Promise<Uint8Array | undefined> {
    const opened = openCtrl(message, ends, user => this.#user(user)?.key);
    // A reply is not answered, whoever sent it: two devices would never end.
    const user = opened === undefined || opened.header.reply === 1 ? undefined : this.#user(opened.header.user);
    if (opened === undefined || user?.key === undefined) {
      this.#strangers++;
      return undefined;
    }
    const { opcode, requestId, retryOf } = opened.header,
      { status, body } = await this.#answer(opened, user, `${ends.srcIp}:${ends.srcPort}`);
    const header = { opcode, requestId, retryOf, user: user.number, reply: 1, status: ctrlStatus[status] };
    const { srcIp, dstIp, srcPort, dstPort } = ends,
      back = { srcIp: dstIp, dstIp: srcIp, srcPort: dstPort, dstPort: srcPort };
    return ctrlMessage(user.key, back, header, body);
  }
  #user(number: number): User | undefined {
    return this.#setup.users.find(u => u.number === number);
  }
  #of(user: User): Counted {
    const counted = this.#counted.get(user.number) ?? { done: 0, repeated: 0, refused: 0 };
    this.#counted.set(user.number, counted);
    return counted;
  }

  async #answer({ header, body }: CtrlMessage, user: User, sender: string): Promise<Answer> {
    const counted = this.#of(user),
      before = this.#once.statistics.repeated;
    const wrong = wrongWith(header.opcode, header.status, header.unused, this.#requests !== undefined);
    if (wrong !== undefined) {
      counted.refused++;
      return answer(wrong);
    }
    const isRetry = header.retryOf !== 0;
    const given = await this.#once.reply(
      {
        client: `${header.user} ${sender}`,
        operation: isRetry ? header.retryOf : header.requestId,
        retry: isRetry,
        kind: fingerprint(header.opcode, body),
        changes: header.opcode === ctrlOpcode.NT_CONFIG || changes(header.opcode),
      },
      () => this.#do(header.opcode, body, user),
    );
    if (this.#once.statistics.repeated > before) counted.repeated++;
    else if (given.status === "OK") counted.done++;
    else counted.refused++;
    return given;
  }

  async #do(opcode: number, body: Uint8Array, user: User): Promise<Answer> {
    if (opcode === ctrlOpcode.QUERY) return body.length === 0 ? answer("OK", this.#state(user)) : answer("INVALID");
    if (this.#requests !== undefined && changes(opcode)) return this.#requests.do(opcode, body, user);
    try {
      await this.#rows.write(user.number, body);
      return answer("OK");
    } catch (e) {
      if (e instanceof RowRefused) return answer(e.status);
      throw e;
    }
  }
  #state(user: User): Uint8Array {
    const dags = (this.#requests?.dags ?? this.#setup.dags).filter(d => d.user.number === user.number),
      { contexts, cells, bytesPerEpoch, class: queue } = user;
    return concat(
      encode(queryReplyBody, {
        ...{ class: queue, contexts, cells, dags: dags.length, ...this.#of(user) },
        limited: bytesPerEpoch === undefined ? 0 : 1,
        bytesPerEpoch: bytesPerEpoch ?? 0,
      }),
      ...dags.map(d =>
        encode(queryDagBody, {
          uid: d.uid,
          stages: d.stages.length,
          here: this.#requests?.whereOf(d) ?? (d.peer === undefined ? 1 : 0),
        }),
      ),
    );
  }
}

/** Why a request is refused before it is looked into. */
function wrongWith(
  opcode: number,
  status: number,
  unused: number,
  isReconfigurable: boolean,
): CtrlStatusName | undefined {
  if (status !== 0 || unused !== 0) return "INVALID";
  if (!Object.values<number>(ctrlOpcode).includes(opcode)) return "UNKNOWN";
  if (opcode >= firstOfPeers) return "DENIED";
  if (isReconfigurable && changes(opcode)) return undefined;
  return opcode === ctrlOpcode.QUERY || opcode === ctrlOpcode.NT_CONFIG ? undefined : "UNKNOWN";
}
/** Two requests with one requestId that do not say the same are no repetition. */
const fingerprint = (opcode: number, body: Uint8Array): number =>
  createHash("sha256").update(Uint8Array.of(opcode)).update(body).digest().readUInt32LE();
