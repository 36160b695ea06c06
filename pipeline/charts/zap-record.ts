import { bytesFigure } from "./bytes.js";

/** The typed record, request and response, as ZAP and as JSON, byte by byte. */
export default bytesFigure("zap-record", "record");
