/** Session keypairs: made ahead of need, sealed at rest, opened only where they sign. */
export { createKeystore, type Keystore } from './keystore.ts';
export { openKeystore } from './open-keystore.ts';
