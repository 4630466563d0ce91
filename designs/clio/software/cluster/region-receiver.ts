import type { NodeConfig } from "../../config/index.ts";
import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import { type MemoryManager, regionBytes } from "../memory/memory-manager.ts";
import type { SlowPathTransport } from "../transport/transport.ts";
import { migrationResult, receiveStep, regionKey, type RegionName, type Step } from "./steps.ts";

/**
 * A page that comes in. `open`: allocated without rights, being filled. `enabled`: it is in use here. `taken`: it has
 * been taken back, and nothing makes it be used any more. A page goes through these in this order only, so that a step
 * that arrives late or twice undoes nothing.
 */
interface IncomingPage {
  state: "open" | "enabled" | "taken";
  frame: number | undefined;
}
interface Incoming {
  readonly version: number;
  readonly ranges: { start: number; end: number }[];
  readonly pages: Map<number, IncomingPage>;
}

export interface StepReply {
  readonly ret: number;
  readonly data?: Uint8Array;
}
const ok: StepReply = { ret: migrationResult.done },
  invalid: StepReply = { ret: migrationResult.invalid };

/**
 * The destination of a region: carries out the steps that the source requests. Each step may arrive any number of
 * times. The version is remembered of a region that has come, or whose coming was given up. Steps for that version or
 * an older one are refused.
 */
export class RegionReceiver {
  private readonly config: NodeConfig;
  private readonly memory: MemoryManager;
  private readonly pool: FramePool;
  private readonly transport: Pick<SlowPathTransport, "readMemory" | "writeMemory">;
  private readonly incoming = new Map<string, Incoming>();
  private readonly over = new Map<string, { readonly version: number; readonly closed: boolean }>();

  constructor(config: NodeConfig, memory: MemoryManager, pool: FramePool, transport: RegionReceiver["transport"]) {
    this.config = config;
    this.memory = memory;
    this.pool = pool;
    this.transport = transport;
  }

  isIncoming(name: RegionName): boolean {
    return this.incoming.has(regionKey(name));
  }

  async step(pid: number, s: Step & { readonly data: Uint8Array }): Promise<StepReply> {
    const name = { pid, region: s.region },
      key = regionKey(name),
      over = this.over.get(key);
    if (over !== undefined && s.version <= over.version) {
      const repeated = s.version === over.version && s.step === (over.closed ? receiveStep.close : receiveStep.abort);
      return repeated ? ok : invalid;
    }
    let here = this.incoming.get(key);
    if (here !== undefined && here.version !== s.version) return invalid;
    if (s.step === receiveStep.open) {
      if (here === undefined) this.incoming.set(key, (here = { version: s.version, ranges: [], pages: new Map() }));
      return this.open(name, here, s);
    }
    if (here === undefined) {
      if (s.step !== receiveStep.abort) return invalid;
      // An `open` that is still on its way must find it over.
      this.over.set(key, { version: s.version, closed: false });
      return ok;
    }
    switch (s.step) {
      case receiveStep.close:
        this.end(key, here, true);
        return ok;
      case receiveStep.abort:
        return this.abort(name, key, here);
      default: {
        const page = here.pages.get(s.page);
        return page === undefined ? invalid : this.pageStep(pid, page, s);
      }
    }
  }

  private async open(
    { pid, region }: RegionName,
    here: Incoming,
    { page: start, count, write }: Step,
  ): Promise<StepReply> {
    const perRegion = Math.max(1, regionBytes / this.config.pageSize),
      end = start + count;
    if (here.ranges.some(r => r.start === start && r.end === end)) return ok;
    if (count < 1 || start < region * perRegion || end > (region + 1) * perRegion) return invalid;
    const result = await this.memory.reserve(pid, start, end, write);
    if (!result.ok) return { ret: result.failure === "noMemory" ? migrationResult.noRoom : migrationResult.invalid };
    here.ranges.push({ start, end });
    for (let vpn = start; vpn < end; vpn++) here.pages.set(vpn, { state: "open", frame: undefined });
    return ok;
  }

  private async pageStep(pid: number, page: IncomingPage, s: Step & { readonly data: Uint8Array }): Promise<StepReply> {
    const { pageSize } = this.config;
    switch (s.step) {
      case receiveStep.data: {
        // Data of a page in use are a late copy: its present bytes may be newer.
        if (page.state !== "open") return invalid;
        if (s.offset + s.data.length > pageSize) return invalid;
        page.frame ??= await this.pool.take();
        if (page.frame === undefined) return { ret: migrationResult.noRoom };
        await this.transport.writeMemory(page.frame * pageSize + s.offset, s.data);
        return ok;
      }
      case receiveStep.enable:
        if (page.state === "taken") return invalid;
        if (page.state === "open") {
          page.state = "enabled";
          await this.memory.grant(pid, s.page, page.frame);
          page.frame = undefined;
        }
        return ok;
      case receiveStep.take:
        if (page.state === "enabled") page.frame = await this.memory.withdraw(pid, s.page, false);
        page.state = "taken";
        return { ret: migrationResult.done, data: Uint8Array.of(page.frame === undefined ? 0 : 1) };
      case receiveStep.read:
        if (page.state !== "taken" || page.frame === undefined || s.offset + s.count > pageSize) return invalid;
        return {
          ret: migrationResult.done,
          data: await this.transport.readMemory(page.frame * pageSize + s.offset, s.count),
        };
      default:
        return invalid;
    }
  }

  /** Pages in use are given up with what is in them: only for a region that is lost or has been taken back. */
  private async abort({ pid }: RegionName, key: string, here: Incoming): Promise<StepReply> {
    for (const { start, end } of here.ranges) {
      await this.memory.free(
        pid,
        BigInt(start) * BigInt(this.config.pageSize),
        BigInt(end - start) * BigInt(this.config.pageSize),
      );
    }
    for (const { frame } of here.pages.values()) if (frame !== undefined) this.pool.release(frame);
    this.end(key, here, false);
    return ok;
  }
  private end(key: string, { version }: Incoming, closed: boolean): void {
    this.incoming.delete(key);
    this.over.set(key, { version, closed });
  }
}
