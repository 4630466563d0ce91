/** Members of a rack in threads of their own: both cores of a machine simulate it. */
export { threadsFor } from "./apart.ts";
