import { decode, type Endpoint } from "../../../shared/wire/index.ts";
import { opcode, retBody } from "../../wire/index.ts";
import type { NodeConfig } from "../../config/index.ts";
import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import { type MemoryManager, regionBytes } from "../memory/memory-manager.ts";
import type { SlowPathTransport } from "../transport/transport.ts";
import type { ClusterClock } from "./clock.ts";
import { type PeerExchange, PeerGone } from "./peer-exchange.ts";
import { encodeStep, type MigrationMode, migrationResult, receiveStep, type RegionName, type Step } from "./steps.ts";
import type { Turns } from "./turns.ts";

/** Services of the node that a migration needs. */
export interface SenderServices {
  readonly config: NodeConfig;
  readonly memory: MemoryManager;
  readonly pool: FramePool;
  readonly transport: Pick<SlowPathTransport, "readMemory" | "writeMemory">;
  readonly peers: PeerExchange;
  readonly turns: Turns;
  readonly clock: ClusterClock;
  /** Messages with data on their way at a time. */
  readonly window: number;
}
export interface Migration extends RegionName {
  readonly version: number;
  readonly mode: MigrationMode;
  readonly source: Endpoint;
  readonly destination: Endpoint;
}

/** Cost of a migration: ns, pages, bytes. */
export interface MigrationReport {
  readonly name: RegionName;
  readonly mode: MigrationMode;
  readonly result: number;
  readonly pages: number;
  readonly bytes: number;
  readonly totalNs: number;
  /** The longest that writes to one page, and any access to one page, were refused by both nodes. */
  readonly longestWritePauseNs: number;
  readonly longestPauseNs: number;
}

/** The destination refused a step. */
class Refused extends Error {
  readonly ret: number;
  constructor(ret: number) {
    super(`the destination answers ${ret}`);
    this.ret = ret;
  }
}
class Cancelled extends Error {}

/** `withdrawn`: without rights here, the frame is ours. `offered`: the destination may have put it to use. */
interface OutgoingPage {
  readonly vpn: number;
  frame: number | undefined;
  state: "here" | "readable" | "withdrawn" | "offered";
}

/**
 * The node that a region leaves: it drives the migration (docs/clio/distributed.md "Why it is right"). A page's rights
 * are withdrawn, and the shootdown acknowledged, before the copy reads the first of its bytes (write). The same holds
 * before the destination puts the page to use (read). Frames are kept until everything has gone over, so that all can
 * be taken back.
 */
export class RegionSender {
  private readonly s: SenderServices;
  private readonly m: Migration;
  private readonly pages: OutgoingPage[] = [];
  private stopped = false;
  /** The destination is gone: steps that are not sent any more need not be waited for. */
  private alone = false;
  private bytes = 0;
  private longestWritePause = 0;
  private longestPause = 0;

  constructor(services: SenderServices, migration: Migration) {
    this.s = services;
    this.m = migration;
  }

  /** Requests that everything be taken back; without effect once all pages have gone over. */
  cancel(): void {
    this.stopped = true;
  }

  /** Runs to the end. Never throws for what the destination does or does not do. */
  async run(): Promise<MigrationReport> {
    const { clock } = this.s,
      from = clock.now();
    let result: number;
    try {
      await this.open();
      await this[this.m.mode]();
      await this.step(receiveStep.close);
      await this.leave();
      result = migrationResult.done;
    } catch (e) {
      if (!(e instanceof Refused || e instanceof PeerGone || e instanceof Cancelled)) throw e;
      const why =
        e instanceof Refused ? e.ret : e instanceof Cancelled ? migrationResult.cancelled : migrationResult.noRoom;
      result = (await this.takeBack()) ? why : migrationResult.lost;
    }
    return {
      name: { pid: this.m.pid, region: this.m.region },
      mode: this.m.mode,
      result,
      pages: this.pages.length,
      bytes: this.bytes,
      totalNs: clock.now() - from,
      longestWritePauseNs: this.longestWritePause,
      longestPauseNs: this.longestPause,
    };
  }

  private async open(): Promise<void> {
    const { memory, config } = this.s,
      perRegion = Math.max(1, regionBytes / config.pageSize),
      first = this.m.region * perRegion;
    for (const { start, end, write } of memory.rangesBetween(this.m.pid, first, first + perRegion)) {
      await this.step(receiveStep.open, { page: start, count: end - start, write });
      for (let vpn = start; vpn < end; vpn++) this.pages.push({ vpn, frame: undefined, state: "here" });
    }
  }

  /** The paper's: no access from the first page's withdrawal until the last page is there. */
  private async stopAll(): Promise<void> {
    const from = this.s.clock.now();
    for (const page of this.pages) await this.withdraw(page);
    for (const page of this.pages) {
      this.checkCancelled();
      await this.copy(page);
    }
    this.checkCancelled();
    for (const page of this.pages) await this.enable(page);
    this.longestWritePause = this.longestPause = this.s.clock.now() - from;
  }

  /**
   * Each page by itself: it is readable here while it is copied, and in use there as soon as it is not here any more.
   * Pages without a frame go last and together. There is nothing to copy, so nothing can fail once the first of them is
   * offered. None has to be taken back with a frame that this node may not have.
   */
  private async pageByPage(): Promise<void> {
    const { clock, memory } = this.s,
      rest: OutgoingPage[] = [];
    for (const page of this.pages) {
      if ((await memory.frameOf(this.m.pid, page.vpn)) === undefined) {
        rest.push(page);
        continue;
      }
      this.checkCancelled();
      const from = clock.now();
      await this.withdrawWrite(page);
      await this.copy(page);
      const between = clock.now();
      await this.withdraw(page);
      await this.enable(page);
      this.longestWritePause = Math.max(this.longestWritePause, clock.now() - from);
      this.longestPause = Math.max(this.longestPause, clock.now() - between);
    }
    const from = clock.now();
    for (const page of rest) await this.withdraw(page);
    // Some may have been used for the first time in the meantime.
    for (const page of rest) await this.copy(page);
    this.checkCancelled();
    for (const page of rest) await this.enable(page);
    if (rest.length === 0) return;
    this.longestWritePause = Math.max(this.longestWritePause, clock.now() - from);
    this.longestPause = Math.max(this.longestPause, clock.now() - from);
  }

  /**
   * Valet's (section 3.5): from the first page on none is written, and all are read here until the last byte is there.
   * Then no page is in use anywhere, as long as it takes to put all to use there. Pages without a frame have nothing
   * to copy: they are in use here until then.
   */
  private async readAtSource(): Promise<void> {
    const { clock, memory } = this.s,
      from = clock.now();
    for (const page of this.pages)
      if ((await memory.frameOf(this.m.pid, page.vpn)) !== undefined) await this.withdrawWrite(page);
    const copied = this.pages.filter(p => p.state === "readable");
    for (const page of copied) {
      this.checkCancelled();
      await this.copy(page);
    }
    this.checkCancelled();
    const between = clock.now();
    for (const page of this.pages) await this.withdraw(page);
    // Some may have been used for the first time in the meantime.
    for (const page of this.pages) if (!copied.includes(page)) await this.copy(page);
    this.checkCancelled();
    for (const page of this.pages) await this.enable(page);
    this.longestWritePause = clock.now() - from;
    this.longestPause = clock.now() - between;
  }
  private checkCancelled(): void {
    if (this.stopped) throw new Cancelled("cancelled");
  }

  private async withdrawWrite(page: OutgoingPage): Promise<void> {
    const { memory, turns } = this.s;
    page.frame = await turns.take(() => memory.withdraw(this.m.pid, page.vpn, true));
    page.state = "readable";
  }
  private async withdraw(page: OutgoingPage): Promise<void> {
    if (page.state === "withdrawn") return;
    const { memory, turns } = this.s;
    page.frame = await turns.take(() => memory.withdraw(this.m.pid, page.vpn, false));
    page.state = "withdrawn";
  }
  private async enable(page: OutgoingPage): Promise<void> {
    page.state = "offered";
    await this.step(receiveStep.enable, { page: page.vpn });
  }

  private async copy({ vpn, frame }: OutgoingPage): Promise<void> {
    if (frame === undefined) return;
    const {
      transport,
      config: { pageSize },
    } = this.s;
    await this.chunks(async (offset, length) => {
      const data = await transport.readMemory(frame * pageSize + offset, length);
      await this.step(receiveStep.data, { page: vpn, offset }, data.slice());
    });
    this.bytes += pageSize;
  }
  /** All parts of a page, `window` at a time. */
  private async chunks(one: (offset: number, length: number) => Promise<void>): Promise<void> {
    const {
        config: { pageSize },
        window,
      } = this.s,
      failures: unknown[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < pageSize && failures.length === 0) {
        const offset = next,
          length = Math.min(chunkBytes, pageSize - offset);
        next += length;
        try {
          await one(offset, length);
        } catch (e) {
          failures.push(e);
        }
      }
    };
    await Promise.all(Array.from({ length: window }, worker));
    if (failures.length > 0) throw failures[0];
  }

  /** The region has gone: its pages are freed here. */
  private async leave(): Promise<void> {
    const {
      memory,
      pool,
      turns,
      config: { pageSize },
    } = this.s;
    for (const { vpn, frame } of this.pages) {
      await turns.take(async () => {
        await memory.free(this.m.pid, BigInt(vpn) * BigInt(pageSize), BigInt(pageSize));
        if (frame !== undefined) pool.release(frame);
      });
    }
  }

  /**
   * Everything as it was: pages that the destination may have put to use are taken back, with the data written there
   * since. @returns false when their content is unknown: the destination is gone with them
   */
  private async takeBack(): Promise<boolean> {
    const { memory, turns } = this.s;
    let whole = true;
    for (const page of this.pages) {
      if (page.state === "here") continue;
      if (page.state === "offered") {
        try {
          await this.fetch(page);
        } catch (e) {
          if (!(e instanceof Refused || e instanceof PeerGone)) throw e;
          // Clients may have written there: page by page they were sent there, and else one may have come from an
          // earlier move, before the controller has said anything.
          whole = false;
          continue;
        }
      }
      await turns.take(() => memory.grant(this.m.pid, page.vpn, page.frame));
    }
    try {
      await this.step(receiveStep.abort);
    } catch (e) {
      if (!(e instanceof Refused || e instanceof PeerGone)) throw e;
    }
    return whole;
  }
  private async fetch(page: OutgoingPage): Promise<void> {
    const {
        pool,
        transport,
        config: { pageSize },
      } = this.s,
      taken = await this.step(receiveStep.take, { page: page.vpn });
    if (taken[0] !== 1) return;
    page.frame ??= await pool.take();
    if (page.frame === undefined) throw new Refused(migrationResult.noRoom);
    const base = page.frame * pageSize;
    await this.chunks(async (offset, length) => {
      await transport.writeMemory(
        base + offset,
        await this.step(receiveStep.read, { page: page.vpn, offset, count: length }),
      );
    });
  }

  /** @returns the data of the answer @throws Refused, PeerGone */
  private async step(step: number, more: Partial<Step> = {}, data: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
    const { pid, region, version, source, destination } = this.m;
    if (this.alone) throw new PeerGone("the destination is gone");
    const { body } = await this.s.peers
      .request(
        destination,
        opcode.MIGRATION_RECEIVE,
        pid,
        encodeStep({ source, destination, region, version, step, ...more }),
        data,
      )
      .catch((e: unknown) => {
        this.alone ||= e instanceof PeerGone;
        throw e;
      });
    const ret = body.length < retBody.bytes ? migrationResult.invalid : decode(retBody, body).ret;
    if (ret !== migrationResult.done) throw new Refused(ret);
    return body.subarray(retBody.bytes);
  }
}

/** Bytes of a page in one message: the room of a packet of 1,500 bytes after the headers, in whole words. */
const chunkBytes = 1400;
