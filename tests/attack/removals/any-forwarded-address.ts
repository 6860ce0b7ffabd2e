/** Whoever names an address is taken to be there. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/app.ts', '(_address, hop) => hop < settings.trustedProxies', 'true');
