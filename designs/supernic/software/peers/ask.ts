/** Requests of an owner to a peer, sent again until they are answered. */
import { concat, decode, encode } from "../../../shared/wire/index.ts";
import { type Clock, PeerExchange } from "../../../shared/control/software/index.ts";
import {
  ctrlOpcode,
  ctrlStatus,
  type CtrlStatusName,
  dagBranchBody,
  mostState,
  mostStateBytes,
  peerLaunchBody,
  peerPageBody,
  peerStateBody,
  peerWhichBody,
} from "../../wire/index.ts";
import type { Dag } from "../setup/index.ts";
import type { Neighbour } from "./neighbour.ts";
import type { Piece } from "./pages-kept.ts";

/** Until a request goes out again, ns; it doubles, up to eight times as much. */
const again = 50_000;

interface Request {
  readonly opcode: number;
  readonly body: Uint8Array;
  /** BUSY is no answer: the request goes out again. */
  readonly waits: boolean;
}
export interface PeerAnswer {
  readonly status: CtrlStatusName;
  readonly body: Uint8Array;
}
export type PageRequest = "PEER_PAGE_OUT" | "PEER_PAGE_IN" | "PEER_PAGE_DROP";
export interface Which {
  readonly uid: number;
  readonly launch: number;
}
const statusNames = Object.keys(ctrlStatus) as CtrlStatusName[];
export const statusOf = (code: number): CtrlStatusName => statusNames.find(n => ctrlStatus[n] === code) ?? "INVALID";

export class Asking {
  readonly #exchange: PeerExchange<Neighbour, Request, PeerAnswer, PeerAnswer>;
  readonly #boot: number;
  readonly #sequence: () => number;

  /**
   * @param sequence of the newest HELLO or LOAD
   * @param silent ns without a word of a peer until its requests fail
   * @param send makes the frame of a message to a peer
   */
  constructor(
    clock: Clock,
    boot: number,
    sequence: () => number,
    silent: number,
    send: (to: Neighbour, opcode: number, requestId: number, body: Uint8Array) => Uint8Array,
    give: (frame: Uint8Array) => void,
  ) {
    this.#boot = boot;
    this.#sequence = sequence;
    this.#exchange = new PeerExchange(
      { clock, timeoutNs: again, silentNs: silent, send: give },
      {
        keyOf: n => n.place.number,
        encode: (to, id, { opcode, body }) => send(to, opcode, id, body),
        reply: ({ waits }, answer) => (waits && answer.status === "BUSY" ? undefined : answer),
      },
    );
  }
  get retries(): number {
    return this.#exchange.retries;
  }
  heard(peer: number): void {
    this.#exchange.hear(peer);
  }
  answered(peer: number, requestId: number, answer: PeerAnswer): void {
    this.#exchange.answered(peer, requestId, answer);
  }
  close(): void {
    this.#exchange.close();
  }

  async launch(to: Neighbour, dag: Dag, launch: number, codes: (label: string) => number, stateful: boolean) {
    const branches = dag.stages.flatMap((stage, n) =>
      stage.map(({ chain, run, arg }) => {
        const tasks = run.map(slot => codes(chain.labels[slot] ?? "")),
          [task0, task1 = 0, task2 = 0, task3 = 0, task4 = 0, task5 = 0, task6 = 0, task7 = 0] = tasks;
        const all = { task0: task0 ?? 0, task1, task2, task3, task4, task5, task6, task7 };
        return encode(dagBranchBody, { stage: n, arg, tasks: tasks.length, ...all });
      }),
    );
    const head = encode(peerLaunchBody, {
      ...this.#lives(to),
      ...{ uid: dag.uid, launch, user: dag.user.number },
      unordered: dag.unordered ? 1 : 0,
      stateful: stateful ? 1 : 0,
      sequence: this.#sequence(),
    });
    return (await this.#ask(to, ctrlOpcode.PEER_LAUNCH, concat(head, ...branches), false)).status;
  }
  async pause(to: Neighbour, which: Which): Promise<CtrlStatusName> {
    const body = encode(peerWhichBody, { ...this.#lives(to), ...which });
    return (await this.#ask(to, ctrlOpcode.PEER_PAUSE, body, true)).status;
  }
  async release(to: Neighbour, which: Which): Promise<CtrlStatusName> {
    const body = encode(peerWhichBody, { ...this.#lives(to), ...which });
    return (await this.#ask(to, ctrlOpcode.PEER_RELEASE, body, false)).status;
  }
  /** @returns OK when all of it is there */
  async put(to: Neighbour, which: Which, state: Uint8Array): Promise<CtrlStatusName> {
    for (let offset = 0; ; offset += mostStateBytes) {
      const piece = state.slice(offset, offset + mostStateBytes),
        isLast = offset + piece.length === state.length;
      const head = { ...this.#lives(to), ...which, put: 1, done: isLast ? 1 : 0, offset, total: state.length },
        { status } = await this.#ask(to, ctrlOpcode.PEER_STATE, concat(encode(peerStateBody, head), piece), true);
      if (status !== "OK" || isLast) return status;
    }
  }
  /** @returns undefined: the peer has none of this launch */
  async get(to: Neighbour, which: Which): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    let total: number | undefined;
    for (let offset = 0; ;) {
      const head = encode(peerStateBody, { ...this.#lives(to), ...which, offset }),
        { status, body } = await this.#ask(to, ctrlOpcode.PEER_STATE, head, true);
      if (status !== "OK" || body.length < peerStateBody.bytes) return undefined;
      const said = decode(peerStateBody, body),
        piece = body.slice(peerStateBody.bytes);
      // A peer that gives another piece than was asked for has none that can be used.
      if (said.offset !== offset || said.total > mostState || said.total !== (total ?? said.total)) return undefined;
      if (piece.length !== Math.min(mostStateBytes, said.total - offset)) return undefined;
      total = said.total;
      pieces.push(piece);
      offset += piece.length;
      if (offset === said.total) return concat(...pieces);
    }
  }

  /** A piece of a page, one way or the other, or its end. BUSY is no answer. */
  page(to: Neighbour, what: PageRequest, piece: Piece, bytes: Uint8Array = new Uint8Array()): Promise<PeerAnswer> {
    const body = concat(encode(peerPageBody, { ...this.#lives(to), ...piece }), bytes);
    return this.#ask(to, ctrlOpcode[what], body, true);
  }

  #lives(to: Neighbour): { readonly boot: number; readonly yourBoot: number } {
    return { boot: this.#boot, yourBoot: to.named };
  }
  #ask(to: Neighbour, opcode: number, body: Uint8Array, waits: boolean): Promise<PeerAnswer> {
    return this.#exchange.ask(to, { opcode, body, waits });
  }
}
