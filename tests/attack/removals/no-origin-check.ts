/** Any page may use the owner's cookie. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/authenticate-owner.ts',
  'origin !== undefined && origin !== dashboardOrigin',
  'origin === dashboardOrigin && false',
);
