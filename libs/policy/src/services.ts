/** Which services the backend may call: rules for names and addresses, on Node's parsers. */
export { isPublicAddress } from './public-address.ts';
export { judgeServiceUrl, serviceRequestUrl } from './service-url.ts';
export type { ServiceUrl } from './service-url.ts';
