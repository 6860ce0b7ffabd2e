/** Session keypairs: made ahead of need, sealed at rest, opened only where they sign. */
export { createKeystore, type Keystore } from './keystore.ts';
export { parseMasterKey } from './master-key.ts';
