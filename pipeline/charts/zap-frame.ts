import { bytesFigure } from "./bytes.js";

/** `GET /health` as a ZAP frame and as an HTTP message, byte by byte. */
export default bytesFigure("zap-frame", "health");
