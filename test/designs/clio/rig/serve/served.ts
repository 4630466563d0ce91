import { setTimeout as pause } from "node:timers/promises";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { makeSettings, type Settings } from "../../../../../designs/clio/config/index.ts";
import { clioHeader } from "../../../../../designs/clio/wire/index.ts";
import {
  decode,
  type Decoded,
  type Endpoint,
  formatIpv4,
  parseIpv4,
} from "../../../../../designs/shared/wire/index.ts";
import { serve, type Served, type ServeOptions } from "../../../../../designs/clio/rig/serve/serve.ts";
import { UdpNetwork } from "../../../../../designs/clio/rig/serve/udp-network.ts";
import type { SimulatedNode } from "../../../../../designs/clio/rig/node/index.ts";

/** A loopback address of this process's own, so that the usual ports are free whatever else runs. */
export function ownAddress(n = 0): string {
  const { pid } = process;
  return `127.${64 + n}.${(pid >> 8) & 0xff}.${1 + ((pid & 0xff) % 254)}`;
}

/** Counts of a node that was there until the end. */
export type WellServed = Served & { readonly counters: NonNullable<Served["counters"]> };
/** @throws when the node was not there any more at the end */
export function wellServed(s: Served | undefined): WellServed {
  if (s?.counters === undefined) throw new Error("the node did not end in order");
  return { ...s, counters: s.counters };
}

export interface ServedNode {
  readonly settings: Settings;
  readonly node: SimulatedNode;
  /** Ends the service. */
  readonly stop: () => Promise<WellServed>;
}

/** A node served behind UDP sockets, in this process. */
export async function servedNode(
  given: Readonly<Record<string, unknown>> = {},
  o: Partial<ServeOptions> & { readonly sessions?: number } = {},
): Promise<ServedNode> {
  const settings = makeSettings({ ip: ownAddress(), ...given }),
    { mac, ip } = settings.runtime,
    monitor: Endpoint = { mac, ip, port: 10000 };
  const network = await UdpNetwork.open(settings, { sessions: o.sessions ?? 2, monitorPort: monitor.port });
  let end: () => void = () => undefined;
  const stopped = new Promise<void>(resolve => {
    end = resolve;
  });
  let ended: Promise<Served | undefined> = Promise.reject(new Error("not started"));
  ended.catch(() => undefined);
  const node = await new Promise<SimulatedNode>((resolve, reject) => {
    ended = serve(settings, network, { monitor, stop: stopped, ready: resolve, ...o });
    ended.catch(reject);
  });
  return {
    settings,
    node,
    stop: async () => {
      end();
      try {
        return wellServed(await ended);
      } finally {
        await network.close();
      }
    },
  };
}

/** Waits until the node's clock stands still: on a busy machine it takes a while to get there. */
export async function asleep({ node: { bench } }: ServedNode): Promise<void> {
  for (let before = -1; before !== bench.cycle;) {
    before = bench.cycle;
    await pause(300);
  }
}

/** A datagram with its sender. */
export interface Datagram {
  readonly header: Decoded<typeof clioHeader>;
  readonly body: Uint8Array;
  readonly bytes: Uint8Array;
  readonly from: RemoteInfo;
}

/** A program with a UDP socket on an ephemeral port (or a given one), as an application developer would write it. */
export class UdpClient {
  readonly socket: Socket;
  readonly received: Datagram[] = [];
  #waiting: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("message", (data, from) => {
      const bytes = new Uint8Array(data);
      this.received.push({ header: decode(clioHeader, bytes), body: bytes.subarray(clioHeader.bytes), bytes, from });
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    });
  }

  static async open(address = "127.0.0.1", port = 0): Promise<UdpClient> {
    const socket = createSocket("udp4");
    await new Promise<void>(resolve => {
      socket.bind(port, address, resolve);
    });
    return new UdpClient(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }
  get ip(): number {
    return parseIpv4(this.socket.address().address);
  }

  send(ip: number, port: number, payload: Uint8Array): void {
    this.socket.send(payload, port, formatIpv4(ip));
  }
  /** The next datagram. */
  async next(): Promise<Datagram> {
    while (this.received.length === 0)
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve);
      });
    return this.received.shift()!;
  }
  async ask(ip: number, port: number, payload: Uint8Array): Promise<Datagram> {
    this.send(ip, port, payload);
    return this.next();
  }
  close(): Promise<void> {
    return new Promise(resolve => {
      this.socket.close(resolve);
    });
  }
}
