export { goBackN } from "./go-back-n.ts";
