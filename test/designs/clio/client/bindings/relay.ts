import { createSocket, type Socket } from "node:dgram";
import { clioHeader, opcode, status, telling } from "../../../../../designs/clio/wire/index.ts";
import { decode, encode } from "../../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

/** Shares of the datagrams, 0 to 1, that a relay treats badly. */
export interface Losses {
  readonly drop: number;
  readonly duplicate: number;
  /** Held back for up to 5 ms, so that later ones overtake. */
  readonly delay: number;
  /** Requests that get BUSY and do not reach the node; default none. */
  readonly busy?: number;
  /** Nanoseconds that such a BUSY says to wait; default none. */
  readonly tells?: number;
  /** Atomics for the first time that get YIELD, with the same time, and do not reach the node; default none. */
  readonly yields?: number;
}
export interface Relay {
  readonly port: number;
  /** Datagrams that were dropped, doubled and held back, and requests that were refused. */
  readonly counts: { dropped: number; duplicated: number; delayed: number; refused: number };
  /** Milliseconds between a BUSY and the next request for the same operation. */
  readonly pauses: number[];
  /** Operations that got YIELD, as they do from then on, however often they are asked for. */
  readonly yielded: Set<number>;
  /** Bytes of the longest datagram of a program. */
  readonly longest: () => number;
  close(): void;
}

const bound = (socket: Socket, address: string): Promise<void> =>
  new Promise(resolve => {
    socket.bind(0, address, resolve);
  });

/** A bad network between programs and a node: a UDP relay with a socket of its own for every program. */
export async function lossyRelay(node: string, port: number, losses: Losses, seed: number): Promise<Relay> {
  const random = new Random(seed),
    front = createSocket("udp4"),
    backs = new Map<number, Promise<Socket>>(),
    pauses: number[] = [],
    yielded = new Set<number>(),
    refusedAt = new Map<number, number>(),
    counts = { dropped: 0, duplicated: 0, delayed: 0, refused: 0 };
  let open = true,
    longest = 0;
  const carry = (send: () => void): void => {
    if (random.chance(losses.drop)) {
      counts.dropped++;
      return;
    }
    const copies = random.chance(losses.duplicate) ? 2 : 1;
    counts.duplicated += copies - 1;
    for (let i = 0; i < copies; i++) {
      if (!random.chance(losses.delay)) {
        send();
        continue;
      }
      counts.delayed++;
      setTimeout(
        () => {
          if (open) send();
        },
        random.between(1, 5),
      );
    }
  };
  const back = async (client: { readonly address: string; readonly port: number }): Promise<Socket> => {
    const socket = createSocket("udp4");
    socket.on("message", data => {
      carry(() => {
        front.send(data, client.port, client.address);
      });
    });
    await bound(socket, "127.0.0.1");
    return socket;
  };
  front.on("message", (data, client) => {
    longest = Math.max(longest, data.length);
    const asked = decode(clioHeader, data.subarray(0, clioHeader.bytes)),
      operation = asked.flagRetry === 1 ? asked.retryOf : asked.requestId,
      since = refusedAt.get(operation);
    if (since !== undefined) pauses.push(performance.now() - since);
    refusedAt.delete(operation);
    const refuse = (code: number): void => {
      const echo = losses.tells === undefined ? asked : telling(asked, losses.tells),
        header = { ...echo, status: code, size: clioHeader.bytes };
      front.send(encode(clioHeader, header), client.port, client.address);
    };
    const begins = asked.flagRetry === 0 && asked.opcode === opcode.ATOMIC_FAA;
    if (yielded.has(operation) || (losses.yields !== undefined && begins && random.chance(losses.yields))) {
      yielded.add(operation);
      refuse(status.YIELD);
      return;
    }
    if (losses.busy !== undefined && random.chance(losses.busy)) {
      refusedAt.set(operation, performance.now());
      counts.refused++;
      refuse(status.BUSY);
      return;
    }
    const known = backs.get(client.port) ?? back(client);
    backs.set(client.port, known);
    void known.then(socket => {
      carry(() => {
        socket.send(data, port, node);
      });
    });
  });
  await bound(front, "127.0.0.1");
  return {
    port: front.address().port,
    counts,
    pauses,
    yielded,
    longest: () => longest,
    close: () => {
      open = false;
      front.close();
      for (const b of backs.values()) void b.then(socket => socket.close());
    },
  };
}
