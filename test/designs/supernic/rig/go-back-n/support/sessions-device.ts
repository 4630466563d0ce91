/** A device with Go-Back-N: clients at two ports, a node at the third; and all that came in and left, to be judged. */
import { deviceSizes, taskNamed } from "../../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../../designs/supernic/model/index.ts";
import { type deviceDefinition, SimulatedSuperNic } from "../../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../../designs/supernic/software/index.ts";
import { udpFrame } from "../../../../../../designs/shared/wire/index.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { GbnClient } from "../../../rtl/tasks/go-back-n/support/client.ts";
import { clientEnd, nodeEnd, parsed } from "../../../rtl/tasks/go-back-n/support/frames.ts";
import { isPause } from "../../support/pauses.ts";

export const sets = {
  ...{ ports: 3, contexts: 64, cells: 128, regions: 1, slots: 1, branches: 1, credits: 8, users: 2 },
};
export const parameters = makeParameters(sets);
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
/** The port of a client, and the node's. */
export const portOf = (client: number): number => client,
  nodePort = 2;
export const setupText = JSON.stringify({
  ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}, {}] },
  stations: [
    ...[0, 1].map(n => ({
      ...{ name: `client${n}`, mac: mac(clientEnd(n).mac), ip: ip(clientEnd(n).ip), port: portOf(n) },
    })),
    { name: "node", mac: mac(nodeEnd(0).mac), ip: ip(nodeEnd(0).ip), port: nodePort },
  ],
  users: [{ name: "memory" }],
  gbnNodes: [{ station: "node", user: "memory" }],
  regions: [{ chain: "sessions", tasks: ["go_back_n"] }],
  dags: [{ name: "reliable", user: "memory", uid: 0x401, stages: [[{ chain: "sessions" }]] }],
  rules: [{ protocol: 17, action: { dag: "reliable" } }],
});
export const setup = readSetup(setupText, "setup", deviceSizes(parameters), t => taskNamed(t).declared);

export interface Event {
  readonly enters: boolean;
  readonly port: number;
  readonly bytes: Uint8Array;
  readonly cycle: number;
}
/** What the model says of a run. */
export function judged(events: readonly Event[], clock = true): { problems: readonly string[]; compared: number } {
  let cycle = 0;
  const board = new DeviceScoreboard(setup, {}, () => (clock ? cycle : undefined));
  for (const e of events) {
    ({ cycle } = e);
    if (e.enters) board.enter(e.port, e.bytes);
    else board.leave(e.port, e.bytes);
  }
  return { problems: board.finish(), compared: board.comparedBytes };
}

type Ports = ReturnType<typeof deviceDefinition>["ports"];
/** Clients with CLib's sessions behind lines that lose, double and reorder; a node that answers late. */
export class SessionsDevice {
  readonly device: SimulatedSuperNic;
  readonly clients: readonly GbnClient[];
  readonly events: Event[] = [];
  readonly delivered: string[][] = [[], []];
  readonly replied: string[][] = [[], []];
  readonly b: Bench<Ports>;
  readonly scoreboard: DeviceScoreboard;
  #due: { readonly at: number; readonly what: () => void }[] = [];
  #entering: { readonly sent: ReturnType<SimulatedSuperNic["send"]>; readonly port: number }[] = [];

  constructor(b: Bench<Ports>, o: { readonly lost: number; readonly way: number }) {
    this.b = b;
    this.device = new SimulatedSuperNic(b, setup, parameters, { backToBack: true });
    this.scoreboard = new DeviceScoreboard(setup, {}, () => b.cycle);
    const faulty = (what: () => void): void => {
      for (let copies = b.random.chance(o.lost) ? 0 : b.random.chance(o.lost) ? 2 : 1; copies > 0; copies--)
        this.#due.push({ at: b.cycle + 1 + b.random.below(o.way), what });
    };
    this.clients = [0, 1].map(
      number =>
        new GbnClient({
          ...{ number, node: 0, first: 1, timeout: 12_000, ackDelay: 800, now: () => b.cycle },
          send: frame => faulty(() => this.send(portOf(number), frame)),
          deliver: payload => void this.delivered[number]?.push(Buffer.from(payload).toString("hex")),
        }),
    );
    b.onEdge({
      sample: () => {
        for (let left = this.device.take(); left; left = this.device.take()) {
          const { port } = left,
            { bytes } = left.frame;
          if (isPause(bytes)) continue;
          this.events.push({ enters: false, port, bytes, cycle: b.cycle });
          this.scoreboard.leave(port, bytes);
          if (port === nodePort) this.#atNode(bytes);
          else faulty(() => this.clients[port]?.take(bytes));
        }
        const whole = this.#entering.filter(e => e.sent.end !== undefined && e.sent.end <= b.cycle);
        this.#entering = this.#entering.filter(e => !whole.includes(e));
        for (const { port, sent } of whole) {
          this.events.push({ enters: true, port, bytes: sent.bytes, cycle: b.cycle });
          this.scoreboard.enter(port, sent.bytes);
        }
        const now = this.#due.filter(d => d.at <= b.cycle);
        if (now.length > 0) this.#due = this.#due.filter(d => d.at > b.cycle);
        now.forEach(d => d.what());
        for (const c of this.clients) c.tick();
      },
    });
  }
  send(port: number, frame: Uint8Array): void {
    this.#entering.push({ sent: this.device.send(port, frame), port });
  }
  get isStill(): boolean {
    return (
      this.#due.length === 0 && this.#entering.length === 0 && !this.device.busy && this.scoreboard.outstanding === 0
    );
  }
  #atNode(frame: Uint8Array): void {
    const { ethernet, ip: at, udp } = parsed(frame),
      client = this.clients.findIndex(c => clientEnd(c.o.number).ip === at.src),
      { random } = this.b;
    this.#due.push({
      at: this.b.cycle + 1 + random.below(900),
      what: () => {
        const payload = random.bytes(random.pick([16, 18, 22, 100, 700, 1400]));
        this.replied[client]?.push(Buffer.from(payload).toString("hex"));
        this.send(nodePort, udpFrame(nodeEnd(0), { mac: ethernet.src, ip: at.src, port: udp.srcPort }, payload));
      },
    });
  }
}
