import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

/** A frame with its length in front, 16 bits, little-endian. */
export function lengthPrefixed(frame: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(2 + frame.length);
  out.writeUInt16LE(frame.length);
  out.set(frame, 2);
  return out;
}

/** Reads one line of text from a stream, then frames with their lengths in front, wherever the pieces are cut. */
export class FrameReader {
  readonly #stream: Readable;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** The first line. A program that ends without one has failed: its message then reads `error ...`. */
  line(program: ChildProcess): Promise<string> {
    return new Promise(resolve => {
      const done = (text: string): void => {
        this.#stream.off("data", more).off("end", ended);
        program.off("error", unstarted);
        this.#stream.pause();
        resolve(text);
      };
      const more = (data: Buffer): void => {
        this.#rest = Buffer.concat([this.#rest, data]);
        const end = this.#rest.indexOf(10);
        if (end < 0) return;
        const text = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        done(text);
      };
      const ended = (): void => done("error the TAP helper ended at once");
      const unstarted = (e: Error): void => done(`error the TAP helper could not be started (${e.message})`);
      this.#stream.on("data", more).on("end", ended);
      program.on("error", unstarted);
    });
  }

  /** Gives every frame from now on to `take`. */
  frames(take: (frame: Uint8Array) => void): void {
    const cut = (): void => {
      let at = 0;
      while (at + 2 <= this.#rest.length) {
        const end = at + 2 + this.#rest.readUInt16LE(at);
        if (end > this.#rest.length) break;
        take(new Uint8Array(this.#rest.subarray(at + 2, end)));
        at = end;
      }
      this.#rest = this.#rest.subarray(at);
    };
    this.#stream.on("data", (data: Buffer) => {
      this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
      cut();
    });
    cut();
    this.#stream.resume();
  }
}
