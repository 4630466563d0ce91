/** Why a circuit or a text cannot run in the built-in simulator: one sentence. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}
