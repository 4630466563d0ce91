import { expect } from "vitest";
import {
  ModelMemory,
  type ModelMemoryOptions,
  MultiVersionModel,
  type OffloadAsked,
} from "../../../../../designs/clio/model/index.ts";
import type { OffloadParameters } from "../../../../../designs/clio/offload/index.ts";
import { concat, decode, encode } from "../../../../../designs/shared/wire/index.ts";
import { mvBody, mvCreateBody, opcode, status, statusName } from "../../../../../designs/clio/wire/index.ts";
import {
  type OffloadCall,
  OffloadHost,
  type OffloadHostOptions,
  type OffloadPorts,
} from "../../../../../designs/clio/rig/index.ts";
import type { Bench } from "../../../../../sim/index.ts";

export interface MvLimits {
  readonly versions: number;
  readonly idBits: number;
  readonly arenaBytes: number;
}
interface Known {
  readonly number: number;
  readonly size: number;
}

/**
 * Clio-MV in its bench. Requests are held against the reference model in the order in which the offload took them: that
 * is the order it promises.
 */
export class MvRig {
  readonly memory: ModelMemory;
  readonly host: OffloadHost;
  readonly limits: MvLimits;
  readonly objects: Known[] = [];
  #model: MultiVersionModel;
  readonly #b: Bench<OffloadPorts>;
  readonly #p: OffloadParameters;
  #asked: { readonly request: OffloadAsked; readonly call: OffloadCall }[] = [];

  constructor(
    b: Bench<OffloadPorts>,
    p: OffloadParameters,
    limits: MvLimits,
    options: Partial<OffloadHostOptions> & { readonly memoryOptions?: ModelMemoryOptions } = {},
  ) {
    const { memoryOptions, ...host } = options;
    this.#b = b;
    this.#p = p;
    this.limits = limits;
    this.memory = new ModelMemory({ maxData: p.maxData, ...memoryOptions });
    this.host = new OffloadHost(b, { parameters: p, memory: this.memory, ...host });
    this.#model = this.#fresh();
  }
  #fresh(): MultiVersionModel {
    return new MultiVersionModel({
      maxData: this.#p.maxData,
      versions: this.limits.versions,
      objects: 2 ** this.limits.idBits - 1,
    });
  }

  ask(code: number, body: Uint8Array): OffloadCall {
    const request = { pid: this.#b.random.between(1, 5), opcode: code, body },
      call = this.host.request(request);
    this.#asked.push({ request, call });
    return call;
  }
  create(valueBytes: number): OffloadCall {
    return this.ask(opcode.MV_CREATE, encode(mvCreateBody, { valueBytes }));
  }
  append(object: number, value: Uint8Array): OffloadCall {
    return this.ask(opcode.MV_APPEND, concat(encode(mvBody, { object }), value));
  }
  read(object: number, version: number): OffloadCall {
    return this.ask(opcode.MV_READ, encode(mvBody, { object, version }));
  }
  latest(object: number): OffloadCall {
    return this.ask(opcode.MV_READ_LATEST, encode(mvBody, { object }));
  }
  remove(object: number): OffloadCall {
    return this.ask(opcode.MV_DELETE, encode(mvBody, { object }));
  }

  /** Waits for a request's answer. */
  async end(call: OffloadCall): Promise<OffloadCall> {
    await this.#b.until(() => call.done !== undefined);
    return call;
  }
  /** Makes an object and knows it from then on. @returns its number, 0 when there is none left */
  async make(size: number): Promise<number> {
    const [reply] = (await this.end(this.create(size))).replies;
    if (reply?.status !== status.OK) return 0;
    const { object: number } = decode(mvBody, reply.body);
    this.objects.push({ number, size });
    return number;
  }
  /**
   * One of the requests that work on an object, one of the `among` that were made last; now and then on one
   * that is none.
   */
  work(among = this.objects.length): void {
    const { random } = this.#b,
      { number, size } = random.pick(this.objects.slice(-among)),
      away = random.chance(0.05) ? random.pick([0, 2 ** this.limits.idBits - 1, random.word()]) : number;
    switch (random.between(0, 3)) {
      case 0:
      case 1:
        this.append(away, random.bytes(random.chance(0.05) ? random.between(1, this.#p.maxData) : size));
        return;
      case 2:
        this.read(
          away,
          random.chance(0.1)
            ? random.pick([0, this.limits.versions, this.limits.versions + 1, random.word()])
            : random.between(1, 4),
        );
        return;
      default:
        this.latest(away);
    }
  }
  /** A request that is wrong in one way. */
  wrong(): void {
    const { random } = this.#b,
      codes = [opcode.MV_CREATE, opcode.MV_APPEND, opcode.MV_READ, opcode.MV_READ_LATEST, opcode.MV_DELETE];
    random.pick([
      () => this.create(0),
      () => this.create(this.#p.maxData + 1),
      () => this.create((0x1_0000_0001 % 2 ** 32) + 65_536),
      () => this.ask(random.pick(codes), random.bytes(random.between(0, 7))),
      () => this.ask(random.pick(codes.filter(c => c !== opcode.MV_APPEND)), random.bytes(random.between(9, 60))),
      () => this.append(1, new Uint8Array()),
      () => this.append(1, random.bytes(Math.min(this.#p.maxData + 4, this.#p.maxData + random.between(1, 4)))),
      () => this.ask(0x2f, random.bytes(8)),
    ])();
  }
  /** Deletes an object and drops it from the model. @returns its number */
  drop(): number {
    const [gone] = this.objects.splice(this.#b.random.between(0, this.objects.length - 1), 1);
    if (!gone) throw new Error("there is no object to delete");
    this.remove(gone.number);
    return gone.number;
  }

  /** Waits for all answers and compares them. @returns how many requests ended with each status */
  async finish(): Promise<Record<string, number>> {
    await this.host.drained();
    const ends: Record<string, number> = {};
    for (const { request, call } of [...this.#asked].sort((a, b) => (a.call.taken ?? 0) - (b.call.taken ?? 0))) {
      const wanted = this.#model.request(request);
      expect(
        call.replies.map(({ status: s, opcode: o, body, more }) => ({ status: s, opcode: o, body, more })),
        `opcode 0x${request.opcode.toString(16)} taken at ${call.taken}`,
      ).toEqual([wanted]);
      const name = statusName(wanted.status);
      ends[name] = (ends[name] ?? 0) + 1;
    }
    this.#asked = [];
    return ends;
  }
  /** After a reset there is nothing of before. */
  forget(): void {
    this.#asked = [];
    this.objects.length = 0;
    this.#model = this.#fresh();
  }
}
