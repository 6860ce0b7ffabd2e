/** The HTTP client for URLs of third parties: public addresses only, responses are hostile. */
export { createEgress, type Egress, type EgressAnswer } from './egress.ts';
export { cleanRequestHeaders, headersForAgent, type PlainHeaders } from './headers.ts';
