/** Before each test file: the session, made of the same modules as the tests are (the runner has others). */
import { Session } from "./session.ts";
import { share } from "./shared-session.ts";

share(new Session());
