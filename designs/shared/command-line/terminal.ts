/** What of a process the command line touches; a test gives its own. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Results go to stdout, messages and progress to stderr; progress is shown to people only, never to a pipe. */
export class Terminal {
  readonly #streams: Streams;
  #shown = false;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  /** A line (or several) of the result. */
  print(text: string): void {
    this.endProgress();
    this.#streams.stdout.write(`${text}\n`);
  }

  /** A message about the run, not part of its result. */
  error(text: string): void {
    this.endProgress();
    this.#streams.stderr.write(`${text}\n`);
  }

  /** What is done from now on and takes long: the progress line of a person, a line among the messages of a pipe. */
  stage(text: string): void {
    if (this.#streams.stderr.isTTY === true) this.progress(text);
    else this.error(text);
  }

  /** Replaces the progress line. */
  progress(text: string): void {
    if (this.#streams.stderr.isTTY !== true) return;
    this.#streams.stderr.write(`\r\x1b[K${text}`);
    this.#shown = true;
  }

  /** Takes the progress line away. */
  endProgress(): void {
    if (this.#shown) this.#streams.stderr.write("\r\x1b[K");
    this.#shown = false;
  }
}
