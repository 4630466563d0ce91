import type { Settings } from "../../config/index.ts";
import { frameName, piecesOf, Scoreboard } from "../../model/index.ts";
import { mayRead, mayWrite, packEntry, type Rights } from "../../../shared/virtual-memory/table/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { accessBody, casBody, faaBody, opcode, storeBody } from "../../wire/index.ts";
import { concat, encode } from "../../../shared/wire/index.ts";
import { bernoulli, type Design, type SentFrame } from "../../../../sim/index.ts";
import { AccessGuard, entryInTable, type Grant, type Guarded, type Way } from "./access-guard.ts";
import type { NodePorts } from "./node-ports.ts";
import { type SimulatedNode, withNode } from "./simulated-node.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

export interface PermissionRunOptions {
  readonly seed: number;
  /** Requests in all, and those between two layouts of memory. */
  readonly requests: number;
  readonly perLayout?: number;
  readonly design?: Design<NodePorts>;
}
export interface PermissionRunResult {
  /** Requests, by what their pages allowed; bursts judged at the AXI4 port. */
  readonly allowed: number;
  readonly refused: number;
  readonly crossing: number;
  readonly bursts: number;
  readonly layouts: number;
  /** An access beyond all grants, or a reply that the reference model would not give. */
  readonly problems: readonly string[];
}

/** One process: its pages by number. */
interface Space {
  readonly pid: number;
  readonly pages: Map<bigint, Rights>;
  readonly pointers: bigint;
  readonly targets: readonly bigint[];
}

/** Sends a request; `grants` are what it may touch, `ok` whether all of it is allowed. */
type Send = (code: number, grants: readonly Grant[], ok: boolean, ...body: readonly Uint8Array[]) => void;

const processes = 5,
  pagesEach = 22,
  pointersEach = 64;
/** Requests on their way at most. */
const window = 40;
/** Cycles within which the last of a layout's requests must be over. */
const mostCycles = 60_000;

/**
 * Permission fuzz: processes with pages at the same and at neighbouring addresses, and random rights in the page table
 * (all four combinations). The accesses are random; among them are page-crossing ones, atomics and ones behind
 * pointers. At the AXI4 port every data address must be granted to a request under way (`AccessGuard`); the replies
 * must be the reference model's. Every layout of memory is made of the frames of the one before.
 */
export function permissionRun(settings: Settings, o: PermissionRunOptions): Promise<PermissionRunResult> {
  const ram = { latency: 12, jitter: 20, outOfOrder: true, pause: { ar: bernoulli(0.1, 1), b: bernoulli(0.1, 2) } };
  const design = o.design ? { design: o.design } : {};
  return withNode(
    "permissions",
    settings,
    { ...design, ram, seed: o.seed, wave: false, limitCycles: 100_000_000 },
    node => new Run(node, settings, o).run(),
  );
}

class Run {
  private readonly node: SimulatedNode;
  private readonly guard: AccessGuard;
  private readonly r: Random;
  private readonly o: PermissionRunOptions;
  private readonly client: FrameClient;
  private scoreboard: Scoreboard;
  private readonly settings: Settings;
  private readonly entering: { readonly bytes: Uint8Array; readonly sent: SentFrame }[] = [];
  /** Callback for the answer to the request of this issue time. */
  private readonly leaving = new Map<number, () => void>();
  private readonly waits = new Map<SentFrame, () => void>();
  private readonly counted = { allowed: 0, refused: 0, crossing: 0 };
  private readonly page: bigint;

  constructor(node: SimulatedNode, settings: Settings, o: PermissionRunOptions) {
    this.node = node;
    this.settings = settings;
    this.o = o;
    this.guard = new AccessGuard(node);
    this.r = new Random(o.seed, mulberry32);
    this.client = new FrameClient(clientEndpoint(0), settings.runtime);
    this.scoreboard = new Scoreboard(settings.config, settings.runtime);
    this.page = BigInt(settings.config.pageSize);
  }

  async run(): Promise<PermissionRunResult> {
    this.node.bench.onEdge({ sample: () => this.watch() });
    let layouts = 0;
    const problems: string[] = [];
    for (let left = this.o.requests; left > 0 && problems.length === 0; left -= this.o.perLayout ?? 150) {
      await this.layout(Math.min(left, this.o.perLayout ?? 150));
      layouts++;
      this.guard.settle();
      problems.push(...this.guard.problems, ...this.scoreboard.finish());
    }
    return { ...this.counted, bursts: this.guard.judged, layouts, problems };
  }

  /** Memory laid out anew, `count` requests to it, all of it freed. */
  private async layout(count: number): Promise<void> {
    const { node } = this,
      { memory } = node.slowPath;
    // The retry buffer's memory goes on. Requests here are not tracked, so a fresh model is equivalent.
    this.scoreboard = new Scoreboard(this.settings.config, this.settings.runtime);
    const spaces: Space[] = [];
    for (let pid = 1; pid <= processes; pid++) spaces.push(await this.space(pid));
    const quiet = (): boolean => this.entering.length === 0 && this.scoreboard.outstanding === 0;
    const broken = (): boolean => this.guard.problems.length > 0 || this.scoreboard.problems.length > 0;
    for (let i = 0; i < count && !broken(); i++) {
      this.request(spaces);
      const full = (): boolean => this.entering.length + this.scoreboard.outstanding >= window;
      if (full()) await node.bench.until(() => !full() || broken());
    }
    const late = node.bench.cycle + mostCycles;
    await node.bench.until(() => (quiet() && node.idle) || broken() || node.bench.cycle > late);
    if (node.bench.cycle > late)
      this.guard.problems.push(
        `${this.scoreboard.outstanding} requests without an answer, slots in use 0x${node.bench.io.busy.big.toString(16)} after ${mostCycles} cycles`,
      );
    this.scoreboard.quiesce(node.bench.cycle);
    this.guard.settle();
    if (broken()) return;
    for (const { pid } of spaces) await memory.freeProcess(pid);
  }

  /** A process's pages: neighbours and gaps, half of them with a frame already, rights at random. */
  private async space(pid: number): Promise<Space> {
    const { node, r, page } = this,
      { memory } = node.slowPath,
      pages = new Map<bigint, Rights>();
    memory.createProcess(pid);
    let vpn = 16n + BigInt(r.below(3));
    for (let i = 0; i < pagesEach; i++) {
      vpn += r.chance(0.75) ? 1n : 2n;
      const rights =
        i === 0
          ? { read: true, write: false }
          : r.pick([
              { read: true, write: true },
              { read: true, write: true },
              { read: true, write: false },
              { read: false, write: true },
              { read: false, write: false },
            ]);
      // Without rights and without a frame a page is one that moves to another node; these keep theirs.
      const populate = i === 0 || r.chance(0.5) || !(rights.read || rights.write);
      const given = await memory.allocate({
        pid,
        address: vpn * page,
        length: page,
        vregion: 0n,
        write: true,
        populate,
      });
      if (!given.ok || given.value !== vpn * page) {
        if (given.ok) await memory.free(pid, given.value, page);
        continue;
      }
      await this.setRights(pid, vpn, rights);
      pages.set(vpn, rights);
      this.scoreboard.map(pid, vpn, rights);
    }
    const [first = 0n] = pages.keys(),
      pointers = first * page + 512n;
    const space = {
      pid,
      pages,
      pointers,
      targets: Array.from({ length: pointersEach }, () => this.place(pages, r.between(1, 100)).va),
    };
    await this.layPointers(space);
    return space;
  }

  private async setRights(pid: number, vpn: bigint, rights: Rights): Promise<void> {
    const { transport, config, runtime, ram } = this.node,
      found = entryInTable(config.table, runtime.hashKey, pid, vpn, (at, n) => ram.read(at, n));
    if (found === undefined) throw new RangeError(`page ${vpn} of process ${pid} has no entry`);
    await transport.exchangeEntry(found.address, packEntry(config.table, { ...found.entry, ...rights }));
  }

  private async layPointers({ pid, pointers, targets }: Space): Promise<void> {
    const bytes = new Uint8Array(8 * targets.length),
      view = new DataView(bytes.buffer),
      at = await this.node.slowPath.memory.translate(pid, pointers);
    targets.forEach((t, i) => view.setBigUint64(8 * i, t, true));
    if (at === undefined) throw new RangeError(`process ${pid} has no frame for its pointers`);
    this.node.ram.write(at, bytes);
    this.scoreboard.preset(pid, pointers, bytes);
  }

  /** Somewhere in a page, over its end, or wherever; `length` bytes. */
  private place(pages: ReadonlyMap<bigint, Rights>, length: number): { readonly va: bigint } {
    const { r, page } = this,
      base = r.pick([...pages.keys()]) * page;
    switch (r.below(12)) {
      case 0:
        return { va: BigInt(r.below(2 ** 31)) * 2n ** BigInt(r.below(33)) };
      case 1:
        return { va: base + page * BigInt(r.between(-3, 3)) + BigInt(r.below(4096)) };
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
        return { va: base + page - BigInt(r.between(1, Math.max(1, length))) };
      default:
        return { va: base + BigInt(r.below(r.chance(0.8) ? 4096 : this.node.config.pageSize)) };
    }
  }

  private request(spaces: readonly Space[]): void {
    const { r, client } = this,
      space = r.pick(spaces),
      { pid, pages } = space,
      length = r.chance(0.2) ? r.between(1, this.node.config.maxData) : r.between(1, 200);
    const { va } = this.place(pages, length),
      word = BigInt.asUintN(64, va) & ~7n,
      data = (): Uint8Array => r.bytes(length);
    const untracked = (frame: Uint8Array): Uint8Array => {
      frame[46] = (frame[46] ?? 0) & 0x3f;
      return frame;
    };
    const send: Send = (code, grants, ok, ...body) =>
      this.enter(untracked(client.request(code, pid, ...body)), ok ? grants : [], ok);
    const reads = (at: bigint, n: number): Grant => ({ pid, va: at, length: n, way: "read" }),
      writes = (at: bigint, n: number): Grant => ({ pid, va: at, length: n, way: "write" });
    if (piecesOf(this.settings.config, BigInt.asUintN(64, va), length).length > 1) this.counted.crossing++;
    switch (r.below(8)) {
      case 0:
      case 1:
        send(
          opcode.READ,
          [reads(va, length)],
          this.may(space, va, length, "read"),
          encode(accessBody, { va: BigInt.asUintN(64, va), length }),
        );
        return;
      case 2:
      case 3:
        send(
          r.chance(0.1) ? opcode.WRITE_NOREPLY : opcode.WRITE,
          [writes(va, length)],
          this.may(space, va, length, "write"),
          encode(accessBody, { va: BigInt.asUintN(64, va), length }),
          data(),
        );
        return;
      case 4: {
        const ok = this.may(space, word, 8, "write") && this.may(space, word, 8, "read"),
          grants = [reads(word, 8), writes(word, 8)];
        switch (r.below(4)) {
          case 0:
            send(opcode.ATOMIC_TAS, grants, ok, encode(accessBody, { va: word, length: 8 }));
            return;
          case 1:
            send(opcode.ATOMIC_CAS, grants, ok, encode(casBody, { va: word, length: 8, compare: 0n, swap: 3n }));
            return;
          case 2:
            send(opcode.ATOMIC_FAA, grants, ok, encode(faaBody, { va: word, length: 8, addend: 5n }));
            return;
          default:
            send(opcode.ATOMIC_STORE, [writes(word, 8)], ok, encode(storeBody, { va: word, length: 8, value: 9n }));
        }
        return;
      }
      default:
        this.dereference(space, length, (code, grants, ok, ...body) =>
          this.enter(untracked(client.request(code, pid, ...body)), grants, ok),
        );
    }
  }

  /** Through a pointer of the process, or, now and then, through any word that it may not even read. */
  private dereference(space: Space, length: number, send: Send): void {
    const { r } = this,
      { pid } = space,
      i = r.below(pointersEach),
      own = r.chance(0.9),
      va = own ? space.pointers + BigInt(8 * i) : BigInt.asUintN(64, this.place(space.pages, 8).va) & ~7n;
    // The content of other words depends on the writes before, so only those without the right to read are accessed.
    if (!own && this.may(space, va, 8, "read")) return;
    const writes = r.chance(0.5),
      target = space.targets[i] ?? 0n,
      way: Way = writes ? "write" : "read";
    const there = own && this.may(space, target, length, way),
      grants: Grant[] = own ? [{ pid, va, length: 8, way: "read" }] : [];
    if (there) grants.push({ pid, va: target, length, way });
    const body = encode(accessBody, { va, length });
    send(writes ? opcode.DEREF_WRITE : opcode.DEREF_READ, grants, there, writes ? concat(body, r.bytes(length)) : body);
  }

  /** Whether all pages of an access give the right. */
  private may({ pages }: Space, va: bigint, length: number, way: Way): boolean {
    const gives = (page: Rights | undefined): boolean =>
      page !== undefined && (way === "write" ? mayWrite(page) : mayRead(page));
    return (
      va >= 0n &&
      piecesOf(this.settings.config, va, length).every(
        p => p.vpn >> BigInt(this.settings.config.vpnBits) === 0n && gives(pages.get(p.vpn)),
      )
    );
  }

  private enter(bytes: Uint8Array, grants: readonly Grant[], ok: boolean): void {
    this.counted[ok ? "allowed" : "refused"]++;
    const guarded: Guarded = {
      name: `${frameName(bytes)}: ${grants.map(g => `${g.way} ${g.length} bytes at 0x${g.va.toString(16)} of pid ${g.pid}`).join(" and ") || "nothing"}`,
      grants,
    };
    const leave = this.guard.enter(guarded),
      sent = this.node.send(bytes);
    this.entering.push({ bytes, sent });
    this.waits.set(sent, leave);
  }

  private watch(): void {
    const { node, scoreboard } = this;
    for (let f = node.take(); f !== undefined; f = node.take()) {
      const done = scoreboard.reply(f.bytes, f.end);
      if (done) {
        this.leaving.get(done.issued)?.();
        this.leaving.delete(done.issued);
      }
    }
    for (let e = this.entering[0]; e?.sent.end !== undefined; e = this.entering[0]) {
      this.entering.shift();
      const leave = this.waits.get(e.sent);
      this.waits.delete(e.sent);
      // A request without a reply stays until the layout ends.
      if (scoreboard.issue(e.bytes, e.sent.end) && leave) this.leaving.set(e.sent.end, leave);
    }
  }
}
