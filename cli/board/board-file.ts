/** A file of a board; the path is relative, with `/`. */
export interface BoardFile {
  readonly path: string;
  readonly text: string;
}
