/** What a cookie claims is believed, whoever signed it. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/owner-token.ts',
  'const { payload } = await jwtVerify(jwt, key, {',
  "const payload = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url')); void ({",
);
