/** Messages of the format ZAP and of HTTP, taken apart byte by byte. */
export { dissect, dissection, fromHex, type Format } from "./dissect.js";
export { leaves, type Part } from "./part.js";
export { readHeaders, writeHeaders, type HeaderField } from "./headers.js";
export { readMessage, writeRequest, type HttpMessage, type PlainRequest } from "./message.js";
export { balanceRequest, balanceResponse, fieldText, readRecord, recordJson, type TypedRecord } from "./record.js";
export { content } from "./slot.js";
export { WireFault } from "./reason.js";
export { articleCounts, matchingRequests, nearestRequests, plausibleRequests, type PlausibleRequest } from "./plausible.js";
