import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Settings } from "../../config/index.ts";
import { formatIpv4, formatMac } from "../../../shared/wire/index.ts";
import { ServeError, FrameReader, lengthPrefixed, tapHelper, type Network } from "../../../../sim/index.ts";

/** Bytes waiting for the helper above which frames from the node are lost, as on a full transmit queue. */
const MOST_WAITING = 4 << 20;

export interface TapOptions {
  /** Name of the device: an existing TAP, or one to be made (root). */
  readonly device: string;
  /** Address and prefix length that this machine's end is given when it has none (root). */
  readonly address: number;
  readonly prefix: number;
}

type Helper = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * The node on a TAP device of this machine: whole frames both ways, so that the hardware itself answers ARP and ping, and every UDP port is
 * the node's own. A small helper program (compiled at first use) holds the device, because Node.js has no ioctl; frames pass through its
 * standard input and output.
 */
export class TapNetwork implements Network {
  readonly place: string;
  readonly #helper: Helper;
  readonly #reader: FrameReader;
  #lost = 0;
  #closing = false;

  private constructor(helper: Helper, reader: FrameReader, place: string) {
    this.#helper = helper; this.#reader = reader; this.place = place;
  }

  /**
   * Opens the device.
   * @throws ServeError when there is no right to it, it is in use, or no C++ compiler is there
   */
  static async open({ config, runtime }: Settings, o: TapOptions): Promise<TapNetwork> {
    const program = await tapHelper(), mtu = config.mtuFrame - 14;
    const helper = spawn(program, [o.device, String(mtu), formatIpv4(o.address), String(o.prefix)], { stdio: ["pipe", "pipe", "pipe"] });
    // Told by the pipe's end already.
    helper.stdin.on("error", () => undefined);
    const reader = new FrameReader(helper.stdout), said = await reader.line(helper);
    const [verdict, ...rest] = said.split(" ");
    if (verdict !== "ok") throw new ServeError(rest.join(" "));
    const last = runtime.clientPort + config.clientPorts - 1;
    return new TapNetwork(helper, reader,
      `TAP device ${o.device} (this machine is ${rest.join(" ")}): node ${formatIpv4(runtime.ip)}, MAC ${
      formatMac(runtime.mac)}, UDP ports ${runtime.nativePort} and ${runtime.clientPort} to ${last}`);
  }

  get lost(): number { return this.#lost; }

  attach(receive: (frame: Uint8Array) => void, failed: (error: Error) => void): void {
    this.#reader.frames(receive);
    this.#helper.once("close", () => {
      if (!this.#closing) failed(new ServeError("the TAP device has gone: it was taken down while it was served"));
    });
  }

  send(frame: Uint8Array): void {
    if (this.#helper.stdin.writableLength > MOST_WAITING || !this.#helper.stdin.writable) { this.#lost++; return; }
    this.#helper.stdin.write(lengthPrefixed(frame));
  }

  /** The helper ends at the end of its input, and a device that it made goes with it. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#helper.exitCode !== null || this.#helper.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => { this.#helper.once("exit", () => { resolve(); }); });
    this.#helper.stdin.end();
    await gone;
  }
}
