/** Mixed requests at the memory node, whose memory is slow and disorderly; every reply is judged by the model. */
export { piece } from "../designs/clio/rig/node/pieces/requests.ts";
