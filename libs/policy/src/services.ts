/** Which services the backend may call: rules for names and addresses, on Node's parsers. */
export { isPublicAddress } from './urls/public-address.ts';
export { judgeServiceUrl, serviceRequestUrl } from './urls/service-url.ts';
export type { ServiceUrl } from './urls/service-url.ts';
