import { type Losses, lossesOf, type SocketAddress, UdpSockets } from "../../../shared/rig/index.ts";
import { formatIpv4 } from "../../../shared/wire/index.ts";
import type { ClientTransport } from "../../../clio/client/index.ts";
import type { Forward } from "../../setup/index.ts";
import type { RackEndpoint } from "../fabric/index.ts";
import type { SocketRemedies } from "../../../../sim/index.ts";

/** Bytes of the longest datagram that is taken; hardware counts frames above its MTU. */
const longestDatagram = 9000;
/** Programs that are known; the one that has been silent longest goes for a new one. */
const mostPrograms = 4096;
/** Source ports for programs whose own port another one has. */
const firstSpare = 49_152,
  lastPort = 65_535;

/** A program that has sent. */
interface Program {
  readonly address: SocketAddress;
  /** Its UDP port in the rack. */
  readonly port: number;
  readonly transport: ClientTransport;
  /** Sockets by which it has asked, by station and port. */
  readonly by: Map<string, Forward>;
}
const nameOf = ({ ip, port }: SocketAddress): string => `${formatIpv4(ip)}:${port}`;

/**
 * UDP sockets of this machine in front of stations of a rack. A datagram becomes one of the endpoint's, from the
 * program's own port where no other program has it. What the station answers leaves the socket for that program.
 */
export class SocketGate implements Losses {
  #endpoint: RackEndpoint | undefined;
  readonly #forwards: readonly Forward[];
  readonly #most: number;
  /** By address of this machine. */
  readonly #sockets = new Map<number, UdpSockets>();
  /** By their addresses, the one silent longest first; and by their ports in the rack. */
  readonly #programs = new Map<string, Program>();
  readonly #ports = new Map<number, Program>();
  #arrived: () => void = () => undefined;
  #left: () => void = () => undefined;
  #lost = 0;

  private constructor(forwards: readonly Forward[], most: number) {
    this.#forwards = forwards;
    this.#most = most;
  }
  /** @param most programs that are known @throws ServeError, with none left open */
  static async open(forwards: readonly Forward[], remedies: SocketRemedies, most = mostPrograms): Promise<SocketGate> {
    const gate = new SocketGate(forwards, most);
    try {
      for (const { at } of forwards) await gate.#open(at, remedies);
    } catch (e) {
      await gate.close();
      throw e;
    }
    return gate;
  }
  async #open({ ip, port }: SocketAddress, remedies: SocketRemedies): Promise<void> {
    const known = this.#sockets.get(ip),
      sockets =
        known ?? new UdpSockets(ip, longestDatagram, (data, from, p) => this.#take(data, from, { ip, port: p }));
    this.#sockets.set(ip, sockets);
    await sockets.open(port, remedies);
  }

  get place(): string {
    const all = this.#forwards.map(({ at, to }) => `${nameOf(at)} to ${to.name}:${to.port}`);
    return `UDP ${all.join(", ")}`;
  }
  get lost(): number {
    return this.#lost + this.#sum.lost;
  }
  get tooLong(): number {
    return this.#sum.tooLong;
  }
  get overflowed(): number {
    return this.#sum.overflowed;
  }
  get #sum() {
    return lossesOf([...this.#sockets.values()], 0);
  }
  /** From now on the endpoint sends what comes. Told of each datagram that comes, and of each that leaves. */
  connect(endpoint: RackEndpoint, arrived: () => void, left: () => void): void {
    this.#endpoint = endpoint;
    this.#arrived = arrived;
    this.#left = left;
  }
  async close(): Promise<void> {
    for (const sockets of this.#sockets.values()) await sockets.close();
  }

  #take(data: Uint8Array, from: SocketAddress, at: SocketAddress): void {
    const forward = this.#forwards.find(f => f.at.ip === at.ip && f.at.port === at.port),
      program = this.#programOf(from);
    if (forward === undefined || program === undefined) {
      this.#lost++;
      return;
    }
    program.by.set(nameOf(forward.to), forward);
    program.transport.send(forward.to, data);
    this.#arrived();
  }
  /** The program at an address: the youngest now. */
  #programOf(address: SocketAddress): Program | undefined {
    const name = nameOf(address),
      program = this.#programs.get(name) ?? this.#newProgram(address);
    if (program === undefined) return undefined;
    this.#programs.delete(name);
    this.#programs.set(name, program);
    return program;
  }
  #newProgram(address: SocketAddress): Program | undefined {
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return undefined;
    const [oldest] = this.#programs.values();
    if (this.#programs.size >= this.#most && oldest !== undefined) this.#forget(oldest);
    let { port } = address;
    for (let spare = firstSpare; this.#ports.has(port) && spare <= lastPort; spare++) port = spare;
    if (this.#ports.has(port)) return undefined;
    const program: Program = { address, port, transport: endpoint.transport(port), by: new Map() };
    program.transport.receive((from, data, damaged) => this.#give(program, from, data, damaged));
    this.#ports.set(port, program);
    return program;
  }
  #forget(program: Program): void {
    this.#programs.delete(nameOf(program.address));
    this.#ports.delete(program.port);
    this.#endpoint?.release(program.port);
  }
  #give(program: Program, from: SocketAddress, data: Uint8Array, damaged: boolean): void {
    // A kernel would not have taken a damaged one.
    if (damaged) return;
    const forward = program.by.get(nameOf(from));
    if (forward === undefined) {
      this.#lost++;
      return;
    }
    this.#left();
    this.#sockets.get(forward.at.ip)?.send(forward.at.port, program.address, data);
  }
}
