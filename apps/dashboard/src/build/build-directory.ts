import { fileURLToPath } from 'node:url';

/** Where the built page is; ignored by git. */
export const BUILD_DIRECTORY = fileURLToPath(
  new URL('../../../../.local/dashboard', import.meta.url),
);
