/** What an end of a reliable link gives to the line, judged as far as the line shows it. */
import { concat, headerOffsets } from "../../../shared/wire/index.ts";
import { linkKind, linkShim, takeApart } from "../../wire/index.ts";
import { ahead } from "./receiver.ts";

const round = 2 ** 16,
  shimAt = headerOffsets.network - 2;
/** A frame without its link shim. */
export const withoutLinkShim = (frame: Uint8Array): Uint8Array =>
  concat(frame.slice(0, shimAt), frame.slice(shimAt + linkShim.bytes));
/** What may not change when a frame is sent again: all but the ACK in its shim. */
const fixedPart = (frame: Uint8Array): string => Buffer.from(withoutLinkShim(frame)).toString("latin1");

/** What is known of the other end. */
export interface LinkPartner {
  /** Frames that it has sent, each once. */
  readonly sent: number;
  /** Frames that it says are there. */
  readonly acked: number;
}

/**
 * Frames have numbers in a row. One that is sent again has its number and its bytes. Nothing is left out but what the
 * partner has told to be there: behind a frame comes the next one, or one that came before. An ACK never falls, and
 * never tells of a frame that was not sent.
 */
export class LinkLine {
  readonly problems: string[] = [];
  readonly #name: string;
  readonly #partner: () => LinkPartner;
  /** By number, all that has been sent. */
  readonly #frames = new Map<number, string>();
  /** Frames that were sent, each once, and what the last data frame's number was. */
  #fresh = 0;
  #last = round - 1;
  #acked = 0;
  repeated = 0;

  /** @param name of the end, for sentences */
  constructor(name: string, partner: () => LinkPartner) {
    this.#name = name;
    this.#partner = partner;
  }
  /** Frames that were sent, each once. */
  get sent(): number {
    return this.#fresh;
  }
  /** Frames of the partner that it says are there. */
  get acked(): number {
    return this.#acked;
  }
  /** A frame goes out. @returns it without its shim, when it is sent for the first time */
  send(frame: Uint8Array): Uint8Array | undefined {
    const { link } = takeApart(frame);
    if (link === undefined) {
      this.#wrong("a frame without a link shim");
      return undefined;
    }
    this.#ack(link.ack);
    return link.kind === linkKind.data ? this.#data(link.sequence, frame) : undefined;
  }
  #data(number: number, frame: Uint8Array): Uint8Array | undefined {
    const step = ahead(number, this.#last);
    // A row that goes again is cut short by an ACK of what is in it.
    const isLeftOut = step > 1 && step < round / 2 && ahead(this.#partner().acked % round, number) >= round / 2;
    if (isLeftOut) this.#wrong(`frame ${number} behind frame ${this.#last}`);
    this.#last = number;
    if (number === this.#fresh % round) {
      this.#fresh++;
      this.#frames.set(number, fixedPart(frame));
      return withoutLinkShim(frame);
    }
    this.repeated++;
    const before = this.#frames.get(number);
    if (before === undefined) this.#wrong(`frame ${number}, and ${this.#fresh % round} is next`);
    else if (before !== fixedPart(frame)) this.#wrong(`frame ${number} again with other bytes`);
    return undefined;
  }
  #ack(number: number): void {
    const more = ahead(number, this.#acked % round);
    if (more >= round / 2) this.#wrong(`an ACK of ${number} behind one of ${this.#acked % round}`);
    else if (this.#acked + more > this.#partner().sent)
      this.#wrong(`an ACK of ${this.#acked + more} frames, and ${this.#partner().sent} were sent`);
    else this.#acked += more;
  }
  #wrong(what: string): void {
    this.problems.push(`${this.#name} sends ${what}`);
  }
}
