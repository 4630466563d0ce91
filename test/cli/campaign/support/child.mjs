// Conducts a campaign in a process of its own, which a test can kill: child.mjs <folder> <campaign as JSON> <slots>.
import { register } from "tsx/esm/api";

register();
const { conductHere } = await import("./here.ts");
const [folder = "", spec = "", slots = "1"] = process.argv.slice(2);
await conductHere(folder, JSON.parse(spec), Number(slots));
