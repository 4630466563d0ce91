/**
 * The language's rules as an ESLint plugin, for projects that use the package (`mnemosyne/eslint`). They need
 * typescript-eslint with type information.
 */
import { signalMisuse } from "./signal-misuse.ts";

export default { meta: { name: "mnemosyne" }, rules: { "signal-misuse": signalMisuse } };
