import * as p from "../../../support/packets.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { clearTable, SlowPath, type TransportSessions } from "../../../../designs/clio/software/index.ts";
import { FakeHardware } from "./fake-hardware.ts";

/** First of the clients' addresses. */
const firstIp = 0x0a4d0001;

export interface SessionRigOptions {
  /** Sessions that there are, number 0 among them. */
  readonly count?: number;
  /** Asked at the native port, behind which the node has sessions of its own; else at the published client's. */
  readonly native?: boolean;
  readonly tenureNs?: number;
}

/** An answer to OPEN_SESSION: the session's number, or how long to wait, nanoseconds. */
export interface Opened {
  readonly session?: number;
  readonly waitNs?: number | undefined;
  readonly status: number;
}

/** The slow path with clients that open sessions, each at an address of its own. */
export class SessionRig {
  readonly hardware: FakeHardware;
  readonly closed: number[] = [];
  readonly live = new Set<number>();
  private readonly done: Promise<void>;
  private readonly to: p.Endpoint;
  private requestId = 0;

  private constructor(hardware: FakeHardware, slow: SlowPath, to: p.Endpoint) {
    this.hardware = hardware;
    this.to = to;
    this.done = slow.run();
  }

  static async start({ count = 8, native = true, ...o }: SessionRigOptions = {}): Promise<SessionRig> {
    const { config, runtime } = makeSettings({ clientPorts: count }),
      hardware = new FakeHardware(config),
      transport: TransportSessions = {
        count,
        open: async s => void rig.live.add(s),
        close: async s => void (rig.live.delete(s), rig.closed.push(s)),
        failed: async () => undefined,
      };
    await clearTable(hardware, config);
    const sessions = { ...o, ...(native && { transport }) },
      slow = new SlowPath(hardware, config, runtime, { sessions }),
      port = native ? runtime.nativePort : runtime.clientPort;
    const rig: SessionRig = new SessionRig(hardware, slow, { mac: runtime.mac, ip: runtime.ip, port });
    await slow.ready;
    return rig;
  }

  async ask(host: number, message: Uint8Array): Promise<p.Dissected> {
    const from = { mac: 0x020000000001n, ip: firstIp + host, port: 10004 };
    return p.dissect(await this.hardware.request(p.udpFrame(from, this.to, message)));
  }
  /** OPEN_SESSION of a client. @param id of the request; default a new one */
  async open(host: number, id = ++this.requestId, retryOf?: number): Promise<Opened> {
    const retry = retryOf === undefined ? {} : { flagRetry: 1, retryOf },
      header = { pid: 1, opcode: p.opcode.OPEN_SESSION, flagTracked: 1, requestId: id, ...retry };
    const { clio, body } = await this.ask(host, p.clioMessage(header, p.encode(p.sessionBody, { session: 0 })));
    if (clio === undefined) throw new Error("no answer");
    if (clio.opcode === p.opcode.OPEN_SESSION) return { status: clio.status, waitNs: p.waitOf(clio) };
    return { status: clio.status, session: p.decode(p.sessionBody, body ?? new Uint8Array()).session };
  }
  /** CLOSE_SESSION: whether it was the client's. */
  async close(host: number, session: number): Promise<boolean> {
    const header = { pid: 1, opcode: p.opcode.CLOSE_SESSION, flagTracked: 1, requestId: ++this.requestId },
      { clio } = await this.ask(host, p.clioMessage(header, p.encode(p.sessionBody, { session })));
    return clio?.status === p.status.OK;
  }
  async end(): Promise<void> {
    this.hardware.close();
    await this.done;
  }
}

/** Runs `body` with a rig of its own. */
export async function withSessions<T>(o: SessionRigOptions, body: (rig: SessionRig) => Promise<T>): Promise<T> {
  const rig = await SessionRig.start(o);
  try {
    return await body(rig);
  } finally {
    await rig.end();
  }
}
