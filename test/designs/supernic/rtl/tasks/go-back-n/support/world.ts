/** Clients behind lossy lines, nodes behind right ones: each request is done once and in order, so is each reply. */
import { udpFrame } from "../../../../../../../designs/shared/wire/index.ts";
import { gbnNodes, kvNodePort } from "../../../../../../../designs/supernic/wire/index.ts";
import { GbnClient } from "./client.ts";
import { clientEnd, clientPort, closeFrame, nodeEnd, nodes, parsed } from "./frames.ts";
import { type B, GbnRig, type RigOptions, sizes } from "./rig.ts";
import { asks, openAll } from "./sessions.ts";

export interface WorldOptions extends RigOptions {
  readonly clients: number;
  /** Requests of each. */
  readonly requests: number;
  readonly lost?: number;
  readonly doubled?: number;
  /** Cycles on a client's line, at most; a node's time for an answer, at most. */
  readonly way?: number;
  readonly service?: number;
  readonly first?: number;
  /** Requests without an answer yet, of each client. */
  readonly most?: number;
  /** Cycles without a reply after which a client asks for something else; default: it waits for ever. */
  readonly patience?: number;
  readonly timeout?: number;
  readonly ackDelay?: number;
  readonly bytes?: readonly number[];
  /** What else happens, each cycle. */
  readonly beside?: (w: World) => void;
}
interface Life {
  sent: number;
  arrived: number;
  replied: Uint8Array[];
  delivered: number;
}
const headBytes = 16;
/** Who sent it, in which life, and which one it is: in front of every payload. */
function numbered(client: number, life: number, n: number, rest: Uint8Array): Uint8Array {
  const out = new Uint8Array(headBytes + rest.length),
    view = new DataView(out.buffer);
  view.setUint16(0, client);
  view.setUint16(4, life);
  view.setUint32(8, n);
  out.set(rest, headBytes);
  return out;
}
function numbersOf(payload: Uint8Array) {
  const view = new DataView(payload.buffer, payload.byteOffset);
  return { client: view.getUint16(0), life: view.getUint16(4), n: view.getUint32(8) };
}
const text = (b: Uint8Array | undefined): string => Buffer.from(b ?? []).toString("hex");

export class World {
  readonly rig: GbnRig;
  readonly clients: GbnClient[];
  readonly seen = { requests: 0, replies: 0, lost: 0, doubled: 0, resent: 0, reopened: 0, strays: 0 };
  readonly b: B;
  /** Replies that nodes hold back. */
  stopped = false;
  readonly #o: Required<Omit<WorldOptions, keyof RigOptions | "beside">>;
  readonly #lives = new Map<string, Life>();
  readonly #requests = new Map<string, Uint8Array>();
  #due: { readonly at: number; readonly what: () => void }[] = [];

  constructor(b: B, o: WorldOptions) {
    this.b = b;
    this.#o = {
      ...{
        lost: 0,
        doubled: 0,
        way: 60,
        service: 400,
        first: 1,
        most: 16,
        patience: Infinity,
        timeout: 6000,
        ackDelay: 500,
      },
      ...{ bytes: [16, 17, 30, 100, 300, 1400] },
      ...o,
    };
    this.rig = new GbnRig(b, o);
    this.rig.onMade = (bytes, port) => this.#made(bytes, port);
    this.rig.onAnswer = ({ on }) => {
      if (on) this.#atNode(on);
    };
    this.clients = Array.from(
      { length: o.clients },
      (_, number) =>
        new GbnClient({
          ...{ number, node: number % gbnNodes, first: this.#o.first },
          ...{ timeout: this.#o.timeout, ackDelay: this.#o.ackDelay },
          now: () => b.cycle,
          send: frame => this.#faulty(() => this.rig.send(frame, clientPort(number))),
          deliver: (payload, life) => this.#delivered(number, life, payload),
        }),
    );
    b.onEdge({
      sample: () => {
        const now = this.#due.filter(d => d.at <= b.cycle);
        if (now.length > 0) {
          this.#due = this.#due.filter(d => d.at > b.cycle);
          now.forEach(d => d.what());
        }
        for (const c of this.clients) c.tick();
        o.beside?.(this);
      },
    });
  }
  #life(client: number, life: number): Life {
    const key = `${client}/${life}`,
      is = this.#lives.get(key) ?? { sent: 0, arrived: 0, replied: [], delivered: 0 };
    this.#lives.set(key, is);
    return is;
  }
  #faulty(what: () => void): void {
    const { random, cycle } = this.b,
      { lost, doubled, way } = this.#o,
      later = (): void => void this.#due.push({ at: cycle + 1 + random.below(way), what });
    if (random.chance(lost)) {
      this.seen.lost++;
      return;
    }
    later();
    if (!random.chance(doubled)) return;
    this.seen.doubled++;
    later();
  }
  #made(bytes: Uint8Array, port: number): void {
    const { ethernet, ip, udp } = parsed(bytes),
      number = this.clients.findIndex((_, n) => clientEnd(n).mac === ethernet.dst),
      at = clientEnd(number);
    if (number < 0 || ip.dst !== at.ip || udp.dstPort !== at.port) throw new Error("a frame for nobody");
    if (port !== clientPort(number)) throw new Error(`a frame for client ${number} at port ${port}`);
    const { mac, ip: from } = nodeEnd(number % gbnNodes);
    if (ethernet.src !== mac || ip.src !== from || udp.srcPort !== kvNodePort) throw new Error("from another node");
    this.#faulty(() => this.clients.at(number)?.take(bytes));
  }
  /** A request has come to a node: it must be the next one of its session, byte for byte. */
  #atNode(frame: Uint8Array): void {
    const { ethernet, ip, udp, body } = parsed(frame),
      { client, life, n } = numbersOf(body),
      is = this.#life(client, life),
      from = clientEnd(client),
      node = client % gbnNodes;
    if (ethernet.src >> 32n !== 0x0247n) throw new Error("a request without a tag");
    if (ethernet.dst !== nodes[node]?.mac || ip.dst !== nodes[node].ip) throw new Error("a request at another node");
    if (ip.src !== from.ip || udp.srcPort !== from.port) throw new Error("a request from nobody");
    if (n !== is.arrived) throw new Error(`client ${client}: request ${n} arrives, not ${is.arrived}`);
    if (text(body) !== text(this.#requests.get(`${client}/${life}/${n}`))) throw new Error("a request that is changed");
    is.arrived++;
    this.seen.requests++;
    const reply = (): void => {
      if (this.stopped) {
        this.#due.push({ at: this.b.cycle + 50, what: reply });
        return;
      }
      const { random } = this.b,
        payload = numbered(client, life, n, random.bytes(random.pick(this.#o.bytes)));
      is.replied.push(payload);
      this.rig.send(
        udpFrame(nodeEnd(node), { mac: ethernet.src, ip: ip.src, port: udp.srcPort }, payload),
        nodes[node]?.port ?? 0,
      );
    };
    this.#due.push({ at: this.b.cycle + 1 + this.b.random.below(this.#o.service), what: reply });
  }
  #delivered(client: number, life: number, payload: Uint8Array): void {
    const is = this.#life(client, life),
      of = numbersOf(payload);
    if (of.client !== client || of.life !== life) throw new Error("a reply to somebody else");
    const next = is.replied[is.delivered++];
    if (text(payload) !== text(next)) throw new Error(`client ${client}: reply ${of.n} is not the next one`);
    this.seen.replies++;
  }
  /** Sends until each client has sent all of its requests of this life and heard all of the replies. */
  async play(requests = this.#o.requests): Promise<void> {
    const { random } = this.b,
      // A reply that a reset has lost never comes: after a while its client asks for something else.
      heard = this.clients.map(() => ({ replies: 0, at: this.b.cycle })),
      goal = this.clients.map(c => this.#life(c.o.number, c.life).delivered + requests);
    await this.b.until(() => {
      let done = true;
      this.clients.forEach((c, i) => {
        const is = this.#life(c.o.number, c.life);
        const last = heard[i];
        if (last === undefined) return;
        if (last.replies !== is.delivered) Object.assign(last, { replies: is.delivered, at: this.b.cycle });
        const waits = this.b.cycle - last.at > this.#o.patience;
        if (waits) last.at = this.b.cycle;
        if (c.session?.room === true && (waits || is.sent < (goal[i] ?? 0)) && is.sent - is.delivered < this.#o.most) {
          const payload = numbered(c.o.number, c.life, is.sent, random.bytes(random.pick(this.#o.bytes)));
          this.#requests.set(`${c.o.number}/${c.life}/${is.sent++}`, payload);
          c.put(payload);
        }
        done &&= is.delivered >= (goal[i] ?? 0) && c.session?.idle === true;
      });
      return done;
    });
    this.seen.resent = this.clients.reduce((n, c) => n + (c.session?.resent ?? 0), 0);
  }
  async begin(): Promise<void> {
    await this.rig.configure();
    for (const c of this.clients) c.open();
    await this.b.until(() => this.clients.every(c => c.session !== undefined));
  }
  /** Nothing is inside, and every session can be had. */
  async end(sessions = sizes().sessions): Promise<void> {
    // What is on the lines comes in first.
    await this.b.until(() => this.#due.length === 0);
    await this.rig.settled();
    for (const { o, slot, number } of this.clients) {
      const frame = closeFrame(clientEnd(o.number), nodeEnd(o.node), slot, number),
        said = await asks(this.rig, frame, clientPort(o.number));
      if (said?.status !== 0) throw new Error(`client ${o.number} cannot close session ${number}`);
    }
    await openAll(this.rig, sessions);
  }
}
