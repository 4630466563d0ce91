import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { ServeError } from "./errors.ts";
import { FrameReader, lengthPrefixed } from "./frame-pipe.ts";
import type { Network } from "./network.ts";
import { tapHelper } from "./tap-helper.ts";

/** Bytes waiting for the helper above which frames from the node are lost, as on a full transmit queue. */
const MOST_WAITING = 4 << 20;

/** A TAP device and the address of this machine's end. */
export interface TapOptions {
  /** Name of the device: an existing TAP, or one to be made (root). */
  readonly device: string;
  /** Address (IPv4, as text) and prefix length that this machine's end is given when it has none (root). */
  readonly address: string;
  /** Bits of the address that name the network. */
  readonly prefix: number;
  /** Bytes of the largest frame's payload, behind its Ethernet header. */
  readonly mtu: number;
  /** MAC of this machine's end, as text; without it the system's own choice (root, unless it has that MAC). */
  readonly mac?: string;
}

type Helper = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A TAP device of this machine carries whole frames both ways. So a served design answers ARP and ping itself, and
 * every UDP port is its own. A small helper program (compiled at first use) holds the device, because Node.js has no
 * ioctl; frames pass through its standard input and output.
 */
export class TapPipe implements Network {
  readonly place: string;
  readonly #helper: Helper;
  readonly #reader: FrameReader;
  #lost = 0;
  #closing = false;

  private constructor(helper: Helper, reader: FrameReader, place: string) {
    this.#helper = helper;
    this.#reader = reader;
    this.place = place;
  }

  /**
   * Opens the device.
   * @param served what is said of the served design after the device's own line: its addresses
   * @throws ServeError when there is no right to it, it is in use, or no C++ compiler is there
   */
  static async open(o: TapOptions, served: string): Promise<TapPipe> {
    const program = await tapHelper();
    const mac = o.mac === undefined ? [] : [o.mac];
    const helper = spawn(program, [o.device, String(o.mtu), o.address, String(o.prefix), ...mac], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The pipe's end reports it already.
    helper.stdin.on("error", () => undefined);
    const reader = new FrameReader(helper.stdout),
      said = await reader.line(helper);
    const [verdict, ...rest] = said.split(" ");
    if (verdict !== "ok") throw new ServeError(rest.join(" "));
    return new TapPipe(helper, reader, `TAP device ${o.device} (this machine is ${rest.join(" ")}): ${served}`);
  }

  get lost(): number {
    return this.#lost;
  }

  attach(receive: (frame: Uint8Array) => void, failed: (error: Error) => void): void {
    this.#reader.frames(receive);
    this.#helper.once("close", () => {
      if (!this.#closing) failed(new ServeError("the TAP device has gone: it was taken down while it was served"));
    });
  }

  send(frame: Uint8Array): void {
    if (this.#helper.stdin.writableLength > MOST_WAITING || !this.#helper.stdin.writable) {
      this.#lost++;
      return;
    }
    this.#helper.stdin.write(lengthPrefixed(frame));
  }

  /** The helper ends at the end of its input, and a device that it made goes with it. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#helper.exitCode !== null || this.#helper.signalCode !== null) return;
    const gone = new Promise<void>(resolve => {
      this.#helper.once("exit", () => resolve());
    });
    this.#helper.stdin.end();
    await gone;
  }
}
