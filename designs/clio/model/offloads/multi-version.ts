import { concat, decode, encode } from "../../../shared/wire/index.ts";
import { mvBody, mvCreateBody, opcode, status } from "../../wire/index.ts";
import type { OffloadAsked, OffloadFrame } from "./answer.ts";

const { MV_CREATE, MV_APPEND, MV_READ, MV_READ_LATEST, MV_DELETE } = opcode,
  none = new Uint8Array();
/** Bytes of the smallest array element. */
const leastElement = 8;

interface StoredObject {
  size: number;
  live: boolean;
  versions: Uint8Array[];
}
export interface MultiVersionOptions {
  /** Bytes of a value, versions of an object, and objects, at most. */
  readonly maxData: number;
  readonly versions: number;
  readonly objects: number;
}

/**
 * Reference model of Clio-MV (designs/clio/offloads/mv): one request after another, in the order in which the offload
 * takes them. Numbers are given from 1 on. Numbers of deleted objects are given again, the last deleted first. The new
 * object's elements must have the same size (a power of two of 8 bytes or more). It never runs out of memory: that is
 * for benches that take memory away.
 */
export class MultiVersionModel {
  private readonly objects: StoredObject[] = [];
  private readonly deleted = new Map<number, number[]>();
  private readonly o: MultiVersionOptions;

  constructor(o: MultiVersionOptions) {
    this.o = o;
  }

  /** The frame that answers a request; the request takes effect. */
  request({ opcode: code, body }: OffloadAsked): OffloadFrame {
    const answer = (s: number, object = 0, version = 0, value: Uint8Array = none): OffloadFrame => {
      const good = s === status.OK;
      return {
        status: s,
        opcode: s === status.MALFORMED ? code : code + 1,
        body: good ? concat(encode(mvBody, { object, version }), value) : none,
        more: false,
      };
    };
    if (body.length < mvBody.bytes || (code !== MV_APPEND && body.length !== mvBody.bytes))
      return answer(status.MALFORMED);
    const { object: number, version } = decode(mvBody, body);
    if (code === MV_CREATE) {
      const { valueBytes } = decode(mvCreateBody, body);
      if (valueBytes < 1 || valueBytes > this.o.maxData) return answer(status.MALFORMED);
      const made = this.create(valueBytes);
      return made === undefined ? answer(status.OUT_OF_MEMORY) : answer(status.OK, made);
    }
    const value = body.slice(mvBody.bytes);
    if (![MV_APPEND, MV_READ, MV_READ_LATEST, MV_DELETE].includes(code)) return answer(status.MALFORMED);
    if (code === MV_APPEND && (value.length < 1 || value.length > this.o.maxData)) return answer(status.MALFORMED);

    const object = this.objects[number - 1];
    if (object?.live !== true) return answer(status.FAIL);
    switch (code) {
      case MV_APPEND:
        if (value.length !== object.size) return answer(status.MALFORMED);
        if (object.versions.length >= this.o.versions) return answer(status.FAIL);
        object.versions.push(value);
        return answer(status.OK, number, object.versions.length);
      case MV_DELETE:
        object.live = false;
        this.freed(object.size).push(number);
        return answer(status.OK, number);
      default: {
        const wanted = code === MV_READ ? version : object.versions.length,
          found = object.versions[wanted - 1];
        return found === undefined ? answer(status.FAIL) : answer(status.OK, number, wanted, found);
      }
    }
  }

  private create(size: number): number | undefined {
    const fresh: StoredObject = { size, live: true, versions: [] },
      again = this.freed(size).pop();
    if (again !== undefined) {
      this.objects[again - 1] = fresh;
      return again;
    }
    return this.objects.length >= this.o.objects ? undefined : this.objects.push(fresh);
  }
  /** Deleted objects whose array has elements for such values. */
  private freed(size: number): number[] {
    let element = leastElement;
    while (element < size) element *= 2;
    const list = this.deleted.get(element) ?? [];
    this.deleted.set(element, list);
    return list;
  }
}
